"""Losses: batch sizes, shapes and dtypes of input and target, labels outside of the classes."""

from __future__ import annotations

from typing import Any

import torch

from executor.errors import SeenError
from executor.inside import torch_private as private
from executor.inside.explain.family import Told, explains
from executor.inside.explain.look import is_tensor, own_dict
from executor.inside.explain.scene import Scene
from executor.inside.explain.thing import Thing
from executor.inside.explain.words import count, dims, dtype


def _two(scene: Scene) -> tuple[Thing, Thing] | None:
    """The loss's input and target, by the names of the snippet's line where it has them."""
    x, y = scene.local_thing("input"), scene.local_thing("target")
    if x is not None and y is not None:
        return x, y
    return (scene.tensors[0], scene.tensors[1]) if len(scene.tensors) == 2 else None


def _loss(scene: Scene) -> str:
    layer = scene.layer
    if layer is None:
        return f"`{scene.called}` gets " if scene.called else "The loss gets "
    made = f" (line {layer.line})" if layer.line else ""
    name = (
        f"`{layer.name}`{made}, {type(layer.value).__name__},"
        if layer.name
        else type(layer.value).__name__
    )
    return f"{name} gets "


def _typed(t: Thing) -> str:
    return f"`{t.name}` {dtype(t.value)} {dims(t.shape)}{t.place}"


def _both(scene: Scene, x: Thing, y: Thing) -> str:
    return f"{_loss(scene)}{_typed(x)} as input and {_typed(y)} as target"


@explains("loss_batch", "loss_batch_sizes")
def batch(scene: Scene, m: SeenError) -> Told:
    """Both shapes; what one flattening would give."""
    pair = _two(scene)
    if pair is None:
        return None
    x, y = pair
    text = _both(scene, x, y)
    if not y.shape:
        return f"{text}; the target is a single value without a batch dimension."
    text += f": {m['rows']} rows of scores for {m['labels']} labels"
    extra = ""
    if len(y.shape) > 1 and count(y.shape) == x.shape[0]:
        extra = f". The target has {count(y.shape)} values in all"
    elif len(x.shape) == 2 and len(y.shape) == 1 and y.shape[0] and x.shape[1] == y.shape[0]:
        extra = f". Dimension 1 of the input is {x.shape[1]}"
    return f"{text}{extra}.", {"input": list(x.shape), "target": list(y.shape)}


@explains(
    "loss_target_shape",
    "loss_target_shape",
    "loss_one_dimension",
    "loss_spatial_sizes",
    "loss_spatial_target",
    "loss_target_dimensions",
)
def target_shape(scene: Scene, m: SeenError) -> Told:
    """Which shape of target goes with this input."""
    pair = _two(scene)
    if pair is None:
        return None
    x, y = pair
    text = _both(scene, x, y)
    if len(x.shape) == 2 and len(y.shape) == 2:
        if y.shape[1] == 1:
            return (
                f"{text}. Integer labels would be one per row, [{x.shape[0]}]; the target has "
                f"an extra dimension of 1."
            )
        if y.shape == x.shape:
            return (
                f"{text}. An integer target is taken as class numbers, one per row; this one "
                f"has {y.shape[1]} values per row."
            )
        return f"{text}. With class numbers as target it would be [{x.shape[0]}]."
    if len(x.shape) > 2:
        want = [x.shape[0], *x.shape[2:]]
        note = ""
        if len(x.shape) == 3 and list(y.shape) == [x.shape[0], x.shape[1]]:
            note = f"; in this input the classes would be the last dimension ({x.shape[2]})"
        other = ""
        if list(y.shape) == [x.shape[0]]:
            other = f"; for this target, the input would be [{x.shape[0]}, classes]"
        return (
            f"{text}. Dimension 1 of the input ({x.shape[1]}) is taken as the classes, so the "
            f"target would be {want}{note}{other}."
        )
    return f"{text}."


