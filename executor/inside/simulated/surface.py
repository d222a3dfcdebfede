"""Replace what PyTorch says about GPUs (`torch.cuda`, `Tensor.cuda` …) by the simulated one.

The replacements stay for the rest of this run; its process ends with it.
"""

from __future__ import annotations

import os
import sys
import time
from types import SimpleNamespace
from typing import Any

import torch

from executor.inside import torch_private as private
from executor.inside.simulated.devices import CPU, CUDA, is_cuda, machine, real_device
from executor.inside.simulated.modes import SimulationState

NAME = "Simulated CUDA device"
_TO_NUMPY = (
    "can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host "
    "memory first."
)
_FORKED = (
    "Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you must "
    "use the 'spawn' start method"
)
_UNLIKE = (
    "Tensors of the same index must be on the same device and the same dtype except `step` tensors "
    "that can be CPU and float32/64, and optimizer states that can be bfloat16 for mixed-precision "
    "training"
)

MEMORY = "memory numbers count live tensors only, in blocks of 512 bytes"
STREAMS = "streams and events do nothing: everything happens in order, times are the CPU's"
AUTOCAST = "autocast on the device changes no dtype"
COMPILE = "torch.compile returns the function as it is"
GRAPHS = "CUDA graphs are not there"


def install(state: SimulationState) -> None:
    """Install all replacements."""
    _tensors(state)
    _generators(state)
    _module(state)
    _accelerator()
    _outside_cuda(state)


# -- tensors ---------------------------------------------------------------------------------


def _tensors(state: SimulationState) -> None:
    devices = state.devices
    tensor: Any = torch.Tensor
    base: Any = private.TensorBase
    own = os.getpid()
    real = {n: _unheard(getattr(tensor, n)) for n in ("to", "numpy", "type", "get_device")}
    attributes = {n: getattr(base, n) for n in ("is_cuda", "is_cpu")}

    def move(t: Any, target: torch.device, *args: Any, **kwargs: Any) -> Any:
        """A copy on the target device, whose gradient goes back to the device of `t`."""
        if target == CUDA and os.getpid() != own:
            raise RuntimeError(_FORKED)
        came_from = devices.of(t)
        moved = real["to"](t, *args, **kwargs, copy=True)
        devices.put(moved, target, again=True)
        if moved.grad_fn is not None:
            moved.grad_fn.register_hook(lambda grads, _: tuple(back(g, came_from) for g in grads))
        return moved

    def back(grad: Any, device: torch.device) -> Any:
        if grad is None or devices.of(grad) == device:
            return grad
        grad = grad.clone()
        devices.put(grad, device, again=True)
        return grad

    def to(self: Any, *args: Any, **kwargs: Any) -> Any:
        where = kwargs.get("device", args[0] if args else kwargs.get("other"))
        if isinstance(where, torch.Tensor):
            target: Any = devices.of(where)
            place = target
        elif isinstance(where, (str, torch.device)) or (
            isinstance(where, int) and not isinstance(where, bool)
        ):
            place = where
            target = CUDA if is_cuda(where) else torch.device(where)
        else:
            place, target = None, None
        if target is None or target.type not in ("cpu", "cuda") or not _ours(self):
            return real["to"](self, *args, **kwargs)
        if isinstance(where, torch.Tensor):
            kwargs = {"dtype": where.dtype, **{k: v for k, v in kwargs.items() if k != "other"}}
            args = args[1:]
        elif "device" in kwargs:
            kwargs = {k: v for k, v in kwargs.items() if k != "device"}
        else:
            args = args[1:]
        if target == devices.of(self) or place is None:
            return real["to"](self, CPU, *args, **kwargs)
        args, kwargs = _without_copy(args, kwargs)
        return move(self, target, CPU, *args, **kwargs)

    def cuda(self: Any, device: Any = None, non_blocking: bool = False, **more: Any) -> Any:
        is_cuda(device)  # refuses a GPU that is not there
        return self if devices.of(self) == CUDA else move(self, CUDA, CPU)

    def cpu(self: Any, **more: Any) -> Any:
        return move(self, CPU, CPU, **more) if devices.of(self) == CUDA else self

    def numpy(self: Any, *args: Any, **kwargs: Any) -> Any:
        if devices.of(self) == CUDA and not (args or kwargs.get("force")):
            state.keep(_TO_NUMPY, ("self", self))
            raise TypeError(_TO_NUMPY)
        return real["numpy"](self, *args, **kwargs)

    def kind(self: Any, dtype: Any = None, *args: Any, **kwargs: Any) -> Any:
        if dtype is None:
            name = real["type"](self)
            return name.replace("torch.", "torch.cuda.") if devices.of(self) == CUDA else name
        name = dtype if isinstance(dtype, str) else getattr(dtype, "__name__", "")
        if isinstance(dtype, torch.dtype):
            return real["type"](self, dtype)
        if isinstance(dtype, _TypedTensor):
            return cuda(self).to(dtype.dtype)
        if "cuda." in name:
            return cuda(real["type"](self, name.replace("cuda.", "")))
        return real["type"](cpu(self), dtype)

    def pin_memory(self: Any, device: Any = None) -> Any:
        if devices.of(self) == CUDA:
            raise RuntimeError(f"cannot pin '{self.type()}' only dense CPU tensors can be pinned")
        copy = self.clone()
        if (mark := devices.mark_of(copy)) is not None:
            mark.pinned = True
        return copy

    def is_pinned(self: Any, device: Any = None) -> bool:
        mark = devices.mark_of(self)
        return mark is not None and mark.pinned

    def flag(name: str, meant: str) -> property:
        def read(self: Any) -> bool:
            if _ours(self):
                return devices.of(self).type == meant
            with private.DisableTorchFunction():
                return bool(attributes[name].__get__(self))

        return property(read)

    tensor.device = property(devices.of)
    tensor.is_cuda, tensor.is_cpu = flag("is_cuda", "cuda"), flag("is_cpu", "cpu")
    tensor.get_device = lambda self: 0 if devices.of(self) == CUDA else real["get_device"](self)
    tensor.to, tensor.cuda, tensor.cpu, tensor.numpy = to, cuda, cpu, numpy
    tensor.type, tensor.pin_memory, tensor.is_pinned = kind, pin_memory, is_pinned
    for function in (to, cuda, cpu, numpy, pin_memory, is_pinned):
        function.__qualname__ = f"Tensor.{function.__name__}"


