"""Say which models are brought up to date with which other ones, by whatever way."""

from __future__ import annotations

import ast
from typing import NamedTuple

from executor.inside.remarks.syntax import (
    dotted,
    functions,
    handed,
    inside,
    method_calls,
    owner,
    tail,
    walk,
)
from executor.inside.walking import kept_by_node

_WEIGHTS = {"parameters", "named_parameters", "buffers", "values", "items"}


class Followed(NamedTuple):
    """A model, the one that it gets its weights from, where, and by a call of which function."""

    follower: str
    leader: str
    by: ast.Call


@kept_by_node
def followed(tree: ast.AST) -> tuple[Followed, ...]:
    """Each pair: by `load_state_dict`, weight by weight, or in a function that is given both."""
    found = [
        Followed(owner(load), owner(source), load)
        for load in method_calls(tree, "load_state_dict")
        for source in load.args
        if isinstance(source, ast.Call) and tail(source) == "state_dict"
    ]
    for node in walk(tree):
        if isinstance(node, ast.For):
            found += _weight_by_weight(node)
    for function in functions(tree).values():
        within = set(inside(function))
        own = [f for f in found if f.by in within]
        calls = [c for c in walk(tree) if isinstance(c, ast.Call) and tail(c) == function.name]
        for call in calls if own else ():
            given = {name: dotted(value) for name, value in handed(call, function)}
            found += [
                Followed(given[f.follower], given[f.leader], call)
                for f in own if f.follower in given and f.leader in given
            ]  # fmt: skip
    return tuple(f for f in found if f.follower and f.leader)


def _weight_by_weight(loop: ast.For) -> list[Followed]:
    """`for t, s in zip(target.parameters(), net.parameters()): t.data.lerp_(s.data, 0.01)`."""
    match loop:
        case ast.For(
            target=ast.Tuple(elts=targets),
            iter=ast.Call(func=ast.Name(id="zip"), args=[ast.Call() as one, ast.Call() as two]),
        ) if {tail(one), tail(two)} <= _WEIGHTS:
            pass
        case _:
            return []
    models = [owner(one) or _of_state(one), owner(two) or _of_state(two)]
    for at, target in enumerate(targets[:2]):
        names = {n.id for n in walk(target) if isinstance(n, ast.Name)}
        if any(_changes(n, names) for n in inside(loop)):
            return [Followed(models[at], models[1 - at], one if at == 0 else two)]
    return []


def _of_state(call: ast.Call) -> str:
    """`net` of `net.state_dict().values()`."""
    match call.func:
        case ast.Attribute(value=ast.Call() as state) if tail(state) == "state_dict":
            return owner(state)
    return ""


def _changes(node: ast.AST, names: set[str]) -> bool:
    """Whether it writes into one of the tensors: `p.data.mul_(m)`, `p.data = …`."""
    match node:
        case ast.Call(func=ast.Attribute(value=of, attr=method)) if method.endswith("_"):
            return dotted(of).partition(".")[0] in names
        case ast.Assign(targets=[ast.Attribute(attr="data", value=of)]):
            return dotted(of) in names
    return False
