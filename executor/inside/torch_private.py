"""Everything of PyTorch that has no public interface and that we use all the same, in one place.

Each name says what it is and what it is for. Nothing here computes anything: the warm server
imports it before it forks. What moves or changes in a new PyTorch is mended here, and
tests/executor/inside/test_torch_private.py tries every one on the PyTorch that is installed.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from importlib import import_module
from operator import attrgetter
from types import ModuleType
from typing import Any, cast

import torch
from torch.utils import _device, checkpoint
from torch.utils._python_dispatch import TorchDispatchMode, _disable_current_modes
from torch.utils.data import dataloader

# The versions that all of this was tried with. The test fails on another one: look at what it says,
# then at the release notes, and add the version.
SEEN_WITH = ("2.13",)

# -- modes and switches ---------------------------------------------------------------------------

# Context managers: within them no function mode or subclass, or no dispatch mode, hears of a call.
DisableTorchFunction = torch._C.DisableTorchFunction
DisableTorchDispatch = torch._C._DisableTorchDispatch
# The same for every mode at once, those of the snippet's too.
disable_current_modes = _disable_current_modes
# How many modes are on: 0 nearly always, and then there is nothing to switch off.
function_modes = torch._C._len_torch_function_stack
dispatch_modes = torch._C._len_torch_dispatch_stack
# torch.set_grad_enabled() as a bare call: the public one is a class, and heard by function modes.
set_grad_enabled = torch._C._set_grad_enabled

# What stands on top of the hooks on saved tensors, as (pack, unpack) or None; its argument: whether
# to look at it while a trace of PyTorch's own is made, too. And how hooks go there and away.
top_saved_hooks = torch._C._autograd._top_saved_tensors_default_hooks
push_saved_hooks = torch._C._autograd._push_saved_tensors_default_hooks
pop_saved_hooks = torch._C._autograd._pop_saved_tensors_default_hooks


def in_transform() -> bool:
    """Whether a function is being transformed by torch.func: its tensors are not plain ones."""
    return torch._C._functorch.peek_interpreter_stack() is not None


# -- tensors and storages -------------------------------------------------------------------------

# What torch.Tensor inherits from; its `data`, `device` and `numpy` are those of no subclass.
TensorBase = torch._C.TensorBase
# What torch.Generator inherits from.
Generator = torch._C.Generator
# A norm of each of many tensors in one call, as the optimizers and clip_grad_norm_ take it.
foreach_norm = torch._foreach_norm


def version(t: torch.Tensor) -> int:
    """How often a tensor was written to in place; RuntimeError for inference tensors."""
    return t._version


def base(t: torch.Tensor) -> torch.Tensor | None:
    """The tensor that it is a view of."""
    return t._base


def is_view(t: torch.Tensor) -> bool:
    """Whether it is a view of another tensor."""
    return t._is_view()


def nnz(t: torch.Tensor) -> int:
    """How many elements a sparse tensor stores, those of one position each counted."""
    return t._nnz()


def storage_id(storage: torch.UntypedStorage) -> int:
    """The address of the storage's C++ object: its identity while something keeps it alive."""
    return int(storage._cdata)


def unwrapped(t: torch.Tensor) -> torch.Tensor | None:
    """The tensor inside a wrapper of torch.func (vmap, grad); None for any other tensor."""
    functorch = torch._C._functorch
    return functorch.get_unwrapped(t) if functorch.is_functorch_wrapped_tensor(t) else None


# -- the autograd graph ---------------------------------------------------------------------------


class SavedGoneError(Exception):
    """A tensor that a node kept was freed, or changed in place: a backward through it raises."""


def _saved(name: str) -> Callable[[Any], Any]:
    get = attrgetter(name)

    def read(node: Any) -> Any:
        try:
            return get(node)
        except RuntimeError as e:
            raise SavedGoneError(str(e)) from e

    return read


# What a node of the graph kept for backward: its operands, its target, its dimension (a negative
# one as an unsigned number), its mask or result, and the sizes before an expand(). AttributeError
# where the node is of another kind.


