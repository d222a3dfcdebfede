"""An optimizer that is given no parameters, or what is none."""

from __future__ import annotations

import ast

import torch
from torch import nn

from executor.errors import SeenError
from executor.inside.explain.family import Told, explains
from executor.inside.explain.look import is_a, is_tensor, own_dict
from executor.inside.explain.scene import Scene
from executor.inside.explain.thing import Thing
from executor.inside.explain.words import dims, listed


@explains("empty_parameters", "no_parameters")
def empty(scene: Scene, m: SeenError) -> Told:
    """What the model has instead of parameters."""
    call = scene.call
    if call is None or not (call.args or call.keywords):
        return None
    first = call.args[0] if call.args else call.keywords[0].value
    if isinstance(first, ast.Call) and isinstance(first.func, ast.Attribute):
        model = next(scene.known([first.func.value]), None)
        if model is not None and issubclass(type(model.value), nn.Module):
            return _without_parameters(scene, model)
    given = next(scene.known([first]), None)
    if given is None:
        if isinstance(first, (ast.ListComp, ast.GeneratorExp)) or "filter" in ast.unparse(first):
            return _all_frozen(scene, first)
        return None
    if type(given.value) in (list, tuple) and not given.value:
        kind = type(given.value).__name__
        what = f"{given.ticked}{given.place} is an empty {kind}"
        if isinstance(first, (ast.List, ast.Tuple)):
            what = f"This line gives the optimizer a {kind} with nothing in it"
        models = [
            t
            for t in scene.variables()
            if issubclass(type(t.value), nn.Module)
            and any(True for _ in nn.Module.parameters(t.value))
        ]
        if len(models) == 1:
            n = len(list(nn.Module.parameters(models[0].value)))
            what += f"; the {n} parameters of `{models[0].name}`{models[0].place} are not in it"
        return f"{what}."
    if type(given.value).__name__ in ("generator", "filter", "map"):
        return (
            f"{given.ticked}{given.place} is a {type(given.value).__name__}, which gives its "
            "items only once: it has none left here."
        )
    return None


def outgrown(scene: Scene) -> str | None:
    """A parameter of another shape than what an optimizer keeps for it since an earlier step."""
    call = scene.call
    if call is None or not isinstance(call.func, ast.Attribute) or call.func.attr != "step":
        return None
    optimizer = next(scene.known([call.func.value]), None)
    if optimizer is None or not issubclass(type(optimizer.value), torch.optim.Optimizer):
        return None
    models = [t for t in scene.variables() if issubclass(type(t.value), nn.Module)]
    names = {
        id(p): f"`{t.name}.{path}`"
        for t in models
        for path, p in nn.Module.named_parameters(t.value)
    }
    for parameter, state in optimizer.value.state.items():
        for key, kept in state.items():
            if is_tensor(kept) and kept.dim() > 0 and kept.shape != parameter.shape:
                who = names.get(id(parameter), "a parameter")
                return (
                    f"{optimizer.ticked}{optimizer.place} keeps `{key}` {dims(kept.shape)} for "
                    f"{who}, which is {dims(parameter.shape)} now: it was given another size "
                    "after a step. Make the optimizer anew where that is done, or cut what it "
                    "keeps alike."
                )
    return None


def _all_frozen(scene: Scene, first: ast.expr) -> Told:
    for node in ast.walk(first):
        t = next(scene.known([node]), None) if isinstance(node, ast.Name) else None
        if t is not None and issubclass(type(t.value), nn.Module):
            every = list(nn.Module.parameters(t.value))
            free = [p for p in every if p.requires_grad]
            return (
                f"`{t.name}`{t.place} has {len(every)} parameters, {len(free)} of which "
                f"require "
                "grad, and none passed the filter of this line."
            )
    return None


def _without_parameters(scene: Scene, model: Thing) -> Told:
    kind = type(model.value).__name__
    hidden, at = [], []
    for key, held in own_dict(model.value).items():
        if key.startswith("_"):
            continue
        items = (
            held
            if type(held) in (list, tuple)
            else (list(held.values()) if type(held) is dict else [held])
        )
        modules = [i for i in items if issubclass(type(i), nn.Module)]
        tensors = [i for i in items if is_tensor(i)]
        if modules or tensors:
            what = f"a plain {type(held).__name__} of {len(modules or tensors)} " + (
                "modules" if modules else "tensors"
            )
            what = "a plain tensor" if is_tensor(held) else what
            node = scene.places.assigned(kind, key)
            at.append(node.lineno if node is not None else None)
            line = f" (line {at[-1]})" if at[-1] else ""
            hidden.append(f"`{key}`{line} is {what}")
    made = f", made at line {model.line}" if model.line else ""
    if hidden:
        return (
            f"`{model.name}` is {kind}{made}: {listed(hidden[:3])}, which parameters() does "
            f"not see."
        )
    modules = [type(c).__name__ for c in model.value.modules()][1:]
    inside = (
        f" only {listed(dict.fromkeys(modules))}, which have no parameters"
        if modules
        else (" no layer and no Parameter")
    )
    return f"`{model.name}` is {kind}{made}, and it holds{inside}."


@explains("optimizer", "non_leaf_parameter", "optimizer_no_tensors")
def non_leaf(scene: Scene, m: SeenError) -> Told:
    """Which of the tensors is the result of an operation."""
    whole = scene.argument(0, "params")
    items = whole.value if whole is not None and type(whole.value) in (list, tuple) else []
    for value in [*items, *(t.value for t in scene.operands)]:
        if is_tensor(value) and not value.is_leaf and not is_a(value, torch.nn.Parameter):
            t = scene.as_written(value)
            return (
                f"{t or 'One tensor ' + dims(value.shape)} is the result of "
                f"{value.grad_fn.name()}, not a leaf."
            )
    return None