def _unheard(method: Any) -> Any:
    """The method run without modes, which would look it up by name and find the replacement."""

    def call(*args: Any, **kwargs: Any) -> Any:
        with private.DisableTorchFunction():
            return method(*args, **kwargs)

    return call


def _ours(t: Any) -> bool:
    return real_device(t).type == "cpu"


def _without_copy(args: Any, kwargs: Any) -> tuple[Any, Any]:
    """to(device, dtype, non_blocking, copy) without its `copy`: a move always copies."""
    return tuple(args[:2]), {k: v for k, v in kwargs.items() if k != "copy"}


class _TypedTensor(type):
    """`torch.cuda.FloatTensor` and its like, for isinstance(), calls and comparisons."""

    dtype: torch.dtype

    def __call__(cls, *args: Any) -> Any:
        maker = getattr(torch, cls.__name__)
        return maker(*args).to(CUDA)

    def __instancecheck__(cls, thing: Any) -> bool:
        return isinstance(thing, torch.Tensor) and thing.is_cuda and thing.dtype is cls.dtype


# -- generators ------------------------------------------------------------------------------


def _generators(state: SimulationState) -> None:
    class Generator(private.Generator):
        """A CPU generator that says which device it is for."""

        def __new__(cls, device: Any = "cpu") -> Any:
            made: Any = super().__new__(cls)
            made._where = CUDA if is_cuda(device) else torch.device(device)
            return made

        def __init__(self, device: Any = "cpu") -> None:
            pass

        @property
        def device(self) -> torch.device:  # type: ignore[override]
            return self._where  # type: ignore[attr-defined,no-any-return]

    Generator.__module__, Generator.__qualname__ = private.Generator.__module__, "Generator"
    torch.Generator = Generator  # type: ignore[misc]


# -- torch.cuda ------------------------------------------------------------------------------


class _Event:
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._at = 0.0

    def record(self, stream: Any = None) -> None:
        self._at = time.perf_counter()

    def elapsed_time(self, end: _Event) -> float:
        return (end._at - self._at) * 1000

    def synchronize(self) -> None: ...

    def wait(self, stream: Any = None) -> None: ...

    def query(self) -> bool:
        return True


class _Stream:
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.device, self.cuda_stream, self.device_index = CUDA, 0, 0

    def __enter__(self) -> _Stream:
        return self

    def __exit__(self, *error: object) -> None: ...

    def synchronize(self) -> None: ...

    def wait_stream(self, stream: Any) -> None: ...

    def wait_event(self, event: Any) -> None: ...

    def query(self) -> bool:
        return True

    def is_capturing(self) -> bool:
        return False

    def record_event(self, event: Any = None) -> Any:
        event = event or _Event()
        event.record()
        return event


class _Graph:
    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise RuntimeError("CUDA graphs cannot be recorded on the simulated device")


