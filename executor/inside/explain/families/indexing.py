"""Indexing: positions that are not there, index dtypes, gather and scatter, masks, keys."""

from __future__ import annotations

import ast
import difflib
from typing import Any

import torch

from executor.errors import SeenError, dtype_named
from executor.inside import torch_private as private
from executor.inside.explain.family import Told, explains
from executor.inside.explain.look import UnknownError, is_tensor, value_of
from executor.inside.explain.scene import Scene
from executor.inside.explain.thing import Thing
from executor.inside.explain.words import a_type, dims, dtype, listed, short

_KEYS = 8


@explains("embedding_range", "embedding_range")
def ids(scene: Scene, m: SeenError) -> Told:
    """The largest id and the number of rows."""
    layer = scene.layer_is("Embedding", "EmbeddingBag")
    x = (
        scene.input
        or scene.local_thing("input")
        or next((t for t in scene.tensors if not t.value.is_floating_point()), None)
    )
    if x is None or not x.value.numel():
        return None
    low, high = int(x.value.min()), int(x.value.max())
    if layer is None:
        weight = scene.local("weight") if is_tensor(scene.local("weight")) else None
        if weight is None:
            return None
        rows = weight.shape[0]
        who = f"The table has {rows} rows"
    else:
        rows = layer.value.num_embeddings
        who = f"{layer.told}, has rows 0 to {rows - 1}"
    bad = f"go up to {high}" if high >= rows else f"go down to {low}"
    more = f": num_embeddings would have to be at least {high + 1}" if high >= rows else ""
    at = "the ids in" if x.line or x.name != "input" else "the ids in its"
    name = x.ticked if x.name != "input" or x.line else "input"
    return (
        f"{who}; {at} {name} {dims(x.shape)}{x.place} {bad}{more}.",
        {"num_embeddings": rows, "ids": [low, high]},
    )


@explains("index", "index_out_of_bounds", "array_index_out_of_bounds")
def out_of_bounds(scene: Scene, m: SeenError) -> Told:
    """Which tensor ends where, and what the index is."""
    index, dim, size = m.numbers("index", "dimension", "size")
    base = _base(scene, dim, size)
    last = f"0 to {size - 1}" if size else "none at all"
    if base is None:
        reader = _iterated(scene, size)
        return f"{reader} has {size} entries, {last}; this asks for {index}." if reader else None
    who = _index_name(scene, index, base)
    return f"{base} has positions {last} in dimension {dim}; {who}."


def _index_name(scene: Scene, index: int, base: Thing) -> str:
    for node in ast.walk(scene.node) if scene.node is not None else ():
        if isinstance(node, ast.Name) and node.id != base.name:
            try:
                value = scene.names[node.id]
            except UnknownError:
                continue
            if type(value) is int and value == index:
                loop = _loop_of(scene, node.id)
                return f"`{node.id}` is {index}{loop}"
            if (
                is_tensor(value)
                and value.numel()
                and not value.is_floating_point()
                and (index in (int(value.max()), int(value.min())))
            ):
                t = scene.thing(node)
                return f"{t} holds {index}"
    return f"the index is {index}"


def _loop_of(scene: Scene, name: str) -> str:
    for parent, _ in scene.places.ancestors(scene.node or scene.places.tree):
        if isinstance(parent, ast.For) and any(
            isinstance(n, ast.Name) and n.id == name for n in ast.walk(parent.target)
        ):
            return f", from `{ast.unparse(parent.iter)[:40]}` at line {parent.lineno}"
    return ""


def _base(scene: Scene, dim: int, size: int) -> Thing | None:
    things = [*scene.shapes, *(t for t in scene.below if t.is_tensor)]
    things += [t for t in scene.operands if not t.is_tensor and t.shape]
    fits = [t for t in things if dim < len(t.shape) and t.shape[dim] == size]
    return fits[0] if fits else None


