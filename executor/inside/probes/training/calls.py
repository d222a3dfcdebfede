"""Which modules the snippet itself calls, with what shapes and in which mode."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Sequence
from typing import Any, Protocol

import torch
from torch import nn

from executor.inside import torch_private as private
from executor.inside.probes.source import SnippetSource
from executor.inside.probes.training.disguised import disguised
from executor.inside.probes.training.quiet import finite, grad_fn, parameters, requires_grad, shape
from executor.inside.probes.training.signs import TAKES_SIGNS, Signs
from executor.inside.probes.training.unlike import Unlike
from executor.protocol import ModuleCall

_CALLS = 50
_ASKED = 50  # calls of a root after which nothing new is learnt of where its inputs come from
_GIVEN = 8  # calls between two backwards whose inputs are kept


class Keeper(Protocol):
    """Hears of every call of a root."""

    def enter(self, module: nn.Module, args: Any, kwargs: Any, line: int | None) -> None:
        """It begins."""

    def leave(self, module: nn.Module, output: Any) -> None:
        """It has ended, without an error."""


class Calls:
    """Listens to the modules that no other module calls: the roots.

    PyTorch's hooks cost each call more than a small layer does, and add a frame to every
    traceback. So `Module.__call__` is replaced for the run: it does what PyTorch's does and notes
    the call, unless it comes from inside another root.
    """

    def __init__(self, source: SnippetSource) -> None:
        self.source = source
        self.seen: list[ModuleCall] = []
        self.roots: dict[int, nn.Module] = {}  # called where gradients were recorded
        self.unrecorded: dict[int, weakref.ref[nn.Module]] = {}  # called where none were
        self.inputs: set[int] = set()
        self.fed: set[int] = set()  # roots that got a tensor which requires a gradient …
        self.plain: set[int] = set()  # … and those that got one like it, or only ones, without
        self._asked: dict[int, int] = {}
        self._settled: set[int] = set()  # losses of PyTorch's: what they can tell was told long ago
        # The inputs of the calls since the last backward: the root's id, and its tensors.
        self.given: list[tuple[int, list[weakref.ref[torch.Tensor]]]] = []
        self.evaluating: dict[int, int | None] = {}  # roots in eval mode → the line of the call
        self.in_training: set[int] = set()  # roots that were called so in training mode
        self.asked_in_training = False  # a root was, without gradients, and it matters
        self.keeper: Keeper | None = None
        # Hears of a recorded call of a root that is the first, or is in `unpaired`.
        self.first: Callable[[nn.Module, Any, Any, int | None], None] | None = None
        self.unrecorded_first: Callable[[nn.Module, Sequence[torch.Tensor]], None] | None = None
        self.unpaired: set[int] = set()
        self.unlike = Unlike()
        self.signs = Signs()
        self._root: tuple[int | None, tuple[int, ...]] = None, ()
        self._known: set[tuple[Any, ...]] = set()
        self._working = False  # inside a root: all calls are the root's own
        self.problem = ""

    def start(self) -> None:
        """Listen."""
        original: Any = nn.Module.__call__
        self._original = original
        nn.Module.__call__ = disguised(self._listener(), original)  # type: ignore[method-assign]

    def stop(self) -> None:
        """Stop listening."""
        nn.Module.__call__ = self._original  # type: ignore[method-assign]

    def all(self) -> list[nn.Module]:
        """Every root that was called and still exists."""
        others = [m for r in self.unrecorded.values() if (m := r()) is not None]
        return [*self.roots.values(), *others]

    def inputs_finite(self) -> bool | None:
        """Whether the models' own inputs since the last backward were finite; None if unknown.

        A loss module has no parameters, and what another model computed is no input: neither is
        asked. A later model may have been given what an earlier one computed without a graph, so
        that only the first one's inputs can be said to have held NaN.
        """
        asked: list[bool] = []
        for key, refs in self.given:
            module = self.roots.get(key) or (
                self.unrecorded[key]() if key in self.unrecorded else None
            )
            if module is None or not any(True for _ in parameters(module)):
                continue
            inputs = [t for r in refs if (t := r()) is not None and grad_fn(t) is None]
            if inputs:
                asked.append(all(map(finite, inputs)))
        if not asked:
            return None
        return True if all(asked) else (None if asked[0] else False)

    def _listener(calls) -> Any:  # noqa: N805 - `self` is the module: tracebacks show its frame
        def listener(self: Any, *args: Any, **kwargs: Any) -> Any:
            call = self._compiled_call_impl or self._call_impl
            # torch.export must not trace our code; its tracer evaluates is_compiling() itself.
            if calls._working or torch.compiler.is_compiling() or id(self) in calls._settled:
                return call(*args, **kwargs)
            calls._working = True
            try:
                try:
                    calls._enter(self, args, kwargs)
                    if calls.keeper is not None:
                        calls.keeper.enter(self, args, kwargs, calls._root[0])
                except Exception as e:  # ours: of a module without a hash nothing can be listed
                    calls.problem = calls.problem or f"{type(e).__name__}: {e}"[:200]
                output = call(*args, **kwargs)
                try:
                    calls._leave(self, output)
                    if calls.keeper is not None:
                        calls.keeper.leave(self, output)
                except Exception as e:
                    calls.problem = calls.problem or f"{type(e).__name__}: {e}"[:200]
                return output
            finally:
                calls._working = False

        return listener

    def _enter(self, module: nn.Module, args: tuple[Any, ...], kwargs: Any) -> None:
        if len(args) == 1 and type(args[0]) is torch.Tensor:  # nearly always, and every call pays
            tensors: Sequence[torch.Tensor] = args
            self.inputs.add(id(args[0]))
        else:
            tensors = [a for a in args if issubclass(type(a), torch.Tensor)]
            self.inputs.update(map(id, tensors))
        line = self.source.line_above(2)
        key = id(module)
        if len(self.given) < _GIVEN:
            self.given.append((key, list(map(weakref.ref, tensors))))
        if type(module) in TAKES_SIGNS:
            self.signs.called(module, args, line)
        if torch.is_grad_enabled():
            if key not in self.roots or key in self.unpaired:
                if key not in self.roots:
                    self.unlike.called(module, args, kwargs, line, recorded=True)
                self.roots[key] = module
                if self.first is not None:
                    self.first(module, args, kwargs, line)
            if tensors and self._asked.get(key, 0) < _ASKED:
                self._note_fed(key, module, tensors)
            try:
                is_training = module.training
            except Exception:  # super().__init__() was forgotten; PyTorch is about to say so
                is_training = True
            if not is_training:
                self.evaluating[key] = line
            elif key not in self.in_training or self.evaluating:
                self.in_training.add(key)
                self.evaluating.pop(key, None)
        elif key not in self.unrecorded:
            self.unrecorded[key] = weakref.ref(module)
            self.asked_in_training |= _acts_in_training(module)
            self.unlike.called(module, args, kwargs, line, recorded=False)
            if self.unrecorded_first is not None:
                self.unrecorded_first(module, tensors)
        self._root = line, shape(tensors[0]) if tensors and tensors[0] is args[0] else ()

    def _note_fed(self, key: int, module: nn.Module, tensors: Sequence[torch.Tensor]) -> None:
        self._asked[key] = asked = self._asked.get(key, 0) + 1
        fed = list(map(requires_grad, tensors))
        if any(fed):
            self.fed.add(key)
        if not all(fed) and (not any(fed) or _are_alike(tensors)):
            self.plain.add(key)
        of_pytorch = type(module).__module__ == nn.MSELoss.__module__
        if asked == _ASKED and of_pytorch and self.keeper is None:
            self._settled.add(key)  # `roots` holds it, so that its id stays its own

    def _leave(self, module: nn.Module, output: Any) -> None:
        if len(self.seen) >= _CALLS or not issubclass(type(output), torch.Tensor):
            return
        line, given = self._root
        key = type(module), line, given, shape(output)
        if key in self._known:
            return
        self._known.add(key)
        if issubclass(type(module), torch.jit.ScriptModule):
            return
        call = ModuleCall(
            module=type(module).__name__,
            line=line,
            inputs=tuple(given),
            outputs=tuple(key[3]),
            time_first=_takes_time_first(module),
        )
        if call not in self.seen:
            self.seen.append(call)


def _are_alike(tensors: Sequence[torch.Tensor]) -> bool:
    """Whether they are of one kind, as what is compared with each other is: `(output, clean)`."""
    return len({(shape(t), t.dtype) for t in tensors}) == 1


def _takes_time_first(module: nn.Module) -> bool:
    """Whether it has layers that work along the time, and none of them takes the batch first."""
    kinds = (nn.RNNBase, nn.MultiheadAttention)
    first = [m.batch_first for m in module.modules() if isinstance(m, kinds)]
    return bool(first) and not any(first)


def _acts_in_training(module: nn.Module) -> bool:
    """Whether a part of it drops values, or takes the statistics of its batch."""
    return any(
        m.training and (isinstance(m, private.BatchNorm) or getattr(m, "p", 0) > 0)
        for m in module.modules()
        if isinstance(m, (private.Dropout, private.BatchNorm))
    )
