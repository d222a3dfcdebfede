"""What training leaves untouched: facts recorded at every optimizer step, told after the run.

Only hooks that PyTorch offers for the purpose are used (before and after a module's forward,
before a step), so the probe is always on. Gradients are looked at when the step begins:
`zero_grad()` has wiped them by the end.
"""

from __future__ import annotations

import ast
import gc
import re
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any

import torch
from torch import nn
from torch.nn.modules import module as hooks
from torch.optim.optimizer import register_optimizer_step_pre_hook

from executor.job import ErrorSeen, Finding, ModuleCall
from executor.probes.source import Source, attribute_lines

_CALLS = 50
_PER_KIND = 8
_NAMES = 500
_WATCHED_ELEMENTS = 1 << 20  # larger parameters are not copied to see whether they moved
_CONTAINER = 500
_PARAMETER_LIST_ERRORS = re.compile(r"empty parameter list|non-leaf Tensor|optimizer can only")


@dataclass
class _Watched:
    """One tensor that could learn: what its gradient was at the steps."""

    name: str
    tensor: torch.Tensor
    line: int | None
    before: torch.Tensor | None  # its value at the first step
    steps: int = 0
    missing: int = 0  # steps that found no gradient
    zero: int = 0
    not_finite: int = 0

    @property
    def moved(self) -> bool:
        return self.before is None or not torch.equal(self.before, self.tensor.detach())


