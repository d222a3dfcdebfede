"""A custom autograd Function whose backward does not fit its forward."""

from __future__ import annotations

import ast

from executor.errors import SeenError
from executor.inside.explain.family import Told, explains
from executor.inside.explain.scene import Scene


@explains("custom_function", "saved_no_tensor")
def saved(scene: Scene, m: SeenError) -> Told:
    """Which argument is no tensor."""
    calls = [
        n for n in scene.places.nodes
        if isinstance(n, ast.Call) and ast.unparse(n.func).endswith(".save_for_backward")
    ]  # fmt: skip
    if not m["argument"] or len(calls) != 1 or len(calls[0].args) <= m.number("argument"):
        return None  # the line that fails may be the one that calls the function
    given = calls[0].args[m.number("argument")]
    return (
        f"Line {calls[0].lineno} gives `{ast.unparse(given)}` to save_for_backward, and it is no "
        f"tensor (argument {m['argument']}, counted from 0): only tensors are kept there; "
        f"`ctx.{given.id if isinstance(given, ast.Name) else 'name'} = …` keeps anything else."
    )


@explains("custom_function", "backward_count", "backward_shape")
def gradients(scene: Scene, m: SeenError) -> Told:
    """The class's backward, and what its forward takes."""
    name = m["function"]
    backward = scene.places.function_named("backward", name)
    forward = scene.places.function_named("forward", name)
    if backward is None or forward is None:
        return None
    takes = [a.arg for a in forward.args.args[1:]]
    if m.id == "backward_shape":
        at = m.number("index")
        arg = f" for `{takes[at]}`" if at < len(takes) else ""
        return (
            f"`{name}.backward` (line {backward.lineno}) returns a gradient {m['given']}{arg}, "
            f"which was {m['expected']} in forward."
        )
    wants = (
        f"`{name}.forward` (line {forward.lineno}) takes {len(takes)} arguments besides ctx "
        f"({', '.join(takes)})"
    )
    if not any(isinstance(n, ast.Return) and n.value is not None for n in ast.walk(backward)):
        return (
            f"{wants}, and backward (line {backward.lineno}) returns nothing: what it computes is "
            "to stand in a `return` at its end, in that order."
        )
    return f"{wants}, and backward (line {backward.lineno}) returns {m['given']} values."
