"""knowledge/repair/record.py: what readers called right decides what an operator may say."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from knowledge.repair import record
from knowledge.repair.operator import load_operators
from knowledge.repair.record import grade


@pytest.mark.parametrize(
    ("right", "wrong", "what"),
    [
        (0, 0, "alternative"),  # nobody has read any
        (2, 0, "alternative"),  # too few
        (3, 0, "verified"),
        (19, 1, "verified"),
        (18, 1, "alternative"),  # 94.7 %
        (3, 2, "alternative"),  # 60 %
        (4, 3, "nothing"),
        (0, 1, "nothing"),
    ],
)
def test_right_and_wrong_offers_decide_what_an_operator_may_say(right: int, wrong: int, what: str):
    """One row on each side of every border."""
    assert grade(right, wrong) == what


def test_the_record_is_of_operators_that_there_are():
    """A renamed operator starts anew."""
    kept = json.loads(Path(record.__file__).with_name("record.json").read_text("utf-8"))

    assert kept.keys() <= {operator.slug for operator in load_operators()}
