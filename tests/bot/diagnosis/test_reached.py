"""bot/diagnosis/reached.py: which posted lines a run left out, and what is said of it."""

from __future__ import annotations

import pytest

from bot.diagnosis.reached import never_come_to, never_entered, was_reached
from bot.diagnosis.reproduction import reproduce
from bot.diagnosis.wording import no_error
from bot.models import PastedTraceback, PostedLine, PostedReading, Question, Snippet, TracebackFrame
from executor.protocol import (
    MODULE,
    Job,
    JobResult,
    Outcome,
    Placeholder,
    Probe,
    Remark,
    StatementSeen,
)
from executor.service.client import ExecutorClient
from tests.built import RecordedExecutor, failed, found, ran

CODE = """\
import torch
window = torch.ones(4)

def back(x):
    y = x * window
    return torch.istft(y)

class Net:
    def use(self, x):
        return x
print(window)
"""
IDLE = (
    StatementSeen(kind="import", first=1, last=1, times=1),
    StatementSeen(kind="assign", first=2, last=2, times=1),
    StatementSeen(kind="functiondef", first=4, last=6, times=1),
    StatementSeen(kind="assign", first=5, last=5, inside=("functiondef",)),
    StatementSeen(kind="return", first=6, last=6, inside=("functiondef",)),
    StatementSeen(kind="classdef", first=8, last=10, times=1),
    StatementSeen(kind="functiondef", first=9, last=10, inside=("classdef",), times=1),
    StatementSeen(kind="return", first=10, last=10, inside=("classdef", "functiondef")),
    StatementSeen(kind="expr", first=11, last=11, times=1),
)
CALLED = tuple(
    s.model_copy(update={"times": 2}) if s.inside == ("functiondef",) else s for s in IDLE
)


def pasted(line: str = "", file: str = "a.py", type: str = "RuntimeError") -> PastedTraceback:
    """An error, and the line at which its traceback ends."""
    frames = (TracebackFrame(file=file, line=3, function="f", code=line),) if line else ()
    return PastedTraceback(type=type, message="no", frames=frames)


def pointing(*codes: str) -> PostedReading:
    """What an error's values point to."""
    fitting = tuple(PostedLine(line=None, code=code) for code in codes)
    return PostedReading(type="RuntimeError", message="no", fitting=fitting)


def asked(error: PastedTraceback | None = None, code: str = CODE) -> Question:
    """A post with this code."""
    return Question(text="", traceback=error, snippets=(Snippet(code=code),))


@pytest.mark.parametrize(
    ("error", "reading", "statements", "line"),
    [
        (pasted("return torch.istft(y)"), None, IDLE, "return torch.istft(y)"),
        (pasted("return torch.istft(y)"), None, CALLED, ""),
        (pasted("return torch.istft(y)"), None, (), ""),  # nobody looked
        (pasted("window = torch.ones(4)"), None, IDLE, ""),
        (pasted("z = 3"), None, IDLE, ""),  # of which another sentence tells
        (pasted(), None, IDLE, ""),
        (pasted(), pointing("return torch.istft(y)"), IDLE, "return torch.istft(y)"),
        (pasted(), pointing("return torch.istft(y)"), CALLED, ""),
        # One of two ran, and may have raised it.
        (pasted(), pointing("return torch.istft(y)", "window = torch.ones(4)"), IDLE, ""),
        # The traceback says which of them it was.
        (pasted("window = torch.ones(4)"), pointing("return torch.istft(y)"), IDLE, ""),
    ],
)
def test_the_line_that_raised_an_error_and_never_ran(
    error: PastedTraceback,
    reading: PostedReading | None,
    statements: tuple[StatementSeen, ...],
    line: str,
):
    """By the traceback, else by the message's own values."""
    assert never_come_to(error, reading, asked(error), ran(statements=statements)) == line


def test_what_is_defined_and_never_entered():
    """A function of which a line ran was called, and so was a class's method."""
    assert never_entered(asked(), ran(statements=IDLE)) == ["back", "Net"]
    assert never_entered(asked(), ran(statements=CALLED)) == ["Net"]
    assert never_entered(asked(), ran()) == []
    assert [was_reached(n, ran(statements=IDLE)) for n in (2, 6, 7)] == [True, False, None]