class _Device:
    """`with torch.cuda.device(0):`"""

    def __init__(self, device: Any = None) -> None:
        if isinstance(device, torch.Tensor):
            device = device.device
        is_cuda(device)
        self.idx = 0

    def __enter__(self) -> None: ...

    def __exit__(self, *error: object) -> None: ...


def _module(state: SimulationState) -> None:
    cuda: Any = torch.cuda
    memory = state.devices.memory

    def nothing(*args: Any, **kwargs: Any) -> None:
        for device in args[:1]:
            is_cuda(device)

    def touching(limit: str, made: Any) -> Any:
        def make(*args: Any, **kwargs: Any) -> Any:
            state.touch(limit)
            return made(*args, **kwargs)

        return make

    def seed(value: int, *args: Any) -> None:
        state.generator.manual_seed(int(value))

    def reset_peak(*args: Any) -> None:
        memory.peak = memory.now

    for name in (
        *private.CUDA_SETUP, "init", "synchronize", "empty_cache", "set_device", "set_stream",
        "ipc_collect", "reset_accumulated_memory_stats", "set_per_process_memory_fraction",
    ):  # fmt: skip
        setattr(cuda, name, nothing)
    cuda.is_available = cuda.is_initialized = lambda: True
    cuda.is_bf16_supported = lambda *_, **__: True
    cuda.is_current_stream_capturing = lambda: False
    setattr(cuda, private.CUDA_IN_BAD_FORK, lambda: False)
    cuda.device_count = _count
    cuda.current_device = lambda: 0
    cuda.get_device_name = lambda device=None: (is_cuda(device), NAME)[1]
    capability = machine[0].capability
    cuda.get_device_capability = lambda device=None: (is_cuda(device), capability)[1]
    cuda.get_arch_list = lambda: ["sm_{}{}".format(*capability)]
    properties = SimpleNamespace(
        name=NAME,
        total_memory=machine[0].memory_bytes,
        major=capability[0],
        minor=capability[1],
        multi_processor_count=1,
        warp_size=32,
        is_integrated=0,
        max_threads_per_multi_processor=2048,
        regs_per_multiprocessor=65536,
        L2_cache_size=1 << 20,
    )
    cuda.get_device_properties = lambda device=None: (is_cuda(device), properties)[1]
    for name in ("memory_allocated", "memory_reserved", "memory_cached"):
        setattr(cuda, name, touching(MEMORY, lambda *_: memory.now))
    for name in ("max_memory_allocated", "max_memory_reserved", "max_memory_cached"):
        setattr(cuda, name, touching(MEMORY, lambda *_: memory.peak))
    for name in (
        "reset_peak_memory_stats",
        "reset_max_memory_allocated",
        "reset_max_memory_cached",
    ):
        setattr(cuda, name, reset_peak)
    total = machine[0].memory_bytes
    cuda.mem_get_info = touching(MEMORY, lambda *_: (total - memory.now, total))
    cuda.memory_summary = touching(MEMORY, lambda *_, **__: f"{memory.now} bytes (simulated)")
    cuda.memory_stats = touching(
        MEMORY,
        lambda *_: {
            "allocated_bytes.all.current": memory.now,
            "allocated_bytes.all.peak": memory.peak,
        },
    )
    cuda.manual_seed = cuda.manual_seed_all = seed
    cuda.seed = cuda.seed_all = lambda: state.generator.seed()
    cuda.initial_seed = lambda: state.generator.initial_seed()
    cuda.get_rng_state = lambda *_: state.generator.get_state()
    cuda.get_rng_state_all = lambda: [state.generator.get_state()]
    cuda.set_rng_state = lambda new, *_: state.generator.set_state(new)
    cuda.set_rng_state_all = lambda new: state.generator.set_state(new[0])
    cuda.Event, cuda.Stream, cuda.device = (
        _counted(_Event, state, STREAMS),
        _counted(_Stream, state, STREAMS),
        _Device,
    )
    cuda.stream = lambda stream: stream if stream is not None else _Stream()
    cuda.current_stream = cuda.default_stream = lambda *_: _Stream()
    cuda.CUDAGraph = cuda.graph = _counted(_Graph, state, GRAPHS)
    for module in (cuda.memory, cuda.random):
        for name in vars(module):
            if not name.startswith("_") and name in vars(cuda) and callable(getattr(cuda, name)):
                setattr(module, name, getattr(cuda, name))
    for name in ("Float", "Double", "Half", "BFloat16", "Long", "Int", "Short", "Char", "Byte",
                 "Bool"):  # fmt: skip
        dtype = getattr(torch, f"{name}Tensor").dtype
        made = _TypedTensor(f"{name}Tensor", (), {"dtype": dtype, "__module__": "torch.cuda"})
        setattr(cuda, f"{name}Tensor", made)


