"""Recognise targets of a regression that the last activation, or a clamp, can never give.

PyTorch's losses keep the target. Of a difference that is squared or made positive by hand, and of
`l1_loss`, it is what the activation gave less the difference.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from executor.inside import torch_private as private
from executor.inside.probes.training.nodes import Pattern, behind, what

LOSSES = {"MseLoss", "SmoothL1Loss", "HuberLoss", "Abs", "Pow", "Mul"}
_TOLERANCE = 1e-3
_SHARE = 0.2  # of the targets that have to be out of reach
_RANGES = {"Sigmoid": (0.0, 1.0), "Softmax": (0.0, 1.0), "Tanh": (-1.0, 1.0), "Relu": (0.0, None)}
_LIMITS = {"Clamp", "ClampMin", "ClampMax", "Hardtanh"}


def of_loss(node: Any, kind: str) -> Iterator[Pattern]:
    """Whether a fifth or more of the targets lie outside of what it is compared with can be."""
    by_hand = kind in ("Abs", "Pow", "Mul")
    if kind == "Mul" and [n for n, _ in node.next_functions] != [node.next_functions[0][0]] * 2:
        return  # no square
    found = _of_difference(node) if by_hand else (behind(node), None)
    if found is None or found[0] is None:
        return
    before, target = found[0], found[1] if found[1] is not None else private.saved_target(node)
    low, high = _range(before)
    if (low is None and high is None) or target.requires_grad or target.numel() == 0:
        return
    outside = torch.zeros_like(target, dtype=torch.bool)
    if low is not None:
        outside |= target < low - _TOLERANCE
    if high is not None:
        outside |= target > high + _TOLERANCE
    share = float(outside.float().mean())
    if share >= _SHARE:
        activation = "clamp" if what(before) in _LIMITS else what(before)
        facts = {"activation": activation, "share": share, "values": target.numel()}
        yield Pattern("targets_out_of_reach", {**facts, "low": low, "high": high})


def _range(node: Any) -> tuple[float | None, float | None]:
    """The smallest and the largest value that it can give; None where there is no end."""
    if what(node) not in _LIMITS:
        return _RANGES.get(what(node), (None, None))
    ends = private.limits(node)
    if not all(end is None or isinstance(end, int | float) for end in ends):
        return None, None  # limits for each value
    low, high = (None if end is None or abs(end) == float("inf") else float(end) for end in ends)
    return low, high


def _of_difference(node: Any) -> tuple[Any, torch.Tensor] | None:
    """The activation that a target is taken from, or that is taken from it, and this target."""
    less = node.next_functions[0][0]
    if what(less) != "Sub" or sum(n is not None for n, _ in less.next_functions) != 1:
        return None
    difference = private.saved_self(node)
    at = next(i for i, (n, _) in enumerate(less.next_functions) if n is not None)
    before = behind(less, at)
    if before is None or _range(before) == (None, None):
        return None
    if what(before) in _LIMITS:
        low, high = _range(before)
        given = private.saved_self(before).clamp(low, high)
    else:
        given = private.saved_result(before)
    if given.shape != difference.shape:
        if given.numel() != difference.numel() or given.shape[:1] != difference.shape[:1]:
            return None
        given = given.reshape(difference.shape)
    return before, given - difference if at == 0 else given + difference
