"""Find sums and differences of bytes that go beyond 0 to 255, and begin again at the other end.

Descriptors hear that an operator is looked up on a tensor of bytes; what stands on its other side
is read from the snippet's line.
"""

from __future__ import annotations

import ast

import torch

from executor.inside import torch_private as private
from executor.inside.probes.training.findings import FindingCollector
from executor.inside.probes.training.heard import HeardOnTensors
from executor.inside.probes.training.names import SnippetNames
from executor.inside.probes.training.overwrites import value_of
from executor.inside.probes.training.quiet import quietly
from executor.inside.remarks.edits import operand, put, way
from executor.inside.remarks.syntax import words
from executor.inside.walking import walk

_OPERATORS: dict[type[ast.operator], str] = {
    ast.Sub: "__sub__",
    ast.Add: "__add__",
    ast.Mult: "__mul__",
}
_LOOKS = 20  # at each line: a difference is negative somewhere
_MOST = 1_000_000  # bytes that are computed with again


class Wraps:
    """The lines whose bytes wrap."""

    def __init__(self, names: SnippetNames, tree: ast.Module) -> None:
        """Args: names, tree: of the snippet."""
        self.names = names
        self._lines: dict[int, ast.BinOp] = {}
        self._several: set[int] = set()
        for node in walk(tree) if words(tree) & {"uint8", "ByteTensor", "byte"} else ():
            if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
                if node.lineno in self._lines:
                    self._several.add(node.lineno)
                self._lines[node.lineno] = node
        self._looks: dict[int, int] = {}
        self._found: dict[int, str] = {}
        self._heard = HeardOnTensors(self._hear)

    def start(self) -> None:
        """Listen, if the text speaks of bytes and computes at all."""
        self._heard.start({_OPERATORS[type(n.op)] for n in self._lines.values()})

    def stop(self) -> None:
        """Stop listening."""
        self._heard.stop()

    def _hear(self, tensor: torch.Tensor) -> None:
        if type(tensor) is not torch.Tensor:
            return
        with private.DisableTorchFunction():
            if tensor.dtype is not torch.uint8 or tensor.numel() > _MOST:
                return
        line, frame = self.names.source.line_above(2), self.names.source.frame(2)
        if line not in self._lines or line in self._several or frame is None:
            return
        if line in self._found or self._looks.get(line, 0) >= _LOOKS:
            return
        self._looks[line] = self._looks.get(line, 0) + 1
        node = self._lines[line]
        with private.DisableTorchFunction(), quietly():
            other = value_of(node.right, {**frame.f_globals, **frame.f_locals})
            if type(other) is torch.Tensor and other.dtype is torch.uint8:
                other = other.int()
            elif type(other) is not int:
                return
            wide = tensor.int()
            made = {ast.Sub: wide.sub, ast.Add: wide.add, ast.Mult: wide.mul}[type(node.op)](other)
            if made.numel() and int(made.min()) < 0:
                self._found[line] = f"{int(made.min())}, becomes {int(made.min()) % 256}"
            elif made.numel() and int(made.max()) > 255:
                self._found[line] = f"{int(made.max())}, becomes {int(made.max()) % 256}"

    def report(self, collector: FindingCollector) -> None:
        """Add the findings, after the run."""
        for line, became in self._found.items():
            node = self._lines[line]
            new = put(node.left, *operand(node.left), ".float()")
            collector.add(
                "bytes_wrap",
                line,
                ast.unparse(node)[:60],
                f"`{ast.unparse(node)[:60]}` is computed in uint8, which holds 0 to 255: what is "
                f"{became}; convert first: `.float()`",
                ways=[way("computed as numbers that can be negative, or large", new)],
            )
