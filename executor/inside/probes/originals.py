"""Keep the original values of tensors saved by autograd, whatever is written into them afterwards.

Like `torch.autograd.graph.allow_mutation_on_saved_tensors`, but that one reads an operator's schema
at each call: here each schema is read once, and while nothing is saved nothing is done.
"""

from __future__ import annotations

import weakref
from contextlib import ExitStack
from typing import Any

import torch

from executor.inside.probes.inplace.values import storage
from executor.inside.probes.operators import listener
from executor.inside.probes.saved import SavedHooks

_CROWD = 1000  # saved tensors above which those freed by backward are looked for


class _KeptOriginal:
    __slots__ = ("__weakref__", "tensor")

    def __init__(self, tensor: torch.Tensor) -> None:
        self.tensor = tensor


class Originals:
    """Copies a tensor saved inside this context before the first write to its memory."""

    def __init__(self, *, compiles: bool = False) -> None:
        """`compiles`: the snippet uses torch.compile, which must not trace the listener."""
        self._saved: dict[int | None, list[weakref.ref[_KeptOriginal]]] = {}
        self._count = 0
        self._crowd = _CROWD
        self._writes = listener(self._before_write, compiles=compiles)
        self._stack = ExitStack()

    def __enter__(self) -> Originals:
        self._stack.enter_context(SavedHooks(self._pack, self._unpack))
        self._stack.enter_context(self._writes)
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()
        self._saved.clear()

    def forget_freed(self) -> None:
        """Drop what no graph holds any more; worth calling after a backward."""
        living = ((key, [r for r in refs if r() is not None]) for key, refs in self._saved.items())
        self._saved = {key: refs for key, refs in living if refs}
        self._count = sum(map(len, self._saved.values()))
        self._crowd = max(_CROWD, 2 * self._count)

    def _pack(self, t: torch.Tensor) -> _KeptOriginal:
        saved = _KeptOriginal(t)
        self._saved.setdefault(storage(t), []).append(weakref.ref(saved))
        self._count += 1
        if self._count > self._crowd:
            self.forget_freed()
        return saved

    @staticmethod
    def _unpack(saved: _KeptOriginal) -> torch.Tensor:
        return saved.tensor

    def _before_write(self, t: torch.Tensor, _: Any) -> None:
        """Copy the saved tensors that use this memory; nobody else can write to the copies."""
        if not self._saved:
            return
        copies: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}
        for ref in self._saved.pop(storage(t), ()):
            saved = ref()
            if saved is not None:
                before = saved.tensor
                if id(before) not in copies:
                    copies[id(before)] = before, before.clone()
                saved.tensor = copies[id(before)][1]
