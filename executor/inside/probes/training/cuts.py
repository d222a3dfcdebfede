"""Find shares between 0 and 1 that become whole numbers: all of them are 0 then.

A descriptor hears that the method is looked up on a tensor; the tensor shows what it will be.
"""

from __future__ import annotations

import ast

import torch

from executor.inside import torch_private as private
from executor.inside.probes.training.findings import FindingCollector
from executor.inside.probes.training.heard import HeardOnTensors
from executor.inside.probes.training.names import SnippetNames
from executor.inside.probes.training.quiet import quietly
from executor.inside.walking import walk

_LEAST, _LOOKS = 3, 60  # at each line: tensors that show it, tensors that are looked at
_MOST = 1_000_000  # values that are looked at


class Cuts:
    """The lines that make whole numbers of shares."""

    def __init__(self, names: SnippetNames, tree: ast.Module) -> None:
        """Args: names, tree: of the snippet."""
        self.names = names
        self._lines = {
            n.lineno: n
            for n in walk(tree)
            if isinstance(n, ast.Call)
            and isinstance(n.func, ast.Attribute)
            and n.func.attr in ("long", "int")
            and not n.args
        }
        self._looks: dict[int, int] = {}
        self._cut: dict[int, tuple[int, float]] = {}
        self._whole: set[int] = set()  # lines that gave another number once
        self._heard = HeardOnTensors(self._hear)

    def start(self) -> None:
        """Listen, if the text makes whole numbers at all."""
        if self._lines:
            self._heard.start({"long", "int"})

    def stop(self) -> None:
        """Stop listening."""
        self._heard.stop()

    def _hear(self, tensor: torch.Tensor) -> None:
        line = self.names.source.line_above(2)
        if line not in self._lines or line in self._whole or self._looks.get(line, 0) >= _LOOKS:
            return
        self._looks[line] = self._looks.get(line, 0) + 1
        with private.DisableTorchFunction(), quietly():
            if type(tensor) is not torch.Tensor or not tensor.is_floating_point():
                self._whole.add(line)
                return
            if not 0 < tensor.numel() <= _MOST:
                return
            least, most = float(tensor.min()), float(tensor.max())
        if least < 0 or not most < 1:
            self._whole.add(line)
        elif most > 0:
            n, top = self._cut.get(line, (0, 0.0))
            self._cut[line] = n + 1, max(top, most)

    def report(self, collector: FindingCollector) -> None:
        """Add the findings, after the run."""
        for line, (n, top) in self._cut.items():
            if n < _LEAST or line in self._whole:
                continue
            node = self._lines[line]
            written = ast.unparse(node)[:60]
            collector.add(
                "all_cut_to_zero",
                line,
                written,
                f"`{written}` cuts off what is behind the point, and all that it was given lies "
                f"between 0 and {top:.3g}: every number that comes out is 0; class numbers are not "
                "to be divided by 255, and shares are compared or rounded",
            )
            return
