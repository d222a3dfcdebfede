"""knowledge/repair/checks/runs/neighbours.py: what a reshape may do to the dimensions."""

from __future__ import annotations

import pytest

from executor.protocol import Influence, Operation
from knowledge.repair.checks.runs.neighbours import check, cuts_across
from tests.knowledge.repair.checks.runs.looked import BEFORE, FIXED, ORIGINAL, op, tried


@pytest.mark.parametrize(
    ("before", "after", "cuts"),
    [
        ((2, 3, 4), (2, 12), False),  # neighbours merged
        ((2, 3, 4), (6, 4), False),
        ((2, 12), (2, 3, 4), False),  # one split
        ((2, 12), (2, 3, 2, 2), False),
        ((2, 3, 4), (24,), False),
        ((24,), (2, 3, 4), False),
        ((2, 3, 1, 4), (2, 1, 12), False),  # a dimension of size 1 is no dimension
        ((2, 1), (2,), False),
        ((1,), (), False),
        ((), (1, 1), False),
        ((2, 3, 4), (2, 4, 3), True),  # what permute() is for
        ((3, 4), (4, 3), True),
        ((4, 6), (3, 8), True),
        ((4, 6), (8, 3), True),
        ((2, 6, 5), (3, 4, 5), True),  # only the first two
        ((5, 2, 6), (5, 3, 4), True),  # only the last two
        ((2, 6, 4, 9), (2, 6, 36), False),
        ((4, 9, 2), (6, 6, 2), True),
        ((8, 3), (2, 2, 6), True),
        ((2, 2, 6), (8, 3), True),
    ],
)
def test_a_reshape_cuts_across_dimensions(before, after, cuts):
    """It does not where each dimension is split, or merged with its neighbours, or left alone."""
    assert cuts_across(before, after) is cuts


CUT = {"inputs": ((2, 3, 4),), "output": (2, 4, 3), "sizes": (2, 4, 3)}


def layout(name: str = "view", line: int = 2, **facts: object) -> Operation:
    return op("layout", name, line, **(CUT | facts))


@pytest.mark.parametrize(
    ("after", "reference", "passes"),
    [
        ([], [], True),
        ([layout()], [], False),
        ([layout("reshape")], [], False),
        ([layout("flatten")], [], False),
        ([layout("permute")], [], True),  # that is what turns dimensions
        ([layout(output=(2, 12))], [], True),
        ([layout(output=None)], [], True),  # it raised, and was caught
        ([layout(line=3)], [], True),  # not on a line that was touched
        ([layout("unsqueeze", output=(2, 3, 4)), layout()], [], False),  # every one is looked at
        ([layout("reshape")], [layout("view", output=None)], True),  # as the original asked for it
        ([layout()], [layout(sizes=(2, -1, 3))], True),  # the same, in other words
        ([layout()], [layout(sizes=(2, 12), output=None)], False),
        ([layout()], [layout(inputs=((2, 12),))], False),
        ([layout()], [layout("permute")], False),
    ],
)
def test_no_fix_cuts_across_dimensions(after, reference, passes):
    """A reshape on a touched line splits dimensions or merges neighbours."""
    seen = Influence(operations=tuple(after)), Influence(operations=tuple(reference))

    assert check(tried(*seen)).passed is passes


def test_the_failing_line_is_touched_where_another_was_changed():
    """What flows into it is new, though it stands as it stood."""
    cut = Influence(operations=(layout(line=2),))
    fixed = ORIGINAL.replace("first()", "first(1)")

    assert not check(tried(cut, fixed=fixed)).passed
    assert check(tried(cut, fixed=fixed, before=BEFORE.model_copy(update={"error": None}))).passed
    assert check(tried(Influence(operations=(layout(line=1),)), fixed=FIXED)).passed


@pytest.mark.parametrize(
    ("original", "fixed", "passes"),
    [
        ("f(x).view(b, len(x))", "g(x).view(b, len(x))", True),
        ("f(x).view(b, c)", "g(x).view(b, d)", False),
        ("f(x).view(b, c)", "g(x).view(b, c).view(c, b)", False),
        ("f(x)", "g(x).view(b, c)", False),
        ("f(x).view(b, c)", "g(x).view_as(y)", False),
        ("f(x)", "g(x).view(\n b, c)", False),
    ],
)
def test_a_call_that_stood_there_is_theirs(original, fixed, passes):
    """The error came before it, on the same line."""
    seen = Influence(operations=(layout(),))

    assert check(tried(seen, original=f"a\n{original}\n", fixed=f"a\n{fixed}\n")).passed is passes
