"""Load a checkpoint with what `torch.load` has to be told: its device, or that it is trusted.

Everything that is pickled may be loaded only where the program itself wrote the file just before.
"""

import libcst as cst

from executor.errors import is_a
from knowledge.repair.codemod import Rewrites
from knowledge.repair.operator import Failure
from knowledge.repair.toolkit.lazily import torch
from knowledge.repair.toolkit.sites import argument, calls, with_argument

ERRORS = ("weights_only", "cuda_checkpoint")


def edits(failure: Failure) -> Rewrites:
    """The one option, wherever this program loads so."""
    node = failure.node
    if not isinstance(node, cst.Call) or not failure.text(node.func).endswith("load"):
        return
    if not is_a(failure.error, "weights_only"):
        here = torch.cuda.is_available()  # then it was saved on a machine with more GPUs
        device = cst.SimpleString('"cuda:0"' if here else '"cpu"')
        yield failure.edit(
            {node: with_argument(node, 1, "map_location", device)},
            f"what was saved on a GPU is loaded onto the {'first GPU' if here else 'CPU'}",
            f"it is to go on {'with the GPU that is there' if here else 'without a GPU'}",
        )
        return
    if (save := _saved(failure, node)) is None:
        return
    saved = argument(save, 0, "obj")
    if saved is not None and failure.text(saved.value).endswith(".state_dict"):
        told = f"`{failure.text(saved.value)}` is called, so that the weights are saved"
        meant = "the file is to hold the weights"
        yield failure.edit({saved.value: cst.Call(saved.value)}, told, meant, at=save)
    else:
        false = cst.Name("False")
        yield failure.edit(
            {node: with_argument(node, 99, "weights_only", false)},
            "the file is this program's own, so all that it holds may be loaded",
            "the file is the one that was saved above",
        )


def _saved(failure: Failure, load: cst.Call) -> cst.Call | None:
    """The call above the line that saved to that very path."""
    path = argument(load, 0, "f")
    wanted = failure.value(path.value) if path is not None else failure.missing
    called = failure.places[-1].node  # in a function: the module's own line that led to it
    for save in calls(failure, r"(^|\.)save$"):
        written = argument(save, 1, "f")
        if written is None or failure.line(save) >= failure.line(called):
            continue
        for frame in {0, len(failure.live.names) - 1}:
            value = failure.value(written.value, frame)
            if value is not failure.missing and str(value) == str(wanted):
                return save
    return None
