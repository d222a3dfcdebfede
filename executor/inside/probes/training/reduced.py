"""Recognise sums and means along a dimension that their values were not made for.

Weights of a gate or of a pooling are a softmax, and a product with them is summed. They are told
by the graph: along which dimension the softmax goes, and along which the sum.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from executor.inside import torch_private as private
from executor.inside.probes.training.nodes import LAYERS, Pattern, dimension, shape, what

# Nodes that leave weights where they are, counted from the end; a dropout is a product.
_KEEPS = {"Expand", "Clone", "ToCopy", "Alias", "NativeDropout", "Unsqueeze"}
_LAYS_OUT = {"View", "UnsafeView", "ReshapeAlias", "Permute", "Unsqueeze", "Transpose", "Clone"}
_SCORED = {"View", "UnsafeView", "ReshapeAlias", "Add", "Div", "Mul", "Sub"}  # of scores
_DEEP = 8


def of_sum(node: Any, summed: int | None) -> Iterator[Pattern]:
    """The patterns of a sum or a mean along one dimension, counted from the end."""
    before = node.next_functions[0][0]
    if summed is None or before is None:
        return
    of_normed = (what(node), what(before), summed) == ("Mean", "NativeLayerNorm", -1)
    if (
        of_normed
        and len(private.saved_normalized_shape(before)) == 1
        and not private.saved_keepdim(node)
    ):
        yield Pattern("mean_of_normed", {"input": list(private.saved_sizes(node))})
    if what(before) != "Mul":
        return
    for operand, _ in before.next_functions:
        softmax, axes = _softmax(operand)
        if softmax is None or -summed > len(axes) or (along := axes[summed]) is None:
            continue
        sizes = shape(softmax, 0) or ()
        used = dimension(softmax, len(sizes))
        yield from _of_one(sizes, used, along)
        if used == 0 != along and min(sizes[0], sizes[along]) > 1 and _is_of_rows(softmax):
            facts: dict[str, Any] = {
                "weights": list(sizes),
                "used": 0,
                "summed": along,
                "square": True,
                "gate": True,
            }
            yield Pattern("attention_wrong_dim", facts)


def of_rows(node: Any, operand: int) -> Iterator[Pattern]:
    """A gate's weights [samples, experts] over the samples, laid out for a product of stacks.

    `einsum("bk,bkd->bd", gate, experts)` adds up the experts of each sample.
    """
    laid = softmax = node.next_functions[operand][0]
    for _ in range(_DEEP):
        if softmax is None or what(softmax) not in _LAYS_OUT:
            break
        softmax = softmax.next_functions[0][0]
    if softmax is None or softmax is laid or what(softmax) != "Softmax":
        return
    sizes, at = shape(softmax, 0) or (), shape(laid, 0) or ()
    if len(sizes) != 2 or len(at) != 3 or sizes[0] == sizes[1] or sizes[1] < 2:
        return
    rows = at[0] == sizes[0] > 1 and at[(-1, -2)[operand]] == sizes[1]
    if rows and dimension(softmax, 2) == 0 and _is_of_rows(softmax):
        facts = {"weights": list(sizes), "used": 0, "summed": 1}
        yield Pattern("attention_wrong_dim", {**facts, "square": True, "gate": True})


def of_product(softmax: Any, summed: int) -> Iterator[Pattern]:
    """The same of a product of matrices, which adds up along that dimension of a softmax."""
    if what(softmax) == "Softmax" and len(sizes := shape(softmax, 0) or ()) > 1:
        yield from _of_one(sizes, dimension(softmax, len(sizes)), summed % len(sizes))


def _of_one(sizes: tuple[int, ...], used: int, summed: int) -> Iterator[Pattern]:
    """A softmax over one value, whose weights are then added up along a dimension of several."""
    if sizes[used] == 1 < sizes[summed]:
        yield Pattern("softmax_one_column", {"input": list(sizes), "summed": summed})


def _softmax(node: Any) -> tuple[Any, list[int | None]]:
    """The softmax that weights are, and which of its dimensions each of theirs is; None if none."""
    added: list[int] = []
    for _ in range(_DEEP):
        if node is None or what(node) == "Softmax":
            break
        kind, before = what(node), [n for n, _ in node.next_functions]
        if kind == "Unsqueeze":
            added.append(dimension(node, len(shape(node, 0) or ())))
        elif kind not in _KEEPS and not (kind == "Mul" and None in before):
            return None, []
        node = next((n for n in before if n is not None), None)
    if node is None or what(node) != "Softmax":
        return None, []
    axes: list[int | None] = list(range(len(shape(node, 0) or ())))
    for new in reversed(added):
        axes.insert(new, None)
    return node, axes


def _is_of_rows(softmax: Any) -> bool:
    """Whether a layer has made its scores of rows, so that dimension 0 is that of the samples."""
    node = softmax.next_functions[0][0]
    while node is not None and what(node) in _SCORED:
        node = next((n for n, _ in node.next_functions if LAYERS.search(what(n))), None) or next(
            (n for n, _ in node.next_functions if n is not None), None
        )
    if node is None or what(node) not in ("Addmm", "Mm"):
        return False
    weight = node.next_functions[-1][0]
    while weight is not None and what(weight) in ("T", "Transpose"):
        weight = weight.next_functions[0][0]
    return what(weight).endswith("AccumulateGrad")
