"""Keep what autograd saved as it was when it was saved, whatever is written into it afterwards.

As `torch.autograd.graph.allow_mutation_on_saved_tensors`, which looks through the schema of every
operator that runs: here each operator's is read once, and where nothing is saved nothing is done.
"""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from executor.probes.inplace.values import storage

_CROWD = 1000  # tensors saved before those that backward has freed are looked for


class _Saved:
    __slots__ = ("__weakref__", "tensor")

    def __init__(self, tensor: torch.Tensor) -> None:
        self.tensor = tensor


class Originals:
    """What is saved while this is entered: copied before the first write to its memory."""

    def __init__(self, *, compiles: bool = False) -> None:
        """`compiles`: the snippet uses torch.compile, which must not look into the listener."""
        self._saved: dict[int | None, list[weakref.ref[_Saved]]] = {}
        self._count = 0
        self._crowd = _CROWD
        self._writes = (_WritesBesideCompile if compiles else _Writes)(self)
        self._stack = ExitStack()

    def __enter__(self) -> Originals:
        hooks = torch.autograd.graph.saved_tensors_hooks(self._pack, self._unpack)
        self._stack.enter_context(hooks)
        self._stack.enter_context(self._writes)
        return self

    def __exit__(self, *error: object) -> None:
        self._stack.close()
        self._saved.clear()

    def forget_freed(self) -> None:
        """Let go of what no graph holds any more; worth it after a backward."""
        living = ((key, [r for r in refs if r() is not None]) for key, refs in self._saved.items())
        self._saved = {key: refs for key, refs in living if refs}
        self._count = sum(map(len, self._saved.values()))
        self._crowd = max(_CROWD, 2 * self._count)

    def _pack(self, t: torch.Tensor) -> _Saved:
        saved = _Saved(t)
        self._saved.setdefault(storage(t), []).append(weakref.ref(saved))
        self._count += 1
        if self._count > self._crowd:
            self.forget_freed()
        return saved

    @staticmethod
    def _unpack(saved: _Saved) -> torch.Tensor:
        return saved.tensor

    def before_write(self, value: Any) -> None:
        """Copy what was saved of this memory; the copies' own nobody else can write to."""
        if isinstance(value, (list, tuple)):
            for item in value:
                self.before_write(item)
        elif self._saved and isinstance(value, torch.Tensor):
            copies: dict[int, tuple[torch.Tensor, torch.Tensor]] = {}
            for ref in self._saved.pop(storage(value), ()):
                saved = ref()
                if saved is not None:
                    t = saved.tensor
                    if id(t) not in copies:
                        copies[id(t)] = t, t.clone()
                    saved.tensor = copies[id(t)][1]


class _Writes(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Hears every operator that writes into its arguments, before it does."""

    def __init__(self, originals: Originals) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._originals = originals
        self._known: dict[int, tuple[Any, tuple[tuple[int, str], ...]]] = {}

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        """Say no to a wrapper around every operator that only torch.compile needs."""
        return False

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        known = self._known.get(id(func))  # an operator's own __hash__ is Python
        if known is None:
            known = self._known[id(func)] = func, _written(func)
        if known[1] and self._originals._saved:
            for i, name in known[1]:
                value = args[i] if i < len(args) else (kwargs or {}).get(name)
                self._originals.before_write(value)
        return func(*args, **kwargs) if kwargs else func(*args)


class _WritesBesideCompile(_Writes):  # type: ignore[no-untyped-call]
    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return True

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        return super().__torch_dispatch__(func, types, args, kwargs)


def _written(func: Any) -> tuple[tuple[int, str], ...]:
    """The arguments that an operator writes into: place (past the end if by name) and name."""
    return tuple(
        (1 << 30 if a.kwarg_only else i, a.name)
        for i, a in enumerate(func._schema.arguments)
        if a.alias_info is not None and a.alias_info.is_write
    )
