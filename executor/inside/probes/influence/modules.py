"""Keep the snippet's own calls of modules with copies of their inputs, and layers' masks."""

from __future__ import annotations

from typing import Any

import torch
from torch import nn

from executor.inside import torch_private as private
from executor.inside.probes.again import KeptCall
from executor.inside.probes.influence.operations import PAIRED_LOSSES, Operations, is_tracing
from executor.inside.probes.source import SnippetSource
from executor.inside.probes.training.quiet import quietly
from executor.protocol import InnerCall

_CALLS = 8
_ELEMENTS = 1 << 20  # of one call's inputs
_SEQUENCES = 40
_LAYERS = (
    nn.RNNBase, nn.MultiheadAttention, nn.Transformer, nn.TransformerEncoder,
    nn.TransformerDecoder, nn.TransformerEncoderLayer, nn.TransformerDecoderLayer,
)  # fmt: skip


class KeptCalls:
    """The first call of each module on each line."""

    def __init__(self, source: SnippetSource, operations: Operations) -> None:
        self.source = source
        self.calls: list[KeptCall] = []
        self.sequences: list[InnerCall] = []
        self._operations = operations
        self._known: set[tuple[int, int | None]] = set()
        self._now: KeptCall | None = None

    def enter(self, module: nn.Module, args: Any, kwargs: Any, line: int | None) -> None:
        """A call begins."""
        self._now = None
        if is_tracing():
            return
        with private.DisableTorchFunction(), quietly():
            if isinstance(module, PAIRED_LOSSES):
                given = [*args, *(kwargs[k] for k in ("input", "target") if k in kwargs)]
                self._operations.loss(type(module).__name__, line, given)
            if type(module).__module__ == nn.MSELoss.__module__ or len(self.calls) >= _CALLS:
                return
            if (id(module), line) in self._known:
                return
            self._known.add((id(module), line))
            tensors = [a for a in (*args, *kwargs.values()) if issubclass(type(a), torch.Tensor)]
            if not tensors or sum(t.numel() for t in tensors) > _ELEMENTS:
                return
            self._now = KeptCall(
                module,
                tuple(_copy(a) for a in args),
                {name: _copy(a) for name, a in kwargs.items()},
                line,
                torch.is_grad_enabled(),
            )
            self.calls.append(self._now)

    def leave(self, module: nn.Module, output: Any) -> None:
        """It has ended."""
        if issubclass(type(output), torch.Tensor) and output.is_floating_point():
            self._operations.computed(output)
        if self._now is not None and self._now.module is module:
            self._now.finished = True

    def inner(self, module: nn.Module, args: Any, kwargs: dict[str, Any]) -> None:
        """A layer that looks at sequences was called, by whomever."""
        if not isinstance(module, _LAYERS) or is_tracing() or len(self.sequences) >= _SEQUENCES:
            return
        tensors = [a for a in args if issubclass(type(a), torch.Tensor)]
        tensors += [
            kwargs[k] for k in ("input", "src", "query") if k in kwargs and kwargs[k] is not None
        ]
        masks = {
            name: tuple(a.shape)
            for name, a in kwargs.items()
            if name.endswith("mask") and issubclass(type(a), torch.Tensor)
        }
        call = InnerCall(
            module=type(module).__name__,
            line=self.source.line_now(),
            inputs=tuple(tuple(t.shape) for t in tensors[:3]),
            masks=masks,
            batch_first=bool(getattr(module, "batch_first", False)),
        )
        if call not in self.sequences:
            self.sequences.append(call)


def _copy(value: Any) -> Any:
    return value.detach().clone() if issubclass(type(value), torch.Tensor) else value
