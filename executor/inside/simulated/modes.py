"""The two modes of the simulated device: one for PyTorch's functions, one for its operators.

A real GPU checks devices in operators, also inside backward, and there new tensors are made. But
only at a function is it known that `device=` came from the snippet: what an operator gets may as
well have been passed by PyTorch's own code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from types import FunctionType
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from executor.inside import torch_private as private
from executor.inside.simulated import rules
from executor.inside.simulated.devices import CPU, CUDA, Devices, common_device, is_cuda, tensors_in

_RANDOM = torch.Tag.nondeterministic_seeded
_RECURRENT = {"lstm", "gru", "rnn_tanh", "rnn_relu"}
_SHARING = {"as_tensor", "asarray", "from_numpy", "frombuffer"}  # with their argument
_SPECIAL = (
    _RECURRENT
    | _SHARING
    | {
        "new_tensor",
        "new",
        "_pack_padded_sequence",
        "_pad_packed_sequence",
        "ctc_loss",
    }
)
_SAID = ("device", "pin_memory", "generator")
_NARROW = {torch.float16, torch.bfloat16}


class SimulationState:
    """The state that both modes share."""

    def __init__(self, devices: Devices, seed: int | None) -> None:
        self.devices = devices
        self.wanted: torch.device | None = None  # `device=` of the current call
        self.call: tuple[Any, Any] = ((), {})  # its arguments
        self.touched: dict[str, None] = {}  # limits of the simulation that this run came upon
        self.mixed: tuple[tuple[str, torch.Tensor], ...] = ()  # the operands last refused
        self.refused = ""  # with this message
        self.generator = torch.Generator.__new__(private.Generator)
        self.generator.manual_seed(seed if seed is not None else torch.default_generator.seed())

    def around(self) -> torch.device:
        """The device of the current call's tensors: what PyTorch creates for it goes there too."""
        given = tensors_in(self.call)
        return CUDA if any(self.devices.of(t) == CUDA for t in given) else CPU

    def refuse(self, message: str, operands: Sequence[rules.OperatorArgument]) -> RuntimeError:
        """The error, with its operands kept for the explanation."""
        self.keep(message, *((o.name, o.tensor) for o in operands))
        return RuntimeError(message)

    def keep(self, message: str, *mixed: tuple[str, torch.Tensor]) -> None:
        """Remember what an error is about."""
        self.refused, self.mixed = message, mixed

    def touch(self, limit: str) -> None:
        """Note that the run depends on something the simulation cannot do."""
        self.touched[limit] = None


class _Known:
    """What the simulation needs to know about an operator, found out once."""

    __slots__ = ("fresh", "func", "name", "random", "special")

    def __init__(self, func: Any) -> None:
        self.func = func
        self.name = private.schema(func).name.removeprefix("aten::")
        self.random = _RANDOM in func.tags
        self.fresh = any(r.alias_info is None for r in private.schema(func).returns)
        self.special = self.name == "_pack_padded_sequence"


