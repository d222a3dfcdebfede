"""Mend what only the text of the code shows, or a run noted: its line is run, and so is the edit.

A remark says what a line does instead of what it looks like, and its rule may know the edit. Where
nothing else is wrong, the code is run over that line, with placeholders and calls if need be; the
edit is run beside it, with all the checks of a fix. It stays an alternative: no run has shown the
mistake, so it supposes that the line is a slip. Where what stands for the person's values stops the
run behind the line, the edit has to come as far, and is shown in part.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from bot.diagnosis.answer import remarks_of
from bot.diagnosis.diagnosis import Diagnosis
from bot.diagnosis.first_known import raising
from bot.diagnosis.own_error import posted
from bot.diagnosis.rebuild import run_to_end
from bot.diagnosis.reproduction import Reproduced
from executor.errors import family_of
from executor.protocol import ErrorSeen, Finding, Job, JobResult, JobRunner, Outcome, Probe, Remark
from executor.service.client import ExecutorClient
from knowledge.repair import engine
from knowledge.repair.by_finding import load_one
from knowledge.repair.fix import Fix
from knowledge.repair.verify import same_error

_NAME = 60  # letters of a message that stand for a name
# How a rule begins what it tells, where that depends on something.
_SUPPOSES = re.compile(r"a mistake if ([^:]{1,120}): ")


async def mend_what_is_read(executor: ExecutorClient, known: Diagnosis) -> Diagnosis:
    """The diagnosis with the edits of what its text shows first; as it was where none holds.

    Raises:
        ExecutorError: the executor is gone or full.
    """
    seen = known.reproduced
    if seen is None or (known.mistake.is_there and not known.missing):
        return known
    if (noted := await _without_the_note(executor, known, seen)) is not None:
        return noted
    remarks = [r for r in remarks_of(known, seen.run) if r.line]
    told = next(iter(remarks), None)
    if (pasted := posted(known.question)) is not None:
        family = family_of(pasted.type, pasted.message)
        told = raising(remarks, family.id) if family is not None else None
    if told is None or (told.aside and not known.missing):
        return known
    shown = await _over_the_line(executor, known, seen.job, told)
    if shown is None:
        return known
    stopped = shown.run.error
    caused = stopped is not None and raising([told], stopped.family) is not None
    as_far = _AsFar(executor, told.kind, stopped, caused)
    before = _as_ended(shown.run, stopped)
    repairs = await engine.repair(
        as_far, [load_one("as_told")], shown.job, before, None, known.question.text
    )
    if repairs.fix is None and not repairs.alternatives:
        return known
    supposed = _SUPPOSES.match(told.message)
    repairs = replace(
        repairs, alternatives=tuple(_supposing(fix, supposed) for fix in repairs.alternatives)
    )
    if stopped is not None:
        found = tuple(_in_part(fix) for fix in (repairs.fix, *repairs.alternatives) if fix)
        repairs = replace(repairs, fix=None, alternatives=found)
    shown = replace(shown, run=before)
    return replace(known, reproduced=shown, mistake=shown.mistake, missing="", repairs=repairs)


async def _without_the_note(
    executor: ExecutorClient, known: Diagnosis, seen: Reproduced
) -> Diagnosis | None:
    """The diagnosis with the fix of what the run noted, where an edit is known and holds.

    A note may be meant so, and becomes a mistake only beside the edit that a run has shown right.
    """
    noted = next((f for f in seen.run.findings if not f.mistake and f.facts.get("ways")), None)
    if noted is None or known.missing or posted(known.question) is not None:
        return None
    job = seen.job.model_copy(update={"remarks": False, "constructs": False})
    as_mistakes = _AsMistakes(executor, noted)
    before = as_mistakes.of(seen.run)
    asked = known.question.text
    repairs = await engine.repair(as_mistakes, [load_one("as_told")], job, before, None, asked)
    if repairs.fix is None:
        return None
    shown = replace(seen, run=before)
    return replace(known, reproduced=shown, mistake=shown.mistake, repairs=repairs)


@dataclass(frozen=True)
class _AsMistakes:
    """Runs jobs as the executor does, and takes one kind of note for a mistake."""

    executor: JobRunner
    noted: Finding

    async def run(self, job: Job) -> JobResult:
        """Run it."""
        return self.of(await self.executor.run(job))

    def of(self, run: JobResult) -> JobResult:
        """The run, with what is noted alike as mistakes."""
        alike = (
            # Without a name it would be taken for whatever else PyTorch warns of.
            f.model_copy(update={"mistake": True, "name": f.name or f.message[:_NAME]})
            if self._is_alike(f)
            else f
            for f in run.findings
        )
        return run.model_copy(update={"findings": tuple(alike)})

    def _is_alike(self, other: Finding) -> bool:
        same = self.noted.kind != "pytorch_warns" or self.noted.message == other.message
        return self.noted.kind == other.kind and same


def _supposing(fix: Fix, supposed: re.Match[str] | None) -> Fix:
    """With what the rule supposes, where it says that, in the place of a slip."""
    return fix.model_copy(update={"intent": supposed[1]}) if supposed else fix


async def _over_the_line(
    executor: ExecutorClient, known: Diagnosis, job: Job, told: Remark
) -> Reproduced | None:
    """A run that came to the line, with the rule's finding as its only mistake."""
    looking: dict[str, Any] = {"mends": True, "remarks": False, "constructs": False, "cut": False}
    probes = {"probes": (Probe.STATEMENTS,)}
    run = await executor.run(job.model_copy(update=looking | probes))
    edited = [f for f in run.findings if f.by_text and f.kind == told.kind]
    lines = sorted({n for f in edited for way in f.facts["ways"][:1] for n in _lines_of(way)})
    if not edited:
        return None  # its rule knows no edit
    if run.outcome is not Outcome.OK or not _went_over(run, lines):
        bare = Job(code=job.code, files=job.files, wall_s=job.wall_s, device=job.device)
        found = await run_to_end(executor, known.question, bare, lines)
        if found.job is None:
            return None
        job = found.job
        run = await executor.run(job.model_copy(update=looking | probes))
        if run.outcome not in (Outcome.OK, Outcome.ERROR) or not _went_over(run, lines):
            return None
    run = _of_kind(run, told.kind).model_copy(update={"statements": ()})
    return Reproduced(run, job.model_copy(update=looking))