def dtypes_of(node: Any) -> list[torch.dtype]:
    """The dtypes of what an operation gave, by its node in autograd's graph."""
    return [given.dtype for given in getattr(node, "_input_metadata", ())]


def leaf_of(node: Any) -> torch.Tensor | None:
    """The tensor whose gradient a node adds up; None for any other node."""
    leaf = getattr(node, "variable", None)
    return leaf if isinstance(leaf, torch.Tensor) else None


saved_self = _saved("_saved_self")
saved_target = _saved("_saved_target")
saved_other = _saved("_saved_other")
saved_dim = _saved("_saved_dim")
saved_index = _saved("_saved_index")
saved_input = _saved("_saved_input")
saved_mat1 = _saved("_saved_mat1")
saved_mask = _saved("_saved_mask")
saved_result = _saved("_saved_result")
saved_exponent = _saved("_saved_exponent")
saved_log_probs = _saved("_saved_log_probs")
saved_targets = _saved("_saved_targets")
saved_target_lengths = _saved("_saved_target_lengths")
saved_blank = _saved("_saved_blank")
saved_weight = _saved("_saved_weight")
saved_pos_weight = _saved("_saved_pos_weight")
saved_ignore_index = _saved("_saved_ignore_index")
saved_sizes = _saved("_saved_self_sym_sizes")
saved_keepdim = _saved("_saved_keepdim")
saved_normalized_shape = _saved("_saved_normalized_shape")
_turned = _saved("_saved_dim0"), _saved("_saved_dim1")


def limits(node: Any) -> tuple[Any, Any]:
    """The smallest and the largest value that a clamp or a hardtanh gives; None for no limit."""
    low = getattr(node, "_saved_min", getattr(node, "_saved_min_val", None))
    return low, getattr(node, "_saved_max", getattr(node, "_saved_max_val", None))


def saved_dims(node: Any) -> tuple[int, int]:
    """The two dimensions that a transpose exchanged."""
    one, other = (get(node) for get in _turned)
    return int(one), int(other)


def is_freed(node: Any) -> bool | None:
    """Whether a backward has gone through a node and freed what it kept; None if it keeps none."""
    for name in (n for n in dir(node) if n.startswith("_saved_")):
        try:
            kept = getattr(node, name)
        except RuntimeError:
            return True
        if isinstance(kept, torch.Tensor):
            return False
    return None


def outputs(node: Any) -> tuple[Any, ...]:
    """What a node knows of its outputs: their shapes, dtypes and devices; empty if nothing."""
    return tuple(getattr(node, "_input_metadata", ()))


# -- operators ------------------------------------------------------------------------------------


class OperatorMode(TorchDispatchMode):  # type: ignore[no-untyped-call]
    """A dispatch mode, whose base class has a private module and no public name.

    PyTorch wraps `__torch_dispatch__` of each subclass to hide it from torch.compile; where nothing
    is compiled, that wrapper is only slow.
    """

    beside_compile = False

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return cls.beside_compile


# An operator's name, arguments and results, and which of them it writes into.
schema = attrgetter("_schema")

# -- modules --------------------------------------------------------------------------------------

PARAMETERS, BUFFERS, MODULES = "_parameters", "_buffers", "_modules"
# Where an nn.Module keeps what was assigned to it, as names in its `__dict__`.
REGISTRIES = (PARAMETERS, BUFFERS, MODULES)
# Names of those in `__dict__` that hold hooks of forward begin so.
FORWARD_HOOKS = "_forward"
# The functions of PyTorch between `layer(x)` and `forward`, the outer one first.
CALLS = (OUTER_CALL, _) = ("_wrapped_call_impl", "_call_impl")

parameters_of = cast(
    "Any", attrgetter(PARAMETERS)
)  # by name; no walk, nothing of the snippet's runs
buffers_of = cast("Any", attrgetter(BUFFERS))
modules_of = cast("Any", attrgetter(MODULES))

# What load_state_dict calls for each part of a module: (module, state, prefix, metadata, …).
load_part = attrgetter("_load_from_state_dict")


