"""Run a fragment, and again with stand-ins where a name is missing: keep what is true of the code.

A stand-in never makes a failing snippet run, and never lends it an error. What fails only with our
choices, or could come from them, leaves the first run's word standing: a name is missing.
"""

from __future__ import annotations

import re

from bot.diagnosis.missing import needs_gpu
from executor.protocol import ErrorSeen, Job, JobResult, Outcome
from executor.service.client import ExecutorClient

_UNDEFINED = re.compile(r"^name '(\w+)' is not defined")


async def run(executor: ExecutorClient, job: Job) -> tuple[JobResult, Job]:
    """Run it, in three rounds at most.

    Returns:
        run: what happened, as posted if that says more.
        job: the job that it was.

    Raises:
        ExecutorError: the executor is gone or full.
    """
    job = job.model_copy(update={"stand_ins": False, "other_choices": False})
    plain = await executor.run(job)
    if not _lacks_a_name(plain):
        return plain, job
    job_with = job.model_copy(update={"stand_ins": True})
    first = await executor.run(job_with)
    if not first.stand_ins:
        return plain, job
    if first.outcome is Outcome.OK or _is_own(first, None):
        return first, job_with
    if _lacks_a_name(first) or needs_gpu(first):  # what is missing next, whatever stood in before
        return first, job_with
    if first.error is None or first.outcome is not Outcome.ERROR:
        return plain, job
    other_job = job_with.model_copy(update={"other_choices": True})
    other = await executor.run(other_job)
    if other.outcome is Outcome.OK:
        return other, other_job
    return (first, job_with) if _is_own(first, other) else (plain, job)


def _lacks_a_name(run: JobResult) -> bool:
    if run.error is None or run.error.type != "NameError":
        return False
    m = _UNDEFINED.match(run.error.message)
    return m is not None and m[1] in run.undefined


def _is_own(first: JobResult, other: JobResult | None) -> bool:
    """Whether an error is the snippet's own.

    Either nothing in the failing expression can come from a stand-in; or the error is of a kind
    that hangs on no size and no value, or on sizes that are the same with other choices.
    """
    error = first.error
    if (
        error is None
        or first.outcome is not Outcome.ERROR
        or first.stand_in_at_fault
        or error.type in {"SystemExit", "NameError", "KeyboardInterrupt", "PlaceholderError"}
        or error.origin == "raise"
    ):
        return False
    if not first.depends_on_stand_ins:
        return True
    if other is None or other.error is None or other.stand_in_at_fault:
        return False
    return _agree(error, other.error)


# Kinds that no size, dtype or value of a tensor brings about.
_STRUCTURAL = re.compile(
    r"does not require grad and does not have a grad_fn|implicitly created only for scalar"
    r"|modified by an inplace operation|backward through the graph a second time"
    r"|a leaf Variable that requires grad|Can't call numpy\(\) on Tensor that requires grad"
    r"|must be (Tensor|tuple of Tensors|list of Tensors), not (tuple|list|dict|str)"
    r"|unexpected keyword argument|missing \d+ required (positional|keyword)"
    r"|^(?!.NoneType).*has no attribute|not compiled with CUDA|No CUDA GPUs|no NVIDIA driver"
    r"|referenced before assignment|not associated with a value"
)
_DIGITS = re.compile(r"\[[\d, ]*\]")  # [torch.FloatTensor [8, 10]]
# The sizes that clash, without the batch that is ours.
_CLASHES = (
    re.compile(r"mat1 and mat2 shapes cannot be multiplied \(\d+x(\d+) and (\d+)x\d+\)"),
    re.compile(r"size of tensor a \((\d+)\) must match the size of tensor b \((\d+)\)"),
    re.compile(r"weight of size .* to have (\d+) channels, but got (\d+) channels"),
    re.compile(r"input\.size\(-1\) must be equal to input_size\. Expected (\d+), got (\d+)"),
    re.compile(r"running_mean should contain (\d+) elements not (\d+)"),
)


def _agree(a: ErrorSeen, b: ErrorSeen) -> bool:
    if (a.type, a.line) != (b.type, b.line):
        return False
    if _STRUCTURAL.search(a.message):
        return _DIGITS.sub("", a.message) == _DIGITS.sub("", b.message)
    for pattern in _CLASHES:
        first, second = pattern.search(a.message), pattern.search(b.message)
        if first and second:
            return first.groups() == second.groups()
    return False
