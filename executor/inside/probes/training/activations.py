"""Recognise a last activation, or targets, that a loss cannot do anything right with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import torch

from executor.inside import torch_private as private
from executor.inside.probes.training import reach
from executor.inside.probes.training.nodes import (
    LAYERS,
    PASSES,
    Pattern,
    behind,
    dimension,
    ignored_index,
    shape,
    what,
)

_TOLERANCE = 1e-3
_STEPS = 24  # nodes that are looked at behind one
_OFTEN = 0.05  # of the targets
_ROUNDING = 1e-2  # of what adds up to 1, in half precision too
_CHOICES = 2  # of a distribution, at least
_FAR, _TIMES = 1000, 100  # how large targets are that no first step comes near
_NEAR = 6
_NODES = 2000
_ONE_SIDED = {"Relu": "ReLU", "Clamp": "clamp", "Hardtanh": "ReLU6", "Threshold": "threshold"}
_LOSSES = {"BinaryCrossEntropy", "MseLoss", "SmoothL1Loss", "HuberLoss", "NllLoss", "Log"}


def of_node(node: Any, consumers: tuple[Any, ...]) -> Iterator[Pattern]:
    """The patterns of one node between a loss and the model's last layer."""
    kind = what(node)
    if kind in reach.LOSSES:
        yield from reach.of_loss(node, kind)
    if kind in ("NllLoss", "NllLoss2D"):
        yield from _wrong_dimension(node)
        yield from _classes_in_between(node)
        yield from _ignored(node)
    elif kind == "CtcLoss":
        yield from _no_log_probabilities(node)
    elif kind == "LogSoftmax":
        yield from _cut_off(node, "cross-entropy")
        yield from _several_classes(node, consumers)
    elif kind == "BinaryCrossEntropy":
        yield from _cut_off(node, "binary cross-entropy")
        yield from _swapped(node)
    elif kind in ("Sub", "Mul"):
        yield from _divergence(node, kind)
        yield from _advantage(node, kind)
    elif kind == "BinaryCrossEntropyWithLogits":
        yield from _no_probabilities(node)
        yield from _swapped(node)
    elif kind == "Softmax":
        yield from _one_column(node, consumers)
    elif kind in ("MseLoss", "SmoothL1Loss", "HuberLoss"):
        yield from _unscaled(node)
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


def _classes_in_between(node: Any) -> Iterator[Pattern]:
    """Scores with their classes along dimension 1, as a view of rows of so many values each.

    Such a row holds values of one class from several places. Only where a convolution made the
    scores, or no end of the sizes makes a row, so that each one crosses a border.
    """
    before = node.next_functions[0][0]
    view = before.next_functions[0][0] if what(before) == "LogSoftmax" else None
    if view is None or what(view) not in ("View", "UnsafeView", "ReshapeAlias"):
        return
    sizes, after = list(private.saved_sizes(view)), shape(view, 0) or ()
    if len(sizes) < 3 or len(after) != 2 or sizes[1] != after[1] or after[1] < 2:
        return
    ends = [torch.Size(sizes[i:]).numel() for i in range(2, len(sizes))]
    made = view.next_functions[0][0]
    made = made.next_functions[0][0] if what(made) == "Clone" else made
    if what(made) != "Convolution" and (
        after[1] in ends or any(size % after[1] == 0 for size in ends[-1:])
    ):
        return
    order = [0, *range(2, len(sizes)), 1]
    yield Pattern("view_not_permute", {"order": order, "input": sizes, "rows": list(after)})


def _ignored(node: Any) -> Iterator[Pattern]:
    """A class that `ignore_index` leaves out, of whole samples or of pixels: none is padding."""
    before = node.next_functions[0][0]
    last = before.next_functions[0][0] if what(before) == "LogSoftmax" else None
    scores, target = private.saved_self(node), private.saved_target(node)
    ignored = ignored_index(node)
    if last is None or not LAYERS.search(what(last)) or scores.dim() not in (2, 4) or ignored < 0:
        return
    share = float((target == ignored).float().mean()) if target.numel() else 0.0
    if ignored < scores.shape[1] and _OFTEN < share < 1 - _OFTEN:
        kind = "class_ignored" if scores.dim() == 2 else "pixels_ignored"
        yield Pattern(kind, {"ignored": ignored, "share": share})


