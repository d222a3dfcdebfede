"""Find training data that is sorted, doubled by a shuffle, or drawn from a few."""

from __future__ import annotations

import ast
import gc
import random
import sys
from typing import Any

import numpy as np
import torch
from torch.utils.data import (
    ConcatDataset,
    DataLoader,
    RandomSampler,
    SequentialSampler,
    TensorDataset,
    WeightedRandomSampler,
)

from executor.inside.probes.source import SnippetSource
from executor.inside.probes.training.findings import FindingCollector
from executor.inside.probes.training.heard import Heard
from executor.inside.probes.training.quiet import quietly
from executor.inside.remarks.edits import put, way
from executor.inside.remarks.passes import batches_of
from executor.inside.remarks.syntax import assigned, bound, dotted, method_calls, tail
from executor.inside.walking import walk

_CLASSES = 2
_FEW, _FRAMES = 4, 6  # times as many samples as weights; frames between a sampler and its loader
_DRAWN, _RISES = 1_000_000, 1.5  # labels that are looked at; times a rare sample's weight


def report_samples(
    collector: FindingCollector, tree: ast.Module, namespace: dict[str, Any]
) -> None:
    """Add what is wrong with the data, after a run that trained on it."""
    _report_sorted(collector, tree, namespace)
    _report_doubled(collector, tree, namespace)


# -- sorted ---------------------------------------------------------------------------------------


def _report_sorted(
    collector: FindingCollector, tree: ast.Module, namespace: dict[str, Any]
) -> None:
    """The loader that is trained on goes through the classes one after the other."""
    lines = [
        n.lineno
        for n in walk(tree)
        if isinstance(n, ast.Call)
        and ast.unparse(n.func).endswith("DataLoader")
        and not any(k.arg in ("shuffle", "sampler", "batch_sampler", None) for k in n.keywords)
    ]
    everything = [t for t in gc.get_objects() if type(t) is DataLoader] if len(lines) == 1 else []
    if len(everything) != 1:  # of several, one may be there to test
        everything, lines = _trained_on(tree, namespace)
    if len(everything) != 1 or type(everything[0].sampler) is not SequentialSampler:
        return
    loader = everything[0]
    labels = _labels(loader.dataset)
    size = loader.batch_size or 1
    if labels is None or size < 2:
        return
    with quietly():
        steps = labels[1:] - labels[:-1]
        classes, counts = torch.unique(labels, return_counts=True)
        is_sorted = bool((steps >= 0).all()) or bool((steps <= 0).all())
    if not is_sorted or len(classes) < _CLASSES or int(counts.min()) < 2 * size:
        return
    collector.add(
        "sorted_samples",
        lines[0],
        "",
        f"the samples are sorted by their labels ({len(classes)} classes, one after the other) and "
        f"this loader does not shuffle: nearly each batch of {size} holds one class, and each "
        "class undoes what was learned of the ones before; pass `shuffle=True`",
    )


def _trained_on(tree: ast.Module, namespace: dict[str, Any]) -> tuple[list[Any], list[int]]:
    """The only loader over which a loop goes that calls backward(), and the line that makes it."""
    over = {
        dotted(batches_of(n))
        for n in walk(tree)
        if isinstance(n, ast.For) and method_calls(n, "backward")
    }
    loaders = {n: v for n in over if type(v := namespace.get(n)) is DataLoader}
    made = [node.lineno for node, name, _ in assigned(tree) if name in loaders]
    return (list(loaders.values()), made) if len(made) == len(loaders) == 1 else ([], [])


def _labels(dataset: Any) -> torch.Tensor | None:
    """The class of each sample, where the data set holds them as one tensor, or its parts do."""
    if type(dataset) is ConcatDataset:
        parts = [_labels(part) for part in dataset.datasets]
        known = [part for part in parts if part is not None]
        return torch.cat(known) if len(known) == len(parts) else None
    held: list[Any] = list(dataset.tensors[1:]) if type(dataset) is TensorDataset else []
    if not held and type(dataset).__module__ == "__main__":
        held = list(vars(dataset).values())
    held = [_as_tensor(t) for t in held]
    labels = [
        t for t in held if type(t) is torch.Tensor and t.dim() == 1 and not t.is_floating_point()
    ]
    return labels[0] if len(labels) == 1 and len(labels[0]) == len(dataset) else None


def _as_tensor(held: Any) -> Any:
    """Whole numbers of a list or an array as a tensor; anything else as it is."""
    whole = type(held).__module__ == "numpy" and getattr(held, "dtype", held).kind in "iu"
    if whole or (type(held) is list and held and all(type(v) is int for v in held)):
        return torch.as_tensor(held)
    return held


def report_empty(collector: FindingCollector, tree: ast.Module) -> None:
    """A loader that drops its only batch, because it is not full."""
    lines = [
        n.lineno
        for n in walk(tree)
        if isinstance(n, ast.Call) and any(k.arg == "drop_last" for k in n.keywords)
    ]
    for loader in [t for t in gc.get_objects() if type(t) is DataLoader] if lines else []:
        size, samples = loader.batch_size or 0, _length(loader.dataset)
        if loader.drop_last and 0 < samples < size and type(loader.sampler) in _EACH_ONCE:
            collector.add(
                "loader_empty",
                lines[0] if len(lines) == 1 else None,
                "",
                f"a loader of {samples} samples in batches of {size} drops the last one that is "
                "not full (drop_last=True), and that is the only one: the loop over it runs not "
                "once; take smaller batches, or leave `drop_last` out",
            )
            return


