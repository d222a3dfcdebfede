"""executor/inside/rebuild/grounds.py: what rests on a property that was made up is not mended."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from executor.inside.rebuild.candidate import Candidate
from executor.inside.rebuild.grounds import made_up
from executor.inside.rebuild.trial import Outcome
from executor.inside.rebuild.values import Tensor, Text, Value
from tests.executor.inside.rebuild.test_judge import posted

OK, FAILS = Outcome(ok=True), Outcome(type="RuntimeError", message="m", lines=(2,))


def judged(message: str, value: Value, works: Callable[[Tensor], bool]) -> bool:
    """Whether it is made up, where `y` has that value and the code accepts what `works` does."""
    candidate = Candidate().with_value("y", value, "use")
    seen = Outcome(type="RuntimeError", message=message, lines=(2,), read=frozenset({"y"}))

    def attempt(made: Candidate) -> Outcome:
        changed = made.get("y")
        assert changed is not None
        assert isinstance(changed.value, Tensor)
        return OK if works(changed.value) else FAILS

    line = "loss = criterion(out, y)  # here"
    return made_up(posted(message, line), candidate, seen, attempt)


@pytest.mark.parametrize(
    ("message", "value", "works", "expected"),
    [
        # The code accepts no rank and no dtype: it is at fault itself.
        ("some words", Tensor((8, 1)), lambda t: False, False),
        # The rank decides, and no number of the message is a size of it.
        ("multi-target not supported", Tensor((8, 1)), lambda t: len(t.shape) == 1, True),
        ("got a target of size [8, 1]", Tensor((8, 1)), lambda t: len(t.shape) == 1, False),
        ("sizes 8 and 3", Tensor((8, 1)), lambda t: len(t.shape) == 1, False),
        # The dtype decides: the message names one, or it does not.
        ("some words", Tensor((8,), "int64"), lambda t: t.dtype == "float32", True),
        ("got Long", Tensor((8,), "int64"), lambda t: t.dtype == "float32", False),
        # A value of integers that are too large.
        ("some words", Tensor((8,), "int64"), lambda t: t.high == 2, True),
        ("some words", Tensor((8,), "int64", filled=7), lambda t: t.high == 2, False),
        # A stub, or a value that only has the type of which the message complains.
        ("some words", Text("_stubs.Stub()"), lambda t: False, True),
        ("'str' object has no attribute 'to'", Text('"text"'), lambda t: False, True),
        # What is said of several values is of no single one.
        (
            "Boolean value of Tensor with more than one value is ambiguous",
            Tensor((8,), "int64"),
            lambda t: t.shape == (),
            False,
        ),
        ("some words", Tensor((8,), "int64"), lambda t: t.shape == (), True),
        ("some words", Text("torch.nn.MSELoss()"), lambda t: False, False),
    ],
)
def test_a_property_counts_only_where_the_message_names_it(message, value, works, expected):
    """One row for each property."""
    assert judged(message, value, works) is expected


def test_a_number_is_of_no_type_of_which_nothing_was_said():
    """Other numbers are tried instead."""
    candidate = Candidate().with_value("y", Text("1"), "use")
    seen = Outcome(type="RuntimeError", message="some words", lines=(2,), read=frozenset({"y"}))
    error = posted("some words", "loss = criterion(out, y)  # here")
    assert not made_up(error, candidate, seen, lambda made: FAILS)
    assert made_up(error, candidate, seen, lambda made: OK)
