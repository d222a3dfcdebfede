"""A custom autograd Function whose backward does not fit its forward."""

from __future__ import annotations

import ast

from executor.errors import SeenError
from executor.inside.explain.family import Told, explains
from executor.inside.explain.scene import Scene


@explains("custom_function", "saved_no_tensor")
def saved(scene: Scene, m: SeenError) -> Told:
    """Which argument is no tensor."""
    t = scene.argument(m.number("argument")) if m["argument"] else None
    if t is None:
        return None
    number = m["argument"]
    return (
        f"Argument {number} of this call, {t}, is no tensor; save_for_backward keeps only tensors."
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