class TrainingProbe:
    """Listens to modules and optimizers; `findings` and `calls` are there after `stop`."""

    def __init__(self, source: Source, tree: ast.Module) -> None:
        self.source = source
        self.findings: list[Finding] = []
        self.calls: list[ModuleCall] = []
        self.moved: list[str] = []
        self._attributes = attribute_lines(tree)
        self._stack: list[tuple[nn.Module, int | None, tuple[int, ...]]] = []
        self._roots: dict[int, nn.Module] = {}
        self._inputs: set[int] = set()
        self._optimizers: list[torch.optim.Optimizer] = []
        self._optimized: dict[int, _Watched] = {}
        self._others: dict[int, _Watched] = {}
        self._handles: list[Any] = []

    @property
    def trained(self) -> bool:
        """Whether an optimizer stepped."""
        return bool(self._optimizers)

    def start(self) -> None:
        """Listen."""
        self._handles = [
            hooks.register_module_forward_pre_hook(self._enter),
            hooks.register_module_forward_hook(self._leave, always_call=True),
            register_optimizer_step_pre_hook(self._step),
        ]

    def stop(self, namespace: dict[str, Any], error: ErrorSeen | None) -> None:
        """Stop listening and word what was seen."""
        for handle in self._handles:
            handle.remove()
        self._handles.clear()
        if self.trained:
            modules = list(self._roots.values())
            self._tell_unregistered(modules, used=True)
            self._tell_optimized()
            self._tell_left_out(namespace)
            learned = [w.name for w in self._optimized.values() if w.moved]
            self.moved = learned[:_NAMES]
        elif error is not None and _PARAMETER_LIST_ERRORS.search(error.message):
            self._tell_unregistered(_live_modules(), used=False)

    # -- listening ---------------------------------------------------------------------------

    def _enter(self, module: nn.Module, args: tuple[Any, ...]) -> None:
        line: int | None = None
        shape: tuple[int, ...] = ()
        if not self._stack:
            line = self.source.line_now()
            self._inputs |= {id(a) for a in args if isinstance(a, torch.Tensor)}
            if args and isinstance(args[0], torch.Tensor):
                shape = tuple(args[0].shape)
            if torch.is_grad_enabled():
                self._roots.setdefault(id(module), module)
        self._stack.append((module, line, shape))

    def _leave(self, module: nn.Module, args: tuple[Any, ...], output: Any) -> None:
        if not self._stack or self._stack[-1][0] is not module:
            return
        _, line, shape = self._stack.pop()
        if self._stack or not isinstance(output, torch.Tensor) or len(self.calls) >= _CALLS:
            return
        call = ModuleCall(
            module=type(module).__name__, line=line, inputs=shape, outputs=tuple(output.shape)
        )
        if call not in self.calls:
            self.calls.append(call)

    def _step(self, optimizer: torch.optim.Optimizer, args: Any, kwargs: Any) -> None:
        if not any(o is optimizer for o in self._optimizers):
            self._optimizers.append(optimizer)
        names = self._names()
        has_closure = any(map(callable, (*args, kwargs.get("closure"))))
        for group in optimizer.param_groups:
            for i, p in enumerate(group["params"]):
                watched = self._watch(p, names, f"{type(optimizer).__name__}'s parameter {i}")
                if not has_closure:  # LBFGS computes its gradients inside the step
                    _look(watched)
        for key, (name, tensor, line) in names.items():
            if key not in self._optimized and tensor.requires_grad and tensor.is_leaf:
                known = self._others.get(key) or _Watched(name, tensor, line, _copy(tensor))
                self._others[key] = known
                _look(known)

    def _watch(
        self,
        tensor: torch.Tensor,
        names: dict[int, tuple[str, torch.Tensor, int | None]],
        otherwise: str,
    ) -> _Watched:
        watched = self._optimized.get(id(tensor))
        if watched is None:
            name, _, line = names.get(id(tensor), (otherwise, tensor, None))
            watched = _Watched(name, tensor, line, _copy(tensor))
            self._optimized[id(tensor)] = watched
        return watched

    def _names(self) -> dict[int, tuple[str, torch.Tensor, int | None]]:
        """id → (name, tensor, line) of all parameters of used modules and of variables in sight."""
        names: dict[int, tuple[str, torch.Tensor, int | None]] = {}
        variables = list(self._variables())
        owners = {id(value): name for name, value in reversed(variables)}
        for root in self._roots.values():
            owner = f"{owners[id(root)]}." if id(root) in owners else ""
            for path, p in root.named_parameters():
                line = self._attributes.get((type(root).__name__, path.split(".")[0]))
                names.setdefault(id(p), (owner + path, p, line))
        for name, value in variables:
            if isinstance(value, torch.Tensor) and id(value) not in self._inputs:
                names.setdefault(id(value), (name, value, None))
        return names

    def _variables(self) -> Iterator[tuple[str, object]]:
        """The snippet's variables in sight, innermost frame first."""
        frame = self.source.frame()
        while frame is not None:
            if frame.f_code.co_filename == self.source.filename:
                yield from list(frame.f_locals.items())
            frame = frame.f_back

    # -- telling -----------------------------------------------------------------------------

    def _add(self, kind: str, line: int | None, name: str, message: str, **facts: Any) -> None:
        if sum(f.kind == kind for f in self.findings) < _PER_KIND:
            finding = Finding(kind=kind, line=line, name=name, message=message, facts=facts)
            if finding not in self.findings:
                self.findings.append(finding)

    def _tell_unregistered(self, modules: list[nn.Module], *, used: bool) -> None:
        for module in _with_children(modules):
            cls = type(module)
            if cls.__module__ != "__main__":
                continue
            read, written = _attributes_of_methods(cls)
            registered = {id(p) for p in module.parameters()} | {id(m) for m in module.modules()}
            for path, attribute, value in _plain_attributes(module):
                if id(value) in registered or (used and attribute not in read):
                    continue
                line = self._attributes.get((cls.__name__, attribute))
                where = {"class": cls.__name__, "attribute": attribute}
                if isinstance(value, nn.Module):
                    self._tell_hidden_module(path, line, value, where)
                elif attribute not in written:  # a state kept between calls is no parameter
                    self._tell_plain_tensor(path, line, value, where)

    def _tell_hidden_module(
        self, path: str, line: int | None, module: nn.Module, where: dict[str, str]
    ) -> None:
        n = sum(p.numel() for p in module.parameters() if id(p) not in self._optimized)
        if n:
            self._add(
                "unregistered_module", line, path,
                f"`{path}` ({type(module).__name__}) sits in a plain Python container, so "
                f"parameters() does not know its {n} values",
                **where,
            )  # fmt: skip

    def _tell_plain_tensor(
        self, path: str, line: int | None, tensor: torch.Tensor, where: dict[str, str]
    ) -> None:
        facts = where | {"shape": list(tensor.shape), "requires_grad": tensor.requires_grad}
        if not tensor.is_floating_point() or id(tensor) in self._optimized:
            return
        shape = list(tensor.shape)
        if tensor.requires_grad and tensor.is_leaf:
            watched = self._others.get(id(tensor))
            gets = ""
            if tensor.grad is not None or (watched and watched.missing < watched.steps):
                gets = "gets a gradient, but "
            self._add(
                "unregistered_parameter", line, path,
                f"`{path}` {shape} {gets}is a plain tensor: parameters() does not hold it, no "
                "optimizer moves it",
                **facts,
            )  # fmt: skip
        elif tensor.grad_fn is None:
            self._add(
                "unregistered_tensor", line, path,
                f"`{path}` {shape} is a plain tensor without gradient: it never trains, and "
                "to() and state_dict() leave it out",
                **facts,
            )  # fmt: skip
        elif isinstance(tensor.grad_fn, torch.autograd.graph.Node):
            self._add(
                "unregistered_parameter", line, path,
                f"`{path}` {shape} is the result of {tensor.grad_fn.name()}, not a Parameter: "
                "parameters() does not hold it",
                **facts,
            )  # fmt: skip

    def _tell_optimized(self) -> None:
        for w in self._optimized.values():
            if not w.steps or not w.tensor.requires_grad:
                continue
            shape = list(w.tensor.shape)
            if w.missing == w.steps:
                self._add(
                    "no_gradient", w.line, w.name,
                    f"`{w.name}` {shape} is in the optimizer, but its gradient was None at "
                    f"{_every(w.steps)}: the loss does not depend on it",
                )  # fmt: skip
            elif w.not_finite:
                self._add(
                    "gradient_not_finite", w.line, w.name,
                    f"the gradient of `{w.name}` {shape} held NaN or infinity",
                )  # fmt: skip
            elif w.zero + w.missing == w.steps:
                self._add(
                    "zero_gradient", w.line, w.name,
                    f"the gradient of `{w.name}` {shape} was exactly 0 at {_every(w.steps)}",
                )  # fmt: skip
            elif not w.moved:
                self._add(
                    "never_moved", w.line, w.name,
                    f"`{w.name}` {shape} has not moved after {_every(w.steps)}",
                )  # fmt: skip

    def _tell_left_out(self, namespace: dict[str, Any]) -> None:
        owners = {
            id(p): name
            for name, value in namespace.items()
            if isinstance(value, nn.Module)
            for p in value.parameters()
        }
        told = {id(v) for m in _with_children(list(self._roots.values()))
                for _, _, v in _plain_attributes(m)}  # fmt: skip
        for key, w in self._others.items():
            got = w.steps - w.missing
            if key in self._optimized or key in told or not got or w.zero == got or w.moved:
                continue
            self._add(
                "not_in_optimizer", w.line, w.name,
                f"`{w.name}` {list(w.tensor.shape)} gets a gradient, but no optimizer holds it",
                **({"module": owners[key]} if key in owners else {}),
            )  # fmt: skip


