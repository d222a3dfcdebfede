"""Find models that take the samples of a batch together, so that a row is left for each step.

`h.mean(dim=0)` of [batch, words, features] leaves the words. Where a batch has as many samples as
a sample has words the loss goes through all the same. It shows when the model is asked about fewer
of the samples: it still gives as many rows. A model that takes time first does so too, and means
it: the text has to say that the samples come first.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from executor.inside.probes.again import Caller, KeptCall, mapped, tensors
from executor.inside.probes.kinds import finding
from executor.inside.probes.source import SnippetSource
from executor.inside.probes.training.mixing import FEWER
from executor.inside.remarks.edits import put, way
from executor.inside.remarks.syntax import argument, dotted, functions, inside, tail, words
from executor.inside.walking import walk
from executor.protocol import Finding

_TAKES_TOGETHER = {
    "mean", "sum", "amax", "amin", "max", "min", "median", "std", "var", "logsumexp", "nanmean",
}  # fmt: skip
_TURNS = {"t", "T", "mT", "transpose", "permute", "movedim", "swapaxes", "swapdims", "einsum"}
_COLLATES = {"collate_fn", "pad_sequence", "IterableDataset"}
_BATCH = r"(?:batch(?:_?size)?|bs|bsz|b|n)"
_SAMPLES_FIRST = re.compile(rf"(?i)#[^\n]*?(?:[\[(:=#]|->)\s*{_BATCH}\s*(?:,|×|x(?= ))")
_SAMPLES_LATER = re.compile(rf"(?i)#[^\n]*?\w\s*(?:,|×| x)\s*{_BATCH}\s*[\]),×x\n]")


def samples_first(tree: ast.Module, lines: Iterable[str]) -> bool:
    """Whether a text says that the samples are the first dimension of what a model is given.

    A comment says it, or inputs and labels are picked by one index, or a loader hands them out; and
    nothing turns them round.
    """
    said = words(tree)
    turned = {n.attr for n in walk(tree) if isinstance(n, ast.Attribute)} & _TURNS
    text = "\n".join(lines) + "\n"
    if turned or said & _COLLATES or _SAMPLES_LATER.search(text):
        return False
    return bool(_SAMPLES_FIRST.search(text)) or "DataLoader" in said or _are_picked_alike(tree)


def _are_picked_alike(tree: ast.Module) -> bool:
    """`loss(net(x[i]), y[i])`, `xb, yb = x[i], y[i]`."""
    scopes = [tree, *functions(tree).values()]
    for node in (n for scope in scopes for n in inside(scope)):
        if not isinstance(node, ast.Call | ast.Assign | ast.Return):
            continue
        picked: dict[str, set[str]] = {}
        for n in walk(node):
            if isinstance(n, ast.Subscript) and dotted(n.value) and _is_of_rows(n.slice):
                picked.setdefault(ast.unparse(n.slice), set()).add(dotted(n.value))
        if any(len(of) > 1 for of in picked.values()):
            return True
    return False


def _is_of_rows(index: ast.expr) -> bool:
    return isinstance(index, ast.Slice | ast.Name | ast.Subscript) or (
        isinstance(index, ast.Call) and tail(index) == "randperm"
    )


def may_be(first: torch.Tensor, target: torch.Tensor | None) -> bool:
    """Whether an input has as many rows as the loss has targets, one for each."""
    return (
        target is not None
        and first.dim() >= 2
        and target.dim() > 0
        and target.shape[0] == len(first) > FEWER[-1]
        and first.shape[1] not in target.shape[1:]
    )


def look(
    caller: Caller, call: KeptCall, first: torch.Tensor, source: SnippetSource
) -> list[Finding]:
    """Ask it about fewer of the samples, and see whether there are as many answers as before."""
    inputs, rows = (call.args, call.kwargs), len(first)
    sizes = {n for t in (*call.module.parameters(), *call.module.buffers()) for n in t.shape}
    sizes.update(n for _, t in tensors(inputs) for n in t.shape)
    fewer = next((n for n in FEWER if n < rows and n not in sizes), None)
    before = caller.run(inputs)
    if fewer is None or not before or before[0].shape[:1] != (rows,):
        return []
    followed = _Followed(source, fewer)
    with followed:
        after = caller.run(
            mapped(inputs, lambda _, t: t[:fewer] if t.dim() and len(t) == rows else t)
        )
    if not after or after[0].shape != before[0].shape or followed.line is None:
        return []
    kind = type(call.module).__name__
    return [
        finding(
            "batch_mixed",
            followed.line,
            kind,
            f"`{source.line(followed.line)[:120]}` takes all samples of the batch together: asked "
            f"about {fewer} of {rows} samples `{kind}` still gives {rows} rows, one for each step "
            f"of a sample and none for a sample; the loss only goes through because there are "
            f"{rows} of both; take dimension 1 there",
            input=list(first.shape),
            ways=_ways(source, followed.line),
        )
    ]


def _ways(source: SnippetSource, line: int) -> list[dict[str, Any]]:
    """The one call of that line along dimension 1, where it says 0."""
    found = []
    for call in (n for n in walk(ast.parse("\n".join(source.lines))) if isinstance(n, ast.Call)):
        if call.lineno != line or tail(call) not in _TAKES_TOGETHER:
            continue
        of_module = isinstance(call.func, ast.Attribute) and dotted(call.func.value) == "torch"
        along = argument(call, int(of_module), "dim", "axis")
        if isinstance(along, ast.Constant) and along.value == 0:
            found.append(way("each sample keeps a row of its own", put(along, "1")))
    return found if len(found) == 1 else []


class _Followed(TorchFunctionMode):  # type: ignore[misc, unused-ignore]
    """Notes the line of the first operation that takes rows together, which are samples."""

    def __init__(self, source: SnippetSource, rows: int) -> None:
        super().__init__()
        self.source = source
        self._rows = rows
        self.line: int | None = None

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Do it, and look at what it was given and gave."""
        out = func(*args, **(kwargs or {}))
        new = out[0] if isinstance(out, tuple) and out else out
        if self.line is None and getattr(func, "__name__", "") in _TAKES_TOGETHER and args:
            given = args[0]
            if isinstance(given, torch.Tensor) and isinstance(new, torch.Tensor):
                whole, left = tuple(given.shape), tuple(new.shape)
                if whole[:1] == (self._rows,) and left == whole[1:]:
                    frame = self.source.frame()
                    self.line = frame.f_lineno if frame is not None else None
        return out
