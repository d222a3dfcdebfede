"""Bring the channels where a convolution looks for them, or make it for the channels that come."""

from collections.abc import Sequence

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Rewrites
from knowledge.repair.toolkit.edits import Program, method
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.keeps import computed, layers
from knowledge.repair.toolkit.shapes import Shape, layer_call, resized, swapped
from knowledge.repair.toolkit.sites import calls, integer, setting

_CHANNELS, _DIMENSIONS = "conv_channels", "conv_dimensions"  # error families
ERRORS = (_CHANNELS, _DIMENSIONS)
KEEPS = (computed(may_go=("transpose", "swapaxes")), layers)
LAYERS = "Conv.*"
_RANDOM = r"(^|\.)(randn?|ones|zeros)$"
_FEW = 4  # grey, colour, colour with transparency: more is no picture's number of channels


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """Move or add a dimension of the input, else change in_channels."""
    layer = result.layer
    if layer is None or layer.input is None:
        return
    expected, shape = setting(layer, "in_channels"), layer.input
    spatial = next((int(c) for c in layer.type if c.isdigit()), 0)
    if expected is None or not spatial or "groups=" in layer.repr:
        return
    brought = _brought(shape, spatial, expected)
    called = layer_call(program, program.node, layer)
    reachable = called is not None and (not called.inside or called.inside[-1] == "0")
    both = len(shape) == spatial + 1 and expected == 1 and shape[0] in (3, 4)
    if brought is not None and called is not None and reachable and called.first is not None:
        new, what, intent = brought
        applied, meant = _applied(program, called.first, new), intent if both else ""
        yield program.edit({called.first: applied}, what, meant, at=called.call)
    size = _made_for(shape, spatial)
    if shape[:2] == (expected, 1) and _adds_second_dimension(program):
        return  # one picture, whose batch is in the wrong place
    if size is None or size == expected or (brought is not None and not both):
        return
    meaning = f"one picture with {size} channels" if both else ""
    if not meaning and _is_made_up(program, shape):
        meaning = f"the input is right, with {size} channels"
    for found in resized(program, layer, 0, "in_channels", size):
        told = f"the input has {size} channels, so the layer is made for {size}"
        supposes = not both and bool(meaning)
        yield found.rewrite(f"{told} instead of {expected}", meaning, supposes=supposes)


def _adds_second_dimension(program: Program) -> bool:
    """Whether a dimension is put behind the first one: `x.unsqueeze(1)`."""
    adding = calls(program, r"\bunsqueeze_?$")
    return any(c.args and program.text(c.args[-1].value) == "1" for c in adding)


def _is_made_up(program: Program, shape: Shape) -> bool:
    """Whether random numbers of this very shape are written out: which of two sizes is the slip?"""
    return any(
        shape in (_numbers(c.args), *(_numbers(a.elements) for a in program.inside(c, cst.Tuple)))
        for c in calls(program, _RANDOM)
    )


def _numbers(values: Sequence[cst.Arg | cst.BaseElement]) -> Shape:
    given = [v.value for v in values if not (isinstance(v, cst.Arg) and v.keyword is not None)]
    return tuple(int(v.value) for v in given if isinstance(v, cst.Integer))


def _brought(shape: Shape, spatial: int, expected: int) -> tuple[str, str, str] | None:
    """What to do with the input so that it has the expected channels; None if nothing is clear."""
    # In [2, 16, 8, 8] the last number may be 8 by chance: pictures are often as wide as high.
    by_chance = spatial > 1 and shape[-1] == shape[-2] and shape[1] != shape[2]
    if len(shape) == spatial + 2 and shape[-1] == expected and not by_chance:
        order = ", ".join(map(str, (0, spatial + 1, *range(1, spatial + 1))))
        change = "transpose(1, 2)" if spatial == 1 else f"permute({order})"
        return change, f"the channels come last in {list(shape)}; they have to be second", ""
    if len(shape) == spatial + 1 and spatial > 1 and shape[-1] == expected and shape[0] > _FEW:
        order = ", ".join(map(str, (spatial, *range(spatial))))
        return f"permute({order})", f"the channels come last in {list(shape)}", ""
    if len(shape) == spatial + 1 and expected == 1:
        what = f"{list(shape)} has no dimension for the channels; it gets one"
        return "unsqueeze(1)", what, f"{shape[0]} pictures with one channel"
    if len(shape) == spatial and expected == 1:
        what = f"{list(shape)} has neither batch nor channels; it gets both"
        return "unsqueeze(0).unsqueeze(0)", what, ""
    if len(shape) == spatial + 3:
        ones = [i for i in range(3) if shape[i] == 1 and _without(shape, i)[1] == expected]
        if ones and len({_without(shape, i) for i in ones}) == 1:
            return f"squeeze({ones[0]})", f"{list(shape)} has one dimension too many", ""
    return None


def _without(shape: Shape, index: int) -> Shape:
    return shape[:index] + shape[index + 1 :]


def _made_for(shape: Shape, spatial: int) -> int | None:
    """How many channels the input has, if its shape leaves no doubt that these are channels."""
    if len(shape) == spatial + 2:
        last = spatial > 1 and shape[-1] <= _FEW < shape[1]  # most likely a picture, channels last
        return None if last else shape[1]
    if len(shape) == spatial + 1 and shape[0] in (1, 3, 4):
        return shape[0]
    return None


def _applied(program: Program, value: cst.BaseExpression, change: str) -> cst.BaseExpression:
    if change == "transpose(1, 2)":
        return swapped(program, value, 1, 2)
    for part in change.split(")."):
        name, _, inner = part.partition("(")
        numbers = [cst.Arg(integer(int(n))) for n in inner.rstrip(")").split(",")]
        value = method(value, name, *numbers)
    return value
