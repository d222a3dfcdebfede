"""Try the codemods on a snippet: every candidate is run, and only the checks call one verified.

A candidate that removes one mistake and runs into the next is carried on, up to four steps, and
so is a verified one that leaves mistakes which raise nothing; the diff and the checks are then
those of all its steps together.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

from executor.errors import is_a
from executor.protocol import Job, JobResult, Probe
from executor.service.client import ExecutorClient
from knowledge.repair import verify
from knowledge.repair.check import Check
from knowledge.repair.checks.runs import Tried, checks_of_runs
from knowledge.repair.codemod import (
    Chosen,
    Codemod,
    Proposal,
    choose,
    proposal_job,
    read_proposals,
)
from knowledge.repair.fix import Fix
from knowledge.repair.mistake import findings_left, leaves_less, mistake
from knowledge.repair.rerun import look_at_influence, rerun_with_probes
from knowledge.repair.stated import prints_as_stated

_AT_ONCE = 2  # candidates run side by side; the best come first, so few are ever needed
_MOST = 10  # candidates of one step
_STEPS = 4
_CARRIED_ON = 2  # candidates of one step that may be carried on


@dataclass(frozen=True)
class Repair:
    """What came of it: one fix, or several with different meanings, or neither."""

    fix: Fix | None = None
    alternatives: tuple[Fix, ...] = ()
    refused: tuple[Fix, ...] = ()
    problems: tuple[str, ...] = ()  # codemods that failed on this snippet, and how


@dataclass(frozen=True)
class Step:
    """One rewrite on the way: whose it is, and the run whose mistake it removes."""

    codemod: Codemod
    proposal: Proposal
    before: JobResult
    reference: JobResult | None


@dataclass(frozen=True)
class _State:
    """How far a repair has come: some code, what it does, and the steps that led to it."""

    job: Job
    run: JobResult
    reference: JobResult | None
    steps: tuple[Step, ...] = ()
    supposed: frozenset[str] = frozenset()  # the meanings there were where one was supposed
    settled: int = 0  # steps that a run has verified: their own checks compare with that run

    @property
    def intent(self) -> str:
        """What the person means, if the steps had to suppose something."""
        return next((s.proposal.intent for s in self.steps if s.proposal.intent), "")


@dataclass
class _StepResult:
    """What one step's candidates came to."""

    verified: list[Fix] = field(default_factory=list)
    reached: list[_State] = field(default_factory=list)  # where each verified one leads
    refused: list[Fix] = field(default_factory=list)
    further: list[_State] = field(default_factory=list)  # that moved on to another mistake
    intents: set[str] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)


def applicable(codemods: Sequence[Codemod], before: JobResult) -> Chosen:
    """The codemods whose mistake this run shows."""
    if not mistake(before).is_there:
        return Chosen()
    return choose(codemods, before)


async def repair(
    executor: ExecutorClient,
    codemods: Sequence[Codemod],
    job: Job,
    before: JobResult,
    reference: JobResult | None,
    asked: str = "",
) -> Repair:
    """Propose, run, check; where a candidate moves on to the next mistake, go on from there.

    Args:
        executor: where everything runs.
        codemods: all there are: a later step may need another one than the first.
        job: the original run's job.
        before: its result.
        reference: its result with the gradients it should have, for comparison.
        asked: the person's own words: they may say which of several meanings is theirs.
    """
    original = _Original(executor, job, before)
    states = [_State(job, before, reference)]
    refused: list[Fix] = []
    problems: list[str] = []
    for _ in range(_STEPS):
        further: list[_State] = []
        # States that mean different things are all seen through before one is believed.
        done = _StepResult(intents={intent for state in states for intent in state.supposed})
        for state in states:
            tried = await _step(executor, codemods, state, job, original, asked)
            problems += (p for p in tried.problems if p not in problems)
            refused += tried.refused
            further += tried.further
            done.verified += tried.verified
            done.reached += tried.reached
            done.intents |= tried.intents
            if tried.verified and not state.intent:
                done = tried
                break
        if done.verified:
            found = _outcome(done, refused, problems)
            if found.fix is None:
                return found
            reached = next(s for s in done.reached if s.job.code == found.fix.code)
            return await _with_the_rest(executor, codemods, found, reached, job, original, asked)
        states = further[:_CARRIED_ON]
        if not states:
            break
    return Repair(refused=tuple(refused), problems=tuple(problems))


