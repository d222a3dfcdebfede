"""knowledge/repair/checks/code/sizes.py: sizes keep their names, and what is stated is kept."""

from __future__ import annotations

import pytest

from executor.protocol import Variable
from knowledge.repair.checks.code.sizes import check
from tests.knowledge.repair.checks.code.changed import NUMBER, refused, saw, tensor

SHARED = "rnn = nn.LSTM(3, hidden)\n"
LIVE = saw(hidden=NUMBER, x=tensor(3), text=Variable(type="str"))


@pytest.mark.parametrize(
    ("old", "new", "passes"),
    [
        # The other side of the interface is still made with the name.
        (SHARED + "nn.Linear(hidden, 10)\n", SHARED + "nn.Linear(128, 10)\n", False),
        (SHARED + "nn.Linear(hidden * 2, 10)\n", SHARED + "nn.Linear(128, 10)\n", False),
        (SHARED + "nn.Linear(hidden, 10)\n", SHARED + "nn.Linear(64 * 2, 10)\n", False),
        (SHARED + "x.view(-1, hidden)\n", SHARED + "x.view(-1, 128)\n", False),
        ("f(self.h)\nnn.Linear(self.h, 10)\n", "f(self.h)\nnn.Linear(128, 10)\n", False),
        ("nn.Linear(10, hidden)\nnn.Linear(hidden, 1)\n",
         "nn.Linear(10, 8)\nnn.Linear(hidden, 1)\n",
         False),
        ("print(hidden)\nnn.Linear(hidden, 1)\n", "print(hidden)\nnn.Linear(8, 1)\n", False),
        # It stands nowhere else.
        ("hidden = 3\nnn.Linear(hidden, 10)\n", "hidden = 3\nnn.Linear(128, 10)\n", True),
        (SHARED + "nn.Linear(hidden, 10)\n", "rnn = nn.LSTM(3, 8)\nnn.Linear(8, 10)\n", True),
        # It is still said by its name, or by another one.
        (SHARED + "nn.Linear(hidden, 10)\n", SHARED + "nn.Linear(hidden * 2, 10)\n", True),
        (SHARED + "nn.Linear(hidden, 10)\n", SHARED + "nn.Linear(embed, 10)\n", True),
        (SHARED + "nn.Linear(hidden * 3, 10)\n", SHARED + "nn.Linear(embed * 3, 10)\n", True),
        ("hidden = 3\n" + SHARED, "hidden = 4\n" + SHARED, True),  # where it is defined
        (SHARED + "nn.Linear(8, 10)\n", SHARED + "nn.Linear(9, 10)\n", True),
        (SHARED + "nn.Linear(f(hidden), 10)\n", SHARED + "nn.Linear(9, 10)\n", True),
        (SHARED + "nn.Linear(hidden, 10)\n", SHARED + "nn.Linear(f(9), 10)\n", True),
        (SHARED + "nn.Linear(hidden, 10)\n", SHARED + "nn.Linear(True, 10)\n", True),
        ("g(x)\nf(x)\n", "g(x)\nf(3)\n", True),  # data, no size
        # What the code counts is not replaced by what was counted once.
        ("nn.Embedding(len(text), 8)\n", "nn.Embedding(4, 8)\n", False),
        ("nn.Embedding(len(text) + 1, 8)\n", "nn.Embedding(4, 8)\n", False),
        ("nn.Embedding(len(text), 8)\n", "nn.Embedding(len(text) + 1, 8)\n", True),
        ("nn.Embedding(count(text), 8)\n", "nn.Embedding(4, 8)\n", True),
        ("g(text)\nf(text)\n", "g(text)\nf(3)\n", True),
    ],
)  # fmt: skip
def test_a_shared_name_does_not_give_way_to_a_number(old: str, new: str, passes: bool):
    """Of two that are made for each other one alone would keep the name."""
    assert (refused(check, old, new, LIVE) == "") is passes


