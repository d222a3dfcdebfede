"""knowledge/repair/changed.py: which lines of a rewrite are new."""

from __future__ import annotations

import pytest

from executor.protocol import Frame
from knowledge.repair.changed import lines_of
from tests.built import failed, ran


@pytest.mark.parametrize(
    ("original", "fixed", "changed", "same"),
    [
        ("a\nb\nc", "a\nb\nc", set(), {1: 1, 2: 2, 3: 3}),
        ("a\nb\nc", "a\nB\nc", {2}, {1: 1, 3: 3}),
        ("a\nb\nc", "a\nnew\nb\nc", {2}, {1: 1, 3: 2, 4: 3}),
        ("a\nb\nc", "a\nc", set(), {1: 1, 2: 3}),
        # A statement of several lines, of which one is new.
        ("f(\n  1,\n  2,\n)\nc", "f(\n  1,\n  3,\n)\nc", {1, 3}, {2: 2, 4: 4, 5: 5}),
        ("f([\n  1,\n])\nc", "f([\n  2,\n])\nc", {1, 2}, {3: 3, 4: 4}),
        ("f({\n  1,\n})\nc", "f({\n  2,\n})\nc", {1, 2}, {3: 3, 4: 4}),
        ("f()  # (\n1\nc", "f()  # (\n2\nc", {2}, {1: 1, 3: 3}),  # a comment opens nothing
        ("f(\nb\nc", "f(\nB\nc", {2}, {1: 1, 3: 3}),  # what is never closed is no statement
        ("x)\nb", "x)\nB", {2}, {1: 1}),
    ],
)
def test_lines_that_are_new(original, fixed, changed, same):
    """The others stand for the lines of the original that they were."""
    lines = lines_of(original, fixed)

    assert (set(lines.changed), lines.same) == (changed, same)


@pytest.mark.parametrize(
    ("run", "touched"),
    [
        (ran(), {1}),
        (failed("oh", line=3), {1, 3}),
        (failed("oh", line=1), {1}),
        (failed("oh", line=9), {1}),
        (failed("oh", line=2, frames=(Frame(function="f", line=1), Frame(function="g", line=3))),
         {1, 2, 3}),
        (failed("oh", line=None, frames=(Frame(function="f", line=2),)), {1, 2}),
    ],
)  # fmt: skip
def test_the_lines_of_the_error_are_touched_too(run, touched):
    """What was changed flows into them."""
    assert set(lines_of("a\nb\nc", "A\nb\nc").touched(run)) == touched
