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
    """Listens to the modules that no other module calls: the roots.

    A global hook would slow every layer down. So it is taken away while a root works, and a hook
    of the root's own puts it back: the layers inside run as if nobody listened. The hooks are
    put into torch's tables directly; a handle for each would cost more than all the rest.
    """

    def __init__(self, source: Source) -> None:
        self.source = source
        self.seen: list[ModuleCall] = []
        self.roots: dict[int, nn.Module] = {}  # called where gradients were recorded
        self.unrecorded: dict[int, weakref.ref[nn.Module]] = {}  # called where none were
        self.inputs: set[int] = set()
        self.evaluating: dict[int, int | None] = {}  # roots in eval mode → the line of the call
        self.last_inputs: list[weakref.ref[torch.Tensor]] = []
        self._root: tuple[int | None, tuple[int, ...]] = None, ()
        self._known: set[tuple[Any, ...]] = set()
        self._left: nn.Module | None = None  # a root that still has our hook

    def start(self) -> None:
        """Listen."""
        self._handle = hooks.register_module_forward_pre_hook(self._enter)
        self._key = self._handle.id
        self._pre_hooks: dict[int, Any] = hooks._global_forward_pre_hooks

    def stop(self) -> None:
        """Stop listening."""
        self._handle.remove()
        self._release()

    def all(self) -> list[nn.Module]:
        """Every root that was called and still exists."""
        others = [m for r in self.unrecorded.values() if (m := r()) is not None]
        return [*self.roots.values(), *others]

    def _hold(self, module: nn.Module) -> None:
        if issubclass(type(module), torch.jit.ScriptModule):
            return  # it has no hooks of its own, and nothing inside it calls ours
        module._forward_hooks[self._key] = self._leave
        module._forward_hooks_always_called[self._key] = True
        self._left = module
        self._pre_hooks.pop(self._key, None)

    def _release(self) -> None:
        if self._left is not None:
            self._left._forward_hooks.pop(self._key, None)
            self._left._forward_hooks_always_called.pop(self._key, None)
            self._left = None

    def _enter(self, module: nn.Module, args: tuple[Any, ...]) -> None:
        if self._left is not None:  # it ended in an exception
            self._release()
        self._hold(module)
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
        elif id(module) not in self.unrecorded:
            self.unrecorded[id(module)] = weakref.ref(module)
        shape = tuple(tensors[0].shape) if tensors and tensors[0] is args[0] else ()
        self._root = line, shape

    def _leave(self, module: nn.Module, args: tuple[Any, ...], output: Any) -> None:
        self._pre_hooks[self._key] = self._enter
        if output is None:
            return  # after an exception torch walks over the hooks: none may be removed now
        self._release()
        if not issubclass(type(output), torch.Tensor) or len(self.seen) >= _CALLS:
            return
        line, shape = self._root
        key = type(module), line, shape, output.shape
        if key in self._known:
            return
        self._known.add(key)
        call = ModuleCall(
            module=type(module).__name__, line=line, inputs=shape, outputs=tuple(output.shape)
        )
        if call not in self.seen:
            self.seen.append(call)
