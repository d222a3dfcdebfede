"""Run tensor operations of our own without calling the snippet's modes, hooks or graph."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import torch

from executor.inside import torch_private as private

_PLAIN = (torch.Tensor, torch.nn.Parameter)


class quietly:  # noqa: N801 - used like the context managers of torch
    """No graph, no dispatch or function mode of the snippet's, no saved-tensor hooks."""

    def __enter__(self) -> None:
        self._dispatch = private.DisableTorchDispatch()
        self._function = private.DisableTorchFunction()
        self._dispatch.__enter__()  # type: ignore[no-untyped-call, unused-ignore]
        self._function.__enter__()
        self._grad = torch.is_grad_enabled()
        private.set_grad_enabled(False)

    def __exit__(self, *error: Any) -> None:
        private.set_grad_enabled(self._grad)
        self._function.__exit__(*error)
        self._dispatch.__exit__(*error)


def largest(tensors: Sequence[torch.Tensor]) -> list[float]:
    """The largest absolute value of each: 0 where all are 0, NaN or infinity where one is."""
    with quietly():
        try:
            norms = private.foreach_norm(list(tensors), float("inf"))  # one call for all of them
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
        return 1.0  # cannot be computed for this kind: counts as an ordinary value


def equal(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Whether two tensors hold the same values, wherever they are: a GPU compares only its own."""
    with quietly():
        if a.shape != b.shape:
            return False
        try:
            return torch.equal(a, b)
        except RuntimeError:
            return torch.equal(a.cpu(), b.cpu())


def finite(t: torch.Tensor) -> bool:
    """Whether it holds neither NaN nor infinity."""
    with quietly():
        return bool(torch.isfinite(t).all())


def number(t: torch.Tensor) -> float:
    """The value of a tensor of one element."""
    if private.dispatch_modes() or private.function_modes():
        with quietly():
            return float(t)
    return float(t.item())


def requires_grad(t: torch.Tensor) -> bool:
    """Whether it requires a gradient, without asking the snippet's modes and subclasses."""
    if type(t) in _PLAIN and not private.function_modes():
        return t.requires_grad
    with private.DisableTorchFunction():
        return t.requires_grad


def grad_fn(t: torch.Tensor) -> Any:
    """The node that computed it, asked in the same way."""
    with private.DisableTorchFunction():
        return t.grad_fn


def parameters(module: Any) -> Iterator[tuple[Any, torch.Tensor]]:
    """(owner, parameter) of a module and its submodules; no method of the snippet's is called."""
    todo, seen = [module], set()
    while todo:
        part = todo.pop()
        if id(part) in seen or private.MODULES not in vars(part):
            continue
        seen.add(id(part))
        todo += [m for m in private.modules_of(part).values() if m is not None]
        for p in private.parameters_of(part).values():
            if p is not None:
                yield part, p


def shape(t: torch.Tensor) -> torch.Size:
    """The shape, without asking the snippet's function modes and subclasses for it."""
    if type(t) in _PLAIN and not private.function_modes():
        return t.shape
    with private.DisableTorchFunction():
        return t.shape