@explains("loss_target_size", "loss_sizes")
def same_size(scene: Scene, m: SeenError) -> Told:
    """Two shapes that should be one."""
    pair = _two(scene)
    if pair is None:
        return None
    x, y = pair
    text = f"{_both(scene, x, y)}; they need one shape"
    if count(x.shape) == count(y.shape):
        return f"{text}, and both hold {count(x.shape)} values: only the arrangement differs."
    if x.shape[:1] == y.shape[:1] and len(x.shape) == 2 and len(y.shape) == 1:
        return (
            f"{text}: {x.shape[1]} scores stand against one target in each of the "
            f"{x.shape[0]} rows."
        )
    return f"{text}."


@explains("loss_dtype", "inplace_dtype")
def one_dtype(scene: Scene, m: SeenError) -> Told:
    """Both dtypes, of which one is no floating one."""
    pair = _two(scene)
    if pair is None or all(t.value.is_floating_point() for t in pair):
        return None
    x, y = pair
    return f"{_both(scene, x, y)}; here both are floating point numbers."


@explains("loss_class_probabilities", "loss_class_probabilities", "loss_index_dtype", "scalar_type")
def probabilities(scene: Scene, m: SeenError) -> Told:
    """Why the target was taken for probabilities, or for class numbers."""
    if m.id == "scalar_type" and m["expected"] != "Long":
        return None
    pair = _two(scene)
    if pair is None:
        return None
    x, y = pair
    text = _both(scene, x, y)
    if x.shape == y.shape and not y.value.is_floating_point():
        hot = ""
        v = y.value
        if len(y.shape) == 2 and bool(((v == 0) | (v == 1)).all()) and bool((v.sum(1) == 1).all()):
            hot = ", and each row of it is one-hot"
        return (
            f"{text}. A target of the input's shape is taken as probabilities, which are "
            f"floating point{hot}."
        )
    if y.value.is_floating_point() and x.shape != y.shape:
        whole = bool((y.value == y.value.round()).all())
        more = "; its values are whole numbers" if whole else ""
        return (
            f"{text}. A target of another shape than the input is taken as class numbers, "
            f"which are int64{more}."
        )
    return f"{text}."


@explains("target_out_of_bounds", "class_out_of_bounds")
def out_of_bounds(scene: Scene, m: SeenError) -> Told:
    """The labels' range and the number of classes."""
    pair = _two(scene)
    if pair is None:
        return None
    x, y = pair
    classes = x.shape[1] if len(x.shape) > 1 else x.shape[0]
    low, high = int(y.value.min()), int(y.value.max())
    text = (
        f"{_loss(scene)}{_typed(x)} as input, that is {classes} classes, 0 to {classes - 1}; "
        f"the labels in `{y.name}`{y.place} go from {low} to {high}"
    )
    if low == 1 and high == classes:
        text += ": they count from 1"
    return f"{text}.", {"classes": classes, "labels": [low, high]}


@explains("loss_range", "loss_range")
def between(scene: Scene, m: SeenError) -> Told:
    """The live range."""
    pair = _two(scene)
    if pair is None:
        return None
    which = m["which"]
    t = pair[0] if which == "input" else pair[1]
    v = t.value.detach()
    if bool(torch.isnan(v).any()):
        return f"{_loss(scene)}{_typed(t)} as {which}, which holds NaN."
    text = (
        f"{_loss(scene)}{_typed(t)} as {which}, whose values go from {float(v.min()):.3g} to "
        f"{float(v.max()):.3g}"
    )
    op = t.value.grad_fn.name() if t.value.grad_fn is not None else ""
    linear = op in ("AddmmBackward0", "MmBackward0")
    return f"{text}; it comes straight from a matrix product ({op})." if linear else f"{text}."


@explains("class_weights", "class_weights")
def weights(scene: Scene, m: SeenError) -> Told:
    """Number of weights and of classes."""
    pair = _two(scene)
    if pair is None:
        return None
    held: Any = own_dict(scene.layer.value).get(private.BUFFERS, {}) if scene.layer else {}
    value = held.get("weight") if scene.layer else scene.local("weight")
    named = scene.as_written(value) if is_tensor(value) else None
    weight = f"the weight {named}" if named else f"a weight of shape {m['weight']}"
    return (
        f"{_loss(scene)}{_typed(pair[0])} as input, that is {m['classes']} classes, and {weight}; "
        f"one weight for each class would be [{m['classes']}]."
    )
