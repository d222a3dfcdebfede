"""Find additions at places that come several times: of those only one is kept.

`table[places] += values` reads, adds and writes each place once for all. A descriptor hears that a
tensor is written into; which places are meant is read from the snippet's line.
"""

from __future__ import annotations

import ast
from typing import Any

import numpy as np
import torch

from executor.inside.probes.training.findings import FindingCollector
from executor.inside.probes.training.heard import HeardAtLines
from executor.inside.probes.training.names import SnippetNames
from executor.inside.probes.training.quiet import quietly
from executor.inside.remarks.edits import put, way
from executor.inside.walking import walk

_MOST = 1_000_000  # places that are compared


class Overwrites:
    """The lines that add at places which come several times."""

    def __init__(self, names: SnippetNames, tree: ast.Module) -> None:
        """Args: names, tree: of the snippet."""
        self.names = names
        self._lines = {
            n.lineno: n
            for n in walk(tree)
            if isinstance(n, ast.AugAssign)
            and isinstance(n.op, ast.Add | ast.Sub)
            and isinstance(n.target, ast.Subscript)
            and isinstance(n.target.slice, ast.Name | ast.Attribute | ast.Subscript)
        }
        self._found: dict[int, tuple[int, int]] = {}
        self._heard = HeardAtLines(names, self._lines, self._look)

    def start(self) -> None:
        """Listen, if the text adds in place by an index at all."""
        self._heard.start("__setitem__")

    def stop(self) -> None:
        """Stop listening."""
        self._heard.stop()

    def _look(self, tensor: torch.Tensor, line: int, names: dict[str, Any]) -> bool:
        target = self._lines[line].target
        assert isinstance(target, ast.Subscript)
        places = value_of(target.slice, names)
        if type(places) is not torch.Tensor or places.dim() != 1:
            return True
        if places.is_floating_point() or places.dtype is torch.bool or len(places) > _MOST:
            return True
        different = len(torch.unique(places))
        if different < len(places):
            self._found.setdefault(line, (len(places), different))
        return True

    def report(self, collector: FindingCollector) -> None:
        """Add the findings, after the run."""
        for line, (n, different) in self._found.items():
            node = self._lines[line]
            target = node.target
            assert isinstance(target, ast.Subscript)
            table, places = ast.unparse(target.value), ast.unparse(target.slice)
            sign = "-" if isinstance(node.op, ast.Sub) else ""
            new = put(
                node, target.value, f".index_put_(({places},), {sign}torch.as_tensor(", node.value,
                f").to({table}), accumulate=True)",
            )  # fmt: skip
            collector.add(
                "additions_lost",
                line,
                table,
                f"`{places}` has {n} places, and only {different} different ones: `+=` reads and "
                "writes each place once, so that of several values for one place a single one is "
                f"added and the others are lost; `{table}.index_add_(0, {places}, values)` adds "
                "them all",
                ways=[way("all values of a place are added", new)],
            )


def value_of(node: ast.expr, names: dict[str, Any]) -> Any:
    """What a number, a name, an attribute, an element of such or an array as a tensor is.

    None of anything else.
    """
    match node:
        case ast.Name(id=name):
            return names.get(name)
        case ast.Attribute(value=of, attr=attribute):
            return getattr(value_of(of, names), "__dict__", {}).get(attribute)
        case ast.Constant(value=int() as number):
            return number
        case ast.Subscript(value=of, slice=ast.Constant() | ast.Name() as index):
            held, at = value_of(of, names), value_of(index, names)
            if type(held) not in (list, tuple, torch.Tensor) or type(at) is not int:
                return None
            if -len(held) <= at < len(held):
                with quietly():
                    return held[at]
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id="torch"), attr="from_numpy" | "as_tensor"),
            args=[given],
            keywords=[],
        ):
            held = value_of(given, names)
            if type(held) is np.ndarray and held.flags.writeable and names.get("torch") is torch:
                with quietly():
                    return torch.as_tensor(held)  # of the same memory, which is only read
    return None
