"""Walk a syntax tree that many rules read, once for all of them."""

from __future__ import annotations

import ast

_WALKED = "_torchmedic_walked"  # no field of a node, so neither `ast.walk` nor `compile` sees it


def walk(tree: ast.AST) -> tuple[ast.AST, ...]:
    """What `ast.walk` yields, in its order; each node keeps it.

    So what is put into the tree after the first rule has read it, later ones do not see.
    """
    kept: tuple[ast.AST, ...] | None = getattr(tree, _WALKED, None)
    if kept is None:
        kept = _walked(tree)
        setattr(tree, _WALKED, kept)
    return kept


def _walked(tree: ast.AST) -> tuple[ast.AST, ...]:
    found = [tree]
    for node in found:  # it grows as it is gone through
        for name in node._fields:
            value = getattr(node, name, None)
            if isinstance(value, ast.AST):
                found.append(value)
            elif isinstance(value, list):
                found += [part for part in value if isinstance(part, ast.AST)]
    return tuple(found)
