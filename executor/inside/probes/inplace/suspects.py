"""Find code that may change a saved tensor unnoticed by PyTorch, which a second run then checks.

A suspect is no mistake yet; the second run decides.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from executor.inside.walking import walk

_SHARES = {"from_numpy", "as_tensor"}


def suspects(tree: ast.Module) -> tuple[str, ...]:
    """The kinds of hidden writes that the code has: "data", "numpy", "ctx", "checkpoint".

    Empty where nothing calls backward or grad.
    """
    called = {_called(n) for n in walk(tree) if isinstance(n, ast.Call)}
    if not called & {"backward", "grad"}:
        return ()
    found = []
    written = list(_written(tree))
    if any(_is_data(w) for w in written):
        found.append("data")
    if (called & _SHARES or "numpy" in called) and _writes_to_array(tree, written):
        found.append("numpy")
    if written and _keeps_on_ctx(tree):
        found.append("ctx")
    if written and "checkpoint" in called and not _reentrant_only(tree):
        found.append("checkpoint")
    return tuple(found)


def _called(call: ast.Call) -> str:
    if isinstance(call.func, ast.Attribute):
        return call.func.attr
    return call.func.id if isinstance(call.func, ast.Name) else ""


def _written(tree: ast.AST, *, setting_up: bool = False) -> Iterator[ast.expr]:
    """The expressions that are written into, except where a module is initialised."""
    for node in ast.iter_child_nodes(tree):
        name = getattr(node, "name", None)
        starts = isinstance(name, str) and ("init" in name or name == "reset_parameters")
        inside = setting_up or (isinstance(node, ast.FunctionDef) and starts)
        if not inside:
            yield from _written_by(node)
        yield from _written(node, setting_up=inside)


def _written_by(node: ast.AST) -> Iterator[ast.expr]:
    if isinstance(node, ast.AugAssign):
        yield node.target
    elif isinstance(node, ast.Assign):
        yield from (t for t in node.targets if isinstance(t, (ast.Subscript, ast.Attribute)))
    elif isinstance(node, ast.Call):
        name = _called(node)
        if name.endswith("_") and not name.endswith("__") and isinstance(node.func, ast.Attribute):
            yield node.func.value
        yield from (k.value for k in node.keywords if k.arg == "out")


def _is_data(target: ast.expr) -> bool:
    return any(isinstance(n, ast.Attribute) and n.attr == "data" for n in walk(target))


def _writes_to_array(tree: ast.Module, written: list[ast.expr]) -> bool:
    """Whether a write may go into an array that shares its memory with a tensor."""
    arrays: set[str] = set()
    for node in walk(tree):
        if isinstance(node, ast.Assign) and _calls(node.value, {"numpy"}):
            arrays |= {t.id for t in node.targets if isinstance(t, ast.Name)}
        elif isinstance(node, ast.Call) and _called(node) in _SHARES and node.args:
            arrays |= {n.id for n in walk(node.args[0]) if isinstance(n, ast.Name)}
    return any(_calls(w, {"numpy"}) or _root(w) in arrays for w in written)


def _calls(node: ast.AST, names: set[str]) -> bool:
    return any(isinstance(n, ast.Call) and _called(n) in names for n in walk(node))


def _root(node: ast.expr) -> str:
    while isinstance(node, (ast.Subscript, ast.Attribute)):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _keeps_on_ctx(tree: ast.Module) -> bool:
    """Whether a custom Function keeps one of its forward's arguments as `ctx.x = x`."""
    for node in walk(tree):
        if not isinstance(node, ast.FunctionDef) or not node.args.args:
            continue
        ctx = node.args.args[0].arg
        values = [
            n for n in walk(node) if isinstance(n, ast.Assign) and isinstance(n.value, ast.Name)
        ]
        targets = [t for n in values for t in n.targets if isinstance(t, ast.Attribute)]
        if ctx == "ctx" and any(_root(t) == "ctx" for t in targets):
            return True
    return False


def _reentrant_only(tree: ast.Module) -> bool:
    calls = [n for n in walk(tree) if isinstance(n, ast.Call) and _called(n) == "checkpoint"]
    return all(
        any(
            k.arg == "use_reentrant" and isinstance(k.value, ast.Constant) and k.value.value is True
            for k in call.keywords
        )
        for call in calls
    )
