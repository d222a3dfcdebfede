"""knowledge/repair/computed.py: what a run says of a parameter that an optimizer should move."""

from __future__ import annotations

import pytest

from executor.protocol import JobResult, Outcome
from knowledge.repair.computed import moves


@pytest.mark.parametrize(
    ("name", "moved", "passed"),
    [
        ("scale", ("net.scale",), True),
        ("scale", ("scale",), True),
        ("scales[0]", ("net.scales.0",), True),
        ("scale", ("net.scales.0",), False),
        ("scale", (), False),
    ],
)
def test_a_parameter_moves_by_the_name_of_its_attribute(
    name: str, moved: tuple[str, ...], passed: bool
) -> None:
    assert moves(JobResult(outcome=Outcome.OK, moved=moved), name).passed is passed
