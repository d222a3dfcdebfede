"""Find models whose answer changes with the padding behind a sequence, by calling them again.

Sequences of several lengths are filled up to one. Where a model has one thing to say of each, some
more of the same filling behind all of them must change nothing.
"""

from __future__ import annotations

import torch
from torch import nn

from executor.inside.probes.again import Caller, Inputs, KeptCall, close, mapped, tensors
from executor.inside.probes.kinds import finding
from executor.inside.probes.training.quiet import equal
from executor.protocol import Finding

_LEAST = 4  # samples, and steps
_LENGTHS = 2  # different ones
_SHARE = 0.2  # of the spread of the answers by which they move …
_LEAK = 0.02  # … and where layers attend, which a mask keeps from it altogether
_ALONE = 8  # samples that are looked at one by one


def mark_of(
    module: nn.Module, first: torch.Tensor, target: torch.Tensor | None, *, pads: bool
) -> int | None:
    """The token, or the value of all features, that fills the ends of sequences; None for none.

    Args:
        module: the model.
        first: the first tensor that it was given.
        target: what the loss compared its output with: one thing for each sequence.
        pads: whether the text speaks of padding.
    """
    if target is None or target.dim() == 0 or first.dim() not in (2, 3) or len(first) < _LEAST:
        return None
    tokens = not first.is_floating_point()
    if tokens != (first.dim() == 2) or first.shape[1] < _LEAST:
        return None
    wide = target.numel() != target.shape[0] * (target.shape[1] if target.dim() == 2 else 1)
    if target.shape[0] != len(first) or wide or first.shape[1] in target.shape[1:]:
        return None
    told = (m.padding_idx for m in module.modules() if isinstance(m, nn.Embedding))
    known = {mark for mark in told if mark is not None}
    mark = min(known) if len(known) == 1 else 0
    if not (pads or known):
        return None
    filled = first == mark if tokens else (first == 0).all(-1)
    at_the_end = bool((filled[:, 1:] >= filled[:, :-1]).all())
    lengths = (~filled).sum(1)
    several = len(torch.unique(lengths)) >= _LENGTHS and bool((lengths > 0).all())
    return mark if at_the_end and several and bool(filled.any()) else None


def look(caller: Caller, call: KeptCall, first: torch.Tensor, mark: int) -> list[Finding]:
    """Fill all sequences up to a larger length, as a batch with a longer one would have them."""
    inputs = call.args, call.kwargs
    more = first.shape[1] // 2 + 1
    base, again = caller.run(inputs), caller.run(inputs, seed=8)
    if not base or not base[0].is_floating_point() or not close(base[0], again[0]):
        return []
    if len(base[0]) != len(first) or len(base[0]) < _LEAST:
        return []
    rows = base[0].reshape(len(first), -1)
    now, said = _longer(caller, inputs, first, mark, more), f"with {more} more steps of it"
    if now is None:
        now, said = _alone(caller, inputs, first, mark, rows), "without it"
    if now is None or now.numel() != rows.numel():
        return []
    moved = (now.reshape(rows.shape) - rows).abs().mean()
    spread = (rows - rows.mean(0)).abs().mean()
    least = _LEAK if _attends(call.module) else _SHARE
    if not float(moved) > least * float(spread) > 0:
        return []
    kind = type(call.module).__name__
    much = float(moved) > _SHARE * float(spread)
    so = "short ones are judged by their padding" if much else "it has a part in each answer"
    what = f"the token {mark}" if first.dim() == 2 else "zeros"
    return [
        finding(
            "padding_read",
            call.line,
            kind,
            f"what `{kind}` says of a sequence changes with the padding behind it ({what}): {said} "
            f"the outputs move by {float(moved / spread):.0%} of what lies between two samples, so "
            f"that {so}; {_remedy(call.module, first, mark)}",
            padding=mark,
        )
    ]


def _longer(
    caller: Caller, inputs: Inputs, first: torch.Tensor, mark: int, more: int
) -> torch.Tensor | None:
    """What it says with more padding; None where its positions end there."""
    behind = first.new_full((len(first), more, *first.shape[2:]), mark)
    longer = torch.cat([first, behind], 1)
    try:
        out = caller.run(mapped(inputs, lambda _, t: longer if equal(t, first) else t))
    except (RuntimeError, IndexError):
        return None
    return out[0] if out else None


def _alone(
    caller: Caller, inputs: Inputs, first: torch.Tensor, mark: int, rows: torch.Tensor
) -> torch.Tensor | None:
    """What it says of some sequences as they are by themselves, and of the others as before."""
    if any(not equal(t, first) for _, t in tensors(inputs)):
        return None  # their lengths, perhaps, or a mask
    filled = first == mark if first.dim() == 2 else (first == 0).all(-1)
    found = rows.clone()
    for at in filled.any(1).nonzero().flatten().tolist()[:_ALONE]:
        short = first[at : at + 1, : int((~filled[at]).sum())]
        found[at] = caller.run(mapped(inputs, lambda _, t, s=short: s))[0].flatten()
    return found


def _attends(model: nn.Module) -> bool:
    return any("Attention" in type(p).__name__ or "Transformer" in type(p).__name__
               for p in model.modules())  # fmt: skip


def _remedy(model: nn.Module, first: torch.Tensor, mark: int) -> str:
    parts = list(model.modules())
    if any(isinstance(p, nn.RNNBase) for p in parts):
        return (
            "pack them (`pack_padded_sequence(x, lengths, batch_first=True, enforce_sorted=False)`)"
            " and take the last state `h_n`, or the output of each one's last step: "
            "`out[torch.arange(len(out)), lengths - 1]`"
        )
    if _attends(model):
        return f"hide it from the attention: `key_padding_mask` is True where `x == {mark}`"
    of = f"x != {mark}" if first.dim() == 2 else "x.abs().sum(-1) > 0"
    return (
        f"leave it out where steps are taken together: `m = ({of}).unsqueeze(-1)`, then "
        "`(h * m).sum(1) / m.sum(1)` for a mean"
    )
