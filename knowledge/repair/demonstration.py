"""Offer what may be meant by code that shows an error on purpose: tell of it, or make it work.

None of it is called the fix: which one is meant is for the person to say. Each was run.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from executor.protocol import Caught, Job, JobResult, JobRunner, Outcome, Probe
from knowledge.repair import engine, verify
from knowledge.repair.check import Check, Said, refusing
from knowledge.repair.codemod import Codemod
from knowledge.repair.engine import Repair
from knowledge.repair.fix import Fix
from knowledge.repair.mistake import Mistake, mistake
from knowledge.repair.operator import Operator
from knowledge.repair.telling import read_telling, telling_job

TELLING = "tell-the-error"  # as the name of a codemod
_MOST_ERRORS = 4  # of one snippet that are told of
_MOST_MENDS = 2


def may_be_meant_otherwise(result: JobResult) -> bool:
    """Whether anything can be offered: an error that is caught is told of by the code already."""
    return result.error is not None and bool(result.error.demonstrated)


async def repair(
    executor: JobRunner,
    codemods: Sequence[Codemod],
    job: Job,
    before: JobResult,
    reference: JobResult | None,
    asked: str = "",
    operators: Sequence[Operator] = (),
) -> Repair:
    """Alternatives: the code tells of its error and goes on; or what fails is made to work.

    Args:
        executor: where everything runs.
        codemods: all there are.
        job: the original run's job.
        before: its result, which ended with an error that the code shows on purpose.
        reference: its result with the gradients it should have.
        asked: the person's own words.
        operators: are asked where no codemod mends it.

    Raises:
        ExecutorError: the executor is gone or full.
    """
    error = before.error
    assert error is not None
    told = await tell(executor, job, before)
    is_whole = told.run.outcome is Outcome.OK
    shown: tuple[Fix, ...] = (told.fix(job, before),) if is_whole else ()
    if (
        told.titles and not shown and told.run.error is not None
    ):  # the rest has a mistake of its own
        ahead = job.model_copy(update={"code": told.code})
        rest = await engine.repair(executor, codemods, ahead, told.run, None, asked, operators)
        ways = (rest.fix,) if rest.fix is not None else rest.alternatives
        shown = tuple(told.fix(job, before, way) for way in ways[:_MOST_MENDS] if way.verified)
    shown = tuple(fix for fix in shown if all(c.passed for c in fix.checks))
    if told.of_its_own:  # its own `except` says what is meant
        return Repair(alternatives=shown)
    mended = await engine.repair(executor, codemods, job, before, reference, asked, operators)
    found = (mended.fix,) if mended.fix is not None else mended.alternatives
    works = f"line {error.line} should work" if error.line else "it should work"
    mends = [
        fix.model_copy(update={"intent": f"{works}: {fix.intent}" if fix.intent else works})
        for fix in found
        if fix.verified
    ]
    return Repair(
        alternatives=(*shown, *mends[:_MOST_MENDS]),
        refused=mended.refused,
        problems=mended.problems,
    )


@dataclass(frozen=True)
class _Told:
    """The code with errors told of, and what its run shows."""

    code: str
    run: JobResult
    titles: tuple[str, ...] = ()
    of_its_own: bool = False  # the code has a `try` of its own for the first error

    def fix(self, job: Job, before: JobResult, rest: Fix | None = None) -> Fix:
        """That as a fix, with what mends the rest if the rest had a mistake."""
        run = rest.result if rest is not None and rest.result is not None else self.run
        more = (rest.steps or (rest.title,)) if rest is not None else ()
        steps = (*self.titles, *more)
        intent = "the code is there to show this error"
        return Fix(
            codemod=TELLING,
            title=steps[0],
            steps=steps if len(steps) > 1 else (),
            intent=f"{intent}; {rest.intent}" if rest is not None and rest.intent else intent,
            diff=verify.diff(job.code, rest.code if rest is not None else self.code),
            code=rest.code if rest is not None else self.code,
            verified=True,
            shown="verified",
            checks=tuple(_checks(before, run)),
            result=run.model_copy(update={"values": None, "influence": None}),
        )


async def tell(executor: JobRunner, job: Job, before: JobResult) -> _Told:
    """The code with every error that it shows on purpose told of.

    Args:
        executor: where everything runs.
        job: the original run's job.
        before: its result.
    """
    told = _Told(job.code, before)
    while len(told.titles) < _MOST_ERRORS:
        asked = telling_job(told.code, told.run)
        found = read_telling(await executor.run(asked)) if asked is not None else None
        if found is None:
            break
        again = job.model_copy(update={"code": found.code, "probes": (Probe.GRADIENTS,)})
        run = await executor.run(again)
        of_its_own = told.of_its_own if told.titles else found.of_its_own
        told = _Told(found.code, run, (*told.titles, found.title), of_its_own)
    return told


def _checks(before: JobResult, after: JobResult) -> list[Check]:
    """What a run has to show: the error is raised and told of, and nothing else is wrong."""
    wrong = mistake(before)
    return [_same_error(before, after, wrong), _nothing_else(before, after), _output(before, after)]


def _same_error(before: JobResult, after: JobResult, wrong: Mistake) -> Check:
    told = [c for c in after.caught if verify.same_error(c, wrong.error)]
    known = [c for c in before.caught if verify.same_error(c, wrong.error)]
    passed = len(told) > len(known)
    detail = "the error is raised, told of, and the rest runs" if passed else "it is not raised"
    return Check(name="error told", passed=passed, detail=detail)


@refusing("nothing new", "nothing else is wrong")
def _nothing_else(before: JobResult, after: JobResult) -> Said:
    """Nothing of the rest is wrong: no error that it did not announce, nothing that probes see."""
    new = [c for c in after.caught if not c.demonstrated and not _is_known(c, before)]
    if new:
        yield f"a new {new[0].type} is raised and caught: {new[0].message[:80]}"
    yield from (f.message for f in after.findings if f.mistake and not f.program_wide)


def _is_known(caught: Caught, before: JobResult) -> bool:
    was = (*before.caught, before.error)
    return any(verify.same_error(caught, seen) for seen in was)


def _output(before: JobResult, after: JobResult) -> Check:
    passed = after.stdout.startswith(before.stdout[: 8 * 1024])
    return Check.of(
        "output", passed, "what was printed before the error is unchanged", "it prints other values"
    )
