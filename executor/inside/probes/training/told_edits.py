"""The edits of what PyTorch warns of: a hook of the whole layer, a gradient that is kept."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from executor.inside.remarks.edits import added, operand, put, way
from executor.inside.remarks.syntax import (
    assigned,
    behind,
    dotted,
    functions,
    inside,
    method_calls,
    tail,
    walk,
    words,
)

Ways = list[dict[str, Any]]
_CUTS = {"detach", "detach_", "data"}
_MODULES = {"torch.utils.data", "utils.data"}
_NUMBERS = {"item", "tolist", "numpy", "no_grad"}


def full_hooks(tree: ast.Module) -> Ways:
    """Every hook, as one of the whole layer."""
    old, new = "register_backward_hook", "register_full_backward_hook"
    calls = method_calls(tree, old)
    if not calls or old in functions(tree):
        return []
    made = [put(c.func, *operand(c.func.value), f".{new}") for c in calls]  # type: ignore[attr-defined]
    return [way("the hook gets the gradients of the whole layer", *made)]


def with_its_graph(tree: ast.Module, line: int) -> Ways:
    """`t` for the only `torch.tensor(t)` of a line."""
    made = [
        n
        for n in walk(tree)
        if isinstance(n, ast.Call)
        and dotted(n.func) in ("torch.tensor", "tensor")
        and n.lineno == line
    ]
    if len(made) != 1 or len(made[0].args) != 1 or isinstance(made[0].args[0], ast.List):
        return []
    if {k.arg for k in made[0].keywords} - {"requires_grad"}:
        return []
    new = put(made[0], *operand(made[0].args[0]))
    return [way("the tensor itself, with its graph, and no copy of its values", new)]


def retained(tree: ast.Module, line: int) -> Ways:
    """`h.retain_grad()` where `h` is made, of the only gradient that a line reads."""
    read = {
        dotted(n.value)
        for n in walk(tree)
        if isinstance(n, ast.Attribute) and n.attr == "grad" and n.lineno == line
    }
    name = read.pop() if len(read) == 1 else ""
    scope = _scope(tree, line)
    own = set(inside(scope))
    backs = [c for c in method_calls(tree, "backward") if c in own and c.lineno < line]
    if not name or not backs or any(map(_is_cut, walk(tree))):
        return []
    flows: dict[str, set[str]] = {}
    for _, of, value in assigned(scope):
        flows.setdefault(of.rpartition(".")[2], set()).update(words(value))
    path = behind({w for c in backs for w in words(c)}, flows)
    values = [v for _, of, v in assigned(scope) if of.rpartition(".")[2] in path]
    if name.rpartition(".")[2] not in path or any(words(v) & _NUMBERS for v in values):
        return []
    made = [s for s, of, _ in assigned(scope) if of == name and s in own]
    place: ast.stmt | None = made[0] if len(made) == 1 and made[0].lineno < line else None
    if not made and isinstance(scope, ast.FunctionDef):
        calls = [n for n in walk(tree) if isinstance(n, ast.Call) and tail(n) == scope.name]
        if len(calls) == 1 and name in {a.arg for a in scope.args.args}:
            place = scope.body[0]
    if place is None:
        return []
    keep = added(f"{name}.retain_grad()", place, after=bool(made))
    return [way(f"`{name}` keeps its gradient", add=keep)]


def _is_cut(node: ast.AST) -> bool:
    return isinstance(node, ast.Attribute) and node.attr in _CUTS and dotted(node) not in _MODULES


def _scope(tree: ast.Module, line: int) -> ast.AST:
    """The innermost function around a line; the program where there is none."""
    around: Iterator[ast.FunctionDef] = (
        f
        for f in walk(tree)
        if isinstance(f, ast.FunctionDef) and f.lineno <= line <= (f.end_lineno or 0)
    )
    return max(around, key=lambda f: f.lineno, default=tree)
