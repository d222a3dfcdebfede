"""Find earnings of episodes that are put together wrongly, or exchanged for actions."""

from __future__ import annotations

import ast
import re

from executor.inside.remarks.edits import Told, put, way
from executor.inside.remarks.returns import END, is_back, is_discount
from executor.inside.remarks.syntax import (
    Found,
    assigned,
    dotted,
    functions,
    inside,
    is_true,
    loops,
    made_of,
    products,
    says,
    tail,
    walk,
    words,
)

_ENDS = re.compile(r"(?i)(^|_)(dones?|terminals?|terminated|terminations?|masks?)(_|$)")


def index_as_value(tree: ast.Module) -> Found:
    """`reward + gamma * target(s).max(1)[1]`: the number of the best action, not what it earns."""
    for scope in (tree, *functions(tree).values()):
        for _, parts in products(scope):
            if not any(map(is_discount, parts)):
                continue
            for part in parts:
                for made in made_of(part, scope):
                    picked = _numbers(made)
                    if picked is None:
                        continue
                    yield Told(
                        "index_as_value",
                        picked[0],
                        f"`{ast.unparse(made)[:60]}` is the number of the best action, 0, 1, 2 …, "
                        "and what is discounted here is to be its value: `max` gives the values "
                        "first and the numbers second",
                        (way("the value of the best action", picked[1]),),
                    )
                    return


def _numbers(node: ast.expr) -> tuple[ast.expr, list[list[object]]] | None:
    """What picks the places of the largest, and the edit by which it picks the values."""
    match node:
        case ast.Subscript(value=ast.Call() as call, slice=ast.Constant(value=1)) if tail(
            call
        ) == "max" and _along(call):
            return node, put(node.slice, "0")
        case ast.Attribute(value=ast.Call() as call, attr="indices") if tail(call) == "max":
            return node, put(node, call, ".values")
        case ast.Call(func=ast.Attribute(value=of, attr="argmax")) if _along(node) and not any(
            map(is_true, (k.value for k in node.keywords))
        ):
            along = ast.unparse(node.args[0] if node.args else node.keywords[0].value)
            return node, put(node, of, f".max({along}).values")
        case ast.Call(
            func=ast.Attribute(
                value=inner, attr="detach" | "float" | "unsqueeze" | "squeeze" | "view"
            )
        ):
            return _numbers(inner)
    return None


def _along(call: ast.Call) -> bool:
    """Whether it goes along one dimension."""
    return len(call.args) + len(call.keywords) == 1 and all(
        isinstance(a, ast.Constant | ast.UnaryOp)
        for a in (*call.args, *(k.value for k in call.keywords))
    )


def return_runs_on(tree: ast.Module) -> Found:
    """`G = r + gamma * G` over several episodes, whose ends are collected and never read."""
    for scope in (tree, *functions(tree).values()):
        collected = {
            dotted(n.func.value): n
            for n in walk(scope)
            if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)
            and n.func.attr == "append" and n.args and END.match(tail(n.args[0]))
        }  # fmt: skip
        holders = {n.func.value for n in collected.values() if isinstance(n.func, ast.Attribute)}
        read = {
            dotted(n) for n in walk(tree)
            if isinstance(n, ast.Name | ast.Attribute) and isinstance(n.ctx, ast.Load)
            and n not in holders
        }  # fmt: skip
        unread = sorted(collected.keys() - read - {""})
        if not unread:
            continue
        for loop in loops(scope):
            if not isinstance(loop, ast.For) or not is_back(loop.iter):
                continue
            for node, name, value in assigned(loop):
                if node not in inside(loop) or not _adds_up(name, value) or says(loop, _ENDS):
                    continue
                yield (
                    "return_runs_on",
                    node,
                    f"`{unread[0]}` is collected and never read, so `{name}` runs on over the "
                    "ends of the episodes, and what is earned in one counts for the steps of those "
                    f"before it; go through `{unread[0]}` too, and begin with 0 behind each end: "
                    f"`{name} = reward + gamma * {name} * (1 - done)`",
                )
                return


def _adds_up(name: str, value: ast.expr) -> bool:
    """`r + gamma * G`."""
    match value:
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            factors = (left, right)
            return any(
                isinstance(f, ast.BinOp) and isinstance(f.op, ast.Mult)
                and name in words(f) and any(map(is_discount, (f.left, f.right)))
                for f in factors
            )  # fmt: skip
    return False


RULES = (index_as_value, return_runs_on)
