"""Recognise what went along the wrong dimension, or into a layer unscaled, anywhere in a graph.

The whole graph of a loss is walked, once for each line that calls backward.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from executor.inside import torch_private as private
from executor.inside.probes.training import masks, reduced
from executor.inside.probes.training.nodes import Pattern, dimension, shape, what
from executor.inside.probes.training.quiet import quietly

_NODES = 4000
# Nodes that leave the weights of an attention where they are, but for a dropout.
_KEEPS = {
    "View", "UnsafeView", "ReshapeAlias", "Expand", "Clone", "ToCopy", "Alias", "NativeDropout",
}  # fmt: skip
# The same of probabilities on the way to the one that is picked: logarithms, limits, a new sum.
_OF_PROBABILITIES = {"Log", "Clamp", "ClampMin", "Add", "Neg", "Div", "Clone", "Alias", "ToCopy"}
# What the products of queries and keys go through before their softmax.
_OF_SCORES = {"Div", "Mul", "Add", "Sub", "MaskedFill", "Where", "Clamp"}
_TURNS = {"Permute", "Transpose", "Squeeze", "Unsqueeze"}  # what einsum does to a product
_PIXELS = (200, 255)  # the largest of values that were never scaled
_DISTINCT = 32  # whole numbers that pixels have at least; fewer may be counts
_FEATURES = 4  # of a sample, at least
_END = 1e-3  # from 0 or 1, where a sigmoid's gradient is nearly none
_LARGE, _MOSTLY = 50, 0.9  # inputs that were never scaled, and the share of units at an end
_LEAST = 128  # values that are looked at, at least


def patterns(loss: torch.Tensor) -> list[Pattern]:
    """The suspicious patterns anywhere in a loss's graph; call it before backward frees it."""
    found: dict[str, Pattern] = {}
    kinds: set[str] = set()
    with quietly():
        for node in _all_nodes(loss.grad_fn):
            kind = what(node)
            kinds.add(kind)
            for pattern in _of_node(node, kind):
                found.setdefault(pattern.kind, pattern)
    if any("Norm" in kind and "VectorNorm" not in kind for kind in kinds):
        found.pop("inputs_unscaled", None)  # a layer that scales them follows
    return list(found.values())


def _all_nodes(root: Any) -> Iterator[Any]:
    seen: set[Any] = set()
    todo = [root]
    while todo and len(seen) < _NODES:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        yield node
        todo += [n for n, _ in node.next_functions]


def _of_node(node: Any, kind: str) -> Iterator[Pattern]:
    if kind in ("Bmm", "Mm"):
        yield from _attention(node)
        yield from _similarity(node, kind)
        for operand, along in ((0, -1), (1, -2)):
            yield from reduced.of_rows(node, operand) if kind == "Bmm" else ()
            yield from reduced.of_product(*_before_turns(node.next_functions[operand][0], along))
    elif kind in ("Sum", "Mean"):
        yield from reduced.of_sum(node, _summed(node))
        if kind == "Sum":
            yield from _similarity(node, kind)
    elif kind in ("Softmax", "LogSoftmax"):
        yield from masks.of_softmax(node)
        sizes = shape(node, 0) or ()
        if len(sizes) == 3 and sizes[0] > 1 and dimension(node, 3) == 0:
            yield Pattern("softmax_over_samples", {"input": list(sizes)})
    elif kind == "Gather":
        yield from _picked(node)
    if kind in ("Addmm", "Mm", "Convolution"):
        yield from _unscaled(node, kind)
    elif kind in ("Sigmoid", "Tanh"):
        yield from _saturated(node, kind)


def _attention(node: Any) -> Iterator[Pattern]:
    """Weights that add up to 1 along one dimension, and a product that adds up along another.

    What was transposed in between, or divided by another sum, is left alone. Who assigns each key
    to one of the queries means it: where both are not equally long, the text is asked.
    """
    for operand, summed in ((0, -1), (1, -2)):
        before = node.next_functions[operand][0]
        while before is not None and what(before) != "Softmax":
            kind = what(before)
            is_dropout = kind == "Mul" and any(n is None for n, _ in before.next_functions)
            if kind not in _KEEPS and not is_dropout:
                break
            before = next((n for n, _ in before.next_functions if n is not None), None)
        if before is None or what(before) != "Softmax":
            continue
        sizes = shape(before, 0) or ()
        rank = len(sizes)
        if rank < 2 or min(sizes[-2:]) < 2:
            continue
        used = dimension(before, rank)
        if used != rank + summed and _are_products(before):
            facts: dict[str, Any] = {"weights": list(sizes), "used": used, "summed": rank + summed}
            facts["square"] = sizes[-1] == sizes[-2]
            yield Pattern("attention_wrong_dim", facts)


def _are_products(softmax: Any) -> bool:
    """Whether it was taken of products of queries and keys; a matrix of its own may be turned."""
    node = softmax.next_functions[0][0]
    while node is not None and what(node) in _KEEPS | _OF_SCORES | _TURNS:
        node = next((n for n, _ in node.next_functions if n is not None), None)
    return node is not None and what(node) in ("Bmm", "Mm", "Baddbmm")


