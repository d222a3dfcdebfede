"""Hear who calls a method of PyTorch's, without a frame of ours in anybody's traceback."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import torch

PROBLEMS: list[str] = []  # what went wrong in a callback: ours, and no reason to stop the snippet


class Heard:
    """A descriptor that takes a method's place, and calls back when it is looked up on something.

    nn.Module.state_dict = Heard(nn.Module.state_dict, hear)   # hear(module), then as before
    """

    def __init__(self, original: Any, hear: Callable[[Any], None]) -> None:
        """Take the method and what to call; `hear` sees its caller two frames above itself."""
        self._original = original
        self._hear = hear

    def __get__(self, thing: Any, owner: Any = None) -> Any:
        """The method itself, bound as it would be."""
        if thing is not None:
            try:
                self._hear(thing)
            except Exception as e:
                PROBLEMS.append(f"{type(e).__name__}: {e}"[:200])
        return self._original.__get__(thing, owner)


class HeardOnTensors:
    """Methods of tensors that are heard for a while."""

    def __init__(self, hear: Callable[[Any], None]) -> None:
        """Take what to call; `hear` is as for `Heard`."""
        self._hear = hear
        self._own: dict[str, Any] = {}  # method → what the class itself had of it

    def start(self, names: Iterable[str]) -> None:
        """Listen to the methods of these names."""
        for name in names:
            self._own[name] = vars(torch.Tensor).get(name)
            setattr(torch.Tensor, name, Heard(getattr(torch.Tensor, name), self._hear))

    def stop(self) -> None:
        """Put everything back."""
        for name, own in self._own.items():
            if own is None:  # inherited
                delattr(torch.Tensor, name)
            else:
                setattr(torch.Tensor, name, own)
        self._own = {}
