"""Run a question's code until it is known what it does: as posted, completed, on a GPU, cold."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from bot.diagnosis import completion, devices
from bot.diagnosis.missing import needs_gpu
from bot.models import Question
from executor.protocol import Job, JobResult, Outcome, Probe
from executor.service.client import ExecutorClient
from knowledge.repair.verify import mistake

IN_PLACE = "modified by an inplace operation"


@dataclass(frozen=True)
class Reproduced:
    """What happened, and what it was that ran."""

    run: JobResult
    job: Job  # the same code, perhaps with stand-ins or on another device: a fix is tried there
    reference: JobResult | None = None  # for an in-place error, the gradients it should have had
    only_on_gpu: bool = False  # it runs on the CPU


async def reproduce(executor: ExecutorClient, question: Question, job: Job) -> Reproduced:
    """Run it; where the answer needs more eyes, a second time with them.

    Raises:
        ExecutorError: the executor is gone or full.
    """
    run, job = await completion.run(executor, job)
    if _in_place(run):
        run, reference = await closer(executor, job, run)
        return Reproduced(run, job, reference)
    if run.suspects and run.outcome is Outcome.OK:
        # It ran, and could still compute wrong gradients: writes that PyTorch does not count.
        return Reproduced(_with_silent_writes(run, await _traced(executor, job)), job)
    believed = question.traceback is not None and run.outcome is Outcome.OK
    if not run.stand_ins and (run.warm_only or (believed and not mistake(run).is_there)):
        # A warm server can hide what a fresh interpreter shows: a submodule nobody imported.
        cold = await executor.run(job.model_copy(update={"cold": True}))
        if cold.outcome is Outcome.ERROR:
            run = cold.model_copy(update={"warm_only": run.warm_only})
    return Reproduced(run, job)


async def on_gpu(
    executor: ExecutorClient, question: Question, job: Job, cpu: Reproduced, *, has_gpu: bool
) -> Reproduced:
    """Run it again where there is a GPU, or as if there were one; keep what says more.

    Args:
        job: as it was posted.
        cpu: what it did on the CPU.
        has_gpu: whether the executor has one; else one is simulated.
    """
    gpu = await reproduce(executor, question, devices.there(job, has_gpu=has_gpu))
    if needs_gpu(cpu.run):
        return gpu
    if devices.device_error(gpu.run):
        return Reproduced(gpu.run, gpu.job, gpu.reference, only_on_gpu=True)
    return cpu


async def closer(executor: ExecutorClient, job: Job, run: JobResult) -> tuple[JobResult, JobResult]:
    """Run it again with the eyes that mending needs, if it was not run with them.

    Returns:
        run: the same run; for an in-place error, with who saved and who wrote.
        reference: what it computed; for an in-place error, the gradients it should have had.
    """
    if not _in_place(run) and run.values is not None:
        return run, run
    if not _in_place(run):
        return run, await executor.run(job.model_copy(update={"probes": (Probe.GRADIENTS,)}))
    traced, oracle = await asyncio.gather(
        _traced(executor, job),
        executor.run(job.model_copy(update={"probes": (Probe.ORACLE,)})),
    )
    return run.model_copy(update={"autograd": traced.autograd}), oracle


async def _traced(executor: ExecutorClient, job: Job) -> JobResult:
    return await executor.run(job.model_copy(update={"probes": (Probe.INPLACE,)}))


def _in_place(run: JobResult) -> bool:
    return any(e is not None and IN_PLACE in e.message for e in (run.error, *run.caught))


def _with_silent_writes(run: JobResult, traced: JobResult) -> JobResult:
    silent = tuple(f for f in traced.findings if f.kind == "silent_inplace_write")
    if not silent:
        return run
    return run.model_copy(
        update={"findings": (*silent, *run.findings), "autograd": traced.autograd}
    )
