"""Run one candidate and judge it: verified only if every check holds."""

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from executor.errors import is_a
from executor.protocol import Job, JobResult, JobRunner, Outcome, Probe
from knowledge.repair import verify
from knowledge.repair.budget import Budget
from knowledge.repair.check import Check
from knowledge.repair.checks.runs import Tried, checks_of_runs
from knowledge.repair.codemod import Codemod, Proposal
from knowledge.repair.fix import Fix
from knowledge.repair.mistake import mistake, without_what_is_shown
from knowledge.repair.operator import Operator
from knowledge.repair.rerun import look_at_influence, run_and_look
from knowledge.repair.stated import prints_as_stated
from knowledge.repair.stops import WhyStopped, never, stop_of

_NO_NUMBER = re.compile(r"(?<![\w.])-?nan\b")  # as a tensor or a number is printed


@dataclass(frozen=True)
class Step:
    """One rewrite on the way: whose it is, and the run whose mistake it removes."""

    codemod: Codemod | Operator
    proposal: Proposal
    before: JobResult
    reference: JobResult | None


async def judge(
    executor: JobRunner,
    codemod: Codemod | Operator,
    proposal: Proposal,
    job: Job,
    before: JobResult,
    reference: JobResult | None,
) -> Fix:
    """Run one candidate and judge it: verified only if every check holds."""
    original = Original(executor, job, before)
    step = Step(codemod, proposal, before, reference)
    fix, _ = await judge_steps(executor, (step,), job, original)
    return fix


class Original:
    """The snippet's own run, and what it shows about its lines where a candidate asks for that."""

    def __init__(
        self, executor: JobRunner, job: Job, run: JobResult, why: WhyStopped = never
    ) -> None:
        """Take them.

        Args:
            executor: where it is looked at again.
            job: the snippet's.
            run: what it did.
            why: says what stops a candidate's run, where that is not the code.
        """
        self.run = run
        self.why = why
        self._executor = executor
        self._job = job
        self._once = asyncio.Lock()
        self._seen: JobResult | None = None

    def saw(self, run: JobResult) -> None:
        """Keep the run as it was looked at by somebody else, if that showed anything."""
        if run.influence is not None:
            self._seen = run

    async def with_influence(self, reference: JobResult | None) -> JobResult:
        """The reference (or the run, where there is none) with its influence; looked at once."""
        async with self._once:
            if self._seen is None:
                self._seen = await look_at_influence(self._executor, self._job, self.run)
        influence = self._seen.influence
        return (reference or self.run).model_copy(update={"influence": influence})


async def judge_steps(
    executor: JobRunner,
    steps: tuple[Step, ...],
    job: Job,
    original: Original,
    settled: int = 0,
) -> tuple[Fix, JobResult]:
    first, last = steps[0], steps[-1]
    before = original.run
    code = last.proposal.code
    wall_s = executor.limit_s(job, before) if isinstance(executor, Budget) else job.wall_s
    again = job.model_copy(update={"code": code, "wall_s": wall_s})
    after = await run_and_look(executor, again, before, Probe.GRADIENTS)
    stops = stop_of(before, after, job.code, code, original.why)
    limited = bool(stops) and after.outcome is not Outcome.ERROR
    checks = [
        *verify.checks(
            before, without_what_is_shown(after, before, job.code), first.reference, stops
        ),
        *(
            c
            for s in steps[settled:]
            for c in verify.checks_of(s.codemod, s.proposal, s.before, after, s.reference)
        ),
        *(c for s in steps for c in s.proposal.checks),
    ]
    holds = all(c.passed for c in checks)
    if holds and isinstance(executor, Budget) and not executor.may_go_on():
        up = "the search's time was up, and another candidate came first"
        checks.append(Check(name="time", passed=False, detail=up))
    if all(c.passed for c in checks) and _lacks_a_gpu(before):
        checks.append(await _as_on_gpu(executor, job, code))
    if all(c.passed for c in checks):
        reference = first.reference
        if not limited:  # a run that was stopped by the clock has no report
            reference = await original.with_influence(first.reference)
        tried = Tried(job.code, code, before, after, reference, mistake(before))
        checks += checks_of_runs(tried)
    if all(c.passed for c in checks) and not limited:
        checks.append(await _minimal(executor, steps, job, before, after))
    made = tuple((s.codemod.slug, s.proposal) for s in steps)
    return _fix(made, job, checks, after, stops), after


def _lacks_a_gpu(before: JobResult) -> bool:
    error = mistake(before).error
    return error is not None and is_a(error, "cuda_not_compiled", "gpu_missing")


