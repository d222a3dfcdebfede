"""Let a loader give a few batches of an epoch, where the data are placeholders.

The last batch of an epoch is among them: it is smaller than the others where the number of samples
is no multiple of the batch size, and programs stumble over that.
"""

from __future__ import annotations

import functools
import itertools
from collections import deque
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.utils.data import BatchSampler, DataLoader

from executor.inside import torch_private as private
from executor.inside.resources.supplied import Supplied

_FIRST = 3  # batches of an epoch that are taken at most, besides its last one …
_OWN_LIMITS = ("fast_dev_run", "overfit_batches", "val_check_interval", "max_steps")
_SAMPLES = 256  # … and samples, as long as that is a batch
_LONGEST = 2_000_000  # batches that are walked through to find the last one


def install(supplied: Supplied) -> None:
    """Let every DataLoader over more batches than these give only these.

    Args:
        supplied: what is a placeholder; without any, loaders stay as they are.
    """
    original = BatchSampler.__iter__

    @functools.wraps(original)
    def some(self: Any) -> Iterator[Any]:
        batches = original(self)
        return ends(batches, supplied) if supplied.any else batches

    BatchSampler.__iter__ = some  # type: ignore[method-assign]
    DataLoader.__iter__ = _in_this_process(DataLoader.__iter__)  # type: ignore[method-assign]


def limit_trainer(module: Any) -> None:
    """Let Lightning's Trainer know how many batches an epoch has: else it waits for the others.

    Args:
        module: `lightning.pytorch` or `pytorch_lightning`.
    """
    trainer = module.Trainer
    original = trainer.__init__

    @functools.wraps(original)
    def initialise(self: Any, *args: Any, **named: Any) -> None:
        if not any(named.get(name) for name in _OWN_LIMITS):
            for part in ("train", "val", "test", "predict"):
                named.setdefault(f"limit_{part}_batches", _FIRST)
        original(self, *args, **named)

    trainer.__init__ = initialise


class _OfWorkers(private.ITERATOR):  # type: ignore[misc]
    """An iterator that an error calls what it would call that of a loader with workers."""


_OfWorkers.__name__ = _OfWorkers.__qualname__ = private.ITERATOR_OF_WORKERS


def _in_this_process(original: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The loader's iterator without workers: nobody hears what is supplied in another process."""

    @functools.wraps(original)
    def iterator(self: Any) -> Any:
        workers, timeout = self.num_workers, self.timeout
        self.num_workers, self.timeout = 0, 0
        try:
            made = original(self)
        finally:
            self.num_workers, self.timeout = workers, timeout
        if workers and type(made) is private.ITERATOR:
            made.__class__ = _OfWorkers
        return made

    return iterator


def ends(batches: Iterator[Any], supplied: Supplied) -> Iterator[Any]:
    """The first batches and the last one.

    Where nothing is trained, a last batch as large as the others is left out: it shows nothing new,
    and a thousand images take a second.
    """
    samples, sizes = 0, set()
    for batch in itertools.islice(batches, _FIRST):
        yield batch
        sizes.add(_size(batch))
        samples += _size(batch)
        if samples >= _SAMPLES:
            break
    last: deque[Any] = deque(maxlen=1)
    for n, batch in enumerate(itertools.islice(batches, _LONGEST)):
        supplied.shortened = supplied.shortened or n > 0
        last.append(batch)
    yield from (b for b in last if torch.is_grad_enabled() or _size(b) not in sizes)


def _size(batch: Any) -> int:
    return len(batch) if isinstance(batch, list) else 1
