"""Put up the walls around one run, from the inside and in this order; if one fails, nothing runs.

setsid · stdin from /dev/null · pipes · nothing else open · (namespaces: the monitor's work)
· own uid · no capabilities · limits · clean environment · no_new_privs · Landlock · seccomp
· then the job comes · first victim of the memory killer · CPU seconds
"""

from __future__ import annotations

import os
import resource
import signal
import sys
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from executor.exceptions import JailError
from executor.jail import gpu, landlock, seccomp, syscalls
from executor.jail.limits import Limits


class Tier(StrEnum):
    """How strong the jail is, weakest first. Each has all that the ones before it have."""

    PROCESS = "process"  # rlimits, Landlock and seccomp where the kernel has them: own code only
    UID = "uid"  # plus a user of its own: what a container without extra rights can do
    NAMESPACES = "namespaces"  # plus its own file system, processes, network and IPC
    GVISOR = "gvisor"  # a kernel of its own (the container's runtime)


@dataclass(frozen=True)
class Cell:
    """The folders, the user and the limits of one run."""

    tier: Tier
    home: Path  # the run may write in home/work, home/tmp and home/report
    uid: int | None  # None: the user who started the executor
    readable: tuple[Path, ...]  # what Python needs to see
    internet: bool  # INET sockets are allowed: only where no network is reachable
    limits: Limits
    gpu: int | None = None  # the one GPU that it may open
    own_tmp: bool = False  # /tmp is used by runs only

    def to_json(self) -> dict[str, object]:
        """The cell as JSON values."""
        words = asdict(self)
        return words | {"home": str(self.home), "readable": [str(p) for p in self.readable]}

    @classmethod
    def from_json(cls, words: dict[str, Any]) -> Cell:
        """The cell that `to_json` wrote."""
        return cls(
            tier=Tier(words["tier"]),
            home=Path(words["home"]),
            uid=words["uid"],
            readable=tuple(Path(p) for p in words["readable"]),
            internet=words["internet"],
            limits=Limits(**words["limits"]),
            gpu=words["gpu"],
            own_tmp=words["own_tmp"],
        )

    @property
    def work(self) -> Path:
        """The working folder, where the snippet's file and its attachments are."""
        return self.home / "work"

    @property
    def report(self) -> Path:
        """The folder for the probes' report."""
        return self.home / "report"

    @property
    def temp(self) -> Path:
        """The run's folder for temporary files."""
        return self.home / "tmp"

    @property
    def folders(self) -> tuple[Path, Path, Path]:
        """The three folders in which the run may write."""
        return self.work, self.report, self.temp

    @property
    def shared(self) -> tuple[Path, ...]:
        """Folders where runs of other users write too; files are told apart by their owner."""
        if self.tier in {Tier.PROCESS, Tier.NAMESPACES}:
            return ()  # owners cannot be told apart, or each run has folders of its own
        tmp = (Path("/tmp"),) if self.own_tmp and self.uid is not None else ()
        return (Path("/dev/shm"), *tmp)


def enter(cell: Cell, stdout: int, stderr: int, keep_open: tuple[int, ...]) -> tuple[int, int]:
    """Put this process behind every wall of its tier.

    Args:
        cell: the walls wanted.
        stdout, stderr: pipes that become descriptors 1 and 2.
        keep_open: the only other descriptors that survive; the caller closes them.

    Returns:
        abi: Landlock's ABI in force (0 where the kernel has none and the tier allows that).
        victim: an open descriptor for `begin`, which nobody behind these walls can open again.

    Raises:
        JailError: names the wall that could not be built.
    """
    try:
        os.setsid()
        null = os.open("/dev/null", os.O_RDONLY)
        for source, target in ((null, 0), (stdout, 1), (stderr, 2)):
            os.dup2(source, target)
        syscalls.close_all_but(0, 1, 2, *keep_open)
        if cell.uid is not None:
            os.setgroups([])
            os.setresgid(cell.uid, cell.uid, cell.uid)
            os.setresuid(cell.uid, cell.uid, cell.uid)
        syscalls.drop_all_capabilities()
        # A change of user makes /proc/self unreadable to its own process; give that back.
        syscalls.prctl(syscalls.PR_SET_DUMPABLE, 1)
        syscalls.prctl(syscalls.PR_SET_PDEATHSIG, signal.SIGKILL)
        _set_limits(cell)
        _clean_environment(cell)
        os.umask(0o077)
        if cell.tier is not Tier.NAMESPACES:  # there, each is a file system of its own
            for folder in cell.folders:
                folder.mkdir()
        os.chdir(cell.work)
        syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
        victim = os.open("/proc/self/oom_score_adj", os.O_WRONLY | os.O_CLOEXEC)
        abi = _restrict_files(cell)
        seccomp.install(internet=cell.internet, own_ipc=cell.tier is Tier.NAMESPACES)
    except OSError as e:
        raise JailError(f"the jail ({cell.tier}) could not be built: {e}") from e
    return abi, victim


