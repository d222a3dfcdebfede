"""Putting tensors together: cat, stack, and the DataLoader's collate."""

from __future__ import annotations

import ast
from typing import Any

from executor.errors import SeenError
from executor.inside.explain.family import Told, explains
from executor.inside.explain.look import is_tensor
from executor.inside.explain.scene import Scene
from executor.inside.explain.thing import Thing
from executor.inside.explain.words import a_type, dims, listed, short


def _parts(scene: Scene) -> tuple[str, list[Thing]]:
    """What is put together: the name of the list if there is one, and its tensors."""
    if scene.call is not None and scene.called in (
        "cat",
        "stack",
        "concat",
        "hstack",
        "vstack",
        "concatenate",
        "dstack",
        "pad_sequence",
    ):
        whole = scene.argument(0, "tensors", "sequences")
        if whole is not None and type(whole.value) in (list, tuple):
            written = [t for t in scene.operands if any(t.value is v for v in whole.value)]
            if len(written) == len(whole.value):
                return "", written
            parts = [Thing(f"{whole.name}[{i}]", v) for i, v in enumerate(whole.value)]
            if whole.name.startswith(("[", "(")):
                parts = written
            return whole.name + whole.place, parts
    batch = scene.local("batch", "tensors", "elem")
    if type(batch) in (list, tuple):
        return "the batch", [Thing(f"sample {i}", v) for i, v in enumerate(batch)]
    return "", list(scene.shapes)


@explains("cat", "cat_sizes")
def cat(scene: Scene, m: SeenError) -> Told:
    """The two tensors, the dimension that differs, and whether another dim would fit."""
    if not m["number"]:
        return None
    dim, first, other, number = m.numbers("dimension", "first", "other", "number")
    _whole, parts = _parts(scene)
    tensors = [t for t in parts if t.is_tensor]
    if number >= len(tensors) or not tensors:
        if not tensors:
            return None
        return (
            f"{listed(map(str, tensors))} is put together with others along dimension {dim}; "
            f"elsewhere {first} stands against {other}."
        )
    a, b = tensors[0], tensors[number]
    if len(a.shape) != len(b.shape):
        return None
    differ = [i for i, (x, y) in enumerate(zip(a.shape, b.shape, strict=True)) if x != y]
    off = [i for i in differ if i != dim]
    if not off:
        return None  # vstack and the like give them more dimensions first
    sizes = listed(f"{i} ({a.shape[i]} against {b.shape[i]})" for i in off)
    text = f"{a} and {b} are joined along dimension {dim} and differ in dimension {sizes}"
    if len(differ) == 1 and len(tensors) == 2:
        text += f"; {differ[0]} is the only dimension in which they differ"
    return f"{text}.", {"shapes": [list(t.shape) for t in tensors[:8]], "dim": dim}


@explains("cat", "cat_dimensions", "cat_of_numbers")
def ranks(scene: Scene, m: SeenError) -> Told:
    """How many dimensions each has."""
    _, parts = _parts(scene)
    tensors = [t for t in parts if t.is_tensor]
    if not tensors:
        return None
    if m.id == "cat_of_numbers":
        zero = [t for t in tensors if not t.shape]
        return (
            (f"{zero[0]} is a single value without dimensions; there is nothing to join it along.")
            if zero
            else None
        )
    if not m["first"] or not set(m.numbers("first", "other")) <= {len(t.shape) for t in tensors}:
        return None  # the odd one is not known, and the others are innocent
    return f"{listed(f'{t} has {len(t.shape)}' for t in tensors[:4])} dimensions."


@explains("stack", "stack_sizes")
def stack(scene: Scene, m: SeenError) -> Told:
    """Which entries differ; for a DataLoader, which samples."""
    first, other, at = m["first"], m["other"], m["number"]
    whole, parts = _parts(scene)
    shapes = [dims(t.shape) for t in parts if t.is_tensor]
    collated = any("collate" in tb.tb_frame.f_code.co_name for tb in scene.inner)
    if collated:
        kinds = listed(list(dict.fromkeys(shapes))[:4])
        batch = scene.local("batch")
        n = len(batch) if type(batch) in (list, tuple) else len(shapes)
        loader = next((t for t in scene.operands if type(t.value).__name__ == "DataLoader"), None)
        name = f"{loader.ticked}{loader.place}" if loader else "the DataLoader"
        return (
            f"{name} takes {n} samples for one batch, and their tensors have different "
            f"shapes: {kinds}. Its default collate_fn stacks them, which needs one "
            f"shape."
        )
    if entries := _two_entries(scene, first, other, int(at)):
        return entries
    if not shapes:
        return None
    if whole and not whole.startswith(("[", "(")):
        distinct = dict.fromkeys(shapes)
        return (
            f"`{whole.split(' (')[0]}`{whole[len(whole.split(' (')[0]) :]} has {len(shapes)} "
            f"tensors of {len(distinct)} different shapes: "
            f"{listed(list(distinct)[:4])}."
        )
    named = listed(map(str, parts[:4]))
    return f"{named} are not one shape; stack adds a new dimension and needs that."