def _look(watched: _Watched) -> None:
    watched.steps += 1
    grad = watched.tensor.grad
    if grad is None:
        watched.missing += 1
    elif grad.is_sparse:
        return
    elif not bool(torch.isfinite(grad).all()):
        watched.not_finite += 1
    elif not bool((grad != 0).any()):
        watched.zero += 1


def _copy(tensor: torch.Tensor) -> torch.Tensor | None:
    small = tensor.numel() <= _WATCHED_ELEMENTS and not tensor.is_sparse
    return tensor.detach().clone() if small else None


def _every(steps: int) -> str:
    return "the only step" if steps == 1 else f"all {steps} steps"


def _live_modules() -> list[nn.Module]:
    """Every module of the snippet's own classes that exists now; the server's are frozen away."""
    found = []
    for thing in gc.get_objects():
        kind = type(thing)  # isinstance() would call the thing's own __class__
        if issubclass(kind, nn.Module) and kind.__module__ == "__main__":
            found.append(thing)
    return found


def _with_children(modules: list[nn.Module]) -> Iterator[nn.Module]:
    seen: set[int] = set()
    for root in modules:
        for module in root.modules():
            if id(module) not in seen:
                seen.add(id(module))
                yield module


def _plain_attributes(module: nn.Module) -> Iterator[tuple[str, str, torch.Tensor | nn.Module]]:
    """(path, attribute, value) of tensors and modules that nn.Module did not register."""
    for name, value in list(vars(module).items()):
        if name in {"_parameters", "_buffers", "_modules"} or name.startswith("_forward"):
            continue
        if isinstance(value, torch.Tensor):
            yield name, name, value
        elif isinstance(value, (list, tuple)) and len(value) < _CONTAINER:
            for i, item in enumerate(value):
                if isinstance(item, (torch.Tensor, nn.Module)):
                    yield f"{name}[{i}]", name, item
        elif isinstance(value, dict) and len(value) < _CONTAINER:
            for key, item in list(value.items()):
                if isinstance(item, (torch.Tensor, nn.Module)):
                    yield f"{name}[{key!r}]", name, item


def _attributes_of_methods(cls: type) -> tuple[set[str], set[str]]:
    """Attribute names that the class's own methods, __init__ excepted, read; and those they set."""
    read: set[str] = set()
    written: set[str] = set()
    for base in cls.__mro__:
        if base.__module__ != "__main__":
            continue
        for name, method in vars(base).items():
            if isinstance(method, FunctionType) and name != "__init__":
                for code in _codes(method.__code__):
                    read |= set(code.co_names)
                    written |= _stored(code)
    return read, written


def _codes(code: CodeType) -> Iterator[CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _codes(constant)


def _stored(code: CodeType) -> set[str]:
    import dis

    return {str(i.argval) for i in dis.get_instructions(code) if i.opname == "STORE_ATTR"}
