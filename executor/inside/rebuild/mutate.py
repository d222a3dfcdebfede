"""Change one property of one value, led by the posted error and by the trial's own."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import permutations

from executor.errors import SeenError, family_of, shapes_named
from executor.inside.rebuild.candidate import Candidate, Leaf
from executor.inside.rebuild.evidence import Posted
from executor.inside.rebuild.special import written
from executor.inside.rebuild.trial import Outcome
from executor.inside.rebuild.values import Batches, Tensor, Text

# Families that depend on whether a tensor requires grad.
_GRAD = frozenset(
    {"leaf_in_place", "no_graph", "numpy_of_graph", "resized_with_grad", "grad_of_result",
     "modified_in_place", "grad_of_many", "freed_graph", "target_requires_grad",
     "deepcopy_of_result", "non_leaf_parameter", "view_of_many_in_place", "no_grad_view_in_place",
     "requires_grad_of_result", "none_attribute"}
)  # fmt: skip
_RANKS = re.compile(r"(\d)-?[dD](?:imensional)?\b|dim\w*\W{1,12}(\d)\b")
_MOST_ELEMENTS = 4_000_000
_MOST_DOUBLED = 500_000  # elements of a picture that is still tried twice as large


@dataclass(frozen=True)
class Step:
    """A candidate, and how far it is from the one before: the unlikelier, the more."""

    weight: float
    candidate: Candidate


def steps(candidate: Candidate, seen: Outcome, posted: Posted) -> Iterator[Step]:
    """What to try next, after a trial that did not raise the posted error."""
    leaves = sorted(candidate.leaves(seen.read), key=lambda leaf: distance(leaf, seen, posted))[:6]
    yield from _from_message(candidate, leaves, seen, posted)
    yield from _to_run(candidate, leaves, seen, posted)
    for n, leaf in enumerate(leaves):
        for weight, tensor in _variants(leaf.tensor, posted):
            yield _step(candidate, leaf, tensor, weight + n)


def distance(leaf: Leaf, seen: Outcome, posted: Posted) -> int:
    """0 for a value that the posted line names; 1 for one that the failing frame holds."""
    named = posted.names or posted.names_at(frozenset(seen.lines[-1:]))
    if leaf.name in named:
        return 0
    return 1 if leaf.name in seen.shapes else 2


def _step(candidate: Candidate, leaf: Leaf, tensor: Tensor, weight: float) -> Step:
    return Step(weight, candidate.with_leaf(leaf, tensor))


# -- what the posted message dictates ------------------------------------------------------------


def _from_message(
    candidate: Candidate, leaves: list[Leaf], seen: Outcome, posted: Posted
) -> Iterator[Step]:
    shapes = [s for s in posted.shapes if s and _fits(s)][:4]
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
            yield _step(candidate, leaf, replace(leaf.tensor, shape=shape), 0.5 + 0.3 * n + 0.2 * k)
    if len(posted.dtypes) <= 3:
        for k, dtype in enumerate(posted.dtypes):
            for n, leaf in enumerate(leaves):
                if dtype != leaf.tensor.dtype:
                    tensor = replace(leaf.tensor, dtype=dtype, grad=False)
                    yield _step(candidate, leaf, tensor, 0.6 + 0.4 * n + 0.2 * k)
    if posted.id in _GRAD:
        for n, leaf in enumerate(leaves):
            if leaf.tensor.dtype.startswith("float"):
                tensor = replace(leaf.tensor, grad=not leaf.tensor.grad, form="torch")
                yield _step(candidate, leaf, tensor, 0.5 + 0.4 * n)
    yield from _two_numbers(candidate, leaves, posted)
    yield from _of_said_type(candidate, seen, posted)
    yield from _other_losses(candidate, seen, posted)
    yield from _listed(candidate, seen, posted)
    named = (posted.number(value) for value in _INDEX_VALUES)
    index = next((number for number in named if number is not None), _BEYOND)
    if posted.id in _BY_VALUE:
        for n, leaf in enumerate(leaves):
            tensor = replace(leaf.tensor, dtype="int64", grad=False, filled=index)
            yield _step(candidate, leaf, tensor, 0.5 + 0.2 * n)


# Families of an index that is too large, and the values of a message that name it.
_BY_VALUE = frozenset({"class_out_of_bounds", "index_out_of_bounds", "embedding_range"})
_INDEX_VALUES = ("label", "index", "target")
_BEYOND = 1_000_000  # an index that no table has, where the message names none
_LISTED = frozenset({"stack_sizes", "cat_sizes", "collate_unequal", "cat_dimensions"})


def _listed(candidate: Candidate, seen: Outcome, posted: Posted) -> Iterator[Step]:
    """A list of tensors of the message's shapes, and batches that do not fit what unpacks them."""
    shapes = [shape for shape in posted.shapes if shape and _fits(shape)][:3]
    for name, given in candidate.values:
        if name not in seen.read:
            continue
        value = given.value
        if posted.id in _LISTED and len(shapes) >= 2 and not name.startswith("_new_"):
            for weight, item in ((0.5, "torch.rand({})"), (0.6, "(torch.rand({}), 0)")):
                made = "[" + ", ".join(item.format(shape) for shape in shapes) + "] * 4"
                said = f"a list of tensors of shape {' and '.join(str(list(s)) for s in shapes)}"
                yield Step(weight, candidate.with_value(name, Text(made, said), "message"))
        if posted.id in _UNPACKED and isinstance(value, Batches):
            more = (*value.parts, value.parts[-1])
            yield Step(0.4, candidate.with_value(name, replace(value, parts=more), "message"))
            one = replace(value, parts=value.parts[:1], form="tensor")
            yield Step(0.5, candidate.with_value(name, one, "message"))


