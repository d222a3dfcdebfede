"""knowledge/repair/proposing.py: the job that asks operators, and which edits it drops."""

from __future__ import annotations

import base64
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from executor.protocol import File, Frame, Job, JobResult, Outcome, Trial
from knowledge.repair import proposing
from knowledge.repair.check import Check
from knowledge.repair.codemod import PROPOSALS, Proposal, Proposed, proposal_job
from knowledge.repair.operator import load_operators
from knowledge.repair.proposing import edits_job, either_job, propose_edits, read_edits
from tests.built import failed, ran

CODE = "x = make()\ny = solve(x)\nprint(y)\n"
MESSAGE = "expected scalar type Float but found Long"
BEFORE = failed(MESSAGE, line=2, code="solve(x)").model_copy(
    update={"frames": (Frame(function="<module>", line=2),)}
)


class Dead:
    """The dead frame of CODE: `x` holds whole numbers, and only floats can be solved for."""

    def __init__(self) -> None:
        import torch

        def solve(x: Any, y: Any = None) -> Any:
            if x.dtype is not torch.float32:
                raise RuntimeError(MESSAGE)
            return x

        self.error: BaseException = RuntimeError(MESSAGE)
        self.names: list[dict[str, Any]] = [
            {"x": torch.arange(3), "solve": solve, "w": torch.ones(3)}
        ]
        self.spans: list[Any] = [(2, 4, 2, 12)]

    def value(self, expression: str, frame: int = -1) -> Any:
        return eval(expression, self.names[frame])


def proposed(
    folder: Path,
    trial: Trial | None,
    code: str = "x = make()\ny = solve(x, w)\nprint(y)\n",
    left_s: float = 6.0,
    asked: list[tuple[float, float]] | None = None,
) -> list[str]:
    """The codes that the job gives back, where every trial ends like this one.

    `asked` takes how long one trial may take, and all of them.
    """
    job = edits_job(load_operators(), Job(code=code), BEFORE, left_s=left_s)
    for file in job.files:
        (folder / file.name).write_bytes(base64.b64decode(file.base64))
    dead = Dead()
    dead.spans = [(2, 4, 2, 15)]

    def at_the_failure(job: Job, look: Callable[[Any], bytes], longest_s: float, /) -> bytes | None:
        return look(dead)

    def try_programs(jobs: Sequence[Job], each_s: float, budget_s: float) -> list[Trial | None]:
        if asked is not None:
            asked.append((each_s, budget_s))
        return [trial] * len(jobs)

    propose_edits(at_the_failure, try_programs, folder)
    text = (folder / "edits.json").read_bytes()
    result = ran(files=(File(name="edits.json", base64=base64.b64encode(text).decode()),))
    return [p.code.splitlines()[1] for p in read_edits(result).proposals]


@pytest.mark.parametrize(
    ("trial", "kept"),
    [
        (Trial(ok=True, stdout="1\n"), True),
        (None, False),  # the time did not reach it
        (Trial(type="Timeout"), False),
        (Trial(type="RuntimeError", message=MESSAGE, lines=(2,)), False),  # still the same
        (Trial(type="RuntimeError", message=MESSAGE, lines=(3,)), True),  # the next line's
        (Trial(type="ValueError", message="another one", lines=(2,)), True),
        (Trial(type="NameError", message="name 'z' is not defined", lines=(3,)), False),
        (
            Trial(type="NameError", message="name 'make' is not defined", lines=(3,)),
            True,
        ),  # its own
    ],
)
def test_an_edit_is_dropped_where_its_trial_shows_the_error(
    tmp_path: Path, trial: Trial | None, kept: bool
):
    """One row for each way that a trial ends."""
    assert ("y = solve(x.float(), w)" in proposed(tmp_path, trial)) is kept


