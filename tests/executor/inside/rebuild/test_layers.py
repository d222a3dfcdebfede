"""executor/inside/rebuild/layers.py: the layer that a name stands for."""

from __future__ import annotations

import ast

import pytest

from executor.inside.rebuild.evidence import Posted
from executor.inside.rebuild.layers import layer
from executor.protocol import PostedError, PostedFrame, RebuildOrder

LINEAR = "mat1 and mat2 shapes cannot be multiplied (3x8 and 5x2)"


def posted(message: str, *below: tuple[str, str]) -> Posted:
    """An error at `y = self.part(x)`, and the library's frames below it."""
    line = "y = self.part(x)"
    frames = (
        PostedFrame(file="model.py", function="forward", code=line),
        *(PostedFrame(file=file, function=function, own=False) for file, function in below),
    )
    error = PostedError(type="RuntimeError", message=message, frames=frames)
    return Posted(RebuildOrder(code=line, error=error), ast.parse(line))


@pytest.mark.parametrize(
    ("message", "name", "at_line", "made"),
    [
        (LINEAR, "fc", True, "Linear(5, 2)"),
        (LINEAR, "part", True, "Sequential(torch.nn.Linear(5, 2))"),  # a model that begins so
        (LINEAR, "part", False, None),  # the message is about another line
        (LINEAR, "fc1", False, "Linear(20, 4)"),
        ("Given groups=2, weight of size [8, 3, 5, 5], expected input[4, 1, 9, 9] to have 6 "
         "channels, but got 1 channels instead", "conv", True, "Conv2d(6, 8, 5, groups=2)"),
        ("Given groups=1, weight of size [8, 3, 5], expected input[4, 1, 9] to have 3 channels, "
         "but got 1 channels instead", "conv1d", True, "Conv1d(3, 8, 5)"),
        ("input.size(-1) must be equal to input_size. Expected 7, got 1", "gru", True,
         "GRU(7, 8, batch_first=True)"),
        ("Expected hidden[0] size (2, 12, 64), got [2, 32, 64]", "part", True,
         "LSTM(20, 64, num_layers=2)"),
        ("Expected hidden[0] size (2, 12, 64), got [2, 12, 32]", "part", True,
         "LSTM(20, 64, num_layers=2, batch_first=True)"),
        ("running_mean should contain 32 elements not 64", "part", True,
         "Sequential(torch.nn.BatchNorm2d(64))"),
        ("nobody knows this", "part", True, None),
        ("nobody knows this", "embedding", True, "Embedding(10, 8)"),
    ],
)  # fmt: skip
def test_the_message_comes_first_then_the_name(message, name, at_line, made):
    """One row for each kind of layer; a message counts at its line alone."""
    found = layer(posted(message), name, at_line=at_line)
    assert (found.expression if found else None) == (f"torch.nn.{made}" if made else None)


@pytest.mark.parametrize(
    ("below", "made"),
    [
        (("/x/torch/nn/functional.py", "embedding"), "Sequential(torch.nn.Embedding(10, 8))"),
        (("C:\\x\\torch\\nn\\modules\\rnn.py", "forward"), "LSTM(20, 8, batch_first=True)"),
        (("/x/torch/nn/modules/linear.py", "forward"), "Sequential(torch.nn.Linear(20, 4))"),
    ],
)
def test_the_frames_below_say_which_layer_it_is(below, made):
    """By the function that it calls, or the file that it is in."""
    found = layer(posted("no numbers here", below), "part", at_line=True)
    assert found is not None
    assert found.expression == f"torch.nn.{made}"
    assert layer(posted("no numbers here", below), "part", at_line=False) is None


def test_a_message_without_a_line_is_about_the_layer_whose_name_says_its_kind():
    """A Linear's numbers are no convolution's."""
    error = PostedError(type="RuntimeError", message=LINEAR)
    read = Posted(RebuildOrder(code="y = net.fc(x)", error=error), ast.parse("y = net.fc(x)"))
    made = {name: layer(read, name, at_line=False) for name in ("fc", "conv1", "part")}
    assert {name: text.expression if text else None for name, text in made.items()} == {
        "fc": "torch.nn.Linear(5, 2)", "conv1": "torch.nn.Conv2d(3, 8, 3)", "part": None,
    }  # fmt: skip
