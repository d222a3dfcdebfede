"""Describe a frame's variables, and take fingerprints of tensors to compare their values."""

from __future__ import annotations

import math
import reprlib
import sys
from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from executor.protocol import Fingerprint, Variable

if TYPE_CHECKING:
    import torch

_PLAIN = (int, float, complex, bool, str, bytes, type(None), list, tuple, dict, set, range, slice)
_SMALL = 8  # tensors up to this many elements show their values
_PROJECTIONS = 4
_KEPT = 1 << 14  # up to this many elements, the vectors of a projection are cached
_TOGETHER = 1 << 17  # elements whose fingerprints are computed at once
_SAMPLED = 1 << 20  # larger tensors are compared by a strided sample of this size


def variable(value: object) -> Variable:
    """Describe a variable without running the snippet's code (a `__repr__` may do anything)."""
    torch = sys.modules.get("torch")
    kind = type(value).__name__
    if torch is not None and issubclass(type(value), torch.Tensor):  # isinstance() asks the value
        from executor.inside import torch_private as private  # not before the snippet has torch

        with private.DisableTorchFunction():  # a subclass must not hear of it
            return _tensor(value, kind)  # type: ignore[arg-type]
    shape = getattr(value, "shape", None) if type(value).__module__ == "numpy" else None
    return Variable(
        type=kind,
        shape=tuple(shape) if isinstance(shape, tuple) else None,
        dtype=str(getattr(value, "dtype", "")) or None if shape is not None else None,
        repr=_short(value) if type(value) in _PLAIN and _is_plain(value) else None,
    )


def is_plain(value: Any) -> bool:
    """Whether a value and all it contains are of Python's own types."""
    return type(value) in _PLAIN and _is_plain(value)


def _is_plain(value: Any, depth: int = 2) -> bool:
    """Whether repr() of the value runs only Python's own code."""
    if isinstance(value, (list, tuple, set)):
        return depth > 0 and all(
            type(x) in _PLAIN and _is_plain(x, depth - 1) for x in list(value)[:50]
        )
    if isinstance(value, dict):
        return _is_plain([*list(value)[:50], *list(value.values())[:50]], depth)
    return True


def _short(value: object) -> str:
    limits = reprlib.Repr()
    limits.maxstring = limits.maxother = 100
    text = limits.repr(value)
    return text if len(text) <= 200 else text[:200] + "…"


def _tensor(t: torch.Tensor, kind: str) -> Variable:
    from executor.inside import torch_private as private

    grad_fn = t.grad_fn
    text = None
    if t.numel() <= _SMALL and t.device.type == "cpu" and not t.is_quantized:
        text = str(t.detach().tolist())
    try:
        version: int | None = private.version(t)
    except RuntimeError:  # inference tensors do not count versions
        version = None
    return Variable(
        type=kind,
        shape=tuple(t.shape),
        dtype=str(t.dtype).removeprefix("torch."),
        device=str(t.device),
        requires_grad=t.requires_grad,
        is_leaf=t.is_leaf,
        version=version,
        grad_fn=grad_fn.name() if grad_fn is not None else None,
        repr=text,
    )


def fingerprint(t: torch.Tensor) -> Fingerprint:
    """A tensor's norm and its inner products with fixed pseudo-random vectors, as float64."""
    import torch

    dense = t.detach() if t.layout is torch.strided else t.detach().to_dense()
    flat = dense.reshape(-1)
    if flat.numel() > _SAMPLED:
        flat = flat[:: flat.numel() // _SAMPLED]
    flat = torch.view_as_real(flat).reshape(-1) if flat.is_complex() else flat
    values = torch.nan_to_num(flat.cpu().double(), nan=1e100, posinf=2e100, neginf=-2e100)
    waves = (
        _waves(values.numel()) if values.numel() <= _KEPT else _waves.__wrapped__(values.numel())
    )
    projections = tuple((waves @ values).tolist())
    return Fingerprint(
        shape=tuple(t.shape),
        dtype=str(t.dtype).removeprefix("torch."),
        norm=float(values.norm()),
        projections=projections,
    )


def fingerprints(tensors: Sequence[torch.Tensor]) -> list[Fingerprint]:
    """Fingerprints of several tensors at once: for small ones each operator's overhead counts."""
    import torch

    together = [
        t
        for t in tensors
        if type(t) in (torch.Tensor, torch.nn.Parameter)
        and t.dtype in (torch.float32, torch.float64)
        and t.layout is torch.strided
        and t.device.type == "cpu"
        and 0 < t.numel() <= _KEPT
    ]
    sizes = tuple(t.numel() for t in together)
    if len(together) < 2 or sum(sizes) > _TOGETHER:
        return [fingerprint(t) for t in tensors]
    waves, owners = _waves_side_by_side(sizes)
    flat = torch.cat([t.reshape(-1) for t in together]).detach().double()
    values = torch.nan_to_num(flat, nan=1e100, posinf=2e100, neginf=-2e100)
    terms = torch.cat([waves * values, (values * values)[None]])
    sums = torch.zeros(_PROJECTIONS + 1, len(together), dtype=torch.float64)
    found = iter(sums.index_add_(1, owners, terms).T.tolist())
    ids = set(map(id, together))
    made = []
    for t in tensors:
        if id(t) in ids:
            *projections, square = next(found)
            made.append(
                Fingerprint(
                    shape=tuple(t.shape),
                    dtype=str(t.dtype).removeprefix("torch."),
                    norm=math.sqrt(square),
                    projections=tuple(projections),
                )
            )
        else:
            made.append(fingerprint(t))
    return made


@lru_cache(maxsize=8)
def _waves_side_by_side(sizes: tuple[int, ...]) -> tuple[torch.Tensor, torch.Tensor]:
    """The waves for these sizes, shape (_PROJECTIONS, sum), and each column's tensor number."""
    import torch

    owners = torch.repeat_interleave(torch.arange(len(sizes)), torch.tensor(sizes))
    return torch.cat([_waves(n) for n in sizes], 1), owners


@lru_cache(maxsize=32)
def _waves(n: int) -> torch.Tensor:
    """The vectors of the projection, float64, shape (_PROJECTIONS, n): the same on every machine.

    Cosines of incommensurable frequencies, so that no random number is drawn.
    """
    import torch

    steps = torch.arange(1, n + 1, dtype=torch.float64)
    return torch.stack([torch.cos(steps * math.sqrt(p)) for p in (2, 3, 5, 7)[:_PROJECTIONS]])
