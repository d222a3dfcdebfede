"""What was printed, and whether its values stand to each other as a document says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from knowledge.audit.labelled import printed
from knowledge.audit.relations import Relation, holds, relation_in


def test_every_printed_value_keeps_its_label():
    """Several in a line, one over several lines, and one below its label."""
    out = "Epoch: 3, Loss: 0.25\nRows:\ntensor([[1., 2.],\n        [3., 4.]])\nplain 7\n"

    assert [(p.label, p.numbers) for p in printed(out)] == [
        ("epoch", (3.0,)),
        ("loss", (0.25,)),
        ("rows", (1.0, 2.0, 3.0, 4.0)),
        ("", (7.0,)),
    ]
    assert printed(out)[2].rows == ((1.0, 2.0), (3.0, 4.0))


@given(st.text(alphabet="[](){}:=,;|.-+e0123456789 naif\n\tLloss", max_size=300))
def test_whatever_is_printed_can_be_read(out: str):
    """Brackets that never close, labels without values, numbers that are none."""
    for relation in Relation:
        holds(relation, "the loss is close to 1", out)
    assert all(isinstance(p.label, str) for p in printed(out))


def test_a_long_line_takes_no_longer_than_it_is():
    """A megabyte of brackets and one of fields are read at once."""
    assert printed("[" * 500_000 + "1")
    assert len(printed("a: 1, " * 100_000)) == 100_000


@pytest.mark.parametrize(
    ("sentence", "relation"),
    [
        ("The loss decreases with every epoch.", Relation.FALLS),
        ("We see rapidly growing gradients here.", Relation.GROWS),
        ("Both calls return the same values.", Relation.SAME),
        ("Both calls do not return the same values.", Relation.DIFFERENT),
        ("The two do not differ.", Relation.SAME),
        ("The buffer stays unchanged.", Relation.UNCHANGED),
        ("Writing into the slice does not affect the rows.", Relation.UNCHANGED),
        ("The two seeds give different weights.", Relation.DIFFERENT),
        ("Writing into the slice changes the original rows.", Relation.CHANGED),
        ("The slope is very close to the exact one.", Relation.CLOSE),
        ("The slope is not close to the exact one.", None),
        ("Each row is summing to 1.", Relation.SUMS_TO_ONE),
        ("All values lie strictly between 0 and 1.", Relation.WITHIN_ONE),
        ("The loss is no longer NaN.", Relation.FINITE),
        ("The second is twice the first.", None),
    ],
)
def test_which_relation_a_sentence_speaks_of(sentence: str, relation: Relation | None):
    """A negation turns it round, where the opposite is one that a run can show."""
    assert relation_in(sentence) is relation


LOSSES = "".join(f"Epoch {n}, Loss: {1 / (n + 1):.3f}\n" for n in range(5))


@pytest.mark.parametrize(
    ("relation", "sentence", "out", "so"),
    [
        (Relation.FALLS, "the loss falls", LOSSES, True),
        (Relation.GROWS, "the loss grows", LOSSES, False),
        (Relation.FALLS, "the accuracy falls", LOSSES, None),
        (Relation.FALLS, "the loss falls", "Loss: 1.0\nLoss: 1.001\nLoss: 1.0\n", None),
        (Relation.SAME, "the same", "a: tensor([1., 2.])\nb: tensor([1., 2.])\n", True),
        (Relation.SAME, "the same", "equal: True\n", True),
        (Relation.SAME, "the same", "a: 1.5\nb: 2.5\n", None),
        (Relation.DIFFERENT, "differ", "one: [1, 2]\nother: [1, 9]\n", True),
        (Relation.CHANGED, "changed", "rows before: [1, 2]\nrows after: [1, 9]\n", True),
        (Relation.CHANGED, "changed", "rows: [1, 2]\ncopy: [1, 9]\n", None),
        (Relation.UNCHANGED, "unchanged", "rows: 1\nslice: 2\nrows now: 1\n", True),
        (Relation.UNCHANGED, "unchanged", "rows: 1\nslice: 1\n", None),
        (Relation.DIFFERENT, "differ", "first: 3\nsecond: 4\n", None),
        (Relation.DIFFERENT, "differ", "first: [3, 4]\nsecond: [3, 4]\n", False),
        (Relation.CLOSE, "close", "exact: 4\nby steps: 4.001\n", True),
        (Relation.CLOSE, "weights close to 2 and 3", "w: [1.98, 3.02]\n", True),
        (Relation.CLOSE, "weights close to 2 and 3", "w: [62.1, 1.9]\n", False),
        (Relation.SUMS_TO_ONE, "probabilities", "tensor([[0.25, 0.75],\n  [0.5, 0.5]])\n", True),
        (Relation.SUMS_TO_ONE, "probabilities", "tensor([0.25, 0.5])\n", None),
        (Relation.WITHIN_ONE, "between 0 and 1", "tensor([0.1, 0.9])\n", True),
        (Relation.WITHIN_ONE, "between 0 and 1", "tensor([0.1, 1.9])\n", None),
        (Relation.FINITE, "no NaN", "before: nan\nafter: 0.5\n", True),
        (Relation.FINITE, "no NaN", "after: nan\n", None),
    ],
)
def test_printed_values_bear_it_out_or_say_nothing(
    relation: Relation, sentence: str, out: str, so: bool | None
):
    """A series that goes the other way, a value far off and two equal ones speak against it."""
    found = holds(relation, sentence, out)

    assert (found and found[0]) == so
