"""Find losses that are kept with their graphs, so that memory grows with every step."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import torch

from executor.inside.probes.training import graph
from executor.inside.probes.training.findings import FindingCollector
from executor.inside.probes.training.names import SnippetNames

_LEAST = 3  # losses in one variable before anything is said
_LONG = 2000


class Kept:
    """Compares the snippet's variables from time to time, and reports those that grow."""

    def __init__(self, names: SnippetNames, is_loss: Callable[[object], bool]) -> None:
        self.names = names
        self._is_loss = is_loss
        self._before: dict[str, int] = {}
        self._grown: dict[str, tuple[int, bool]] = {}
        self._steps = 0

    def step(self) -> None:
        """Note an optimizer's step; compare at steps 1, 2, 4, 8, …"""
        self._steps += 1
        if self._steps & (self._steps - 1) == 0:
            self.look(self.names.variables())

    def look(self, variables: Iterable[tuple[str, object]]) -> None:
        """Compare with the last look."""
        now: dict[str, int] = {}
        for name, value in variables:
            if name in now or name.startswith("__"):
                continue
            if issubclass(type(value), torch.Tensor):
                assert isinstance(value, torch.Tensor)
                n, is_list = (graph.chain(value) if value.dim() == 0 else 0), False
            elif type(value) is list and 0 < len(value) < _LONG:
                n, is_list = sum(map(self._keeps, value)), True
            else:
                continue
            now[name] = n
            if n >= _LEAST and n > self._before.get(name, 0) > 0:
                self._grown[name] = n, is_list
        self._before.update(now)

    def _keeps(self, item: object) -> bool:
        if not issubclass(type(item), torch.Tensor) or not self._is_loss(item):
            return False
        assert isinstance(item, torch.Tensor)
        return item.grad_fn is not None

    def report(self, collector: FindingCollector) -> None:
        """Add the findings, after the run."""
        for name, (n, is_list) in self._grown.items():
            line = (self.names.line_of_append(name) if is_list else None) or self.names.line_of(
                name, 1 << 30
            )
            collector.add(
                "graph_kept",
                line,
                name,
                f"`{name}` keeps {n} losses with their graphs and grows with every step: "
                "item() gives the number alone",
                losses=n,
            )
