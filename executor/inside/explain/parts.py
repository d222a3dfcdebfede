"""Collect the live shapes of all the parts of the failing statement."""

from __future__ import annotations

import ast

from executor.inside.explain.look import is_tensor
from executor.inside.explain.scene import Scene

_MOST = 40


def part_shapes(scene: Scene) -> dict[str, tuple[int, ...]]:
    """Part of the failing statement, as `ast.unparse` writes it → its shape.

    Only tensors, and only parts whose shape is known without running the snippet's code.
    """
    simple = (ast.Expr, ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Return, ast.Assert)
    whole = scene.statement if isinstance(scene.statement, simple) else scene.node
    if whole is None:
        return {}
    parts = [n for n in ast.walk(whole) if isinstance(n, ast.expr)][:_MOST]
    found: dict[str, tuple[int, ...]] = {}
    for node in parts:
        try:
            thing = next(scene.shaped([node]), None)
        except Exception:  # a part that fails itself, such as `rows["x"]` of a list
            continue
        if thing is not None and is_tensor(thing.value):
            found[ast.unparse(node)] = thing.shape
    return found
