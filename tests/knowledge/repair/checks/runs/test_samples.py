"""knowledge/repair/checks/runs/samples.py: what one sample may owe to the others."""

from __future__ import annotations

import pytest

from executor.protocol import Influence, InnerCall, ModuleTrial
from knowledge.repair.checks.runs.samples import check
from tests.knowledge.repair.checks.runs.looked import FIXED, trial, tried

MIXES = trial(mixed=(0,))
# Sequences first: the second dimension is the batch.
SECOND = trial(inputs=((4, 3, 8),), mixed=(0,), apart=(1,))


def lstm(*shape: int, module: str = "LSTM") -> InnerCall:
    return InnerCall(module=module, line=2, inputs=(shape,))


@pytest.mark.parametrize(
    ("after", "reference", "passes"),
    [
        (Influence(), Influence(), True),
        (Influence(trials=(trial(apart=(0,)),)), Influence(), True),
        (Influence(trials=(MIXES,)), Influence(), False),
        (Influence(trials=(trial(note="random"),)), Influence(), True),
        (Influence(trials=(trial(mixed=(0,), note="too slow"),)), Influence(), True),
        (Influence(trials=(trial(apart=(0,)), MIXES)), Influence(), False),
        (Influence(trials=(trial(mixed=(0, 1)),)), Influence(), False),
        (Influence(trials=(trial(mixed=(1,), inputs=((1, 3),)),)), Influence(), True),  # one sample
        (Influence(trials=(trial(mixed=(0,), inputs=((4,),)),)), Influence(), True),
        # What mixed before mixes by design.
        (Influence(trials=(MIXES,)), Influence(trials=(MIXES,)), True),
        (Influence(trials=(MIXES,)), Influence(trials=(trial(module="Head", mixed=(0,)),)), False),
        (Influence(trials=(MIXES,)), Influence(trials=(trial(apart=(0,)),)), False),
        (Influence(trials=(MIXES,)), Influence(trials=(SECOND,)), False),
        # The targets tell which dimension is the batch.
        (Influence(trials=(SECOND,)), Influence(), True),
        (Influence(trials=(SECOND,), target_rows=(3,)), Influence(), True),
        (Influence(trials=(SECOND,), target_rows=(4,)), Influence(), False),
        (
            Influence(
                trials=(trial(inputs=((4, 3, 8),), mixed=(1,), apart=(0,)),), target_rows=(4,)
            ),
            Influence(),
            True,
        ),
        (
            Influence(
                trials=(trial(inputs=((4, 4, 8),), mixed=(0,), apart=(1,)),), target_rows=(4,)
            ),
            Influence(),
            True,
        ),
        # A batch that became one sequence.
        (Influence(sequences=(lstm(4, 8),), target_rows=(4,)), Influence(), False),
        (Influence(sequences=(lstm(4, 8),), target_rows=(8,)), Influence(), True),
        (Influence(sequences=(lstm(4, 8),)), Influence(), True),
        (Influence(sequences=(lstm(4, 1, 8),), target_rows=(4,)), Influence(), True),
        (Influence(sequences=(lstm(1, 8),), target_rows=(1,)), Influence(), True),
        (Influence(sequences=(lstm(),), target_rows=(4,)), Influence(), True),
        (
            Influence(sequences=(lstm(4, 8),), target_rows=(4,)),
            Influence(sequences=(lstm(5, 8),)),
            True,
        ),
        (
            Influence(sequences=(lstm(4, 8),), target_rows=(4,)),
            Influence(sequences=(lstm(5, 8, module="GRU"), lstm(4, 1, 8), lstm())),
            False,
        ),
    ],
)
def test_samples_do_not_change_each_others_results(after, reference, passes):
    """Unless they did before."""
    moves = after.model_copy(update={"computing": (2,)})

    assert check(tried(moves, reference)).passed is passes


@pytest.mark.parametrize(
    ("after", "reference", "fixed", "passes"),
    [
        ((2,), (), FIXED, False),
        ((), (2,), FIXED, False),  # what was left out had moved them to where they belong
        ((3,), (3,), FIXED, True),  # the change computes nothing
        ((), (), FIXED.replace("2", "batch_first=True"), False),
        ((), (), FIXED.replace("2", "dim=1"), False),
        ((), (), FIXED.replace("2", "axis=1"), False),
        ((), (), FIXED.replace("(2)", "(x[0])"), False),
        ((), (), FIXED.replace("2", "dimension=1"), True),
    ],
)
def test_only_a_change_that_moves_values_can_mix_them(after, reference, fixed, passes):
    """Where it only names an argument, what mixes is the code's own."""
    now = Influence(trials=(MIXES,), computing=after)

    assert check(tried(now, Influence(computing=reference), fixed=fixed)).passed is passes


def test_what_could_not_be_tried_is_said():
    """A check that saw nothing does not say that it saw all."""

    def said(*trials: ModuleTrial) -> str:
        return check(tried(Influence(trials=trials, computing=(2,)))).detail

    assert "could not" in said()
    assert "could not" in said(trial(note="random"))
    assert "could not" not in said(trial(apart=(0,)))
