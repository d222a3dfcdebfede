"""Try codemods and operators on a snippet: a candidate is run, and only checks call it verified.

Codemods come first: each knows its mistake. Where none of them mends it, the operators' general
edits are tried (knowledge/repair/edits.py).

A candidate that removes one mistake and runs into the next is carried on, up to four steps, and
so is a verified one that leaves mistakes which raise nothing; the diff and the checks are then
those of all its steps together.
"""

import asyncio
import re
from collections.abc import Awaitable, Sequence
from dataclasses import dataclass, field, replace

from executor.errors import family_of
from executor.protocol import Job, JobResult, JobRunner
from knowledge.repair import verify
from knowledge.repair.budget import Budget
from knowledge.repair.codemod import (
    Chosen,
    Codemod,
    Proposal,
    Proposed,
    proposal_job,
    read_proposals,
)
from knowledge.repair.edits import (
    Failing,
    asked_for_edits,
    asked_of_either,
    that_may_offer,
    try_edits,
)
from knowledge.repair.fix import Fix
from knowledge.repair.judge import Original, Step, is_decided, judge_steps, refused_unrun, supposes
from knowledge.repair.judge import judge as judge
from knowledge.repair.mistake import findings_left, leaves_less, mistake, without_what_is_shown
from knowledge.repair.operator import Operator, choose
from knowledge.repair.record import grade_of
from knowledge.repair.rerun import failed_in_place, rerun_with_probes
from knowledge.repair.stated import prints_as_stated
from knowledge.repair.stops import WhyStopped, never
from knowledge.repair.supplied import with_supplied_imports

_AT_ONCE = 2  # candidates run side by side; the best come first, so few are ever needed
_MOST = 10  # candidates of one step
_STEPS = 4
# What mends a model itself: it holds whatever calls the model.
_HOWEVER_CALLED = frozenset({"batch-folded-by-view", "own-head"})
_CARRIED_ON = 2  # candidates of one step that may be carried on
_MOST_PARTLY = 2  # that are offered where none is verified


# A rerun that is under way: the run with what that shows of its lines, and the reference.
Looking = Awaitable[tuple[JobResult, JobResult]]


@dataclass(frozen=True)
class Repair:
    """What came of it: one fix, or several with different meanings, or neither."""

    fix: Fix | None = None
    alternatives: tuple[Fix, ...] = ()
    refused: tuple[Fix, ...] = ()
    problems: tuple[str, ...] = ()  # codemods and operators that failed here, and how
    cut: bool = False  # its time was up before it had found anything


@dataclass(frozen=True)
class _State:
    """How far a repair has come: some code, what it does, and the steps that led to it."""

    job: Job
    run: JobResult
    reference: JobResult | None
    steps: tuple[Step, ...] = ()
    supposed: frozenset[str] = frozenset()  # the meanings there were where one was supposed
    settled: int = 0  # steps that a run has verified: their own checks compare with that run
    looking: Looking | None = None  # that makes the reference

    @property
    def intent(self) -> str:
        """What the person means, if the steps had to suppose something."""
        return next((s.proposal.intent for s in self.steps if s.proposal.intent), "")


@dataclass(frozen=True)
class _Search:
    """What every step of one repair needs."""

    budget: Budget
    codemods: Sequence[Codemod]
    operators: Sequence[Operator]
    job: Job  # the original run's
    original: Original
    asked: str  # the person's own words


@dataclass
class _StepResult:
    """What one step's candidates came to."""

    verified: list[Fix] = field(default_factory=list)
    reached: list[_State] = field(default_factory=list)  # where each verified one leads
    refused: list[Fix] = field(default_factory=list)
    partly: list[Fix] = field(default_factory=list)  # that are shown in part
    further: list[_State] = field(default_factory=list)  # that moved on to another mistake
    intents: set[str] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)
    only_alternatives: bool = False  # whatever was verified: its maker's record is too short


