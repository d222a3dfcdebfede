"""Call a module of the snippet again when its run is over, with other inputs.

In eval mode, without gradients, always under one seed. Nothing of it is undone: it happens when
the run is over and everything else is written down.
"""

from __future__ import annotations

import random
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, TypeVar

import torch
from torch import nn

T = TypeVar("T")
_SECONDS = 1.0  # of processor time for one module
_ALARM_S = 3  # a single call that hangs is ended after this long

Inputs = tuple[tuple[Any, ...], dict[str, Any]]


class TooSlowError(Exception):
    """A call took too long."""


@dataclass
class KeptCall:
    """One call of a module by the snippet."""

    module: nn.Module
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    line: int | None
    recorded: bool  # gradients were
    finished: bool = False


@contextmanager
def alarm() -> Iterator[None]:
    """End what hangs."""
    previous = signal.signal(signal.SIGALRM, _ring)
    signal.alarm(_ALARM_S)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, previous)


def _ring(number: int, frame: object) -> None:
    raise TooSlowError("it took too long")


class Caller:
    """Calls one module again, in eval mode, for as long as it may take."""

    def __init__(self, call: KeptCall) -> None:
        self._call = call
        self._until = time.process_time() + _SECONDS
        try:
            call.module.eval()
        except NotImplementedError:
            pass  # an exported program has no modes

    @classmethod
    def with_time(cls, call: KeptCall, look: Callable[[Caller], list[T]]) -> list[T]:
        """What a look at a module finds; nothing where that fails or takes too long."""
        try:
            with alarm():
                return look(cls(call))
        except BaseException:  # the snippet's own forward may even exit
            return []

    def run(self, inputs: Inputs, seed: int = 7) -> list[torch.Tensor]:
        """The tensors that come out."""
        if time.process_time() > self._until:
            raise TooSlowError("it takes too long")
        random.seed(seed)
        torch.manual_seed(seed)
        args, kwargs = mapped(inputs, lambda _, t: t.clone())
        with torch.no_grad():
            output = self._call.module(*args, **kwargs)
        return [t.detach().clone() for t in flat(output)]


def close(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Whether two outputs are the same but for rounding."""
    if a.shape != b.shape or a.dtype != b.dtype:
        return False
    if not (a.is_floating_point() or a.is_complex()):
        return torch.equal(a, b)
    return torch.allclose(a, b, rtol=1e-3, atol=1e-4, equal_nan=True)


def tensors(inputs: Inputs) -> Iterator[tuple[str, torch.Tensor]]:
    """The tensors among the arguments, by position or name."""
    args, kwargs = inputs
    for name, value in [*((str(i), a) for i, a in enumerate(args)), *kwargs.items()]:
        if issubclass(type(value), torch.Tensor):
            yield name, value


def mapped(inputs: Inputs, change: Any) -> Inputs:
    """The inputs with `change(name, tensor)` in the place of each tensor."""
    args, kwargs = inputs

    def of(name: str, value: Any) -> Any:
        return change(name, value) if issubclass(type(value), torch.Tensor) else value

    return (
        tuple(of(str(i), a) for i, a in enumerate(args)),
        {name: of(name, value) for name, value in kwargs.items()},
    )


def flat(output: Any, left: int = 20) -> list[torch.Tensor]:
    """The tensors in what a module returned."""
    if issubclass(type(output), torch.Tensor):
        return [output]
    if isinstance(output, dict):
        output = list(output.values())
    if not isinstance(output, (tuple, list)):
        return []
    return [t for value in list(output)[:left] for t in flat(value, left)][:left]
