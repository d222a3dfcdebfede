"""Gradients that cannot be asked for: of many values, of integers, of what the graph lacks."""

from __future__ import annotations

import ast
import re
from typing import Any

import numpy as np
import torch
from torch import nn

from executor.errors import SeenError
from executor.inside import torch_private as private
from executor.inside.explain.family import Told, explains
from executor.inside.explain.look import is_tensor, own_dict
from executor.inside.explain.scene import Scene
from executor.inside.explain.words import count, dims, dtype, listed

_NODES = 20_000  # of a graph that are looked at


@explains("grad_of_many", "grad_of_many", "grad_of_complex")
def not_scalar(scene: Scene, m: SeenError) -> Told:
    """How many values the loss has, and what kept them apart."""
    root = scene.receiver
    root = root if root is not None and root.is_tensor else next(iter(scene.tensors), None)
    if root is None:
        return None
    n = count(root.shape)
    if root.value.is_complex():
        return f"{root} is {dtype(root.value)}: a complex value has no order to descend along."
    text = f"{root} has {n} values, not one"
    facts = {"shape": list(root.shape)}
    value = scene.value_node(root.node) if root.node is not None else None
    if isinstance(value, ast.Call):
        func = next(scene.known([value.func]), None)
        if func is not None and own_dict(func.value).get("reduction") == "none":
            return f"{text}: `{func.name}`{func.place} has reduction='none'.", facts
        if any(
            k.arg == "reduction" and isinstance(k.value, ast.Constant) and k.value.value == "none"
            for k in value.keywords
        ):
            return f"{text}: line {value.lineno} asks for reduction='none'.", facts
    return f"{text}: backward() needs to be told how much each of them counts.", facts


@explains("grad_of_many", "grad_output_shape")
def grad_output(scene: Scene, m: SeenError) -> Told:
    """The output and the gradient given for it."""
    grad, out = m["gradient"], m["output"]
    if scene.called == "backward":
        root, given = scene.receiver, scene.argument(0, "gradient")
    else:
        root, given = scene.argument(0, "outputs"), scene.argument(2, "grad_outputs")
    root = root if root is not None and root.is_tensor else None
    given = given if given is not None and given.is_tensor else None
    if root is None and given is None:
        return None
    of, its = root or f"The output {out}", given or f"a gradient {grad}"
    return f"{of} is given {its} as its gradient; they need one shape."


@explains("float_needs_grad", "integers_require_grad", "integers_as_data")
def only_float(scene: Scene, m: SeenError) -> Told:
    """Which tensor is of which dtype, and where the integers come from."""
    t = next((t for t in scene.shapes if not t.value.is_floating_point()), None)
    if t is not None and t.computed and m.id != "integers_as_data":
        t = None
    t = t or next((x for x in scene.below if x.is_tensor and not x.value.is_floating_point()), None)
    if t is not None:
        return (
            f"{t.ticked} is {dtype(t.value)} {dims(t.shape)}{t.from_line}: integers have no "
            f"gradient."
        )
    call = scene.call
    if call is None:
        return None
    wanted = [k for k in call.keywords if k.arg == "dtype"]
    if wanted:
        return f"`{ast.unparse(wanted[0])[:50]}` is no floating dtype; only those have a gradient."
    values = [n.value for a in call.args for n in ast.walk(a) if isinstance(n, ast.Constant)]
    if values and all(type(v) is int for v in values) and scene.called == "tensor":
        return (
            f"Every number in `{ast.unparse(call)[:60]}` is written without a decimal point, "
            f"so "
            "this tensor is int64; integers have no gradient."
        )
    if scene.called in ("randint", "arange", "from_numpy", "as_tensor"):
        return f"`{scene.called}` gives integers here; only floating dtypes have a gradient."
    for read in scene.known(n for n in ast.walk(call) if isinstance(n, ast.Name)):
        kind = str(getattr(read.value, "dtype", "")) if type(read.value) is np.ndarray else ""
        if kind.startswith(("int", "uint", "bool")):
            return (
                f"`{read.name}`{read.place} is a NumPy array of {kind}: integers have no gradient."
            )
    return None


@explains("unused_in_graph", "unused_in_graph")
def unused(scene: Scene, m: SeenError) -> Told:
    """The input that the output's graph does not reach, and the layer that it is of."""
    if told := _unreached(scene):
        return told
    if len(scene.tensors) < 2:
        return None
    out, *inputs = scene.tensors
    return (
        f"{out} was not computed from {listed((str(t) for t in inputs[:3]), 'or')} by "
        f"recorded operations."
    )


