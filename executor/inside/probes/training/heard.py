"""Hear who calls a method of PyTorch's, without a frame of ours in anybody's traceback."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import Any, ClassVar

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

    def __init__(self, original: Any, *hear: Callable[[Any], None]) -> None:
        """Take the method and what to call; `hear` sees its caller two frames above itself."""
        self._original = original
        self.listeners = hear

    def __get__(self, thing: Any, owner: Any = None) -> Any:
        """The method itself, bound as it would be."""
        if thing is not None:
            for hear in self.listeners:  # a tuple: who listens may stop while it hears
                try:
                    hear(thing)
                except Exception as e:
                    PROBLEMS.append(f"{type(e).__name__}: {e}"[:200])
        return self._original.__get__(thing, owner)


class HeardOnTensors:
    """Methods of tensors that are heard for a while; several may listen to one method."""

    # Method → what the class itself had of it, and the descriptor in its place.
    _now: ClassVar[dict[str, tuple[Any, Heard]]] = {}

    def __init__(self, hear: Callable[[Any], None]) -> None:
        """Take what to call; `hear` is as for `Heard`."""
        self._hear = hear
        self._names: list[str] = []

    def start(self, names: Iterable[str]) -> None:
        """Listen to the methods of these names."""
        for name in names:
            if name not in self._now:
                heard = Heard(getattr(torch.Tensor, name))
                self._now[name] = vars(torch.Tensor).get(name), heard
                setattr(torch.Tensor, name, heard)
            self._now[name][1].listeners += (self._hear,)
            self._names.append(name)

    def stop(self) -> None:
        """Stop listening, and put back what nobody listens to any more."""
        while self._names:
            name = self._names.pop()
            own, heard = self._now[name]
            heard.listeners = tuple(h for h in heard.listeners if h != self._hear)
            if heard.listeners:
                continue
            del self._now[name]
            if own is None:  # inherited
                delattr(torch.Tensor, name)
            else:
                setattr(torch.Tensor, name, own)


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
