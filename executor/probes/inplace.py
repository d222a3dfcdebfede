"""Who saved a tensor for backward, and who then changed it in place.

Two listeners: hooks on every tensor that autograd saves, and a dispatch mode that sees every
operator which writes to one of its arguments. When backward asks for a saved tensor whose version
has moved on, the first write to its storage after the saving is the culprit.

The hooks switch PyTorch's own check off (it would backpropagate wrong values in silence), so the
check is made here and raises what PyTorch would have raised.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from executor.job import Culprit, TensorRef
from executor.probes.source import Place, Source, Span


@dataclass
class _Saved:
    tensor: torch.Tensor
    version: int
    moment: int
    place: Place | None
    name: str | None


@dataclass
class _Write:
    moment: int
    op: str
    place: Place | None
    name: str | None


def _storage(t: torch.Tensor) -> int | None:
    try:
        return int(t.untyped_storage()._cdata)
    except (RuntimeError, NotImplementedError):  # sparse, functorch wrappers
        return None


def _name_in(frame: FrameType | None, t: torch.Tensor) -> str | None:
    """The variable of the frame that holds this tensor, else one that shares its storage."""
    storage = _storage(t)
    if frame is None or storage is None:
        return None
    sharing = None
    for name, value in frame.f_locals.items():
        if isinstance(value, torch.Tensor) and _storage(value) == storage:
            if value.shape == t.shape and value.storage_offset() == t.storage_offset():
                return name
            sharing = sharing or name
    return sharing


class _Writes(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """Logs every operator that writes to a tensor: storage → its writes, in order."""

    def __init__(self, source: Source) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.source = source
        self.moment = 0
        self.log: dict[int, list[_Write]] = {}
        self._writing: dict[Any, list[tuple[int, str, bool]]] = {}

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        written = self._writing.get(func)
        if written is None:
            written = self._writing[func] = [
                (i, a.name, a.kwarg_only)
                for i, a in enumerate(func._schema.arguments)
                if a.alias_info is not None and a.alias_info.is_write
            ]
        for i, name, by_name in written:
            value = kwargs.get(name) if by_name or i >= len(args) else args[i]
            for t in value if isinstance(value, (list, tuple)) else (value,):
                if isinstance(t, torch.Tensor):
                    self._note(t, str(func))
        return func(*args, **kwargs)

    def _note(self, t: torch.Tensor, op: str) -> None:
        storage = _storage(t)
        if storage is None:
            return
        self.moment += 1
        frame = self.source.frame()
        write = _Write(self.moment, op, self.source.here(), _name_in(frame, t))
        self.log.setdefault(storage, []).append(write)


@dataclass
class InplaceProbe:
    """Active while the snippet runs; `culprit` is the first saved tensor found changed."""

    source: Source
    culprit: Culprit | None = None
    _stack: ExitStack = field(default_factory=ExitStack)

    def start(self) -> None:
        """Listen."""
        self.writes = self._stack.enter_context(_Writes(self.source))
        self._stack.enter_context(
            torch.autograd.graph.saved_tensors_hooks(self._pack, self._unpack)
        )

    def stop(self) -> None:
        """Stop listening."""
        self._stack.close()

    def _pack(self, t: torch.Tensor) -> _Saved:
        self.writes.moment += 1
        frame = self.source.frame()
        name = _name_in(frame, t)
        return _Saved(t, t._version, self.writes.moment, self.source.here(), name)

    def _unpack(self, saved: _Saved) -> torch.Tensor:
        t = saved.tensor
        if t._version == saved.version:
            return t
        writes = self.writes.log.get(_storage(t) or 0, [])
        write = next((w for w in writes if w.moment > saved.moment), None)
        if self.culprit is None:
            self.culprit = self._name(saved, write)
        raise RuntimeError(
            "one of the variables needed for gradient computation has been modified by an inplace "
            f"operation: [{t.type()} {list(t.shape)}], is at version {t._version}; expected "
            f"version {saved.version} instead."
        )

    def _name(self, saved: _Saved, write: _Write | None) -> Culprit:
        saver = self._span(saved.place)
        writer = self._span(write.place) if write else None
        t = saved.tensor
        return Culprit(
            saved_line=saver.line if saver else None,
            saved_end_line=saver.end_line if saver else None,
            saved_col=saver.col if saver else None,
            saved_end_col=saver.end_col if saver else None,
            saved_code=saver.text if saver else None,
            modified_line=writer.line if writer else None,
            modified_end_line=writer.end_line if writer else None,
            modified_col=writer.col if writer else None,
            modified_end_col=writer.end_col if writer else None,
            modified_code=writer.text if writer else None,
            modified_op=write.op if write else None,
            needed_line=self.source.line_now(),
            tensor=TensorRef(
                name=saved.name or (write.name if write else None),
                shape=tuple(t.shape),
                dtype=str(t.dtype).removeprefix("torch."),
                is_view=t._is_view(),
                saved_version=saved.version,
                found_version=t._version,
            ),
        )

    def _span(self, place: Place | None) -> Span | None:
        return self.source.span(place) if place is not None else None
