"""Change what the posted message dictates: its shapes, dtypes, numbers, the type that it names."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from itertools import permutations

from executor.inside.rebuild.candidate import Candidate, Leaf
from executor.inside.rebuild.evidence import Posted
from executor.inside.rebuild.steps import GRAD, Step, distance, fits, step
from executor.inside.rebuild.trial import Outcome
from executor.inside.rebuild.values import Batches, Tensor, Text


def from_message(
    candidate: Candidate, leaves: list[Leaf], seen: Outcome, posted: Posted
) -> Iterator[Step]:
    shapes = [s for s in posted.shapes if s and fits(s)][:4]
    least = min((distance(leaf, seen, posted) for leaf in leaves), default=0)
    near = [leaf for leaf in leaves if distance(leaf, seen, posted) == least][:3]
    near = near if len(near) > 1 else leaves[:3]
    for n in (2, 3):
        for some in permutations(near, n) if len(near) >= n and len(shapes) >= n else ():
            made = candidate
            for leaf, shape in zip(some, shapes, strict=False):
                made = made.with_leaf(leaf, replace(leaf.tensor, shape=shape))
            yield Step(0.2, made)
    for k, shape in enumerate(shapes):
        for n, leaf in enumerate(leaves):
            yield step(candidate, leaf, replace(leaf.tensor, shape=shape), 0.5 + 0.3 * n + 0.2 * k)
    if len(posted.dtypes) <= 3:
        for k, dtype in enumerate(posted.dtypes):
            for n, leaf in enumerate(leaves):
                if dtype != leaf.tensor.dtype:
                    tensor = replace(leaf.tensor, dtype=dtype, grad=False)
                    if leaf.tensor.dtype == "int64" and dtype.startswith("float"):
                        tensor = replace(tensor, whole=True)
                    yield step(candidate, leaf, tensor, 0.6 + 0.4 * n + 0.2 * k)
    if posted.id in GRAD:
        for n, leaf in enumerate(leaves):
            if leaf.tensor.dtype.startswith("float"):
                tensor = replace(leaf.tensor, grad=not leaf.tensor.grad, form="torch")
                yield step(candidate, leaf, tensor, 0.5 + 0.4 * n)
    for k, shape in enumerate(_nearly(shapes)):
        for n, leaf in enumerate(leaves):
            yield step(candidate, leaf, replace(leaf.tensor, shape=shape), 0.8 + 0.3 * n + 0.1 * k)
    for k, rank in enumerate(posted.ranks):
        for n, leaf in enumerate(leaves):
            if len(leaf.tensor.shape) != rank:
                shape = OF_RANK[rank]
                yield step(
                    candidate, leaf, replace(leaf.tensor, shape=shape), 0.7 + 0.3 * n + 0.1 * k
                )
    yield from _rows(candidate, leaves, posted)
    yield from _sides(candidate, leaves, posted)
    yield from _classes(candidate, leaves, posted)
    yield from _elements(candidate, leaves, posted)
    yield from _two_numbers(candidate, leaves, posted)
    yield from _one_size(candidate, leaves, posted)
    yield from _factors(candidate, leaves, posted)
    yield from _of_said_type(candidate, seen, posted)
    yield from _of_pixels(candidate, seen, posted)
    yield from _other_numbers(candidate, seen, posted)
    yield from _other_losses(candidate, seen, posted)
    yield from _listed(candidate, seen, posted)
    named = (posted.number(value) for value in _INDEX_VALUES)
    beyond = 0 if posted.id == "rnn_lengths_positive" else _BEYOND
    index = next((number for number in named if number is not None), beyond)
    if posted.id in _BY_VALUE:
        for n, leaf in enumerate(leaves):
            tensor = replace(leaf.tensor, dtype="int64", grad=False, filled=index)
            yield step(candidate, leaf, tensor, 0.5 + 0.2 * n)


def _nearly(shapes: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """The shapes without one of their ones, and without the first size: as they were before."""
    found: list[tuple[int, ...]] = []
    for shape in shapes:
        found += [(*shape[:n], *shape[n + 1 :]) for n, size in enumerate(shape) if size == 1]
        found += [shape[1:]] if len(shape) > 2 else []
    return [shape for shape in dict.fromkeys(found) if shape not in shapes][:4]


# A tensor of so many dimensions, of which nothing else is known.
OF_RANK = {0: (), 1: (8,), 2: (8, 20), 3: (4, 12, 20), 4: (4, 3, 32, 32), 5: (2, 3, 8, 16, 16)}


def _rows(candidate: Candidate, leaves: list[Leaf], posted: Posted) -> Iterator[Step]:
    """As many samples everywhere as the shapes of the message have, where they agree on it."""
    named = {shape[0] for shape in posted.shapes if len(shape) > 1}
    target = posted.family.sizes("target") if posted.family is not None else ()
    if posted.id == "loss_sizes" and len(target) > 1:
        named = {target[0]}  # a target is as it was loaded; a view may have made other rows
    for rows in named if len(named) == 1 else ():
        made = candidate
        for leaf in candidate.leaves() if posted.id == "loss_sizes" else leaves:
            if len(leaf.tensor.shape) > 1 and fits((rows, *leaf.tensor.shape[1:])):
                shape = (rows, *leaf.tensor.shape[1:])
                made = made.with_leaf(leaf, replace(leaf.tensor, shape=shape))
        if made != candidate:
            yield Step(0.55, made)


def _sides(candidate: Candidate, leaves: list[Leaf], posted: Posted) -> Iterator[Step]:
    """A picture of the size that does not fit a kernel or another, and ones that shrink to it."""
    seen = posted.family
    clash = seen is not None and seen.id in ("cat_sizes", "broadcast_sizes")
    named = [posted.number(value) for value in ("first", "other", "a", "b")] if clash else []
    for n, leaf in enumerate(leaves if named else ()):
        for k, side in enumerate(times * size for times in (1, 2, 4) for size in named if size):
            if len(leaf.tensor.shape) > 3 and leaf.tensor.shape[-1] != side:
                tensor = replace(leaf.tensor, shape=(*leaf.tensor.shape[:-2], side, side))
                yield step(candidate, leaf, tensor, 0.5 + 0.1 * k + 0.3 * n)
    sides = seen.sizes("input") if seen is not None and seen.id == "conv_kernel_size" else ()
    for n, leaf in enumerate(leaves if sides else ()):
        for k, times in enumerate((1, 2, 4, 8)):
            sized = tuple(side * times for side in sides)
            kept = (
                leaf.tensor.shape[: -len(sides)] if len(leaf.tensor.shape) > len(sides) else (4, 3)
            )
            tensor = replace(leaf.tensor, shape=(*kept, *sized))
            yield step(candidate, leaf, tensor, 0.6 + 0.2 * k + 0.3 * n)


def _classes(candidate: Candidate, leaves: list[Leaf], posted: Posted) -> Iterator[Step]:
    """Scores of as many classes as the label that is too large, and that label."""
    label = posted.number("label") if posted.id == "class_out_of_bounds" else None
    if not label or label < 0:
        return
    for scores, labels in permutations(leaves[:3], 2):
        shape = scores.tensor.shape
        if len(shape) < 2 or len(labels.tensor.shape) != len(shape) - 1 or label > _MOST_CLASSES:
            continue
        dim = 1 if len(shape) > 2 else -1
        sized = tuple(label if k == dim % len(shape) else size for k, size in enumerate(shape))
        made = candidate.with_leaf(scores, replace(scores.tensor, shape=sized))
        target = replace(labels.tensor, shape=(shape[0], *shape[2:]), dtype="int64", grad=False)
        yield Step(0.4, made.with_leaf(labels, replace(target, filled=label)))


_MOST_CLASSES = 10_000
_ROWS = (64, 32, 16, 8, 4, 2)


def _elements(candidate: Candidate, leaves: list[Leaf], posted: Posted) -> Iterator[Step]:
    """A tensor of as many elements as the message says."""
    elements = posted.number("size") if posted.id == "view_size" else None
    if not elements or not fits((elements,)):
        return
    for n, leaf in enumerate(leaves):
        kept = math.prod(leaf.tensor.shape[1:])
        shapes = [(elements // kept, *leaf.tensor.shape[1:])] if not elements % kept else []
        shapes += [(rows, elements // rows) for rows in _ROWS if not elements % rows][:1]
        for k, shape in enumerate((*shapes, (elements,))):
            yield step(candidate, leaf, replace(leaf.tensor, shape=shape), 0.5 + 0.3 * n + 0.2 * k)


# Families of an index that is too large, and the values of a message that name it.
_BY_VALUE = frozenset(
    {"class_out_of_bounds", "index_out_of_bounds", "embedding_range", "rnn_lengths_positive"}
)
_INDEX_VALUES = ("label", "index", "target")
_BEYOND = 1_000_000  # an index that no table has, where the message names none
UNPACKED = frozenset({"unpack_count", "unpack_one"})
_LISTED = frozenset({"stack_sizes", "cat_sizes", "collate_unequal", "cat_dimensions"})


# How a list holds tensors of the message's shapes: alone, or in pairs.
_ITEMS = ((0.5, "torch.rand({})"), (0.6, "(torch.rand({}), 0)"), (0.7, "(0, torch.rand({}))"))


def _listed(candidate: Candidate, seen: Outcome, posted: Posted) -> Iterator[Step]:
    """A list of tensors of the message's shapes, and batches that do not fit what unpacks them."""
    shapes = [shape for shape in posted.shapes if shape and fits(shape)][:3]
    for name, given in candidate.values:
        if name not in seen.read:
            continue
        value = given.value
        called = value.expression == "_stubs.same"
        if posted.id in _LISTED and len(shapes) >= 2 and called:
            both = ", ".join(map(str, shapes))
            said = f"a function that gives tensors of {' and '.join(str(list(s)) for s in shapes)}"
            turns = Text(f"_stubs.in_turn({both})", said)
            yield Step(0.4, candidate.with_value(name, turns, "message"))
        elif posted.id in _LISTED and len(shapes) >= 2 and not name.startswith("_new_"):
            if posted.below & COLLATES and not posted.has_dataset:
                yield from _loaders(candidate, name, shapes)
            for weight, item in _ITEMS:
                made = "[" + ", ".join(item.format(shape) for shape in shapes) + "] * 4"
                said = f"a list of tensors of shape {' and '.join(str(list(s)) for s in shapes)}"
                yield Step(weight, candidate.with_value(name, Text(made, said), "message"))
        if posted.id in UNPACKED and isinstance(value, Batches):
            more = (*value.parts, value.parts[-1])
            yield Step(0.4, candidate.with_value(name, replace(value, parts=more), "message"))
            one = replace(value, parts=value.parts[:1], form="tensor")
            yield Step(0.5, candidate.with_value(name, one, "message"))


