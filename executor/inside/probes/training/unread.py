"""Find sequences of which a recurrent model reads one step only, by calling it again."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import nn

from executor.inside.probes.again import Caller, Inputs, KeptCall, close, mapped
from executor.inside.probes.kinds import finding
from executor.inside.probes.training.quiet import equal
from executor.protocol import Finding

_LEAST = 3  # steps of a sequence


def time_of(module: nn.Module, first: torch.Tensor, target: torch.Tensor | None) -> int | None:
    """The dimension of time, where a recurrent layer is to say one thing of each sequence.

    The target has a row for each sample and nothing for each step. Through a convolution the
    second dimension may be one of channels.
    """
    if target is None or target.dim() == 0 or first.dim() not in (2, 3):
        return None
    if first.dim() == 2 and first.is_floating_point():
        return None  # rows of features
    rows = target.shape[0]
    if rows < 2 or list(first.shape[:2]).count(rows) != 1:
        return None
    dim = 1 if first.shape[0] == rows else 0
    steps = first.shape[dim]
    if steps < _LEAST or steps in target.shape[1:] or target.numel() != rows * _width(target):
        return None
    parts = list(module.modules())
    recurs = any(isinstance(p, (nn.RNNBase, nn.RNNCellBase)) for p in parts)
    return dim if recurs and not any("Conv" in type(p).__name__ for p in parts) else None


def _width(target: torch.Tensor) -> int:
    return int(target.shape[1]) if target.dim() == 2 else 1


def look(caller: Caller, call: KeptCall, dim: int, first: torch.Tensor) -> list[Finding]:
    """Change all steps but one: if nothing moves, and it does with that one, it is the only one.

    Not a digit may move: what a state has nearly forgotten it has read.
    """
    inputs = call.args, call.kwargs
    steps = first.shape[dim]
    base, again = caller.run(inputs), caller.run(inputs, seed=8)
    if not base or not base[0].is_floating_point() or not close(base[0], again[0]):
        return []
    other = changed(first)
    for step, which in ((0, "first"), (steps - 1, "last")):
        kept, alone = other.clone(), first.clone()
        kept.select(dim, step).copy_(first.select(dim, step))
        alone.select(dim, step).copy_(other.select(dim, step))
        others = caller.run(mapped(inputs, _in_place_of(first, kept)))[0]
        itself = caller.run(mapped(inputs, _in_place_of(first, alone)))[0]
        if torch.equal(others, base[0]) and not close(itself, base[0]):
            across = _goes_across(caller, inputs, first, 1 - dim, base[0])
            return [_told(call, which, steps, across=across)]
    return []


def _goes_across(
    caller: Caller,
    inputs: Inputs,
    first: torch.Tensor,
    samples: int,
    base: torch.Tensor,
) -> bool:
    """Whether what is said of the other samples moves with the first one."""
    other = first.clone()
    other.select(samples, 0).copy_(changed(first).select(samples, 0))
    seen = caller.run(mapped(inputs, _in_place_of(first, other)))[0]
    return base.shape[0] == first.shape[samples] and not close(seen[1:], base[1:])


def _in_place_of(
    first: torch.Tensor, new: torch.Tensor
) -> Callable[[str, torch.Tensor], torch.Tensor]:
    return lambda _, t: new if equal(t, first) else t


def changed(t: torch.Tensor) -> torch.Tensor:
    """Other values at every place; of tokens, others of those that are there."""
    if t.is_floating_point():
        return t * -0.7 + 0.9
    known, at = torch.unique(t, return_inverse=True)
    others: torch.Tensor = known[(at + 1) % len(known)]
    return others


def _told(call: KeptCall, which: str, steps: int, *, across: bool) -> Finding:
    kind = type(call.module).__name__
    parts = call.module.modules()
    recurs = (nn.RNNBase, nn.RNNCellBase)
    layer = next(type(p).__name__ for p in parts if isinstance(p, recurs))
    why = (
        "the state of that step has read nothing else: of a batch that comes first, the state "
        "that has read all of them is `output[:, -1]`"
        if which == "first"
        else f"the {layer} goes through the samples in their place, as what is said of one changes "
        "with others: it takes dimension 0 for time unless it is made with `batch_first=True`"
        if across
        else f"the {layer} starts anew there: hand the state of each step on to the next"
    )
    return finding(
        f"reads_{which}_step",
        call.line,
        kind,
        f"what `{kind}` says of a sequence depends on its {which} step only, the other "
        f"{steps - 1} change nothing, although its {layer} runs through them; {why}",
        steps=steps,
    )