def applicable(
    codemods: Sequence[Codemod],
    before: JobResult,
    operators: Sequence[Operator] = (),
    job: Job | None = None,
) -> Chosen:
    """The codemods whose mistake this run shows, and the operators that may remove its error.

    Of an error in a call that we added, only those whose edit holds whatever calls the model: how
    the person calls it is not known.
    """
    if not mistake(before).is_there:
        return Chosen()
    if job is not None and _fails_in_what_was_added(job, before):
        codemods = [c for c in codemods if c.slug in _HOWEVER_CALLED]
        operators = [o for o in operators if o.slug in _HOWEVER_CALLED]
    own, problems = choose(codemods, before)
    general, others = choose(operators, before)
    return Chosen(own, general, (*problems, *others))


def _fails_in_what_was_added(job: Job, run: JobResult) -> bool:
    """Whether the error comes up at no line of theirs, only in a call that was added."""
    return job.glue is not None and run.error is not None and run.error.line is None


async def repair(
    executor: JobRunner,
    codemods: Sequence[Codemod],
    job: Job,
    before: JobResult,
    reference: JobResult | None,
    asked: str = "",
    operators: Sequence[Operator] = (),
    why: WhyStopped = never,
    looking: Looking | None = None,
) -> Repair:
    """Propose, run, check; where a candidate moves on to the next mistake, go on from there.

    Args:
        executor: where everything runs.
        codemods: all there are: a later step may need another one than the first.
        job: the original run's job.
        before: its result.
        reference: its result with the gradients it should have, for comparison.
        asked: the person's own words: they may say which of several meanings is theirs.
        operators: are asked where no codemod mends a step.
        why: says what stopped a run, where that is not the code: then a fix may be shown in part.
        looking: makes the reference while edits are proposed, where there is none yet.
    """
    budget = Budget(executor)
    original = Original(budget, job, before, why)
    search = _Search(budget, codemods, operators, job, original, asked)
    states = [_State(job, before, reference, looking=looking)]
    refused: list[Fix] = []
    problems: list[str] = []
    partly: list[Fix] = []
    for _ in range(_STEPS):
        further: list[_State] = []
        # States that mean different things are all seen through before one is believed.
        done = _StepResult(intents={intent for state in states for intent in state.supposed})
        for number, state in enumerate(states):
            if number and budget.is_spent:
                break
            tried = await _step(search, state)
            problems += (p for p in tried.problems if p not in problems)
            refused += tried.refused
            partly += tried.partly
            further += tried.further
            done.verified += tried.verified
            done.reached += tried.reached
            done.intents |= tried.intents
            done.only_alternatives |= tried.only_alternatives
            if tried.verified and not state.intent:
                done = tried
                break
        if done.verified:
            found = _outcome(done, refused, problems)
            if found.fix is None:
                return await _whole(search, found)
            reached = next(s for s in done.reached if s.job.code == found.fix.code)
            return await _whole(search, await _with_the_rest(search, found, reached))
        states = further[:_CARRIED_ON]
        if partly or not states or budget.is_spent:
            break
    cut = budget.is_spent and not partly
    return Repair(None, _one_of_each(partly), tuple(refused), tuple(problems), cut)


async def _whole(search: _Search, found: Repair) -> Repair:
    """What was found, as listings that run without what the runs were given."""

    async def whole(fix: Fix) -> Fix:
        return await with_supplied_imports(search.budget, fix, search.job)

    fix = await whole(found.fix) if found.fix is not None else None
    alternatives = [await whole(one) for one in found.alternatives]
    return replace(found, fix=fix, alternatives=tuple(alternatives))


def _one_of_each(partly: Sequence[Fix]) -> tuple[Fix, ...]:
    """What is shown in part: the first of each meaning."""
    by_intent: dict[str, Fix] = {}
    for fix in partly:
        by_intent.setdefault(fix.intent, fix)
    return tuple(by_intent.values())[:_MOST_PARTLY]


