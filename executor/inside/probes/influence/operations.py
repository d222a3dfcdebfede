"""Note the calls of torch that stand on the snippet's own lines and say what the line means."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from executor.inside import torch_private as private
from executor.inside.probes.source import SnippetSource
from executor.inside.probes.training.quiet import quietly
from executor.protocol import Operation

_MOST = 400  # operations kept
_COMPARED = 1 << 18  # elements whose values are compared, at most
_COMPUTED = 4000  # results remembered

_LAYOUT = {
    "view", "reshape", "flatten", "unflatten", "view_as", "reshape_as", "ravel", "permute",
    "transpose", "t", "T", "mT", "swapaxes", "swapdims", "movedim", "moveaxis", "squeeze",
    "unsqueeze",
}  # fmt: skip
_EXPANDED = {"expand", "expand_as", "repeat", "repeat_interleave", "tile", "broadcast_to"}
_ELEMENTWISE = {
    "add", "radd", "sub", "rsub", "mul", "rmul", "div", "truediv", "rtruediv", "rdiv",
    "true_divide", "floor_divide", "floordiv", "pow", "rpow", "eq", "ne", "lt", "le", "gt", "ge",
    "maximum", "minimum", "fmax", "fmin", "where", "atan2", "logical_and", "logical_or", "and",
    "or", "xor", "bitwise_and", "bitwise_or", "subtract", "multiply", "divide", "remainder",
}  # fmt: skip
_CASTS = {
    "to", "type", "long", "int", "short", "char", "byte", "bool", "half", "float", "double",
    "bfloat16", "type_as",
}  # fmt: skip
_ASIDE = {"cpu", "cuda", "clone", "detach", "contiguous", "requires_grad", "grad", "data"}
_FACTORIES = {"tensor", "as_tensor"}
_PAIRED_LOSSES = {
    "mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "cross_entropy", "nll_loss",
    "binary_cross_entropy", "binary_cross_entropy_with_logits",
}  # fmt: skip
PAIRED_LOSSES = (
    torch.nn.MSELoss,
    torch.nn.L1Loss,
    torch.nn.SmoothL1Loss,
    torch.nn.HuberLoss,
    torch.nn.CrossEntropyLoss,
    torch.nn.NLLLoss,
    torch.nn.BCELoss,
    torch.nn.BCEWithLogitsLoss,
)
_REPEATS = ("ExpandBackward", "RepeatBackward")
_PYTORCHS = tuple(f"torch/{name}.py" for name in ("overrides", "functional", "nn/functional"))


class Operations(TorchFunctionMode):  # type: ignore[misc, unused-ignore]
    """A function mode that notes what `Operation` describes and changes nothing."""

    def __init__(self, source: SnippetSource) -> None:
        super().__init__()
        self.source = source
        self.seen: list[Operation] = []
        self.target_rows: set[int] = set()
        self.computing: set[int] = set()
        self.results: dict[int, tuple[int, ...]] = {}
        self.problem = ""
        self._known: set[Operation] = set()
        self._computed: dict[int, weakref.ref[torch.Tensor]] = {}
        self._targets: dict[int, weakref.ref[torch.Tensor]] = {}
        self._asked: dict[int, tuple[weakref.ref[torch.Tensor], str, int]] = {}

    def __torch_function__(
        self, func: Any, types: Any, args: Any = (), kwargs: dict[str, Any] | None = None
    ) -> Any:
        kwargs = kwargs or {}
        line = None if is_tracing() else self._line()
        if line is None:
            return func(*args, **kwargs)
        name = _name(func)
        self._guard(lambda: self._before(name, line, args))
        try:
            result = func(*args, **kwargs)
        except Exception:
            self._guard(lambda: self._after(name, line, args, kwargs, None))
            raise
        self._guard(lambda: self._after(name, line, args, kwargs, result))
        return result

    def _line(self) -> int | None:
        """The snippet's line, if torch was called from there and not from torch itself."""
        frame = sys._getframe(2)
        while frame is not None and frame.f_code.co_filename.endswith((*_PYTORCHS, "_tensor.py")):
            frame = frame.f_back  # type: ignore[assignment]
        if frame is None or frame.f_code.co_filename != self.source.filename:
            return None
        return frame.f_lineno

    def _guard(self, look: Callable[[], None]) -> None:
        try:
            with private.DisableTorchFunction(), quietly():
                look()
        except Exception as e:
            self.problem = self.problem or f"operations: {type(e).__name__}: {e}"[:200]

    def _note(self, kind: str, name: str, line: int, **facts: Any) -> None:
        operation = Operation(kind=kind, name=name, line=line, **facts)
        if len(self.seen) < _MOST and operation not in self._known:
            self._known.add(operation)
            self.seen.append(operation)

    # -- what a call says -------------------------------------------------------------------

    def _before(self, name: str, line: int, args: Any) -> None:
        asked = name == "requires_grad_" and args[1:2] != (False,)
        if not asked and not (name == "requires_grad" and args[1:2] == (True,)):
            return
        tensor = args[0]
        if not _is_tensor(tensor) or tensor.requires_grad:
            return
        shapes = {"inputs": (tuple(tensor.shape),)}
        self._asked[id(tensor)] = weakref.ref(tensor), name, line
        if _holds(self._targets, tensor):
            self._note("target_gradient", name, line, **shapes)
        elif _holds(self._computed, tensor):
            self._note("result_gradient", name, line, **shapes)

    def _after(self, name: str, line: int, args: Any, kwargs: dict[str, Any], result: Any) -> None:
        if name == "grad" and len(args) == 1:
            self._note("no_grad" if result is None else "grad", name, line)
            return
        plain = name.strip("_")
        if _is_tensor(result) and (line in self.results or len(self.results) < _MOST):
            self.results[line] = tuple(result.shape)
        tensors = [a for a in (*args, *kwargs.values()) if _is_tensor(a)]
        if plain in _PAIRED_LOSSES:
            given = [*args, *(kwargs[k] for k in ("input", "target") if k in kwargs)]
            self.loss(name, line, given)
        if kwargs.get("requires_grad") and _is_tensor(result):
            self._asked[id(result)] = weakref.ref(result), name, line
        if plain in _FACTORIES and _is_tensor(result):
            self._factory(name, line, args, kwargs, result)
        if not tensors:
            return
        if plain not in _CASTS and plain not in _ASIDE and _is_tensor(result):
            self.computing.add(line)
        first = tensors[0]
        facts: dict[str, Any] = {
            "inputs": tuple(tuple(t.shape) for t in tensors[:4]),
            "output": tuple(result.shape) if _is_tensor(result) else None,
        }
        if plain in _LAYOUT or plain in _EXPANDED:
            kind = "layout" if plain in _LAYOUT else "expanded"
            sizes = tuple(_integers((*args, *kwargs.values())))
            self._note(kind, name, line, sizes=sizes, requires_grad=first.requires_grad, **facts)
        elif plain in _ELEMENTWISE and len(tensors) > 1 and _is_tensor(result):
            masks = all(
                t.dtype is torch.bool for t in tensors
            )  # of rows and of columns: all places
            if result.numel() > max(t.numel() for t in tensors) and not masks:
                self._note("outer", name, line, requires_grad=first.requires_grad, **facts)
            if plain in ("eq", "ne") and _scores_and_labels(*tensors[:2]):
                self._note("labels_compared", name, line, **facts)
        elif plain in _CASTS and _is_tensor(result) and _lossy(first, result):
            self._note("lossy_cast", name, line, **facts)
        if len(tensors) > 1 and _is_tensor(result) and result.is_floating_point():
            self.computed(result)

    def computed(self, result: torch.Tensor) -> None:
        """Remember a tensor that was computed from others, or by a module."""
        if len(self._computed) < _COMPUTED:
            self._computed[id(result)] = weakref.ref(result)

    def loss(self, name: str, line: int | None, given: list[Any]) -> None:
        """Note what a loss is given: its prediction and its target."""
        if len(given) < 2 or not (_is_tensor(given[0]) and _is_tensor(given[1])) or line is None:
            return
        prediction, target = given[:2]
        rows, shape = target.shape[:1], tuple(target.shape)
        self._targets[id(target)] = weakref.ref(target)
        asked = self._asked.get(id(target))
        if asked is not None and asked[0]() is target:
            self._note("target_gradient", asked[1], asked[2], inputs=(shape,))
        self.target_rows.update(rows)
        made = prediction.grad_fn.name() if prediction.grad_fn is not None else ""
        if made.startswith(_REPEATS):
            shapes = (tuple(prediction.shape), shape)
            self._note("expanded_prediction", name, line, inputs=shapes)

    def _factory(
        self, name: str, line: int, args: Any, kwargs: dict[str, Any], result: torch.Tensor
    ) -> None:
        data = args[0] if args else kwargs.get("data")
        if isinstance(data, (list, tuple)) and not result.is_floating_point():
            fractions = any(isinstance(v, float) and v != int(v) for v in _numbers(data))
            if fractions and not result.is_complex():
                self._note("lossy_cast", name, line, output=tuple(result.shape))


