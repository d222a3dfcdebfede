"""Hear who calls a method of PyTorch's, without a frame of ours in anybody's traceback."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any

import torch

from executor.inside import torch_private as private
from executor.inside.probes.training.names import SnippetNames
from executor.inside.probes.training.quiet import quietly

_LOOKS = 3  # at each line
_MOST = 2000  # calls after which nobody listens any more
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


class HeardAtLines:
    """A method of tensors that is heard at a few lines of the snippet, a few times at each."""

    def __init__(
        self,
        names: SnippetNames,
        lines: Collection[int],
        look: Callable[[torch.Tensor, int, dict[str, Any]], bool],
    ) -> None:
        """Take `look(tensor, line, variables)`, which says whether it could see anything."""
        self._names = names
        self._lines = lines
        self._look = look
        self._looks = dict.fromkeys(lines, 0)
        self._heard = 0
        self._methods = HeardOnTensors(self._hear)

    def start(self, method: str) -> None:
        """Listen, if there is a line to listen at."""
        if self._lines:
            self._methods.start([method])

    def stop(self) -> None:
        """Stop listening."""
        self._methods.stop()

    def _hear(self, tensor: torch.Tensor) -> None:
        self._heard += 1
        if self._heard > _MOST:
            self.stop()
            return
        line, frame = self._names.source.line_above(2), self._names.source.frame(2)
        if line is None or frame is None or self._looks.get(line, _LOOKS) >= _LOOKS:
            return
        with private.DisableTorchFunction(), quietly():
            if self._look(tensor, line, {**frame.f_globals, **frame.f_locals}):
                self._looks[line] += 1
