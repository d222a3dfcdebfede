"""Find graphs that no backward goes back through, left by an evaluation or a state carried on.

What is left when the run is over tells: outputs in a list or joined into one, whose graphs are
whole; a state that each round of a loop gets from the round before, with all rounds behind it.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

import torch

from executor.inside.probes.training import graph
from executor.inside.probes.training.findings import FindingCollector
from executor.inside.probes.training.kept_edits import cut_in_loop, without_graphs
from executor.inside.probes.training.names import SnippetNames
from executor.inside.probes.training.nodes import what
from executor.inside.probes.training.overwrites import value_of
from executor.inside.probes.training.quiet import grad_fn
from executor.inside.remarks.syntax import calls_in, dotted, functions, inside, loops, reached
from executor.inside.walking import walk

_PARTS = 8  # outputs of which a list, or what is joined, consists
_ROUNDS, _NODES = 20, 100  # of a loop; of a state's graph, where nobody knows the rounds
_LONG = 2000


def report_never_back(
    collector: FindingCollector, tree: ast.Module, names: SnippetNames, namespace: dict[str, Any]
) -> None:
    """Add what keeps graphs for nothing, after a run that trained."""
    for name, loop in _carried(tree):
        state = _first(namespace.get(name))
        if state is None or not graph.is_intact(state):
            continue
        nodes = graph.size(state)
        rounds = _rounds(loop, namespace)
        if nodes is None or (nodes >= _NODES if rounds is None else rounds >= _ROUNDS):
            many = f"{nodes} nodes" if nodes is not None else "very many nodes"
            collector.add(
                "graph_kept",
                loop.lineno,
                name,
                f"`{name}` goes from round to round of this loop with the graph of all rounds "
                f"before ({many} in the end), and nothing calls backward() on it: memory grows "
                "with every round; run the loop under `with torch.no_grad():`, or cut the state "
                "with `.detach()` at the end of a round",
                ways=cut_in_loop(name, loop),
            )
            return
    for name, held in list(namespace.items()):
        parts = _parts(held) if not name.startswith("__") else None
        if parts and names.line_of_append(name) is not None:
            collector.add(
                "graph_kept",
                names.line_of_append(name),
                name,
                f"`{name}` keeps {parts} outputs with their graphs, and nothing calls backward() "
                "on them: that is memory for every layer's inputs (eval() changes nothing here); "
                "run this part under `with torch.no_grad():`",
                ways=without_graphs(tree, [(name, False)]),
            )
            return


def _parts(held: Any) -> int | None:
    """How many outputs a list holds, or what is joined consists of, each with its whole graph."""
    if type(held) is list and _PARTS <= len(held) < _LONG:
        tensors = [t for t in held if _is_made(t)]
        whole = len(tensors) == len(held) and all(map(graph.is_intact, (held[0], held[-1])))
        return len(held) if whole and any(t.dim() for t in tensors) else None
    if _is_made(held):
        before = [n for n, _ in held.grad_fn.next_functions if n is not None]
        joined = what(held.grad_fn) in ("Cat", "Stack") and len(before) >= _PARTS
        return len(before) if joined and graph.is_intact(held) else None
    return None


def _first(held: Any) -> torch.Tensor | None:
    """The state itself, or the first one of a tuple of states."""
    held = held[0] if type(held) is tuple and held else held
    return held if _is_made(held) else None


def _is_made(held: Any) -> bool:
    """Whether it is a tensor with a graph; no `__class__` of the snippet's is asked."""
    return issubclass(type(held), torch.Tensor) and grad_fn(held) is not None


def _rounds(loop: ast.For | ast.While, namespace: dict[str, Any]) -> int | None:
    """How often it goes round, where it counts by whole numbers that are known."""
    match loop:
        case ast.For(iter=ast.Call(func=ast.Name(id="range"), args=given)):
            told = [value_of(a, namespace) for a in given]
            if told and all(type(n) is int for n in told) and (len(told) < 3 or told[2]):
                return len(range(*told))
    return None


def _carried(tree: ast.Module) -> Iterator[tuple[str, ast.For | ast.While]]:
    """Each name that a loop without a backward gives to a call and gets back from it.

    Only loops that stand for themselves: within a function, or another loop that trains, a
    backward may follow.
    """
    own = functions(tree)
    for loop in (s for s in tree.body if isinstance(s, ast.For | ast.While)):
        for inner in (n for n in loops(loop) if n is loop or n in set(inside(loop))):
            if calls_in(reached(loop, own), "backward"):
                continue
            for node in inside(inner):
                match node:
                    case ast.Assign(targets=[target], value=ast.Call(args=given)):
                        made = {dotted(n) for n in walk(target)} - {""}
                        yield from ((dotted(a), inner) for a in given if dotted(a) in made)
