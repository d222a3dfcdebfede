"""Measure how much memory a run holds, from /proc and the cgroup."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

_KIB = 1024
_HELD = ("RssAnon:", "RssShmem:")
_MAPPING = re.compile(r"[0-9a-f]+-[0-9a-f]+ ")


def used_by(monitor: int, baseline: int, limit: int, *, on_gpu: bool = False) -> int:
    """Bytes of the machine's memory held by the processes below a run's monitor.

    The quick sum counts pages that processes share once for each; only when it passes the limit
    are shared pages divided among their holders, which takes the kernel a thousand times longer.
    A memory file that is mapped is counted twice: nothing that people write does that, and what
    is missed here nobody else counts.

    Args:
        monitor: the process whose descendants to count.
        baseline: bytes that each fork shares with the warm server, which do not count.
        limit: above this the shared pages are divided.
        on_gpu: whether memory may be the driver's: managed memory is in no anonymous page, but
            mapped from the driver's device node, and its pages are the machine's until a kernel
            asks for them.
    """
    pids = list(descendants(monitor))
    files = _memory_file_bytes(pids)
    kinds = (*_HELD, "RssFile:") if on_gpu else _HELD
    quick = files + sum(max(0, _resident_bytes(pid, kinds) - baseline) for pid in pids)
    if quick <= limit or (len(pids) < 2 and not on_gpu):
        return quick
    drivers = sum(map(_driver_bytes, pids)) if on_gpu else 0
    return files + drivers + sum(map(_proportional, pids)) - baseline


def _memory_file_bytes(pids: Iterable[int]) -> int:
    """Bytes in files that live in memory alone (`memfd_create`), each counted once.

    Unless they are mapped, no process's resident memory shows them. Where the descriptors of a
    run may not be looked at (tier `uid` without CAP_SYS_PTRACE) the container's own limit counts.
    """
    sizes: dict[tuple[int, int], int] = {}
    for pid in pids:
        folder = f"/proc/{pid}/fd"
        try:
            for fd in os.listdir(folder):  # noqa: PTH208  (names alone; fifty times a second)
                path = f"{folder}/{fd}"
                if os.readlink(path).startswith("/memfd:"):  # noqa: PTH115
                    facts = os.stat(path)  # noqa: PTH116
                    sizes[facts.st_dev, facts.st_ino] = facts.st_blocks * 512
        except OSError:
            continue  # it ended, or may not be looked at
    return sum(sizes.values())


def anonymous_bytes(pid: int) -> int:
    """Resident memory of a process apart from mapped files; 0 when the process is gone."""
    return _resident_bytes(pid, _HELD)


def _resident_bytes(pid: int, kinds: tuple[str, ...]) -> int:
    return sum(_bytes(line) for line in _lines(pid, "status") if line.startswith(kinds))


def _proportional(pid: int) -> int:
    """What a process holds, pages that it shares divided; mapped shared memory is held as well."""
    parts = [
        _bytes(line)
        for line in _lines(pid, "smaps_rollup")
        if line.startswith(("Pss_Anon:", "Pss_Shmem:"))
    ]
    return sum(parts) if parts else anonymous_bytes(pid)


def _driver_bytes(pid: int) -> int:
    """Pages of the machine that are mapped from the GPU driver's device nodes."""
    total, ours = 0, False
    for line in _lines(pid, "smaps"):
        if _MAPPING.match(line):
            ours = "/dev/nvidia" in line
        elif ours and line.startswith("Pss:"):
            total += _bytes(line)
    return total


def _bytes(line: str) -> int:
    return int(line.split()[1]) * _KIB


def descendants(pid: int) -> Iterator[int]:
    """The processes below a process."""
    todo = [pid]
    for _ in range(4096):
        if not todo:
            return
        parent = todo.pop()
        for line in _lines(parent, f"task/{parent}/children"):
            for child in line.split():
                todo.append(int(child))
                yield int(child)


def _lines(pid: int, name: str) -> list[str]:
    try:
        return Path(f"/proc/{pid}/{name}").read_text().splitlines()
    except OSError:
        return []


def oom_kills() -> int:
    """How many processes the kernel's memory killer has ended, in this container or machine."""
    for path, word in (
        ("/sys/fs/cgroup/memory.events", "oom_kill"),
        ("/sys/fs/cgroup/memory/memory.oom_control", "oom_kill"),
        ("/proc/vmstat", "oom_kill"),
    ):
        try:
            for line in Path(path).read_text().splitlines():
                name, _, value = line.partition(" ")
                if name == word:
                    return int(value)
        except OSError:
            continue
    return 0