# What a message calls the value by: its type → a value of it.
OF_TYPE = {
    "tuple": "(torch.rand(8, 20), torch.rand(8, 20))",
    "list": "[torch.rand(8, 20), torch.rand(8, 20)]",
    "dict": '{"out": torch.rand(8, 20)}',
    "int": "1",
    "float": "0.5",
    "str": '"text"',
    "ndarray": "np.random.rand(8, 20)",
}


def _of_said_type(candidate: Candidate, seen: Outcome, posted: Posted) -> Iterator[Step]:
    """A value of the type that the message names, for a name of the posted line."""
    said = posted.family["type"] or posted.family["given"] if posted.family is not None else ""
    made = OF_TYPE.get(said.rpartition(".")[2])
    if made is None or posted.id not in _NAMES_A_TYPE:
        return
    for name, given in candidate.values:
        if name in posted.names and name in seen.read and given.value.expression != made:
            kind = Text(made, f"a {said}, as the message says")
            yield Step(0.6, candidate.with_value(name, kind, "message"))


_NAMES_A_TYPE = frozenset({"plain_attribute", "object_attribute", "argument_type", "not_callable"})
_LOSSES = ("MSELoss", "CrossEntropyLoss", "BCELoss", "BCEWithLogitsLoss", "NLLLoss", "L1Loss")


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
        for left, right in permutations(leaves[:3], 2):
            made = candidate.with_leaf(left, _sized(left.tensor, dim, int(seen[one])))
            made = made.with_leaf(right, _sized(right.tensor, dim, int(seen[other])))
            yield Step(0.6, made)


def _sized(tensor: Tensor, dim: int, size: int) -> Tensor:
    shape = list(tensor.shape)
    while len(shape) <= dim:
        shape.append(4)
    shape[dim] = size
    return replace(tensor, shape=tuple(shape))


