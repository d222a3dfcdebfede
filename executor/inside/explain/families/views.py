"""Views and dimensions: view, reshape, permute, a dimension that is not there."""

from __future__ import annotations

import ast

from executor.errors import SeenError
from executor.inside.explain.families.recurrent import attention
from executor.inside.explain.family import Told, explains
from executor.inside.explain.scene import Scene
from executor.inside.explain.thing import Thing
from executor.inside.explain.words import count, dims, listed

_REORDER = ("transpose", "permute", "t", "movedim", "swapaxes", "expand")


@explains("view", "view_size")
def view(scene: Scene, m: SeenError) -> Told:
    """How many values there are, how many the new shape needs, and what keeps the batch."""
    if scene.layer is not None and scene.input is not None:
        return attention(scene, m) or f"{scene.layer.told}; {scene.input_told()}."
    wanted = list(m.sizes("shape"))
    size = m.number("size")
    x = scene.receiver or next(iter(scene.shapes), None)
    if x is None or not x.is_tensor or count(x.shape) != size:
        x = next((t for t in scene.shapes if count(t.shape) == size), None)
    values = "1 value" if size == 1 else f"{size} values"
    who = f"{x} holds {values}" if x else f"The tensor here holds {values}"
    if x is None and (chosen := _chosen_by_mask(scene)):
        who = f"{chosen} are {values}"
    fixed = count(n for n in wanted if n >= 0)
    if x is not None and len(x.shape) > 1:
        who = f"{x} holds {'·'.join(map(str, x.shape))} = {size} values"
    facts = {"values": size, "wanted": wanted, "shape": list(x.shape) if x else None}
    product = "·".join(str(n) for n in wanted if n >= 0)
    if -1 not in wanted:
        return f"{who}; {dims(wanted)} needs {product} = {fixed}.", facts
    left = f"; the -1 in {dims(wanted)} can only stand for {size}/{fixed}, not a whole number"
    if fixed == 0:
        left = ""
    fit = ""
    if x is not None and len(x.shape) > 1 and x.shape[0]:
        each = count(x.shape[1:])
        if len(wanted) == 2 and wanted[0] == -1:
            fit = f". One entry of dimension 0 has {each} values"
    return f"{who}{left}{fit}.", facts


def _chosen_by_mask(scene: Scene) -> str:
    """That values which a mask chooses are laid out, and how many there are in a row of it."""
    match scene.node:
        case ast.Call(func=ast.Attribute(value=ast.Subscript(slice=ast.Name() as by) as chosen)):
            mask = next((t for t in scene.known([by]) if t.is_tensor), None)
        case _:
            return ""
    if mask is None or str(mask.value.dtype) != "torch.bool" or mask.value.dim() < 2:
        return ""
    each = mask.value.flatten(1).sum(1)
    least, most = int(each.min()), int(each.max())
    shown = f"`{ast.unparse(chosen)[:60]}`, the values where `{mask.name}` is True"
    if least == most:
        return shown
    return f"{shown} ({least} to {most} of them in a row of it, so that they make no table),"


@explains("view", "view_not_contiguous")
def not_contiguous(scene: Scene, m: SeenError) -> Told:
    """The strides, and the call that made them, where the text shows it."""
    x = scene.receiver
    if x is None or not x.is_tensor or x.computed:
        return None
    strides = dims(x.value.stride())
    made = scene.value_node(x.node) if x.node is not None else None
    how = ""
    name = (
        made.func.attr
        if isinstance(made, ast.Call) and isinstance(made.func, ast.Attribute)
        else ""
    )
    if made is not None and name in _REORDER:
        how = f": `{name}` at line {made.lineno} reorders it without moving its values"
    return (
        f"{x} lies in memory with strides {strides}{how}; its values are not in the order "
        "that this view needs."
    )


@explains("dimension", "dimension_out_of_range")
def out_of_range(scene: Scene, m: SeenError) -> Told:
    """Which tensor has how many dimensions."""
    low, high, got = m.numbers("low", "high", "dimension")
    if scene.inner and scene.inner[-1].tb_frame.f_code.co_name == "unfold":
        x = scene.local_thing("input")
        if x is not None:
            return f"{x} has {_of_rank(x)}; `unfold` of images takes 4, or 3 without a batch."
    rank = high + 1
    things = [*scene.shapes, *(t for t in scene.below if t.is_tensor)]
    ranks = (0, 1) if rank == 1 else (rank,)  # a single value counts as one dimension here
    fits = [t for t in things if len(t.shape) in ranks]
    joined = scene.called in ("cat", "stack", "concat")
    x = fits[0] if fits and (joined or fits[0] is things[0]) else None
    if x is None and not scene.shapes:
        inner = scene.local_thing("input", "self", "tensor")
        x = inner if inner is not None and len(inner.shape) in ranks else None
    if x is None and len(scene.shapes) > 1:
        told = listed(f"{t} has {len(t.shape)}" for t in scene.shapes[:4])
        return f"Dimension {got} is asked for; of dimensions, {told}."
    n = len(x.shape) if x else rank
    if x is None:
        count_ = "one dimension" if rank == 1 else f"{rank} dimensions"
        layer = f"{scene.layer.told}; " if scene.layer else ""
        return f"{layer}the tensor here has {count_}, so {got} names none: {low} to {high} exist."
    if n == 0:
        return f"{x} is a single value without dimensions, so dimension {got} is not there."
    dimensions = "one dimension, 0" if n == 1 else f"{n} dimensions, 0 to {n - 1}"
    return f"{x} has {dimensions}; dimension {got} is asked for."


def _of_rank(x: Thing) -> str:
    return "one dimension" if len(x.shape) == 1 else f"{len(x.shape)} dimensions"


@explains("dimension", "permute_dimensions")
def permute(scene: Scene, m: SeenError) -> Told:
    """The tensor's dimensions and those listed."""
    have, listed_ = m["dimensions"], m["listed"]
    x = next((t for t in scene.shapes if len(t.shape) == int(have)), None)
    return f"{x} has {have} dimensions and the new order lists {listed_}." if x else None


@explains("dimension", "dimensions")
def rank(scene: Scene, m: SeenError) -> Told:
    """Each operand with its number of dimensions."""
    if scene.layer is not None and scene.input is not None:
        return None  # the layer's own families know more
    if scene.called in ("cat", "concat", "concatenate", "stack"):
        return None  # told in cat_stack, where the odd entry is known
    things = list(scene.shapes) or [t for t in scene.below if t.is_tensor]
    if not things:
        return None
    told = [
        f"{t} has {len(t.shape)} dimension{'' if len(t.shape) == 1 else 's'}" for t in things[:3]
    ]
    return f"{listed(told)}."