def is_tracing() -> bool:
    """Whether torch.jit.trace is at work: what we ask of a tensor would be traced too."""
    return bool(torch.jit.is_tracing())  # type: ignore[attr-defined, no-untyped-call]


def _name(func: Any) -> str:
    """A function's name; for reading or setting an attribute, the attribute's."""
    name = getattr(func, "__name__", "")
    if name in ("__get__", "__set__"):
        return str(getattr(getattr(func, "__self__", None), "__name__", name))
    return str(name)


def _is_tensor(value: object) -> bool:
    return issubclass(type(value), torch.Tensor)


def _holds(known: dict[int, weakref.ref[torch.Tensor]], tensor: torch.Tensor) -> bool:
    ref = known.get(id(tensor))
    return ref is not None and ref() is tensor


def _integers(values: Any) -> Iterator[int]:
    for value in values:
        if isinstance(value, (tuple, list)):
            yield from _integers(value)
        elif type(value) is int:
            yield value


def _numbers(values: Any, left: int = 10_000) -> Iterator[Any]:
    for value in values[:left]:
        if isinstance(value, (list, tuple)):
            yield from _numbers(value, left)
        else:
            yield value


def _whole(t: torch.Tensor) -> bool:
    return not t.is_floating_point() or bool((t == t.round()).all())


