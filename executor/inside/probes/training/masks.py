"""Recognise a mask that masks nothing: what it is to hide keeps its share of the softmax."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from executor.inside import torch_private as private
from executor.inside.probes.training.nodes import Pattern, dimension, shape, what

_SHARE = 0.05  # of what a value that is not masked gets: less than that is hidden enough


def of_softmax(node: Any) -> Iterator[Pattern]:
    """A softmax right behind a mask whose hidden places get as much as the others.

    A place is hidden by minus infinity, or a number so low that its power is none. A 0, or 1e-9, is
    an ordinary score, and so is what a mask of zeros and ones has multiplied.
    """
    before = node.next_functions[0][0]
    if before is None or what(before) not in ("MaskedFill", "Mul"):
        return
    fills = what(before) == "MaskedFill"
    hidden = private.saved_mask(before) if fills else _zeros_of(before)
    sizes = shape(node, 0) or ()
    if not isinstance(hidden, torch.Tensor) or not sizes:
        return
    result = private.saved_result(node)
    weights = result.exp() if what(node) == "LogSoftmax" else result
    hidden = hidden.bool().expand(weights.shape)
    dim = dimension(node, len(sizes))
    n = hidden.sum(dim, keepdim=True)
    both = ((n > 0) & (n < hidden.shape[dim])).expand(hidden.shape)  # where there is a choice
    if not bool((both & hidden).any()):
        if fills and hidden.shape[dim] > 1 and _is_of_queries(before, hidden, dim):
            yield Pattern("mask_of_queries", {"weights": list(hidden.shape)})
        return
    low, high = float(weights[both & hidden].mean()), float(weights[both & ~hidden].mean())
    if low > _SHARE * high:
        yield Pattern("mask_without_effect", {"fills": fills, "share": low / high})


def _is_of_queries(fill: Any, hidden: torch.Tensor, dim: int) -> bool:
    """Whether a square of scores is masked by whole rows, at the ends of sequences, and by no more.

    A softmax over a row that is one number everywhere gives each place the same share.
    """
    square = hidden.dim() == 4 and hidden.shape[-1] == hidden.shape[-2] and dim in (-1, 3)
    above = fill.next_functions[0][0]
    if not square or above is None or what(above) in ("MaskedFill", "Where", "Add"):
        return False  # another mask, of the keys, came before
    rows = hidden[:, 0, :, 0]
    ends = bool((rows[:, 1:] >= rows[:, :-1]).all()) and not bool(rows[:, 0].any())
    return ends and bool(rows.any())


def _zeros_of(product: Any) -> torch.Tensor | None:
    """Where a factor without a graph is 0, if it holds zeros and ones and nothing else."""
    for (before, _), saved in zip(
        product.next_functions, (private.saved_other, private.saved_self), strict=False
    ):
        if before is None:
            continue
        mask = saved(product)
        if not isinstance(mask, torch.Tensor) or mask.requires_grad or mask.dim() == 0:
            continue
        zeros = mask == 0
        if bool(zeros.any()) and bool((zeros | (mask == 1)).all()) and not bool(zeros.all()):
            return zeros
    return None