# Files and functions of the library that make a batch of samples.
COLLATES = frozenset({"fetch.py", "collate.py", "fetch", "default_collate", "collate"})


def _loaders(candidate: Candidate, name: str, shapes: list[tuple[int, ...]]) -> Iterator[Step]:
    """A DataLoader of samples of the message's shapes."""
    for weight, item in _ITEMS:
        samples = ", ".join(item.format(shape) for shape in shapes)
        made = f"torch.utils.data.DataLoader([{samples}], batch_size={len(shapes)})"
        said = f"a DataLoader of samples of {' and '.join(str(list(s)) for s in shapes)}"
        yield Step(weight - 0.2, candidate.with_value(name, Text(made, said), "message"))


# What a message calls the value by: its type → a value of it.
OF_TYPE = {
    "tuple": "(torch.rand(8, 20), torch.rand(8, 20))",
    "list": "[torch.rand(8, 20), torch.rand(8, 20)]",
    "dict": '{"out": torch.rand(8, 20)}',
    "int": "1",
    "float": "0.5",
    "str": '"text"',
    "ndarray": "np.random.rand(8, 20)",
    "Tensor": "torch.rand(8, 20)",
    "DataLoader": "torch.utils.data.DataLoader([(torch.rand(20), 0)] * 8, batch_size=4)",
    "generator": "(number for number in range(4))",
    "Size": "torch.Size([8, 20])",
    "Module": "torch.nn.Identity()",
}


