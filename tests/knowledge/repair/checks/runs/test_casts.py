"""knowledge/repair/checks/runs/casts.py: a cast keeps the values."""

from __future__ import annotations

import pytest

from executor.protocol import Influence, Operation
from knowledge.repair.checks.runs.casts import check
from tests.knowledge.repair.checks.runs.looked import ORIGINAL, op, tried


def lossy(name: str = "long", line: int = 2, inputs: tuple[tuple[int, ...], ...] = ((4,),)):
    return op("lossy_cast", name, line, inputs=inputs)


@pytest.mark.parametrize(
    ("after", "reference", "passes"),
    [
        ([], [], True),
        ([lossy()], [], False),
        ([lossy(line=1)], [], True),  # not on a line that was changed
        ([lossy()], [lossy(line=3)], True),  # the original cast it so
        ([lossy()], [lossy("int")], False),
        ([lossy()], [lossy(inputs=((5,),))], False),
        ([lossy()], [op("layout", "long", inputs=((4,),))], False),
        ([op("outer", "mul")], [], True),
    ],
)
def test_no_cast_changes_values(after: list[Operation], reference: list[Operation], passes: bool):
    """1.7 may not become 1."""
    seen = Influence(operations=tuple(after)), Influence(operations=tuple(reference))

    assert check(tried(*seen)).passed is passes


def test_a_cast_on_the_failing_line_is_theirs_if_another_was_changed():
    """It stood there before."""
    fixed = ORIGINAL.replace("first()", "first(1)")

    assert check(tried(Influence(operations=(lossy(),)), fixed=fixed)).passed