@pytest.mark.parametrize(
    ("error", "run", "headline"),
    [
        (
            pasted("return torch.istft(y)"),
            ran(statements=IDLE),
            "Not tried here: nothing that was posted comes to `return torch.istft(y)`; the rest "
            "runs with torch 2.13.0 on CPU.",
        ),
        (
            pasted(),
            ran(statements=IDLE),
            "Runs here with torch 2.13.0 on CPU, but `back` and `Net` are never called: whether "
            "the RuntimeError comes up is not known.",
        ),
        (
            pasted("return torch.istft(y)"),
            ran(statements=CALLED[:5]),
            "Runs here: the RuntimeError does not come up with torch 2.13.0 on CPU",
        ),
        (
            None,
            ran(statements=CALLED),
            "Runs here with torch 2.13.0 on CPU, but `Net` is never called; post the lines that do",
        ),
        (None, ran(statements=CALLED[:5]), "Runs here with torch 2.13.0 on CPU: nothing is raised"),
        # Out of a library that the posted code does not use.
        (
            pasted("from vision import io", "/env/lib/site-packages/vision/__init__.py"),
            ran(),
            "What was posted runs here with torch 2.13.0 on CPU; `vision`, which your traceback "
            "comes out of, is not a part of it.",
        ),
        (
            pasted("return F.linear(x)", "/env/lib/site-packages/torch/nn/functional.py"),
            ran(),
            "Runs here: the RuntimeError does not come up",
        ),
    ],
)
def test_only_what_ran_is_said_to_run(error: PastedTraceback | None, run: JobResult, headline: str):
    """Of a line that never ran nobody knows what it raises here."""
    assert no_error.runs(asked(error), run).startswith(headline)


LEFT = Placeholder(name="flash_cuda", line=1, what="its import was left out", kind=MODULE)


@pytest.mark.parametrize(
    ("error", "is_tried"),
    [
        (
            PastedTraceback(type="ImportError", message="/env/flash_cuda.so: undefined symbol"),
            False,
        ),
        (PastedTraceback(type="RuntimeError", message="flash_cuda is old"), True),
        (PastedTraceback(type="ImportError", message="/env/flash_cuda2.so: undefined"), True),
        (pasted("launch()", "/env/site-packages/flash_cuda/run.py"), False),
        (pasted("launch()", "/env/site-packages/other/run.py"), True),
    ],
)
def test_what_comes_of_an_import_that_was_left_out_was_not_tried(
    error: PastedTraceback, is_tried: bool
):
    """Its file is named, or the traceback goes through it."""
    said = no_error.runs(asked(error, "import flash_cuda, other"), ran(stand_ins=(LEFT,)))

    assert said.startswith("Not tried here: `flash_cuda`") is not is_tried


def test_a_line_that_is_wrong_by_its_text_and_never_ran_is_seen_and_not_run():
    """Nothing is raised by what does not run."""
    remark = Remark(kind="k", line=6, code="return torch.istft(y)", message="it is so")

    assert no_error.runs_but(ran(statements=IDLE), remark).startswith("Seen in the code, not run")
    assert no_error.runs_but(ran(statements=CALLED), remark).startswith("Runs here")
    assert no_error.runs_but(ran(), remark).startswith("Runs here")


@pytest.mark.parametrize(
    ("run", "looks"),
    [
        (ran(), True),
        (ran(seconds=3.0), False),  # a trace makes it slower still
        (ran(only_definitions=True), False),  # that says it all
        (ran(findings=(found("loss_broadcasts"),)), False),  # what is wrong is known
        (failed("no"), False),
        (ran(outcome=Outcome.TIMEOUT), False),
    ],
)
async def test_code_that_ends_well_is_looked_at_once_more(run: JobResult, looks: bool):
    """To see which of its lines ran."""
    seen = await reproduce(
        RecordedExecutor({CODE: run, (CODE, "statements"): ran(statements=IDLE)}),  # type: ignore[arg-type]
        asked(),
        Job(code=CODE),
    )

    assert bool(seen.run.statements) is looks
    without = await reproduce(
        RecordedExecutor({"x = 1": run, ("x = 1", "statements"): ran(statements=IDLE)}),  # type: ignore[arg-type]
        asked(code="x = 1"),
        Job(code="x = 1"),
    )
    assert not without.run.statements  # without a function every line runs


@pytest.mark.parametrize(
    ("line", "looks"),
    [
        ("DataLoader(data, num_workers=2)", False),
        ("DataLoader(data, num_workers=0)", True),
        ("Process(target=back).start()", False),
        ("Process(target=back)", True),
        ("mp.spawn(back, nprocs=2)", False),
        ("torch.jit.script(back)", False),
    ],
)
async def test_what_runs_where_no_trace_hears_of_it_is_not_looked_at(line: str, looks: bool):
    """A worker may call what this process does not."""
    code = f"{CODE}{line}"
    table = {code: ran(), (code, "statements"): ran(statements=IDLE)}

    seen = await reproduce(RecordedExecutor(table), asked(code=code), Job(code=code))  # type: ignore[arg-type]

    assert bool(seen.run.statements) is looks


async def test_a_real_run_says_which_lines_it_left_out(executor: ExecutorClient):
    """Also of a function that is only handed on."""
    code = "def f(x):\n    return x\ndef g():\n    return 2\nmade = [f]\nprint(g())"

    seen = await reproduce(executor, asked(code=code), Job(code=code, probes=()))

    assert never_entered(asked(code=code), seen.run) == ["f"]
    called = "def main():\n    return [late]\ndef late():\n    return 2\n"
    by_us = await reproduce(executor, asked(code=called), Job(code=called))
    assert never_entered(asked(code=called), by_us.run) == ["late"]  # `main()` was added
    assert Probe.STATEMENTS not in seen.job.probes
