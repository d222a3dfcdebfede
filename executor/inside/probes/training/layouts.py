"""Find views that were meant to turn a tensor: the same sizes as before, in another order.

A view keeps the values in the order in which they lie in memory, so that rows and columns of one
sample, or samples, are mixed. A descriptor hears that `view` or `reshape` is looked up on a tensor;
which sizes are asked for is read from the snippet's line.
"""

from __future__ import annotations

import ast
import itertools
from typing import Any

import torch

from executor.inside import torch_private as private
from executor.inside.probes.training.findings import FindingCollector
from executor.inside.probes.training.heard import HeardOnTensors
from executor.inside.probes.training.names import SnippetNames
from executor.inside.walking import walk

_METHODS = ("view", "reshape")
_MOST = 20  # lines that are looked at
_LOOKS = 2  # times at each of them
_HEARD = 400  # look-ups of a view after which nobody listens any more


class Layouts:
    """The views whose sizes are a permutation of those there were."""

    def __init__(self, names: SnippetNames, tree: ast.Module) -> None:
        self.names = names
        # Line → the sizes that its only view asks for, of three dimensions or more.
        self._asked = {line: sizes for line, sizes in _views(tree).items() if len(sizes) > 2}
        self._looked: dict[int, int] = {}
        self._heard = 0
        self._found: dict[int, tuple[list[int], list[int]]] = {}
        self._methods = HeardOnTensors(self._hear)

    def start(self) -> None:
        """Listen, if the text has such a view at all."""
        self._methods.start(_METHODS if self._asked else ())

    def stop(self) -> None:
        """Stop listening."""
        self._methods.stop()

    def _hear(self, tensor: torch.Tensor) -> None:
        """Compare what a line asks for with what it has, the first times."""
        if type(tensor) is not torch.Tensor:
            return
        self._heard += 1
        if self._heard > _HEARD or len(self._looked) > _MOST:
            self.stop()
            return
        line = self.names.source.line_above(2)
        if line not in self._asked or self._looked.get(line, 0) >= _LOOKS:
            return
        self._looked[line] = self._looked.get(line, 0) + 1
        if sum(self._looked.values()) == _LOOKS * len(self._asked):
            self.stop()
        frame = self.names.source.frame(2)
        if frame is None:
            return
        with private.DisableTorchFunction():  # a mode of a second run would hear the questions
            values = [_size(s, frame.f_globals, frame.f_locals) for s in self._asked[line]]
            before = list(tensor.shape)
            after = _complete(values, tensor.numel())
            if after is not None and _is_turned(before, after) and tensor.is_contiguous():
                self._found.setdefault(line, (before, after))

    def report(self, collector: FindingCollector) -> None:
        """Add the findings, after a run that trained something."""
        for line, (before, after) in self._found.items():
            order = _order(before, after)
            collector.add(
                "view_not_permute",
                line,
                "",
                f"this view makes {after} of {before}: the same sizes in another order, but the "
                "values stay in the order in which they lie in memory, so that they land in other "
                f"rows and columns; to turn the dimensions write `.permute({order})`",
                order=[int(n) for n in order.split(", ")],
            )


def _views(tree: ast.Module) -> dict[int, list[ast.expr]]:
    """Line → the sizes of its view, for the lines that have exactly one."""
    found: dict[int, list[list[ast.expr]]] = {}
    for node in walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr=attr, end_lineno=line), args=sizes) if (
                attr in _METHODS
            ):
                match sizes:
                    case [ast.Tuple(elts=elements) | ast.List(elts=elements)]:
                        sizes = elements
                found.setdefault(line or 0, []).append(sizes)
    return {line: calls[0] for line, calls in found.items() if len(calls) == 1}


def _size(node: ast.expr, outer: dict[str, Any], inner: dict[str, Any]) -> int | None:
    """The value of a number, a variable, or a size of one; None of all else."""

    def of(name: str) -> Any:
        return inner.get(name, outer.get(name))

    match node:
        case ast.Constant(value=int() as value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as value)):
            return -value
        case ast.Name(id=name):
            value = of(name)
            return value if type(value) is int else None
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="size"), args=[at]) | (
            ast.Subscript(value=ast.Attribute(value=ast.Name(id=name), attr="shape"), slice=at)
        ):
            tensor, index = of(name), _size(at, outer, inner)
            if type(tensor) is torch.Tensor and index is not None:
                return tensor.shape[index] if -tensor.dim() <= index < tensor.dim() else None
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=name)]):
            tensor = of(name)
            return tensor.shape[0] if type(tensor) is torch.Tensor and tensor.dim() else None
    return None


def _complete(sizes: list[int | None], elements: int) -> list[int] | None:
    """The sizes, with what -1 stands for; None where one of them is not known."""
    known = [s for s in sizes if s is not None]
    if len(known) < len(sizes) or known.count(-1) > 1:
        return None
    rest = 1
    for size in known:
        rest *= size if size != -1 else 1
    if rest <= 0:
        return None
    return [elements // rest if size == -1 else size for size in known]


def _is_turned(before: list[int], after: list[int]) -> bool:
    """Whether it is the same sizes in another order, and at least three that are no 1.

    Two that differ by 1 may be the shift of relative positions, which is a view on purpose.
    """
    old, new = ([s for s in sizes if s != 1] for sizes in (before, after))
    if len(before) != len(after) or sorted(old) != sorted(new) or old == new or len(old) < 3:
        return False
    changed = sorted({a for a, b in zip(old, new, strict=True) if a != b})
    return all(b - a > 1 for a, b in itertools.pairwise(changed))


def _order(before: list[int], after: list[int]) -> str:
    """The dimensions of `before` in the order of `after`."""
    left = list(range(len(before)))
    order = []
    for size in after:
        at = next(i for i in left if before[i] == size)
        left.remove(at)
        order.append(str(at))
    return ", ".join(order)
