"""Shapes that do not fit: matrix products, broadcasting, expand, bmm and einsum."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from itertools import permutations
from typing import Any

from executor.errors import SeenError
from executor.inside.explain.families.optimized import outgrown
from executor.inside.explain.families.recurrent import attention
from executor.inside.explain.family import Told, explains
from executor.inside.explain.scene import Scene
from executor.inside.explain.thing import Thing
from executor.inside.explain.words import count, dims, listed

_FEW = 5  # letters of an operand whose orders are tried


@explains("matmul", "matmul_shapes")
def matmul(scene: Scene, m: SeenError) -> Told:
    """Which layer (or which two matrices), and whether another dimension would fit."""
    inner, other = m.numbers("inner_left", "inner_right")
    if (fc := scene.layer_is("Linear")) and (x := scene.input):
        wanted = fc.value.weight.shape[-1]
        facts = {"layer": fc.name, "in_features": wanted, "input": list(x.shape)}
        if wanted != fc.value.in_features and x.shape[-1] != wanted:
            return _resized_in_name_only(scene, x, wanted), facts | {"in_features": wanted}
        if x.shape[-1] == wanted:
            now = dims(fc.value.weight.shape)
            return f"{fc.told}; {scene.input_told()}, and its weight is {now} by now.", facts
        text = f"{fc.told}; {scene.input_told()}. {_what_fits_linear(x, wanted)}"
        return text, facts
    if scene.layer_is("MultiheadAttention"):
        return attention(scene, m)
    return _two_matrices(scene, inner, other)


def _resized_in_name_only(scene: Scene, x: Thing, wanted: int) -> str:
    """A Linear whose `in_features` was set after it was made: only the weight multiplies."""
    layer = scene.layer_is("Linear")
    assert layer is not None
    name = f"`{layer.name}`" if layer.name else "the layer"
    made = f", made at line {layer.line}," if layer.line else ""
    return (
        f"The weight of {name}{made} is {dims(layer.value.weight.shape)} and takes rows of "
        f"{wanted}; {scene.input_told()}. `in_features` says {layer.value.in_features}, but "
        "that attribute is only a note: the weight alone decides."
    )


def _what_fits_linear(x: Thing, wanted: int) -> str:
    shape = x.shape
    last = shape[-1] if shape else 1
    said = f"Its last dimension is {last} and in_features is {wanted}"
    if len(shape) > 2 and count(shape[1:]) == wanted:
        product = "·".join(map(str, shape[1:]))
        return f"{said}; {product} = {wanted}: the values of one sample would fit if flattened."
    if count(shape) == wanted and len(shape) > 1:
        product = "·".join(map(str, shape))
        return f"{said}; {product} = {wanted}: all its values together are one row."
    if wanted in shape[:-1]:
        at = shape.index(wanted)
        return f"{said}; its dimension {at} is {wanted}."
    fit = f"either in_features would have to be {last}, or that dimension {wanted}"
    if len(shape) > 3:  # images: nobody multiplies their rows one by one
        product = "·".join(map(str, shape[1:]))
        flat = count(shape[1:])
        fit = f"flattened, a sample has {product} = {flat} values; either in_features would have "
        fit += f"to be that (or {last} as it is), or the input another size"
    return f"{said}: {fit}."


def _two_matrices(scene: Scene, inner: int, other: int) -> Told:
    pair = _pair(scene)
    if pair is None:
        if scene.layer is not None and scene.input is not None:
            return (
                f"{scene.layer.told}; {scene.input_told()}. The inner sizes of a product "
                f"in it are {inner} and {other}."
            )
        return None
    a, b = pair
    text = f"In the product, {a} gives rows of {inner} values and {b} has {other} rows"
    fit = ""
    if len(a.shape) == 2 and len(b.shape) == 2:
        turned = []
        if a.shape[1] == b.shape[1]:
            turned.append(
                f"the rows of both are {inner} long, so `{a.name} @ {b.name}.T` would fit"
            )
        if a.shape[0] == b.shape[0]:
            turned.append(f"both have {other} rows, so `{a.name}.T @ {b.name}` would fit")
        fit = f"; {listed(turned, 'or')}" if len(turned) == 1 else ""
    return f"{text}{fit}.", {"shapes": [list(a.shape), list(b.shape)]}


def _pair(scene: Scene) -> tuple[Thing, Thing] | None:
    """The two tensors of the failing expression, if it has exactly two."""
    for things in (scene.shapes, tuple(t for t in scene.below if t.is_tensor)):
        if len(things) == 2:
            return things[0], things[1]
        if len(things) == 1 and isinstance(scene.node, ast.BinOp):
            return (things[0], things[0]) if _same_sides(scene.node) else None
    return None


def _same_sides(node: ast.BinOp) -> bool:
    return ast.unparse(node.left) == ast.unparse(node.right)


@explains("matmul", "matvec_sizes", "dot_sizes")
def vectors(scene: Scene, m: SeenError) -> Told:
    """A matrix and a vector, or two vectors."""
    pair = _pair(scene)
    if pair is None:
        return None
    a, b = pair
    left, right = (a.shape or (1,))[-1], (b.shape or (1,))[0]
    return f"{a} gives {left} values per row, {b} has {right}."


@explains("broadcast", "broadcast_sizes")
def broadcast(scene: Scene, m: SeenError) -> Told:
    """Both shapes aligned from the right, and the one dimension that clashes."""
    if not m["dimension"]:
        return None
    a_size, b_size, at = m.numbers("a", "b", "dimension")
    if (text := outgrown(scene)) is not None:
        return text
    pair = _broadcast_pair(scene, a_size, b_size, at)
    if pair is None:
        if scene.layer is not None and scene.input is not None:
            return f"{scene.layer.told}; {scene.input_told()}."
        known = scene.shapes
        if known:
            verb = "takes" if len(known) == 1 else "take"
            return (
                f"{listed(map(str, known))} {verb} part in this expression; in dimension {at} "
                f"of its result one side has {a_size}, the other {b_size}."
            )
        return None
    a, b = pair
    facts: dict[str, Any] = {"shapes": [list(a.shape), list(b.shape)], "dimension": at}
    text = f"{a} and {b} are aligned from their last dimension"
    where = "there" if at == max(len(a.shape), len(b.shape)) - 1 else f"in dimension {at}"
    fit = "" if scene.inner else _what_fits_broadcast(a, b)
    return f"{text}; {where}, {a_size} stands against {b_size}{fit}.", facts


def _broadcast_pair(scene: Scene, a: int, b: int, at: int) -> tuple[Thing, Thing] | None:
    """The two tensors of the expression whose dimension `at` of the result is really a and b."""

    def size(t: Thing, rank: int) -> int | None:
        i = at - (rank - len(t.shape))
        return t.shape[i] if 0 <= i < len(t.shape) else None

    every = [*scene.shapes, *(t for t in scene.below if t.is_tensor)]
    if len(every) < 2:
        every += [t for name in ("input", "target") if (t := scene.local_thing(name))]
    for x in every:
        for y in every:
            rank = max(len(x.shape), len(y.shape))
            if x.value is not y.value and (size(x, rank), size(y, rank)) == (a, b):
                return x, y
    return None


def _fits(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    return all(x == y or 1 in (x, y) for x, y in zip(reversed(a), reversed(b), strict=False))


def _what_fits_broadcast(a: Thing, b: Thing) -> str:
    """A fact about the shapes that decides it, if just one does."""
    x, y = a.shape, b.shape
    if len(x) == len(y):
        if sorted(x) == sorted(y) and len(x) == 2:
            return f"; `{b.name}.T` has the shape of `{a.name}`"
        return ""
    small, large = (a, b) if len(x) < len(y) else (b, a)
    if len(small.shape) == 1 and len(large.shape) == 2 and small.shape[0] == large.shape[0]:
        n = small.shape[0]
        return f"; `{small.name}` has one value for each of the {n} rows, as [{n}, 1] it would fit"
    return ""


@explains("broadcast", "inplace_result_grows")
def grows(scene: Scene, m: SeenError) -> Told:
    """An in-place operation whose result is larger than its target."""
    into, result = m["target"], m["result"]
    others = [t for t in scene.shapes if dims(t.shape) != into]
    target = next((t for t in scene.shapes if dims(t.shape) == into), None)
    if target is None:
        return None
    with_what = f" with {listed(map(str, others))}" if others else ""
    return (
        f"The result{with_what} would be {result}, and it is written in place into {target}, "
        "which cannot grow."
    )


@explains("expand", "expand_sizes")
def expand(scene: Scene, m: SeenError) -> Told:
    """Which tensor into which shape, also for an assignment to a part of a tensor."""
    want, have, at = m["wanted"], m["existing"], m["dimension"]
    target, existing = m["target_shape"], m["tensor_shape"]
    x = next((t for t in scene.shapes if dims(t.shape) == existing), None)
    whole = [t for t in scene.shapes if x is None or t.value is not x.value]
    source = f"{x}" if x else f"a tensor {existing}"
    if scene.called in ("expand", "expand_as", "broadcast_to"):
        return (
            f"{source} is asked to become {target}: only dimensions of size 1 can be "
            f"expanded, and at dimension {at} of the result it has {have}."
        )
    if whole and isinstance(scene.statement, (ast.Assign, ast.AugAssign)):
        return (
            f"{source} goes into a part of {whole[0]} that is {target}; at dimension {at} "
            f"{have} stands against {want}."
        )
    if x is None and not scene.operands:
        return None
    return f"{source} would have to fill {target}; at dimension {at} it has {have}, not {want}."


@explains("expand", "expand_fewer_dimensions")
def fewer(scene: Scene, m: SeenError) -> Told:
    """A tensor with more dimensions than the place it goes to."""
    size, rank = m["target_shape"], m["dimensions"]
    x = next((t for t in scene.shapes if len(t.shape) == int(rank)), None)
    return f"{x} has {rank} dimensions and goes where there are only {size}." if x else None


@explains("bmm", "bmm_sizes")
def bmm(scene: Scene, m: SeenError) -> Told:
    """Batch size and inner size, side by side."""
    batch, inner = m.numbers("batch", "inner")
    got_batch, got_inner = m.numbers("batch_right", "inner_right")
    pair = _pair(scene)
    if pair is None:
        return None
    a, b = pair
    clash = []
    if batch != got_batch:
        clash.append(f"the batch sizes are {batch} and {got_batch}")
    if inner != got_inner:
        clash.append(f"rows of {inner} values meet {got_inner} rows")
    fit = ""
    if batch == got_batch and len(b.shape) == 3 and b.shape[2] == inner:
        fit = f"; the last dimension of `{b.name}` is {inner}"
    return f"{a} times {b}: {listed(clash)}{fit}."


@explains("bmm", "bmm_dimensions", "not_a_matrix", "dot_dimensions", "product_of_a_number")
def ranks(scene: Scene, m: SeenError) -> Told:
    """The number of dimensions of each operand."""
    things = scene.shapes or tuple(t for t in scene.below if t.is_tensor)
    if scene.layer is not None and scene.input is not None:
        n = len(scene.input.shape)
        return f"{scene.layer.told}; {scene.input_told()}: {n or 'no'} dimensions."
    if not things:
        return None
    told = [f"{t} has {len(t.shape)}" for t in things[:3]]
    name = f"`{scene.called}`" if scene.called else "This operation"
    want = {
        "bmm": " takes two tensors with 3 dimensions",
        "mm": " takes two matrices",
        "baddbmm": " multiplies tensors with 3 dimensions",
        "dot": " takes two vectors",
    }.get(scene.called, "")
    return (
        f"{name}{want}; of dimensions, {listed(told)}."
        if want
        else f"Of dimensions, {listed(told)}."
    )


def _fits_in_another_order(letters: Sequence[str], shapes: Sequence[Sequence[int]]) -> bool:
    """Whether each letter has one size if those of one operand are written in another order."""
    if any(not part.isalpha() or len(part) > _FEW for part in letters):
        return False
    return any(
        _agree([order if i == at else one for i, one in enumerate(letters)], shapes)
        for at, part in enumerate(letters)
        for order in permutations(part)
    )


def _agree(letters: Sequence[Sequence[str]], shapes: Sequence[Sequence[int]]) -> bool:
    """Whether no letter stands for two sizes."""
    sizes = {
        pair
        for part, shape in zip(letters, shapes, strict=True)
        for pair in zip(part, shape, strict=False)
    }
    return len(sizes) == len({letter for letter, _ in sizes})


@explains("einsum", "einsum")
def einsum(scene: Scene, m: SeenError) -> Told:
    """Each letter's size in each operand."""
    words = scene.argument(0)
    if words is None or type(words.value) is not str:
        return None
    letters = [part.strip() for part in words.value.replace(" ", "").split("->")[0].split(",")]
    operands = list(scene.shapes)
    if len(letters) != len(operands) or not operands:
        return None
    told: list[str] = []
    sizes: dict[str, list[int]] = {}
    for part, t in zip(letters, operands, strict=True):
        told.append(f"`{part}` is {t}")
        for letter, size in zip(part, t.shape, strict=False):
            if letter.isalpha():
                sizes.setdefault(letter, []).append(size)
    clash = [f"`{k}` is {listed(map(str, v))}" for k, v in sizes.items() if len(set(v)) > 1]
    ranks_off = [
        f"`{part}` names {len(part)} dimensions of {t.ticked}, which has {len(t.shape)}"
        for part, t in zip(letters, operands, strict=True)
        if "." not in part and len(part) != len(t.shape)
    ]
    why = listed(ranks_off or clash)
    if clash and not ranks_off and _fits_in_another_order(letters, [t.shape for t in operands]):
        why += "; with the letters of one of them in another order it would fit"
    return f"In {words.value!r}, {listed(told)}" + (f": {why}." if why else ".")
