"""Recognise how a loss was computed, from the last nodes of its autograd graph.

Functions and modules look the same there, nothing has to be patched, and only the few nodes
between the loss and the model's last layer are visited.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any, TypeGuard

import torch

from executor.inside import torch_private as private
from executor.inside.probes.training import activations
from executor.inside.probes.training.nodes import LAYERS, PASSES, Pattern, behind, shape, what
from executor.inside.probes.training.quiet import quietly

_NODES = 60
_LEAVES = 20_000
_CHAIN = 500
_SUMS = {"Add", "Mul", "Div"}
_PAIRED = 6  # samples of a table of similarities
_PAIRS = {"MseLoss", "SmoothL1Loss", "HuberLoss"}  # compare input and target element by element
# What a loss over a table of all pairs consists of, where nobody meant to have such a table.
_OF_A_LOSS = {"Pow", "Abs", "Mul", "Div", "Add", "Sub", "Neg", "Mean", "Sum"} | _PAIRS | PASSES
# Functions of a difference in smooth losses; exp makes a kernel of it, which is meant for pairs.
_OF_A_LOSS |= {"Softplus", "Cosh", "Log", "Log1P", "Sqrt"}
# Nodes that a mere score goes through on its way to the loss: no target is compared with it.
_OF_A_SCORE = {"Mul", "Div", "Add", "Sub", "Rsub", "Neg", "Mean", "Sum"} | PASSES
_TARGETED = {"MseLoss", "BinaryCrossEntropy", "BinaryCrossEntropyWithLogits"}


def patterns(loss: torch.Tensor, in_sight: Collection[object] = ()) -> list[Pattern]:
    """The suspicious patterns in a loss's graph; call it before backward frees the graph.

    Args:
        loss: the tensor that backward is called on.
        in_sight: values of the snippet's variables, to find a target's shape before expansion.
    """
    found: list[Pattern] = []
    with quietly():
        for node, consumers in _near(loss.grad_fn):
            kind = what(node)
            first = len(found)
            found += activations.of_node(node, consumers)
            if kind in ("NllLoss", "NllLoss2D"):
                found += _nll(node)
            elif kind == "LogSoftmax":
                found += _log_softmax(node)
            elif kind == "BinaryCrossEntropy" and what(behind(node)) in ("Addmm", "Convolution"):
                found.append(Pattern("raw_scores_to_bce"))
            elif kind == "BinaryCrossEntropyWithLogits":
                if what(behind(node)) == "Sigmoid":
                    found.append(Pattern("sigmoid_before_bce_with_logits"))
            elif kind in _PAIRS:
                found += _pair(node, consumers, in_sight)
            elif kind == "Sub" and consumers and what(consumers[-1]) in ("Pow", "Abs", "Mul"):
                found += _difference(node, consumers)
            elif kind == "Mul":
                found += _weighed(node, consumers)
            if found[first:] and any(_adds_up(c, node) for c in consumers):
                found[first:] = [replace(p, term=True) for p in found[first:]]
    return found


def _adds_up(node: Any, term: Any) -> bool:
    """Whether it adds something else to a term; a smoothed loss adds up what comes from it."""
    if what(node) not in ("Add", "Sub", "Stack", "Cat"):
        return False
    given = [n for n, _ in node.next_functions if n is not None]
    return any(all(one is not term for one, _ in _near(n)) for n in given)


def scored(loss: torch.Tensor) -> set[int]:
    """The ids of the parameters of layers whose outputs are the loss: added up, averaged, negated.

    So is a reward model or a critic used. Nothing is compared with what it says, or the same
    constant for every sample, as in a generator's loss.
    """
    found: set[int] = set()
    seen: set[Any] = set()
    with quietly():
        todo = [loss.grad_fn]
        while todo and len(seen) < _NODES:
            node = todo.pop()
            if node is None or node in seen:
                continue
            seen.add(node)
            kind = what(node)
            if LAYERS.search(kind):
                found |= _own_parameters(node)
            elif kind in _OF_A_SCORE or (kind in _TARGETED and _one_target(node)):
                todo += [n for n, _ in node.next_functions]
    return found


def _own_parameters(node: Any) -> set[int]:
    """The ids of the leaves that go into a layer's node, directly or transposed."""
    found: set[int] = set()
    for before in (n for n, _ in node.next_functions if n is not None):
        if what(before) in ("T", "Transpose"):
            before = before.next_functions[0][0]
        if (variable := getattr(before, "variable", None)) is not None:
            found.add(id(variable))
    return found


def _one_target(node: Any) -> bool:
    """Whether every sample has the same target."""
    target = private.saved_target(node)
    return target.numel() > 1 and bool((target == target.flatten()[0]).all())


def chain(loss: torch.Tensor) -> int:
    """How many scalars were added up into it, as in a loop: `total + loss`, `b * mean + loss`."""
    n, node = 0, loss.grad_fn
    while node is not None and shape(node, 0) == () and n < _CHAIN:
        if what(node) == "Add":
            n += 1
        elif what(node) not in ("Mul", "Div"):  # shares of a running average
            break
        before = [m for m, _ in node.next_functions if m is not None]
        node = max(before, key=lambda m: what(m) in _SUMS, default=None)
    return n


