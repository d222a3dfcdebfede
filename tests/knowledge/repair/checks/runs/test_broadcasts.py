"""knowledge/repair/checks/runs/broadcasts.py: a result no larger than all it is computed from."""

from __future__ import annotations

import pytest

from executor.protocol import Influence, Operation
from knowledge.repair.checks.runs.broadcasts import check
from tests.knowledge.repair.checks.runs.looked import op, tried


def outer(name: str = "mul", line: int = 2, **facts: object) -> Operation:
    return op("outer", name, line, **({"inputs": ((3, 1), (4,)), "output": (3, 4)} | facts))


REPEATED = op("expanded_prediction", "mse_loss", 3, inputs=((4, 3), (4, 3)))


@pytest.mark.parametrize(
    ("after", "reference", "passes"),
    [
        ([], [], True),
        ([outer()], [], False),
        ([outer(line=3)], [], True),  # elsewhere, it is theirs
        ([outer()], [outer(line=1)], True),  # theirs too
        ([outer()], [outer("add")], False),
        ([outer()], [outer(inputs=((5, 1), (4,)))], False),
        ([outer()], [REPEATED], False),
        ([REPEATED], [], False),  # wherever it stands
        ([REPEATED], [REPEATED], True),
        ([REPEATED], [op("expanded_prediction", inputs=((4, 1), (4, 1)))], False),
        ([REPEATED], [op("outer", inputs=REPEATED.inputs)], False),
        ([op("layout", "view")], [], True),
    ],
)
def test_nothing_is_repeated_against_another(after, reference, passes):
    """No outer product on a touched line, no prediction repeated to fit its target."""
    seen = Influence(operations=tuple(after)), Influence(operations=tuple(reference))

    assert check(tried(*seen)).passed is passes