def _of_said_type(candidate: Candidate, seen: Outcome, posted: Posted) -> Iterator[Step]:
    """A value of the type that the message names, for a name of the posted line."""
    said = posted.family["type"] or posted.family["given"] if posted.family is not None else ""
    made = OF_TYPE.get(said.rpartition(".")[2])
    if made is None or posted.id not in NAMES_A_TYPE:
        return
    for name, given in candidate.values:
        if isinstance(given.value, Batches) and name in seen.read and said == "str":
            keyed = replace(given.value, form="dict")  # unpacked, or looped over, it gives its keys
            yield Step(0.4, candidate.with_value(name, keyed, "message"))
        if isinstance(given.value, Batches) and name in seen.read and given.value.n:
            items = Text(f"[{made}, {made}]", f"two items of type {said}")
            yield Step(0.6, candidate.with_value(name, items, "message"))
        if name in posted.names and name in seen.read and given.value.expression != made:
            kind = Text(made, f"a {said}, as the message says")
            yield Step(0.6, candidate.with_value(name, kind, "message"))


NAMES_A_TYPE = frozenset({"plain_attribute", "object_attribute", "argument_type", "not_callable"})
_LOSSES = ("MSELoss", "CrossEntropyLoss", "BCELoss", "BCEWithLogitsLoss", "NLLLoss", "L1Loss")