@pytest.mark.parametrize(
    ("old", "new", "passes"),
    [
        ("nn.Linear(20, 5)  # 20 numbers\n", "nn.Linear(10, 5)  # 20 numbers\n", False),
        ("nn.Linear(  # 20 in\n    20, 5)\n", "nn.Linear(  # 20 in\n    10, 5)\n", True),
        ("x.view(4, 5)  # [4, 5]\n", "x.view(-1, 5)  # [4, 5]\n", False),
        ("x.view(4, 5)  # [4, 5]\n", "x.view(5, 4)  # [4, 5]\n", True),  # both are stated
        ("nn.Linear(20, 5)  # 20, was 10\n", "nn.Linear(10, 5)  # 20, was 10\n", True),
        ("nn.Linear(20, 5)  # 200 or 2.20 or a20\n",
         "nn.Linear(9, 5)  # 200 or 2.20 or a20\n", True),
        ("nn.Linear(20, 5)  # 20.5\n", "nn.Linear(10, 5)  # 20.5\n", True),
        ("nn.Linear(20, 5)  # 20.\n", "nn.Linear(10, 5)  # 20.\n", False),
        ("f(1, 5)  # step 1\n", "f(2, 5)  # step 1\n", True),  # a 1 says little
        ("f(20, 5)  # 20\n", "g(20, 5)  # 20\n", True),
        ("f(20)  # 20\n", "f()  # 20\n", False),
        ("f(20)  # 20\n", "f(h(3))  # 20\n", True),  # it is computed now: what to is not known
        ("f(h(20))  # 20\n", "f(3)  # 20\n", True),
        # Who says that the line is wrong does not state what is meant.
        ("nn.Linear(20, 5)  # wrong: 20\n", "nn.Linear(10, 5)  # wrong: 20\n", True),
        ("nn.Linear(20, 5)  # 20, mismatch!\n", "nn.Linear(10, 5)  # 20, mismatch!\n", True),
        # Anywhere, if it says what the number counts.
        ("# has 10 classes\nf(10)\n", "# has 10 classes\nf(12)\n", False),
        ("# has 10 output classes\nf(10)\n", "# has 10 output classes\nf(12)\n", False),
        ("# 3-channel images\nf(3)\n", "# 3-channel images\nf(1)\n", False),
        ("# 1 channel\nf(1)\n", "# 1 channel\nf(3)\n", False),
        ('"""Tokens of width 16."""\nf(16)\n', '"""Tokens of width 16."""\nf(12)\n', False),
        ("# hidden dimension is 16\nf(16)\n", "# hidden dimension is 16\nf(12)\n", False),
        ("# of width 160\nf(16)\n", "# of width 160\nf(12)\n", True),
        # What counts layers is no size of one.
        ("# 2 linear layers\nf(2)\n", "# 2 linear layers\nf(6)\n", True),
        ("# 2 linear layers\nf(num_layers=2)\n", "# 2 linear layers\nf(num_layers=6)\n", False),
        # What another class says is of that class; an assumption is of nothing.
        ("class A:\n    x = 1  # 10 units\nclass B:\n    f(10)\n",
         "class A:\n    x = 1  # 10 units\nclass B:\n    f(12)\n", True),
        ("class A:\n    x = 1  # 10 units\n    f(10)\n",
         "class A:\n    x = 1  # 10 units\n    f(12)\n", False),
        ("class A:\n    x = 1  # 10 units\nf(10)\n",
         "class A:\n    x = 1  # 10 units\nf(12)\n", False),
        ("# assuming 10 classes\nf(10)\n", "# assuming 10 classes\nf(12)\n", True),
        ("f(10)  # assumed: 10\n", "f(12)  # assumed: 10\n", True),
        ("# 10 minutes\nf(10)\n", "# 10 minutes\nf(12)\n", True),
        ("# 10 classes, not 12\nf(10)\n", "# 10 classes, not 12\nf(12)\n", True),
        ("# wrong: 10 classes\nf(10)\n", "# wrong: 10 classes\nf(12)\n", True),
        ('"""Ten. 10 classes."""\nf(10)\n', '"""Ten. 10 classes."""\nf(12)\n', False),
        ('def g():\n    """10 units."""\n    f(10)\n', 'def g():\n    """10 units."""\n    f(12)\n',
         False),
        ('s = "10 classes"\nf(10)\n', 's = "10 classes"\nf(12)\n', True),
    ],
)  # fmt: skip
def test_a_size_that_is_stated_is_kept(old: str, new: str, passes: bool):
    """By the comment beside it, or by a comment or docstring that says what it counts."""
    assert (refused(check, old, new, LIVE) == "") is passes


