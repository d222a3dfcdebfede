"""Find loaders whose worker processes all deliver the same samples.

A descriptor replaces a method that the loader's iterator looks up each time a batch has come: it
reads the batch and the number of its worker there, and no frame of ours is in a traceback.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import torch

from executor.inside import torch_private as private
from executor.inside.probes.source import SnippetSource
from executor.inside.probes.training.findings import FindingCollector
from executor.inside.probes.training.quiet import equal, quietly
from executor.inside.remarks.asked import generator_copied
from executor.inside.remarks.edits import Told
from executor.inside.walking import walk

_LOADERS = 4
_BATCHES = 2  # of each worker that are kept
_VALUES = 4096  # of a batch that are compared
_DISTINCT = 4  # values of one sample, at least: rows of zeros and ones are alike by themselves


@dataclass
class _Delivered:
    """What the workers of one iterator have delivered first."""

    line: int | None
    by_worker: dict[int, list[torch.Tensor]] = field(default_factory=dict)


class Workers:
    """The first batches of each worker process."""

    def __init__(self, source: SnippetSource, tree: ast.Module) -> None:
        self.source = source
        self._tree = tree
        self._seen: dict[int, tuple[Any, _Delivered]] = {}  # the iterator is kept: ids are unique
        self._is_asked_for = any(
            isinstance(n, ast.keyword) and n.arg in ("num_workers", None) for n in walk(tree)
        )

    def start(self) -> None:
        """Listen, if the text asks for workers."""
        if self._is_asked_for:
            self._original = private.BATCH_CAME
            private.set_batch_came(_Heard(self._original, self._hear))

    def stop(self) -> None:
        """Stop listening."""
        if self._is_asked_for:
            private.set_batch_came(self._original)

    def _hear(self, iterator: Any, frame: FrameType) -> None:
        data, worker = frame.f_locals.get("data"), frame.f_locals.get("worker_idx")
        if not isinstance(worker, int):
            return
        if id(iterator) not in self._seen:
            if len(self._seen) >= _LOADERS:
                return
            self._seen[id(iterator)] = iterator, _Delivered(self.source.line_now())
        batches = self._seen[id(iterator)][1].by_worker.setdefault(worker, [])
        if len(batches) < _BATCHES:
            with private.DisableTorchFunction(), quietly():
                batches += [_sample(t) for t in _floats(data)][:1]

    def report(self, collector: FindingCollector) -> None:
        """Add the loaders of which every two workers delivered the same."""
        for _, delivered in self._seen.values():
            some = list(delivered.by_worker.values())
            if len(some) < 2 or not some[0] or any(len(b) != len(some[0]) for b in some):
                continue
            with quietly():
                same = all(all(map(equal, some[0], others)) for others in some[1:])
                if not same or not all(map(_differs_within, some[0])):
                    continue
            collector.add(
                "workers_alike",
                delivered.line,
                "",
                f"the {len(some)} workers of this loader delivered the very same batches: each "
                "sample comes several times. Random numbers need another seed in each worker "
                "(`worker_init_fn`, from `torch.initial_seed()`), and an IterableDataset has to "
                "give each worker its own share (`torch.utils.data.get_worker_info()`)",
                workers=len(some),
                ways=[
                    w for t in generator_copied(self._tree) if isinstance(t, Told) for w in t.ways
                ],
            )
            return


class _Heard:
    """A descriptor for a method of iterators that tells who looked it up."""

    def __init__(self, original: Any, hear: Callable[[Any, FrameType], None]) -> None:
        self._original = original
        self._hear = hear

    def __get__(self, iterator: Any, owner: Any = None) -> Any:
        if iterator is not None:
            try:
                self._hear(iterator, sys._getframe(1))
            except Exception:  # ours, and no reason to stop the loader
                pass
        return self._original.__get__(iterator, owner)


def _floats(data: Any) -> Iterator[torch.Tensor]:
    """The tensors of a batch that hold numbers."""
    if type(data) is torch.Tensor:
        if data.is_floating_point() and data.dim() >= 1:
            yield data
    elif isinstance(data, list | tuple):
        for part in data:
            yield from _floats(part)
    elif type(data) is dict:
        yield from _floats(list(data.values()))


def _sample(t: torch.Tensor) -> torch.Tensor:
    """The first values of a batch, by sample."""
    rows = t.detach().reshape(t.shape[0], -1)
    return rows[:, : max(_VALUES // max(len(rows), 1), 1)].clone()


def _differs_within(batch: torch.Tensor) -> bool:
    """Whether the samples of one batch differ, so that equal batches are no coincidence."""
    if len(batch) > 1 and bool((batch == batch[:1]).all()):
        return False
    return len(torch.unique(batch)) >= min(_DISTINCT, batch.numel()) and batch.numel() > 1
