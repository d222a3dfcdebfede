"""executor/service/memory.py: what counts as a run's memory, asked of real processes."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from executor.jail.limits import MIB
from executor.service.memory import used_by

# The parent stands for a run's monitor: what is below it counts. Both children wait for an end.
PARENT = """
import os, sys
if os.fork() == 0:
    {child}
    os.write(1, b"ready\\n")  # in one piece, for two may write at once
    sys.stdin.read()
    os._exit(0)
os.wait()
"""
READ_BY_TWO = "os.fork(); kept[::4096]"  # a page counts as a process's once that has read it
SHARED = "import mmap; kept = mmap.mmap(-1, 200 << 20); kept.write(bytes(200 << 20))"
PRIVATE = "kept = bytearray(200 << 20); kept[::4096] = b'x' * len(kept[::4096])"


@contextmanager
def monitor(child: str) -> Iterator[int]:
    """A process below which another one does this."""
    process = subprocess.Popen(
        [sys.executable, "-c", PARENT.format(child=child)],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True,
    )  # fmt: skip
    assert process.stdout is not None and process.stdin is not None
    try:
        for _ in range(1 + ("fork" in child)):
            assert process.stdout.readline() == "ready\n"
        yield process.pid
    finally:
        process.stdin.close()
        process.wait(20)
        process.stdout.close()


@pytest.mark.parametrize("kept", [SHARED, PRIVATE])
@pytest.mark.parametrize("limit", [0, 1 << 40])
def test_what_is_written_to_counts_whoever_may_share_it(kept: str, limit: int) -> None:
    """The quick sum and the exact one agree on it."""
    with monitor(kept) as pid:
        assert 200 * MIB <= used_by(pid, 0, limit) < 260 * MIB


def test_pages_that_two_processes_share_count_once() -> None:
    with monitor(f"{SHARED}; {READ_BY_TWO}") as pid:
        assert used_by(pid, 0, 1 << 40) >= 400 * MIB  # the quick sum
        assert 200 * MIB <= used_by(pid, 0, 0) < 300 * MIB


def test_on_a_gpu_mapped_libraries_do_not_count() -> None:
    """Only what the driver maps does; that a GPU's memory counts is tried on one."""
    with monitor("import numpy") as pid:
        plain = used_by(pid, 0, 0)

        assert abs(used_by(pid, 0, 0, on_gpu=True) - plain) < 4 * MIB


def test_who_is_gone_holds_nothing() -> None:
    process = subprocess.Popen([sys.executable, "-c", ""])
    process.wait(20)

    assert used_by(process.pid, 0, 0) == 0
    assert used_by(os.getpid(), 1 << 40, 1 << 50) == 0  # never less than nothing
