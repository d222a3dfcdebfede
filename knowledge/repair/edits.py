"""Try the operators' edits, the cheapest first, and say nothing where they leave it open.

Several edits may pass every check. Those that suppose and do the same are one; of the others the
cheapest is believed if the next one costs clearly more; else each has to say what it supposes,
and they are alternatives.
"""

import asyncio
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

from executor.protocol import Job, JobResult, JobRunner
from knowledge.repair import verify
from knowledge.repair.budget import Budget
from knowledge.repair.codemod import Proposal, Proposed, read_proposals
from knowledge.repair.fingerprints import same_values
from knowledge.repair.fix import Fix
from knowledge.repair.judge import Original, Step, judge_steps, refused_unrun, supposes
from knowledge.repair.operator import Operator
from knowledge.repair.proposing import answered, edits_job, either_job, read_edits
from knowledge.repair.record import grade_of

_AT_ONCE = 2
_MOST_RUN = 8  # edits of one step that are given a run of their own
CLEARLY = 0.4  # what the next edit has to cost more
_MOST_ALTERNATIVES = 3
_CARRIED_ON = 2


@dataclass(frozen=True)
class Failing:
    """A program that fails, and the steps that led to it.

    Args:
        job: the original program's.
        now: the program's as it is after the steps.
        run: what that does.
        reference: the run to compare with, if there is one.
        steps: the edits so far.
        original: the original program's own run.
        budget: what the search may compute.
    """

    job: Job
    now: Job
    run: JobResult
    reference: JobResult | None
    steps: tuple[Step, ...]
    original: Original
    budget: Budget


@dataclass(frozen=True)
class Tried:
    """One edit with its run."""

    step: Step
    fix: Fix
    run: JobResult


@dataclass
class Edited:
    """What came of the edits of one step."""

    passed: list[Tried] = field(default_factory=list)  # one fix, or alternatives; or nothing
    only_alternatives: bool = False  # the record of what made them lets them be nothing more
    partly: list[Fix] = field(default_factory=list)  # that are shown in part, the cheapest first
    refused: list[Fix] = field(default_factory=list)
    further: list[Tried] = field(default_factory=list)  # that moved on to another error
    problems: list[str] = field(default_factory=list)


def that_may_offer(operators: Iterable[Operator]) -> tuple[Operator, ...]:
    """Those whose record lets them offer something."""
    return tuple(o for o in operators if grade_of(o.slug) != "nothing")


async def asked_for_edits(
    executor: Budget, operators: Sequence[Operator], job: Job, run: JobResult, asked: str
) -> Proposed:
    """What the operators propose for a program that fails.

    Args:
        executor: where they are asked, and what may still be computed.
        operators: those to ask.
        job: the program's.
        run: what it did.
        asked: the person's own words.

    Raises:
        ExecutorError: the executor is gone or full.
    """
    return read_edits(await executor.run(edits_job(operators, job, run, asked, executor.left_s)))


async def asked_of_either(
    executor: Budget,
    codemods: Job,
    operators: Sequence[Operator],
    job: Job,
    run: JobResult,
    asked: str,
) -> tuple[Proposed, Proposed | None]:
    """What the codemods propose, and what the operators do if no codemod offers what may be run.

    Args:
        executor: where they are asked, and what may still be computed.
        codemods: the job that asks the codemods.
        operators: those to ask.
        job: the program's.
        run: what it did.
        asked: the person's own words.

    Returns:
        what the codemods propose; and the operators, None if they were not asked.

    Raises:
        ExecutorError: the executor is gone or full.
    """
    edits = edits_job(operators, job, run, asked, executor.left_s)
    either = None if executor.is_spent else either_job(codemods, edits)
    result = await executor.run(either or codemods)
    by_codemods, by_operators = answered(result)
    if either is not None and not by_codemods:  # a program took the whole job with it
        result = await executor.run(codemods)
    return read_proposals(result), read_edits(result) if by_operators else None


