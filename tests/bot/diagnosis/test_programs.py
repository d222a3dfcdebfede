"""bot/diagnosis/programs.py: the programs that a post may mean, and the line that it quotes."""

from __future__ import annotations

import pytest

from bot.diagnosis.programs import programs, quoted_line
from bot.messages.question import read_message
from bot.models import PastedTraceback, TracebackFrame

LIBRARY = TracebackFrame(
    file="/usr/lib/python3/site-packages/torch/nn/functional.py",
    line=3,
    function="f",
    code="return f(x)",
)


def pasted(*lines: str) -> PastedTraceback:
    """A traceback whose own frames quote these lines, and one of the library below them."""
    own = [
        TracebackFrame(file="train.py", line=n, function="f", code=code)
        for n, code in enumerate(lines, 1)
    ]
    return PastedTraceback(type="RuntimeError", message="m", frames=(*own, LIBRARY))


@pytest.mark.parametrize(
    ("quoted", "statement"),
    [
        ("out = net(x)", "out = net(x)"),
        ("return self.fc(x)", "self.fc(x)"),
        ("for x, y in loader:", "for x, y in loader: pass"),
        ("loss = criterion(out,", ""),  # the rest is on a line that is not quoted
        ("total = a +", "total = a +"),  # no Python: the jail finds that out
        ("def forward(self, x):", ""),
        ("elif net(x):", ""),
        ("momentum=args.momentum", ""),  # the end of a call, as old versions of Python quote it
        ("y = 2 * x", "y = 2 * x"),
        ("", ""),
    ],
)
def test_a_quoted_line_becomes_a_statement_of_its_own(quoted: str, statement: str):
    """One row for each kind of line."""
    assert quoted_line(pasted(quoted)) == statement


def test_the_innermost_of_their_frames_counts():
    """Not that of the library, and not the one that called it."""
    assert quoted_line(pasted("main()", "y = net(x)")) == "y = net(x)"
    assert quoted_line(PastedTraceback(type="E", message="", frames=(LIBRARY,))) == ""


def test_a_line_that_runs_alone_beside_code_is_marked():
    """None of theirs is run then."""
    question = read_message("```python\nnet = Net()\n```\n")
    assert [p.alone for p in programs(question, pasted("y = net(x)"))] == [False, False, True]
    assert [p.alone for p in programs(read_message("Why?"), pasted("y = net(x)"))] == [False]


def test_one_block_alone_keeps_its_line_numbers():
    """The last one first; each is an assumption."""
    question = read_message("One:\n```python\na = 1\nb = 2\n```\nTwo:\n```python\nc = 3\n```\n")
    whole, last, first = programs(question, pasted())
    assert (whole.code, whole.said) == (question.code, "")
    assert last.code.split("\n").index("c = 3") == question.code.split("\n").index("c = 3")
    assert "a = 1" not in last.code
    assert first.code.startswith("a = 1")
    assert "c = 3" not in first.code
    assert last.said
    assert first.said


@pytest.mark.parametrize(
    ("message", "codes"),
    [
        ("```python\nx = 1\n```\n", ["x = 1", "x = 1\nout = net(x)", "\nout = net(x)"]),
        ("```python\nout =  net( x )\n```\n", ["out =  net( x )"]),  # it is there already
        ("Why does it fail?", ["out = net(x)"]),
    ],
)
def test_the_quoted_line_stands_below_the_code_that_lacks_it(message: str, codes: list[str]):
    """And alone."""
    found = programs(read_message(message), pasted("out = net(x)"))
    assert [program.code for program in found] == codes