async def _as_on_gpu(executor: JobRunner, job: Job, code: str) -> Check:
    """A fix for want of a GPU has to run where there is one too: on the simulated device."""
    there = job.model_copy(update={"code": code, "simulate": "cuda"})
    wrong = mistake(await executor.run(there)).error
    if wrong is None:
        return Check(name="with a GPU", passed=True, detail="it runs on a simulated device too")
    at = f" at line {wrong.line}" if wrong.line else ""
    detail = f"on a simulated device it ends with {wrong.type}{at}"
    return Check(name="with a GPU", passed=False, detail=detail)


def supposes(way: Sequence[Step], fix: Fix, code: str) -> bool:
    """Whether a fix may not be called the fix: it took something for granted that the code does
    not state, or what comes out is no number. A line that never could run, and needed a second edit
    when it could, was perhaps not thought through.

    Args:
        way: the steps that led to it.
        fix: what came of them.
        code: the snippet.
    """
    assert fix.result is not None
    if _NO_NUMBER.search(fix.result.stdout) and not _NO_NUMBER.search(fix.code):
        return True
    supposed = _names_and_mends(way, code) or any(
        step.proposal.supposes
        or (step.proposal.by_text and not is_decided(step.before, fix.result))
        for step in way
    )
    return supposed and not prints_as_stated(fix.code, fix.result.stdout)


def _names_and_mends(way: Sequence[Step], code: str) -> bool:
    """Whether a line called what is not there, with what that does not take: both were mended."""
    named: set[int] = set()  # the lines whose name was put right
    for step in way:
        error, was = step.before.error, code.splitlines()
        code = step.proposal.code
        line = error.line if error is not None else None
        if not line or was[line - 1 : line] == [] or was[line - 1] in code.splitlines():
            continue
        if line in named:
            return True
        if error is not None and error.type == "AttributeError":
            named.add(line)
    return False


def is_decided(before: JobResult, after: JobResult) -> bool:
    """Whether the runs show that a mistake was there and is gone: one that a probe saw.

    So is a part of the model that no gradient reached, and that gets one now; and what was
    witnessed of the very thing that the text shows no more.
    """
    texts = [{f.kind for f in run.findings if f.by_text} for run in (before, after)]
    if (set(before.witnessed) - set(after.witnessed)) & (texts[0] - texts[1]):
        return True
    seen = {
        (f.kind, f.name)
        for f in before.findings
        if not f.by_text and (f.mistake or f.kind == "unused_parameters")
    }
    return bool(seen - {(f.kind, f.name) for f in after.findings})


def refused_unrun(before: tuple[Step, ...], proposal: Proposal, job: Job) -> Fix:
    """A rewrite that its code alone speaks against."""
    steps = (*((s.codemod.slug, s.proposal) for s in before), (proposal.codemod, proposal))
    return _fix(steps, job, [c for _, p in steps for c in p.checks], None)


def _fix(
    steps: Sequence[tuple[str, Proposal]],
    job: Job,
    checks: Sequence[Check],
    after: JobResult | None,
    stops: str = "",
) -> Fix:
    """All steps as one Fix: verified if it was run to its end and every check holds."""
    holds = after is not None and all(c.passed for c in checks)
    (slug, first), (_, last) = steps[0], steps[-1]
    return Fix(
        codemod=slug,
        title=first.title,
        steps=tuple(p.title for _, p in steps) if len(steps) > 1 else (),
        intent="; ".join(dict.fromkeys(p.intent for _, p in steps if p.intent)),
        diff=verify.diff(job.code, last.code),
        code=last.code,
        verified=holds and not stops,
        shown=("partly" if stops else "verified") if holds else "",
        stops=stops if holds else "",
        checks=tuple(checks),
        result=after.model_copy(update={"values": None, "influence": None})
        if after is not None
        else None,
    )


async def _minimal(
    executor: JobRunner, steps: tuple[Step, ...], job: Job, before: JobResult, after: JobResult
) -> Check:
    """Each place of the change is needed: with any one undone the mistake is back."""
    names = [s.proposal.new_name for s in steps if s.proposal.new_name]
    together = any(s.proposal.as_one for s in steps)
    variants = (
        [] if together else verify.with_each_place_undone(job.code, steps[-1].proposal.code, names)
    )
    # What the fix leaves says nothing of its places: it is there with each of them undone.
    mistakes = [verify.removed(run, after) for run in (before, *(s.before for s in steps[1:]))]
    # The last step undone is where that step began, and that has been run.
    known = {a.proposal.code: b.before for a, b in pairwise(steps)}

    async def run(code: str) -> JobResult:
        return known.get(code) or await executor.run(job.model_copy(update={"code": code}))

    stopped = after if after.outcome is not Outcome.OK else None
    return verify.undone(await asyncio.gather(*map(run, variants)), *mistakes, stopped=stopped)
