"""Find losses that take 1 and -1, and are given 1 and 0."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from executor.inside.probes.training.findings import FindingCollector
from executor.inside.probes.training.quiet import quietly

# What a 0 does there, where -1 is meant.
_MEANS = {
    nn.CosineEmbeddingLoss: "where it is 0, the loss is 0 whatever the model says",
    nn.MarginRankingLoss: "where it is 0, the loss is the margin whatever the model says",
    nn.SoftMarginLoss: "where it is 0, the loss is log 2 whatever the model says",
    nn.HingeEmbeddingLoss: "where it is 0, both parts of the loss are added up",
}
_LOOKS = 4  # calls of a run


class Signs:
    """The targets that such losses are called with."""

    def __init__(self) -> None:
        self._looked = 0
        self._found: list[tuple[type, int | None]] = []

    def called(self, module: nn.Module, args: tuple[Any, ...], line: int | None) -> None:
        """A loss is called: look at the targets, the first times."""
        target = args[-1] if args else None
        if self._looked >= _LOOKS or type(target) is not torch.Tensor:
            return
        self._looked += 1
        with quietly():
            zeros = target == 0
            if bool(zeros.any()) and bool((zeros | (target == 1)).all()):
                self._found.append((type(module), line))

    def report(self, collector: FindingCollector) -> None:
        """Add the first one, after the run."""
        for cls, line in self._found[:1]:
            collector.add(
                "targets_without_sign",
                line,
                cls.__name__,
                f"{cls.__name__} takes targets of 1 and -1, and gets 1 and 0: {_MEANS[cls]}; write "
                "`2 * target - 1`",
            )


TAKES_SIGNS = frozenset(_MEANS)
