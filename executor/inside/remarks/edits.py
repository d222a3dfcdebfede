"""What a rule tells of a place in the code, and the edits that would mend it.

An edit goes by the places of the tree that the rule has read, so that another process can make it
in the text (knowledge/repair/findings/as_told.py).
"""

from __future__ import annotations

import ast
from typing import Any, NamedTuple

Span = list[int]  # line, column, last line, its column; columns in bytes, as those of `ast`
Part = str | ast.AST  # new text, or what stands at a node's place
Places = list[list[Any]]  # of a span and the parts that come in its place


class Told(NamedTuple):
    """What a rule says of a node; `ways` are the edits that may mend it, the likeliest first."""

    kind: str
    node: ast.AST
    message: str
    ways: tuple[dict[str, Any], ...] = ()


def way(told: str, *places: Places, add: list[Any] | None = None) -> dict[str, Any]:
    """One edit: what is so afterwards, the places that become another, and a statement to add."""
    return {"told": told, "places": [p for of in places for p in of], "add": add or []}


def put(node: ast.AST, *parts: Part) -> Places:
    """Other text in a node's place."""
    return [[span(node), [p if isinstance(p, str) else span(p) for p in parts]]]


def with_argument(call: ast.Call, name: str, value: str, *, without: str = "") -> Places:
    """A call with one more argument, and perhaps without another one."""
    parts: list[Part] = []
    for given in call.args:
        parts += [", ", *(("*", given.value) if isinstance(given, ast.Starred) else (given,))]
    for keyword in call.keywords:
        if keyword.arg != without:
            parts += [", ", f"{keyword.arg}=" if keyword.arg else "**", keyword.value]
    parts += [", ", f"{name}={value}"]
    return put(call, *operand(call.func), "(", *parts[1:], ")")


def swapped(one: ast.AST, two: ast.AST) -> Places:
    """Two expressions, each in the other's place."""
    return put(one, *operand(two)) + put(two, *operand(one))


def operand(node: ast.AST) -> tuple[Part, ...]:
    """A node as part of an expression, in brackets where it needs them."""
    if isinstance(node, ast.Name | ast.Attribute | ast.Call | ast.Subscript | ast.Constant):
        return (node,)
    return "(", node, ")"


def added(code: str, by: ast.AST, *, after: bool = False) -> list[Any]:
    """A statement to add before or behind another one."""
    return [[code, span(by), after]]


def moved(told: str, *statements: ast.AST, by: ast.AST, after: bool = False) -> dict[str, Any]:
    """One edit: statements stand before or behind another one."""
    return {"told": told, "moves": [span(s) for s in statements], "by": span(by), "after": after}


def span(node: Any) -> Span:
    """Where a node stands."""
    return [node.lineno, node.col_offset, node.end_lineno, node.end_col_offset]
