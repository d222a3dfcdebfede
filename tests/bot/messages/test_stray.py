"""bot/messages/stray.py: lines that are no Python are left out, and slips are not."""

from __future__ import annotations

import pytest

from bot.messages.stray import leave_out

CODE = "import torch\nfor x in data:\n    y = f(x)\n"


@pytest.mark.parametrize(
    ("line", "left"),
    [
        ("....", "..."),
        ("..", "..."),
        ("    ......", "    ..."),
        (". . .", "..."),
        ("…", "..."),
        ("-----", "..."),
        ("=====", "..."),
        ("*****", "..."),
        ("    -> HERE <-", "    ..."),
        ("^^^^^^^^", "..."),
        ("and so on for the others", "..."),
        ("    here comes the rest of it", "    ..."),
        ("Files already downloaded and verified", "..."),
        ("This prints the state => {'lr': 0.1, 'momentum': 0}", "..."),
        ("this is the output of the second cell: [1, 2]", "..."),
        ("which gives me a list, [3, 4]", "..."),
        # What may be Python, or was meant to be.
        ("...", None),
        ("two words", None),
        ("    total, right, seen,", None),
        ("total, right, seen", None),
        ("->(x)", None),
        ("x = torch.randn 3", None),
        ("print loss and accuracy", None),
        ("return the loss here", None),
        ("if loss is not small enough", None),
        ("model fit(x, y)", None),
        ("my own learning rate = 0.1", None),
        ("my very own learning rate = 0.1", None),
        ("the new net of mine(x)", None),
        ("net = Net() loss = f(x)", None),
        ("# and so on for the others", None),
        ("self.fc nn.Linear", None),
        ("loss.backward() opt.step()", None),
    ],
)
def test_what_is_no_python_is_left_out(line: str, left: str | None):
    """Dots, rules and words alone: a bracket, an operator or a keyword may be a slip."""
    lines = f"{CODE}{line}\n".split("\n")

    made, note = leave_out(lines)

    if left is None:
        assert made == lines
        assert note == ""
    else:
        assert made == f"{CODE}{left}\n".split("\n")
        assert f"`{line.strip()[:40]}`" in note


def test_a_text_with_some_code_in_it_is_no_program():
    """Three statements of code for each line of words, at least."""
    lines = ["and so on for the others", "x = f(y)", "z = f(x)"]

    assert leave_out(lines) == (lines, "")
    assert leave_out([*lines, "print(z)"])[0][0] == "..."


def test_dots_are_left_out_of_the_shortest_program():
    """They only say that something was left out; words beside one statement may be a text."""
    assert leave_out(["....", "x = f(y)"])[0] == ["...", "x = f(y)"]
    assert leave_out(["....", "and so on for the others"])[1] == ""


def test_dots_at_the_margin_end_no_block():
    """Else what follows would be indented without a reason."""
    lines = ["def f(x):", "    y = x", "......", "    return y"]
    assert leave_out(lines)[0] == ["def f(x):", "    y = x", "    ...", "    return y"]


def test_words_in_a_text_are_no_lines_of_the_program():
    """A docstring, a string over several lines and a bracket hold what they like."""
    lines = [*CODE.split("\n"), '"""', "and so on for the others", "....", '"""', "f(", "  2", ")"]

    assert leave_out(lines) == (lines, "")
