"""knowledge/repair/toolkit/dimensions.py: what a snippet says that its dimensions count."""

from __future__ import annotations

import libcst as cst
import pytest

from knowledge.repair.toolkit.dimensions import (
    BATCH,
    TIME,
    counted_by,
    first_of,
    read_by_step,
)
from knowledge.repair.toolkit.edits import Program

MADE = "x = torch.randn(3, 9, 4)"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        (MADE, ""),
        # The names that it is made with.
        ("x = torch.randn(batch_size, seq_len, 4)", BATCH),
        ("x = torch.randn(steps, n_samples, 4).double()", TIME),
        ("x = torch.randn(B, T, 4)", BATCH),
        ("x = torch.randn(batch_size, width, 4)", ""),
        ("x = torch.randn(batch_times, seq_len, 4)", ""),
        ("x = load(batch_size)", ""),
        ("y = torch.randn(batch_size, seq_len, 4)", ""),
        # A list in a comment or a docstring.
        (MADE + "  # (batch, time, features)", BATCH),
        (MADE + "  # seq_len, batch, features", TIME),
        (MADE + "  # [3 samples, 9 time steps, 4]", BATCH),
        ("'''x: (time, batch)'''\n" + MADE, TIME),
        ("def f():\n    '''Of (time, batch).'''\n" + MADE, TIME),
        (MADE + "  # (layers, batch, hidden)", ""),
        (MADE + "  # (batch, time)\n# (time, batch)", ""),  # both
        # A number beside its word.
        (MADE + "  # batch of 3", BATCH),
        (MADE + "  # batch size: 9", TIME),
        (MADE + "  # 3 samples", BATCH),
        (MADE + "  # sequence length 9", BATCH),
        (MADE + "  # 9 time steps", BATCH),
        (MADE + "  # time steps = 3", TIME),
        (MADE + "  # batch of 4", ""),
        ("batch_size = 9\n" + MADE, TIME),
        ("batch_size = load(9)\n" + MADE, ""),
    ],
)
def test_what_the_first_dimension_counts(code: str, said: str):
    """By names, by comments, by numbers; nothing where two say different things."""
    program = Program(code + "\nf(x)\n")
    (call,) = [c for c in program.all(cst.Call) if program.text(c.func) == "f"]

    assert first_of(program, call.args[0].value, (3, 9, 4)) == said


def test_a_number_says_nothing_of_two_equal_sizes():
    """A batch of 3 may be either."""
    program = Program("x = g()  # batch of 3\nf(x)\n")
    (call,) = [c for c in program.all(cst.Call) if program.text(c.func) == "f"]
    assert first_of(program, call.args[0].value, (3, 3, 4)) == ""


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("h = torch.zeros(1, x.size(0), 8)", BATCH),
        ("h = torch.zeros(1, x.shape[0], 8)", BATCH),
        ("h = torch.zeros(1, batch_size, 8)", BATCH),
        ("h = torch.zeros(1, bs, 8)", BATCH),
        ("h = torch.zeros(1, y.size(0), 8)", ""),
        ("h = torch.zeros(1, x.size(1), 8)", ""),
        ("h = torch.zeros(1, steps, 8)", ""),
        ("", ""),
    ],
)
def test_a_state_counts_its_samples_by_a_name_or_by_the_input(before: str, said: str) -> None:
    program = Program(f"{before}\nout, h = rnn(x, h)\n")
    (call,) = [c for c in program.all(cst.Call) if program.text(c.func) == "rnn"]

    assert counted_by(program, call) == said


@pytest.mark.parametrize(
    ("after", "said"),
    [
        ("y = out[:, -1]", BATCH),
        ("y = out[:,-1, :]", BATCH),
        ("y = out[-1]", TIME),
        ("y = h[-1]", ""),
        ("y = out[0]", ""),
        ("y = out[-1] + out[:, -1]", ""),  # both
    ],
)
def test_the_last_step_says_which_dimension_is_the_time(after: str, said: str) -> None:
    program = Program(f"out, h = rnn(x, h)\n{after}\n")
    (call,) = program.all(cst.Call)

    assert read_by_step(program, call) == said
