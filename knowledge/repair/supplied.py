"""Add to a fix the imports that its runs were given: without them the listing would not run."""

import re

from executor.protocol import Job, JobRunner, Outcome
from knowledge.repair import verify
from knowledge.repair.fix import Fix

_IMPORT = re.compile(r"(?:import|from) [^(\\]+$")  # on one line


async def with_supplied_imports(executor: JobRunner, fix: Fix, job: Job) -> Fix:
    """The fix with the imports that the code lacks, where it has others, and a run holds with them.

    A snippet without any import is a part of a program, whose imports stand elsewhere.

    Args:
        executor: where the listing is run once more.
        fix: one that a run has verified.
        job: the original run's.

    Raises:
        ExecutorError: the executor is gone or full.
    """
    if fix.result is None or not fix.verified:
        return fix
    lacking = [said for said in fix.result.assumptions if _IMPORT.match(said)]
    at = _below_the_imports(fix.code) if lacking else None
    if at is None:
        return fix
    lines = fix.code.splitlines(True)
    code = "".join([*lines[:at], *(f"{said}\n" for said in lacking), *lines[at:]])
    run = await executor.run(job.model_copy(update={"code": code}))
    still = any(_IMPORT.match(said) for said in run.assumptions)
    if run.outcome is not Outcome.OK or run.stdout != fix.result.stdout or still:
        return fix
    added = f"`{'; '.join(lacking)}`, which the code lacks"
    return fix.model_copy(
        update={
            "code": code,
            "diff": verify.diff(job.code, code),
            "steps": (*(fix.steps or (fix.title,)), added),
            "result": run,
        }
    )


def _below_the_imports(code: str) -> int | None:
    """How many lines come before the end of the first imports; None if there are none."""
    end = None
    for n, line in enumerate(code.splitlines(), start=1):
        if _IMPORT.match(line):
            end = n
        elif end is not None and line.strip() and not line.startswith("#"):
            break
    return end
