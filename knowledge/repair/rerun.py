"""Rerun a snippet with the probes that a repair needs: who saved, who wrote, which gradients."""

from __future__ import annotations

import asyncio

from executor.errors import is_a
from executor.protocol import Job, JobResult, Probe
from executor.service.client import ExecutorClient


async def rerun_with_probes(
    executor: ExecutorClient, job: Job, run: JobResult
) -> tuple[JobResult, JobResult]:
    """Rerun the snippet with the probes that repair needs, unless this run had them.

    Args:
        executor: where it runs.
        job: the job of the run.
        run: what it did.

    Returns:
        run: the same run; for an in-place error, with the lines that saved and that wrote.
        reference: the run to compare a fix with, which holds the values that it computed; for an
            in-place error, the gradients that the code as written should have had.

    Raises:
        ExecutorError: the executor is gone or full.
    """
    if not failed_in_place(run):
        if run.values is not None:
            return run, run
        return run, await executor.run(_with(job, Probe.GRADIENTS))
    traced, oracle = await asyncio.gather(
        trace_writes(executor, job), executor.run(_with(job, Probe.ORACLE))
    )
    return run.model_copy(update={"autograd": traced.autograd}), oracle


async def trace_writes(executor: ExecutorClient, job: Job) -> JobResult:
    """Rerun it with the probe that sees which line saved a tensor and which line changed it.

    Raises:
        ExecutorError: the executor is gone or full.
    """
    return await executor.run(_with(job, Probe.INPLACE))


async def look_at_influence(executor: ExecutorClient, job: Job, run: JobResult) -> JobResult:
    """Add what a run shows about its lines; nothing, where looking at it changed how it ends.

    Raises:
        ExecutorError: the executor is gone or full.
    """
    seen = await executor.run(_with(job, Probe.INFLUENCE))
    errors = [e.type if (e := r.error) is not None else None for r in (run, seen)]
    same = seen.outcome is run.outcome and errors[0] == errors[1]
    return run.model_copy(update={"influence": seen.influence if same else None})


def failed_in_place(run: JobResult) -> bool:
    """Whether backward found a tensor changed that it needed; the snippet may have caught that."""
    return any(e is not None and is_a(e, "modified_in_place") for e in (run.error, *run.caught))


def _with(job: Job, probe: Probe) -> Job:
    return job.model_copy(update={"probes": (probe,)})
