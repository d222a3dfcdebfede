"""executor/errors/overloads.py: which argument keeps a call from every form of a function."""

from __future__ import annotations

import pytest
import torch
from torch import nn

from executor.errors import odd_argument

HEAD = "conv2d() received an invalid combination of arguments - got (…), but expected one of:\n"
FORM = " * (Tensor input, tuple of ints stride = 1, int groups = 1)\n"
OLD_FORM = " * (Tensor input, tuple of ints stride, int groups)\n"
OTHER_FORM = " * (Tensor input, str padding, int groups)\n"


def refused(types: str) -> str:
    return f"      didn't match because some of the arguments have invalid types: ({types})\n"


@pytest.mark.parametrize(
    ("types", "odd"),
    [
        (
            "Tensor, !tuple of (bool, bool)!, int",
            ("stride", "tuple of ints", "tuple of (bool, bool)"),
        ),
        (
            "Tensor, tuple of (bool, bool), int",
            ("stride", "tuple of ints", "tuple of (bool, bool)"),
        ),
        ("Tensor, tuple of (float,), int", ("stride", "tuple of ints", "tuple of (float,)")),
        ("!NoneType!, tuple of (int, int), int", ("input", "Tensor", "NoneType")),
        ("!list!, tuple of (int, int), int", ("input", "Tensor", "list")),
        ("Tensor, tuple of (int, int), int", None),
        ("!NoneType!, !tuple of (bool, bool)!, int", None),  # two are at odds
        ("Tensor, tuple of (bool, bool)", None),  # of another number
        ("Parameter, tuple of (int, int), int", None),
    ],
)
@pytest.mark.parametrize("form", [FORM, OLD_FORM])
def test_the_argument_at_odds_is_named(types: str, odd: tuple[str, str, str] | None, form: str):
    assert odd_argument(HEAD + form + refused(types)) == odd


def test_forms_that_disagree_name_none():
    """Where one form wants another argument changed, nothing is sure."""
    both = " * (Tensor input, Tensor stride, int groups)\n"
    message = HEAD + FORM + both + refused("Tensor, tuple of (bool, bool), int")
    other = HEAD + FORM + both + refused("!NoneType!, tuple of (int, int), int")

    assert odd_argument(message) is not None
    assert odd_argument(other) == ("input", "Tensor", "NoneType")
    assert odd_argument("some other error") is None


@pytest.mark.parametrize(
    ("message", "odd"),
    [
        (
            "same received an invalid combination of arguments - got (torch.cuda.FloatTensor), "
            "but expected (torch.cuda.ByteTensor other)",
            ("other", "torch.cuda.ByteTensor", "torch.cuda.FloatTensor"),
        ),
        (
            "NLL_update received an invalid combination of arguments - got (int, "
            "torch.FloatTensor, torch.DoubleTensor, NoneType), but expected (int state, "
            "torch.FloatTensor input, torch.LongTensor target, [torch.FloatTensor weights or "
            "None])",
            ("target", "torch.LongTensor", "torch.DoubleTensor"),
        ),
        (  # of both forms another argument is at odds
            "add received an invalid combination of arguments - got (torch.LongTensor), but "
            "expected one of:\n * (torch.FloatTensor other)\n * (torch.ByteTensor mask)\n",
            None,
        ),
    ],
)
def test_the_wordings_of_the_first_versions_are_read(
    message: str, odd: tuple[str, str, str] | None
) -> None:
    assert odd_argument(message) == odd


def test_a_missing_bias_is_no_second_argument_at_odds():
    """A layer without a bias gives None for it."""
    form = " * (Tensor input, Tensor weight, Tensor bias, int groups)\n"
    message = HEAD + form + refused("list, Parameter, NoneType, int")
    assert odd_argument(message) == ("input", "Tensor", "list")


def test_todays_message_is_read():
    """A bias that was given in the place of the stride."""
    with pytest.raises(TypeError) as raised:
        nn.Conv2d(3, 3, 3, True)(torch.ones(1, 3, 8, 8))  # type: ignore[arg-type]

    assert odd_argument(str(raised.value)) == ("stride", "tuple of ints", "tuple of (bool, bool)")
