"""A graph that an earlier backward has freed, and what still holds on to it."""

from __future__ import annotations

import ast
from typing import Any

from executor.errors import SeenError
from executor.inside.explain.family import Told, explains
from executor.inside.explain.look import is_tensor
from executor.inside.explain.scene import Scene
from executor.inside.explain.thing import Thing
from executor.inside.placeholders.program import last_name


@explains("second_backward", "freed_graph")
def second(scene: Scene, m: SeenError) -> Told:
    """Where the graph was used up before: another line, or an earlier turn of a loop."""
    root = scene.receiver or next(iter(scene.tensors), None)
    if root is None or root.node is None:
        return None
    name = f"{root}" if root.is_tensor else root.ticked
    calls = [n for n in ast.walk(scene.scope) if isinstance(n, ast.Call) and n.lineno < scene.line]
    earlier = [n for n in calls if last_name(n.func) in ("backward", "grad")]
    same = [
        n
        for n in earlier
        if isinstance(n.func, ast.Attribute) and ast.unparse(n.func.value) == root.name
    ]
    loop = next(
        (
            p
            for p, f in scene.places.ancestors(scene.node or scene.places.tree)
            if isinstance(p, (ast.For, ast.While)) and f == "body"
        ),
        None,
    )
    if same and (root.line is None or same[-1].lineno > root.line):
        return (
            f"The graph of {name} was already used by {last_name(same[-1].func)}() at line "
            f"{same[-1].lineno}, "
            "which frees it."
        )
    if loop is not None and root.line is not None and root.line < loop.lineno:
        return (
            f"{name} was made before the loop at line {loop.lineno}; an earlier turn's "
            "backward() has freed its graph."
        )
    if loop is not None:
        kept = _kept_graph(scene, loop)
        if kept:
            return (
                f"{kept[0].ticked} {kept[0].what} outlives each turn of the loop at line "
                f"{loop.lineno} and still has a graph: {name} reaches back into one that an "
                "earlier turn's backward() has freed."
            )
    if earlier:
        return (
            f"{name} shares a part of its graph with what {last_name(earlier[-1].func)}() at "
            f"line {earlier[-1].lineno} has used and freed."
        )
    return None


def _kept_graph(scene: Scene, loop: ast.AST) -> list[Thing]:
    """Tensors with a graph that the loop reads and that it first got before the loop."""
    found = []
    sites = scene.places.bindings(scene.scope)
    for node in ast.walk(loop):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            bound = sites.get(node.id, [])
            if bound and bound[0].line < loop.lineno:  # type: ignore[attr-defined]
                t = next(scene.known([node]), None)
                value: Any = t.value if t is not None else None
                if type(value) is tuple and value:
                    value = value[0]
                if t is not None and is_tensor(value) and value.grad_fn is not None:
                    found.append(t)
    return found
