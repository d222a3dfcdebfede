"""Say by kind why a posted error could not be rebuilt; docs/rebuilding.md lists the kinds."""

from __future__ import annotations

from dataclasses import dataclass

from executor.errors import family_of, is_gone
from executor.inside.rebuild.candidate import Candidate
from executor.inside.rebuild.evidence import Posted
from executor.inside.rebuild.steps import GRAD
from executor.inside.rebuild.trial import Outcome

_OUT_OF_REACH = {
    "needs_a_gpu": {"cuda_out_of_memory", "cuda_assert", "cuda_busy", "cuda_kernel_image",
                    "cuda_kernel_failed", "cublas", "cudnn", "mps", "cuda_driver"},
    "needs_memory": {"memory", "memory_error"},
    "several_processes": {"process_group", "nccl", "ddp_unused_parameters", "ddp_devices",
                          "worker_died", "port_taken", "launcher_variable", "shared_memory"},
    "installation": {"module_not_installed", "import_name", "shared_library", "cuda_toolkit",
                     "operator_missing", "numpy_missing"},
    "network": {"network_missing", "network_entry_missing"},
}  # fmt: skip


def out_of_reach(posted: Posted) -> str:
    """Why no code can raise it here for its own reason; empty if some could."""
    if posted.lacks_backward or posted.goes_back_once or posted.lacks_its_name:
        return "code_not_posted"
    return next((why for why, ids in _OUT_OF_REACH.items() if posted.id in ids), "")


# What a machine without GPU, files and network raises in place of the posted error.
_NOT_HERE = frozenset(
    {"cuda_not_compiled", "gpu_missing", "file_missing", "data_missing", "network_missing",
     "network_entry_missing", "module_not_installed", "import_name", "name_undefined"}
)  # fmt: skip
_NAMES_THE_WANTED = frozenset({"index_argument_dtype", "index_dtype", "embedding_dtype"})


@dataclass
class Met:
    """What the trials met that did not raise the posted error."""

    last: str = ""  # "Type: message" of the last other error
    stubbed: bool = False  # a library had to be stubbed
    # What was posted ran to its end without anything added, or with what the message names.
    runs: bool = False

    otherwise: bool = False  # it raised another error, of the code alone, without anything added

    def note(self, candidate: Candidate, seen: Outcome, posted: Posted) -> None:
        """Take note of a trial."""
        whole = seen.ok and posted.does_something and not (seen.read or candidate.modules)
        self.runs |= whole or (seen.ok and _as_posted(candidate, seen, posted))
        if not seen.ok:
            added = seen.read or candidate.modules or candidate.after or candidate.header
            family = family_of(seen.type, seen.message)
            of_here = family is not None and family.id in _NOT_HERE
            self.otherwise |= bool(seen.type != "Timeout" and not added and not of_here)
            self.last = f"{seen.type}: {seen.message}"[:300]


def why_not(posted: Posted, met: Met) -> str:
    """The kind of obstacle, where nothing raised the posted error; docs/rebuilding.md lists them.

    Args:
        posted: the error.
        met: what the trials met instead.
    """
    kind, _, message = met.last.partition(": ")
    other = family_of(kind, message)
    if met.stubbed or (other is not None and other.id in {"module_not_installed", "import_name"}):
        return "needs_a_library"
    if posted.family is None:
        return "unknown_message"
    if is_gone(posted.id):
        return "message_gone"
    if met.runs:
        return "runs_today"
    if met.otherwise:
        return "other_error"
    return "not_found" if posted.lines else "code_not_posted"


def _as_posted(candidate: Candidate, seen: Outcome, posted: Posted) -> bool:
    """Whether a trial gave the posted line values of the dtypes or the shapes that it complains of.

    A shape counts only where the line is known that has it; one of an in-place error is no input's.
    """
    if posted.id in GRAD:
        return False
    leaves = [leaf.tensor for leaf in candidate.leaves(seen.read)]
    dtypes, shapes = {tensor.dtype for tensor in leaves}, {tensor.shape for tensor in leaves}
    # What a message expects is no dtype of the person's value.
    if posted.id in _NAMES_THE_WANTED:
        return False
    named = set(posted.dtypes) - {"float32"}
    if posted.shapes:
        return bool(posted.lines) and set(posted.shapes) <= shapes and named <= dtypes
    return bool(named) and named <= dtypes
