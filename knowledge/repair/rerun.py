"""Rerun a snippet with the probes that a repair needs: who saved, who wrote, which gradients."""

import asyncio

from executor.errors import is_a
from executor.protocol import Job, JobResult, JobRunner, Outcome, Probe
from knowledge.repair.verify import same_error


async def rerun_with_probes(
    executor: JobRunner, job: Job, run: JobResult
) -> tuple[JobResult, JobResult]:
    """Rerun the snippet with the probes that repair needs, unless this run had them.

    Args:
        executor: where it runs.
        job: the job of the run.
        run: what it did.

    Returns:
        run: the same run; for an in-place error, with the lines that saved and that wrote;
            with what it shows about its lines, where it was rerun.
        reference: the run to compare a fix with, which holds the values that it computed; for an
            in-place error, the gradients that the code as written should have had.

    Raises:
        ExecutorError: the executor is gone or full.
    """
    if not failed_in_place(run):
        if run.values is not None:
            return run, run
        reference = await run_and_look(executor, job, run, Probe.GRADIENTS)
        return _with_influence(run, reference), reference
    traced, oracle = await asyncio.gather(
        run_and_look(executor, job, run, Probe.INPLACE), executor.run(_with(job, Probe.ORACLE))
    )
    traced_run = run.model_copy(update={"autograd": traced.autograd})
    return _with_influence(traced_run, traced), oracle


async def trace_writes(executor: JobRunner, job: Job) -> JobResult:
    """Rerun it with the probe that sees which line saved a tensor and which line changed it.

    Raises:
        ExecutorError: the executor is gone or full.
    """
    return await executor.run(_with(job, Probe.INPLACE))


async def run_and_look(
    executor: JobRunner, job: Job, before: JobResult, *probes: Probe
) -> JobResult:
    """Run it with these probes, and see what it shows about its lines.

    Looking slows a run down and may change how it ends. One that neither reaches its end nor stops
    as `before` did is run again unseen, and then has no influence.

    Raises:
        ExecutorError: the executor is gone or full.
    """
    seen = await executor.run(_with(job, *probes, Probe.INFLUENCE))
    if seen.outcome is Outcome.OK or _fails_as(seen, before):
        return seen
    return await executor.run(_with(job, *probes))


async def look_at_influence(executor: JobRunner, job: Job, run: JobResult) -> JobResult:
    """Add what a run shows about its lines; nothing, where looking at it changed how it ends.

    Raises:
        ExecutorError: the executor is gone or full.
    """
    if run.influence is not None:
        return run
    return _with_influence(run, await executor.run(_with(job, Probe.INFLUENCE)))


def _with_influence(run: JobResult, seen: JobResult) -> JobResult:
    return run.model_copy(update={"influence": seen.influence if _ends_as(seen, run) else None})


def _ends_as(seen: JobResult, run: JobResult) -> bool:
    errors = [e.type if (e := r.error) is not None else None for r in (run, seen)]
    return seen.outcome is run.outcome and errors[0] == errors[1]


def _fails_as(seen: JobResult, before: JobResult) -> bool:
    a, b = seen.error, before.error
    return a is not None and b is not None and a.line == b.line and same_error(a, b)


def failed_in_place(run: JobResult) -> bool:
    """Whether backward found a tensor changed that it needed; the snippet may have caught that."""
    return any(e is not None and is_a(e, "modified_in_place") for e in (run.error, *run.caught))


def _with(job: Job, *probes: Probe) -> Job:
    return job.model_copy(update={"probes": probes})
