"""Run a fragment, again with placeholders where a name, a file or data are missing.

What is kept is the snippet's own error.

A placeholder must neither hide an error of the snippet nor bring one about. Where an error comes
from our placeholders, or may come from them, the answer is the first run's: a name is missing.
"""

from __future__ import annotations

import re

from bot.diagnosis.lacks import is_a_slip
from bot.diagnosis.missing import needs_gpu
from executor.errors import HasMessage, is_a, read, same_family
from executor.protocol import MODULE, ErrorSeen, Job, JobResult, Outcome
from executor.service.client import ExecutorClient


async def run(
    executor: ExecutorClient, job: Job, asked: HasMessage | None = None
) -> tuple[JobResult, Job]:
    """Run it, in three rounds at most.

    Args:
        executor: where to run it.
        job: as it was posted.
        asked: the error that is asked about: where the run as posted raises it, that is it.

    Returns:
        run: what happened; of the run as posted, unless one with placeholders says more.
        job: the job that it was.

    Raises:
        ExecutorError: the executor is gone or full.
    """
    job = job.model_copy(update={"stand_ins": False, "other_choices": False})
    plain = await executor.run(job)
    lacks_names = lacks_a_name(plain, job.code)
    if not (lacks_names or lacks_a_resource(plain) or lacks_a_module(plain)):
        return plain, job
    if asked is not None and plain.error is not None and same_family(asked, plain.error):
        return plain, job
    job_with = job.model_copy(update={"stand_ins": True})
    first = await executor.run(job_with)
    if not first.stand_ins or _caught_a_missing_module(first):
        return plain, job
    if first.needs_module:
        return first, job_with  # it got as far as what needs that module
    if first.outcome is Outcome.OK or _is_own(first, None):
        return first, job_with
    if lacks_a_name(first) or lacks_a_resource(first) or lacks_a_module(first) or needs_gpu(first):
        return first, job_with  # what is missing next
    if first.error is None or first.outcome is not Outcome.ERROR:
        return plain, job
    other_job = job_with.model_copy(update={"other_choices": True})
    other = await executor.run(other_job)
    if other.outcome is Outcome.OK:
        return other, other_job
    return (first, job_with) if _is_own(first, other) else (plain, job)


def lacks_a_name(run: JobResult, code: str = "") -> bool:
    """Whether it ended at a name that the code nowhere defines, and that is no slip of another."""
    if run.error is None or run.error.type != "NameError":
        return False
    seen = read(run.error, "name_undefined")
    if seen is None or seen["name"] not in run.undefined:
        return False
    return not is_a_slip(seen["name"], run, code)


def lacks_a_resource(run: JobResult) -> bool:
    """Whether it ended where it asked for a file, for data or for weights that are not here.

    Or whether it caught that there is no network, and ended elsewhere: at home there is one.
    """
    if run.error is None:
        return False
    if any(is_a(caught, *_NETWORK) for caught in run.caught):
        return True
    if run.not_here is not None and run.not_here.kind == "path":
        return True
    of_nothing = is_a(run.error, *_OF_NOTHING) or run.error.message.startswith("OpenCV")
    of_nothing &= not run.stand_in_at_fault  # then it is of what stands in, and not of nothing
    return is_a(run.error, *_RESOURCES) or (bool(run.absent) and of_nothing)


def lacks_a_module(run: JobResult) -> bool:
    """Whether it ended at a module that is not installed; not at a part that has gone from one."""
    return (
        run.error is not None
        and run.explanation is None
        and is_a(run.error, "module_not_installed")
    )


def _caught_a_missing_module(run: JobResult) -> bool:
    """Whether something took the error of a module that was left out: at home it is there."""
    if any(s.used for s in run.stand_ins) and not run.needs_module:
        return True
    return any(s.kind == MODULE for s in run.stand_ins) and any(
        is_a(caught, "module_not_installed") for caught in run.caught
    )


# What comes of a function that finds no file and does not say so: `cv2.imread`, `glob`.
_OF_NOTHING = (
    "none_attribute", "none", "argument_type", "image_type", "list_range", "no_samples",
    "iterator_finished", "division_by_zero", "unpack_count", "join_of_nothing",
)  # fmt: skip
_NETWORK = ("network_missing", "network_entry_missing")
_RESOURCES = ("file_missing", "data_missing", "not_writable", *_NETWORK)


def _is_own(first: JobResult, other: JobResult | None) -> bool:
    """Whether an error is the snippet's own.

    Either nothing in the failing expression can come from a placeholder; or the error depends on no
    size and no value, or only on sizes that are the same with other placeholders.
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
    if other is None or other.error is None or other.stand_in_at_fault or other.needs_module:
        return False
    return _agree(error, other.error)


# Error families that no size, dtype or value of a tensor brings about.
_STRUCTURAL = (
    "no_graph", "grad_of_many", "modified_in_place", "freed_graph", "leaf_in_place",
    "numpy_of_graph", "unexpected_keyword", "missing_arguments", "module_attribute",
    "object_attribute", "cuda_not_compiled", "gpu_missing", "unbound_local",
    "state_dict_type",
)  # fmt: skip
_TENSORS = ("Tensor", "tuple of Tensors", "list of Tensors")
_SHAPE = re.compile(r"\[[\d, ]*\]")  # [torch.FloatTensor [8, 10]]
# The sizes that clash, without the batch that is ours: error family → its values.
_CLASHES = {
    "matmul_shapes": ("inner_left", "inner_right"),
    "broadcast_sizes": ("a", "b"),
    "conv_channels": ("in_channels", "channels"),
    "rnn_input_size": ("input_size", "given"),
    "batchnorm_features": ("channels", "num_features"),
}


def _is_structural(error: ErrorSeen) -> bool:
    """Whether no choice of sizes and values could bring the error about, or keep it away."""
    if is_a(error, "none_attribute"):
        return False
    unpacked = read(error, "argument_unpack")
    if unpacked is not None and unpacked["element"] == "float":
        return True  # every number that is made up for a size is a whole one
    argument = read(error, "argument_type")
    if argument is not None:
        of_a_tensor = argument["expected"] in _TENSORS
        return of_a_tensor and argument["given"] in ("tuple", "list", "dict", "str")
    return is_a(error, *_STRUCTURAL)


def _agree(a: ErrorSeen, b: ErrorSeen) -> bool:
    if (a.type, a.line) != (b.type, b.line):
        return False
    if _is_structural(a):
        return _SHAPE.sub("", a.message) == _SHAPE.sub("", b.message)
    first, second = read(a, *_CLASHES), read(b, *_CLASHES)
    if first is None or second is None or first.id != second.id:
        return False
    return all(first[name] == second[name] for name in _CLASHES[first.id])
