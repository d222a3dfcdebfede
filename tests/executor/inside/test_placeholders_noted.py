"""executor/inside/placeholders/noted.py: the sizes that comments give of what was not posted."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from executor.inside.placeholders.decide import PlaceholderPlans
from executor.inside.placeholders.noted import noted
from executor.inside.placeholders.plans import BatchesPlan, TensorPlan
from executor.inside.placeholders.shapes import OTHER, Choices

CONV = (
    "from torch import nn\nnet = nn.Sequential(nn.Conv2d(1, 4, 3), nn.AdaptiveAvgPool2d(1),\n"
    "    nn.Flatten(), nn.Linear(4, 3))\nloss_fn = nn.CrossEntropyLoss()\n"
    "for img, lab in loader:  # {comment}\n    loss = loss_fn(net(img), lab)\n"
)
LINE = "from torch import nn\nnet = nn.Linear(6, 2)\n# {comment}\nprint(net(x))\n"


@pytest.mark.parametrize(
    ("code", "told"),
    [
        ("f(x)  # x [64, 1, 28, 28]", {"x": (64, 1, 28, 28)}),
        ("f(x)  # x: (64, 10)", {"x": (64, 10)}),
        ("f(x)  # x.shape = torch.Size([64, 10])", {"x": (64, 10)}),
        ("f(x)  # x is of shape (64, 10), which is fine", {"x": (64, 10)}),
        ("f(x)  # the shape of x -> [batch, 10]", {"x": (None, 10)}),
        ("f(x)  # x, shape: (batch, 10)", {}),  # of x, perhaps
        ("f(x)  # x: [64 x 10]", {"x": (64, 10)}),
        ("f(x)  # x (64, 10), y (64,)", {"x": (64, 10)}),
        ("print(x.shape)  # torch.Size([64, 10])", {"x": (64, 10)}),
        ("y = load()  # [64, 10]", {"y": (64, 10)}),
        ("# x: (64, 10)\nf(x)\n", {"x": (64, 10)}),
        ("f(x)  # z: (64, 10)", {}),  # nothing is called so
        ("f(x)  # x: (batch, width)", {}),  # no number
        ("f(x)  # x: (64, 10)\ng(x)  # x: (32, 10)", {}),  # which one?
        ("f(x)  # x: (0, 10)", {}),
        ("f(x)  # x: (99999, 99999)", {}),  # more than is made here
        ("f('# x: (64, 10)')", {}),  # no comment
        ("f(x)  # (64, 10)", {}),  # of what?
        ("x == 3  # (64, 10)", {}),
    ],
)
def test_the_sizes_that_comments_give(code: str, told: dict[str, tuple[int | None, ...]]):
    """By the name in the comment, or of the line's own variable."""
    assert noted(code) == told


@given(st.text(alphabet="# x:=([,])64\n'\"ab.shape", max_size=300))
def test_any_text_can_be_read(code: str):
    """Also what is no Python."""
    assert all(any(sizes) for sizes in noted(code).values())


def plans(code: str, choices: Choices) -> PlaceholderPlans:
    """The plans for `x`, or for the loader."""
    return PlaceholderPlans(ast.parse(code), ["x", "loader"], choices, told=noted(code))


@pytest.mark.parametrize("choices", [Choices(), OTHER])
def test_what_the_code_leaves_open_is_as_the_comment_says(choices: Choices):
    """The labels have the batch that the comment gives of the pictures."""
    plan = plans(CONV.format(comment="img [64, 1, 20, 20]"), choices).plans["loader"]

    assert isinstance(plan, BatchesPlan)
    assert [spec.shape for _, spec in plan.parts] == [(64, 1, 20, 20), (64,)]


def test_a_model_that_takes_any_picture_gets_the_one_of_the_comment():
    """Where the model was not posted either, only the comment says what it takes."""
    code = CONV.format(comment="img [64, 1, 20, 20]").replace("net = nn.Sequential", "_ = print")
    made = PlaceholderPlans(ast.parse(code), ["net", "loader"], Choices(), told=noted(code))
    plan = made.plans["loader"]

    assert isinstance(plan, BatchesPlan)
    assert [spec.shape for _, spec in plan.parts] == [(64, 1, 20, 20), (64,)]


@pytest.mark.parametrize(
    ("comment", "shape"),
    [
        ("x: (64, 6)", (64, 6)),
        ("x: (64, n)", (64, 6)),
        ("x: (64, 9)", (8, 6)),  # the layer says 6
        ("x: (64, 5, 6)", (8, 6)),  # of another x, perhaps
        ("x: (n, 6)", (8, 6)),
    ],
)
def test_a_comment_does_not_outvote_the_code(comment: str, shape: tuple[int, ...]):
    """It counts as a whole or not at all."""
    plan = plans(LINE.format(comment=comment), Choices()).plans["x"]

    assert isinstance(plan, TensorPlan) and plan.spec.shape == shape
