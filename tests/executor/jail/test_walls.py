"""Each wall, tested by taking it away: then the self-test, or the next run, must notice.

A wall whose absence nobody notices would be a wall that nobody has tested.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from executor.exceptions import StartError
from executor.protocol import Job, Outcome
from executor.service.selftest import SelfTestError
from executor.service.supervisor import Supervisor, SupervisorSettings
from tests.executor.conftest import SMALL, House, open_house

ROOT = Path(__file__).parents[3]


@pytest.fixture(autouse=True)
def _findable(monkeypatch: pytest.MonkeyPatch) -> None:
    """The warm server finds tests.executor.jail.missing_walls."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))


def without(wall: str, tier: str) -> Supervisor:
    """A supervisor one of whose walls is missing, not started."""
    return Supervisor(
        SupervisorSettings(
            tier=tier,  # type: ignore[arg-type]
            slots=1,
            limits=SMALL,
            torch=False,  # no wall depends on what is imported behind it
            preload=(f"tests.executor.jail.missing_walls.{wall}",),
            readable=(ROOT / "tests",),
        )
    )


def opened(wall: str, tier: str) -> House:
    """The same, started."""
    supervisor = without(wall, tier)
    supervisor.start()
    return House(supervisor)


@pytest.fixture(scope="module")
def whole() -> Iterator[Callable[[str], House]]:
    """A supervisor with all its walls, started once in each tier; a skip where it cannot be."""
    houses: dict[str, House] = {}

    def of(tier: str) -> House:
        if tier not in houses:
            houses[tier] = open_house(tier, slots=1, torch=False)
        return houses[tier]

    yield of
    for house in houses.values():
        house.supervisor.close()


@pytest.mark.parametrize("tier", ["namespaces", "uid", "process"])
def test_without_seccomp_no_work_is_taken(whole: Callable[[str], House], tier: str) -> None:
    whole(tier)
    with pytest.raises(SelfTestError) as refusal:
        without("no_seccomp", tier).start()

    assert "io_uring" in str(refusal.value)
    assert "socket_" in str(refusal.value)


@pytest.mark.parametrize("tier", ["uid", "process"])
def test_without_landlock_no_work_is_taken(whole: Callable[[str], House], tier: str) -> None:
    """In `namespaces` nothing is left that only Landlock stops: there it is the second wall."""
    whole(tier)
    with pytest.raises(SelfTestError) as refusal:
        without("no_landlock", tier).start()

    assert "abstract_socket" in str(refusal.value) or "write_etc" in str(refusal.value)


def test_without_own_user_no_work_is_taken(whole: Callable[[str], House]) -> None:
    whole("uid")
    with pytest.raises(SelfTestError):
        without("no_user", "uid").start()


def test_wall_that_cannot_be_built_stops_everything() -> None:
    """Fail closed: no run, no start, and the reason in words."""
    with pytest.raises(StartError, match="the limits are refused"):
        without("no_limits", "process").start()


def test_without_sweep_a_daemon_stays(whole: Callable[[str], House]) -> None:
    pid = _daemon(whole("process"))
    assert not _alive(pid)

    unswept = opened("no_sweep", "process")
    pid = _daemon(unswept)
    assert _alive(pid)
    os.kill(pid, 9)
    unswept.supervisor.close()


def _daemon(house: House) -> int:
    result = house.run(
        """
        import os, time
        pid = os.fork()
        if pid == 0:
            os.setsid()
            os.close(1), os.close(2)
            time.sleep(600)
        print(pid)
        """
    )
    return int(result.stdout)


def _alive(pid: int) -> bool:
    time.sleep(0.2)
    try:
        return "Z" not in Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return False


def test_without_wipe_folders_stay_soiled() -> None:
    soiled = opened("no_wipe", "process")
    soiled.run("open('left.txt', 'w').close()")

    soiled.wait_until_idle()
    assert soiled.supervisor.selftest  # it passed: the next run's folder is made anew in any case
    assert soiled.run("import os; print(os.listdir())").stdout == "['snippet.py']\n"
    soiled.supervisor.close()


def test_tier_process_is_honest_about_what_it_lacks(whole: Callable[[str], House]) -> None:
    result = whole("process").supervisor.run(Job(code="print(1)"))

    assert result.outcome is Outcome.OK
    assert result.isolation is not None
    assert "own user" in result.isolation.missing
