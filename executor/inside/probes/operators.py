"""Call back before every operator that writes into its arguments."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch

from executor.inside import torch_private as private

Hear = Callable[[torch.Tensor, Any], None]  # the tensor to be written into, and the operator


def listener(hear: Hear, *, compiles: bool) -> private.OperatorMode:
    """What tells of each tensor that an operator writes into, while it is entered.

    Args:
        hear: called before the operator.
        compiles: the snippet uses torch.compile, which must not trace the mode.
    """
    return _BesideCompile(hear) if compiles else _Listener(hear)


class _Listener(private.OperatorMode):
    def __init__(self, hear: Hear) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._hear = hear
        self._known: dict[int, tuple[Any, tuple[tuple[int, str], ...]]] = {}

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        known = self._known.get(id(func))  # an operator's own __hash__ is Python
        if known is None:
            known = self._known[id(func)] = func, _written(func)
        for i, name in known[1]:
            value = args[i] if i < len(args) else (kwargs or {}).get(name)
            for t in value if isinstance(value, (list, tuple)) else (value,):
                if isinstance(t, torch.Tensor):
                    self._hear(t, func)
        return func(*args, **kwargs) if kwargs else func(*args)


class _BesideCompile(_Listener):  # type: ignore[no-untyped-call]
    beside_compile = True

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        # Repeated because PyTorch hides from torch.compile only methods of the class itself:
        # https://github.com/pytorch/pytorch/blob/v2.13.0/torch/utils/_python_dispatch.py
        return super().__torch_dispatch__(func, types, args, kwargs)


def _written(func: Any) -> tuple[tuple[int, str], ...]:
    """The arguments that an operator writes into: position (past the end if by name) and name."""
    return tuple(
        (1 << 30 if a.kwarg_only else i, a.name)
        for i, a in enumerate(private.schema(func).arguments)
        if a.alias_info is not None and a.alias_info.is_write
    )
