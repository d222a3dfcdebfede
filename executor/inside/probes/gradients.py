"""Record what a run computed: each backward's loss and leaf gradients, and the final tensors.

As an oracle it keeps a copy of what was saved before an in-place change (`originals.py`), so that
backward goes on with the gradients of the forward as written, which a fix must reproduce.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

import torch

from executor.inside import torch_private as private
from executor.inside.probes.originals import Originals
from executor.inside.probes.source import SnippetSource
from executor.inside.probes.tensors import fingerprint, fingerprints
from executor.inside.probes.training.quiet import quietly
from executor.protocol import Backward, Fingerprint, Values

_NODES = 20_000
_BACKWARDS = 200
_TENSORS = 200


class GradientsProbe:
    """Listens to backward() and grad(); with `oracle`, changed saved tensors raise no error."""

    def __init__(self, source: SnippetSource, *, oracle: bool, compiles: bool = False) -> None:
        self.source = source
        self._originals = Originals(compiles=compiles) if oracle else None
        self.seen: list[Backward] = []
        self._stack = ExitStack()

    def start(self) -> None:
        """Listen."""
        if self._originals is not None:
            self._stack.enter_context(self._originals)
        self._backward, self._grad = torch.autograd.backward, torch.autograd.grad
        torch.autograd.backward = self._on_backward
        torch.autograd.grad = self._on_grad

    def stop(self) -> None:
        """Stop listening."""
        torch.autograd.backward, torch.autograd.grad = self._backward, self._grad
        self._stack.close()

    def _on_backward(self, tensors: Any, *args: Any, **kwargs: Any) -> None:
        roots = [tensors] if isinstance(tensors, torch.Tensor) else list(tensors)
        leaves = leaves_of(roots)
        self._backward(tensors, *args, **kwargs)
        self._note(roots, [leaf.grad for leaf in leaves], self._named(leaves))
        if self._originals is not None:
            self._originals.forget_freed()

    def _on_grad(self, outputs: Any, *args: Any, **kwargs: Any) -> Any:
        grads = self._grad(outputs, *args, **kwargs)
        if private.in_transform():  # of torch.func, which asks for its gradients here
            return grads
        roots = [outputs] if isinstance(outputs, torch.Tensor) else list(outputs)
        self._note(roots, grads)
        return grads

    def _named(self, leaves: list[torch.Tensor]) -> tuple[str, ...]:
        """The leaves' variable names in the snippet's frames, each once."""
        wanted = {id(leaf) for leaf in leaves}
        names: dict[int, str] = {}
        frame = self.source.frame()
        while frame is not None:
            if frame.f_code.co_filename == self.source.filename:
                for name, value in list(frame.f_locals.items()):
                    if id(value) in wanted:
                        names.setdefault(id(value), name)
            frame = frame.f_back
        return tuple(names.values())

    def _note(
        self,
        roots: Sequence[torch.Tensor],
        grads: Sequence[torch.Tensor | None],
        leaves: tuple[str, ...] = (),
    ) -> None:
        if len(self.seen) >= _BACKWARDS:
            return
        with quietly():  # else the oracle's listener would be called for each of these operators
            seen = fingerprints([*roots[:1], *(g for g in grads if g is not None)])
            self.seen.append(
                Backward(
                    line=self.source.line_now(),
                    loss=seen[0] if roots else None,
                    grads=tuple(seen[len(roots[:1]) :]),
                    is_leaf=bool(roots) and roots[0].is_leaf,
                    leaves=leaves,
                )
            )

    def values(self, namespace: dict[str, Any]) -> Values:
        """The backwards seen, and the tensors and parameters in the snippet's globals now."""
        tensors: dict[str, Fingerprint] = {}
        for name, value in list(namespace.items()):
            if isinstance(value, torch.nn.Module):
                for key, p in value.named_parameters():
                    tensors[f"{name}.{key}"] = fingerprint(p)
            elif isinstance(value, torch.Tensor) and not name.startswith("__"):
                tensors[name] = fingerprint(value)
            if len(tensors) >= _TENSORS:
                break
        return Values(backwards=tuple(self.seen), tensors=tensors)


def leaves_of(roots: Sequence[torch.Tensor]) -> list[torch.Tensor]:
    """The leaves that a backward from the roots reaches, in the order of the graph."""
    found: list[torch.Tensor] = [r for r in roots if r.grad_fn is None and r.requires_grad]
    seen: set[Any] = set()
    todo = [r.grad_fn for r in reversed(roots) if r.grad_fn is not None]
    while todo and len(seen) < _NODES:
        node = todo.pop()
        if node in seen:
            continue
        seen.add(node)
        leaf = getattr(node, "variable", None)
        if isinstance(leaf, torch.Tensor):
            found.append(leaf)
        todo += [n for n, _ in reversed(node.next_functions) if n is not None]
    return found
