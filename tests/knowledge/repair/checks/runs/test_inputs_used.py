"""knowledge/repair/checks/runs/inputs_used.py: which parts of an input reach the output."""

from __future__ import annotations

import pytest

from executor.protocol import Influence, ModuleTrial
from knowledge.repair.checks.runs.inputs_used import check
from tests.knowledge.repair.checks.runs.looked import slices, trial, tried

ALL = trial(apart=(0,), slices=(slices(0, 3), slices(1, 3)))
NOTHING = trial(apart=(0,), slices=(slices(0, 0), slices(1, 0)))


@pytest.mark.parametrize(
    ("after", "reference", "passes"),
    [
        ([], [], True),
        ([ALL], [], True),
        ([NOTHING], [], False),  # a constant
        ([ALL, NOTHING], [], False),
        ([trial(slices=NOTHING.slices, module="GraphModule")], [], True),  # traced
        ([NOTHING], [ALL], False),
        ([NOTHING], [NOTHING], True),
        ([trial(slices=(slices(0, 0),), note="too slow")], [], True),
        ([trial()], [], True),  # nothing could be changed
        # Less than before.
        ([trial(slices=(slices(0, 3), slices(1, 2)))], [ALL], False),
        ([trial(slices=(slices(0, 3), slices(1, 2)))], [], True),
        ([trial(slices=(slices(0, 3), slices(1, 1, tried=2)))], [ALL], True),
        ([trial(slices=(slices(0, 3), slices(1, 2, argument="mask")))], [ALL], True),
        ([trial(slices=(slices(0, 3), slices(1, 2)), module="Head")], [ALL], True),
        (
            [trial(slices=(slices(0, 3), slices(1, 2)))],
            [trial(slices=ALL.slices, note="random")],
            True,
        ),
        # Some samples reach nothing.
        ([trial(apart=(0,), slices=(slices(0, 2), slices(1, 3)))], [], False),
        ([trial(mixed=(0,), slices=(slices(0, 1), slices(1, 3)))], [], False),
        ([trial(apart=(1,), slices=(slices(0, 1), slices(1, 3)))], [], True),
        ([trial(apart=(0,), inputs=((4,),), slices=(slices(0, 2),))], [], True),  # numbers
        ([trial(apart=(0,), slices=(slices(0, 0, argument="hint"), slices(1, 3)))], [], True),
    ],
)
def test_what_reached_the_output_still_does(
    after: list[ModuleTrial], reference: list[ModuleTrial], passes: bool
):
    """All of the input, or what of it did before."""
    seen = Influence(trials=tuple(after)), Influence(trials=tuple(reference))

    assert check(tried(*seen)).passed is passes


def test_what_could_not_be_tried_is_said():
    """A check that saw nothing does not say that it saw all."""
    assert "no module" in check(tried(Influence())).detail
    assert "no module" not in check(tried(Influence(trials=(ALL,)))).detail
