"""Tell which parameters an optimizer's steps found without a gradient, with zeros or with NaN."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from torch import nn

from executor.inside import torch_private as private
from executor.inside.probes.training import fixed
from executor.inside.probes.training.findings import FindingCollector
from executor.inside.probes.training.steps import Steps
from executor.inside.probes.training.watched import Watched
from executor.inside.probes.training.words import every, no_path

_BIAS = re.compile(r"\bweight(_ih_l\w*)?$")  # of a layer, or of a recurrent one's inputs
_ROUNDING = 1e-6  # gradients up to this are the rounding error of terms that cancel
_TINY = 1e-7  # learning rates whose steps are lost in the rounding of float32


class GradientFindings:
    """What the steps of all optimizers found in the gradients of what they hold."""

    def __init__(self, steps: Steps) -> None:
        self._steps = steps

    def report(self, collector: FindingCollector, explained: set[int]) -> None:
        watched = [w for k, w in self._steps.optimized.items() if k not in explained and w.steps]
        all_zero = all(w.zero + w.missing == w.steps for w in watched if w.tensor.requires_grad)
        missing: list[Watched] = []
        nothing = _only_zeros(watched)
        for w in watched:
            if not w.tensor.requires_grad:
                continue
            shape = list(w.tensor.shape)
            if w.missing == w.steps:
                missing.append(w)
            elif w.not_finite:
                collector.add(
                    "gradient_not_finite",
                    w.line,
                    w.name,
                    f"the gradient of `{w.name}` {shape} held NaN or infinity",
                )
            elif w.zero + w.missing == w.steps:
                if self._steps.lossless and not isinstance(w.tensor, nn.Parameter):
                    continue  # an attack that has succeeded before it began
                # A mask or a zero weight can zero one step's gradient; a bias can cancel by design.
                if all_zero or (w.steps > 1 and not self._is_zero_on_purpose(w, watched)):
                    collector.add(
                        "zero_gradient",
                        w.line,
                        w.name,
                        f"the gradient of `{w.name}` {shape} was exactly 0 at {every(w.steps)}"
                        + (nothing or _never_a_state(w, watched)),
                    )
            elif w.top > _ROUNDING and not w.stepped and not w.moved and self._steps.ended(w):
                self._report_stuck(collector, w, watched)

        copied = _copied_layers(self._steps.calls.roots.values())
        missing = [w for w in missing if id(w.tensor) not in copied]
        self._report_missing(collector, missing, watched)

    def _is_zero_on_purpose(self, w: Watched, watched: list[Watched]) -> bool:
        """Whether a bias cancels, a loss is multiplied by 0, or an expert was not routed to."""
        if self._only_the_bias(w, watched) or self._steps.names.intent.multiplies_by_zero:
            return True
        # What has a gradient for its bias and none for its weights is given nothing but zeros.
        bias = _BIAS.sub(r"bias\1", w.name)
        if bias != w.name and any(o.name == bias and o.top for o in watched):
            return True
        return any(o.top for o in _beside_in_a_list(w, watched))

    def _report_missing(
        self, collector: FindingCollector, missing: list[Watched], watched: list[Watched]
    ) -> None:
        """Report missing gradients; a layer that is not used at all is one finding.

        It is a mistake where the text shows what cuts the layer off. A layer that is never called,
        a head that this phase does not need, a part that is frozen by a switch are notes.
        """
        together: dict[tuple[str, bool], list[Watched]] = {}
        for w in (w for w in missing if not w.moved):  # others are moved by hand, as averages
            reached = bool(self._steps.reached and id(w.tensor) in self._steps.reached)
            together.setdefault((".".join(w.name.split(".")[:2]), reached), []).append(w)
        for (prefix, reached), parts in together.items():
            whole = sum(w.name.startswith(f"{prefix}.") for w in watched) == len(parts) > 1
            for w in parts[:1] if whole else parts:
                what = f"`{w.name}` {list(w.tensor.shape)} is"
                if whole:
                    what = f"`{prefix}` has {len(parts)} parameters"
                cut = reached or self._is_cut(w, watched)
                collector.add(
                    "no_gradient" if cut else "unused_parameters",
                    w.line,
                    prefix if whole else w.name,
                    f"{what} in the optimizer, but {'their' if whole else 'its'} gradient was "
                    f"None at {every(w.steps)}: "
                    + (
                        "backward() reached it, but it was reset before the step"
                        if reached
                        else no_path("them" if whole else "it")
                    ),
                )

    def _is_cut(self, w: Watched, watched: list[Watched]) -> bool:
        """Whether the code cuts off what the parameter's part computes, or never mentions it."""
        if not w.training or (w.root is not None and fixed.is_from_a_library(w.root)):
            return False
        parts = w.name.split(".")
        alike = [o.name.split(".") for o in watched if o.steps > o.missing]
        # The longest prefix shared with something that learns is not what is cut.
        learns = max((_shared(parts, other) for other in alike), default=0)
        intent, own = self._steps.names.intent, parts[learns:-1] or parts[learns:]
        if any(map(intent.never_reads, own)):
            return True  # it is made, and stands nowhere else
        return not intent.loads and intent.cuts(set(own))

    @staticmethod
    def _only_the_bias(bias: Watched, watched: list[Watched]) -> bool:
        if not bias.name.endswith(".bias"):
            return False
        weight = bias.name.removesuffix("bias") + "weight"
        return any(w.name == weight and w.top for w in watched)

    def _report_stuck(
        self, collector: FindingCollector, w: Watched, watched: list[Watched]
    ) -> None:
        # What a scheduler begins at 0 has made one step without a learning rate.
        first = "initial_lr" if w.steps == 1 else "lr"
        last = [
            (id(p) == id(w.tensor), group.get("lr") or group.get(first))
            for record in self._steps.records.values()
            for group in record.optimizer.param_groups
            for p in group["params"]
        ]
        if w.rate == 0 and (any(rate for _, rate in last) or any(o.rate for o in watched)):
            return  # a group that is frozen on purpose, or a warm-up that begins at 0
        known = any(its and isinstance(rate, (int, float)) for its, rate in last)
        why = f" at a learning rate of {w.rate:g}" if known or w.rate else ""
        if 0 < (w.rate or 0) < _TINY:
            why += ": steps so small are lost in rounding; 1e-4 to 1e-1 are usual"
        collector.add(
            "never_moved",
            w.line,
            w.name,
            f"`{w.name}` {list(w.tensor.shape)} has not moved after {every(w.steps)}{why}",
        )