def leaves(loss: torch.Tensor) -> set[int] | None:
    """The ids of the leaves that backward from the loss reaches; None if the graph is huge."""
    found: set[int] = set()
    seen: set[Any] = set()
    todo: list[Any] = [loss.grad_fn]
    while todo and len(seen) < _LEAVES:
        node = todo.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        if (variable := getattr(node, "variable", None)) is not None:
            found.add(id(variable))
        todo += [n for n, _ in node.next_functions]
    return None if todo else found


def size(loss: torch.Tensor) -> int | None:
    """How many nodes the graph has; None if they are very many."""
    seen: set[Any] = set()
    todo: list[Any] = [loss.grad_fn]
    while todo and len(seen) < _LEAVES:
        node = todo.pop()
        if node is not None and node not in seen:
            seen.add(node)
            todo += [n for n, _ in node.next_functions]
    return None if todo else len(seen)


def is_intact(tensor: torch.Tensor) -> bool:
    """Whether a backward could still go through the graph behind a tensor: none has freed it."""
    seen: set[Any] = set()
    todo: list[Any] = [tensor.grad_fn]
    while todo and len(seen) < _NODES:
        node = todo.pop(0)
        if node is not None and node not in seen:
            seen.add(node)
            if (freed := private.is_freed(node)) is not None:
                return not freed
            todo += [n for n, _ in node.next_functions]
    return False


def _near(root: Any) -> Iterator[tuple[Any, tuple[Any, ...]]]:
    """The nodes between a loss and its model's last layer, each with the nodes that use it."""
    seen: set[Any] = set()
    todo: list[tuple[Any, tuple[Any, ...]]] = [(root, ())]
    while todo and len(seen) < _NODES:
        node, consumers = todo.pop(0)
        if node is None or node in seen:
            continue
        seen.add(node)
        kind = what(node)
        if LAYERS.search(kind):
            continue
        yield node, consumers
        todo += [(n, (*consumers, node)) for n, _ in node.next_functions]


def _nll(node: Any) -> list[Pattern]:
    scores = private.saved_self(node)
    before = what(behind(node))
    if before == "LogSoftmax":
        if _holds_itself(scores, private.saved_target(node)):
            return [Pattern("pairs_with_itself", {"samples": len(scores)})]
        if scores.dim() >= 2 and scores.shape[1] == 1:
            return [Pattern("one_class", {"input": list(scores.shape)})]
        return []
    top = float(scores.max()) if scores.numel() else 0.0
    if top > 1e-4 and before != "Log":
        return [Pattern("raw_scores_to_nll", {"largest": top, "softmax": before == "Softmax"})]
    return []


def _holds_itself(logs: torch.Tensor, target: torch.Tensor) -> bool:
    """Whether each row's largest score is that of a sample with itself, and never the target.

    Similarities of unit vectors are a symmetric table with one value along its diagonal.
    """
    n = len(logs)
    if logs.dim() != 2 or logs.shape[1] != n or n < _PAIRED or target.shape != (n,):
        return False
    own = logs.diagonal()
    if bool((target.to(own.device) == torch.arange(n, device=own.device)).any()):
        return False
    scores = logs - own[:, None]  # but for one constant, what the softmax was taken of
    finite = bool(torch.isfinite(scores).all())
    return finite and bool((scores <= 0).all()) and torch.allclose(scores, scores.T, atol=1e-3)


def _log_softmax(node: Any) -> list[Pattern]:
    kinds = {
        "Softmax": "softmax_before_cross_entropy",
        "Sigmoid": "sigmoid_before_cross_entropy",
        "LogSoftmax": "log_softmax_before_cross_entropy",
    }
    before = behind(node)
    kind = kinds.get(what(before))
    if what(before) == "Log" and what(behind(before)) == "Softmax":
        kind = "log_softmax_before_cross_entropy"
    return [Pattern(kind)] if kind else []


def _pair(node: Any, consumers: tuple[Any, ...], in_sight: Collection[object]) -> list[Pattern]:
    """Input and target that both had to be repeated to fit: more pairs than either has values."""
    if _table_is_used((*consumers, node), tuple(private.saved_self(node).shape)):
        return []
    if _is_unsqueezed(node.next_functions[0][0], tuple(private.saved_self(node).shape)):
        return []
    given = _unrepeated(node, 0, private.saved_self(node), in_sight)
    target = _unrepeated(node, 1, private.saved_target(node), in_sight)
    return _broadcast(given, target, tuple(private.saved_self(node).shape))


def _unrepeated(
    node: Any, operand: int, t: torch.Tensor, in_sight: Collection[object]
) -> tuple[int, ...]:
    """The shape that an operand had before it was expanded."""
    child = node.next_functions[operand][0]
    if child is not None:
        return tuple(private.saved_sizes(child)) if what(child) == "Expand" else tuple(t.shape)
    # Without a graph the strides tell: repeated dimensions have stride 0. Leading ones may be
    # the tensor's own or added. A variable over the same memory can say, or else the tensor that
    # it is a view of: the variable may itself be a view, of another shape.
    shape = [1 if stride == 0 else size for size, stride in zip(t.shape, t.stride(), strict=True)]
    lead = next((i for i, size in enumerate(shape) if size != 1), len(shape))
    could_be = [tuple(shape[i:]) for i in range(lead + 1)]
    shapes = {tuple(v.shape) for v in in_sight if _same_memory(v, t)} & set(could_be)
    if len(shapes) == 1:
        return shapes.pop()
    viewed = private.base(t)
    base = None if viewed is None else tuple(viewed.shape)
    return base if base in could_be else could_be[-1]


