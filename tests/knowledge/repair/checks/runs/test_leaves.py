"""knowledge/repair/checks/runs/leaves.py: where gradients are asked for."""

from __future__ import annotations

import pytest

from executor.protocol import Influence
from knowledge.repair.checks.runs.leaves import check
from tests.knowledge.repair.checks.runs.looked import op, tried


@pytest.mark.parametrize(
    ("after", "reference", "passes"),
    [
        (Influence(), Influence(), True),
        (Influence(operations=(op("target_gradient"),)), Influence(), False),
        (Influence(operations=(op("result_gradient"),)), Influence(), False),
        (Influence(operations=(op("target_gradient", line=3),)), Influence(), True),  # theirs
        (Influence(operations=(op("outer"),)), Influence(), True),
        (Influence(leaf_losses=(3,)), Influence(), False),
        (Influence(leaf_losses=(2,)), Influence(), False),
        (Influence(leaf_losses=(3,)), Influence(leaf_losses=(3,)), True),
        (Influence(leaf_losses=(3,)), Influence(leaf_losses=(1,)), False),
    ],
)
def test_gradients_are_asked_of_what_is_trained(after, reference, passes):
    """Not of a target, not of a result, and not of a loss that nothing went into."""
    assert check(tried(after, reference)).passed is passes