def _unreached(scene: Scene) -> str:
    """The inputs of torch.autograd.grad that the outputs' graph does not lead to."""
    inputs, outputs = scene.local("t_inputs", "inputs"), scene.local("t_outputs", "outputs")
    inputs = (inputs,) if is_tensor(inputs) else inputs
    outputs = (outputs,) if is_tensor(outputs) else outputs
    if type(inputs) not in (list, tuple) or type(outputs) not in (list, tuple):
        return ""
    seen: set[Any] = set()
    todo = [o.grad_fn for o in outputs if is_tensor(o) and o.grad_fn is not None]
    reached = {id(o) for o in outputs}
    while todo and len(seen) < _NODES:
        node = todo.pop()
        if node in seen:
            continue
        seen.add(node)
        if type(node).__name__ == "AccumulateGrad":
            reached.add(id(node.variable))
        todo += [n for n, _ in node.next_functions if n is not None]
    if todo:
        return ""
    missed = [
        (i, t)
        for i, t in enumerate(inputs)
        if is_tensor(t) and id(t) not in reached and (t.is_leaf or t.grad_fn not in seen)
    ]
    if not missed:
        return ""
    parts = [_input_name(scene, i, t, len(inputs)) for i, t in missed[:3]]
    more = f" and {len(missed) - 3} more" if len(missed) > 3 else ""
    verb = "plays" if len(missed) == 1 else "play"
    out = listed(str(scene.as_written(o) or "the output") for o in outputs[:2])
    told = f"{listed(parts)}{more} {verb} no part in the graph of {out}."
    return told + (_left_lying(scene, missed[0][1]) if len(missed) == 1 else "")


def _left_lying(scene: Scene, tensor: torch.Tensor) -> str:
    """The variable that was made of a tensor, and that nothing read before this line."""
    written = scene.as_written(tensor)
    within = scene.scope if scene.scope is not None else scene.places.tree
    if written is None or not written.name.isidentifier():
        return ""
    names = [n for n in ast.walk(within) if isinstance(n, ast.Name) and n.lineno <= scene.line]
    read = {n.id for n in names if isinstance(n.ctx, ast.Load)}
    for made in ast.walk(within):
        if not isinstance(made, ast.Assign) or made.lineno >= scene.line:
            continue
        of = {n.id for n in ast.walk(made.value) if isinstance(n, ast.Name)}
        for target in made.targets:
            if isinstance(target, ast.Name) and written.name in of and target.id not in read:
                return (
                    f" `{target.id}` (line {made.lineno}) is made of it, and no line up to this "
                    f"one reads `{target.id}`: it may be what was to be used instead."
                )
    return ""


def _input_name(scene: Scene, i: int, tensor: torch.Tensor, n: int) -> str:
    if (written := scene.as_written(tensor)) is not None:
        return str(written)
    for t in scene.variables():
        if issubclass(type(t.value), nn.Module):
            for path, held in nn.Module.named_parameters(t.value):
                if held is tensor:
                    place = path.rpartition(".")[0]
                    owner = dict(nn.Module.named_modules(t.value))[place]
                    line = scene.constructor(t.name, t.value, place)
                    made = f" of {type(owner).__name__}" + (f" (line {line})" if line else "")
                    return f"`{t.name}.{path}` {dims(tensor.shape)}{made}, input {i},"
    return f"input {i} {dims(tensor.shape)}" if n > 1 else f"the input {dims(tensor.shape)}"


@explains("forward_is_nan", "gradient_is_nan")
def nan_already(scene: Scene, m: SeenError) -> Told:
    """A loss that is NaN before backward() begins, and the power, root or logarithm that made it.

    Anomaly detection names the first function that such a gradient met, which may be any.
    """
    root = scene.receiver
    if root is None or not root.is_tensor or not bool(root.value.isnan().any()):
        return None
    text = f"`{root.name}` is nan before backward() begins: the forward made it"
    queue: list[Any] = [root.value.grad_fn]
    seen: set[Any] = set()
    for node in queue:
        if node is None or node in seen or len(seen) > _NODES:
            continue
        seen.add(node)
        queue += [f for f, _ in node.next_functions]
        kind = re.match(r"(Pow|Sqrt|Log)Backward", type(node).__name__)
        below = _below_zero(node) if kind is not None else 0
        if kind is not None and below:
            values = "a negative value" if below == 1 else f"{below:,} negative values"
            what = {"Pow": "a power", "Sqrt": "a root", "Log": "a logarithm"}[kind[1]]
            return f"{text}, where {what} was taken of {values}.", {"function": kind[1]}
    return f"{text}."


def _below_zero(node: Any) -> int:
    """How many numbers a function was given that are below 0; none where it takes those too."""
    power: Any = 0.5
    try:
        if "Sqrt" in type(node).__name__:  # a root keeps its result
            return int(private.saved_result(node).isnan().sum())
        if "Pow" in type(node).__name__:
            power = private.saved_exponent(node)
        given = private.saved_self(node)
    except (private.SavedGoneError, AttributeError):
        return 0
    if is_tensor(power) and power.numel() != 1:
        return 0
    if float(power).is_integer():
        return 0
    return int((given < 0).sum()) if is_tensor(given) and given.is_floating_point() else 0