def _iterated(scene: Scene, size: int) -> str:
    fits = [
        t for t in scene.operands if type(t.value) in (list, tuple, dict) and len(t.value) == size
    ]
    return f"`{fits[0].name}`{fits[0].place}" if len(fits) == 1 else ""


@explains(
    "index",
    "too_many_indices",
    "index_of_a_number",
    "array_too_many_indices",
    "slice_of_a_number",
    "module_index_out_of_range",
)
def too_many(scene: Scene, m: SeenError) -> Told:
    """How many dimensions there are and how many are asked for."""
    node = scene.node
    if not isinstance(node, ast.Subscript):
        node = (
            next((n for n in ast.walk(node) if isinstance(n, ast.Subscript)), None)
            if node
            else None
        )
    base = next(scene.shaped([node.value]), None) if isinstance(node, ast.Subscript) else None
    base = base if base is not None and (base.shape or base.is_tensor) else None
    if base is None:
        sized = [t for t in scene.operands if issubclass(type(t.value), torch.nn.Module)]
        if sized and private.modules_of(sized[0].value):
            asked = f"; this asks for number {m['index']}" if m["index"] else ""
            return (
                f"`{sized[0].name}`{sized[0].place} has {len(private.modules_of(sized[0].value))} "
                f"modules{asked}."
            )
        return None
    n = len(base.shape)
    asked = ""
    if isinstance(node, ast.Subscript):
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        count = 0
        for part in parts:
            t = next(scene.shaped([part]), None)
            mask = t is not None and t.is_tensor and t.value.dtype == torch.bool
            count += len(t.shape) if t is not None and mask else 1
        written = ", ".join(ast.unparse(p) for p in parts)[:40]
        asked = f"; `[{written}]` names {count}"
    if n == 0:
        return f"{base} is a single value: it has no dimension to index."
    return f"{base} has {n} dimension{'s' if n > 1 else ''}{asked}."


@explains("index_dtype", "index_dtype")
def index_dtype(scene: Scene, m: SeenError) -> Told:
    """The index tensor's dtype, and whether its values are whole numbers."""
    t = _index_tensor(scene)
    if t is None:
        return None
    v = t.value.detach()
    whole = v.numel() and bool((v == v.round()).all()) if v.is_floating_point() else True
    only = (
        " only 0 and 1"
        if v.numel() and bool(((v == 0) | (v == 1)).all())
        else (" whole numbers" if whole else " fractions")
    )
    return f"The index {t.ticked} is {dtype(v)} {dims(t.shape)}{t.from_line}; it holds{only}."


def _index_tensor(scene: Scene) -> Thing | None:
    node = scene.node
    subs = [n for n in ast.walk(node) if isinstance(n, ast.Subscript)] if node is not None else []
    for sub in subs:
        parts = sub.slice.elts if isinstance(sub.slice, ast.Tuple) else [sub.slice]
        for t in scene.known(parts):
            if t.is_tensor and t.value.dtype not in (
                torch.int64,
                torch.bool,
                torch.uint8,
                torch.int32,
            ):
                return t
    return None


@explains("index_type", "index_type")
def index_type(scene: Scene, m: SeenError) -> Told:
    """What is indexed, by what."""
    sub = scene.node if isinstance(scene.node, ast.Subscript) else None
    base = next(scene.known([sub.value]), None) if sub else None
    if sub is None or base is None:
        return None
    index = next(scene.known([sub.slice]), None)
    by = f"`{index.name}`, {_of(index)}" if index else f"`{ast.unparse(sub.slice)[:40]}`"
    if isinstance(sub.slice, ast.Constant):
        by = repr(sub.slice.value)
    inside = ""
    if type(base.value) in (list, tuple) and base.value:
        inside = f" Its first entry is {_of(Thing('', base.value[0]))}."
    return f"`{base.name}`{base.place} is {_of(base)}, and {by} is no position in it.{inside}"


def _of(t: Thing) -> str:
    if t.is_tensor:
        return f"a tensor {dims(t.shape)}"
    kind = type(t.value)
    if kind in (list, tuple, dict):
        return f"a {kind.__name__} of {len(t.value)}"
    return a_type(t.value).strip("()= ")


