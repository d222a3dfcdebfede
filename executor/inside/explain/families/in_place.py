"""A tensor that was written into although autograd needs it as it was."""

from __future__ import annotations

import ast
from typing import Any

from torch import nn

from executor.errors import SeenError
from executor.inside import torch_private as private
from executor.inside.explain.family import Told, explains
from executor.inside.explain.look import is_a
from executor.inside.explain.scene import Scene
from executor.inside.explain.thing import Thing
from executor.inside.explain.words import dims


@explains("leaf_in_place", "leaf_in_place", "no_grad_view_in_place")
def leaf(scene: Scene, m: SeenError) -> Told:
    """The leaf, what wrote to it, and whether the statement is an update by its gradient."""
    leaf_ = _leaf(scene)
    statement = scene.statement
    wrote = ast.unparse(statement).splitlines()[0] if statement is not None else ""
    wrote = wrote if len(wrote) <= 60 else wrote[:59] + "…"
    if leaf_ is None:
        if scene.layer is not None and scene.input is not None:
            x = scene.input
            return (
                f"{scene.layer.told}, which overwrites its input; that is {x}, a leaf that "
                "requires grad."
            )
        return None
    kind = "a Parameter" if is_a(leaf_.value, nn.Parameter) else "a leaf tensor"
    text = f"{leaf_} is {kind} that requires grad, and `{wrote}` changes it in place"
    if m["view"]:
        text += ", through a view of it,"
    text += " while autograd records"
    reads_grad = statement is not None and any(
        isinstance(n, ast.Attribute) and n.attr == "grad" for n in ast.walk(statement)
    )
    if reads_grad:
        return f"{text}. The statement reads a gradient: it is an update step outside of no_grad()."
    return f"{text}."


def _leaf(scene: Scene) -> Thing | None:
    nodes: list[ast.AST] = []
    node = scene.node
    if isinstance(scene.statement, ast.AugAssign):
        nodes.append(scene.statement.target)
    if isinstance(scene.statement, ast.Assign):
        nodes += scene.statement.targets
    if scene.call is not None and isinstance(scene.call.func, ast.Attribute):
        nodes += [scene.call.func.value, *scene.call.args]
    if node is not None:
        nodes.append(node)
    for n in nodes:
        inner: Any = n
        while inner is not None:
            found = next(scene.known([inner]), None)
            if found and found.is_tensor and found.value.requires_grad:
                if found.value.is_leaf:
                    return found
                if (base := private.base(found.value)) is not None and base.is_leaf:
                    return scene.as_written(base) or Thing(found.name, base, found.line)
            if isinstance(inner, ast.Call):
                inner = inner.func
            inner = getattr(inner, "value", None)
    return next(
        (t for t in scene.below if t.is_tensor and t.value.is_leaf and t.value.requires_grad), None
    )


@explains("modified_in_place", "modified_in_place")
def modified(scene: Scene, m: SeenError) -> Told:
    """The live tensors of this shape at this version; the probe for it says more."""
    shape, op, now, then = m["shape"], m["function"], m["version"], m["expected"]
    if not now:
        return None
    same = [
        t
        for t in scene.variables()
        if t.is_tensor and dims(t.shape) == shape and private.version(t.value) == int(now)
    ]
    op = op.removesuffix("Backward0") if op and op != "AsStridedBackward0" else ""
    op = "" if op == "AsStrided" else op  # the leaf itself, transposed inside of a product
    op = "" if then != "0" else op  # it was changed before: the function is what changed it then
    what = f"a tensor {shape}" + (f" made by {op}" if op else "")
    times = int(now) - int(then)
    changed = (
        f"was changed in place {'once' if times == 1 else f'{times} times'} after the "
        f"forward pass saved it"
    )
    if len(same) == 1:
        return f"{what.capitalize()} {changed}; `{same[0].name}` is such a tensor at version {now}."
    root = scene.receiver
    of = f"for the gradient of {root}" if root and root.is_tensor else "for this gradient"
    return f"{what[:1].upper()}{what[1:]}, needed {of}, {changed}."