def _variants(tensor: Tensor, posted: Posted) -> Iterator[tuple[float, Tensor]]:
    """The tensor with another rank, dtype or kind."""
    shape = tensor.shape
    if shape and shape in posted.shapes:
        yield from _dtypes(tensor, posted)
        return
    if len(shape) >= 3 and math.prod(shape) < _MOST_DOUBLED:
        yield 0.7, replace(tensor, shape=(*shape[:-2], 2 * shape[-2], 2 * shape[-1]))
    elif shape:
        yield 0.9, replace(tensor, shape=(*shape[:-1], shape[-1] + 1))
    if len(shape) != 1:
        yield 1.2, replace(tensor, shape=shape[:1] if shape else (8,))
    if shape:
        yield 1.4, replace(tensor, shape=(*shape, 1))
        yield 1.6, replace(tensor, shape=(*shape, 10))
        yield 1.6, replace(tensor, shape=())
    if len(shape) < 4:
        yield 1.6, replace(tensor, shape=(4, 3, 32, 32))
    for shape in (*posted.printed[:3], *posted.literals):
        if _fits(shape):
            yield 1.3, replace(tensor, shape=shape)
    yield from _dtypes(tensor, posted)


def _dtypes(tensor: Tensor, posted: Posted) -> Iterator[tuple[float, Tensor]]:
    for dtype in ("int64", "float32", "float64"):
        if dtype != tensor.dtype:
            yield 1.5, replace(tensor, dtype=dtype, grad=False)
    if tensor.dtype.startswith("float") and posted.id in _GRAD:
        yield 1.5, replace(tensor, form="parameter" if tensor.form == "torch" else "torch")
    if tensor.form != "numpy":
        yield 2.5, replace(tensor, form="numpy", grad=False)


# -- what lets it run further --------------------------------------------------------------------


def _to_run(
    candidate: Candidate, leaves: list[Leaf], seen: Outcome, posted: Posted
) -> Iterator[Step]:
    family = family_of(seen.type, seen.message)
    if family is None or seen.ok:
        return
    if module := family["module"] if family.id == "module_not_installed" else "":
        root = module.partition(".")[0]
        if root not in candidate.modules:
            yield Step(0.0, replace(candidate, modules=(*candidate.modules, root)))
        return
    for n, leaf in enumerate(leaves):
        for tensor in _fitting(leaf.tensor, family, seen.message):
            yield _step(candidate, leaf, tensor, 0.3 + 0.2 * n)
    yield from _other_kinds(candidate, seen, family)
    if candidate.simulate and family.id in _DEVICE_FAMILIES:
        yield from _moved(candidate, leaves, seen)
    if family.id == "file_missing" and (path := family["path"]):
        statement = written(path, seen, posted)
        if statement and statement not in candidate.first:
            yield Step(0.0, replace(candidate, first=(*candidate.first, statement)))


_DEVICE_FAMILIES = frozenset(
    {"devices_differ", "argument_devices", "layer_devices", "rnn_devices", "index_device"}
)
_MODULES = ("_stubs.Model(", "torch.nn.", "_stubs.weights(")


def _moved(candidate: Candidate, leaves: list[Leaf], seen: Outcome) -> Iterator[Step]:
    """A tensor or a module on the other device, where the code moves only one of them."""
    for name, given in candidate.values:
        made = given.value.expression
        is_module = made.startswith(_MODULES) or "an instance of your class" in given.value.words
        if name in seen.read and is_module and not made.endswith((".cuda()", "Loss()")):
            text = Text(f"{made}.cuda()", f"{given.value.words}, on the GPU")
            yield Step(0.4, candidate.with_value(name, text, "use"))
    for n, leaf in enumerate(leaves):
        if leaf.tensor.form == "torch":
            device = "" if leaf.tensor.device else "cuda"
            yield _step(candidate, leaf, replace(leaf.tensor, device=device), 0.6 + 0.2 * n)