@explains("list_range", "list_range")
def list_range(scene: Scene, m: SeenError) -> Told:
    """How long the list is and what is asked for."""
    sub = scene.node if isinstance(scene.node, ast.Subscript) else None
    if sub is None:
        if scene.receiver is not None and type(scene.receiver.value) in (list, tuple):
            return (
                f"{scene.receiver.ticked}{scene.receiver.place} is empty here."
                if not scene.receiver.value
                else None
            )
        return None
    base = next(scene.known([sub.value]), None)
    if base is None:
        text = ast.unparse(sub.value)
        if text.endswith(".shape") and isinstance(sub.value, ast.Attribute):
            t = next(scene.known([sub.value.value]), None)
            return f"{t} has {len(t.shape)} dimensions." if t and t.is_tensor else None
        return None
    try:
        index = value_of(sub.slice, scene.names)
    except UnknownError:
        index = None
    try:
        n = len(base.value) if type(base.value) in (list, tuple, str, torch.Size) else None
    except Exception:
        n = None
    if n is None:
        return None
    what = (
        f"`{ast.unparse(sub.slice)[:40]}` is {index}"
        if not isinstance(sub.slice, (ast.Constant, ast.UnaryOp))
        else f"position {index} is asked for"
    )
    if index is None:
        what = f"`{ast.unparse(sub.slice)[:40]}` lies outside"
    size = (
        "is empty"
        if n == 0
        else f"has {n} {'entry' if n == 1 else 'entries'}, 0 to {n - 1}"
        if n > 1
        else "has one entry, 0"
    )
    if type(base.value) is torch.Size:
        size += f" ({dims(base.value)})"
    loop = _loop_of(scene, sub.slice.id) if isinstance(sub.slice, ast.Name) else ""
    return f"`{base.name}`{base.place} {size}; {what}{loop}."


@explains("key", "key_missing")
def key(scene: Scene, m: SeenError) -> Told:
    """The keys that are there, and the nearest one."""
    holder, missing = None, scene.error.args[0] if scene.error.args else None
    sub = scene.node if isinstance(scene.node, ast.Subscript) else None
    if sub is not None:
        holder = next(scene.known([sub.value]), None)
    elif scene.receiver is not None and type(scene.receiver.value) is dict:
        holder = scene.receiver
    if holder is None:
        return None
    if is_tensor(missing):
        return (
            f"The key is a tensor, and tensors are found in a dict by identity, not by value: "
            f"the keys of `{holder.name}`{holder.place} are other objects."
        )
    keys = _keys(holder.value)
    if keys is None:
        return None
    shown = ", ".join(repr(k)[:40] for k in keys[:_KEYS]) + (" …" if len(keys) > _KEYS else "")
    near = difflib.get_close_matches(str(missing), [k for k in keys if type(k) is str], 1, 0.6)
    close = f"; the closest is {near[0]!r}" if near and type(missing) is str else ""
    if not keys:
        return f"`{holder.name}`{holder.place} is empty."
    return (
        f"`{holder.name}`{holder.place} has the keys {shown}{close}.",
        {"keys": [str(k)[:80] for k in keys[:20]]},
    )


def _keys(value: Any) -> list[Any] | None:
    if issubclass(type(value), dict) and type(value).__module__ != "__main__":
        return [k for k in dict.keys(value) if type(k) in (str, int, float, bool, bytes, tuple)]
    if issubclass(type(value), (torch.nn.ModuleDict, torch.nn.ParameterDict)):
        return list(private.modules_of(value)) or list(private.parameters_of(value))
    return None


