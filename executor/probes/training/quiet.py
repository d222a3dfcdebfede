"""Tensor operations of our own that nothing of the snippet's may hear or record."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import torch


@contextmanager
def quietly() -> Iterator[None]:
    """No graph, no dispatch or function mode of the snippet's, no saved-tensor hooks."""
    with torch.no_grad(), torch._C._DisableTorchDispatch(), torch._C.DisableTorchFunction():
        yield


def largest(tensors: Sequence[torch.Tensor]) -> list[float]:
    """The largest absolute value of each: 0 where all are 0, NaN or infinity where one is."""
    with quietly():
        try:
            norms = torch._foreach_norm(list(tensors), float("inf"))  # one call for all of them
            return [float(n) for n in torch.stack(list(norms)).tolist()]
        except (RuntimeError, NotImplementedError):  # empty, sparse, of several devices or dtypes
            return [_largest(t) for t in tensors]


def _largest(t: torch.Tensor) -> float:
    values = t.coalesce().values() if t.layout is torch.sparse_coo else t
    if values.numel() == 0:
        return 0.0
    try:
        return float(values.abs().max())
    except (RuntimeError, NotImplementedError):
        return 1.0  # of a kind that cannot say: nothing is claimed about it


def finite(t: torch.Tensor) -> bool:
    """Whether it holds neither NaN nor infinity."""
    with quietly():
        return bool(torch.isfinite(t).all())
