"""When a snippet is run once more where there is a GPU, or as if there were one.

Without a GPU in the executor a simulated one raises PyTorch's own device errors. It is never
called a GPU.
"""

from __future__ import annotations

import re

from bot.diagnosis.missing import needs_gpu
from executor.errors import is_a
from executor.protocol import Caught, DeviceSeen, ErrorSeen, Job, JobResult, Outcome
from executor.service.client import ExecutorClient
from knowledge.repair.mistake import Mistake

# Error families of tensors on different devices.
_DEVICE_ERRORS = (
    "devices_differ", "devices", "constructor_device", "layer_devices", "rnn_devices",
    "numpy_of_cuda", "generator_device", "rnn_lengths_tensor", "gradient_device", "index_device",
)  # fmt: skip


def wants_gpu(run: JobResult, wrong: Mistake, code: str) -> bool:
    """Whether a run on the CPU leaves open what a GPU would do.

    It failed for want of one; or it ran because it asks `torch.cuda.is_available()` first, which
    hides every mistake in what it moves and what it does not.
    """
    if run.env.device != "cpu":
        return False
    if needs_gpu(run) or asks_where_it_is(run):
        return True
    return "cuda" in code and run.outcome is Outcome.OK and not wrong.is_there


def asks_where_it_is(run: JobResult) -> bool:
    """Whether it stopped at a line of its own that asks for CUDA: a CPU can only say no."""
    error = run.error
    return error is not None and error.type == "AssertionError" and "cuda" in error.code


def there(job: Job, *, has_gpu: bool) -> Job:
    """The same job on the executor's GPU, or on a simulated one."""
    return job.model_copy(update={"device": "cuda"} if has_gpu else {"simulate": "cuda"})


# What asks how many GPUs there are or of which kind, in torch and in the libraries on it.
_ASKS = re.compile(
    r"device_count|get_device_(?:name|properties|capability)|mem_get_info|get_arch_list"
    r"|bf16_supported|device_ids|world_size|(?:^|[^a-z])(?:gpus?|devices)\b",
    re.IGNORECASE,
)
_MANY = 8


def may_be_of_gpus(run: JobResult, code: str) -> bool:
    """Whether its error may come only of how many GPUs it found, or of which kind."""
    error = run.error
    return (
        error is not None
        and run.outcome is Outcome.ERROR
        and (run.env.device == "cpu" or run.env.device.startswith("simulated"))
        and not run.needs_module
        and not is_a(error, *_DEVICE_ERRORS)
        and _ASKS.search(code) is not None
    )


async def are_of_gpus(executor: ExecutorClient, job: Job, run: JobResult) -> bool:
    """Whether an error does not come up where there are many large GPUs: two runs at most.

    Raises:
        ExecutorError: the executor is gone or full.
    """
    here = there(job, has_gpu=False)
    many = await executor.run(here.model_copy(update={"gpus": _MANY}))
    if _is_same(run, many):
        return False
    if many.error is None or run.env.device != "cpu":
        return True
    # Another error than on the CPU may be any that a single GPU raises too.
    return _is_same(run, await executor.run(here))


def _is_same(one: JobResult, other: JobResult) -> bool:
    """Whether both raise one error; the numbers of its message may be of the machine."""
    a, b = one.error, other.error
    return a is not None and b is not None and (a.type, a.line) == (b.type, b.line)


def device_error(wrong: Mistake) -> ErrorSeen | Caught | None:
    """The error of a mistake, if it is about devices."""
    error = wrong.error
    return error if error is not None and is_a(error, *_DEVICE_ERRORS) else None


def opposed(seen: tuple[DeviceSeen, ...]) -> str:
    """Which tensor is where, and the lines that put them there; empty if that is not known."""
    on_cpu = _best([d for d in seen if d.device == "cpu"])
    on_gpu = _best([d for d in seen if d.device.startswith("cuda")])
    if on_cpu is not None and on_gpu is not None:
        first, other = (on_cpu, on_gpu) if on_cpu.name or not on_gpu.name else (on_gpu, on_cpu)
        return f"{_placed(first, 'one tensor')} while {_placed(other, 'the other')}"
    return _placed(on_gpu, "it") if on_gpu is not None and on_gpu.name else ""


def _best(seen: list[DeviceSeen]) -> DeviceSeen | None:
    return next((d for d in seen if d.name), seen[0] if seen else None)


def _placed(d: DeviceSeen, otherwise: str) -> str:
    name = f"`{d.name}`" if d.name else otherwise
    if d.device == "cpu":
        return f"{name} stays on the CPU" + (f" (from line {d.line})" if d.line else "")
    return f"{name} is on {d.device}" + (f" (line {d.line})" if d.line else "")