def _of_pixels(candidate: Candidate, seen: Outcome, posted: Posted) -> Iterator[Step]:
    """A model that gives scores for each pixel, where the loss was given a target of pixels."""
    sides = next((shape[-2:] for shape in posted.shapes if len(shape) > 2), None)
    if posted.id not in _PIXELS or sides is None:
        return
    for name, given in candidate.values:
        made = given.value.expression
        if name in seen.read and made.startswith("_stubs.Model(") and made.count(",") < 2:
            text = Text(f"_stubs.Model(10, {sides[0]}, {sides[1]})", "a model that scores pixels")
            yield Step(0.3, candidate.with_value(name, text, "message"))


_PIXELS = frozenset({"loss_spatial_target", "loss_spatial_sizes"})
_NUMBERS = ("7", "1", "64")


def _other_numbers(candidate: Candidate, seen: Outcome, posted: Posted) -> Iterator[Step]:
    """Another number for a setting."""
    for name, given in candidate.values:
        if name in seen.read and given.value.expression.isdigit():
            for n, number in enumerate(_NUMBERS):
                text = Text(number)
                yield Step(1.0 + 0.3 * n, candidate.with_value(name, text, "use"))


def _other_losses(candidate: Candidate, seen: Outcome, posted: Posted) -> Iterator[Step]:
    """Another loss, where nothing tells which it is and the error may come of it."""
    if posted.loss:
        return
    for name, given in candidate.values:
        own = given.value.expression.removeprefix("torch.nn.").removesuffix("()")
        for n, loss in enumerate(_LOSSES) if name in seen.read and own in _LOSSES else ():
            if loss != own:
                yield Step(
                    0.9 + 0.1 * n, candidate.with_value(name, Text(f"torch.nn.{loss}()"), "use")
                )


