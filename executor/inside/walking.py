"""Walk a syntax tree that many rules read, once for all of them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import wraps
from typing import TypeVar

_T = TypeVar("_T")


def kept_by_node(ask: Callable[[ast.AST], _T]) -> Callable[[ast.AST], _T]:
    """Ask each node once: it keeps the answer.

    So what is put into the tree after the first rule has read it, later ones do not see. Nor may
    anybody change an answer.
    """
    # No field of a node, so neither `ast.walk` nor `compile` sees it.
    place = f"_torchmedic_{ask.__module__}_{ask.__name__}"

    @wraps(ask)
    def answer(node: ast.AST) -> _T:
        kept = node.__dict__
        if place not in kept:
            kept[place] = ask(node)
        found: _T = kept[place]
        return found

    return answer


@kept_by_node
def walk(tree: ast.AST) -> tuple[ast.AST, ...]:
    """What `ast.walk` yields, in its order."""
    found = [tree]
    for node in found:  # it grows as it is gone through
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, ast.AST):
                found.append(value)
            elif isinstance(value, list):
                found += [part for part in value if isinstance(part, ast.AST)]
    return tuple(found)