def _count() -> int:
    """How many GPUs there are; torch itself, DataParallel say, works on the one that computes."""
    asks = str(sys._getframe(1).f_globals.get("__name__"))
    return 1 if asks.startswith("torch.") else machine[0].gpus


def _counted(kind: Any, state: SimulationState, limit: str) -> Any:
    class Kind(kind):  # type: ignore[misc]
        def __init__(self, *args: Any, **kwargs: Any) -> None:
            state.touch(limit)
            super().__init__(*args, **kwargs)

    Kind.__name__ = Kind.__qualname__ = kind.__name__.lstrip("_")
    Kind.__module__ = "torch.cuda"
    return Kind


def _accelerator() -> None:
    accelerator: Any = torch.accelerator
    accelerator.is_available = lambda: True
    accelerator.device_count = _count
    accelerator.current_accelerator = lambda check_available=False: torch.device("cuda")
    accelerator.current_device_index = accelerator.current_device_idx = lambda: 0
    accelerator.set_device_index = accelerator.set_device_idx = lambda device: None
    accelerator.synchronize = lambda device=None: None
    accelerator.current_stream = lambda device=None: _Stream()


# -- outside of torch.cuda -------------------------------------------------------------------


def _outside_cuda(state: SimulationState) -> None:
    loose: Any = torch
    loose.backends.cuda.is_built = lambda: True
    loose.backends.cudnn.is_available = lambda: True
    loose.backends.cudnn.is_acceptable = lambda t: False  # the CPU's kernels do the work
    enter: Any = torch.autocast.__enter__

    def on_entering(self: Any) -> Any:
        if self.device == "cuda":
            state.touch(AUTOCAST)
        return enter(self)

    def compiled(model: Any = None, *args: Any, **kwargs: Any) -> Any:
        state.touch(COMPILE)
        return (lambda function: function) if model is None else model

    def default_type(kind: Any) -> None:
        name = kind if isinstance(kind, str) else f"{kind.__module__}.{kind.__name__}"
        plain_type(name.replace("cuda.", ""))
        torch.set_default_device(CUDA if "cuda." in name else CPU)

    def scatter(target_gpus: Any, chunk_sizes: Any, dim: Any, value: Any) -> tuple[Any, ...]:
        return (value.to(CUDA),)

    plain_type = torch.set_default_tensor_type
    loose.autocast.__enter__ = on_entering
    loose.compile = compiled
    loose.set_default_tensor_type = default_type
    loose.nn.Module.compile = lambda self, *_, **__: state.touch(COMPILE)
    private.set_scatter(scatter, is_cuda)
    private.set_grouping(_grouping(state))
    _files(state)


def _grouping(state: SimulationState) -> Any:
    """How optimizers sort their tensors, with the check that comes before.

    The check takes every float tensor on the CPU for a count of steps; a state that was left there
    is only refused by the first operator that reads it (seen on an H100 with torch 2.11).
    """
    plain = private.grouping()
    of = state.devices.of
    counted = {torch.float32, torch.float64}

    def passes(t: torch.Tensor, first: torch.Tensor) -> bool:
        return of(t) == of(first) or (of(t) == CPU and t.dtype in counted)

    def group(lists: Any, with_indices: bool = False) -> Any:
        for row in zip(*(tensors for tensors in lists if tensors), strict=False):
            first = row[0]
            for t in row[1:]:
                if t is not None and not passes(t, first):
                    state.keep(_UNLIKE, ("parameter", first), ("state", t))
                    raise RuntimeError(_UNLIKE)
        return plain(lists, with_indices)

    return group


def _files(state: SimulationState) -> None:
    """Make torch.save() note the simulated device, and torch.load() restore it."""

    def tag(storage: Any) -> str | None:
        mark = getattr(storage, "_torchmedic", None)
        return "cuda:0" if mark is not None and mark.device == CUDA else None

    def place(storage: Any, location: str) -> Any:
        if not location.startswith("cuda"):
            return None
        index = location.partition(":")[2]
        if index.isdigit() and int(index) >= machine[0].gpus:
            raise RuntimeError(
                f"Attempting to deserialize object on CUDA device {index} but "
                f"torch.cuda.device_count() is {machine[0].gpus}. Please use torch.load with "
                "map_location to map your storages to an existing device."
            )
        is_cuda(location)
        state.devices.put_storage(storage, CUDA)
        return storage

    def clone(self: Any) -> Any:
        copy = real_clone(self)
        if (mark := getattr(self, "_torchmedic", None)) is not None:
            state.devices.put_storage(copy, mark.device)
        return copy

    loose: Any = torch.UntypedStorage
    real_clone = loose.clone
    loose.clone = clone
    torch.serialization.register_package(1, tag, place)
