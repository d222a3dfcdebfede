"""executor/inside/readable.py: what can be read of code that Python refuses."""

from __future__ import annotations

import ast

import pytest

from executor.inside.readable import readable_tree


@pytest.mark.parametrize(
    ("code", "read"),
    [
        ("x = 1\nprint x + 1\ny = 2", "x = 1\nprint(x + 1)\ny = 2"),  # Python 2
        ("x = 1\nprint 'a %d' % x  # it\ny = 2", "x = 1\nprint('a %d' % x)\ny = 2"),
        ("x = 1\nepoch: 1, loss = 0.68\ny = 2", "x = 1\npass\ny = 2"),  # a line of a log
        (
            "def f(x):\n    while x is not:\n        x = 1\n    y = 2\n    z = 3",
            "def f(x):\n    if True:\n        x = 1\n    y = 2\n    z = 3",
        ),
        ("x = 1\ny = 2\nz = 3\nw = (1,\n", "x = 1\ny = 2\nz = 3\npass"),  # cut off
        ("x = 1\nfor i in y:\nz = 2\n", "x = 1\npass\nz = 2"),  # a body that was left out
        ("x = 1\nin every step we do it\nand then that", None),  # mostly prose
        ("x = 1\ny = 2\nz = 3\nopt.step() loss", None),  # it would be missed
        ("x = 1\n  y = 2\nz = 3\nw = 4", "x = 1\nz = 3\nw = 4"),  # a margin
    ],
)
def test_the_lines_that_python_takes_are_read(code: str, read: str | None):
    """Each refused line is given up, and every other one keeps its number."""
    tree = readable_tree(code)

    assert (None if tree is None else ast.unparse(tree)) == read
    if tree is not None:
        assert tree.body[-1].end_lineno == len(code.rstrip().split("\n"))


def test_code_that_is_no_program_costs_little():
    """A long text is given up; it is not read again for every line."""
    assert readable_tree("this is no python\n" * 50_000) is None
