"""Find losses and outputs that are kept with their graphs, so that memory grows with every step."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain, starmap

import torch

from executor.inside.probes.training import graph
from executor.inside.probes.training.findings import FindingCollector
from executor.inside.probes.training.kept_edits import (
    cut_each_round,
    line_of_growth,
    without_graphs,
)
from executor.inside.probes.training.names import SnippetNames
from executor.inside.probes.training.quiet import grad_fn

_LEAST = 3  # losses in one variable before anything is said
_LONG = 2000
_DOUBLED = 3  # times that the number of rounds, and the graph with it, has doubled
_GROWTH = 1.6
_MANY = 50  # entries of a dictionary or an object that is looked into


def _with_held(name: str, value: object) -> Iterator[tuple[str, object]]:
    """A variable, and the lists in it: those of a dictionary, or of an object of the snippet's."""
    yield name, value
    if type(value) is dict and len(value) < _MANY:
        yield from ((f"{name}[{k!r}]", v) for k, v in value.items() if type(v) is list)
    elif type(value).__module__ == "__main__" and not issubclass(type(value), type):
        for key, held in list(getattr(value, "__dict__", {}).items())[:_MANY]:
            if type(held) is list or (issubclass(type(held), torch.Tensor) and held.dim() == 0):
                yield f"{name}.{key}", held
            elif type(held) is dict and len(held) < _MANY:
                yield from ((f"{name}.{key}[{k!r}]", v) for k, v in held.items() if type(v) is list)


@dataclass
class _Outputs:
    """A list of outputs, from one look to the next."""

    first: weakref.ref[torch.Tensor]
    number: int = 0
    grown: int = 0  # looks at which it was longer than before


class Kept:
    """Compares the snippet's variables from time to time, and reports those that grow."""

    def __init__(self, names: SnippetNames, is_loss: Callable[[object], bool]) -> None:
        self.names = names
        self._is_loss = is_loss
        self._before: dict[str, int] = {}
        self._grown: dict[str, tuple[int, bool, int]] = {}
        self._outputs: dict[str, _Outputs] = {}
        self._steps = 0
        self._backwards = 0
        self._sizes: list[int] = []  # of the graph at backwards 2, 4, 8, …
        self._line: int | None = None
        self._huge = False

    def step(self) -> bool:
        """Note an optimizer's step; compare at steps 1, 2, 4, 8, …, and say whether it is one."""
        self._steps += 1
        is_one = self._steps & (self._steps - 1) == 0
        if is_one:
            self.look(self.names.variables())
        return is_one

    def backward_begins(self, loss: torch.Tensor) -> None:
        """Count the nodes of the graph at backwards 2, 4, 8, …"""
        self._backwards += 1
        if self._backwards < 2 or self._backwards & (self._backwards - 1) or self._huge:
            return
        nodes = graph.size(loss)
        self._huge = nodes is None
        if nodes is not None:
            self._sizes.append(nodes)
            self._line = self.names.source.line_now()

    def look(self, variables: Iterable[tuple[str, object]]) -> None:
        """Compare with the last look."""
        now: dict[str, int] = {}
        for name, value in chain.from_iterable(starmap(_with_held, variables)):
            if name in now or name.startswith("__"):
                continue
            if issubclass(type(value), torch.Tensor):
                assert isinstance(value, torch.Tensor)
                n, is_list = (graph.chain(value) if value.dim() == 0 else 0), False
            elif type(value) is list and 0 < len(value) < _LONG:
                n, is_list = sum(map(self._keeps, value)), True
                if not n:
                    self._look_at_outputs(name, value)
            else:
                continue
            now[name] = n
            if n >= _LEAST and n > self._before.get(name, 0) > 0:
                known = next((k for k, v in self._grown.items() if v[2] == id(value)), name)
                self._grown[known if is_list else name] = n, is_list, id(value)
        self._before.update(now)

    def _look_at_outputs(self, name: str, held: list[object]) -> None:
        """Note how many outputs with graphs a list holds, if its first one is still the same."""
        first, last = held[0], held[-1]
        if not all(issubclass(type(t), torch.Tensor) for t in (first, last)):
            return
        assert isinstance(first, torch.Tensor) and isinstance(last, torch.Tensor)
        if grad_fn(first) is None or grad_fn(last) is None:
            return
        seen = self._outputs.get(name)
        if seen is None or seen.first() is not first:
            seen = self._outputs[name] = _Outputs(weakref.ref(first))
        seen.grown += len(held) > seen.number > 0
        seen.number = len(held)

    def _keeps(self, item: object) -> bool:
        if not issubclass(type(item), torch.Tensor) or not self._is_loss(item):
            return False
        assert isinstance(item, torch.Tensor)
        return item.grad_fn is not None

    def report(self, collector: FindingCollector) -> None:
        """Add the findings, after the run."""
        grown = [now > _GROWTH * was for was, now in itertools.pairwise(self._sizes)]
        # Where a sequence ends the next one begins with nothing: it has grown in those before.
        runs = [all(grown[i : i + _DOUBLED]) for i in range(len(grown) - _DOUBLED + 1)]
        if any(runs):
            first = runs.index(True)
            collector.add(
                "graph_grows",
                self._line,
                "",
                "each backward() goes back through all rounds before it: its graph had "
                f"{self._sizes[first]} nodes at number {2 << first} and "
                f"{self._sizes[first + _DOUBLED]} at number {2 << first + _DOUBLED}, so that time "
                "and memory grow with every round; cut what is carried over: "
                "`state = state.detach()` before the next round (and leave out "
                "`retain_graph=True`)",
                ways=cut_each_round(self.names.tree, self._line),
            )
        outputs = {name: seen for name, seen in self._outputs.items() if seen.grown >= _DOUBLED}
        # What is added up to go back through all of it at once is meant so.
        grown_losses: dict[str, tuple[int, bool]] = {}
        for name, (n, is_list, _) in self._grown.items():
            # `t.total` of the program is `self.total` of its method.
            path = name.partition(".")[2]
            known = path and any(path == other.partition(".")[2] for other in grown_losses)
            if not known and (is_list or not self.names.goes_back_from(name)):
                grown_losses[name] = n, is_list
        kept = [*((name, False) for name in outputs), *((name, True) for name in grown_losses)]
        ways = without_graphs(self.names.tree, kept)
        for name, seen in outputs.items():
            collector.add(
                "graph_kept",
                self.names.line_of_append(name) or self.names.line_of(name, 1 << 30),
                name,
                f"`{name}` keeps {seen.number} outputs with their graphs and grows with every "
                "step: append `….detach()`",
                ways=ways,
            )
        for name, (n, is_list) in grown_losses.items():
            line = (
                (self.names.line_of_append(name) if is_list else None)
                or self.names.line_of(name, 1 << 30)
                or line_of_growth(self.names.tree, name)
            )
            collector.add(
                "graph_kept",
                line,
                name,
                f"`{name}` keeps {n} losses with their graphs and grows with every step: "
                "item() gives the number alone",
                losses=n,
                ways=ways,
            )
