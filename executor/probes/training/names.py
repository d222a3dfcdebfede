"""What the snippet calls things: variables in sight, and the lines that assign them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import torch
from torch import nn

from executor.probes.source import Source, attribute_lines


@dataclass(frozen=True)
class Named:
    """A tensor with its name and the line that made it, where one is known."""

    name: str
    tensor: torch.Tensor
    line: int | None


class Names:
    """Names for tensors, modules and optimizers, from the frames that run now."""

    def __init__(self, source: Source, tree: ast.Module) -> None:
        self.source = source
        self.attributes = attribute_lines(tree)
        self._assigned = _assignments(tree)
        self._appended = _appends(tree)
        self._softmax = _softmax_lines(tree)

    def variables(self) -> Iterator[tuple[str, object]]:
        """The snippet's variables in sight, innermost frame first."""
        frame = self.source.frame()
        while frame is not None:
            if frame.f_code.co_filename == self.source.filename:
                yield from list(frame.f_locals.items())
            frame = frame.f_back

    def of(self, thing: object) -> str:
        """The variable that holds this very object; empty if none in sight does."""
        return next((n for n, v in self.variables() if v is thing), "")

    def tensors(self, roots: Iterable[nn.Module], leave_out: set[int]) -> dict[int, Named]:
        """id → its name, of all parameters of the modules and of the variables in sight."""
        names: dict[int, Named] = {}
        variables = list(self.variables())
        owners = {id(value): name for name, value in reversed(variables)}
        for root in roots:
            owner = f"{owners[id(root)]}." if id(root) in owners else ""
            for path, p in root.named_parameters():
                line = self.attributes.get((type(root).__name__, path.split(".")[0]))
                line = line or self.line_of(owner.rstrip("."))
                names.setdefault(id(p), Named(owner + path, p, line))
        for name, value in variables:
            if issubclass(type(value), torch.Tensor) and id(value) not in leave_out:
                assert isinstance(value, torch.Tensor)
                names.setdefault(id(value), Named(name, value, self.line_of(name)))
        return names

    def line_of(self, name: str, before: int | None = None) -> int | None:
        """The last line up to `before` that assigns the variable, best by a call; or None."""
        lines = [(n, c) for n, c in self._assigned.get(name, []) if before is None or n <= before]
        by_call = [n for n, called in lines if called]
        if before is None:
            return lines[0][0] if lines else None
        return max(by_call or [n for n, _ in lines], default=None)

    def line_of_append(self, name: str) -> int | None:
        """The line that appends to the list."""
        return self._appended.get(name)

    def only_line_of(self, function: str) -> int | None:
        """Where "softmax" or "sigmoid" is written, if that is one place only."""
        lines = self._softmax.get(function, set())
        return next(iter(lines)) if len(lines) == 1 else None


def _assignments(tree: ast.Module) -> dict[str, list[tuple[int, bool]]]:
    found: dict[str, list[tuple[int, bool]]] = {}
    for node in ast.walk(tree):
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)) and node.value is not None:
            targets = node.targets if isinstance(node, ast.Assign) else [node.target]
            called = any(isinstance(n, ast.Call) for n in ast.walk(node.value))
            for target in targets:
                for n in ast.walk(target):
                    if isinstance(n, ast.Name):
                        found.setdefault(n.id, []).append((node.lineno, called))
    for lines in found.values():
        lines.sort()
    return found


def _appends(tree: ast.Module) -> dict[str, int]:
    return {
        n.func.value.id: n.lineno
        for n in ast.walk(tree)
        if isinstance(n, ast.Call)
        and isinstance(n.func, ast.Attribute)
        and n.func.attr == "append"
        and isinstance(n.func.value, ast.Name)
    }


def _softmax_lines(tree: ast.Module) -> dict[str, set[int]]:
    lines: dict[str, set[int]] = {"softmax": set(), "sigmoid": set()}
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            f = node.func
            name = (
                f.attr if isinstance(f, ast.Attribute) else f.id if isinstance(f, ast.Name) else ""
            )
            if name.lower() in lines:
                lines[name.lower()].add(node.lineno)
    return lines


def _function(f: ast.expr) -> str:
    """What is called; empty for a layer (`self.sigmoid(x)`), which was made elsewhere."""
    if isinstance(f, ast.Attribute):
        of_self = isinstance(f.value, ast.Name) and f.value.id == "self"
        return "" if of_self else f.attr
    return f.id if isinstance(f, ast.Name) else ""