@pytest.mark.parametrize(
    ("asked", "passes"),
    [
        ("My model has 10 classes.", False),
        ("My model has\n10 output units, and it fails", False),
        ("My model has 10 of them.", True),
        ("My model has 12 classes, not 10 classes", True),
        ("It says: Expected 10 classes", True),
        ("RuntimeError: given 10 inputs", True),
        ("RuntimeError: it does not fit. I want 10 outputs.", False),
        ("", True),
    ],
)
def test_a_size_that_the_person_states_is_kept(asked: str, passes: bool):
    """What the error says of sizes is no statement of theirs."""
    assert (refused(check, "f(10)\n", "f(12)\n", LIVE, asked=asked) == "") is passes


@pytest.mark.parametrize(
    ("old", "new", "passes"),
    [
        # The noun comes first.
        ("z(1, 3, 6)  # batch size 3\n", "z(1, 9, 6)  # batch size 3\n", False),
        ("z(1, 3, 6)  # batch of 3\n", "z(1, x.size(1), 6)  # batch of 3\n", False),
        ("# hidden_size = 6\nz(1, 3, 6)\n", "# hidden_size = 6\nz(1, 3, 8)\n", False),
        ("z(1, 3)  # batch size 1\n", "z(9, 3)  # batch size 1\n", False),
        ("z(1, 3)  # batch size 10\n", "z(9, 3)  # batch size 10\n", True),
        ("z(1, 3)  # batch size 1, not 9\n", "z(9, 3)  # batch size 1, not 9\n", True),
        ("z(1, 3)  # wrong: batch size 1\n", "z(9, 3)  # wrong: batch size 1\n", True),
        ("# batch size 3\n\nz(1, 3)\n", "# batch size 3\n\nz(1, 9)\n", True),
        # A name in the list of its sizes, with the value that the code gives it.
        ("batch = 3\nz(1, 3)  # (layers, batch)\n", "batch = 3\nz(1, 9)  # (layers, batch)\n",
         False),
        ("batch = 3\nz(1, 3)  # [layers, batch]\n", "batch = 3\nz(1, 9)  # [layers, batch]\n",
         False),
        ("batch = 3\nz(1, 3)  # (layers, batch)\n",
         "batch = 3\nz(1, batch)  # (layers, batch)\n", True),
        ("batch = 3\nz(1, 3)  # (batch, layers)\n", "batch = 3\nz(1, 9)  # (batch, layers)\n",
         True),
        ("batch = 4\nz(1, 3)  # (layers, batch)\n", "batch = 4\nz(1, 9)  # (layers, batch)\n",
         True),
        ("batch = 3\nz(1, 3)  # (batch, 2, 4)\n", "batch = 3\nz(1, 9)  # (batch, 2, 4)\n", True),
        ("batch = 3\nbatch = 4\nz(1, 3)  # (layers, batch)\n",
         "batch = 3\nbatch = 4\nz(1, 9)  # (layers, batch)\n", True),
        ("batch = 3\nz(1, k=3)  # (layers, batch)\n",
         "batch = 3\nz(1, k=9)  # (layers, batch)\n", True),
    ],
)  # fmt: skip
def test_a_size_that_a_comment_about_the_line_names_is_kept(old: str, new: str, passes: bool):
    """By its noun, or by its place among the names that the comment lists."""
    assert (refused(check, old, new, LIVE) == "") is passes