async def _with_the_rest(search: _Search, found: Repair, reached: _State) -> Repair:
    """Mend also what a single fix leaves, step by step.

    A further step counts only if there is one way, and if less is left after it: else the fix stays
    as it was, and what it leaves is said.
    """
    while found.fix is not None and len(reached.steps) < _STEPS:
        run = without_what_is_shown(reached.run, search.original.run, search.job.code)
        if not findings_left(run) or search.budget.is_spent:
            break
        tried = await _step(search, reached)
        if len(tried.verified) != 1 or len(tried.intents) > 1 or tried.only_alternatives:
            break  # what is supposed of the rest is no part of the fix
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
    if len(verified) > 1 or len(tried.intents) > 1 or tried.only_alternatives:
        return Repair(None, tuple(verified), tuple(refused), tuple(problems))
    return Repair(verified[0], (), tuple(refused), tuple(problems))


async def _step(search: _Search, state: _State) -> _StepResult:
    """Every candidate for the mistake that a state's run shows."""
    if failed_in_place(state.run):  # what is proposed goes by the lines that saved and that wrote
        state = await _looked_at(search, state)
    chosen = applicable(search.codemods, state.run, search.operators, state.job)
    codemods = chosen.codemods
    here = (
        o for o in chosen.operators if not (_was_here(state, o) or (o.is_alone and state.steps))
    )
    operators = that_may_offer(here)
    # To look and to propose take one run each, as long as the other: they go side by side.
    state, (proposed, edits) = await asyncio.gather(
        _looked_at(search, state), _asked(search, state, codemods, operators)
    )
    tried = _StepResult(problems=list(chosen.problems))
    makers = [s.codemod for s in state.steps if isinstance(s.codemod, Operator)]
    tried.only_alternatives = any(grade_of(o.slug) != "verified" for o in makers)
    if codemods:
        await _try_codemods(search, state, codemods, proposed, tried)
    # Who knows the mistake mended it: a general edit of the same place would only compete. One that
    # only led on to another error may have bent the code to please the line; what is left of the
    # same mistake it mends next.
    goes_on = state.steps or any(_is_alike(state.run, s.run) for s in tried.further)
    mended = tried.verified or tried.partly or (goes_on and tried.further)
    if operators and not mended and not search.budget.is_spent:
        edits = edits or await _by_operators(search, state, operators)
        await _try_operators(search, state, operators, edits, tried)
    return tried


def _is_alike(before: JobResult, after: JobResult) -> bool:
    """Whether two runs ended with errors of one family."""
    if before.error is None or after.error is None:
        return False
    families = (family_of(e.type, e.message) for e in (before.error, after.error))
    was, now = (family.id if family is not None else "" for family in families)
    return was == now != ""


async def _looked_at(search: _Search, state: _State) -> _State:
    """The state with its reference, and with what its run shows of its lines."""
    if state.reference is not None:
        return state
    if state.steps:
        run, reference = await rerun_with_probes(search.budget, state.job, state.run)
    elif state.looking is not None:
        run, reference = await state.looking
        search.original.saw(run)
    else:
        return state
    return replace(state, run=run, reference=reference)


async def _asked(
    search: _Search, state: _State, codemods: Sequence[Codemod], operators: Sequence[Operator]
) -> tuple[Proposed, Proposed | None]:
    """What the codemods propose; and what the operators do, None if they were not asked."""
    if not codemods:
        return Proposed(), await _by_operators(search, state, operators) if operators else None
    job = proposal_job(codemods, state.job.code, state.run, search.asked)
    if not operators:
        return read_proposals(await search.budget.run(job)), None
    return await asked_of_either(search.budget, job, operators, state.job, state.run, search.asked)


async def _by_operators(search: _Search, state: _State, operators: Sequence[Operator]) -> Proposed:
    return await asked_for_edits(search.budget, operators, state.job, state.run, search.asked)


def _was_here(state: _State, operator: Operator) -> bool:
    """Whether it edited this line before: twice the same there seldom means a thing."""
    here = (step for step in state.steps if _line(step.before) == _line(state.run))
    return any(step.codemod.slug == operator.slug for step in here)