def _of_kind(run: JobResult, kind: str) -> JobResult:
    """A run without the other mistakes of the text: one is mended at a time."""
    kept = tuple(f for f in run.findings if not f.by_text or f.kind == kind)
    return run.model_copy(update={"findings": kept})


def _lines_of(way: Mapping[str, Any]) -> Iterator[int]:
    """The lines that an edit changes, or moves a statement to."""
    spans = [*(span for span, _ in way.get("places", ())), *way.get("moves", ())]
    spans += [span for _, span, _ in way.get("add", ()) if span]
    if "by" in way:
        spans.append(way["by"])
    return (span[0] for span in spans)


def _went_over(run: JobResult, lines: Sequence[int]) -> bool:
    """Whether the statements on these lines were carried out."""
    for line in lines:
        around = [s for s in run.statements if s.first <= line <= s.last]
        if not around or not min(around, key=lambda s: s.last - s.first).times:
            return False
    return True


@dataclass(frozen=True)
class _AsFar:
    """Runs jobs as the executor does; one that ends where the original did has come as far.

    With another error too, where the mistake itself raises such errors as the original's.
    """

    executor: JobRunner
    kind: str
    stopped: ErrorSeen | None
    caused: bool

    async def run(self, job: Job) -> JobResult:
        """Run it."""
        run = _of_kind(await self.executor.run(job), self.kind)
        return _as_ended(run, self.stopped, caused=self.caused)


def _as_ended(run: JobResult, stopped: ErrorSeen | None, *, caused: bool = False) -> JobResult:
    """A run that a placeholder stopped at its place, as one that ended there."""
    if stopped is None or run.error is None or run.error.code != stopped.code:
        return run
    same = same_error(run.error, stopped)
    if not same and not caused:
        return run
    at = f"at line {stopped.line}" if stopped.line else "in a call that was added"
    at += ", as it does without the edit" if same else ", and no longer with the error that it had"
    at += f" ({run.error.type}, perhaps of what stands for your values)"
    return run.model_copy(update={"outcome": Outcome.OK, "error": None, "detail": at})


def _in_part(fix: Fix) -> Fix:
    """A fix whose run stopped where the original did, as no more than that."""
    if fix.result is None or not fix.result.detail:
        return fix  # with the edit it came to its end
    said = {"shown": "partly", "stops": fix.result.detail, "intent": ""}
    return fix.model_copy(update={"verified": False, **said})