async def _with_the_rest(
    executor: ExecutorClient,
    codemods: Sequence[Codemod],
    found: Repair,
    reached: _State,
    job: Job,
    original: _Original,
    asked: str,
) -> Repair:
    """Mend also what a single fix leaves, step by step.

    A further step counts only if there is one way, and if less is left after it: else the fix stays
    as it was, and what it leaves is said.
    """
    while found.fix is not None and len(reached.steps) < _STEPS and findings_left(reached.run):
        tried = await _step(executor, codemods, reached, job, original, asked)
        if len(tried.verified) != 1 or len(tried.intents) > 1:
            break
        if not leaves_less(tried.reached[0].run, reached.run):
            break
        found, reached = replace(found, fix=tried.verified[0]), tried.reached[0]
    return found


def _outcome(tried: _StepResult, refused: list[Fix], problems: list[str]) -> Repair:
    by_meaning: dict[str, Fix] = {}
    for fix in tried.verified:  # two states may have led to the same meaning
        by_meaning.setdefault(fix.intent or fix.code, fix)
    verified = list(by_meaning.values())
    as_stated = [f for f in verified if f.result and prints_as_stated(f.code, f.result.stdout)]
    if len(verified) > 1 and len(as_stated) == 1:  # the code itself says which one is meant
        fix = as_stated[0].model_copy(update={"intent": ""})
        return Repair(fix, (), tuple(refused), tuple(problems))
    if len(verified) > 1 or len(tried.intents) > 1:
        return Repair(None, tuple(verified), tuple(refused), tuple(problems))
    return Repair(verified[0], (), tuple(refused), tuple(problems))


async def _step(
    executor: ExecutorClient,
    codemods: Sequence[Codemod],
    state: _State,
    job: Job,
    original: _Original,
    asked: str,
) -> _StepResult:
    """Every candidate for the mistake that a state's run shows."""
    tried = _StepResult()
    if state.steps:  # the first state was looked at by whoever brought it
        run, reference = await rerun_with_probes(executor, state.job, state.run)
        state = replace(state, run=run, reference=reference)
    chosen = applicable(codemods, state.run)
    tried.problems += chosen.problems
    if not chosen.codemods:
        return tried
    proposed = read_proposals(
        await executor.run(proposal_job(chosen.codemods, state.job.code, state.run, asked))
    )
    tried.problems += proposed.problems
    if not proposed.proposals:
        return tried
    ordered = sorted(proposed.proposals, key=lambda p: verify.places(state.job.code, p.code))
    proposals = _distinct(ordered)
    for p in proposals:
        if not all(c.passed for c in p.checks):  # its code alone says that it is none: no run
            tried.refused.append(_refused_unrun(state, p, job))
    unserved = {p.intent for p in proposals if not all(c.passed for c in p.checks)} - {""}
    proposals = [p for p in proposals if all(c.passed for c in p.checks)]
    by_slug = {c.slug: c for c in chosen.codemods}
    if meant := [p for p in proposals if p.said and re.search(p.said, asked, re.IGNORECASE)]:
        proposals = [p.model_copy(update={"intent": ""}) for p in meant]
    if state.intent and any(p.intent == state.intent for p in proposals):
        # Supposed once, it holds further down.
        proposals = [p for p in proposals if p.intent in ("", state.intent)]
    tried.intents = {p.intent for p in proposals if p.intent}
    if tried.intents and not state.intent:  # a meaning that nothing serves is one still
        tried.intents |= unserved
    meanings: set[str] = set()
    forms: set[str] = set()  # of the codes that were verified
    for start in range(0, min(len(proposals), _MOST), _AT_ONCE):
        batch = [
            Step(by_slug[p.codemod], p, state.run, state.reference)
            for p in proposals[start : start + _AT_ONCE]
            if p.intent not in meanings
        ]
        judged = await asyncio.gather(
            *(
                _judge(executor, (*state.steps, step), job, original, state.settled)
                for step in batch
            )
        )
        for step, (fix, after) in zip(batch, judged, strict=True):
            form = step.proposal.form
            if fix.verified and form and form in forms:
                tried.intents.discard(step.proposal.intent)  # another codemod's, and the same
            elif fix.verified and step.proposal.intent not in meanings:
                tried.verified.append(fix)
                ahead = job.model_copy(update={"code": fix.code})
                way = (*state.steps, step)
                tried.reached.append(_State(ahead, after, None, way, settled=len(way)))
                meanings.add(step.proposal.intent)
                forms.add(form)
            elif not fix.verified:
                tried.refused.append(fix)
                if verify.moved_on(state.run, after, state.job.code, step.proposal.code):
                    ahead = job.model_copy(update={"code": step.proposal.code})
                    supposed = frozenset(tried.intents) or state.supposed
                    way = (*state.steps, step)
                    tried.further.append(_State(ahead, after, None, way, supposed))
        if tried.verified and meanings >= tried.intents:
            break
    return tried