async def _try_operators(
    search: _Search,
    state: _State,
    operators: Sequence[Operator],
    proposed: Proposed,
    tried: _StepResult,
) -> None:
    """The general edits, where no codemod knew the mistake well enough to mend it."""
    used = {step.codemod.slug for step in state.steps}
    twice = used & {operator.slug for operator in operators if not operator.repeats}
    failing = Failing(
        search.job,
        state.job,
        state.run,
        state.reference,
        state.steps,
        search.original,
        search.budget,
    )
    known = {fix.code for fix in tried.refused}
    edited = await try_edits(search.budget, operators, failing, proposed, known)
    tried.problems += edited.problems
    tried.refused += edited.refused
    tried.partly += edited.partly
    tried.only_alternatives |= edited.only_alternatives
    tried.only_alternatives |= any(one.step.codemod.slug in twice for one in edited.passed)
    for one in edited.passed:
        way = (*state.steps, one.step)
        ahead = search.job.model_copy(update={"code": one.fix.code})
        tried.verified.append(one.fix)
        tried.reached.append(_State(ahead, one.run, None, way, settled=len(way)))
        tried.intents |= {one.fix.intent} - {""}
    for one in edited.further:
        way = (*state.steps, one.step)
        ahead = search.job.model_copy(update={"code": one.step.proposal.code})
        tried.further.append(_State(ahead, one.run, None, way, state.supposed))


def _line(run: JobResult) -> int | None:
    """Where a run failed, the line that was called from included."""
    return run.error.line if run.error is not None else None


async def _try_codemods(
    search: _Search,
    state: _State,
    codemods: Sequence[Codemod],
    proposed: Proposed,
    tried: _StepResult,
) -> None:
    """What the codemods propose that apply to the state's run."""
    executor, job, original, asked = search.budget, search.job, search.original, search.asked
    tried.problems += proposed.problems
    if not proposed.proposals:
        return
    ordered = sorted(proposed.proposals, key=lambda p: verify.places(state.job.code, p.code))
    proposals = _distinct(ordered)
    for p in proposals:
        if not all(c.passed for c in p.checks):  # its code alone says that it is none: no run
            tried.refused.append(refused_unrun(state.steps, p, job))
    unserved = {p.intent for p in proposals if not all(c.passed for c in p.checks)} - {""}
    proposals = [p for p in proposals if all(c.passed for c in p.checks)]
    by_slug = {c.slug: c for c in codemods}
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
                judge_steps(executor, (*state.steps, step), job, original, state.settled)
                for step in batch
            )
        )
        for step, (fix, after) in zip(batch, judged, strict=True):
            form = step.proposal.form
            if fix.verified and form and form in forms:
                tried.intents.discard(step.proposal.intent)  # another codemod's, and the same
            elif fix.verified and step.proposal.intent not in meanings:
                if step.proposal.by_text and is_decided(step.before, after):
                    fix = fix.model_copy(update={"intent": ""})  # nothing is supposed any more
                tried.verified.append(fix)
                ahead = job.model_copy(update={"code": fix.code})
                way = (*state.steps, step)
                tried.only_alternatives |= supposes(way, fix, search.job.code)
                tried.reached.append(_State(ahead, after, None, way, settled=len(way)))
                meanings.add(step.proposal.intent)
                forms.add(form)
            elif fix.shown == "partly":
                tried.partly.append(fix)
            elif not fix.verified:
                tried.refused.append(fix)
                if verify.moved_on(state.run, after, state.job.code, step.proposal.code):
                    ahead = job.model_copy(update={"code": step.proposal.code})
                    supposed = frozenset(tried.intents) or state.supposed
                    way = (*state.steps, step)
                    tried.further.append(_State(ahead, after, None, way, supposed))
        done = (tried.verified and meanings >= tried.intents) or (
            tried.partly and not tried.intents
        )
        if done or search.budget.is_spent:
            break


def _distinct(proposals: Sequence[Proposal]) -> list[Proposal]:
    """The proposals without those that only spell an earlier one in another way.

    That two do the same in a run says less: on a mask of zeros every way to lay it does.
    """
    found: dict[tuple[str, str], Proposal] = {}
    for proposal in proposals:  # each codemod's own: another one's checks may hold of it
        found.setdefault((proposal.codemod, proposal.form or proposal.code), proposal)
    return list(found.values())
