"""Where a loss is finite and its gradient is not: the operation whose slope is infinite.

A root is a fine number at 0, and so is `acos` at 1; their slopes there are infinite, and infinity
times 0 further back is NaN. What such a loss's graph shows is told only once a gradient was none.
"""

from __future__ import annotations

import math
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from executor.inside import torch_private as private
from executor.inside.probes.training.nodes import known_values, what
from executor.inside.probes.training.quiet import largest, quietly

_NODES = 500
_LEAVES = 64  # of one loss, whose gradients are looked at
_ADD = "add a small number inside it, such as 1e-12"


@dataclass(frozen=True)
class Steep:
    """An infinite slope in the graph of a loss that is a number."""

    told: str
    name: str  # of the loss
    line: int | None  # of its backward()
    leaves: Sequence[weakref.ref[torch.Tensor]]

    def is_borne_out(self) -> bool:
        """Whether a gradient came out as none, or a step has put it into the values."""
        there = [leaf for ref in self.leaves if (leaf := ref()) is not None]
        held = [*there, *(leaf.grad for leaf in there if leaf.grad is not None)]
        return any(not math.isfinite(top) for top in largest(held)) if held else False


def steep(loss: torch.Tensor, name: str, line: int | None) -> Steep | None:
    """The infinite slope that backward() will meet first, if there is one.

    Args:
        loss: one finite number, before its backward frees the graph.
        name: what it is called.
        line: of its backward().
    """
    told = ""
    leaves: list[weakref.ref[torch.Tensor]] = []
    seen: set[Any] = set()
    with quietly():
        level = [loss.grad_fn]
        while level and len(seen) < _NODES:
            here = [n for n in dict.fromkeys(level) if n is not None and n not in seen]
            seen.update(here)
            for node in here:
                if (leaf := private.leaf_of(node)) is not None:
                    leaves.append(weakref.ref(leaf))
                told = told or _said_of(node)
            level = [n for node in here for n, _ in node.next_functions]
    return Steep(told, name, line, leaves[:_LEAVES]) if told and leaves else None


def _said_of(node: Any) -> str:
    kind = what(node)
    if kind not in _SLOPES:
        return ""
    of, infinite, words = _SLOPES[kind]
    values = known_values(of(node))
    if values is None or (kind == "Pow" and not _is_a_root(private.saved_exponent(node))):
        return ""
    n = int(infinite(values).sum())
    return words.format(n=n, all=values.numel()) if n else ""


def _is_a_root(exponent: Any) -> bool:
    return isinstance(exponent, float) and 0 < exponent < 1


_EDGE = (
    "`{f}` has an infinite slope at 1 and at -1, and {{n}} of the {{all}} values that it got are "
    "there: a clamp to just these lets the gradient through; keep away from them, `x.clamp(-1 + "
    "1e-6, 1 - 1e-6)`"
)
# Kind → the values that decide, which of them have an infinite slope, and what is said.
_SLOPES: dict[str, tuple[Callable[[Any], Any], Callable[[torch.Tensor], torch.Tensor], str]] = {
    "Acos": (private.saved_self, lambda v: v.abs() == 1, _EDGE.format(f="acos")),
    "Asin": (private.saved_self, lambda v: v.abs() == 1, _EDGE.format(f="asin")),
    "Sqrt": (
        private.saved_result,
        lambda v: v == 0,
        f"a square root has an infinite slope at 0, and {{n}} of its {{all}} values are 0: {_ADD}",
    ),
    "Pow": (
        private.saved_self,
        lambda v: v == 0,
        "a power with an exponent below 1 has an infinite slope at 0, and {n} of the {all} values "
        f"that it got are 0: {_ADD}",
    ),
}
