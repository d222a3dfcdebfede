"""Find which index picks the samples that are trained on, and which those that are judged.

`x[train_idx]` in a loop with a backward, and `x[test_idx]` where no gradients are recorded: the
test data themselves are held nowhere, and their numbers say which samples they are.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import torch

from executor.inside.remarks.syntax import (
    assigned,
    calls_in,
    dotted,
    functions,
    inside,
    outermost,
    reached,
    tail,
    without_gradients,
)
from executor.inside.walking import walk

_FAR = 3  # steps from a batch's index back to the one that it is a part of
_MOST = 100_000
_LEAST = 8  # samples
_SHARE = 0.1


class DrawnTwice:
    """The indices of training data and of test data that are taken from one data set."""

    def __init__(self, tree: ast.Module) -> None:
        self._pairs = list(_pairs(tree))
        self._known = {name for pair in self._pairs for names in pair for name in names}
        self._held: dict[str, set[int]] = {}

    def look(self, name: str, value: object) -> None:
        """Note an index, while there is a step."""
        new = name in self._known and name not in self._held
        if new and (numbers := _numbers(value)) is not None:
            self._held[name] = numbers

    def found(self, namespace: Mapping[str, Any]) -> tuple[str, str, int, int] | None:
        """The names of two indices with some numbers in common, how many, and of how many."""
        for name, value in namespace.items():
            self.look(name, value)
        for trained, judged in self._pairs:
            ours = [n for n in trained if n in self._held]
            seen: set[int] = set().union(*(self._held[n] for n in ours))
            for test in (n for n in judged if n in self._held and n not in trained):
                asked = self._held[test]
                both = len(asked & seen)
                if both == len(seen):
                    continue  # all there is, those of the training among them
                if len(asked) >= _LEAST and _SHARE * len(asked) <= both < len(asked):
                    return ours[0], test, both, len(asked)
        return None


def loaders(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """The loaders that a training goes over, each with those that are only judged."""
    own = functions(tree)
    scopes: list[ast.Module | ast.FunctionDef] = [tree, *own.values()]
    off = {n for scope in scopes for n in without_gradients(scope)}
    trained: set[str] = set()
    judged: set[str] = set()
    for node in walk(tree):
        if isinstance(node, ast.For) and (name := _gone_over(node.iter)):
            if node in off:
                judged.add(name)
            elif calls_in(reached(node, own), "backward"):
                trained.add(name)
    yield from ((a, b) for a in sorted(trained) for b in sorted(judged - trained))


def _gone_over(node: ast.expr) -> str:
    while isinstance(node, ast.Call) and tail(node) in ("enumerate", "tqdm") and node.args:
        node = node.args[0]
    return node.id if isinstance(node, ast.Name) else ""


def _numbers(value: object) -> set[int] | None:
    """The numbers of an index; None of anything else."""
    if type(value) is range or (type(value) is list and all(type(v) is int for v in value)):
        return set(value) if len(value) <= _MOST else None
    if type(value) is torch.Tensor:
        plain = value.layout is torch.strided and not value.is_floating_point()
        value = value.detach().cpu().numpy() if plain and value.numel() <= _MOST else None
    if type(value) is np.ndarray and value.dtype.kind in "iu" and value.ndim == 1:
        return set(value.tolist()) if len(value) <= _MOST else None
    return None


def _pairs(tree: ast.Module) -> Iterator[tuple[set[str], set[str]]]:
    """For each data set the names that pick what is trained on, and what is judged."""
    own = functions(tree)
    scopes: list[ast.Module | ast.FunctionDef] = [tree, *own.values()]
    off = {n for scope in scopes for n in without_gradients(scope)}
    loops = [
        loop
        for scope in scopes
        for loop in outermost(scope)
        if calls_in(reached(loop, own), "backward") and loop not in off
    ]
    trained: dict[str, set[str]] = {}
    judged: dict[str, set[str]] = {}
    for loop in loops:
        for base, name in _picked([n for n in inside(loop) if n not in off], loop):
            trained.setdefault(base, set()).add(name)
    for base, name in _picked(list(off), tree):
        judged.setdefault(base, set()).add(name)
    for base in trained.keys() & judged.keys():
        yield trained[base], judged[base]


def _picked(nodes: list[ast.AST], scope: ast.AST) -> Iterator[tuple[str, str]]:
    """Each `x[index]`: the data, and the index, or that which a batch's is a part of."""
    sources = _sources(scope)
    for node in nodes:
        match node:
            case ast.Subscript(value=of, slice=ast.Name(id=name), ctx=ast.Load()) if dotted(of):
                for whole in _wholes(name, sources):
                    yield dotted(of), whole
            case ast.Subscript(
                value=of, slice=ast.Subscript(value=ast.Name(id=name)), ctx=ast.Load()
            ) if dotted(of):
                yield dotted(of), name


def _wholes(name: str, sources: dict[str, set[str]]) -> set[str]:
    found = {name}
    for _ in range(_FAR):
        found = {s for n in found for s in sources.get(n, {n})}
    return found


def _sources(scope: ast.AST) -> dict[str, set[str]]:
    """Of what a loop's variable, or one that is set there, is a part: `b` of `a[…].split(8)`."""
    found: dict[str, set[str]] = {}
    if isinstance(scope, ast.Module):
        return found
    for node in walk(scope):
        match node:
            case ast.For(target=ast.Name(id=name), iter=over) if part := _part_of(over):
                found.setdefault(name, set()).add(part)
    for _, name, value in assigned(scope):
        if name and (part := _part_of(value)) and part != name:
            found.setdefault(name, set()).add(part)
    return found


def _part_of(node: ast.expr) -> str:
    """`a` of `a[…]`, `a.split(8)`, `enumerate(a.chunk(4))`."""
    match node:
        case ast.Subscript(value=ast.Name(id=name)):
            return name
        case ast.Subscript(value=of):
            return _part_of(of)
        case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="split" | "chunk")):
            return name
        case ast.Call(func=ast.Attribute(value=of, attr="split" | "chunk")):
            return _part_of(of)
        case ast.Call(args=[ast.Name(id=name), *_]) if tail(node) in ("split", "chunk", "tqdm"):
            return name
        case ast.Call(args=[inner, *_]) if tail(node) in ("enumerate", "tqdm", "split", "chunk"):
            return _part_of(inner)
    return ""
