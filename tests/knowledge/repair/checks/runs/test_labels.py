"""knowledge/repair/checks/runs/labels.py: what is compared with labels."""

from __future__ import annotations

import pytest

from executor.protocol import Influence, Operation
from knowledge.repair.checks.runs.labels import check
from tests.knowledge.repair.checks.runs.looked import op, tried


def compared(line: int = 2, inputs: tuple[tuple[int, ...], ...] = ((4, 3), (4, 1))) -> Operation:
    return op("labels_compared", "__eq__", line, inputs=inputs)


@pytest.mark.parametrize(
    ("after", "reference", "passes"),
    [
        ([], [], True),
        ([compared()], [], False),
        ([compared(line=3)], [], True),  # not on a line that was touched
        ([compared()], [compared(line=1)], True),  # they did so before
        ([compared()], [compared(inputs=((4,), (4,)))], False),
        ([compared()], [op("outer", "__eq__", inputs=((4, 3), (4, 1)))], False),
        ([op("outer", "__eq__", line=1)], [], True),
    ],
)
def test_scores_are_not_compared_with_labels(after, reference, passes):
    """0.37 is never equal to a class."""
    seen = Influence(operations=tuple(after)), Influence(operations=tuple(reference))

    assert check(tried(*seen)).passed is passes