def _same_memory(value: object, t: torch.Tensor) -> TypeGuard[torch.Tensor]:
    """Whether it is a plain tensor whose memory starts at the same address."""
    if type(value) not in (torch.Tensor, torch.nn.Parameter):
        return False
    assert isinstance(value, torch.Tensor)
    try:
        return value.data_ptr() == t.data_ptr()
    except RuntimeError:  # sparse, or of torch.func: there is no memory to compare
        return False


def _table_is_used(consumers: tuple[Any, ...], table: tuple[int, ...]) -> bool:
    """Whether the table of all pairs is treated as a table on its way to the loss.

    A row or a column is reduced, elements are picked, weighed or masked, or a kernel is applied:
    then all pairs are meant. A loss that broadcasts by accident is only ever averaged as a whole.
    """
    for node in consumers:
        sizes = shape(node, 0)
        if sizes == ():
            continue
        if (
            what(node) not in _OF_A_LOSS
            or torch.Size(sizes or ()).numel() != torch.Size(table).numel()
        ):
            return True
        if what(node) == "Mul" and any(tuple(t.shape) == table for t in _constants_of(node)):
            return True
    return False


def _constants_of(node: Any) -> Iterator[torch.Tensor]:
    """The factors of a product that have no graph themselves."""
    for (before, _), saved in zip(
        node.next_functions, (private.saved_other, private.saved_self), strict=False
    ):
        if (
            before is not None
            and isinstance(t := saved(node), torch.Tensor)
            and not t.requires_grad
        ):
            yield t


def _is_unsqueezed(node: Any, table: tuple[int, ...]) -> bool:
    """Whether unsqueeze() or `[None]` made the dimension that is repeated: on purpose."""
    while node is not None and what(node) in ("Expand", "Unsqueeze"):
        if what(node) == "Unsqueeze":
            dim, rank = private.saved_dim(node), len(shape(node, 0) or ())
            at = (dim - (1 << 64) if dim >= 1 << 63 else dim) % max(rank, 1) - rank
            return bool(-len(table) <= at < 0 and table[at] > 1)
        node = node.next_functions[0][0]
    return False


def _difference(node: Any, consumers: tuple[Any, ...]) -> list[Pattern]:
    """`prediction - target` of shapes [n, 1] and [n]: a table of all pairs, n x n."""
    result = shape(node, 0)
    known = [(n, i) for n, i in node.next_functions if n is not None]
    if result is None or len(result) != 2 or result[0] != result[1] or len(known) != 1:
        return []
    child, output = known[0]
    if _is_unsqueezed(child, result) or _table_is_used(consumers, result):
        return []  # all pairs, on purpose
    given = shape(child, output)
    if what(child) == "Expand":
        given = tuple(private.saved_sizes(child))
    if result[0] < 2 or given not in ((result[0], 1), (result[0],)):
        return []
    shapes = {"input": list(given), "target": None, "result": list(result)}
    return [Pattern("loss_broadcasts", shapes)]  # the target has no node: only the result shows it


def _weighed(node: Any, consumers: tuple[Any, ...]) -> list[Pattern]:
    """`(returns - values) * log_probs` of [n], [n, 1] and [n]: a table of all pairs for weights.

    A table that is a column and a row taken together, of two different vectors, is no table that
    somebody made as one; nothing on its way to the loss treats it as one.
    """
    result = shape(node, 0)
    if result is None or len(result) != 2 or result[0] != result[1] or result[0] < _PAIRED:
        return []
    given = [shape(n, i) for n, i in node.next_functions if n is not None]
    tables = [t for t in _constants_of(node) if tuple(t.shape) == result and t.is_floating_point()]
    if given != [result[:1]] or len(tables) != 1 or _table_is_used(consumers, result):
        return []
    table = tables[0]
    of_both = table[:, :1] + table[:1] - table[:1, :1]
    plain = torch.allclose(table, of_both, atol=1e-5) and not torch.allclose(table, table[:1])
    one = torch.allclose(table, table.T) or torch.allclose(table, -table.T)
    if not plain or one or torch.allclose(table, table[:, :1]):
        return []
    return [Pattern("weights_broadcast", {"values": list(result[:1]), "table": list(result)})]


def _broadcast(
    given: tuple[int, ...], target: tuple[int, ...], result: tuple[int, ...]
) -> list[Pattern]:
    size = torch.Size(result).numel()
    if torch.Size(given).numel() < size and torch.Size(target).numel() < size:
        shapes = {"input": list(given), "target": list(target), "result": list(result)}
        return [Pattern("loss_broadcasts", shapes)]
    return []
