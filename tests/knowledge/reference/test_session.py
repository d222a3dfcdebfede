"""knowledge/reference/session.py: an example is shown as typed, with what it really printed."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from executor.protocol import JobResult, Outcome
from executor.service.client import ExecutorClient
from knowledge.reference.examples import EXAMPLES
from knowledge.reference.session import Example, example_job, imports, read_session, session


def played(code: str, name: str = "torch.topk") -> list[str]:
    return session(Example(name=name, code=code))


@pytest.mark.parametrize(
    ("code", "lines"),
    [
        ("1 + 1", [">>> 1 + 1", "2"]),
        ("x = 2\nx  # two", [">>> x = 2", ">>> x  # two", "2"]),
        (
            "for i in (1, 2):\n    print(i)",
            [">>> for i in (1, 2):", "...     print(i)", "1", "2"],
        ),
        (
            "y = torch.ones(2, 3)",
            [">>> import torch", ">>> y = torch.ones(2, 3)", ">>> y.shape", "torch.Size([2, 3])"],
        ),
        ("None", [">>> None"]),
    ],
)
def test_a_session_is_what_one_would_see(code: str, lines: list[str]):
    """Values are shown as Python shows them; what prints nothing shows its last tensor's shape."""
    assert played(code) == lines


def test_a_long_session_ends_after_a_whole_statement():
    """And one statement's long output is cut."""
    lines = played("\n".join(f"print({n})" for n in range(30)))
    assert len(lines) <= 18
    assert lines[-1] == "8"

    assert played("for i in range(50): print(i)")[-2:] == ["11", "…"]


@pytest.mark.parametrize(
    ("code", "name", "needed"),
    [
        ("nn.Linear(2, F.x)", "torch.topk", {"from torch import nn",
                                             "import torch.nn.functional as F"}),
        ("random_split(range(3), [1, 2])", "torch.utils.data.random_split",
         {"from torch.utils.data import random_split"}),
        ("Normal(0, 1)", "torch.distributions.Distribution.rsample",
         {"from torch.distributions import Normal"}),
        ("def f(torch):\n    return torch", "torch.topk", set()),
        ("from torch import nn\nnn.Linear(1, 1)", "torch.topk", set()),
        ("unheard_of(3)", "torch.topk", set()),
    ],
)  # fmt: skip
def test_the_imports_that_an_example_needs_are_shown(code: str, name: str, needed: set[str]):
    """What is pasted has to run."""
    assert set(imports(ast.parse(code), name)) == needed


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_of_ours_runs_and_shows_something(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """None is left out of an answer, and none is cut."""
    monkeypatch.chdir(tmp_path)
    lines = played(EXAMPLES[name], name)

    assert any(not line.startswith((">>>", "...")) for line in lines), lines
    assert all(" at 0x" not in line for line in lines)
    assert lines[-1] not in ("…", ">>> ")
    last = EXAMPLES[name].splitlines()[-1]
    assert any(line.endswith(last) for line in lines), "its last statement is not shown"


async def test_an_example_runs_in_the_jail(executor: ExecutorClient):
    """And one that fails shows nothing."""
    good = await executor.run(example_job(Example(name="torch.topk", code="torch.arange(3)")))
    assert read_session(good) == ">>> import torch\n>>> torch.arange(3)\ntensor([0, 1, 2])"

    bad = await executor.run(example_job(Example(name="torch.topk", code="1\nself.x")))
    assert read_session(bad) == ""


@pytest.mark.parametrize(
    ("result", "shown"),
    [
        (JobResult(outcome=Outcome.OK, stdout=">>> 1\n1\n"), ">>> 1\n1"),
        (JobResult(outcome=Outcome.OK, stdout=">>> x = 1\n"), ""),  # it shows nothing
        (JobResult(outcome=Outcome.OK, stdout=">>> f\n<f object at 0x7f00>\n"), ""),
        (JobResult(outcome=Outcome.OK, stdout=">>> 1\n1\n", dropped_bytes=3), ""),
        (JobResult(outcome=Outcome.ERROR, stdout=">>> 1\n1\n"), ""),
        (JobResult(outcome=Outcome.TIMEOUT, stdout=">>> 1\n1\n"), ""),
    ],
)
def test_only_a_whole_run_that_shows_something_is_shown(result: JobResult, shown: str):
    """What did not run to its end is not quoted, nor addresses that mean nothing."""
    assert read_session(result) == shown