def _two_numbers(candidate: Candidate, leaves: list[Leaf], posted: Posted) -> Iterator[Step]:
    """Two tensors whose sizes clash, where the message names both: a against b."""
    seen = posted.family
    if seen is None or len(leaves) < 2:
        return
    pairs = (("a", "b"), ("rows", "labels"), ("first", "other"))
    for one, other in pairs:
        if not (seen[one].isdigit() and seen[other].isdigit()):
            continue
        dim = int(seen["dimension"]) if seen["dimension"].isdigit() else 0
        if seen.id == "cat_sizes":  # the one dimension in which they may differ
            yield from _beside(candidate, leaves, dim, int(seen[one]), int(seen[other]))
            continue
        for left, right in permutations(leaves[:3], 2):
            made = candidate.with_leaf(left, _sized(left.tensor, dim, int(seen[one])))
            made = made.with_leaf(right, _sized(right.tensor, dim, int(seen[other])))
            yield Step(0.6, made)


def _one_size(candidate: Candidate, leaves: list[Leaf], posted: Posted) -> Iterator[Step]:
    """The one tensor with a size that clashes with one of the code's own, wherever it stands."""
    seen = posted.family
    if seen is None or seen.id != "broadcast_sizes" or len(leaves) != 1:
        return
    for size in (posted.number("a"), posted.number("b")):
        for dim in range(3) if size else ():
            shape = tuple(size if k == dim else n for k, n in enumerate(OF_RANK[3]))
            tensor = replace(leaves[0].tensor, shape=tuple(n for n in shape if n))
            yield step(candidate, leaves[0], tensor, 0.8 + 0.1 * dim)


def _factors(candidate: Candidate, leaves: list[Leaf], posted: Posted) -> Iterator[Step]:
    """Two matrices, or two batches of them, of the sizes that a message about a product names."""
    seen = posted.family
    if seen is None or len(leaves) < 2 or seen.id not in {"bmm_sizes", "matmul_shapes"}:
        return
    inner, other = seen["inner_left"] or seen["inner"], seen["inner_right"]
    rows, right = seen["rows"] or seen["batch"], seen["batch_right"]
    if not all(size.isdigit() for size in (inner, other, rows)):
        return
    shapes: list[tuple[int, ...]]
    if seen.id == "bmm_sizes":
        shapes = [(int(rows), 8, int(inner)), (int(right), int(other), int(inner))]
    else:
        shapes = [(int(rows), int(inner)), (int(other), int(seen["columns"] or 8))]
    if not all(map(fits, shapes)):
        return
    for left, second in permutations(leaves[:3], 2):
        made = candidate.with_leaf(left, replace(left.tensor, shape=shapes[0]))
        yield Step(0.5, made.with_leaf(second, replace(second.tensor, shape=shapes[1])))


def _beside(
    candidate: Candidate, leaves: list[Leaf], dim: int, one: int, other: int
) -> Iterator[Step]:
    """Two tensors that differ in what is not the dimension along which they are joined."""
    for left, right in permutations(leaves[:3], 2):
        for rank in (4, 3, 2):
            if dim >= rank:
                continue
            made = candidate
            for leaf, size in ((left, one), (right, other)):
                shape = {4: (4, 3, size, size), 3: (4, size, size), 2: (size, size)}[rank]
                kept = leaf.tensor.shape[:-2] if len(leaf.tensor.shape) == rank else shape[:-2]
                shape = (*kept, size, size)
                if dim >= rank - 2:  # joined along one of the sides
                    shape = tuple(8 if k == dim else n for k, n in enumerate(shape))
                made = made.with_leaf(leaf, replace(leaf.tensor, shape=shape))
            yield Step(0.3 + 0.1 * (4 - rank), made)


def _sized(tensor: Tensor, dim: int, size: int) -> Tensor:
    shape = list(tensor.shape)
    while len(shape) <= dim:
        shape.append(4)
    shape[dim] = size
    return replace(tensor, shape=tuple(shape))
