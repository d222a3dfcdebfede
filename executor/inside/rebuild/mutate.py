"""Change one property of one value, led by the posted error and by the trial's own."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from dataclasses import replace

from executor.errors import SeenError, family_of, shapes_named
from executor.inside.placeholders.losses import TARGET
from executor.inside.rebuild.candidate import Candidate, Leaf
from executor.inside.rebuild.dictated import OF_RANK, UNPACKED, from_message
from executor.inside.rebuild.evidence import Posted
from executor.inside.rebuild.special import written
from executor.inside.rebuild.steps import GRAD, Step, distance, fits, step
from executor.inside.rebuild.trial import Outcome
from executor.inside.rebuild.values import Batches, Tensor, Text

_MOST_ELEMENTS = 4_000_000
_MOST_DOUBLED = 200_000  # elements of a picture that is still tried twice as large


def steps(candidate: Candidate, seen: Outcome, posted: Posted) -> Iterator[Step]:
    """What to try next, after a trial that did not raise the posted error."""
    if seen.type and (only := list(_missing(candidate, seen, posted))):
        yield from only
        return
    leaves = sorted(candidate.leaves(seen.read), key=lambda leaf: distance(leaf, seen, posted))[:6]
    yield from from_message(candidate, leaves, seen, posted)
    yield from _to_run(candidate, leaves, seen, posted)
    for n, leaf in enumerate(leaves):
        for shape in filter(fits, posted.printed[:3]):
            tensor = replace(leaf.tensor, shape=shape)
            yield Step(0.8 + 0.2 * n, _of_one_batch(candidate, leaf, tensor))
        for weight, tensor in _variants(leaf.tensor, posted):
            yield step(candidate, leaf, tensor, weight + n)
    for leaf in leaves[:1]:
        for weight, tensor in _ranks(leaf.tensor, posted):
            yield from _together(candidate, leaves, leaf, tensor, weight + 0.2)


def _of_one_batch(candidate: Candidate, leaf: Leaf, tensor: Tensor) -> Candidate:
    """The candidate with one tensor, and the other parts of its batch with as many samples."""
    made, shape = candidate.with_leaf(leaf, tensor), tensor.shape
    for other in list(candidate.leaves()):
        together = other.name == leaf.name and other.part != leaf.part
        if together and shape and other.tensor.shape[:1] == leaf.tensor.shape[:1] != ():
            sized = (shape[0], *other.tensor.shape[1:])
            made = made.with_leaf(other, replace(other.tensor, shape=sized))
    return made


def _together(
    candidate: Candidate, leaves: list[Leaf], leaf: Leaf, tensor: Tensor, weight: float
) -> Iterator[Step]:
    """All tensors that are like one of them, made another."""
    alike = [o for o in leaves if replace(o.tensor, high=0) == replace(leaf.tensor, high=0)]
    for other in alike if len(alike) > 1 else ():
        candidate = candidate.with_leaf(other, tensor, "use")
    if len(alike) > 1:
        yield Step(weight, candidate)


def _variants(tensor: Tensor, posted: Posted) -> Iterator[tuple[float, Tensor]]:
    """The tensor with another rank, dtype or kind."""
    if not (tensor.shape and tensor.shape in posted.shapes):
        yield from _ranks(tensor, posted)
    yield from _dtypes(tensor, posted)


def _ranks(tensor: Tensor, posted: Posted) -> Iterator[tuple[float, Tensor]]:
    shape = tensor.shape
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
    for shape in posted.literals:
        if fits(shape):
            yield 1.3, replace(tensor, shape=shape)


def _dtypes(tensor: Tensor, posted: Posted) -> Iterator[tuple[float, Tensor]]:
    for dtype in ("int64", "float32", "float64"):
        if dtype != tensor.dtype:
            yield 1.5, replace(tensor, dtype=dtype, grad=False)
    if tensor.dtype.startswith("float") and posted.id in GRAD:
        yield 1.5, replace(tensor, form="parameter" if tensor.form == "torch" else "torch")
    if tensor.form != "numpy":
        yield 2.5, replace(tensor, form="numpy", grad=False)


# -- what lets it run further --------------------------------------------------------------------


def _to_run(
    candidate: Candidate, leaves: list[Leaf], seen: Outcome, posted: Posted
) -> Iterator[Step]:
    if seen.ok and candidate.simulate and posted.id in DEVICE_FAMILIES:
        # All lies on one device; the message may say which argument comes to it from elsewhere.
        last_first = "argument #2" in posted.error.message
        yield from _moved(candidate, leaves[::-1] if last_first else leaves, seen)
    family = family_of(seen.type, seen.message)
    if seen.ok or (family is not None and family.id == "division_by_zero"):  # nothing went round
        for n, leaf in enumerate(leaves):
            for tensor in _of_many(leaf, posted):
                yield Step(0.3 + 0.2 * n, candidate.with_leaf(leaf, tensor, "use"))
    if family is None or seen.ok:
        return
    for n, leaf in enumerate(leaves):
        for tensor in _fitting(leaf.tensor, family, seen.message):
            yield Step(0.3 + 0.2 * n, _of_one_batch(candidate, leaf, tensor))
        if family.id == "broadcast_sizes":  # of a reshape that takes its rows from the rest
            for tensor in _in_ratio(leaf.tensor, family["a"], family["b"]):
                yield Step(1.1 + 0.2 * n, candidate.with_leaf(leaf, tensor, "use"))
    yield from _all_alike(candidate, leaves, family, seen.message)
    yield from _other_kinds(candidate, seen, family)
    if candidate.simulate and family.id in DEVICE_FAMILIES:
        yield from _moved(candidate, leaves, seen)


def _missing(candidate: Candidate, seen: Outcome, posted: Posted) -> Iterator[Step]:
    """What is not here: a module, a GPU, a file. No value of a name stands in for it."""
    family = family_of(seen.type, seen.message)
    if family is None or family.id == posted.id:
        return
    if module := family["module"] if family.id == "module_not_installed" else "":
        root = module.partition(".")[0]
        if root not in candidate.modules:
            yield Step(0.0, replace(candidate, modules=(*candidate.modules, root)))
    old = "DataLoaderIter" in seen.message and family["name"] == "next"
    if old and _OLD_NEXT not in candidate.first:
        yield Step(0.0, replace(candidate, first=(*candidate.first, _OLD_NEXT)))
    if family.id in _NO_GPU and not candidate.simulate:
        yield Step(0.1, replace(candidate, simulate=True))
    if candidate.simulate and family.id in DEVICE_FAMILIES and not posted.speaks_of_devices:
        yield from _moved(candidate, list(candidate.leaves(seen.read))[:6], seen)
    if family.id in _RESOURCES and not candidate.resources:
        yield Step(0.1, replace(candidate, resources=True))
    if family.id == "file_missing" and (path := family["path"]):
        statement = written(path, seen, posted, len(candidate.first))
        if statement and statement not in candidate.first:
            yield Step(0.0, replace(candidate, first=(*candidate.first, statement)))


def _all_alike(
    candidate: Candidate, leaves: list[Leaf], family: SeenError, message: str
) -> Iterator[Step]:
    """What one tensor lacks, given to all of its shape and dtype at once."""
    for leaf in leaves[:1]:
        for tensor in _fitting(leaf.tensor, family, message):
            yield from _together(candidate, leaves, leaf, tensor, 0.25)


# What old versions of torch had, so that old code gets as far as it did.
_OLD_NEXT = (
    "setattr(__import__('torch').utils.data.dataloader._BaseDataLoaderIter, 'next', "
    "lambda loaded: next(loaded))"
)
_NO_GPU = frozenset({"cuda_not_compiled", "gpu_missing"})
_RESOURCES = frozenset({"file_missing", "data_missing", "network_missing", "network_entry_missing"})
DEVICE_FAMILIES = frozenset(
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
            yield step(candidate, leaf, replace(leaf.tensor, device=device), 0.6 + 0.2 * n)


def _fitting(tensor: Tensor, family: SeenError, message: str) -> Iterator[Tensor]:
    """The tensor as a layer's or a loss's complaint wants it."""
    shape = tensor.shape

    def number(name: str) -> int:
        return int(family[name]) if family[name].isdigit() else 0

    def last(n: int) -> Iterator[Tensor]:
        if n and shape and n != shape[-1]:
            yield replace(tensor, shape=(*shape[:-1], n))

    match family.id:
        case "unpack_count" if 1 < number("names") < 5:
            yield replace(tensor, shape=OF_RANK[number("names")])
        case "matmul_shapes":
            yield from last(number("inner_right"))
            yield from _scaled(tensor, number("inner_left"), number("inner_right"))
            if len(shape) == 2 and shape[0] == number("inner_right") and number("inner_left"):
                yield replace(tensor, shape=(number("inner_left"), shape[1]))
        case "rnn_input_size":
            yield from _scaled(tensor, number("given"), number("input_size"))
            yield from last(number("input_size"))
        case "rnn_hidden_size" if expected := family.sizes("expected"):
            rows = [size for size in family.sizes("given") if size not in expected]
            if len(rows) == 1 and shape[:1] != () and shape[0] in expected:  # the state's own
                yield replace(tensor, shape=(rows[0], *shape[1:]))
            yield replace(tensor, shape=tuple(expected))
        case "rnn_hidden_dimensions" if shape:
            yield replace(tensor, shape=shape[1:] if family["without"] else (1, *shape))
        case "dimension_out_of_range" | "too_many_indices":
            least = max(number("dimension"), number("dimensions"), len(shape)) + 1
            for rank in range(least, max(OF_RANK) + 1):
                yield replace(tensor, shape=OF_RANK[rank])
        case "no_graph" if tensor.dtype.startswith("float") and not tensor.grad:
            yield replace(tensor, grad=True, form="torch")
        case "conv_channels":
            channels = number("in_channels")
            if channels and len(shape) >= 3:
                yield replace(tensor, shape=(*shape[:-3], channels, *shape[-2:]))
            if channels and len(shape) in (3, 4):
                yield replace(tensor, shape=(shape[0], channels, *shape[2:]))
        case "conv_dimensions":
            side = {"conv1d": (48,), "conv3d": (16, 16, 16)}.get(family["operation"], (32, 32))
            yield replace(tensor, shape=(4, 3, *side))
        case "rnn_lengths_tensor" | "rnn_lengths_positive" if shape:
            yield Tensor(shape[:1], "int64", low=1, high=9)
        case "embedding_dtype" | "embedding_range" | "class_out_of_bounds":
            yield replace(tensor, dtype="int64", high=2, grad=False)
        case (
            "loss_batch_sizes"
            | "loss_sizes"
            | "broadcast_sizes"
            | "loss_target_shape"
            | "index_shapes"
        ):
            for other in shapes_named(message):
                yield replace(tensor, shape=other)
            if family["rows"].isdigit():
                yield replace(tensor, shape=(number("rows"), *shape[1:]))
        case "loss_one_dimension":
            yield replace(tensor, shape=shape[:1], dtype="int64", grad=False)
            yield replace(tensor, shape=(), dtype="int64", grad=False)  # of a sample
        case "index_out_of_bounds" | "array_index_out_of_bounds" | "list_range":
            dim, least = number("dimension"), number("index") + 1
            if shape[dim : dim + 1] == (number("size"),) and least > 1:
                yield replace(tensor, shape=(*shape[:dim], least, *shape[dim + 1 :]))
            yield replace(tensor, high=2)
        case "output_too_small":
            if len(shape) >= 3:
                yield replace(tensor, shape=(*shape[:-2], 2 * shape[-2], 2 * shape[-1]))
                yield replace(tensor, shape=(*shape[:-2], 224, 224))
        case "view_size" if sizes := family.sizes("shape"):
            yield from _countable(tensor, tuple(sizes))
        case "grad_of_many":
            yield replace(tensor, shape=())
        case _ if family.id in _DTYPE_FAMILIES:
            for dtype in ("float32", "int64", "float64"):
                if dtype != tensor.dtype:
                    yield replace(tensor, dtype=dtype, grad=False)


def _in_ratio(tensor: Tensor, one: str, other: str) -> Iterator[Tensor]:
    """The tensor with as many times the rows, or numbers in a row, as one size is the other."""
    a, b = (int(size) if size.isdigit() else 0 for size in (one, other))
    for more, less in ((a, b), (b, a)):
        for n, size in enumerate(tensor.shape if a and b and len(tensor.shape) > _TABLE else ()):
            if n in (0, len(tensor.shape) - 1) and size * more % less == 0:
                shape = (*tensor.shape[:n], size * more // less, *tensor.shape[n + 1 :])
                yield from [replace(tensor, shape=shape)] if fits(shape) and a != b else ()


def _scaled(tensor: Tensor, given: int, wanted: int) -> Iterator[Tensor]:
    """The picture with a side as much longer as what comes of it is to be, or both sides."""
    shape = tensor.shape
    if len(shape) < 3 or not given or not wanted or given == wanted:
        return
    sides = [size * wanted // given if not size * wanted % given else 0 for size in shape[-2:]]
    squared = [size * size * wanted / given for size in shape[-2:]]
    both = tuple(math.isqrt(int(area)) for area in squared)
    exact = all(side * side == area for side, area in zip(both, squared, strict=True))
    shapes = [(*shape[:-2], *both)] if exact else []
    shapes += [(*shape[:-2], sides[0], shape[-1])] if sides[0] else []
    shapes += [(*shape[:-1], sides[1])] if sides[1] else []
    yield from (replace(tensor, shape=made) for made in shapes if fits(made))


def _countable(tensor: Tensor, sizes: tuple[int, ...]) -> Iterator[Tensor]:
    """The tensor with as many elements as a view asks for; of more where one size is -1."""
    shape, kept = tensor.shape, math.prod(size for size in sizes if size > 0)
    if len(shape) < 2 or not kept or not all(size > 0 or size == -1 for size in sizes):
        return
    rows = shape[0] if -1 in sizes else sizes[0]
    rest = kept if -1 in sizes else kept // rows
    yield replace(tensor, shape=(rows, *(1 for _ in shape[2:]), rest))
    if len(shape) == 3 and (factor := next((n for n in (4, 3, 2) if rest % n == 0), 0)):
        yield replace(tensor, shape=(rows, factor, rest // factor))


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
        if isinstance(value, Text) and value.expression.startswith("_stubs.Model("):
            yield from _of_the_target(candidate, name, seen, family)
        if isinstance(value, Tensor) and family.id == "not_callable":
            made = Text("_stubs.same", "a function that gives back what it is given")
            yield Step(0.8, candidate.with_value(name, made, "use"))
        if isinstance(value, Tensor) and family.id in _LACKS:
            space = Text(f'_stubs.Namespace("{name}")', "an object with the attributes it needs")
            yield Step(0.8, candidate.with_value(name, space, "use"))
            yield Step(0.9, candidate.with_value(name, replace(value, form="table"), "use"))
        if isinstance(value, Batches) and value.form == "tensor" and family.id in UNPACKED:
            label = Tensor(value.parts[0][1].shape[:1], "int64")
            pair = Batches((("", value.parts[0][1]), ("", label)))
            yield Step(0.4, candidate.with_value(name, pair, "use"))
        if (
            isinstance(value, Text)
            and value.expression[:2] == '["'
            and family.id == "tensor_of_text"
        ):
            yield Step(0.3, candidate.with_value(name, Tensor((8, 20)), "use"))
        if isinstance(value, Text) and family.id in {"argument_type", "operand_types"}:
            yield Step(1.5, candidate.with_value(name, Tensor((8, 20)), "use"))


def _of_the_target(
    candidate: Candidate, name: str, seen: Outcome, family: SeenError
) -> Iterator[Step]:
    """A small module that gives what the target of a loss is compared with."""
    if family.id not in {"broadcast_sizes", "loss_sizes", "loss_target_shape"}:
        return
    for other, shape in seen.shapes.items():
        if TARGET.search(other) and len(shape) > 1:
            made = f"_stubs.Model({', '.join(map(str, shape[1:]))})"
            words = "a small module that takes any batch and gives what the target has"
            yield Step(0.5, candidate.with_value(name, Text(made, words), "use"))


def _of_many(leaf: Leaf, posted: Posted) -> Iterator[Tensor]:
    """The tensor with several batches of rows, where the code's own batches are larger than it."""
    sizes = [int(n) for n in _BATCH.findall(posted.code)]
    rows = _BATCHES * max(sizes, default=0)
    if leaf.tensor.shape and rows > leaf.tensor.shape[0]:
        shape = (rows, *leaf.tensor.shape[1:])
        yield from [replace(leaf.tensor, shape=shape)] if fits(shape) else ()


_BATCH = re.compile(r"(?i)\bbatch_?size\s{0,3}=\s{0,3}(\d{1,5})\b")
_BATCHES = 4
_TABLE = 2  # dimensions
_LACKS = frozenset({"tensor_attribute", "object_attribute", "plain_attribute", "key_missing"})
