"""Which modules the snippet itself calls, with what shapes and in which mode."""

from __future__ import annotations

import weakref
from typing import Any

import torch
from torch import nn
from torch.nn.modules import module as hooks

from executor.job import ModuleCall
from executor.probes.source import Source

_CALLS = 50


class Calls:
    """Listens to every module; what the snippet calls, and no other module does, is a root."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.seen: list[ModuleCall] = []
        self.roots: dict[int, nn.Module] = {}  # called where gradients were recorded
        self.inputs: set[int] = set()
        self.evaluating: dict[int, int | None] = {}  # roots in eval mode → the line of the call
        self.last_inputs: list[weakref.ref[torch.Tensor]] = []
        self._stack: list[tuple[nn.Module, int | None, tuple[int, ...]]] = []
        self._known: set[tuple[Any, ...]] = set()

    def start(self) -> list[Any]:
        """Listen; what comes back has to be removed."""
        return [
            hooks.register_module_forward_pre_hook(self._enter),
            hooks.register_module_forward_hook(self._leave, always_call=True),
        ]

    def _enter(self, module: nn.Module, args: tuple[Any, ...]) -> None:
        if self._stack:
            self._stack.append((module, None, ()))
            return
        tensors = [a for a in args if issubclass(type(a), torch.Tensor)]
        self.inputs.update(map(id, tensors))
        line = self.source.line_now()
        if torch.is_grad_enabled():
            self.roots.setdefault(id(module), module)
            self.last_inputs = [weakref.ref(t) for t in tensors]
            if module.training:
                self.evaluating.pop(id(module), None)
            else:
                self.evaluating[id(module)] = line
        shape = tuple(tensors[0].shape) if tensors and tensors[0] is args[0] else ()
        self._stack.append((module, line, shape))

    def _leave(self, module: nn.Module, args: tuple[Any, ...], output: Any) -> None:
        if not self._stack or self._stack[-1][0] is not module:
            return
        _, line, shape = self._stack.pop()
        if self._stack or not isinstance(output, torch.Tensor) or len(self.seen) >= _CALLS:
            return
        key = type(module), line, shape, output.shape
        if key in self._known:
            return
        self._known.add(key)
        call = ModuleCall(
            module=type(module).__name__, line=line, inputs=shape, outputs=tuple(output.shape)
        )
        if call not in self.seen:
            self.seen.append(call)
