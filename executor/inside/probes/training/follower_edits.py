"""The edit by which a copy is brought up to date: the call of what the program wrote for it."""

from __future__ import annotations

import ast
import re
from typing import Any

from executor.inside.remarks.edits import added, way
from executor.inside.remarks.syntax import (
    assigned,
    dotted,
    functions,
    inside,
    is_step,
    method_calls,
    optimizers,
    tail,
    walk,
    words,
)

_UPDATES = re.compile(r"(?i)^_?(?!on_|__)\w*(?:update|sync|polyak|ema|soft|hard|copy)")


def never_called(tree: ast.Module) -> list[ast.FunctionDef]:
    """What the program wrote to bring a copy up to date, by its name, and nothing calls."""
    said = words(tree)
    return [
        f
        for name, f in functions(tree).items()
        if name not in said and _UPDATES.search(name) and not f.decorator_list[1:]
    ]


def brought_up_to_date(tree: ast.Module, path: str) -> list[dict[str, Any]]:
    """The call behind the only step of an optimizer, where one function is there for this copy."""
    calls = [c for f in never_called(tree) if (c := _call(tree, f, path))]
    held = optimizers(tree)
    steps = [c for c in method_calls(tree, "step") if is_step(c, held)]
    statements = [n for n in walk(tree) if isinstance(n, ast.Expr) and n.value in steps]
    if len(calls) != 1 or len(statements) != 1:
        return []
    around = [f for f in functions(tree).values() if statements[0] in inside(f)]
    local = {a.arg for f in around for a in walk(f) if isinstance(a, ast.arg)}
    if ("self" in local) != path.startswith("self.") or path in local:
        return []
    behind_it = added(calls[0], statements[0], after=True)
    return [way(f"`{path}` is brought up to date after each step", add=behind_it)]


def _call(tree: ast.Module, function: ast.FunctionDef, path: str) -> str:
    """How it is called for this copy; empty where that is not plain."""
    given = function.args
    names = [a.arg for a in given.args][: len(given.args) - len(given.defaults)]
    follows = _written(function)
    if names == ["self"]:
        return f"self.{function.name}()" if follows == path else ""
    made = [v for _, of, v in assigned(tree) if of == path]
    match made:
        case [ast.Call(args=[leader])] if tail(made[0]) == "deepcopy" and dotted(leader):
            of = {follows: path}
            if len(names) == 2 and follows in names and "self" not in names:
                return f"{function.name}({', '.join(of.get(n, dotted(leader)) for n in names)})"
    return ""


def _written(function: ast.FunctionDef) -> str:
    """The model whose weights it brings closer: `a` of `zip(a.parameters(), …)`.

    What takes all of them over is called every so many steps, and nobody knows how many.
    """
    found: set[str] = set()
    for node in walk(function):
        match node:
            case ast.For(
                target=ast.Tuple(elts=[ast.Name(id=one), ast.Name(id=other)]),
                iter=ast.Call(func=ast.Name(id="zip"), args=[ast.Call() as a, ast.Call() as b]),
            ) if "lerp_" in words(node) or any(isinstance(n, ast.Mult) for n in walk(node)):
                for name, of in ((one, a), (other, b)):
                    if any(_writes(n, name) for n in walk(node)) and tail(of) == "parameters":
                        found.add(dotted(of.func).rpartition(".")[0])
            case ast.Call(func=ast.Attribute(attr="load_state_dict")):
                return ""
    return found.pop() if len(found) == 1 else ""


def _writes(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Call(func=ast.Attribute(attr=attr, value=of)):
            return attr.endswith("_") and dotted(of) in (name, f"{name}.data")
        case ast.Assign(targets=[target]):
            return dotted(target) == f"{name}.data"
    return False
