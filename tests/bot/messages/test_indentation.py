"""Indentation that copying broke is made to fit; what Python accepts stays as it is."""

from __future__ import annotations

import ast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bot.messages.indentation import end_what_is_cut, fit, only_methods, open_class
from bot.messages.question import read_message

FITTED = {
    "all but the first line has a margin": ("a = 1\n b = 2\n c = 3", "a = 1\nb = 2\nc = 3"),
    "only the first line has a margin": ("    a = 1\nb = 2\nc = 3", "a = 1\nb = 2\nc = 3"),
    "a first block with a margin": (
        "    for x in y:\n        f(x)\n\na = 1",
        "for x in y:\n    f(x)\n\na = 1",
    ),
    "a later block from deeper inside": (
        "a = 1\n\n    for x in y:\n        f(x)\n    g()\nb = 2",
        "a = 1\n\nfor x in y:\n    f(x)\ng()\nb = 2",
    ),
    "a first line that lost a part of its margin": (
        "  def f(self):\n        return 1\n    def g(self):\n        return 2",
        "def f(self):\n      return 1\ndef g(self):\n      return 2",
    ),
    "a comment moves with its statement": ("a = 1\n  # so\n  b = 2", "a = 1\n# so\nb = 2"),
    "brackets move with their statement": (
        "a = 1\n  b = f(\n      2,\n  )",
        "a = 1\nb = f(\n    2,\n)",
    ),
    "the text in a string stays": ("a = 1\n  s = '''\n  x'''", "a = 1\ns = '''\n  x'''"),
    "an end of a block between two columns": (
        "if a:\n    if b:\n        c = 1\n   d = 2\ne = 3",
        "if a:\n    if b:\n        c = 1\n    d = 2\ne = 3",
    ),
    "a return outside its function": (
        "def f():\n    a = 1\nreturn a\nb = 2",
        "def f():\n    a = 1\n    return a\nb = 2",
    ),
}


@pytest.mark.parametrize(("posted", "meant"), FITTED.values(), ids=FITTED.keys())
def test_a_broken_margin_is_made_to_fit(posted: str, meant: str):
    """Code that Python refuses for its columns gets ones that it takes; the answer says so."""
    question = read_message(f"Why?\n```python\n{posted}\n```")

    assert question.code == meant
    ast.parse(meant)
    assert "indentation" in question.notes[-1]


KEPT = {
    "blocks": "if a:\n  b = 1\nelse:\n    b = 2\nc = 3",
    "a class": "class A:\n    def f(self):\n        return 1\n\n    def g(self):\n        pass",
    "brackets at any column": "a = f(\n1,\n      2)\nb = 2",
    "a comment at any column": "def f():\n    a = 1\n# here\n    return a",
    "tabs": "if a:\n\tb = 1\n\tif c:\n\t\td = 2",
    "a return in a nested function": "def f():\n    def g():\n        a = 1\n    return g",
}


@pytest.mark.parametrize("code", KEPT.values(), ids=KEPT.keys())
def test_what_python_accepts_is_left_alone(code: str):
    """A column that Python takes is the author's."""
    assert fit(code.split("\n")) == (code.split("\n"), "")


def test_a_question_about_indentation_keeps_it():
    """Whoever asks about an IndentationError asks about the columns."""
    question = read_message("IndentationError: unexpected indent\n```python\na = 1\n  b = 2\n```")

    assert question.code == "a = 1\n  b = 2"


LINES = st.lists(
    st.tuples(
        st.sampled_from([0, 0, 2, 4, 4, 8]),
        st.sampled_from(["a = 1", "if a:", "def f():", "# so", "", "b = (", ")", "return 1"]),
    ).map(lambda line: " " * line[0] + line[1]),
    max_size=12,
)


@settings(max_examples=300, deadline=None)
@given(LINES)
def test_fitting_keeps_every_line_and_is_done_once(lines: list[str]):
    """No text is lost or moved to another line, and what fits is not changed again."""
    fitted, _ = fit(lines)

    assert [line.strip() for line in fitted] == [line.strip() for line in lines]
    assert fit(fitted)[0] == fitted


LONG = "\n".join(f"a{n} = {n}" for n in range(8))
CUT = {
    "a block without a body": (f"{LONG}\nif a1:", f"{LONG}\nif a1: pass"),
    "with a comment": (
        f"{LONG}\nelse_ = 1\nwhile a1:  # so",
        f"{LONG}\nelse_ = 1\nwhile a1: pass  # so",
    ),
    "an open bracket": (f"{LONG}\nf(1,\n  2,", f"{LONG}\n# f(1,\n#   2,"),
    "an open string": (f"{LONG}\nprint('x = ", f"{LONG}\n# print('x = "),
    "an open bracket in a block": (f"{LONG}\nif a1:\n    f(", f"{LONG}\nif a1: pass\n#     f("),
}


@pytest.mark.parametrize(("posted", "meant"), CUT.values(), ids=CUT.keys())
def test_code_that_is_cut_off_ends_at_a_statement(posted: str, meant: str):
    """What a long post has before the cut can be run; the answer says what was left out."""
    lines, note = end_what_is_cut(posted.split("\n"), never_closed=False)

    assert "\n".join(lines) == meant
    ast.parse(meant)
    assert "cut off" in note


def test_short_code_that_ends_open_is_a_typing_mistake():
    """Three lines with a bracket missing are what the question is about."""
    code = ["import torch", "x = torch.ones(2", ""]

    assert end_what_is_cut(code, never_closed=False) == (code, "")
    assert end_what_is_cut(code, never_closed=True)[0] == ["import torch", "# x = torch.ones(2", ""]


def test_code_that_ends_well_is_left_alone():
    """Nothing is left out of a whole program, whatever its length."""
    code = [*LONG.split("\n"), "if a1:", "    f(a1)", "# the end ("]

    assert end_what_is_cut(code, never_closed=True) == (code, "")


INIT = "class Net(nn.Module):\n    def __init__(self):\n        super().__init__()"
FORWARD = "    def forward(self, x):\n        return x"


def joined(first: str, second: str) -> str:
    return read_message(f"```python\n{first}\n```\nand\n```python\n{second}\n```").code


def test_methods_in_a_block_of_their_own_stay_in_their_class():
    """Two fences with one class between them are one class."""
    assert joined(INIT, FORWARD) == f"{INIT}\n{FORWARD}"


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (INIT, "    def forward(x):\n        return x"),  # no method
        (INIT, "    def __init__(self):\n        pass"),  # another version of one it has
        (f"{INIT}\nnet = Net()", FORWARD),  # the class has ended
        (INIT, FORWARD.replace("    def", "  def")),  # another column
        (INIT, f"{FORWARD}\n    net = Net()"),  # not only methods
    ],
)
def test_other_functions_go_to_the_left_edge(first: str, second: str):
    """Only methods that continue the class are kept in it."""
    assert joined(first, second).split("\n")[len(first.split("\n"))][0] == "d"


def test_an_open_class_is_seen():
    """Where code ends in a class, its column and methods are known."""
    assert open_class(INIT.split("\n")) == (4, frozenset({"__init__"}))
    assert open_class(["a = 1"]) == (0, frozenset())
    assert only_methods(["@property", "def f(self):", "    return 1"]) == {"f"}
