"""Log every write to a tensor's memory in order: operators, `.data =`, NumPy arrays.

The probe's dispatch mode reports operators. Assigning to `.data` and writing through a NumPy array
that shares the memory are no operators: for the first we replace the property while the snippet
runs, for the second we compare the shared memory before every line of the snippet.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType
from typing import Any

import torch

from executor.inside import torch_private as private
from executor.inside.probes.inplace.spots import WHOLE_LINE, Spot, spot
from executor.inside.probes.inplace.values import digest, storage
from executor.inside.probes.source import CodePosition, SnippetSource

_SHARED = 20  # most tensors shared with NumPy that are watched
_LINES = 50_000  # most lines run before which they are compared


@dataclass(frozen=True)
class Write:
    """One write; `how` is the operator, "NumPy" or ".data ="."""

    moment: int
    how: str
    spot: Spot


@dataclass
class _Shared:
    tensor: torch.Tensor
    digest: int | None
    moment: int


class Writes:
    """The log: storage → its writes in order. `moment` counts writes and saves."""

    def __init__(self, source: SnippetSource) -> None:
        self.source = source
        self.moment = 0
        self.log: dict[int, list[Write]] = {}
        self._shared: dict[int, _Shared] = {}
        self._line: CodePosition | None = None
        self._lines = 0
        self._originals: list[tuple[Any, str, Any]] = []

    def first_after(self, memory: int, moment: int) -> Write | None:
        """The first write to a storage after a moment."""
        self._look_at_shared()
        writes = self.log.get(memory, [])
        return next((w for w in writes if w.moment > moment), None)

    # -- operators ---------------------------------------------------------------------------

    def note(self, t: torch.Tensor, operator: Any) -> None:
        """Log that an operator is about to write into a tensor."""
        self._note(t, str(operator))

    def _note(self, t: torch.Tensor, how: str) -> None:
        memory = storage(t)
        # Normalisation updates its own running statistics, which is no mistake.
        if memory is None or "batch_norm" in how:
            return
        self.moment += 1
        write = Write(self.moment, how, spot(self.source, t))
        self.log.setdefault(memory, []).append(write)

    # -- writes that are no operators --------------------------------------------------------

    def listen_beside(self) -> None:
        """Hear `.data =`, and which memory NumPy shares."""
        data: Any = private.TensorBase.data
        self._replace(torch.Tensor, "data", property(data.__get__, self._assign_data))
        self._replace(torch.Tensor, "numpy", self._sharing(torch.Tensor.numpy, of_result=False))
        for name in ("from_numpy", "as_tensor"):
            self._replace(torch, name, self._sharing(getattr(torch, name), of_result=True))

    def stop_listening_beside(self) -> None:
        """Restore everything that was replaced."""
        if self._shared:
            sys.settrace(None)
        for owner, name, original in reversed(self._originals):
            if original is None:
                delattr(owner, name)
            else:
                setattr(owner, name, original)
        self._originals.clear()

    def _replace(self, owner: Any, name: str, ours: Any) -> None:
        self._originals.append((owner, name, vars(owner).get(name)))
        setattr(owner, name, ours)

    def _assign_data(self, t: torch.Tensor, value: torch.Tensor) -> None:
        self._note(t, ".data =")
        private.TensorBase.data.__set__(t, value)  # type: ignore[attr-defined]

    def _sharing(self, original: Callable[..., Any], *, of_result: bool) -> Callable[..., Any]:
        def shared(*args: Any, **kwargs: Any) -> Any:
            result = original(*args, **kwargs)
            t = result if of_result else args[0]
            if issubclass(type(t), torch.Tensor) and t.device.type == "cpu":
                self._share(t)
            return result

        return shared

    def _share(self, t: torch.Tensor) -> None:
        memory = storage(t)
        if memory is None or memory in self._shared or len(self._shared) >= _SHARED:
            return
        whole = t.detach().as_strided(
            (t.untyped_storage().nbytes() // max(1, t.element_size()),), (1,), 0
        )
        self._shared[memory] = _Shared(whole, digest(whole), self.moment)
        if len(self._shared) == 1:
            sys.settrace(self._enter)
            frame = self.source.frame()
            while frame is not None:
                if frame.f_code.co_filename == self.source.filename:
                    frame.f_trace = self._trace
                frame = frame.f_back
            self._line = self.source.position_now()

    def _enter(self, frame: FrameType, event: str, arg: object) -> Any:
        return self._trace if frame.f_code.co_filename == self.source.filename else None

    def _trace(self, frame: FrameType, event: str, arg: object) -> Any:
        if event == "line":
            self._look_at_shared()
            self._line = CodePosition(frame.f_code, WHOLE_LINE, frame.f_lineno)
            self._lines += 1
            if self._lines >= _LINES:
                sys.settrace(None)
                return None
        return self._trace

    def _look_at_shared(self) -> None:
        for memory, shared in self._shared.items():
            now = digest(shared.tensor)
            if now == shared.digest:
                continue
            heard = self.log.get(memory)
            if not heard or heard[-1].moment <= shared.moment:
                self.moment += 1
                place = self._line
                if place is not None:
                    place = CodePosition(place.code, WHOLE_LINE, place.line)
                self.log.setdefault(memory, []).append(Write(self.moment, "NumPy", Spot(place)))
            shared.digest, shared.moment = now, self.moment
