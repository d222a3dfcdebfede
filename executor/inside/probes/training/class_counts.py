"""Count the classes of a cross-entropy's targets over all steps: labels that begin with 1.

One small batch says nothing of a class that it lacks; all batches of a training together do.
"""

from __future__ import annotations

from typing import Any

import torch

from executor.inside import torch_private as private
from executor.inside.probes.training.nodes import Pattern, ignored_index, what

_TARGETS = 10  # for each class: that one is missing by chance is not likely
_STEPS = 100  # of one line
_CLASSES = 1000
_NEAR = 30  # nodes that are looked at


class ClassCounts:
    """How often each class was a target, by the line of its backward and the number of classes."""

    def __init__(self) -> None:
        self._counts: dict[tuple[int | None, int], torch.Tensor] = {}
        self._steps: dict[int | None, int] = {}
        self._given: dict[int | None, tuple[int, int]] = {}

    def add(self, loss: torch.Tensor, line: int | None) -> None:
        """Count the targets of the nearest nll_loss of scores in rows, unless it leaves one out."""
        if self._steps.get(line, 0) >= _STEPS:
            return
        self._steps[line] = self._steps.get(line, 0) + 1
        node = _nearest(loss.grad_fn)
        sizes = tuple(private.saved_self(node).shape) if node is not None else ()
        if len(sizes) != 2 or not 2 < sizes[1] <= _CLASSES or ignored_index(node) >= 0:
            self._steps[line] = _STEPS  # no loss over such classes
            return
        target = private.saved_target(node)
        given = target.data_ptr(), target.numel()
        if self._given.get(line) == given and (line, sizes[1]) in self._counts:
            return  # the same targets again
        self._given[line] = given
        counts = torch.bincount(target[target >= 0], minlength=sizes[1]).cpu()
        self._counts[line, sizes[1]] = self._counts.get((line, sizes[1]), 0) + counts
        if int(counts[0]):
            self._steps[line] = _STEPS  # they begin with 0, as nearly everywhere

    def patterns(self) -> list[tuple[int | None, Pattern]]:
        """Each line at whose targets every class comes up but for class 0."""
        found = []
        for (line, classes), counts in self._counts.items():
            enough = int(counts.sum()) >= _TARGETS * classes
            if enough and not int(counts[0]) and bool((counts[1:] > 0).all()):
                facts = {"targets": int(counts.sum()), "last": classes - 1}
                found.append((line, Pattern("counted_from_one", facts)))
        return found


def _nearest(root: Any) -> Any:
    todo, seen = [root], 0
    while todo and seen < _NEAR:
        node = todo.pop(0)
        seen += 1
        if node is not None and what(node) in ("NllLoss", "NllLoss2D"):
            return node
        todo += [n for n, _ in node.next_functions] if node is not None else []
    return None