def _scores_and_labels(a: torch.Tensor, b: torch.Tensor) -> bool:
    """Whether one holds whole numbers, and the other some that are not; or a 1 for each class."""
    if a.is_complex() or b.is_complex() or not (1 < a.numel() <= _COMPARED and b.numel() > 1):
        return False
    return _whole(a) != _whole(b) or _in_two_forms(a, b) or _in_two_forms(b, a)


def _in_two_forms(numbers: torch.Tensor, rows: torch.Tensor) -> bool:
    """Whether class numbers, a column, meet rows with a 1 at their class."""
    if rows.dim() != 2 or rows.shape[1] < 3 or numbers.shape != (len(rows), 1):
        return False
    ones = bool(((rows == 0) | (rows == 1)).all()) and bool((rows.sum(1) == 1).all())
    return ones and bool((numbers > 1).any()) and bool((numbers < rows.shape[1]).all())


def _lossy(before: torch.Tensor, after: torch.Tensor) -> bool:
    """Whether a cast lost more than digits: fractions, an overflow, an imaginary part."""
    if before.dtype == after.dtype or before.numel() > _COMPARED or before.layout != after.layout:
        return False
    if before.is_complex() and not after.is_complex():
        return bool((before.imag != 0).any())
    if before.is_complex() or after.is_complex():
        return False
    if not before.is_floating_point() and after.is_floating_point():
        return False
    if after.is_floating_point():
        return bool((torch.isfinite(before) & ~torch.isfinite(after)).any())
    return bool((after.to(before.dtype) != before).any())