@explains("scatter_gather", "index_put_dtypes")
def put(scene: Scene, m: SeenError) -> Told:
    """The tensor that is written to and what is written; the index plays no part."""
    if not isinstance(scene.node, ast.Subscript) or not isinstance(scene.statement, ast.Assign):
        base, source = scene.receiver, scene.argument(1, "values")
    else:
        base = next(scene.shaped([scene.node.value]), None)
        source = next(scene.shaped([scene.statement.value]), None)
    if base is None or not base.is_tensor:
        return None
    written = "what is written into it"
    if source is not None and source.is_tensor:
        written = f"{source.ticked}{source.place}, which is written into it,"
    elif isinstance(scene.statement, ast.Assign):
        written = f"`{short(ast.unparse(scene.statement.value))}`, which is written into it,"
    of, to = (dtype_named(m[i]) or m[i] for i in ("source", "target"))
    return f"{base.ticked}{base.place} is {to}, and {written} is {of}."


@explains("scatter_gather", "index_dimensions", "gather_scatter")
def scatter(scene: Scene, m: SeenError) -> Told:
    """Tensor, index and source with shape and dtype."""
    if len(scene.shapes) < 2:
        return None
    on = scene.receiver if scene.receiver is not None and scene.receiver.is_tensor else None
    base = on or scene.shapes[0]
    rest = [t for t in scene.shapes if t.name != base.name]
    if isinstance(scene.node, ast.Subscript):
        index = source = None
    else:
        index = next((t for t in rest if not t.value.is_floating_point()), rest[0])
        source = next((t for t in rest if t is not index), None)
    told: list[tuple[str, Thing]] = []
    why = ""
    for role, t in (("tensor", base), ("index", index), ("source", source)):
        if t is not None and all(t.value is not u.value for _, u in told):
            told.append((role, t))
    if index is None:
        told = [("", t) for t in scene.shapes]
    said = listed(
        f"the {r} {t.ticked}{t.place} is {dtype(t.value)} {dims(t.shape)}"
        if r
        else f"{t.ticked}{t.place} is {dtype(t.value)} {dims(t.shape)}"
        for r, t in told
    )
    if index is not None and index.value.dtype not in (torch.int64, torch.int32):
        why = f" An index is int64, this one is {dtype(index.value)}."
    elif index is not None and len(index.shape) != len(base.shape) and "dimension" in scene.message:
        why = f" They have {len(base.shape)} and {len(index.shape)} dimensions."
    elif source is not None and source.value.dtype != base.value.dtype and "dtype" in scene.message:
        why = f" The source is {dtype(source.value)}, the tensor {dtype(base.value)}."
    return f"{said[:1].upper()}{said[1:]}.{why}"


@explains("masked", "assigned_shape")
def assigned(scene: Scene, m: SeenError) -> Told:
    """How many places are chosen and how many values come."""
    value, chosen = m["value"], m["chosen"]
    t = next((t for t in scene.shapes if dims(t.shape) == value), None)
    target = next((x for x in scene.shapes if t is None or x.value is not t.value), None)
    where = f"the places chosen in {target}" if target else "the places chosen on the left"
    return f"{where} are {chosen}; {t or 'the value on the right, ' + value + ','} is to fill them."


@explains("masked", "index_shapes", "mask_shape")
def mask(scene: Scene, m: SeenError) -> Told:
    """The tensor and its mask or indices."""
    if not scene.shapes:
        return None
    like = [t for t in scene.shapes if dims(t.shape) == m["mask"]]
    masks = [t for t in like if t.value.dtype in (torch.uint8, torch.bool)]  # read as one
    cut = next(iter(masks or like), None)
    base = next((t for t in scene.shapes if dims(t.shape) == m["tensor"]), None)
    if m["mask"] and base is not None:
        at, place = m["mask_dimension"], m["tensor_dimension"]
        who = str(cut) if cut else f"the mask, {m['mask']},"
        text = f"{who} chooses from {base}, and they differ in dimension {at}"
        if at != place:  # an index before it stands for a dimension, or a mask for several
            text = (
                f"{who} chooses from {base}: its dimension {at} stands against dimension {place} "
                "there, and they differ"
            )
        return f"{text[:1].upper()}{text[1:]}."
    return f"In this indexing, {listed(map(str, scene.shapes[:5]))} come together."
