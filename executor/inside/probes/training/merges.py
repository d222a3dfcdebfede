"""Find large whole numbers that become decimal ones and merge: many different ones turn into one.

float32 holds each whole number up to 2**24 only. A time stamp in seconds lies far above, where the
next number that it holds is 128 further on; an id, a position in bfloat16 fare no better.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

import numpy as np
import torch

from executor.inside import torch_private as private
from executor.inside.probes.training.findings import FindingCollector
from executor.inside.probes.training.heard import HeardOnTensors
from executor.inside.probes.training.names import SnippetNames
from executor.inside.probes.training.overwrites import value_of
from executor.inside.probes.training.quiet import quietly
from executor.inside.remarks.syntax import argument, dotted, tail
from executor.inside.walking import walk

_OWN = {"float": torch.float32, "half": torch.float16, "bfloat16": torch.bfloat16}
_LEAST, _SHARE = 16, 2  # different numbers before, and how many times fewer afterwards
_LOOKS, _HEARD = 3, 2000  # at each line; calls after which nobody listens any more
_MOST = 200_000  # numbers that are compared
# What is asked of all together: rounding each changes next to nothing of it.
_OF_ALL = {"mean", "sum", "max", "min", "amax", "amin", "median", "norm", "quantile"}
_Merged = tuple[int, int, int, torch.dtype]


class Merges:
    """The lines at which whole numbers merge."""

    def __init__(self, names: SnippetNames, tree: ast.Module) -> None:
        """Args: names, tree: of the snippet."""
        self.names = names
        self._lines: dict[tuple[int, str], ast.expr] = {}  # by line and method
        several: set[tuple[int, str]] = set()
        for line, method, node in _conversions(tree):
            several |= {(line, method)} & self._lines.keys()
            self._lines[line, method] = node
        for place in several:  # which of them is heard is not known
            del self._lines[place]
        self._looks: dict[tuple[int, str], int] = {}
        self._calls = 0
        self._given = list(_given(tree))
        self._written: dict[tuple[int, str], ast.Call] = {}  # of those
        self._found: dict[tuple[int, str], _Merged] = {}
        methods = {method for _, method in self._lines}
        self._heard = {m: HeardOnTensors(partial(self._hear, m)) for m in sorted(methods)}

    def start(self) -> None:
        """Listen, if the text converts at all."""
        for method, heard in self._heard.items():
            heard.start([method])

    def stop(self) -> None:
        """Stop listening."""
        for heard in self._heard.values():
            heard.stop()

    def _hear(self, method: str, tensor: torch.Tensor) -> None:
        self._calls += 1
        if self._calls > _HEARD:
            self.stop()
            return
        if type(tensor) is not torch.Tensor:
            return
        with private.DisableTorchFunction():
            whole = tensor.dtype is torch.int64 or tensor.dtype is torch.int32
            if not whole or tensor.numel() < _LEAST:
                return
        line, frame = self.names.source.line_above(2), self.names.source.frame(2)
        place = line or 0, method
        if place not in self._lines or place in self._found or frame is None:
            return
        if self._looks.get(place, 0) >= _LOOKS:
            return
        self._looks[place] = self._looks.get(place, 0) + 1
        with private.DisableTorchFunction(), quietly():
            becomes = _becomes(self._lines[place], {**frame.f_globals, **frame.f_locals})
            if becomes is None:
                return
            seen = _merged(tensor.flatten()[:_MOST], becomes)
        if seen is not None:
            self._found[place] = seen

    def report(self, collector: FindingCollector, namespace: Mapping[str, Any]) -> None:
        """Add the findings, after the run."""
        with quietly():
            self._look_at_arrays(namespace)
        for place, (before, after, top, becomes) in self._found.items():
            written = ast.unparse(self._written.get(place) or self._lines[place])[:60]
            said = str(becomes).removeprefix("torch.")
            collector.add(
                "numbers_merge",
                place[0],
                written,
                f"`{written}` makes {said} of whole numbers up to {top}, and {said} holds each one "
                f"only up to {int(2 / torch.finfo(becomes).eps)}: {before} different numbers are "
                f"{after} different ones afterwards; compute with the whole numbers first (a "
                "difference to the first one, a remainder), or in float64: `.double()`",
            )

    def _look_at_arrays(self, namespace: Mapping[str, Any]) -> None:
        """What nobody hears: `torch.tensor(stamps, dtype=torch.float32)`, `a.astype("float32")`."""
        for node, given in self._given:
            held = value_of(given, dict(namespace))
            if type(held) is list and all(type(n) is int for n in held[:_MOST]):
                held = np.array(held[:_MOST])
            if type(held) is not np.ndarray or held.dtype.kind not in "iu" or not held.size:
                continue
            numbers = torch.from_numpy(held.flatten()[:_MOST].astype("int64"))
            if (seen := _merged(numbers, torch.float32)) is not None:
                self._written[node.lineno, ""] = node
                self._found[node.lineno, ""] = seen


def _merged(numbers: torch.Tensor, becomes: torch.dtype) -> _Merged | None:
    """How many numbers there are before and afterwards, and the largest, where they merge."""
    top = int(numbers.abs().max())
    if top * torch.finfo(becomes).eps <= 2:
        return None
    before, after = (len(torch.unique(t)) for t in (numbers, numbers.to(becomes)))
    return (before, after, top, becomes) if _LEAST <= before >= after * _SHARE else None


def _given(tree: ast.Module) -> Iterator[tuple[ast.Call, ast.expr]]:
    """Each call that makes float32 of numbers that are no tensor, with those numbers."""
    for node in walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr="tensor" | "as_tensor" | "asarray" | "array")):
                to = argument(node, 1, "dtype")
                told = dotted(to) if to is not None else ""
                if node.args and told.endswith((".float32", ".float")):  # Python's is float64
                    yield node, node.args[0]
            case ast.Call(func=ast.Attribute(attr="FloatTensor"), args=[given]):
                yield node, given
            case ast.Call(func=ast.Attribute(attr="astype", value=given), args=[to]) if (
                tail(to) == "float32" or getattr(to, "value", "") == "float32"
            ):
                yield node, given


def _conversions(tree: ast.Module) -> Iterator[tuple[int, str, ast.expr]]:
    """Each operation that makes decimal numbers: the line and the method at which it is heard."""
    of_all = {
        n.func.value
        for n in walk(tree)
        if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr in _OF_ALL
    }
    for node in walk(tree):
        match node:
            case ast.Call() if node in of_all:
                pass
            case ast.Call(func=ast.Attribute(attr=method), args=[]) if method in _OWN:
                yield node.lineno, method, node
            case ast.Call(func=ast.Attribute(attr="to" | "type" as method)):
                given = [*node.args, *(k.value for k in node.keywords)]
                if any("float" in tail(a) or "type" in tail(a) for a in given):
                    yield node.lineno, method, node
            case ast.BinOp(op=ast.Div()):
                yield node.lineno, "__truediv__", node
            case ast.BinOp(op=ast.Mult(), left=left, right=right):
                if _is_decimal(right):
                    yield node.lineno, "__mul__", node
                elif _is_decimal(left):
                    yield node.lineno, "__rmul__", node


def _is_decimal(node: ast.expr) -> bool:
    """Whether it is a decimal number by the text, such as `2 * math.pi` and `1e-3`."""
    parts = list(walk(node))
    called = any(isinstance(n, ast.Call | ast.Subscript) for n in parts)
    names = {n.id for n in parts if isinstance(n, ast.Name)}
    return (
        not called
        and names <= {"math", "np", "numpy", "torch"}
        and any(
            isinstance(getattr(n, "value", None), float) or dotted(n).endswith(".pi") for n in parts
        )
    )


def _becomes(node: ast.expr, names: dict[str, Any]) -> torch.dtype | None:
    """The type of decimal numbers that it gives; None where that is not known, or float64."""
    found: torch.dtype | None
    match node:
        case ast.Call(func=ast.Attribute(attr=method), args=[]) if method in _OWN:
            found = _OWN[method]
        case ast.Call():
            given = [*node.args, *(k.value for k in node.keywords)]
            told = [getattr(torch, tail(a), None) for a in given if dotted(a).startswith("torch.")]
            told += [names.get(a.id) for a in given if isinstance(a, ast.Name)]
            found = next((t for t in told if isinstance(t, torch.dtype)), None)
        case ast.BinOp(op=ast.Mult()):
            found = torch.get_default_dtype()
        case ast.BinOp(right=ast.Constant(value=int() | float())):
            found = torch.get_default_dtype()
        case ast.BinOp(right=right):
            other = value_of(right, names)
            whole = type(other) is torch.Tensor and not other.is_floating_point()
            found = torch.get_default_dtype() if whole or type(other) in (int, float) else None
        case _:
            return None
    return found if found in (torch.float32, torch.float16, torch.bfloat16) else None
