"""executor/service/clock.py: computing, waiting and the clock are counted each by itself."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
import threading
from collections.abc import Callable

import pytest

from executor.jail.import_time import ImportTime, not_counted_s, shared_page
from executor.protocol import Job, JobResult, Limit, Outcome
from executor.service.clock import Look, RunClock
from tests.executor.conftest import House

# A way of a run through 100 s of the clock (its processor time so far, and whether it would go on);
# the limit that ends it, and when.
PATHS: dict[str, tuple[Callable[[float], Look | None], tuple[str, float], float]] = {
    "alone on a core": (lambda t: Look(t, True), ("cpu_s", 10), 10),
    "three threads": (lambda t: Look(3 * t, True), ("cpu_s", 10), 10),
    "a fifth of a core": (lambda t: Look(t / 5, True), ("cpu_s", 10), 50),
    "asleep": (lambda t: Look(0.01, False), ("waiting_s", 10), 10),
    "mostly asleep": (lambda t: Look(t / 4, False), ("waiting_s", 10), 13),
    "no core at all": (lambda t: Look(0.01, True), ("ceiling_s", 70), 70),
    "not to be seen": (lambda t: None, ("cpu_s", 10), 10),
}


@pytest.mark.parametrize("name", list(PATHS))
def test_each_way_of_spending_time_has_its_limit(name: str) -> None:
    seen, expected, when = PATHS[name]
    now = 0.0
    page = shared_page()
    clock = RunClock(Job(code="", wall_s=10), 0.0, page, 20, lambda _: seen(now))
    limit: Limit | None = None
    while limit is None and now < 100:
        now += 0.25
        limit = clock.exceeded(now, 1)
    os.close(page)

    assert limit is not None and (limit.name, limit.value) == expected
    assert when - 1 <= now <= when + 2


def test_on_a_gpu_the_clock_counts() -> None:
    """What a GPU computes is not seen from outside."""
    page = shared_page()
    job = Job(code="", device="cuda", wall_s=2)
    clock = RunClock(job, 0.0, page, 20, lambda _: Look(0, False))
    early, late = clock.exceeded(1.9, 1), clock.exceeded(2.0, 1)
    os.close(page)

    assert (early, late) == (None, Limit(name="wall_s", value=2))


@pytest.mark.parametrize(
    ("spent", "since", "used_s", "believed"),
    [
        (3.0, -1.0, 8.0, 3.0),  # imports of 3 s, over
        (3.0, 5.0, 8.0, 6.0),  # and one more that began at 5 s
        (90.0, -1.0, 95.0, 20.0),  # more than is believed
        (0.0, 0.0, 95.0, 20.0),  # one that never ends
        (-5.0, -1.0, 8.0, 0.0),
        (float("nan"), -1.0, 8.0, 0.0),
        (float("inf"), -1.0, 8.0, 0.0),
        (0.0, 99.0, 8.0, 0.0),  # one that begins later
    ],
)
def test_what_a_run_says_of_its_imports_is_bounded(
    spent: float, since: float, used_s: float, believed: float
) -> None:
    """A snippet can write what it likes there, and make the page shorter."""
    page = shared_page()
    os.pwrite(page, struct.pack("dd", spent, since), 0)
    told = not_counted_s(page, used_s, 20)
    os.ftruncate(page, 0)
    without = not_counted_s(page, used_s, 20)
    os.close(page)

    assert (told, without) == (believed, 0)


def test_the_time_within_the_marks_is_told() -> None:
    """What came before the snippet, and each `with`; not what came after."""
    page = shared_page()
    import_time = ImportTime(os.dup(page))
    import_time.snippet_begins()
    before = not_counted_s(page, 0, 1e9)
    with import_time:
        sum(range(300_000))
        within = not_counted_s(page, 1e9, 1e9)
    after = not_counted_s(page, 1e9, 1e9)
    sum(range(300_000))
    later = not_counted_s(page, 1e9, 1e9)
    os.close(page)

    assert 0 < before < after == later < within


def burn(seconds: float) -> str:
    """Code that computes for so long."""
    return f"t = time.process_time()\nwhile time.process_time() - t < {seconds}: pass\n"


def test_time_on_a_busy_machine_is_not_the_snippets(any_house: House) -> None:
    """Six programs that need a second of a core each share the cores, and all end well."""
    results: list[JobResult] = []
    three = "import os, time\nfor _ in range(2):\n    if os.fork() == 0:\n        break\n"
    code = three + burn(1) + "\ntry:\n    while True: os.wait()\nexcept ChildProcessError: pass\n"
    threads = [
        threading.Thread(target=lambda: results.append(any_house.run(code, wall_s=3.5)))
        for _ in range(2)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert [r.outcome for r in results] == [Outcome.OK] * 2, results


@pytest.mark.parametrize("cold", [False, True])
def test_imports_of_libraries_are_not_counted(any_house: House, cold: bool) -> None:
    """A library that takes 1.5 s to import leaves the whole second to the snippet."""
    library = "import time\n" + burn(1.5)
    code = (
        f"import pathlib\npathlib.Path('library.py').write_text({library!r})\nimport time\n"
        f"try:\n    import library\nexcept ImportError:\n    pass\n{burn(0.3)}"
    )
    result = any_house.run(code, wall_s=1, cold=cold)

    assert result.outcome is Outcome.OK, result


def test_an_import_that_never_ends_is_ended(any_house: House) -> None:
    """A bounded part of it is not counted."""
    code = (
        "import pathlib\npathlib.Path('endless.py').write_text('while True: pass')\n"
        "import endless\n"
    )
    limits = any_house.supervisor.settings.limits
    result = any_house.run(code, wall_s=1)

    assert result.outcome is Outcome.TIMEOUT and result.limit is not None
    assert result.limit.name in {"cpu_s", "ceiling_s"}
    assert result.cpu_seconds < limits.imports_s + 5


@pytest.mark.parametrize(
    "code",
    [
        "import no_such_library",
        "from colorsys import no_such_name",
        "try:\n    import no_such_library\nexcept ImportError:\n    import neither_this_one",
        "from __future__ import annotations\nimport colorsys\ncolorsys.nothing",
    ],
)
def test_marks_do_not_show_in_a_traceback(any_house: House, code: str) -> None:
    """Lines and messages are as Python itself prints them."""
    result = any_house.run(code)
    python = [sys.executable, "-c", code]
    own = subprocess.run(python, capture_output=True, text=True, check=False).stderr

    def short(text: str) -> list[str]:
        frames = [x.split(", ", 1)[1] for x in text.splitlines() if x.startswith("  File")]
        return [*frames, text.splitlines()[-1].partition(" (")[0]]

    assert short(result.stderr) == short(own)
