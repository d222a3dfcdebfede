"""Note what a run shows of the very things that findings by text are about.

A witness says nothing by itself, for each of these things may be meant: it decides whether the
edit of a finding has changed what the run does (knowledge/repair/judge.py). So it is looked for
whatever the text says.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

import torch
from torch import nn

from executor.inside.probes.again import Caller, KeptCall, close, mapped
from executor.inside.probes.training.steps import Steps
from executor.inside.remarks.mixups import is_misspelled
from executor.inside.remarks.syntax import dotted, tail, walk
from executor.protocol import LossSeen

_FUNCTIONAL = ("F.dropout", "functional.dropout", "torch.dropout")


_TRAINING = re.compile(r"(?i)train_?mask")
_RISES = 2  # times the first loss: less is noise
_NEAR = 0.2  # of a step: no average of many steps is so near to the newest weights


def of_the_run(
    steps: Steps,
    losses: Iterable[LossSeen],
    targets: Iterable[torch.Tensor],
    names: Mapping[str, Any],
) -> list[str]:
    """What the run shows.

    Args:
        steps: the optimizers' steps.
        losses: how the losses went.
        targets: what losses compared with.
        names: the snippet's globals.
    """
    records = steps.records.values()
    roots = [r for r in steps.calls.roots.values() if next(r.parameters(), None) is not None]
    went = list(losses)
    shown = {
        "step_outside": any(r.lost for r in records),
        "clipped_late": any(r.changed_late for r in records),
        "validated_in_training": steps.calls.asked_in_training,
        "misspelled": any(map(is_misspelled, {a for r in roots for p in r.parameters()
                                              for a in vars(p)})),
        "step_uphill": any(loss.last > _RISES * loss.first > 0 for loss in went),
        "sign_of_kl": any(loss.last < 0 for loss in went),  # of terms that are never negative
        "seeded_each_epoch": steps.draws_again,
        "made_each_epoch": len({_sizes(r) for r in roots}) < len(roots),
        "optimizer_each_epoch": len({tuple(r.ids) for r in records}) < len(records),
        "mask_left_out": _all_are_trained_on(targets, names),
        "average_inverted": any(_is_newest(steps, m) for m in names.values()
                                if issubclass(type(m), nn.Module)),
    }  # fmt: skip
    return [kind for kind, there in shown.items() if there]


def _sizes(module: nn.Module) -> tuple[Any, ...]:
    return (type(module), *(tuple(p.shape) for p in module.parameters()))


def _all_are_trained_on(targets: Iterable[torch.Tensor], names: Mapping[str, Any]) -> bool:
    """A loss compares as many targets as a mask for the training has places, used or not."""
    masks = [v for n, v in names.items() if _TRAINING.search(n) and type(v) is torch.Tensor]
    sizes = {m.numel() for m in masks if m.dtype is torch.bool and not bool(m.all())}
    return any(t.dim() == 1 and t.numel() in sizes for t in targets)


def _is_newest(steps: Steps, module: nn.Module) -> bool:
    """Whether its weights are those of a trained model of the same sizes, nearer than a step."""
    own = list(module.parameters())
    if not own or any(id(p) in steps.optimized for p in own):
        return False
    for record in steps.records.values():
        watched = record.watched
        if record.steps == 0 or [w.tensor.shape for w in watched] != [p.shape for p in own]:
            continue
        pairs = [(w.tensor, p, w.before) for w, p in zip(watched, own, strict=True)]
        apart = sum(float((t - p).abs().sum()) for t, p, _ in pairs)
        went = sum(float((t - b).abs().sum()) for t, _, b in pairs if b is not None)
        if apart < _NEAR * went / record.steps:
            return True
    return False


class Tried:
    """What shows when the models are called again, where the text has what it takes."""

    def __init__(self, tree: ast.Module) -> None:
        """Args: tree: the snippet."""
        calls = [n.func for n in walk(tree) if isinstance(n, ast.Call)]
        bases = {tail(b) for n in walk(tree) if isinstance(n, ast.ClassDef) for b in n.bases}
        self._drops = any(
            dotted(f).endswith(_FUNCTIONAL) or (isinstance(f, ast.Call) and "Dropout" in tail(f))
            for f in calls
        )
        self.derives = "Function" in bases  # a function of its own

    @property
    def has_cause(self) -> bool:
        """Whether a call is worth trying again."""
        return self._drops or self.derives

    def look(self, calls: Iterable[KeptCall]) -> list[str]:
        """Try them: it calls the snippet's modules, so that it comes last of all."""
        found: set[str] = set()
        for kept in calls:
            if self._drops and Caller.with_time(kept, partial(_draws, kept=kept)):
                found.add("always_drops")
            if self.derives and Caller.with_time(kept, partial(_is_bent, kept=kept)):
                found.add("gradient_ignored")
        return sorted(found)


def _draws(call: Caller, kept: KeptCall) -> list[bool]:
    """In eval mode, the same input gives other outputs under another seed."""
    inputs = kept.args, kept.kwargs
    pairs = zip(call.run(inputs), call.run(inputs, seed=8), strict=False)
    return [True for one, two in pairs if not close(one, two)][:1]


def _is_bent(call: Caller, kept: KeptCall) -> list[bool]:
    """Twice the gradient that comes in gives not twice the gradients: that is no derivative."""
    args, kwargs = mapped((kept.args, kept.kwargs), lambda _, t: t.clone())
    weights = [p for p in kept.module.parameters() if p.requires_grad]
    with torch.enable_grad():
        torch.manual_seed(7)
        out = kept.module(*args, **kwargs)
        given = torch.ones_like(out)
        once, twice = (
            torch.autograd.grad(out, weights, n * given, retain_graph=True, allow_unused=True)
            for n in (1, 2)
        )
    return [
        True
        for a, b in zip(once, twice, strict=True)
        if a is not None and b is not None and not close(2 * a, b)
    ][:1]
