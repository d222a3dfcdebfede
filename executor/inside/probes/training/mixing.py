"""Find the line at which the samples of a batch first mix, by calling a model again.

All samples but one are changed. What comes out for that one must not move, whatever the layers in
between are; each operation is looked at, so that the first one which moves is the place. A graph's
nodes and the steps of a sequence belong together too, so that much has to speak for samples: see
`are_samples`. A model that only goes through its rows in order may be a recurrence: it has to
move with the rows before and with those behind.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import nn
from torch.overrides import TorchFunctionMode

from executor.inside.probes.again import Caller, Inputs, KeptCall, close, mapped, tensors
from executor.inside.probes.kinds import finding
from executor.inside.probes.source import SnippetSource
from executor.protocol import Finding

_LEAST = 3  # samples of a batch
_MOST = 4000  # operations of one call
_ONE_SIDE = 0.35  # of the way from no to yes, where labels are softened
FEWER = (7, 11, 13, 5, 9)  # samples to go on with, where a size of the model equals the batch's
# They have conventions of their own of what comes first, or mix a batch by their name.
_OTHERS = re.compile(r"lstm|gru|rnn|multi_head_attention|transformer_encoder|batch_norm")
_LAYS_OUT = ("reshape", "view", "flatten", "unflatten", "chunk", "split")
_LAID_OUT = "turn the batch to the front (`permute`) before values are laid out in rows"
_WITHIN = "work within a row (dimension 1 and later), not along dimension 0 or over all values"
_ON_PURPOSE = re.compile(r"(?i)batch|norm|std|graph|node|adj|neighbou?r|gcn|gat|set|group|route")


def are_samples(
    first: torch.Tensor,
    target: torch.Tensor | None,
    inputs: Inputs,
    later: Sequence[tuple[int, bool]],
    *,
    elsewhere: bool = False,
) -> bool:
    """Whether the rows of an input are samples, which have nothing to do with each other.

    Args:
        first: the first tensor that the model was given.
        target: what the loss compared its output with.
        inputs: all that it was given.
        later: of further calls, how many rows they had, and whether of other values.
        elsewhere: it was asked, without gradients, about another number of such rows.
    """
    if target is None or first.dim() < 2 or target.dim() == 0 or len(first) < _LEAST:
        return False
    if target.shape[0] != len(first) or first.shape[1] in target.shape[1:]:
        return False  # a target for each step: either may be the batch
    if float(target.max()) - float(target.min()) < _ONE_SIDE:
        return False  # all real, or all drawn: who judges a batch may look at it as a whole
    if not later or any(rows != len(first) for rows, _ in later):
        return False  # sequences of many lengths
    if not elsewhere and not all(new for _, new in later):
        return False  # one and the same data each time, as a graph's
    args, kwargs = inputs
    plain = (torch.Tensor, int, float, bool, str, type(None))
    if not all(isinstance(a, plain) for a in (*args, *kwargs.values())):
        return False  # a graph, perhaps
    others = [t for _, t in tensors(inputs) if t is not first]
    return not any(t.layout != torch.strided or _relates(t, len(first)) for t in others)


def _relates(t: torch.Tensor, rows: int) -> bool:
    """Whether a tensor may say which rows belong together, or how long each one is."""
    square = t.dim() == 2 and t.shape[0] == t.shape[1] == rows
    whole = not t.is_floating_point() and t.dim() <= 2
    return square or whole


def look(
    caller: Caller, call: KeptCall, first: torch.Tensor, source: SnippetSource
) -> list[Finding]:
    """Call it with the other samples changed, and say where the one that stays first moves."""
    inputs, rows = (call.args, call.kwargs), len(first)
    sizes = {n for t in (*call.module.parameters(), *call.module.buffers()) for n in t.shape}
    sizes.update(n for _, t in tensors(inputs) for n in t.shape[1:])
    if rows in sizes:
        fewer = next((n for n in FEWER if n < rows and n not in sizes), None)
        if fewer is None:
            return []
        inputs = mapped(inputs, lambda _, t: t[:fewer] if t.dim() and len(t) == rows else t)
        rows = fewer
    base, again = _Followed(source, rows), caller.run(inputs, seed=8)
    with base:
        out = caller.run(inputs)
    if not out or not close(out[0], again[0]) or out[0].shape[:1] != (rows,):
        return []
    if rows in out[0].shape[1:]:
        return []  # each sample against each
    first_moves = _moved(caller, inputs, base, rows, 0)
    if first_moves is None or _moved(caller, inputs, base, rows, rows - 1) is None:
        return []
    line, operation, names = first_moves
    if _OTHERS.search(operation) or any(_ON_PURPOSE.search(n) for n in names):
        return []
    kind = type(call.module).__name__
    return [
        finding(
            "batch_mixed",
            line,
            kind,
            f"what `{kind}` says of a sample changes with the other samples of the batch, in "
            f"evaluation too: `{source.line(line)[:120]}` is the first to mix them; if each row "
            f"is a sample of its own, {_LAID_OUT if operation in _LAYS_OUT else _WITHIN}",
            input=list(first.shape),
        )
    ]


def _moved(
    caller: Caller, inputs: Inputs, base: _Followed, rows: int, row: int
) -> tuple[int, str, tuple[str, ...]] | None:
    """Where the values of one row first move with the others; None where the output's do not."""
    now = _Followed(base.source, rows)
    with now:
        caller.run(mapped(inputs, others_changed(rows, row)))
    if [s[:2] for s in now.steps] != [s[:2] for s in base.steps]:
        return None  # it went another way
    at = (0, -1)[row > 0]
    found = [b for b, n in zip(base.steps, now.steps, strict=True) if not close(b[3][at], n[3][at])]
    if not found or found[-1] is not base.steps[-1]:
        return None
    return found[0][0], found[0][1], found[0][2]


def others_changed(rows: int, row: int) -> Callable[[str, torch.Tensor], torch.Tensor]:
    """Gives a tensor with a row for each sample other values in all rows but one."""

    def changed(_: str, t: torch.Tensor) -> torch.Tensor:
        if t.dim() == 0 or len(t) != rows:
            return t
        new = t.roll(1, 0)
        if t.is_floating_point():
            new = new * -0.6 + 0.4
        new[row] = t[row]
        return new

    return changed


class _Followed(TorchFunctionMode):  # type: ignore[misc, unused-ignore]
    """Keeps the first and the last row of what each operation gives, where rows are samples.

    A step: the snippet's line, the operation, the class and function of that line, the rows.
    """

    def __init__(self, source: SnippetSource, rows: int) -> None:
        super().__init__()
        self.source = source
        self._rows = rows
        self.steps: list[tuple[int, str, tuple[str, ...], torch.Tensor]] = []

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Do it, and keep what it gave."""
        out = func(*args, **(kwargs or {}))
        new = out[0] if isinstance(out, tuple) and out else out
        if type(new) is torch.Tensor and new.shape[:1] == (self._rows,) and not new.is_sparse:
            frame = self.source.frame()
            if frame is not None and len(self.steps) < _MOST:
                name = getattr(func, "__name__", "")
                me = frame.f_locals.get("self")
                owner = type(me).__name__ if isinstance(me, nn.Module) else ""
                names = frame.f_code.co_name, owner
                self.steps.append((frame.f_lineno, name, names, new[[0, -1]].clone()))
        return out
