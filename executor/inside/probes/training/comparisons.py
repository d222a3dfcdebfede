"""Find comparisons of predictions with labels that broadcast to a table of all pairs.

A descriptor replaces the methods that count what is true: it hears that one is looked up on a
square table of truth values, and returns PyTorch's own function.
"""

from __future__ import annotations

import re

import torch

from executor.inside import torch_private as private
from executor.inside.probes.training.findings import FindingCollector
from executor.inside.probes.training.heard import HeardOnTensors
from executor.inside.probes.training.names import SnippetNames

_COUNTS = ("sum", "mean", "float")
# What somebody writes who means all pairs.
_ON_PURPOSE = re.compile(
    r"None|unsqueeze|\.T\b|\.t\(|\.mT\b|transpose|eye|mask|view|reshape|newaxis|expand|triu|tril"
)

_KEPT, _PADDED = 1 << 16, 0.1  # labels that are kept; the share of them that is padding
_OF_ALL = re.compile(r"\.mean\(\)|\.sum\(\).*/.*numel\(\)")
_OF_SOME = re.compile(r"!=|mask|\]\s*\)?\.|&|\*|where")


def _at_the_ends(padding: torch.Tensor) -> bool:
    """Whether what is padding stays padding to the end of each row."""
    return bool((padding[:, 1:] >= padding[:, :-1]).all())


class Comparisons:
    """The tables of truth values that were counted."""

    def __init__(self, names: SnippetNames) -> None:
        self.names = names
        self._seen: dict[int | None, int] = {}
        self._compared: dict[int, list[tuple[str, torch.Tensor]]] = {}
        self._methods = HeardOnTensors(self._hear)

    def start(self) -> None:
        """Listen."""
        self._methods.start(_COUNTS)

    def stop(self) -> None:
        """Stop listening."""
        self._methods.stop()

    def _hear(self, tensor: torch.Tensor) -> None:
        """Note a square table that its line compares."""
        if type(tensor) is not torch.Tensor:
            return
        with private.DisableTorchFunction():  # a mode of a second run would hear the questions
            if tensor.dtype is not torch.bool or tensor.dim() != 2:
                return
            n, m = tensor.shape
            self._keep_compared(tensor)
            if n != m or n < 2 or len(self._seen) > 20:
                return
            line = self.names.source.line_above(2)
            if line in self._seen:
                return
            said = set(re.findall(r"\w+", self.names.source.line(line or 0)))
            sizes = [
                tuple(value.shape)
                for name, value in self.names.variables()
                if name in said and type(value) is torch.Tensor
            ]
            # One of the two is in sight, as a row or a column; neither is a table itself.
            if {(n,), (n, 1)} & set(sizes) and (n, n) not in sizes:
                self._seen[line] = n

    def _keep_compared(self, tensor: torch.Tensor) -> None:
        """Keep the labels that a line compares, the first time."""
        if len(self._compared) > 20 or tensor.numel() > _KEPT:
            return
        line = self.names.source.line_above(3)
        if line is None or line in self._compared:
            return
        said = set(re.findall(r"\w+", self.names.source.line(line)))
        self._compared[line] = [
            (name, value.detach().clone())
            for name, value in self.names.variables()
            if name in said
            and type(value) is torch.Tensor
            and value.shape == tensor.shape
            and value.dtype is torch.int64
        ]

    def report_padding(self, collector: FindingCollector, ignored: set[int]) -> None:
        """Add the shares of all places of which the loss leaves some out, after the run.

        Args:
            collector: takes them.
            ignored: classes that a loss left out, and that a tenth of its targets or more were.
        """
        for line, labels in self._compared.items():
            written = self.names.source.line(line)
            if _OF_SOME.search(written):
                continue
            for name, values in labels:
                if not _OF_ALL.search(written) and not self._counts_all(written, name):
                    continue
                side = re.search(rf"==\s*{name}\b|\b{name}\s*==", written)
                for mark in ignored:
                    share = float((values == mark).float().mean())
                    if side is not None and share >= _PADDED and _at_the_ends(values == mark):
                        collector.add(
                            "padding_in_score",
                            line,
                            name,
                            f"{share:.0%} of `{name}` are {mark}, which the loss leaves out as "
                            "padding, and this share counts them as answers like any other: it "
                            "says little of the real ones; take the mean over "
                            f"`[{name} != {mark}]`",
                        )
                        return

    def _counts_all(self, written: str, name: str) -> bool:
        """Whether right answers are added up, and all places of the labels beside them."""
        counts = rf"\+= *{name}\.numel\(\)"
        lines = self.names.source.lines
        return ".sum()" in written and any(re.search(counts, line) for line in lines)

    def report(self, collector: FindingCollector) -> None:
        """Add the findings, after the run."""
        for line, n in self._seen.items():
            written = self.names.source.line(line or 0)
            if not re.search(r"[^=!<>]==[^=]|\.eq\(", written) or _ON_PURPOSE.search(written):
                continue
            collector.add(
                "comparison_broadcasts",
                line,
                "",
                f"this compares [{n}, 1] with [{n}] and counts in a table [{n}, {n}], every "
                "prediction with every label: the accuracy is wrong and can go over 1; bring both "
                "to one shape (`prediction.squeeze(1)`)",
            )