def _picked(node: Any) -> Iterator[Pattern]:
    """One probability is picked along a dimension, and they add up to 1 along another."""
    before = node.next_functions[0][0]
    while before is not None and what(before) in _OF_PROBABILITIES:
        before = before.next_functions[0][0]
    if before is None or what(before) not in ("Softmax", "LogSoftmax"):
        return
    sizes = shape(before, 0) or ()
    if len(sizes) < 2:
        return
    used, read = dimension(before, len(sizes)), dimension(node, len(sizes))
    index = private.saved_index(node)
    # Where the same is picked for all of them, it is a step of a sequence and no class.
    alike = bool((index == index.narrow(used, 0, 1)).all())
    if used != read and sizes[used] > 1 and not alike:
        yield Pattern("softmax_wrong_dim", {"used": used, "read": read, "input": list(sizes)})


def _similarity(node: Any, kind: str) -> Iterator[Pattern]:
    """Products that are added up along one dimension, of tensors normalised along another.

    All dimensions are counted from the end, so that a product of stacks reads like one of matrices.
    """
    if kind == "Sum":
        node, summed = node.next_functions[0][0], _summed(node)
        if summed is None or node is None or what(node) != "Mul":
            return
        wanted = (summed, summed)
    else:
        wanted = (-1, -2)
    along, sizes = [], []
    for (before, _), contracted in zip(node.next_functions, wanted, strict=True):
        before, contracted = _before_turns(before, contracted)
        used = _normed_along(before)
        if used is None or used == contracted:
            return
        along.append((used, contracted))
        sizes.append(list(shape(before, 0) or ()))
    used, contracted = along[0]
    yield Pattern("normalised_wrong_dim", {"input": sizes[0], "used": used, "summed": contracted})


def _summed(node: Any) -> int | None:
    """The one dimension along which a sum adds up, from the end."""
    try:
        dims, rank = private.saved_dim(node), len(private.saved_sizes(node))
    except AttributeError:
        return None  # all of it is added up
    if len(dims) != 1 or not rank:
        return None
    dim = int(dims[0])
    return (dim - (1 << 64) if dim >= 1 << 63 else dim) % rank - rank


def _before_turns(node: Any, dim: int) -> tuple[Any, int]:
    """What was turned, or only laid out for the product, and where the dimension was there."""
    while node is not None:
        kind = what(node)
        if kind == "T" or (kind in ("Transpose", "Permute") and _of_the_last_two(node, kind)):
            dim = -3 - dim
        elif kind not in ("View", "UnsafeView", "ReshapeAlias", "Expand", "Clone"):
            break
        node = node.next_functions[0][0]
    return node, dim


def _of_the_last_two(node: Any, kind: str) -> bool:
    sizes = shape(node.next_functions[0][0], 0) or ()
    rank = len(sizes)
    if kind == "Permute":
        return rank == 2
    turned = {int(d) % (1 << 64) for d in private.saved_dims(node)}
    ends = {rank - 1, rank - 2}, {(1 << 64) - 1, (1 << 64) - 2}
    return turned in ends


def _normed_along(node: Any) -> int | None:
    """The dimension along which it was divided by its own norm, from the end; None if by none."""
    if node is None or what(node) != "Div":
        return None
    norm = node.next_functions[1][0]
    while norm is not None and what(norm) in ("Expand", "ClampMin", "Clamp", "Add"):
        norm = norm.next_functions[0][0]
    if norm is None or what(norm) not in ("LinalgVectorNorm", "Norm"):
        return None
    sizes = shape(norm, 0) or ()
    if sizes.count(1) != 1 or len(sizes) < 2:
        return None
    return sizes.index(1) - len(sizes)


def _unscaled(node: Any, kind: str) -> Iterator[Pattern]:
    """The first layer got whole numbers up to 255: pixels as they are stored."""
    given = 1 if kind == "Addmm" else 0
    if node.next_functions[given][0] is not None:
        return
    saved = {"Addmm": private.saved_mat1, "Mm": private.saved_self}.get(kind, private.saved_input)
    values = saved(node)
    if not isinstance(values, torch.Tensor) or values.numel() < _LEAST:
        return
    if values.layout is not torch.strided:
        return
    if kind != "Convolution" and values.shape[-1] < _FEATURES:
        return  # numbers of steps, say
    low, high = (float(v) for v in torch.aminmax(values))
    if low < 0 or not _PIXELS[0] <= high <= _PIXELS[1]:
        return
    some = values.flatten()[:4096]
    if bool((some == some.round()).all()) and len(torch.unique(some)) >= _DISTINCT:
        yield Pattern("inputs_unscaled", {"largest": high, "input": list(values.shape)})


def _saturated(node: Any, kind: str) -> Iterator[Pattern]:
    """Units of the first layer that are all at the ends of their range, by the size of its inputs.

    With weights as a layer is made with them, that takes inputs of tens and more.
    """
    before = node.next_functions[0][0]
    if before is None or what(before) != "Addmm" or before.next_functions[1][0] is not None:
        return
    given, units = private.saved_mat1(before), private.saved_result(node)
    if not isinstance(given, torch.Tensor) or units.numel() < _LEAST or given.shape[-1] < 2:
        return
    low = 0.0 if kind == "Sigmoid" else -1.0
    at_an_end = torch.minimum(units - low, 1 - units) < _END
    largest = float(given.abs().amax())
    share = float(at_an_end.float().mean())
    pixels = largest <= _PIXELS[1] and bool((given == given.round()).all())  # told as such
    if largest > _LARGE and share >= _MOSTLY and not pixels:
        facts = {"largest": largest, "input": list(given.shape), "at_ends": share}
        yield Pattern("inputs_unscaled", facts)