def _two_entries(scene: Scene, first: str, other: str, at: int) -> str:
    """The entry that differs from the first one, as it is written; empty if it is not."""
    node = scene.call.args[0] if scene.call and scene.call.args else None
    needs = "stack adds a new dimension and needs one shape"
    if isinstance(node, (ast.List, ast.Tuple)):
        if at >= len(node.elts) or any(isinstance(e, ast.Starred) for e in node.elts):
            return ""
        a, b = (
            f"`{short(ast.unparse(e))}` {shape}{_place(scene, e)}"
            for e, shape in ((node.elts[0], first), (node.elts[at], other))
        )
        return f"{a} and {b} are not one shape; {needs}."
    if isinstance(node, (ast.ListComp, ast.GeneratorExp)) and len(node.generators) == 1:
        loop = node.generators[0]
        of = short(ast.unparse(loop.iter), 40)
        made = f"`{short(ast.unparse(node.elt), 40)}` for each of `{of}`"
        which = f"the first gives {first}, number {at} (counted from 0) gives {other}"
        items = next(scene.known([loop.iter]), None)
        if items is not None and type(items.value) in (list, tuple) and not loop.ifs:
            values = items.value
            if at < len(values) and is_tensor(values[at]):
                which += f"; `{items.name}[0]` is {dims(values[0].shape)} and "
                which += f"`{items.name}[{at}]` is {dims(values[at].shape)}"
        return f"The list holds {made}: {which}; {needs}."
    return ""


def _place(scene: Scene, node: ast.AST) -> str:
    thing = next(scene.known([node]), None)
    return thing.place if thing is not None else ""


@explains("stack", "collate_type")
def collate(scene: Scene, m: SeenError) -> Told:
    """What the dataset returned."""
    data = _dataset(scene)
    name = type(data).__name__ if data is not None else ""
    getitem = scene.places.function_named("__getitem__", name) if name else None
    where = f" (line {getitem.lineno})" if getitem else ""
    who = f"`{name}.__getitem__`{where}" if name else "the dataset"
    found = (
        m["given"].removesuffix("Type") if m["given"] == "NoneType" else m["given"].split(".")[-1]
    )
    return f"A sample that {who} returned holds {found}, of which no batch can be made."


def _dataset(scene: Scene) -> Any:
    for tb in scene.inner:
        found = tb.tb_frame.f_locals.get("self")
        held = getattr(found, "__dict__", {}) if type(found).__module__.startswith("torch.") else {}
        for key in ("dataset", "_dataset"):
            if key in held:
                return held[key]
    return None


@explains("argument_type", "join_of_one_tensor", "join_of_no_tensors")
def not_a_list(scene: Scene, m: SeenError) -> Told:
    """A tensor where a list of tensors is expected, or something else inside of the list."""
    whole = scene.argument(0, "tensors")
    if whole is None:
        return None
    if is_tensor(whole.value):
        args = scene.call.args if scene.call else []
        more = f"; it is the first of {len(args)} arguments" if len(args) > 1 else ""
        return f"{whole} is one tensor; {scene.called} takes a list or tuple of them{more}."
    at = m.number("number") if m["number"] else None
    if type(whole.value) in (list, tuple) and at is not None and at < len(whole.value):
        value = whole.value[at]
        return f"Entry {at} of `{whole.name}`{whole.place} is {_thing(value)}, not a tensor."
    return None


def _thing(value: Any) -> str:
    told = a_type(value)
    return told.strip("()").removeprefix("= ") if not is_tensor(value) else "a tensor"


@explains("stack", "join_of_nothing")
def empty(scene: Scene, m: SeenError) -> Told:
    """The list is empty."""
    whole = scene.argument(0, "tensors")
    if whole is None or type(whole.value) not in (list, tuple) or whole.value:
        return None
    return f"`{whole.name}`{whole.place} is empty here: there is nothing to join."
