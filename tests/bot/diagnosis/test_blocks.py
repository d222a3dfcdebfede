"""A block of a post that keeps the others from running is left out, and nothing else is."""

from __future__ import annotations

import pytest

from bot.diagnosis.blocks import without_block_in_the_way
from bot.messages.question import read_message
from bot.models import Question
from executor.protocol import JobResult
from tests.built import failed

PROGRAM = "import torch\nw = torch.ones(2)\nloss = w.sum()\nprint(loss)"


def asked(*blocks: str, text: str = "Why?") -> Question:
    fences = "\n\nthen\n\n".join(f"```python\n{block}\n```" for block in blocks)
    return read_message(f"{text}\n\n{fences}")


def undefined(name: str, line: int) -> JobResult:
    return failed(f"name {name!r} is not defined", "NameError", line=line)


def unparsed(line: int) -> JobResult:
    return failed("invalid syntax", "SyntaxError", line=line)


LEFT_OUT = {
    "it uses what a later one imports": (
        (("print(torch.ones(2))"), PROGRAM),
        undefined("torch", 1),
    ),
    "it uses what a later one makes": (("print(w)", PROGRAM), undefined("w", 1)),
    "it is no Python": (("h = w_t * $x", PROGRAM), unparsed(1)),
}


@pytest.mark.parametrize(("blocks", "run"), LEFT_OUT.values(), ids=LEFT_OUT)
def test_it_is_left_out_and_that_is_said(blocks: tuple[str, ...], run: JobResult) -> None:
    fewer = without_block_in_the_way(asked(*blocks), run)

    assert fewer is not None
    assert fewer.code == PROGRAM
    assert [s.first_line for s in fewer.snippets] == [1]
    assert f"the block that begins with `{blocks[0]}` was left out" in fewer.notes[-1]


KEPT = {
    "nothing makes the name": (("print(x)", PROGRAM), undefined("x", 1), "Why?"),
    "it makes what the others need": (("v = w\nu = 1", f"{PROGRAM}\nprint(u)"),
                                      undefined("w", 1), "Why?"),
    "it makes the name itself, too late": (("print(w)\nw = 1", PROGRAM), undefined("w", 1), "Why?"),
    "it is all there is": ((PROGRAM,), undefined("torch", 1), "Why?"),
    "it is the longest": ((f"{PROGRAM}\nh = $x\ny = 1", "print(2)"), unparsed(5), "Why?"),
    "they ask about the syntax": (("h = $x", PROGRAM), unparsed(1), "Why is this invalid syntax?"),
    "another error": (("print(1 / 0)", PROGRAM), failed("division", "ZeroDivisionError", line=1),
                      "Why?"),
}  # fmt: skip


@pytest.mark.parametrize(("blocks", "run", "text"), KEPT.values(), ids=KEPT)
def test_every_other_block_stays(blocks: tuple[str, ...], run: JobResult, text: str) -> None:
    assert without_block_in_the_way(asked(*blocks, text=text), run) is None
