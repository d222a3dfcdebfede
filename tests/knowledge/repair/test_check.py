"""knowledge/repair/check.py: how a fix's checks are counted."""

from __future__ import annotations

from itertools import chain

import pytest

from executor.protocol import Influence
from knowledge.repair.check import Check, tally
from knowledge.repair.checks.code import Change, checks_of_code
from knowledge.repair.checks.runs import checks_of_runs
from tests.built import failed, ran
from tests.knowledge.repair.checks.runs.looked import op, tried

HOLDS = Check(name="n", passed=True)
FAILS = Check(name="n", passed=False)
UNTRIED = Check(name="n", passed=True, tried=False)
UNSURE = Check(name="n", passed=False, tried=False)


@pytest.mark.parametrize(
    ("checks", "said"),
    [
        ((HOLDS, HOLDS), "2 checks"),
        ((HOLDS,), "1 check"),
        ((HOLDS, FAILS), "1 of 2 checks"),
        ((HOLDS, HOLDS, FAILS), "2 of 3 checks"),
        ((HOLDS, HOLDS, UNTRIED), "2 checks, 1 could not be tried here"),
        ((HOLDS, FAILS, UNTRIED, UNTRIED), "1 of 2 checks, 2 could not be tried here"),
        ((HOLDS, HOLDS, UNSURE), "2 checks, 1 could not be tried here"),
        ((), "0 checks"),
    ],
)
def test_what_could_not_be_tried_is_not_counted_as_passed(checks: tuple[Check, ...], said: str):
    """It is counted apart."""
    assert tally(checks) == said


def test_every_check_has_a_name_of_its_own():
    """Whoever reads what refused a fix can look it up in docs/fixes.md."""
    code = "x = 1\n"
    names = [
        c.name
        for c in chain(
            checks_of_code(Change(code, code, failed("it failed"))),
            checks_of_runs(tried(Influence(), Influence())),
        )
    ]

    assert len(names) == len(set(names))


def test_checks_of_lines_are_not_tried_where_no_line_could_be_looked_at():
    """The others are."""
    unseen = {c.name for c in checks_of_runs(tried(None, Influence())) if not c.tried}
    seen = {c.name for c in checks_of_runs(tried(Influence(), Influence())) if not c.tried}

    assert {"neighbours", "broadcasts", "training calls", "samples"} <= unseen
    assert not {"metrics", "stated values", "fresh warnings", "eval mode"} & unseen
    assert "neighbours" not in seen


def test_what_speaks_against_a_fix_has_been_tried():
    """Even where the candidate's lines could not be looked at."""
    lost = tried(None, Influence(backwards=1))
    (calls,) = (c for c in checks_of_runs(lost) if c.name == "training calls")
    assert calls.passed and not calls.tried

    outer = Influence(operations=(op("outer", "mul", inputs=((3,), (4, 1)), output=(4, 3)),))
    (found,) = (c for c in checks_of_runs(tried(outer, Influence())) if c.name == "broadcasts")
    assert not found.passed and found.tried


@pytest.mark.parametrize(
    ("code", "now", "passed"),
    [
        ("while n < 9:\n    step()\n", (90, 90, 90), True),  # an episode is as long as it goes
        ("for x in a:\n    if done:\n        break\n", (90, 90, 90), True),
        ("while n < 9:\n    step()\n", (90, 100, 100), False),  # a round lacks its backward()
        ("while n < 9:\n    step()\n", (40, 40, 40), False),
        ("for x in a:\n    step()\n", (90, 90, 90), False),
    ],
)
def test_a_loop_may_be_shorter_where_what_was_trained_ends_it(
    code: str, now: tuple[int, int, int], passed: bool
) -> None:
    """Each of its rounds has all its calls; a loop over data goes through all of them."""
    names = ("backwards", "steps", "zero_grads")
    was = Influence(**dict.fromkeys(names, 100))
    after = Influence(**dict(zip(names, now, strict=True)))
    runs = tried(after, was, original=code, fixed=code, before=ran())
    (calls,) = (c for c in checks_of_runs(runs) if c.name == "training calls")

    assert calls.passed is passed
