"""Where a loss stopped being a number: the operation of its graph that made NaN or infinity.

Autograd keeps what an operation needs for its derivative, which is mostly its input. So the graph
of one loss shows whether a logarithm got a 0, a root a negative number, whether something was
divided by 0, and whether the target was no number.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from executor.inside import torch_private as private
from executor.inside.probes.training.nodes import known_values, what
from executor.inside.probes.training.quiet import quietly

_NODES = 500
_OF_TARGETS = {
    "MseLoss", "SmoothL1Loss", "HuberLoss", "BinaryCrossEntropy", "BinaryCrossEntropyWithLogits",
    "KlDiv",
}  # fmt: skip


def origin(loss: torch.Tensor) -> str:
    """What made a loss NaN or infinite, as a clause; empty where the graph does not show it.

    Of several the one that came first in the forward pass: what follows only hands it on.

    Args:
        loss: one number, before its backward frees the graph.
    """
    told, half = "", False
    broken: torch.dtype | None = None  # of a leaf that is none itself
    seen: set[Any] = set()
    with quietly():
        level = [loss.grad_fn]
        while level and len(seen) < _NODES:  # by levels: the last one found is the first computed
            here = [n for n in dict.fromkeys(level) if n is not None and n not in seen]
            seen.update(here)
            for node in here:
                half |= torch.float16 in private.dtypes_of(node)
                leaf = private.leaf_of(node)
                if leaf is not None and not _is_finite(leaf):
                    broken = leaf.dtype
                told = _said_of(node) or told
            level = [n for node in here for n, _ in node.next_functions]
    if told:
        return f"{told}, in float16, whose largest number is 65504" if half else told
    if broken:
        return _OF_WEIGHTS + (_IN_HALF if broken is torch.float16 else _BY_A_GRADIENT)
    if not half:
        return ""
    return (
        "what it was computed from is float16, whose largest number is 65504: whatever gets larger "
        "is infinite, and a difference or quotient of two such is NaN; compute in float32, or in "
        "bfloat16, which reaches as far as float32"
    )


_OF_WEIGHTS = "what is trained held NaN or infinity already, put there by the step before, "
_BY_A_GRADIENT = "as a gradient that is NaN or infinite does"
_IN_HALF = (
    "by a gradient that was NaN or infinite, or, as it is float16, by Adam: its eps of 1e-8 is 0 "
    "there, and so is the square of a small gradient, so that it divides by 0; keep the weights in "
    "float32 and compute under autocast, or take bfloat16"
)


def _is_finite(leaf: torch.Tensor) -> bool:
    values = known_values(leaf.detach())
    return values is None or bool(values.isfinite().all())


def _said_of(node: Any) -> str:
    kind = what(node)
    if kind in _OF_INPUTS:
        of, wrong, told = _OF_INPUTS[kind]
        values = known_values(of(node))
        if values is not None and (n := int(wrong(values).sum())):
            return told.format(n=n, all=values.numel())
    target = known_values(private.saved_target(node) if kind in _OF_TARGETS else None)
    if target is not None and (n := int((~target.isfinite()).sum())):
        return f"the target held NaN or infinity: {n} of its {target.numel()} values"
    return ""


# Kind → the operand, which of its values are none, and what is said. An operand that is NaN already
# is handed on, and was not made here.
_OF_INPUTS: dict[str, tuple[Callable[[Any], Any], Callable[[torch.Tensor], torch.Tensor], str]] = {
    "Log": (
        private.saved_self,
        lambda v: v <= 0,
        "a logarithm was taken of 0 or less: {n} of {all} values",
    ),
    "Log1P": (
        private.saved_self,
        lambda v: v <= -1,
        "`log1p` was taken of -1 or less: {n} of {all} values",
    ),
    "Sqrt": (
        private.saved_result,
        lambda v: v.isnan(),
        "a square root was taken of numbers that are negative, or none: {n} of {all} values",
    ),
    "Div": (
        private.saved_other,
        lambda v: v == 0,
        "a quotient divided by 0: {n} of the {all} values below the line",
    ),
    "Exp": (
        private.saved_result,
        lambda v: v.isinf(),
        "an exponential was infinite: {n} of {all} values",
    ),
    "Acos": (
        private.saved_self,
        lambda v: v.abs() > 1,
        "`acos` was taken of numbers beyond 1: {n} of {all} values",
    ),
    "Asin": (
        private.saved_self,
        lambda v: v.abs() > 1,
        "`asin` was taken of numbers beyond 1: {n} of {all} values",
    ),
}
