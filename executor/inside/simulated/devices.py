"""Mark each storage with its simulated device and the snippet's line that put it there.

A storage keeps its Python object, and so the mark, for as long as it lives; views, detached
tensors and in-place results share it. A storage without a mark is on the CPU.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import torch

from executor.inside import torch_private as private
from executor.inside.probes.source import SnippetSource


class Machine(NamedTuple):
    """What a machine says of its GPUs."""

    gpus: int = 1
    capability: tuple[int, int] = (8, 0)
    memory_bytes: int = 16 << 30


LARGE = Machine(gpus=8, capability=(10, 0), memory_bytes=180 << 30)
machine = [Machine()]  # the one of this process

CPU = torch.device("cpu")
CUDA = torch.device("cuda:0")
_TENSOR, _PARAMETER = torch.Tensor, torch.nn.Parameter
_NO_TENSORS = {int, float, bool, str, type(None), torch.dtype}
_SETTINGS = {int, float, bool, str, torch.dtype, torch.memory_format, torch.layout}
_BLOCK = 512  # bytes; PyTorch's CUDA allocator hands out multiples of it

_storage_of: Any = torch.Tensor.untyped_storage
_device_of: Any = private.TensorBase.device


class Mark:
    """One storage's device and line; counts its bytes while it is on the simulated GPU."""

    __slots__ = ("bytes", "device", "line", "memory", "pinned")

    def __init__(self, device: torch.device, line: int | None, memory: Memory, size: int) -> None:
        self.device = device
        self.line = line
        self.pinned = False
        self.memory = memory
        self.bytes = 0
        if device.type == "cuda":
            self.bytes = -(-size // _BLOCK) * _BLOCK
            memory.take(self.bytes)

    def __del__(self) -> None:
        self.memory.now -= self.bytes


class Memory:
    """The bytes of the live tensors on the device."""

    def __init__(self) -> None:
        self.now = 0
        self.peak = 0

    def take(self, size: int) -> None:
        """Add bytes; a mark gives them back when it goes."""
        self.now += size
        self.peak = max(self.peak, self.now)


class Devices:
    """The marks of one run."""

    def __init__(self, source: SnippetSource) -> None:
        self.source = source
        self.memory = Memory()

    def mark_of(self, t: torch.Tensor) -> Mark | None:
        """The tensor's mark, if its storage has one."""
        storage = storage_of(t)
        return getattr(storage, "_torchmedic", None) if storage is not None else None

    def of(self, t: torch.Tensor) -> torch.device:
        """The simulated device of the tensor."""
        kind = type(t)
        plain = kind is _TENSOR or kind is _PARAMETER
        if plain and not private.function_modes():
            return self.unheard(t)
        with private.DisableTorchFunction():
            return self.unheard(t)

    def unheard(self, t: torch.Tensor) -> torch.device:
        """The same inside an operator, where no function mode is active."""
        try:
            device: torch.device = _storage_of(t)._torchmedic.device
            return device
        except (AttributeError, RuntimeError, NotImplementedError):
            real = real_device(t)
            if real.type != "cpu":
                return real
            mark = self.mark_of(t)
            return mark.device if mark is not None else CPU

    def put(self, t: torch.Tensor, device: torch.device, *, again: bool = False) -> None:
        """Mark a tensor's device unless it has a mark; `again` replaces the mark."""
        storage = storage_of(t)
        known = getattr(storage, "_torchmedic", None) is not None
        if storage is not None and (again or not known) and real_device(t).type == "cpu":
            self.put_storage(storage, device)

    def put_results(self, out: Any, device: torch.device) -> None:
        """Mark all results of an operator, from inside it."""
        for t in (out,) if type(out) is torch.Tensor else tensors_in(out):
            try:
                storage = _storage_of(t)
                if not hasattr(storage, "_torchmedic") and storage.device.type == "cpu":
                    self.put_storage(storage, device)
            except (RuntimeError, NotImplementedError):
                self.put(t, device)

    def put_storage(self, storage: Any, device: torch.device) -> None:
        """The same for a storage."""
        line = self.source.line_now()
        storage._torchmedic = Mark(device, line, self.memory, storage.nbytes())


def real_device(t: torch.Tensor) -> torch.device:
    """Where the tensor really is. (A listener would look `device` up and find ours.)"""
    with private.DisableTorchFunction():
        device: torch.device = _device_of.__get__(t)
        return device


def storage_of(t: torch.Tensor) -> Any:
    """The storage; None where there is none (sparse tensors)."""
    with private.DisableTorchFunction():
        try:
            return _storage_of(t)
        except (RuntimeError, NotImplementedError):
            inner = private.unwrapped(t)
            return storage_of(inner) if inner is not None else None


def common_device(args: Sequence[Any], kwargs: Mapping[str, Any]) -> torch.device | None:
    """The device of all tensors among an operator's arguments; None where a closer look is needed.

    That is if a tensor is unmarked or of a subclass, if devices differ, if there are no tensors,
    or if a `device=` or the like is passed.
    """
    found: torch.device | None = None
    try:
        for a in args:
            kind = type(a)
            if kind is _TENSOR or kind is _PARAMETER:
                device = _storage_of(a)._torchmedic.device
                if found is None:
                    found = device
                elif device is not found:
                    return None
            elif kind is list:
                for t in a:
                    kind = type(t)
                    if kind is _TENSOR or kind is _PARAMETER:
                        device = _storage_of(t)._torchmedic.device
                        if found is None:
                            found = device
                        elif device is not found:
                            return None
                    elif kind not in _NO_TENSORS:
                        return None
            elif kind not in _NO_TENSORS:
                return None
    except (AttributeError, RuntimeError, NotImplementedError):
        return None
    for a in kwargs.values():
        if type(a) not in _SETTINGS:
            return None
    return None if kwargs.get("pin_memory") else found


def tensors_in(value: object) -> list[torch.Tensor]:
    """The tensors in arguments or results, also those in lists, tuples and dicts."""
    found: list[torch.Tensor] = []
    if type(value) is not tuple:
        _gather(value, found, 3)
        return found
    for item in value:  # nearly always the arguments, and nearly all of them plain
        kind = type(item)
        if kind is torch.Tensor or kind is torch.nn.Parameter:
            found.append(item)
        elif kind not in _NO_TENSORS:
            _gather(item, found, 2)
    return found


def _gather(value: object, found: list[torch.Tensor], depth: int) -> None:
    if isinstance(value, torch.Tensor):
        found.append(value)
    elif depth and isinstance(value, (list, tuple)):
        for item in value:
            if type(item) not in _NO_TENSORS:
                _gather(item, found, depth - 1)
    elif depth and isinstance(value, dict):
        for item in value.values():
            _gather(item, found, depth - 1)


def is_cuda(device: object) -> bool:
    """Whether a `device=` argument means the GPU: a name, a number or a torch.device.

    Raises:
        AcceleratorError: it names a GPU that is not there.
    """
    if device is None or isinstance(device, bool):
        return False
    if not isinstance(device, (str, int, torch.device)):
        return False
    meant = torch.device("cuda", device) if isinstance(device, int) else torch.device(device)
    if meant.type != "cuda":
        return False
    if meant.index is not None and meant.index >= machine[0].gpus:
        raise torch.AcceleratorError("CUDA error: invalid device ordinal")
    return True
