"""Find a GradScaler that multiplies the loss, and that nothing asks to divide the gradients."""

from __future__ import annotations

import ast
import gc

import torch

from executor.inside import torch_private as private
from executor.inside.probes.training.findings import FindingCollector
from executor.inside.probes.training.idle import is_used, made
from executor.inside.probes.training.steps import Steps
from executor.inside.walking import walk


def report_scalers(collector: FindingCollector, tree: ast.Module, steps: Steps) -> None:
    """Report optimizers that stepped on gradients as large as the scaler has made them."""
    names = sorted(made(tree).get("GradScaler", ()))
    if len(names) != 1 or len(steps.records) != 1:
        return
    name, record = names[0], next(iter(steps.records.values()))
    if is_used(tree, name) or _unscales(tree, name):
        return  # stepped, or in the hands of something that may step it
    for thing in gc.get_objects():  # gc.freeze() hides the server's
        if not issubclass(type(thing), torch.amp.GradScaler):
            continue
        factor = private.scale_of(thing)
        if factor is not None and factor > 1:
            collector.add(
                "scaler_left_out",
                record.line,
                record.name,
                f"`{name}.scale(loss)` multiplied the loss by {factor:g}, and `{record.name}` "
                "stepped on gradients as large: nothing divides them again; call "
                f"`{name}.step({record.name})` and `{name}.update()` in the place of "
                f"`{record.name}.step()`",
                scaler=name,
            )
            return


def _unscales(tree: ast.Module, name: str) -> bool:
    return any(
        isinstance(node, ast.Attribute)
        and node.attr in ("unscale_", "get_scale", "step")
        and ast.unparse(node.value).rpartition(".")[2] == name
        for node in walk(tree)
    )