def _fitting(tensor: Tensor, family: SeenError, message: str) -> Iterator[Tensor]:
    """The tensor as a layer's or a loss's complaint wants it."""
    shape = tensor.shape

    def number(name: str) -> int:
        return int(family[name]) if family[name].isdigit() else 0

    def last(n: int) -> Iterator[Tensor]:
        if n and shape and n != shape[-1]:
            yield replace(tensor, shape=(*shape[:-1], n))

    match family.id:
        case "matmul_shapes":
            yield from last(number("inner_right"))
        case "rnn_input_size":
            yield from last(number("input_size"))
        case "conv_channels":
            channels = number("in_channels")
            if channels and len(shape) >= 3:
                yield replace(tensor, shape=(*shape[:-3], channels, *shape[-2:]))
            if channels and len(shape) == 4:
                yield replace(tensor, shape=(shape[0], channels, *shape[2:]))
        case "conv_dimensions":
            side = {"conv1d": (48,), "conv3d": (16, 16, 16)}.get(family["operation"], (32, 32))
            yield replace(tensor, shape=(4, 3, *side))
        case "embedding_dtype" | "embedding_range" | "class_out_of_bounds":
            yield replace(tensor, dtype="int64", high=2, grad=False)
        case "loss_batch_sizes" | "loss_sizes" | "broadcast_sizes" | "loss_target_shape":
            for other in shapes_named(message):
                yield replace(tensor, shape=other)
            if family["rows"].isdigit():
                yield replace(tensor, shape=(number("rows"), *shape[1:]))
        case "loss_one_dimension":
            yield replace(tensor, shape=shape[:1], dtype="int64", grad=False)
        case "index_out_of_bounds" | "list_range":
            yield replace(tensor, high=2)
        case "output_too_small":
            if len(shape) >= 3:
                yield replace(tensor, shape=(*shape[:-2], 2 * shape[-2], 2 * shape[-1]))
                yield replace(tensor, shape=(*shape[:-2], 224, 224))
        case "grad_of_many":
            yield replace(tensor, shape=())
        case _ if family.id in _DTYPE_FAMILIES:
            for dtype in ("float32", "int64", "float64"):
                if dtype != tensor.dtype:
                    yield replace(tensor, dtype=dtype, grad=False)


_DTYPE_FAMILIES = frozenset(
    {"scalar_type", "matmul_dtypes", "layer_dtypes", "argument_scalar_type", "backward_dtype",
     "not_implemented_for_dtype", "needs_floating_point", "loss_index_dtype", "index_dtype",
     "index_argument_dtype", "scatter_dtypes", "dtypes", "integers_require_grad",
     "compared_dtypes", "output_dtype", "index_type"}
)  # fmt: skip


def _other_kinds(candidate: Candidate, seen: Outcome, family: SeenError) -> Iterator[Step]:
    """A value of another kind, where this one lacks what the snippet asks of it."""
    for name, given in candidate.values:
        if name not in seen.read:
            continue
        value = given.value
        if isinstance(value, Tensor) and family.id == "not_callable":
            made = Text("_stubs.same", "a function that gives back what it is given")
            yield Step(0.8, candidate.with_value(name, made, "use"))
        if isinstance(value, Tensor) and family.id in _LACKS:
            space = Text(f'_stubs.Namespace("{name}")', "an object with the attributes it needs")
            yield Step(0.8, candidate.with_value(name, space, "use"))
            yield Step(0.9, candidate.with_value(name, replace(value, form="table"), "use"))
        if isinstance(value, Batches) and value.form == "tensor" and family.id in _UNPACKED:
            label = Tensor(value.parts[0][1].shape[:1], "int64")
            pair = Batches((("", value.parts[0][1]), ("", label)))
            yield Step(0.4, candidate.with_value(name, pair, "use"))
        if isinstance(value, Text) and family.id in {"argument_type", "operand_types"}:
            yield Step(1.5, candidate.with_value(name, Tensor((8, 20)), "use"))


_LACKS = frozenset({"tensor_attribute", "object_attribute", "plain_attribute", "key_missing"})
_UNPACKED = frozenset({"unpack_count", "unpack_one"})


def _fits(shape: tuple[int, ...]) -> bool:
    n = 1
    for size in shape:
        n *= size
    return n <= _MOST_ELEMENTS