def set_load_part(module: type, load: Any) -> None:
    """Let load_state_dict call this function instead."""
    module._load_from_state_dict = load  # type: ignore[attr-defined]


def is_not_saved(owner: Any, buffer: str) -> bool:
    """Whether a buffer was registered with `persistent=False`."""
    return buffer in getattr(owner, "_non_persistent_buffers_set", ())


# The classes that all batch norms, and all dropouts, inherit from.
BatchNorm = torch.nn.modules.batchnorm._BatchNorm
Dropout = torch.nn.modules.dropout._DropoutNd


def module_of_class(package: ModuleType) -> Mapping[str, str]:
    """Of a package of transformers': where each of its classes is; empty for any other module."""
    return cast("Mapping[str, str]", vars(package).get("_class_to_module") or {})


# -- loaders --------------------------------------------------------------------------------------

# What an iterator over several workers looks up when a batch has come, in a function whose
# variables `data` and `worker_idx` are the batch and the number of its worker.
_OF_WORKERS: Any = dataloader._MultiProcessingDataLoaderIter
BATCH_CAME = _OF_WORKERS._try_put_index
ITERATOR_OF_WORKERS: str = _OF_WORKERS.__name__
ITERATOR: Any = dataloader._SingleProcessDataLoaderIter  # of a loader without workers


def set_batch_came(method: Any) -> None:
    """Let iterators over several workers find this in its place."""
    _OF_WORKERS._try_put_index = method


# -- checkpoints ----------------------------------------------------------------------------------


def checkpoint_hooks() -> tuple[Any, Any]:
    """The classes that pack and unpack tensors in `checkpoint`: in forward, and when it runs again.

    Both None where this PyTorch has others.
    """
    names = ("_checkpoint_hook", "_recomputation_hook")
    forward, again = (getattr(checkpoint, name, None) for name in names)
    return (forward, again) if forward is not None and again is not None else (None, None)


def set_checkpoint_hooks(forward: Any, again: Any) -> None:
    """Put others in their place."""
    checkpoint._checkpoint_hook = forward  # type: ignore[misc]
    checkpoint._recomputation_hook = again  # type: ignore[misc]


# -- imports --------------------------------------------------------------------------------------


def lazy_modules() -> Collection[str]:
    """Submodules that torch imports by itself at their first use."""
    return getattr(torch, "_lazy_modules", ())


def load_dynamo() -> None:
    """Import torch._dynamo: half a second that the warm server takes before it forks."""


# -- devices --------------------------------------------------------------------------------------

# Holds the device that torch.set_default_device() has set, and the functions that ask for it.
device_module = _device
device_constructors = _device._device_constructors

# Functions of torch.cuda that set the driver up at the first use, and the one that asks whether
# this process is a fork of one that had.
CUDA_SETUP = ("_lazy_init", "_lazy_call")
CUDA_IN_BAD_FORK = "_is_in_bad_fork"


def set_scatter(scatter: Any, check: Callable[[int], object]) -> None:
    """Let DataParallel share out its inputs with this function, and check each GPU's number."""
    functions: Any = import_module("torch.nn.parallel._functions")
    functions.Scatter.apply = scatter
    # torch.nn.parallel.data_parallel is the function of that name, which hides the module.
    data_parallel: Any = import_module("torch.nn.parallel.data_parallel")
    data_parallel._check_balance = lambda ids: [check(number) for number in ids]


def grouping() -> Any:
    """How optimizers sort their tensors by device and dtype."""
    return torch._C._group_tensors_by_device_and_dtype


def set_grouping(group: Any) -> None:
    """Let optimizers sort their tensors with this function."""
    cast("Any", torch._C)._group_tensors_by_device_and_dtype = group


def profiled() -> bool:
    """Whether the snippet's own profiler listens."""
    return bool(cast("Any", torch.autograd)._profiler_enabled())


def scale_of(scaler: Any) -> float | None:
    """What a GradScaler multiplies losses by; None if it is switched off or has met none."""
    scale = getattr(scaler, "_scale", None)
    return float(scale) if getattr(scaler, "_enabled", False) and scale is not None else None