async def try_edits(
    executor: JobRunner,
    operators: Sequence[Operator],
    failing: Failing,
    proposed: Proposed,
    known: Collection[str],
) -> Edited:
    """Run the cheapest edits, and choose among those that pass all checks.

    Args:
        executor: where everything runs.
        operators: those that were asked.
        failing: the program.
        proposed: their edits.
        known: codes that were refused already.

    Raises:
        ExecutorError: the executor is gone or full.
    """
    edited = Edited()
    edited.problems += proposed.problems
    alone = {o.slug for o in operators if o.is_alone}
    proposals = [
        p
        for p in _distinct(proposed.proposals)
        if p.code not in known and (_ended(p) or p.codemod not in alone)
    ]
    for p in proposals:
        if not all(c.passed for c in p.checks):
            edited.refused.append(refused_unrun(failing.steps, p, failing.job))
    by_slug = {o.slug: o for o in operators}
    steps = [
        Step(by_slug[p.codemod], p, failing.run, failing.reference)
        for p in _worth_a_run(p for p in proposals if all(c.passed for c in p.checks))
    ]
    passed: list[Tried] = []
    while steps and not failing.budget.is_spent:
        batch, steps = steps[:_AT_ONCE], steps[_AT_ONCE:]
        for tried in await asyncio.gather(*(_judged(executor, failing, s) for s in batch)):
            if tried.fix.verified:
                passed.append(tried)
                continue
            if tried.fix.shown == "partly":
                edited.partly.append(tried.fix)
                continue
            edited.refused.append(tried.fix)
            new = tried.step.proposal.code
            if verify.is_past(failing.run, tried.run, failing.now.code, new):
                edited.further.append(tried)
        if edited.partly and not passed:
            break
        if passed:
            most = min(t.step.proposal.cost for t in passed) + CLEARLY
            steps = [s for s in steps if s.proposal.cost < most and _ended(s.proposal)]
    edited.passed = chosen(passed)
    edited.only_alternatives = any(
        grade_of(t.step.codemod.slug) != "verified"
        or supposes((*failing.steps, t.step), t.fix, failing.job.code)
        for t in edited.passed
    )
    edited.further = [] if passed else edited.further[:_CARRIED_ON]
    return edited


def _worth_a_run(proposals: Iterator[Proposal]) -> list[Proposal]:
    """Those that ended in their trials, then a few that met another error; the cheapest first."""
    ordered = list(proposals)
    ended = [p for p in ordered if _ended(p)][:_MOST_RUN]
    return ended + [p for p in ordered if not _ended(p)][:_CARRIED_ON]


def _ended(proposal: Proposal) -> bool:
    return proposal.trial is None or proposal.trial.ok


async def _judged(executor: JobRunner, failing: Failing, step: Step) -> Tried:
    # None of them is settled: a run that has verified one has no error for an operator to remove.
    steps = (*failing.steps, step)
    fix, run = await judge_steps(executor, steps, failing.job, failing.original)
    return Tried(step, fix, run)


def _distinct(proposals: Sequence[Proposal]) -> list[Proposal]:
    """The cheapest of those that are spelled in different ways only, the cheapest first."""
    found: dict[str, Proposal] = {}
    for proposal in sorted(proposals, key=lambda p: p.cost):
        found.setdefault(proposal.form or proposal.code, proposal)
    return list(found.values())


def chosen(passed: Sequence[Tried]) -> list[Tried]:
    """Of edits that passed every check: the one to believe, the alternatives, or none."""
    if not passed:
        return []
    ordered = sorted(passed, key=lambda t: t.step.proposal.cost)
    least = ordered[0].step.proposal.cost
    classes = list(_that_differ(t for t in ordered if t.step.proposal.cost < least + CLEARLY))
    if len(classes) == 1:
        step = classes[0].step
        trusted = grade_of(step.codemod.slug) == "verified" and not step.proposal.supposes
        return [_plain(classes[0]) if trusted else classes[0]]
    intents = {t.fix.intent for t in classes}
    if len(classes) > _MOST_ALTERNATIVES or "" in intents or len(intents) < len(classes):
        return []  # which one is meant is open, and nothing says so in the person's names
    return classes


def _that_differ(tried: Iterator[Tried]) -> Iterator[Tried]:
    """The first of those that suppose and do the same."""
    seen: list[Tried] = []
    for one in tried:
        if not any(
            one.fix.intent == other.fix.intent and do_the_same(one.run, other.run) for other in seen
        ):
            seen.append(one)
            yield one


def _plain(tried: Tried) -> Tried:
    """The only one: there is nothing that it would have to suppose, beyond the steps before it."""
    own = tried.step.proposal.intent
    intent = "; ".join(part for part in tried.fix.intent.split("; ") if part != own)
    return Tried(tried.step, tried.fix.model_copy(update={"intent": intent}), tried.run)


def do_the_same(a: JobResult, b: JobResult) -> bool:
    """Whether two runs printed the same and ended with the same tensors and gradients."""
    if a.stdout != b.stdout or a.values is None or b.values is None:
        return False
    old, new = a.values.tensors, b.values.tensors
    if old.keys() != new.keys() or len(a.values.backwards) != len(b.values.backwards):
        return False
    grads = [
        (x, y)
        for one, other in zip(a.values.backwards, b.values.backwards, strict=True)
        for x, y in zip(one.grads, other.grads, strict=False)
    ]
    pairs = [(old[name], new[name]) for name in old] + grads
    return all(x.dtype == y.dtype and same_values(x, y) for x, y in pairs)