@pytest.mark.parametrize(
    ("left_s", "longest_s"), [(100.0, (0.7, 3.0)), (2.0, (0.7, 1.0)), (0.5, (0.25, 0.25))]
)
def test_trials_leave_half_of_the_time_to_the_runs_that_follow(
    tmp_path: Path, left_s: float, longest_s: tuple[float, float]
):
    """The search's own time; what this process had its forks compute before is no part of it."""
    asked: list[tuple[float, float]] = []
    proposed(tmp_path, Trial(ok=True), left_s=left_s, asked=asked)

    assert asked == [pytest.approx(longest_s, abs=0.01)]


def test_no_edit_is_tried_where_the_time_is_over(tmp_path: Path):
    """The program itself has spent it."""
    asked: list[tuple[float, float]] = []

    assert proposed(tmp_path, Trial(ok=True), left_s=-1.0, asked=asked) == []
    assert asked == []


def test_an_edit_that_raises_the_same_in_the_dead_frame_is_not_tried(tmp_path: Path):
    """`w` cast to what `x` is: the failing expression itself says that nothing is gained."""
    assert proposed(tmp_path, Trial(ok=True)) == ["y = solve(x.float(), w)"]


def test_the_order_does_not_stay_beside_the_program(tmp_path: Path):
    """A program that lists its folder sees its own files."""
    proposed(tmp_path, Trial(ok=True))

    assert [p.name for p in tmp_path.iterdir()] == ["edits.json"]


@pytest.mark.parametrize(
    "result", [ran(), failed("it broke"), ran(outcome=Outcome.TIMEOUT),
               ran(files=(File(name="edits.json", base64=base64.b64encode(b"{").decode()),))]
)  # fmt: skip
def test_a_job_that_tells_nothing_is_named(result: JobResult):
    """Its problem is said with the answer, and nothing is offered."""
    found = read_edits(result)

    assert found.proposals == ()
    assert "no operator could propose an edit" in found.problems[0]


SLIP = "x = make()\ny = solve(x, w)\nprint(y.view(2))\n"


class Codemods:
    """What one codemod proposes, with what its code alone says of it."""

    def __init__(self, *passed: bool) -> None:
        self._passed = passed

    def __call__(self, folder: Path) -> None:
        rows = tuple(
            Proposal(codemod="one", title=f"{n}", code=SLIP, checks=(Check(name="c", passed=p),))
            for n, p in enumerate(self._passed)
        )
        (folder / PROPOSALS).write_text(Proposed(proposals=rows).model_dump_json())


@pytest.mark.parametrize(
    ("codemods", "asked"),
    [
        (Codemods(), True),
        (Codemods(False, False), True),
        (Codemods(False, True), False),
        (Codemods(True), False),
    ],
)
def test_operators_are_asked_where_no_codemod_offers_what_may_be_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, codemods: Codemods, asked: bool
):
    """In the same job; a program that lists its folder finds nothing of either."""
    monkeypatch.setattr(proposing, "propose", codemods)
    edits = edits_job(load_operators(), Job(code=SLIP), BEFORE)
    job = either_job(proposal_job([], SLIP, BEFORE), edits)
    assert job is not None
    for file in job.files:
        (tmp_path / file.name).write_bytes(base64.b64decode(file.base64))
    seen: list[list[str]] = []

    def at_the_failure(job: Job, look: Callable[[Any], bytes], longest_s: float, /) -> None:
        seen.append([path.name for path in tmp_path.iterdir()])

    proposing.propose_either(at_the_failure, lambda *_: [], tmp_path)

    assert seen == ([[]] if asked else [])
    assert (tmp_path / PROPOSALS).exists() and (tmp_path / "edits.json").exists() is asked


def test_a_program_with_a_file_of_a_name_that_is_needed_gets_two_jobs():
    """Its own file would be taken for the order."""
    order = File(name="order.json", base64="e30=")
    edits = edits_job(load_operators(), Job(code=SLIP, files=(order,)), BEFORE)

    assert either_job(proposal_job([], SLIP, BEFORE), edits) is None
