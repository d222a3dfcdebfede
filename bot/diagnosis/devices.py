"""When a snippet is run once more where there is a GPU, or as if there were one.

Without a GPU in the executor a simulated one raises PyTorch's own device errors. It is never
called a GPU.
"""

from __future__ import annotations

from bot.diagnosis.missing import needs_gpu
from executor.errors import is_a
from executor.protocol import Caught, DeviceSeen, ErrorSeen, Job, JobResult, Outcome
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
