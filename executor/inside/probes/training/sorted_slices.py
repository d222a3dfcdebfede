"""Find trainings on slices of data that are sorted by their labels, class by class."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from typing import Any

import torch

from executor.inside.probes.training.findings import FindingCollector
from executor.inside.probes.training.overwrites import value_of
from executor.inside.probes.training.quiet import quietly
from executor.inside.remarks.edits import Places, added, put, way
from executor.inside.remarks.passes import Pass, passes
from executor.inside.remarks.syntax import bound, calls_in, functions, reached
from executor.inside.walking import walk

_MOST = 1_000_000  # labels that are looked at
_CLASSES = 2
_ORDER = "order"


class SortedSlices:
    """What loops over slices are labelled with, as it is at a few steps of the training."""

    def __init__(self, tree: ast.Module) -> None:
        """Args: tree: of the snippet."""
        self._tree = tree
        own = functions(tree)
        self._passes = [
            p
            for p in passes(tree)
            if not any(d.endswith(".dataset") for d in p.data)
            and calls_in(reached(p.loop, own), "backward")
        ]
        self._found: dict[ast.For, tuple[int, int]] = {}  # classes, samples of a batch
        self._shuffled: set[ast.For] = set()

    def look(self, variables: Iterable[tuple[str, object]]) -> None:
        """Look at the labels, at a step."""
        names: dict[str, Any] = dict(reversed([*variables]))  # the innermost one counts
        for of in self._passes:
            for text in of.data:
                with quietly():
                    seen = _classes(value_of(ast.parse(text, mode="eval").body, names))
                if seen is None:
                    continue
                classes, least = seen
                size = of.size or _size(of, names)
                if least and size and size > 1 and least >= 2 * size:
                    self._found[of.loop] = classes, size
                else:
                    self._shuffled.add(of.loop)

    def report(self, collector: FindingCollector) -> None:
        """Add the finding, after the run."""
        for of in self._passes:
            if of.loop not in self._found or of.loop in self._shuffled:
                continue
            classes, size = self._found[of.loop]
            edit = _edit(of, self._tree)
            collector.add(
                "sorted_samples",
                of.loop.lineno,
                "",
                f"the samples are sorted by their labels ({classes} classes, one after the other) "
                f"and this loop takes them in their order: nearly each batch of {size} holds one "
                "class, and each class undoes what was learned of the ones before; take them in an "
                "order that `torch.randperm` draws in each epoch",
                ways=[edit] if edit else [],
            )
            return


def _classes(held: Any) -> tuple[int, int] | None:
    """How many classes there are, and the samples of the rarest; 0 where they are not sorted.

    None where it holds no classes.
    """
    if type(held) is not torch.Tensor or not 1 < held.numel() <= _MOST:
        return None
    labels = held.flatten()
    if held.dim() > 2 or len(held) != len(labels):
        return None
    if labels.is_floating_point():
        if not bool(((labels == 0) | (labels == 1)).all()):
            return None
    elif labels.dtype not in (torch.int64, torch.int32, torch.bool):
        return None
    labels = labels.long()
    steps = labels[1:] - labels[:-1]
    counts = torch.unique(labels, return_counts=True)[1]
    if len(counts) < _CLASSES:
        return None
    in_order = bool((steps >= 0).all()) or bool((steps <= 0).all())
    return len(counts), int(counts.min()) if in_order else 0


def _size(of: Pass, names: dict[str, Any]) -> int | None:
    """How many samples a batch has, by the variable that says so."""
    given = of.over.args if isinstance(of.over, ast.Call) else []
    held = value_of(given[-1], names) if given else None
    return held if type(held) is int else None


def _by_order(taken: ast.Subscript) -> Places:
    """`x[order[i:i + 32]]` of `x[i:i + 32]`."""
    return put(taken, taken.value, f"[{_ORDER}[{ast.unparse(taken.slice)}]]")


def _edit(of: Pass, tree: ast.Module) -> dict[str, Any] | None:
    """The slices are taken of an order that is drawn before the loop."""
    taken = [
        n
        for n in walk(of.loop)
        if isinstance(n, ast.Subscript)
        and isinstance(n.slice, ast.Slice)
        and ast.unparse(n.value) in of.data
    ]
    plain = len({ast.unparse(n.slice) for n in taken}) == 1 and "torch" in bound(tree)
    if not plain or _ORDER in {n.id for n in walk(tree) if isinstance(n, ast.Name)}:
        return None
    places: Places = [p for n in taken for p in _by_order(n)]
    rows = ast.unparse(min(taken, key=lambda n: (n.lineno, n.col_offset)).value)
    drawn = added(f"{_ORDER} = torch.randperm(len({rows}))", of.loop)
    return way("the samples are taken in a new order each time", places, add=drawn)
