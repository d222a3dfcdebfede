"""Make of pictures the tensors that are wanted: by `ToTensor()`, with the channels there are.

It moves in front of `Normalize` in the list that both stand in, and becomes the transform of a data
set that has none. `Normalize` gets one number for one channel, or three channels for its three.
"""

import re

import libcst as cst

from executor.errors import is_a, read
from executor.protocol import JobResult
from knowledge.repair.codemod import Rewrites
from knowledge.repair.operator import COST, Failure
from knowledge.repair.toolkit.edits import Edits, method
from knowledge.repair.toolkit.keeps import written
from knowledge.repair.toolkit.lazily import np
from knowledge.repair.toolkit.live import operands, works
from knowledge.repair.toolkit.signatures import of_call
from knowledge.repair.toolkit.sites import integer, with_argument
from knowledge.repair.toolkit.statements import last_name

_A_PICTURE = re.compile(r"PIL image inputs")
_OF_TENSORS = frozenset({"Normalize", "RandomErasing", "LinearTransformation"})
_GREY, _CHANNELS = "inplace_result_grows", "broadcast_sizes"
_NO_TENSOR = re.compile(r"default_collate.*PIL\.", re.DOTALL)
_TOLD = "every transform is still there", "a transform is gone"
_STAYS = rf"(?:{'|'.join(_OF_TENSORS)})\(|transform=(?:\w+\.)*ToTensor\(\)|\.transpose\(1, 2, 0\)"
KEEPS = (written("transforms", *_TOLD, has=_STAYS),)
_MAKE_ONE = frozenset({"ToTensor", "PILToTensor", "ToImage"})


def applies(result: JobResult) -> bool:
    """A transform, or a batch, of tensors was given a picture, or one with other channels."""
    error = result.error
    if error is not None and (is_a(error, _GREY, _CHANNELS) or _NO_TENSOR.search(error.message)):
        return True
    seen = read(error, "image_type") if error is not None else None
    if error is None or seen is None:
        return error is not None and _A_PICTURE.search(error.message) is not None
    return "PIL" in seen["given"] and "tensor" in seen["expected"].lower()


def edits(failure: Failure) -> Rewrites:
    """Every list of transforms in which a tensor is wanted before one is made, and so on."""
    if _NO_TENSOR.search(failure.error.message):
        yield from _as_tensors(failure)
        return
    if is_a(failure.error, _GREY):
        yield from _as_many_channels(failure)
        return
    if is_a(failure.error, _CHANNELS):
        yield from _channels_last(failure)
        return
    changes: Edits = {}
    told = ""
    for steps in failure.all(cst.List):
        called = [e.value.func if isinstance(e.value, cst.Call) else None for e in steps.elements]
        names = [last_name(failure, f) if f is not None else "" for f in called]
        wants = next((i for i, n in enumerate(names) if n in _OF_TENSORS), None)
        makes = next((i for i, n in enumerate(names) if n in _MAKE_ONE), None)
        if wants is None or makes is None or makes < wants or "#" in failure.text(steps):
            continue  # a comment would stay behind, beside another step
        order: list[cst.BaseExpression] = [e.value for e in steps.elements]
        order.insert(wants, order.pop(makes))
        new = [e.with_changes(value=v) for e, v in zip(steps.elements, order, strict=True)]
        changes[steps] = steps.with_changes(elements=new)
        told = f"`{names[makes]}` comes before `{names[wants]}`, which takes tensors"
    if changes:
        yield failure.edit(changes, told, at=min(changes, key=failure.line))


def _as_tensors(failure: Failure) -> Rewrites:
    """`transform=ToTensor()` for the data sets of torchvision that have no transform."""
    changes: Edits = {}
    tensor = cst.parse_expression(f"{failure.name_of('torchvision.transforms', 'ToTensor')}()")
    for made in failure.all(cst.Call):
        kind = failure.value(made.func, 0) if not failure.writes(made.func) else None
        if str(getattr(kind, "__module__", "")).startswith("torchvision.datasets"):
            known = of_call(failure, made)
            if known is not None and "transform" in known.free():
                changes[made] = with_argument(made, 99, "transform", tensor)
    if changes:
        yield failure.edit(changes, "the pictures of the data set are made tensors", as_one=True)


def _as_many_channels(failure: Failure) -> Rewrites:
    """`Normalize((0.5,), (0.5,))` for pictures with one channel, or `Grayscale(3)` before it."""
    said = read(failure.error, _GREY)
    if said is None or (*said.sizes("target")[:1], *said.sizes("result")[:1]) != (1, 3):
        return
    narrow: Edits = {}
    wide: Edits = {}
    for steps in failure.all(cst.List):
        for step in (e.value for e in steps.elements if isinstance(e.value, cst.Call)):
            rows = [a.value for a in step.args if isinstance(a.value, cst.List | cst.Tuple)]
            threes = [r for r in rows if len(r.elements) == 3]
            if last_name(failure, step.func) != "Normalize" or len(threes) != 2:
                continue
            same = all(len({failure.text(e.value) for e in r.elements}) == 1 for r in threes)
            narrow.update({r: _first_of(failure, r) for r in threes} if same else {})
            grey = failure.name_of("torchvision.transforms", "Grayscale")
            first = cst.Element(cst.parse_expression(f"{grey}(num_output_channels=3)"))
            wide[steps] = steps.with_changes(elements=[first, *steps.elements])
    if narrow:
        told = "the pictures have one channel, and are normalized by one number"
        yield failure.edit(narrow, told, as_one=True)
    if wide:
        told = "the pictures get three channels, all alike"
        cost = COST.LIKELY if narrow else COST.SURE
        yield failure.edit(wide, told, cost=cost, as_one=True, supposes=True)


def _first_of(failure: Failure, row: cst.List | cst.Tuple) -> cst.BaseExpression:
    text = failure.text(row.elements[0].value)
    return cst.parse_expression(f"({text},)" if isinstance(row, cst.Tuple) else f"[{text}]")


def _channels_last(failure: Failure) -> Rewrites:
    """`to_tensor(image.transpose(1, 2, 0))` for an array whose channels come first."""
    for place in failure.places[:1]:
        for one in operands(failure, place):
            shape = tuple(getattr(one.value, "shape", ()))
            first = isinstance(one.value, np.ndarray) and len(shape) == 3 and shape[0] in (1, 3, 4)
            step = failure.text(one.node)
            if first and shape[2] not in (1, 3, 4) and "ToTensor(" in failure.module.code:
                order = [cst.Arg(integer(n)) for n in (1, 2, 0)]
                told = (
                    f"`ToTensor` takes the channels of an array last, and `{step}` has them first"
                )
                new = method(one.node, "transpose", *order)
                if works(failure, place, one.node, new):
                    yield failure.edit({one.node: new}, told)
