"""Ask for the gradient of what is trained last: `(torch.randn(3, 2) * 0.1).requires_grad_()`.

`torch.randn(3, 2, requires_grad=True) * 0.1` is a result, and backward() keeps gradients in leaves
only: its `.grad` stays None. Which names hold such a result is seen in their live values.
"""

from __future__ import annotations

import libcst as cst

from knowledge.repair.codemod import Rewrites
from knowledge.repair.operator import Failure
from knowledge.repair.toolkit.dataflow import Unasked
from knowledge.repair.toolkit.edits import Edits, method
from knowledge.repair.toolkit.keeps import backwards
from knowledge.repair.toolkit.lazily import torch

SPEAKS = "None"
KEEPS = (backwards,)


def edits(failure: Failure) -> Rewrites:
    """Every assignment of a result whose own beginning was asked; they belong together."""
    changes: Edits = {}
    names = []
    for made in failure.all(cst.Assign):
        name, asks = made.targets[0].target, Unasked()
        value = failure.value(name, 0) if isinstance(name, cst.Name) else None
        if not isinstance(value, torch.Tensor) or value.grad_fn is None:
            continue
        bare = asks.of(made.value)
        computed_from = [n for n in failure.inside(made.value, cst.Name) if _is_tensor(failure, n)]
        if asks.found and not computed_from:
            changes[made.value] = method(bare, "requires_grad_")
            names.append(f"`{failure.text(name)}`")
    if changes:
        told = f"{' and '.join(names)} is asked for a gradient when it is computed, as a leaf"
        yield failure.edit(changes, told, as_one=True)


def _is_tensor(failure: Failure, name: cst.Name) -> bool:
    return isinstance(failure.value(name, 0), torch.Tensor)
