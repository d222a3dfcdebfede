"""Recognise a last activation, or targets, that a loss cannot do anything right with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from executor.inside import torch_private as private
from executor.inside.probes.training.dimensions import dimension
from executor.inside.probes.training.nodes import LAYERS, PASSES, Pattern, behind, shape, what

_TOLERANCE = 1e-3
_NEAR = 6
_NODES = 2000
_SHARE = 0.2  # of the targets that have to be out of reach
_ONE_SIDED = {"Relu": "ReLU", "Clamp": "clamp", "Hardtanh": "ReLU6", "Threshold": "threshold"}
_LOSSES = {"BinaryCrossEntropy", "MseLoss", "SmoothL1Loss", "HuberLoss", "NllLoss", "Log"}
_RANGES = {"Sigmoid": (0.0, 1.0), "Softmax": (0.0, 1.0), "Tanh": (-1.0, 1.0), "Relu": (0.0, None)}


def of_node(node: Any, consumers: tuple[Any, ...]) -> Iterator[Pattern]:
    """The patterns of one node between a loss and the model's last layer."""
    kind = what(node)
    if kind in ("NllLoss", "NllLoss2D"):
        yield from _wrong_dimension(node)
    elif kind == "LogSoftmax":
        yield from _cut_off(node, "cross-entropy")
        yield from _several_classes(node, consumers)
    elif kind == "BinaryCrossEntropy":
        yield from _cut_off(node, "binary cross-entropy")
        yield from _swapped(node)
    elif kind == "BinaryCrossEntropyWithLogits":
        yield from _no_probabilities(node)
        yield from _swapped(node)
    elif kind == "Softmax":
        yield from _one_column(node, consumers)
    elif kind in ("MseLoss", "SmoothL1Loss", "HuberLoss"):
        yield from _out_of_reach(node)
        yield from _bootstrapped(node)


def _wrong_dimension(node: Any) -> Iterator[Pattern]:
    """nll_loss reads the classes along dimension 1; the log_softmax before it used another one."""
    before = node.next_functions[0][0]
    if before is None or what(before) != "LogSoftmax":
        return
    rank = private.saved_self(node).dim()
    used = dimension(before, rank)
    if rank >= 2 and used != 1:
        sizes = list(shape(before, 0) or ())
        yield Pattern("softmax_wrong_dim", {"used": used, "read": 1, "input": sizes})


def _cut_off(node: Any, loss: str) -> Iterator[Pattern]:
    """A ReLU or clamp between the last layer and a loss that needs values on both sides of 0."""
    before = behind(node)
    if before is not None and what(before) in _ONE_SIDED and LAYERS.search(what(behind(before))):
        yield Pattern("relu_before_loss", {"activation": _ONE_SIDED[what(before)], "loss": loss})


def _one_column(node: Any, consumers: tuple[Any, ...]) -> Iterator[Pattern]:
    """A softmax over one value right before a loss; elsewhere it may be an attention to one key."""
    after = next((what(c) for c in reversed(consumers) if what(c) not in PASSES), "")
    sizes = shape(node, 0) or ()
    if after not in _LOSSES:
        return
    if len(sizes) >= 2 and sizes[0] > 1 and sizes[dimension(node, len(sizes))] == 1:
        yield Pattern("softmax_one_column", {"input": list(sizes)})


def _no_probabilities(node: Any) -> Iterator[Pattern]:
    target = private.saved_target(node)
    if target.numel() == 0:
        return
    low, high = float(target.min()), float(target.max())
    if low < -_TOLERANCE or high > 1 + _TOLERANCE:
        yield Pattern("bce_targets", {"smallest": low, "largest": high})


def _swapped(node: Any) -> Iterator[Pattern]:
    """The prediction is given as the target, and what it is compared with as the prediction."""
    given, target = (n for n, _ in node.next_functions[:2])
    if given is None and target is not None:
        yield Pattern("loss_arguments_swapped", {"logits": what(node).endswith("Logits")})


def _bootstrapped(node: Any) -> Iterator[Pattern]:
    """A target `reward + gamma * value` whose value the same weights compute, with its graph."""
    given, target = (n for n, _ in node.next_functions[:2])
    if given is None or target is None:
        return
    while target is not None and what(target) in PASSES:
        target = target.next_functions[0][0]
    if what(target) != "Add" or sum(n is not None for n, _ in target.next_functions) != 1:
        return
    value = next(n for n, _ in target.next_functions if n is not None)
    if what(value) != "Mul" or sum(n is not None for n, _ in value.next_functions) < 1:
        return
    if shape(value, 0) != shape(target, 0):
        return
    if _weights_behind(value) & _weights_behind(given):
        chain, best = value, False
        for _ in range(_NEAR):
            chain = next((n for n, _ in chain.next_functions if n is not None), None)
            best |= chain is not None and what(chain) in ("Max", "Amax", "Min", "Amin")
            if chain is None or LAYERS.search(what(chain)):
                break
        yield Pattern("target_not_detached", {"best": best})


def _weights_behind(node: Any) -> set[int]:
    """The ids of the leaves that a value is computed from."""
    found: set[int] = set()
    seen: set[Any] = set()
    todo = [node]
    while todo and len(seen) < _NODES:
        one = todo.pop()
        if one is None or one in seen:
            continue
        seen.add(one)
        if (variable := getattr(one, "variable", None)) is not None:
            found.add(id(variable))
        todo += [n for n, _ in one.next_functions]
    return found


def _out_of_reach(node: Any) -> Iterator[Pattern]:
    """Targets of a regression that the last activation can never give."""
    before = behind(node)
    low, high = _RANGES.get(what(before), (None, None)) if before is not None else (None, None)
    target = private.saved_target(node)
    if (low is None and high is None) or target.requires_grad or target.numel() == 0:
        return
    outside = torch.zeros_like(target, dtype=torch.bool)
    if low is not None:
        outside |= target < low - _TOLERANCE
    if high is not None:
        outside |= target > high + _TOLERANCE
    share = float(outside.float().mean())
    if share >= _SHARE:
        facts = {"activation": what(before), "share": share}
        yield Pattern("targets_out_of_reach", {**facts, "low": low, "high": high})


def _several_classes(node: Any, consumers: tuple[Any, ...]) -> Iterator[Pattern]:
    """Cross-entropy with rows of several ones: labels that do not exclude each other."""
    sizes = shape(node, 0) or ()
    if len(sizes) != 2 or sizes[0] == sizes[1] or len(consumers) < 2:
        return  # a square table may be the positives of a contrastive loss
    product, total = consumers[-1], consumers[-2]
    if (what(product), what(total), shape(total, 0)) != ("Mul", "Sum", ()):
        return
    for saved in (private.saved_other, private.saved_self):
        target = saved(product)
        if not isinstance(target, torch.Tensor) or tuple(target.shape) != tuple(sizes):
            continue
        if target.requires_grad or not bool(((target == 0) | (target == 1)).all()):
            continue
        most = int(target.sum(1).max())
        if most > 1:
            yield Pattern("several_classes", {"most": most, "input": list(sizes)})
