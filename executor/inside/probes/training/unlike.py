"""Find models that are evaluated on inputs of quite another scale than they were trained on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from executor.inside import torch_private as private
from executor.inside.probes.training.findings import FindingCollector
from executor.inside.probes.training.quiet import quietly

_FACTOR = 20  # between two scales that nobody means to be one
_VALUES = 64  # of an input that say something of its scale
_ELEMENTS = 1 << 20
_MODELS = 8


@dataclass(frozen=True)
class _Scale:
    """The values of a model's only input, at one call."""

    line: int | None
    sizes: tuple[int, ...]
    low: float
    high: float
    spread: float

    def told(self) -> str:
        return f"{self.low:.3g} to {self.high:.3g}"

    def differs(self, other: _Scale) -> bool:
        """Whether both their spread and their largest value are a factor apart, the same way."""
        ways = [
            (self.spread, other.spread),
            (max(-self.low, self.high), max(-other.low, other.high)),
        ]
        return all(a * _FACTOR < b for a, b in ways) or all(b * _FACTOR < a for a, b in ways)


class Unlike:
    """The first input of each model where it is trained, and where it is not."""

    def __init__(self) -> None:
        self._seen: dict[tuple[int, bool], tuple[nn.Module, _Scale | None]] = {}

    def called(
        self, module: nn.Module, args: Any, kwargs: Any, line: int | None, *, recorded: bool
    ) -> None:
        """A model is called, for the first time with gradients or without."""
        key = id(module), recorded
        if key in self._seen or len(self._seen) >= 2 * _MODELS:
            return
        given = [a for a in (*args, *kwargs.values()) if issubclass(type(a), torch.Tensor)]
        one = given[0] if len(given) == 1 and type(given[0]) is torch.Tensor else None
        self._seen[key] = module, _scale(one, line) if one is not None else None

    def report(self, collector: FindingCollector, optimized: set[int]) -> None:
        """Add the findings: of models that an optimizer moves."""
        for (key, recorded), (module, trained) in self._seen.items():
            _, used = self._seen.get((key, False), (None, None))
            if not recorded or trained is None or used is None:
                continue
            if trained.sizes != used.sizes or not trained.differs(used):
                continue
            if any(id(p) in optimized for p in module.parameters()):
                kind = type(module).__name__
                collector.add(
                    "evaluated_on_another_scale",
                    used.line,
                    kind,
                    f"`{kind}` is trained on values of {trained.told()} (line {trained.line}), "
                    f"and asked here, without gradients, about values of {used.told()}: bring both "
                    "to one scale by the same steps",
                )


def _scale(given: torch.Tensor, line: int | None) -> _Scale | None:
    if private.unwrapped(given) is not None or private.profiled():
        return None
    with quietly():
        if not _VALUES <= given.numel() <= _ELEMENTS:
            return None
        if not given.is_floating_point() or given.dim() < 2 or given.layout is not torch.strided:
            return None
        low, high = (float(v) for v in given.aminmax())
        spread = float(given.float().std())
        if not spread > 0:
            return None  # a constant, or NaN
        return _Scale(line, tuple(given.shape[1:]), low, high, spread)