def _advantage(node: Any, kind: str) -> Iterator[Pattern]:
    """A log-probability times `return - value`, with the value's graph.

    Whether the code is about rewards is asked when it is reported.
    """
    if kind != "Mul" or len(node.next_functions) < 2:
        return
    for one, other in ((0, 1), (1, 0)):
        score, gain = behind(node, one), behind(node, other)
        while score is not None and what(score) == "Neg":
            score = behind(score)
        if score is None or gain is None or what(score) not in ("Gather", "Sub", "Add"):
            continue
        if not _comes_from(score, "LogSoftmax", "Logsumexp") or what(gain) != "Sub":
            continue
        values = [n for n, _ in gain.next_functions if n is not None]
        if len(values) == 1 and not _comes_from(values[0], "LogSoftmax", "Logsumexp"):
            yield Pattern("advantage_not_detached", {})


def _comes_from(node: Any, *kinds: str) -> bool:
    """Whether it is computed from such a node, a few steps before."""
    todo, seen = [node], 0
    while todo and seen < _STEPS:
        one = todo.pop(0)
        seen += 1
        if one is None:
            continue
        if what(one) in kinds:
            return True
        if not LAYERS.search(what(one)):
            todo += [n for n, _ in one.next_functions]
    return False


def _no_log_probabilities(node: Any) -> Iterator[Pattern]:
    """ctc_loss of values that are no logarithms of probabilities."""
    total = private.saved_log_probs(node).exp().sum(-1)
    if total.numel() and float((total - 1).abs().median()) > _ROUNDING:
        yield Pattern("raw_scores_to_ctc", {"sum": float(total.median())})
    targets, blank = private.saved_targets(node), int(private.saved_blank(node))
    lengths = torch.as_tensor(private.saved_target_lengths(node)).cpu()
    if targets.dim() == 2:  # padded behind the lengths
        counts = torch.arange(targets.shape[1]) < lengths[:, None]
        targets = targets.cpu()[counts]
    if bool((targets == blank).any()):
        yield Pattern("blank_in_targets", {"blank": blank})


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
        two = bool(((target == low) | (target == high)).all())
        facts = {"smallest": low, "largest": high, "target": list(target.shape), "two": two}
        yield Pattern("bce_targets", facts)


def _divergence(node: Any, kind: str) -> Iterator[Pattern]:
    """kl_div(given, target): `target * (log target - given)`, with a `given` that is no logarithm.

    Whether the code calls kl_div at all is asked when it is reported.
    """
    if len(node.next_functions) < 2:
        return  # with a number
    if kind == "Sub":  # xlogy(target, target) - target * given
        first, product = (n for n, _ in node.next_functions[:2])
        if what(product) != "Mul" or what(first) not in ("", "Xlogy"):
            return
        if len(product.next_functions) < 2:
            return
        target, given = private.saved_self(product), behind(product, 1)
    else:  # exp(target) * (target - given)
        difference = node.next_functions[1][0]
        exponential = private.saved_self(node)
        if what(difference) != "Sub" or len(difference.next_functions) < 2:
            return
        target, given = exponential, behind(difference, 1)
    if given is None or not isinstance(target, torch.Tensor) or target.numel() < _CHOICES:
        return
    if kind == "Sub" and what(given) == "LogSoftmax":
        # Logarithms where the probabilities belong: they are below 0, and add up to 1 as powers.
        if bool((target <= 0).all()) and _distributed(target.exp()) is not None:
            yield Pattern("kl_div_arguments", {"given": "log_target"})
        return
    while what(given) in ("Div", "Mul") and all(n is None for n, _ in given.next_functions[1:]):
        given = behind(given)
    if what(given) in ("Softmax", "Sigmoid"):
        found = "probabilities"
    elif what(given) in ("Addmm", "Mm", "Convolution"):
        found = "scores"
    else:
        return
    if (dim := _distributed(target)) is not None:
        yield Pattern("kl_div_arguments", {"given": found, "dim": dim})


def _distributed(values: torch.Tensor) -> int | None:
    """The dimension along which they are probabilities that add up to 1; None if there is none."""
    if not values.is_floating_point() or bool((values < 0).any()):
        return None
    for dim in reversed(range(values.dim())):
        if values.shape[dim] > 1 and bool(((values.sum(dim) - 1).abs() < _ROUNDING).all()):
            return dim
    return None


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


def _unscaled(node: Any) -> Iterator[Pattern]:
    """Targets far above what the network gives; whether it gets there is seen at the end."""
    target, given = private.saved_target(node), private.saved_self(node)
    if target.requires_grad or target.numel() == 0 or target.is_complex():
        return
    far, near = float(target.abs().mean()), float(given.detach().abs().mean())
    if far > max(_FAR, _TIMES * near):
        yield Pattern("targets_unscaled", {"target": far, "output": near})


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