class Operators(private.OperatorMode):
    """Checks every operator's devices as a GPU would, and says where its results are."""

    def __init__(self, state: SimulationState) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.state = state
        self._known: dict[int, _Known] = {}  # by id: an operator's own __hash__ is Python

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        known = self._known.get(id(func))
        if known is None:
            known = self._known[id(func)] = _Known(func)
        if private.function_modes():
            with private.DisableTorchFunction():
                return self._do(known, args, kwargs or {})
        return self._do(known, args, kwargs or {})

    def _do(self, known: _Known, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """Run the operator the quick way: nearly always all tensors are on one device."""
        where = None if known.special else common_device(args, kwargs)
        if where is None or (where is CUDA and known.random):
            with private.DisableTorchFunction():  # a subclass of the snippet's, say
                return self._with_care(known, args, dict(kwargs))
        out = self._call(known.func, args, kwargs, where)
        # Without autograd `reshape` and `to` come here whole, and may copy what they could share.
        if known.fresh or torch.is_inference_mode_enabled():
            self.state.devices.put_results(out, where)
        return out

    def _with_care(self, known: _Known, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        devices = self.state.devices
        func, name, random = known.func, known.name, known.random
        tensors = tensors_in((args, kwargs) if kwargs else args)
        where = [devices.unheard(t) for t in tensors]
        if CUDA in where and any(d != CUDA for d in where):
            operands = self._operands(func, args, kwargs)
            message = rules.refusal(func, operands)
            if message is not None:
                raise self.state.refuse(message, operands)
        target = self._target(name, kwargs, tensors, where)
        out = self._run(func, args, kwargs, target, random=random)
        if out is None:
            return out
        if name.startswith("_foreach_") and isinstance(out, (list, tuple)):
            for t, like in zip(tensors_in(out), tensors_in(args[0]), strict=False):
                devices.put(t, devices.of(like))
        elif name == "_pack_padded_sequence":
            devices.put(out[0], target)
            devices.put(out[1], CPU)
        else:
            for t in tensors_in(out):
                devices.put(t, target)
        return out

    def _target(
        self,
        name: str,
        kwargs: dict[str, Any],
        tensors: Sequence[torch.Tensor],
        where: Sequence[torch.device],
    ) -> torch.device:
        """The device of the operator's results; replaces `device="cuda"` by the CPU."""
        requested = kwargs.get("device")
        if requested is not None and is_cuda(requested):
            kwargs["device"] = CPU
            return CUDA
        if not tensors:
            return self.state.wanted or self.state.around()
        if requested is not None and name != "_to_copy" and self.state.wanted:
            return self.state.wanted  # passed by the snippet, not by PyTorch itself
        if CUDA not in where:
            return where[0]
        # A number on the GPU does not move a CPU tensor there (a view of an index, say).
        return (
            CUDA
            if where[0] is CUDA
            or any(d is CUDA and t.dim() for t, d in zip(tensors, where, strict=True))
            or not any(t.dim() for t in tensors)
            else CPU
        )

    def _run(
        self,
        func: Any,
        args: Sequence[Any],
        kwargs: dict[str, Any],
        target: torch.device,
        *,
        random: bool,
    ) -> Any:
        if target is not CUDA:
            return func(*args, **kwargs)
        if kwargs.get("pin_memory"):
            kwargs.pop("pin_memory")
        if random and kwargs.get("generator") is None:
            return self._random(func, args, kwargs)
        return self._call(func, args, kwargs, target)

    def _call(
        self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any], target: torch.device
    ) -> Any:
        try:
            return func(*args, **kwargs)
        except RuntimeError as e:
            if target is not CUDA:
                raise
            if "not implemented for '" not in str(e) or private.schema(func).is_mutable:
                raise
            name = private.schema(func).name.removeprefix("aten::")
            self.state.touch(f"{name} has no half precision on the CPU: computed in float32")
            return _narrowed(func(*_widened(args), **_widened(kwargs)), args)

    def _random(self, func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """Draw from the device's own generator, and leave the CPU's as a real GPU would."""
        self.state.touch("random numbers drawn on the device differ from a GPU's under one seed")
        cpu, own = torch.default_generator, self.state.generator
        before = cpu.get_state()
        cpu.set_state(own.get_state())
        try:
            return func(*args, **kwargs)
        finally:
            own.set_state(cpu.get_state())
            cpu.set_state(before)

    def _operands(
        self, func: Any, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> list[rules.OperatorArgument]:
        found = []
        for i, a in enumerate(private.schema(func).arguments):
            by_name = a.kwarg_only or i >= len(args)
            value = kwargs.get(a.name) if by_name else args[i]
            written = a.alias_info is not None and a.alias_info.is_write
            for t in tensors_in(value):
                found.append(rules.OperatorArgument(a.name, t, self.state.devices.of(t), written))
        return found


def _widened(value: Any) -> Any:
    if isinstance(value, torch.Tensor):
        return value.float() if value.dtype in _NARROW else value
    if isinstance(value, (list, tuple)):
        return type(value)(_widened(v) for v in value)
    if isinstance(value, dict):
        return {k: _widened(v) for k, v in value.items()}
    return value


def _narrowed(out: Any, args: Any) -> Any:
    dtype = next((t.dtype for t in tensors_in(args) if t.dtype in _NARROW), torch.float16)
    if isinstance(out, torch.Tensor):
        return out.to(dtype) if out.dtype is torch.float32 else out
    return type(out)(_narrowed(v, args) for v in out) if isinstance(out, (list, tuple)) else out


class Functions(TorchFunctionMode):
    """Removes `device=` from every call of PyTorch and keeps it for the operators below."""

    def __init__(self, state: SimulationState) -> None:
        super().__init__()
        self.state = state
        self._open: list[Any] = []
        self._unguarded: dict[Any, Callable[..., Any]] = {}
        self._handlers: dict[Any, Callable[[Any, Sequence[Any], dict[str, Any]], Any]] = {}

    def __torch_function__(
        self, func: Any, types: Any, args: Sequence[Any] = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        handle = self._handlers.get(func)
        if handle is None:
            handle = self._handlers[func] = self._handler(func)
        return handle(func, args, kwargs or {})

    def _handler(self, func: Any) -> Callable[[Any, Sequence[Any], dict[str, Any]], Any]:
        """The method that handles a function; chosen once for each."""
        if isinstance(func, FunctionType):
            return self._python
        name, of = getattr(func, "__name__", ""), getattr(func, "__self__", None)
        if name == "__set__" and getattr(of, "__name__", "") == "grad":
            return self._gradient
        if name in ("__get__", "__set__", "__delete__"):
            return self._attribute
        if name == "_parse_to":  # it reads the arguments of Module.to, which then moves by them
            return self._as_given
        return self._compiled

    @staticmethod
    def _as_given(func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        return func(*args, **kwargs)

    def _python(self, func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        """Run one of PyTorch's Python functions with this mode on, as if called anew.

        Otherwise the mode would miss all that it calls. Its own check for an active mode is
        answered with no, or it would come back here.
        """
        if func in self._open:
            return func(*args, **kwargs)
        plain = self._unguarded.get(func)
        if plain is None:
            deaf = dict.fromkeys(
                ("has_torch_function", "has_torch_function_unary", "has_torch_function_variadic"),
                lambda *_: False,
            )
            plain = FunctionType(
                func.__code__,
                {**func.__globals__, **deaf},
                func.__name__,
                func.__defaults__,
                func.__closure__,
            )
            plain.__kwdefaults__ = func.__kwdefaults__
            self._unguarded[func] = plain
        self._open.append(func)
        try:
            with self:
                return plain(*args, **kwargs)
        finally:
            self._open.pop()

    @staticmethod
    def _attribute(func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        return func(*args, **kwargs)

    def _gradient(self, func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        grad, t = args[1], args[0]
        if isinstance(grad, torch.Tensor):
            devices = self.state.devices
            theirs, own = devices.of(grad).type, devices.of(t).type
            if theirs != own:
                raise RuntimeError(
                    f"attempting to assign a gradient with device type '{theirs}' to a tensor "
                    f"with device type '{own}'. Please ensure that the gradient and the tensor "
                    "are on the same device"
                )
        return func(*args, **kwargs)

    def _compiled(self, func: Any, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
        name = getattr(func, "__name__", "")
        # Set by set_default_device() or `with torch.device(…)`, whose own listener comes last.
        default = private.device_module.CURRENT_DEVICE
        if default and kwargs.get("device") is None and func in private.device_constructors():
            kwargs = {**kwargs, "device": default}
        if name in _SPECIAL or (kwargs and not kwargs.keys().isdisjoint(_SAID)):
            return self._call_with_device(func, name, args, dict(kwargs))
        return self._call(func, args, kwargs, None)

    def _call(
        self, func: Any, args: Sequence[Any], kwargs: dict[str, Any], wanted: torch.device | None
    ) -> Any:
        state = self.state
        before = state.wanted, state.call
        state.wanted, state.call = wanted, (args, kwargs)
        try:
            return func(*args, **kwargs)
        finally:
            state.wanted, state.call = before

    def _beside(self, scores: Any, targets: Any) -> Any:
        """The targets on the device of the scores: ctc_loss brings them there itself.

        Source:
            LossCTC.cpp of PyTorch: targets on the CPU are moved "as a service for the user".
        """
        devices = self.state.devices
        if not isinstance(targets, torch.Tensor) or devices.of(targets) != CPU:
            return targets
        there = devices.of(scores)
        if there != CPU:
            targets = targets.clone()
            devices.put(targets, there, again=True)
        return targets

    def _call_with_device(
        self, func: Any, name: str, args: Sequence[Any], kwargs: dict[str, Any]
    ) -> Any:
        """Handle a call with `device=`, or one with rules of its own."""
        devices = self.state.devices
        wanted: torch.device | None = None
        if kwargs.get("device") is not None:
            if is_cuda(kwargs["device"]):
                kwargs["device"], wanted = CPU, CUDA
                kwargs.pop("pin_memory", None)
            else:
                wanted = torch.device(kwargs["device"])
        elif name in ("new_tensor", "new"):
            wanted = _first(devices, args)
        pinned = kwargs.pop("pin_memory", False)
        if name in _RECURRENT:
            self._check_recurrent(tensors_in(args))
        elif name == "_pack_padded_sequence":
            self._check_lengths(args[1])
        elif name == "ctc_loss":  # its lengths may be anywhere: PyTorch reads them as numbers
            lengths = (a.tolist() if isinstance(a, torch.Tensor) else a for a in args[2:4])
            args = (args[0], self._beside(args[0], args[1]), *lengths, *args[4:])
        self._check_generator(kwargs.get("generator"), wanted or _first(devices, args))
        out = self._call(func, args, kwargs, wanted)
        if name == "_pad_packed_sequence":
            devices.put(out[1], CPU, again=True)
        if not isinstance(out, torch.Tensor):
            return out
        if wanted is None:
            devices.put(out, devices.of(out))
        elif devices.of(out) != wanted and wanted.type in ("cpu", "cuda"):
            if name in _SHARING:
                out = out.to(wanted)
            else:
                devices.put(out, wanted, again=True)
        if pinned and (mark := devices.mark_of(out)) is not None:
            mark.pinned = True
        return out

    def _check_lengths(self, lengths: torch.Tensor) -> None:
        if self.state.devices.of(lengths) == CUDA:
            kind = str(torch.empty(0, dtype=lengths.dtype).type()).split(".")[-1][:-6]
            raise self.state.refuse(
                f"'lengths' argument should be a 1D CPU int64 tensor, but got {lengths.dim()}D "
                f"cuda:0 {kind} tensor",
                [rules.OperatorArgument("lengths", lengths, CUDA, False)],
            )

    def _check_recurrent(self, given: Sequence[torch.Tensor]) -> None:
        """The recurrent layers' own check: state and weights must be where the input is."""
        devices = self.state.devices
        own = devices.of(given[0])
        for t in given[1:]:
            if (device := devices.of(t)) != own and device.type in ("cpu", "cuda"):
                if t.dim() == 1 and t.dtype is torch.int64:
                    continue  # the batch sizes of a packed sequence belong on the CPU
                what = "parameter" if isinstance(t, torch.nn.Parameter) else "hidden"
                operands = [
                    rules.OperatorArgument("input", given[0], own, False),
                    rules.OperatorArgument(what, t, device, False),
                ]
                raise self.state.refuse(
                    f"Input and {what} tensors are not at the same device, found input tensor at "
                    f"{own} and {what} tensor at {device}",
                    operands,
                )

    def _check_generator(self, generator: Any, device: torch.device) -> None:
        if not isinstance(generator, private.Generator) or device.type not in ("cpu", "cuda"):
            return
        if generator.device.type != device.type:
            raise RuntimeError(
                f"Expected a '{device.type}' device type for generator but found "
                f"'{generator.device.type}'"
            )


def _first(devices: Devices, args: Sequence[Any]) -> torch.device:
    given = tensors_in(args)
    return devices.of(given[0]) if given else CPU
