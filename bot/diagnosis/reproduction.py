"""Run a question's code until it is known what it does: as posted, completed, on a GPU, cold."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cached_property

from bot.diagnosis import completion, devices
from bot.diagnosis.blocks import without_block_in_the_way
from bot.diagnosis.missing import missing, needs_gpu
from bot.diagnosis.own_error import is_posted, posted, reports_no_error
from bot.diagnosis.rebuild import Rebuild, rebuild, run_to_end
from bot.models import Question
from executor.errors import is_a, is_a_warning
from executor.protocol import Glue, Job, JobResult, Outcome, Probe
from executor.service.client import ExecutorClient
from knowledge.repair.mistake import Mistake, mistake
from knowledge.repair.rerun import failed_in_place, rerun_with_probes, trace_writes

# A function at the margin that takes nothing, or has a default for all that it takes.
_WHOLE = re.compile(
    r"^def (\w+)\(\s*(?:\w+(?::[^=,()\n]{1,40})?\s*=[^,()\n]{1,40}(?:,\s*|(?=\)))){0,12}\)\s*"
    r"(?:->[^:\n]{1,40})?:",
    re.MULTILINE,
)
_DEFINES = re.compile(r"^\s*(?:async )?def ", re.MULTILINE)
# What runs in another process or thread, or is translated: no trace hears of it.
_ELSEWHERE = re.compile(
    r"\bnum_workers\s*=\s*(?!0\b)|\.start\(\)|\bPool\b|\bspawn\(|Executor\(|\bjit\b"
)
_QUICK = 2.0  # seconds; to trace what runs longer costs more than it tells
_CALLS = 3  # functions that are tried, of code that only defines some
_LAUNCHER = ("launcher_variable", "process_group")


@dataclass(frozen=True)
class Reproduced:
    """What happened, and what it was that ran."""

    run: JobResult
    job: Job  # the same code, perhaps with placeholders or on another device: a fix is tried there
    reference: JobResult | None = None  # for an in-place error, the gradients it should have had
    only_on_gpu: bool = False  # it runs on the CPU
    rebuilt: bool = False  # the posted error came up with what the post lacks added
    other_numbers: bool = False  # … and its message names other numbers than the posted one
    made_up: bool = False  # … and a property decides that the posted message does not name
    said: str = ""  # … and which part of the post it was that ran, where it was not all of it
    why_not: str = ""  # why the posted error could not be rebuilt, where that was tried
    question: Question | None = None  # what ran of it, where a block of it was left out

    @cached_property
    def mistake(self) -> Mistake:
        """What the run shows to be wrong."""
        return mistake(self.run)


async def reproduce(executor: ExecutorClient, question: Question, job: Job) -> Reproduced:
    """Run it, or rebuild its posted error; where the answer needs more eyes, again with them.

    Raises:
        ExecutorError: the executor is gone or full.
    """
    as_posted = job
    run, job = await completion.run(executor, job, posted(question))
    fewer = without_block_in_the_way(question, run)
    if fewer is not None:
        of_fewer = as_posted.model_copy(update={"code": fewer.code})
        part = await reproduce(executor, fewer, of_fewer)
        return replace(part, question=part.question or fewer)
    for name in _whole_functions(run, job) if posted(question) is None else ():
        calling = job.model_copy(update={"glue": Glue(after=(f"{name}()",))})
        called = await executor.run(calling)
        shows = called.outcome is not Outcome.OK and not missing(called, question)
        if called.outcome is Outcome.OK or (shows and not reports_no_error(question)):
            run, job = called, calling
            break
        if called.outcome is Outcome.TIMEOUT:
            break  # one that takes too long has used the time of the others
    if _lacks_a_launcher(question, run):
        again, launched = await completion.run(
            executor, job.model_copy(update={"launched": True}), posted(question)
        )
        if again.error is None or not is_a(again.error, *_LAUNCHER):
            run, job = again, launched
    tried = Rebuild()
    if lacks_posted_error(question, run) and job.simulate is None:
        tried = await rebuild(executor, question, as_posted)
        if tried.run is not None and tried.job is not None:
            run, job = tried.run, tried.job
            reference = None
            if failed_in_place(run):
                run, reference = await rerun_with_probes(executor, job, run)
            return Reproduced(
                run,
                job,
                reference,
                rebuilt=True,
                other_numbers=not tried.exact,
                made_up=tried.made_up,
                said=tried.said,
            )
    elif (
        completion.lacks_a_name(run, job.code) and posted(question) is None and job.simulate is None
    ):
        ended = await run_to_end(executor, question, as_posted)
        if ended.run is not None and ended.job is not None:
            return Reproduced(ended.run, ended.job)
    seen = await _looked_at(executor, question, run, job)
    return replace(seen, why_not=tried.why_not)


def _whole_functions(run: JobResult, job: Job) -> list[str]:
    """Of code that only defines things, the functions that can be called as they are.

    `main` comes first; one that another one calls is left to that.
    """
    if not run.only_definitions or run.outcome is not Outcome.OK or job.glue is not None:
        return []
    names = [n for n in _WHOLE.findall(job.code) if len(re.findall(rf"\b{n}\(", job.code)) == 1]
    return sorted(names, key=lambda name: name != "main")[:_CALLS]


def _lacks_a_launcher(question: Question, run: JobResult) -> bool:
    """Whether it has to be started by a launcher, and nobody asks why."""
    if run.error is None or not is_a(run.error, *_LAUNCHER):
        return False
    pasted = posted(question)
    return pasted is None or not is_a(pasted, *_LAUNCHER)


def lacks_posted_error(question: Question, run: JobResult) -> bool:
    """Whether an error was posted that this run did not raise."""
    pasted = posted(question)
    if pasted is None or run.outcome is Outcome.SETUP_ERROR or is_a_warning(pasted.type):
        return False  # a warning ends no run
    errors = (run.error,) if run.error is not None else run.caught
    return not any(is_posted(pasted, error) for error in errors)


async def _looked_at(
    executor: ExecutorClient, question: Question, run: JobResult, job: Job
) -> Reproduced:
    if failed_in_place(run):
        run, reference = await rerun_with_probes(executor, job, run)
        return Reproduced(run, job, reference)
    if run.suspects and run.outcome is Outcome.OK:
        # It ran, and could still compute wrong gradients: writes that PyTorch does not count.
        return Reproduced(_with_silent_writes(run, await trace_writes(executor, job)), job)
    warm = Reproduced(run, job)
    believed = _may_lack_a_module(question) and run.outcome is Outcome.OK
    if not run.stand_ins and (run.warm_only or (believed and not warm.mistake.is_there)):
        # A warm server can hide what a fresh interpreter shows: a submodule nobody imported.
        cold = await executor.run(job.model_copy(update={"cold": True}))
        if cold.outcome is Outcome.ERROR:
            return Reproduced(cold.model_copy(update={"warm_only": run.warm_only}), job)
    if not warm.mistake.is_there and _may_leave_lines_out(run, job):
        traced = await executor.run(job.model_copy(update={"probes": (Probe.STATEMENTS,)}))
        return Reproduced(run.model_copy(update={"statements": traced.statements}), job)
    return warm


def _may_leave_lines_out(run: JobResult, job: Job) -> bool:
    """Whether code that ended well has functions that it may not have called; it is run again."""
    if run.outcome is not Outcome.OK or run.only_definitions or run.seconds > _QUICK:
        return False
    return _DEFINES.search(job.code) is not None and not _ELSEWHERE.search(job.code)


def _may_lack_a_module(question: Question) -> bool:
    """Whether the posted error may be of a submodule that nobody imported there."""
    if question.traceback is None:
        return False
    pasted = posted(question)
    return pasted is None or is_a(pasted, "module_attribute") or pasted.type == "AttributeError"


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
    if lacks_posted_error(question, gpu.run):
        gpu = replace(gpu, why_not=gpu.why_not or cpu.why_not)
    if needs_gpu(cpu.run) or devices.asks_where_it_is(cpu.run):
        return gpu
    if devices.device_error(gpu.mistake):
        return Reproduced(gpu.run, gpu.job, gpu.reference, only_on_gpu=True)
    return cpu


def _with_silent_writes(run: JobResult, traced: JobResult) -> JobResult:
    silent = tuple(f for f in traced.findings if f.kind == "silent_inplace_write")
    if not silent:
        return run
    return run.model_copy(
        update={"findings": (*silent, *run.findings), "autograd": traced.autograd}
    )
