"""knowledge/repair/checks/runs/masks.py: a mask's rows are the rows of what it masks."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from executor.protocol import Influence, InnerCall, ModuleCall
from knowledge.repair.checks.runs.masks import check
from tests.knowledge.repair.checks.runs.looked import op, tried

TURN = {"kind": "layout", "name": "t", "inputs": ((5, 7),), "output": (7, 5)}
CALL = {"inputs": ((5, 7, 8),), "masks": {"src_key_padding_mask": (7, 5)}}


@pytest.mark.parametrize(
    ("turn", "call", "passes"),
    [
        ({}, {}, False),
        ({"name": "T"}, {}, False),
        ({"name": "transpose"}, {}, False),
        ({"name": "view"}, {}, True),
        ({"line": 3}, {}, True),  # theirs
        ({"inputs": ((5, 7, 1),), "output": (7, 5, 1)}, {}, True),
        ({"inputs": ()}, {}, True),
        ({"output": None}, {}, True),
        ({"inputs": ((7, 5),), "output": (5, 7)}, {}, True),
        ({}, {"masks": {"attn_mask": (7, 5)}}, True),  # it has no rows of a batch
        ({}, {"masks": {"src_key_padding_mask": (5, 7)}}, True),
        ({}, {"inputs": ((7, 5, 8),)}, True),  # turned with its input, or wrong before
        ({}, {"inputs": ((5, 7),)}, True),
    ],
)
def test_a_mask_is_not_turned_away_from_its_input(
    turn: dict[str, Any], call: dict[str, Any], passes: bool
):
    """Sizes may fit by chance; its rows are other samples then."""
    after = Influence(
        operations=(op(**(TURN | turn)),),
        sequences=(InnerCall(**({"module": "T", "line": 2} | CALL | call)),),
    )

    assert check(tried(after)).passed is passes


@pytest.mark.parametrize(
    ("call", "passes"),
    [
        ({}, True),
        ({"time_first": False}, False),
        ({"outputs": (5, 7, 3)}, False),  # one for each step: which is the batch is open
        ({"inputs": (7, 7), "outputs": (7, 3)}, False),
    ],
)
def test_a_model_that_gives_a_row_for_each_of_its_second_dimension(
    call: dict[str, Any], passes: bool
):
    """Its batch comes second, so its mask has to be turned."""
    after = Influence(
        operations=(op(**TURN),), sequences=(InnerCall(**({"module": "T", "line": 2} | CALL)),)
    )
    shapes = {"module": "M", "line": 9, "inputs": (5, 7), "outputs": (7, 3), "time_first": True}
    seen = tried(after)
    run = seen.after.model_copy(update={"calls": (ModuleCall(**(shapes | call)),)})

    assert check(replace(seen, after=run)).passed is passes
