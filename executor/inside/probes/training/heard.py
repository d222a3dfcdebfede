"""Hear who calls a method of PyTorch's, without a frame of ours in anybody's traceback."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any


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
            self._hear(thing)
        return self._original.__get__(thing, owner)
