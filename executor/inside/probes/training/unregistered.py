"""Find tensors and modules that a model uses without registering them: they never train."""

from __future__ import annotations

import dis
import gc
from collections.abc import Iterable, Iterator
from types import CodeType, FunctionType

import torch
from torch import nn

from executor.inside import torch_private as private
from executor.inside.probes.training.findings import FindingCollector
from executor.inside.probes.training.names import SnippetNames
from executor.inside.probes.training.quiet import parameters
from executor.inside.probes.training.steps import Steps

_CONTAINER = 500


class Unregistered:
    """Looks through the attributes of the snippet's own modules, after the run."""

    def __init__(self, names: SnippetNames, steps: Steps, collector: FindingCollector) -> None:
        self.names = names
        self.steps = steps
        self.collector = collector

    def report(self, modules: Iterable[nn.Module], *, used: bool) -> None:
        """Add the findings; with `used`, only for attributes that the class's methods read."""
        modules = list(modules)
        trained = [m for m in modules if self._is_trained(m)]
        learning = {id(m) for m in with_children(trained)} if used else set()
        for module in with_children(modules):
            cls = type(module)
            if cls.__module__ != "__main__":
                continue
            read, written = _attributes_of_methods(cls)
            registered = {id(p) for p in module.parameters()} | {id(m) for m in module.modules()}
            for path, attribute, value in plain_attributes(module):
                if id(value) in registered or (used and attribute not in read):
                    continue
                line = self.names.attributes.get((cls.__name__, attribute))
                where = {"class": cls.__name__, "attribute": attribute}
                if isinstance(value, nn.Module):
                    if not used or _gets_gradients(value):
                        self._report_hidden_module(path, line, value, where)
                elif attribute not in written:  # a state kept between calls is no parameter
                    weight = not used or (
                        id(module) in learning and self._is_weight(cls, attribute, value)
                    )
                    self._report_plain_tensor(path, line, value, where, weight=weight)

    def _is_trained(self, root: nn.Module) -> bool:
        return any(id(p) in self.steps.optimized for _, p in parameters(root))

    def _is_weight(self, cls: type, attribute: str, tensor: torch.Tensor) -> bool:
        """Whether the code makes it as a weight is made and uses it as one.

        Zeros that hold other values by now were filled: a table, a mask.
        """
        names = {base.__name__ for base in cls.__mro__ if base.__module__ == "__main__"}
        return self.names.intent.is_weight(names, attribute, tensor)

    def _report_hidden_module(
        self, path: str, line: int | None, module: nn.Module, where: dict[str, str]
    ) -> None:
        n = sum(p.numel() for p in module.parameters() if id(p) not in self.steps.optimized)
        if n:
            self.collector.add(
                "unregistered_module",
                line,
                path,
                f"`{path}` ({type(module).__name__}) sits in a plain Python container, so "
                f"parameters() does not know its {n} values",
                **where,
            )

    def _report_plain_tensor(
        self,
        path: str,
        line: int | None,
        tensor: torch.Tensor,
        where: dict[str, str],
        *,
        weight: bool,
    ) -> None:
        facts = where | {"shape": list(tensor.shape), "requires_grad": tensor.requires_grad}
        held = id(tensor) in self.steps.optimized or id(tensor) in self.steps.held
        if not tensor.is_floating_point() or held:
            return
        shape = list(tensor.shape)
        if tensor.requires_grad and tensor.is_leaf:
            watched = self.steps.others.get(id(tensor))
            gets = ""
            if tensor.grad is not None or (watched and watched.missing < watched.steps):
                gets = "gets a gradient, but "
            self.collector.add(
                "unregistered_parameter",
                line,
                path,
                f"`{path}` {shape} {gets}is a plain tensor: parameters() does not hold it, no "
                "optimizer moves it",
                **facts,
            )
        elif tensor.grad_fn is None:
            if not weight and not self.names.intent.moves:
                return  # a constant that nothing loses
            never = "it never trains, and " if weight else ""
            self.collector.add(
                "unregistered_tensor" if weight else "plain_constant",
                line,
                path,
                f"`{path}` {shape} is a plain tensor without gradient: {never}"
                "to() and state_dict() leave it out",
                **facts,
            )
        elif isinstance(tensor.grad_fn, torch.autograd.graph.Node):
            self.collector.add(
                "unregistered_parameter",
                line,
                path,
                f"`{path}` {shape} is the result of {tensor.grad_fn.name()}, not a Parameter: "
                "parameters() does not hold it",
                **facts,
            )


def _gets_gradients(module: nn.Module) -> bool:
    """Whether backward() reached a module that is in training mode: nobody has it stay fixed."""
    own = [p for _, p in parameters(module)]
    return module.training and any(p.requires_grad and p.grad is not None for p in own)


def live_modules() -> list[nn.Module]:
    """Every live module of the snippet's own classes (gc.freeze() hides the server's)."""
    found = []
    for thing in gc.get_objects():
        kind = type(thing)  # isinstance() would call the thing's own __class__
        if issubclass(kind, nn.Module) and kind.__module__ == "__main__":
            found.append(thing)
    return found


def with_children(modules: Iterable[nn.Module]) -> Iterator[nn.Module]:
    """The modules and all their submodules, each once."""
    seen: set[int] = set()
    for root in modules:
        for module in root.modules():
            if id(module) not in seen:
                seen.add(id(module))
                yield module


def plain_attributes(module: nn.Module) -> Iterator[tuple[str, str, torch.Tensor | nn.Module]]:
    """(path, attribute, value) of tensors and modules that nn.Module did not register."""
    for name, value in list(vars(module).items()):
        if name in private.REGISTRIES or name.startswith(private.FORWARD_HOOKS):
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
    """The attributes that the class's methods other than __init__ read, and those they set."""
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
    return {str(i.argval) for i in dis.get_instructions(code) if i.opname == "STORE_ATTR"}
