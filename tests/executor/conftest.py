"""What the executor's tests share: one supervisor per tier, and what must hold after every run."""

from __future__ import annotations

import os
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from executor.exceptions import StartError
from executor.inside.libraries import after_import
from executor.jail.limits import MIB, Limits
from executor.jail.monitor import processes_of
from executor.protocol import File, Job, JobResult, Outcome
from executor.service.selftest import SelfTestError
from executor.service.supervisor import Supervisor, SupervisorSettings

# As the warm server does: a first import of torchvision that fails leaves one that cannot be mended
# behind, and which test imports it first (transformers does) depends on their order.
after_import.install()

SMALL = Limits(
    memory_bytes=600 * MIB,
    processes=100,
    file_bytes=16 * MIB,
    temp_bytes=32 * MIB,
    temp_files=2000,
    output_bytes=1 * MIB,
)

# Put before an attack: how a call ended, as one word a line.
TRY = """
import ctypes, errno, os, sys
libc = ctypes.CDLL(None, use_errno=True)
def tell(name, call, *args):
    try:
        got = call(*args)
    except OSError as e:
        print(name, errno.errorcode.get(e.errno, type(e).__name__))
    else:
        print(name, "GOT", got)
def syscall(x86_64, aarch64, *args):
    number = x86_64 if os.uname().machine == "x86_64" else aarch64
    if libc.syscall(ctypes.c_long(number), *map(ctypes.c_long, args)) < 0:
        raise OSError(ctypes.get_errno(), "")
    return "through"
"""


class House:
    """A started supervisor, with short words for tests."""

    def __init__(self, supervisor: Supervisor) -> None:
        self.supervisor = supervisor
        assert supervisor.ready is not None
        self.tier = supervisor.ready.tier

    def run(self, code: str, *, wall_s: float = 10, **more: Any) -> JobResult:
        """Run a snippet."""
        return self.supervisor.run(Job(code=textwrap.dedent(code), wall_s=wall_s, **more))

    def refusals(self, code: str, **more: Any) -> dict[str, str]:
        """Run an attack written with `tell`; name → errno, or "GOT …" where it got through."""
        result = self.run(TRY + textwrap.dedent(code), **more)
        assert result.outcome is Outcome.OK, result
        return dict(line.split(" ", 1) for line in result.stdout.splitlines())

    def assert_clean(self) -> None:
        """The server lives, nothing of the last run is left, and the next run works."""
        self.wait_until_idle()
        assert self.supervisor.alive()
        assert self.supervisor.unhealthy_slots == {}
        assert self.left() == []
        users = self.supervisor._own_users or ()
        for shared in ("/dev/shm", "/tmp"):
            assert [e.name for e in os.scandir(shared) if _owner(e) in users] == []
        assert "torchmedic" not in Path("/proc/self/mounts").read_text()
        assert self.scratch() == []
        trivial = self.run("import os; print(sorted(os.listdir()), os.listdir('/dev/shm'))")
        assert (trivial.outcome, trivial.stdout) == (Outcome.OK, "['snippet.py'] []\n"), trivial

    def left(self) -> list[str]:
        """Processes of the runs' users, beside the one that waits in each slot."""
        users = self.supervisor._own_users
        if users is None or self.tier == "process":
            return []
        until = time.monotonic() + 20  # one that ends takes its time on a busy machine
        while left := self._of_users(users):
            if time.monotonic() >= until:
                break
            time.sleep(0.05)
        return [f"{pid}: {_told(pid)}" for pid in left]

    @staticmethod
    def _of_users(users: range) -> list[int]:
        """Beside the first of each slot; all of the last user, who has no slot."""
        beside = [pid for uid in users[:-1] for pid in processes_of(uid)[1:]]
        return beside + processes_of(users[-1])

    def scratch(self) -> list[Path]:
        """Files in the executor's own folder, beside its lock."""
        files = [p for p in self.supervisor._scratch.path.rglob("*") if not p.is_dir()]
        return [p for p in files if p.name != "lock"]

    def wait_until_idle(self) -> None:
        """Until every slot has its next run ready."""
        until = time.monotonic() + 60  # a busy machine takes its time
        supervisor = self.supervisor
        lost = dict(supervisor.unhealthy_slots)
        while supervisor.idle < supervisor.settings.slots - len(lost) or supervisor._renewing:
            assert supervisor.unhealthy_slots == lost, "a slot was lost"
            assert time.monotonic() < until, "a slot never became free again"
            time.sleep(0.01)


def _told(pid: int) -> str:
    """A process in the kernel's words, for whom a test that failed is to be explained."""
    try:
        return " ".join((Path("/proc") / str(pid) / "stat").read_text().split()[:5])
    except (FileNotFoundError, ProcessLookupError):
        return "gone by now"


def _owner(entry: os.DirEntry[str]) -> int | None:
    """Whose an entry is; None where it was gone by then, since others use these folders too."""
    try:
        return entry.stat(follow_symlinks=False).st_uid
    except FileNotFoundError:
        return None


def open_house(tier: str, **settings: Any) -> House:
    """A supervisor in a tier, or a skip that says why there is none here."""
    ours = {
        "limits": SMALL,
        "slots": 2,
        "own_tmp": bool(os.environ.get("TORCHMEDIC_CONTAINER")),
        "runs_per_server": 10_000,  # a fresh server takes seconds of a core
    }
    supervisor = Supervisor(SupervisorSettings(tier=tier, **(ours | settings)))  # type: ignore[arg-type]
    try:
        supervisor.start()
    except SelfTestError:
        raise
    except StartError as e:
        pytest.skip(f"NOT TESTED HERE: tier {tier}: {e}")
    return House(supervisor)


@pytest.fixture(scope="session")
def any_house() -> Iterator[House]:
    """The strongest tier here, for what does not depend on it."""
    house = open_house("auto")
    yield house
    house.supervisor.close()


@pytest.fixture(scope="session", params=["namespaces", "uid"])
def house(request: pytest.FixtureRequest, any_house: House) -> Iterator[House]:
    """Each strong tier that works on this machine."""
    if request.param == any_house.tier:
        yield any_house
        return
    house = open_house(request.param)
    yield house
    house.supervisor.close()


def attachment(name: str, data: bytes = b"x") -> File:
    """A file to go along."""
    import base64

    return File(name=name, base64=base64.b64encode(data).decode())
