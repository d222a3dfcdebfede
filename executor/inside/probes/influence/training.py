"""Count how often a run computed gradients, applied them and reset them."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from typing import Any

import torch
from torch import nn
from torch.optim import Optimizer
from torch.optim.optimizer import register_optimizer_step_pre_hook

from executor.inside.probes.gradients import leaves_of
from executor.inside.probes.source import SnippetSource
from executor.inside.probes.training.quiet import quietly

_LOSSES = 2000
_LINES = 20


class TrainingCalls:
    """Counts backward, step and zero_grad; notes a loss whose gradients were added twice."""

    def __init__(self, source: SnippetSource) -> None:
        self.source = source
        self.backwards = 0
        self.steps = 0
        self.zero_grads = 0
        self.doubled: list[int] = []
        self.leaf_losses: list[int] = []
        self.problem = ""
        self._doubling: int | None = None
        self._losses: dict[int, weakref.ref[torch.Tensor]] = {}

    def start(self) -> None:
        """Listen."""
        self._backward, self._grad = torch.autograd.backward, torch.autograd.grad
        torch.autograd.backward = self._on_backward
        torch.autograd.grad = self._on_grad
        self._hook = register_optimizer_step_pre_hook(self._on_step)
        self._zeros = Optimizer.zero_grad, nn.Module.zero_grad
        for owner, original in zip((Optimizer, nn.Module), self._zeros, strict=True):
            owner.zero_grad = self._counted(original)  # type: ignore[attr-defined]

    def stop(self) -> None:
        """Stop listening."""
        torch.autograd.backward, torch.autograd.grad = self._backward, self._grad
        self._hook.remove()
        Optimizer.zero_grad, nn.Module.zero_grad = self._zeros  # type: ignore[method-assign]

    def _on_backward(self, tensors: Any, *args: Any, **kwargs: Any) -> None:
        self._doubling = None
        self._guard(lambda: self._look(tensors))
        doubling = self._doubling
        self._backward(tensors, *args, **kwargs)
        self.backwards += 1
        if doubling is not None:  # and it did not raise
            _add(self.doubled, doubling)

    def _on_grad(self, outputs: Any, *args: Any, **kwargs: Any) -> Any:
        before = self.backwards
        grads = self._grad(outputs, *args, **kwargs)
        self.backwards = before + 1  # where a function mode listens, it calls itself again
        return grads

    def _on_step(self, optimizer: Any, args: Any, kwargs: Any) -> None:
        self.steps += 1

    def _counted(self, original: Any) -> Any:
        def zero_grad(owner: Any, *args: Any, **kwargs: Any) -> Any:
            self.zero_grads += 1
            return original(owner, *args, **kwargs)

        return zero_grad

    def _look(self, tensors: Any) -> None:
        roots = [tensors] if issubclass(type(tensors), torch.Tensor) else list(tensors)
        if not roots:
            return
        loss, line = roots[0], self.source.line_now()
        if line is None:
            return
        if loss.is_leaf and loss.requires_grad and not isinstance(loss, nn.Parameter):
            _add(self.leaf_losses, line)
        known = self._losses.get(id(loss))
        if known is not None and known() is loss:
            grads = [g for leaf in leaves_of(roots) if (g := leaf.grad) is not None]
            if any(bool((g != 0).any()) for g in grads):
                self._doubling = line
        elif len(self._losses) < _LOSSES:
            self._losses[id(loss)] = weakref.ref(loss)

    def _guard(self, look: Callable[[], None]) -> None:
        try:
            with quietly():
                look()
        except Exception as e:
            self.problem = self.problem or f"training: {type(e).__name__}: {e}"[:200]


def _add(lines: list[int], line: int) -> None:
    if line not in lines and len(lines) < _LINES:
        lines.append(line)
