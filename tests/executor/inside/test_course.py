"""executor/inside/probes/training/course.py: which losses run away."""

from __future__ import annotations

import math

import pytest

from executor.inside.probes.training.course import Course


def course(*values: float) -> Course:
    """The course of these losses."""
    made = Course()
    for value in values:
        made.add(value)
    return made


@pytest.mark.parametrize(
    ("values", "runs_away", "ran_away"),
    [
        ((1.0, 50.0, 2000.0), True, False),
        ((1.0, 50.0, 900.0), False, False),  # not a thousand times as large
        ((1.0, 2000.0), False, False),  # two are no course
        ((1.0, 2000.0, 1500.0, 3000.0), False, False),  # it fell once
        ((1.0, 2000.0, 2000.0), False, False),  # or stood
        ((0.0, 50.0, 2000.0), False, False),  # no multiple of nothing
        ((-1.0, 50.0, 2000.0), False, False),  # nor of less
        ((1.0, 50.0, 2e6), True, True),
        ((1e-4, 1.0, 900.0), True, False),  # large only beside what it was
        ((1.0, 50.0, 2000.0, math.inf), True, False),  # what is no number is told elsewhere
        (tuple(float(n) for n in range(1, 3000)), False, False),  # a sum over the rounds
        ((), False, False),
    ],
)
def test_a_loss_runs_away_where_each_is_larger_than_the_one_before(
    values: tuple[float, ...], runs_away: bool, ran_away: bool
):
    """A loss that is noisy, or raised a little on purpose, does not."""
    seen = course(*values)

    assert seen.runs_away is runs_away
    assert seen.ran_away is ran_away


def test_the_report_has_the_first_and_the_last_that_were_numbers():
    """Infinity and NaN are no losses to compare with."""
    seen = course(4.0, 3.0, math.nan).seen(7)

    assert seen is not None
    assert (seen.line, seen.rounds, seen.first, seen.last) == (7, 2, 4.0, 3.0)
    assert course(math.nan).seen(7) is None
