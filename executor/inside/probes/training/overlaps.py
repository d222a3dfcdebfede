"""Find test data that was trained on: rows of it that are among the training data too."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np
import torch
from torch.utils.data import (
    DataLoader,
    RandomSampler,
    SequentialSampler,
    Subset,
    SubsetRandomSampler,
    TensorDataset,
)

from executor.inside.probes.training.drawn_twice import DrawnTwice, loaders
from executor.inside.probes.training.findings import FindingCollector
from executor.inside.probes.training.quiet import quietly

_MOST = 5000  # rows that are compared
_SHARE = 0.1  # of the test rows: published tables have a row or two twice
_CLASSES, _ROWS = 20, 20  # classes at most, and rows of one at least
_TWICE = 2
_TRAIN = re.compile(r"train|tr(?=_|$|\d)", re.I)
_OTHERS = (r"test", r"val", r"valid", r"validation", r"te", r"va", r"eval", r"dev")
_KINDS = (torch.Tensor, np.ndarray, Subset, TensorDataset, DataLoader)


class Overlaps:
    """The training data and the test data beside them."""

    def __init__(self, tree: ast.Module) -> None:
        self._drawn = DrawnTwice(tree)
        self._by_use = list(loaders(tree))
        self._used = {name for pair in self._by_use for name in pair}
        self._held: dict[str, Any] = {}  # of functions that may have returned by the end

    def look(self, variables: Iterable[tuple[str, object]]) -> None:
        """Note the data that is there while there is a step."""
        for name, value in variables:
            self._drawn.look(name, value)
            if type(value) in _KINDS and (_named(name) or name in self._used):
                self._held.setdefault(name, value)

    def report(
        self,
        collector: FindingCollector,
        namespace: Mapping[str, Any],
        line_of: Callable[[str], int | None] = lambda _: None,
    ) -> None:
        """Add the test data of which a part, but not all, is in the training data too."""
        there = {**self._held, **namespace}
        known = [
            (train, test)
            for train, test in self._by_use
            if all(type(there.get(n)) is DataLoader for n in (train, test))
            and not _is_a_part(there[train], there[test])
        ]
        for train, test in (*_pairs(there), *known):
            n, of = _shared(*(_with_labels(name, there) for name in (train, test)))
            if of and _SHARE * of <= n < of:  # all of them: on purpose, to see that it can learn
                collector.add(
                    "test_in_training",
                    line_of(test),
                    test,
                    f"{n} of the {of} samples in `{test}` are in `{train}` too: the model has seen "
                    "them, so that the result on them says nothing; split without an overlap, and "
                    "before anything is copied",
                )
                return
        if (drawn := self._drawn.found(namespace)) is not None:
            train, test, n, of = drawn
            collector.add(
                "test_in_training",
                line_of(test),
                test,
                f"{n} of the {of} samples that `{test}` picks are picked by `{train}` for the "
                "training too: the model has seen them, so that the result on them says nothing; "
                f"draw one order, and cut it: `order[:n]` for the training, `order[n:]` for the "
                "test",
            )


def _is_a_part(train: Any, test: Any) -> bool:
    """Whether all training data are judged, with others: all there is."""
    n, of = _shared(test, train)
    return n == of


def _named(name: str) -> bool:
    return bool(_TRAIN.search(name)) or any(other in name.lower() for other in _OTHERS)


def _pairs(namespace: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The names of training data, each with that of the test data beside it."""
    for name in namespace:
        found = _TRAIN.search(name)
        if found is None or re.search(r"y|label|target|loss|acc", name.lower().replace("tr", "")):
            continue
        for other in _OTHERS:
            beside = name[: found.start()] + other + name[found.end() :]
            if beside in namespace:
                yield name, beside


def _with_labels(name: str, namespace: Mapping[str, Any]) -> Any:
    """The data, with the labels beside them where both are arrays: `y_train` of `X_train`."""
    data = _as_tensor(namespace[name])
    labels = [_as_tensor(namespace.get(y + name[1:])) for y in "yY" if name[:1] in "xX"]
    beside = [y for y in labels if type(y) is torch.Tensor and len(y) == len(data)]
    if type(data) is torch.Tensor and data.dim() > 1 and beside:
        return TensorDataset(data, beside[0])
    return data


def _as_tensor(held: Any) -> Any:
    plain = type(held) is np.ndarray and held.dtype.kind in "fiub" and held.dtype.isnative
    return torch.from_numpy(held.copy()) if plain and len(held.shape) else held


def _shared(train: Any, test: Any) -> tuple[int, int]:
    """How many samples of the test data are among the training data, and how many there are."""
    if type(train) is Subset and type(test) is Subset:
        if train.dataset is not test.dataset:
            return 0, 0
        if twice := len(set(test.indices) & set(train.indices)):
            return twice, len(set(test.indices))
    with quietly():
        both = [_tensors(data) for data in (train, test)]
        if not all(both) or len(both[0]) != len(both[1]):
            return 0, 0
        first = [tensors[0] for tensors in both]
        if any(t.dim() < 2 or not 0 < len(t) <= _MOST for t in first):
            return 0, 0
        one, other = first
        if not one.is_floating_point() or one.shape[1:] != other.shape[1:] or one[0].numel() < 3:
            return 0, 0
        rows = [_rows(tensors) for tensors in both]
        if len(set(rows[0])) < len(rows[0]):  # values may repeat by themselves
            labels = [tensors[-1].flatten().tolist() for tensors in both if len(tensors) > 1]
            if not labels or not _are_copied(rows[0] + rows[1], [*labels[0], *labels[1]]):
                return 0, 0
    known = set(rows[0])
    return sum(r in known for r in rows[1]), len(rows[1])


def _tensors(data: Any) -> list[torch.Tensor]:
    """The tensors that hold a set of data, row by row; none where it is held otherwise."""
    if type(data) is DataLoader:
        if type(data.sampler) is SubsetRandomSampler:
            return _tensors(Subset(data.dataset, list(data.sampler.indices)))
        drawn = type(data.sampler) not in (SequentialSampler, RandomSampler)
        return [] if drawn else _tensors(data.dataset)
    if type(data) is Subset:
        whole, indices = _tensors(data.dataset), list(data.indices)
        return [t[indices] for t in whole] if len(indices) <= _MOST else []
    tensors = data.tensors if type(data) is TensorDataset else (data,)
    plain = [t.detach().cpu() for t in tensors if type(t) is torch.Tensor]
    return plain if len(plain) == len(tensors) else []


def _rows(tensors: list[torch.Tensor]) -> list[bytes]:
    """Each row of all of them together."""
    each = ([r.numpy().tobytes() for r in t.contiguous()] for t in tensors)
    return list(map(b"".join, zip(*each, strict=True)))


def _are_copied(rows: list[bytes], labels: list[Any]) -> bool:
    """Whether somebody has copied them, and not chance.

    By chance rows come again in every class; who balances classes copies those of some, and leaves
    those of another, each of which is there once. Who copies all has each as often.
    """
    counts = Counter(rows)
    if min(counts.values()) == max(counts.values()) >= _TWICE and len(counts) >= _ROWS:
        return True
    classes = Counter(labels)
    if len(labels) != len(rows) or len(classes) > _CLASSES:
        return False
    there = Counter(label for _, label in {*zip(rows, labels, strict=True)})
    single = [c for c, n in classes.items() if n >= _ROWS and there[c] == n]
    return bool(single) and any(n >= _ROWS and n >= _TWICE * there[c] for c, n in classes.items())