def _copied_layers(roots: Iterable[nn.Module]) -> set[int]:
    """Parameters of the layers that nn.TransformerEncoder and Decoder copied: the copies train."""
    stacks = (nn.TransformerEncoder, nn.TransformerDecoder)
    found: set[int] = set()
    for parent in (m for root in roots for m in root.modules()):
        children = list(parent.children())
        made = {type(s.layers[0]) for s in children if isinstance(s, stacks) and len(s.layers)}
        for child in children:
            if type(child) in made:
                found |= {id(p) for p in child.parameters()}
    return found


def _beside_in_a_list(w: Watched, watched: list[Watched]) -> list[Watched]:
    """The same parameter of the other modules in a list: `experts.0.weight`, `experts.1.weight`."""
    parts = w.name.removeprefix(f"{w.owner}.").split(".")
    part: Any = w.root
    for i, name in enumerate(parts[:-1]):
        if isinstance(part, (nn.ModuleList, nn.ModuleDict)):
            alike = re.compile(re.escape(w.name.removesuffix(".".join(parts[i:]))) + r"\w+")
            rest = "." + ".".join(parts[i + 1 :])
            others = [o for o in watched if o is not w and o.tensor.shape == w.tensor.shape]
            return [o for o in others if alike.fullmatch(o.name.removesuffix(rest))]
        part = private.modules_of(part).get(name) if part is not None else None
    return []


def _shared(a: list[str], b: list[str]) -> int:
    """How many parts two paths have in common at their beginning."""
    return next(
        (i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b))
    )


def _only_zeros(watched: list[Watched]) -> str:
    """That weights hold nothing but 0, which lets no gradient through to what stands before."""
    zeros = [w for w in watched if w.tensor.dim() > 1 and not w.moved and not bool(w.tensor.any())]
    if not zeros:
        return ""
    named = " and ".join(f"`{w.name}`" for w in zeros[:2])
    return (
        f": {named} {'hold' if len(zeros) > 1 else 'holds'} nothing but 0, from the start, and 0 "
        "lets no gradient through to what stands before; begin with random weights, such as those "
        "that PyTorch makes"
    )


def _never_a_state(w: Watched, watched: list[Watched]) -> str:
    """Why a recurrent layer's hidden-to-hidden weight learns nothing while its others do.

    Its gradient is a sum of products with the state of the step before.
    """
    inputs = w.name.replace("weight_hh_l", "weight_ih_l")
    if inputs == w.name or not any(o.name == inputs and o.top for o in watched):
        return ""
    such = (
        "as where each sequence has one step (see batch_first), or only the last position is read, "
        "at which the reverse direction begins"
        if w.name.endswith("_reverse")
        else "as in a sequence of one step"
    )
    return (
        ": it multiplies the state of the step before, which was 0 at every step that reaches the "
        f"loss, {such}"
    )