def begin(wall_s: float, imports_s: float, victim: int) -> None:
    """The last two limits, set when the job is there: until then the run waits for it.

    Args:
        wall_s: the job's time limit.
        imports_s: the processor time that its imports may take beside it.
        victim: what `enter` returned; it is closed.

    Raises:
        OSError: the kernel refused.
    """
    # The memory killer is to choose a run before anything else, but not one that only waits.
    os.write(victim, b"1000")
    os.close(victim)
    cpu_s = cpu_seconds(wall_s, imports_s)
    resource.setrlimit(resource.RLIMIT_CPU, (cpu_s, cpu_s + 1))


def cpu_seconds(wall_s: float, imports_s: float) -> int:
    """CPU seconds for each process of a run; reached only if the supervisor's limit fails."""
    return int((wall_s + imports_s) * (os.cpu_count() or 1)) + 5


def _set_limits(cell: Cell) -> None:
    limits = cell.limits
    # No RLIMIT_AS: CUDA and torch's threads reserve address space that they never use.
    for which, value in (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, limits.file_bytes),
        (resource.RLIMIT_NOFILE, limits.open_files),
        (resource.RLIMIT_MSGQUEUE, 0),
    ):
        resource.setrlimit(which, (value, value))
    if cell.gpu is None:  # CUDA pins memory for its transfers
        resource.setrlimit(resource.RLIMIT_MEMLOCK, (1 << 20, 1 << 20))
    if cell.uid is not None or cell.tier is Tier.NAMESPACES:
        # Counted per user: without a user of its own it would count the operator's processes too.
        resource.setrlimit(resource.RLIMIT_NPROC, (limits.processes, limits.processes))
    resource.setrlimit(resource.RLIMIT_SIGPENDING, (128, 128))


def _clean_environment(cell: Cell) -> None:
    temp, work = str(cell.temp), str(cell.work)
    kept = {k: v for k, v in os.environ.items() if k == "PYTHONPATH"}  # a cold run needs it too
    os.environ.clear()
    os.environ.update(
        kept,
        PATH=f"{Path(sys.executable).parent}:/usr/bin:/bin",
        HOME=work,
        USER="snippet",
        LANG="C.UTF-8",
        TMPDIR=temp,
        XDG_CACHE_HOME=temp,
        MPLCONFIGDIR=temp,
        MPLBACKEND="module://executor.inside.figures",
        PYTHONIOENCODING="utf-8:strict",
        PYTHONUNBUFFERED="",
        # No hub can be reached; without this its client would try for minutes.
        HF_HUB_OFFLINE="1",
        OMP_NUM_THREADS="1",
    )
    if cell.gpu is not None:
        os.environ.update(gpu.environment(cell.gpu, temp))


def _restrict_files(cell: Cell) -> int:
    if landlock.abi() < 1:
        if cell.tier in {Tier.UID, Tier.NAMESPACES}:
            raise OSError(38, f"Landlock is missing from this kernel; tier `{cell.tier}` needs it")
        return 0
    system = ("/usr", "/lib", "/lib64", "/bin", "/sbin", "/etc", "/sys/devices/system", "/dev/fd")
    readable = [p for p in system if Path(p).exists()] + [str(p) for p in cell.readable]
    # /proc is for reading: there a run could take itself off the memory killer's list.
    readable.append("/proc")
    writable = [str(cell.work), str(cell.report), "/dev/null", "/dev/zero", "/dev/full"]
    writable += ["/dev/urandom", "/dev/random", str(cell.temp)]
    if cell.gpu is not None:
        writable += [str(node) for node in gpu.nodes(cell.gpu)]
        readable.append("/sys")  # CUDA looks its device up there; without it, error 304
        writable.append("/proc")  # CUDA names its threads there
    if cell.tier is not Tier.PROCESS:
        writable += ["/dev/shm", *map(str, cell.shared)]
    return landlock.restrict(_existing(readable), _existing(writable), tcp=cell.internet)


def _existing(paths: Iterable[str]) -> list[str]:
    return [p for p in paths if Path(p).exists()]