def _length(dataset: Any) -> int:
    try:
        return len(dataset)
    except Exception:  # a data set without a length, or one whose method fails
        return 0


_EACH_ONCE = (SequentialSampler, RandomSampler)


# -- doubled --------------------------------------------------------------------------------------


def _report_doubled(
    collector: FindingCollector, tree: ast.Module, namespace: dict[str, Any]
) -> None:
    """`random.shuffle(table)` of rows that are views: exchanging two of them doubles one."""
    for call in (n for n in walk(tree) if isinstance(n, ast.Call) and len(n.args) == 1):
        name = dotted(call.args[0])
        of = namespace.get(dotted(call.func))
        is_pythons = dotted(call.func) == "random.shuffle" and namespace.get("random") is random
        if not name or not (is_pythons or getattr(of, "__self__", None) is _OF_RANDOM):
            continue
        held: Any = namespace.get(name)
        is_table = isinstance(held, np.ndarray) and held.ndim > 1
        if not is_table and not (isinstance(held, torch.Tensor) and held.dim() > 0):
            continue
        rows = len(held)
        with quietly():
            left = len(np.unique(np.asarray(held).reshape(rows, -1), axis=0)) if rows else 0
        if is_table and left == rows:
            continue  # it has been filled again since
        new = (
            [put(call.func, "np.random.shuffle")] if is_table and namespace.get("np") is np
            else [put(call, f"{name}.copy_({name}[torch.randperm(len({name}))])")]
            if not is_table and "torch" in bound(tree) else []
        )  # fmt: skip
        collector.add(
            "rows_doubled",
            call.lineno,
            name,
            f"`random.shuffle` exchanges two rows of `{name}` by views of them, so that one is "
            f"written over the other and is there twice: of its {rows} rows {left} are still "
            "different; use `np.random.shuffle` for an array, or an index by `torch.randperm`",
            ways=[way("each row is there once", *new)] if new else [],
        )
        return


_OF_RANDOM = random.shuffle.__self__  # type: ignore[attr-defined]


# -- drawn from a few -----------------------------------------------------------------------------


class Samplers:
    """The samplers with weights, and how many samples there are beside the weights they have."""

    def __init__(self, source: SnippetSource, tree: ast.Module) -> None:
        self.source = source
        self._lines = [
            n.lineno
            for n in walk(tree)
            if isinstance(n, ast.Call) and tail(n).endswith("WeightedRandomSampler")
        ]
        self._few: dict[int, int] = {}  # weights → samples of the data set
        self._looked: set[int] = set()
        self._inverted: tuple[int, int, float] | None = None

    def start(self) -> None:
        """Listen, if the text has one."""
        if self._lines:
            self._original = WeightedRandomSampler.__iter__
            WeightedRandomSampler.__iter__ = Heard(self._original, self._hear)  # type: ignore

    def stop(self) -> None:
        """Stop listening."""
        if self._lines:
            WeightedRandomSampler.__iter__ = self._original  # type: ignore[method-assign]

    def _hear(self, sampler: WeightedRandomSampler) -> None:
        frame = sys._getframe(2)
        for _ in range(_FRAMES):
            loader = frame.f_locals.get("self")
            if type(loader).__module__ == DataLoader.__module__ and frame.f_back is not None:
                weights, samples = len(sampler.weights), len(getattr(loader, "_dataset", ()))
                if weights < samples:
                    self._few[weights] = samples
                elif weights == samples and id(sampler) not in self._looked:
                    self._looked.add(id(sampler))
                    self._inverted = self._inverted or _inverted(sampler, loader)
                return
            if frame.f_back is None:
                return
            frame = frame.f_back

    def report(self, collector: FindingCollector) -> None:
        """Add the one that leaves most of the data out, after the run."""
        for weights, samples in self._few.items():
            if weights * _FEW <= samples:
                collector.add(
                    "sampler_draws_few",
                    self._lines[0],
                    "",
                    f"this sampler has {weights} weights for {samples} samples: a weight belongs "
                    f"to a sample, so that only the first {weights} are ever drawn; give each "
                    "sample the weight of its class: `weights[labels]`",
                )
                return
        if self._inverted is not None:
            common, rare, times = self._inverted
            collector.add(
                "sampler_inverted",
                self._lines[0],
                "",
                f"a sample of class {common}, the commonest, has {times:.3g} times the weight of "
                f"one of class {rare}, the rarest: what is rare is drawn even more rarely; "
                "weights are to balance the classes: `1 / counts`",
            )


def _inverted(sampler: WeightedRandomSampler, loader: Any) -> tuple[int, int, float] | None:
    """The commonest and the rarest class, where the weights rise with how often a class comes."""
    labels = _labels(getattr(loader, "_dataset", None))
    if labels is None or len(labels) > _DRAWN:
        return None
    with quietly():
        classes, at, counts = torch.unique(labels, return_inverse=True, return_counts=True)
        weights = sampler.weights.to(torch.float64)
        means = torch.zeros(len(classes), dtype=torch.float64).index_add_(0, at, weights) / counts
        order = counts.argsort()
        rising = bool((means[order][1:] >= means[order][:-1]).all())
        common, rare = int(order[-1]), int(order[0])
        if len(classes) < _CLASSES or not rising or counts[common] < 2 * counts[rare]:
            return None
        times = float(means[common] / means[rare])
    return (int(classes[common]), int(classes[rare]), times) if times > _RISES else None
