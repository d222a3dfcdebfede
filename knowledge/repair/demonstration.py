"""Offer what may be meant by code that shows an error on purpose: tell of it, or make it work.

None of it is called the fix: which one is meant is for the person to say. Each was run.
"""

from __future__ import annotations

from collections.abc import Sequence

from executor.protocol import Caught, Job, JobResult, Outcome, Probe
from executor.service.client import ExecutorClient
from knowledge.repair import engine, verify
from knowledge.repair.check import Check
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
    error = result.error
    return error is not None and bool(error.demonstrated)


async def repair(
    executor: ExecutorClient,
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
    told, of_its_own = await tell(executor, job, before)
    shown = () if told is None else (told,)
    if of_its_own:  # its own `except` says what is meant
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


async def tell(executor: ExecutorClient, job: Job, before: JobResult) -> tuple[Fix | None, bool]:
    """The code with every error that it shows on purpose told of, if a run of it shows just that.

    Args:
        executor: where everything runs.
        job: the original run's job.
        before: its result.

    Returns:
        the fix, if there is one; and whether the code has a `try` of its own for the first error.
    """
    code, run, of_its_own = job.code, before, False
    titles: list[str] = []
    while len(titles) < _MOST_ERRORS:
        asked = telling_job(code, run)
        found = read_telling(await executor.run(asked)) if asked is not None else None
        if found is None:
            return None, of_its_own
        of_its_own |= found.of_its_own and not titles
        titles.append(found.title)
        code = found.code
        run = await executor.run(
            job.model_copy(update={"code": code, "probes": (Probe.GRADIENTS,)})
        )
        if run.outcome is Outcome.OK:
            checks = tuple(_checks(before, run))
            holds = all(c.passed for c in checks)
            return _fix(job, code, titles, checks, run) if holds else None, of_its_own
    return None, of_its_own


def _fix(job: Job, code: str, titles: list[str], checks: tuple[Check, ...], run: JobResult) -> Fix:
    return Fix(
        codemod=TELLING,
        title=titles[0],
        steps=tuple(titles) if len(titles) > 1 else (),
        intent="the code is there to show this error",
        diff=verify.diff(job.code, code),
        code=code,
        verified=True,
        shown="verified",
        checks=checks,
        result=run.model_copy(update={"values": None, "influence": None}),
    )


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


def _nothing_else(before: JobResult, after: JobResult) -> Check:
    """Nothing of the rest is wrong: no error that it did not announce, nothing that probes see."""
    new = [c for c in after.caught if not c.demonstrated and not _is_known(c, before)]
    if new:
        detail = f"a new {new[0].type} is raised and caught: {new[0].message[:80]}"
        return Check(name="nothing new", passed=False, detail=detail)
    left = [f for f in after.findings if f.mistake and not f.program_wide]
    if left:
        return Check(name="nothing new", passed=False, detail=left[0].message)
    return Check(name="nothing new", passed=True, detail="nothing else is wrong")


def _is_known(caught: Caught, before: JobResult) -> bool:
    was = (*before.caught, before.error)
    return any(verify.same_error(caught, seen) for seen in was)


def _output(before: JobResult, after: JobResult) -> Check:
    passed = after.stdout.startswith(before.stdout[: 8 * 1024])
    detail = (
        "what was printed before the error is unchanged" if passed else "it prints other values"
    )
    return Check(name="output", passed=passed, detail=detail)