def _distinct(proposals: Sequence[Proposal]) -> list[Proposal]:
    """The proposals without those that only spell an earlier one in another way.

    That two do the same in a run says less: on a mask of zeros every way to lay it does.
    """
    found: dict[tuple[str, str], Proposal] = {}
    for proposal in proposals:  # each codemod's own: another one's checks may hold of it
        found.setdefault((proposal.codemod, proposal.form or proposal.code), proposal)
    return list(found.values())


async def judge(
    executor: ExecutorClient,
    codemod: Codemod,
    proposal: Proposal,
    job: Job,
    before: JobResult,
    reference: JobResult | None,
) -> Fix:
    """Run one candidate and judge it: verified only if every check holds."""
    original = _Original(executor, job, before)
    step = Step(codemod, proposal, before, reference)
    fix, _ = await _judge(executor, (step,), job, original)
    return fix


class _Original:
    """The snippet's own run, and what it shows about its lines where a candidate asks for that."""

    def __init__(self, executor: ExecutorClient, job: Job, run: JobResult) -> None:
        self.run = run
        self._executor = executor
        self._job = job
        self._once = asyncio.Lock()
        self._seen: JobResult | None = None

    async def with_influence(self, reference: JobResult | None) -> JobResult:
        """The reference (or the run, where there is none) with its influence; looked at once."""
        async with self._once:
            if self._seen is None:
                self._seen = await look_at_influence(self._executor, self._job, self.run)
        influence = self._seen.influence
        return (reference or self.run).model_copy(update={"influence": influence})


async def _judge(
    executor: ExecutorClient,
    steps: tuple[Step, ...],
    job: Job,
    original: _Original,
    settled: int = 0,
) -> tuple[Fix, JobResult]:
    first, last = steps[0], steps[-1]
    before = original.run
    code = last.proposal.code
    again = job.model_copy(update={"code": code, "probes": (Probe.GRADIENTS,)})
    after = await executor.run(again)
    checks = [
        *verify.checks(before, after, first.reference),
        *(
            c
            for s in steps[settled:]
            for c in verify.checks_of(s.codemod, s.proposal, s.before, after, s.reference)
        ),
        *(c for s in steps for c in s.proposal.checks),
    ]
    if all(c.passed for c in checks) and _lacks_a_gpu(before):
        checks.append(await _as_on_gpu(executor, job, code))
    if all(c.passed for c in checks):
        seen, reference = await asyncio.gather(
            look_at_influence(executor, again, after), original.with_influence(first.reference)
        )
        tried = Tried(job.code, code, before, seen, reference, mistake(before))
        checks += checks_of_runs(tried)
    if all(c.passed for c in checks):
        checks.append(await _minimal(executor, steps, job, before, after))
    return _fix(tuple((s.codemod.slug, s.proposal) for s in steps), job, checks, after), after


def _lacks_a_gpu(before: JobResult) -> bool:
    error = mistake(before).error
    return error is not None and is_a(error, "cuda_not_compiled", "gpu_missing")


async def _as_on_gpu(executor: ExecutorClient, job: Job, code: str) -> Check:
    """A fix for want of a GPU has to run where there is one too: on the simulated device."""
    there = job.model_copy(update={"code": code, "simulate": "cuda"})
    wrong = mistake(await executor.run(there)).error
    if wrong is None:
        return Check(name="with a GPU", passed=True, detail="it runs on a simulated device too")
    at = f" at line {wrong.line}" if wrong.line else ""
    detail = f"on a simulated device it ends with {wrong.type}{at}"
    return Check(name="with a GPU", passed=False, detail=detail)


def _refused_unrun(state: _State, proposal: Proposal, job: Job) -> Fix:
    """A rewrite that its code alone speaks against."""
    steps = (*((s.codemod.slug, s.proposal) for s in state.steps), (proposal.codemod, proposal))
    return _fix(steps, job, [c for _, p in steps for c in p.checks], None)


def _fix(
    steps: Sequence[tuple[str, Proposal]],
    job: Job,
    checks: Sequence[Check],
    after: JobResult | None,
) -> Fix:
    """All steps as one Fix: verified if it was run and every check holds."""
    (slug, first), (_, last) = steps[0], steps[-1]
    return Fix(
        codemod=slug,
        title=first.title,
        steps=tuple(p.title for _, p in steps) if len(steps) > 1 else (),
        intent="; ".join(dict.fromkeys(p.intent for _, p in steps if p.intent)),
        diff=verify.diff(job.code, last.code),
        code=last.code,
        verified=after is not None and all(c.passed for c in checks),
        checks=tuple(checks),
        result=after.model_copy(update={"values": None, "influence": None})
        if after is not None
        else None,
    )


async def _minimal(
    executor: ExecutorClient,
    steps: tuple[Step, ...],
    job: Job,
    before: JobResult,
    after: JobResult,
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

    return verify.undone(await asyncio.gather(*map(run, variants)), *mistakes)
