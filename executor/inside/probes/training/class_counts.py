"""Count the classes of a loss's targets over all steps: labels from 1, weights turned round.

One small batch says nothing of a class that it lacks, and little of a rare one; all batches of a
training together do.
"""

from __future__ import annotations

from typing import Any

import torch

from executor.inside import torch_private as private
from executor.inside.probes.training.nodes import Pattern, ignored_index, what

_TARGETS = 10  # for each class: that one is missing by chance is not likely
_STEPS = 200  # of one line
_AGAIN = 32  # steps after which a line is looked at again: a function may train with other losses
_CLASSES = 1000
_NEAR = 30  # nodes that are looked at
_ALIKE = 2.5  # times as much weight for each target of a class as of another, at most
_MANY, _MORE = 24, 1.5  # targets that are counted; how much larger a weight has to be
_LOGITS = "BinaryCrossEntropyWithLogits"

_Key = tuple[int | None, int]


class ClassCounts:
    """How often each class was a target, by the line of its backward and the number of classes."""

    def __init__(self) -> None:
        self._counts: dict[_Key, torch.Tensor] = {}
        self._weights: dict[_Key, torch.Tensor] = {}
        self._steps: dict[int | None, int] = {}
        self._done: set[int | None] = set()
        self._given: dict[int | None, tuple[int, int]] = {}

    def wants(self, line: int | None) -> bool:
        """Whether this step of a line is to be counted: asked once at each."""
        steps = self._steps[line] = self._steps.get(line, 0) + 1
        return line not in self._done or not steps % _AGAIN

    def add(self, loss: torch.Tensor, line: int | None) -> None:
        """Count the targets of the nearest loss over classes.

        Without weights it goes on to the first label 0 alone: nearly everywhere they begin so.
        """
        node = _nearest(loss.grad_fn)
        classes, weights = _classes(node) if node is not None else (0, None)
        if weights is None and (not classes or line in self._done):
            self._done.add(line)  # no loss over classes that are counted
            return
        target = private.saved_target(node)
        given = target.data_ptr(), target.numel()
        if self._given.get(line) == given and (line, classes) in self._counts:
            return  # the same targets again
        self._given[line] = given
        target = (target > 0.5).long() if what(node) == _LOGITS else target
        counts = torch.bincount(target[(target >= 0) & (target < classes)], minlength=classes).cpu()
        self._counts[line, classes] = self._counts.get((line, classes), 0) + counts
        if weights is not None:
            self._weights[line, classes] = weights.cpu()
            self._done.discard(line)
        elif int(counts[0]):
            self._done.add(line)
        if self._steps[line] >= _STEPS:
            self._done.add(line)

    def patterns(self) -> list[tuple[int | None, Pattern]]:
        """Each line where class 0 alone never comes, or the commoner classes weigh the more."""
        found = []
        for (line, classes), counts in self._counts.items():
            enough = int(counts.sum()) >= _TARGETS * classes
            weights = self._weights.get((line, classes))
            if enough and classes > 2 and not int(counts[0]) and bool((counts[1:] > 0).all()):
                facts: dict[str, Any] = {"targets": int(counts.sum()), "last": classes - 1}
                found.append((line, Pattern("counted_from_one", facts)))
            elif weights is not None and _is_inverted(weights, counts):
                rare, often = int(counts.argmin()), int(counts.argmax())
                facts = {
                    "rare": rare,
                    "often": often,
                    "weights": [float(weights[rare]), float(weights[often])],
                    "counts": [int(counts[rare]), int(counts[often])],
                }
                found.append((line, Pattern("weights_inverted", facts)))
        return found


def _classes(node: Any) -> tuple[int, torch.Tensor | None]:
    """How many classes a loss is over, and their weights; 0 where they are not counted."""
    if what(node) == _LOGITS:
        weight = private.saved_pos_weight(node)
        if not isinstance(weight, torch.Tensor) or weight.numel() != 1:
            return 0, None
        return 2, torch.cat([torch.ones(1), weight.detach().flatten().float().cpu()])
    sizes = tuple(private.saved_self(node).shape)
    weight = private.saved_weight(node)
    if isinstance(weight, torch.Tensor) and len(sizes) >= 2 and sizes[1] <= _CLASSES:
        return sizes[1], weight.detach()
    if len(sizes) != 2 or not 2 < sizes[1] <= _CLASSES or ignored_index(node) >= 0:
        return 0, None
    return sizes[1], None


def _is_inverted(weights: torch.Tensor, counts: torch.Tensor) -> bool:
    """Class weights that are the larger, the commoner a class is."""
    if int(counts.sum()) < _MANY or int(counts.min()) < 2 or counts.max() < 2 * counts.min():
        return False
    by_count = weights[counts.argsort()]
    rises = bool((by_count[1:] >= by_count[:-1]).all())
    of_each = weights / counts  # the same for all, where the counts themselves are the weights
    rises = rises and float(of_each.max()) < _ALIKE * float(of_each.min())
    return rises and float(by_count[-1]) > _MORE * float(by_count[0])


def _nearest(root: Any) -> Any:
    todo, seen = [root], 0
    while todo and seen < _NEAR:
        node = todo.pop(0)
        seen += 1
        if node is not None and what(node) in ("NllLoss", "NllLoss2D", _LOGITS):
            return node
        todo += [n for n, _ in node.next_functions] if node is not None else []
    return None
