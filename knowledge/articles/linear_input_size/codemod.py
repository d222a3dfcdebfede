"""Give a Linear rows of the size it was made for, or make it for the rows that it gets."""

import math
import re

import libcst as cst

from executor.protocol import JobResult, Layer
from knowledge.repair.codemod import Rewrites
from knowledge.repair.toolkit.edits import method
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.keeps import computed, layers
from knowledge.repair.toolkit.meant_sizes import cut_into_rows, is_for_another_layer, says_its_size
from knowledge.repair.toolkit.shapes import (
    LayerCall,
    Shape,
    layer_call,
    resized,
    resized_instance,
    size_given,
    swapped,
    with_layer_before,
)
from knowledge.repair.toolkit.sites import (
    argument,
    integer,
    made,
    scope_of,
    setting,
    without_argument,
)
from knowledge.repair.toolkit.statements import kept_result

ERRORS, LAYERS = ("matmul_shapes",), "Linear"
KEEPS = (computed(may_go=("transpose", "swapaxes")), layers)
_CONVOLVED = re.compile(r"\b(Conv[123]d|conv[123]d)\b")
_CHANNELS_SECOND = re.compile(r"\b(Conv1d|\w*Pool1d|BatchNorm1d|InstanceNorm1d)\b")


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """Flatten what is a picture, transpose what is turned, else make the layer fit."""
    layer = result.layer
    if layer is None or layer.input is None:
        return
    expected, shape = setting(layer, "in_features"), layer.input
    if expected is None or not shape:
        return
    if expected == shape[-1]:
        yield from _weight_replaced(program, layer)
        return
    if is_for_another_layer(program, layer):
        return
    called = layer_call(program, program.node, layer)
    if program.node is not None and _is_a_picture(program, program.node, shape, expected):
        yield from _flattened(program, layer, called, shape, expected)
        return
    other_way = list(_turned(program, called, shape, expected)) if called is not None else []
    yield from other_way
    intent = f"each row has {shape[-1]} numbers" if other_way else ""
    sized = list(resized(program, layer, 0, "in_features", shape[-1]))
    if not sized:
        sized = list(resized_instance(program, result, layer, 0, "in_features", shape[-1]))
    cut_anew = called is not None and cut_into_rows(program, result, called, shape[-1])
    lost = [cut_anew or says_its_size(program, found) for found in sized]
    supposed = f"what arrives is meant, and not {expected} numbers" if all(lost) else ""
    told = f"the rows that arrive have {shape[-1]} numbers, so the layer is made for {shape[-1]}"
    for found, loses in zip(sized, lost, strict=True):
        # Who made it for them may have meant another input.
        yield found.rewrite(f"{told} instead of {expected}", intent or supposed, supposes=loses)
    yield from _taken_from_the_input(program, layer, intent or supposed)


def _taken_from_the_input(program: Failed, layer: Layer, intent: str) -> Rewrites:
    """`nn.LazyLinear(10)`, where the size is computed from other things than what arrives."""
    call = made(program, layer)
    given = argument(call.call, 0, "in_features") if call is not None and not call.in_loop else None
    if call is None or given is None or not isinstance(given.value, cst.BinaryOperation):
        return
    if program.inside(given.value, cst.Name):
        lazy = cst.parse_expression(program.name_of("torch.nn", "LazyLinear"))
        new = without_argument(call.call, given).with_changes(func=lazy)
        told = "the layer takes the size of its input from the first one that it gets"
        yield program.edit({call.call: new}, told, intent, supposes=True)


def _weight_replaced(program: Failed, layer: Layer) -> Rewrites:
    """in_features fits the input, and the weight does not: in_features was set by hand."""
    found, call = program.said, made(program, layer)
    if call is None or call.in_loop:
        return
    rows, columns = found.numbers("inner_right", "columns")
    wanted, out = setting(layer, "in_features"), setting(layer, "out_features")
    written = size_given(program, call.call, 0, "in_features")
    if written == rows != wanted and columns == out and wanted is not None:
        told = "setting in_features later does not change the weight, so the layer is made for"
        for sized in resized(program, layer, 0, "in_features", wanted):
            yield sized.rewrite(f"{told} {wanted} at once")


def _is_a_picture(program: Failed, call: cst.CSTNode, shape: Shape, expected: int) -> bool:
    """Four dimensions are never rows; three are not where a convolution comes before."""
    if len(shape) != 3 or math.prod(shape[1:]) == expected:
        return len(shape) > 2
    around = scope_of(program, scope_of(program, call))
    return expected not in shape and bool(_CONVOLVED.search(program.text(around)))


def _flattened(
    program: Failed, layer: Layer, called: LayerCall | None, shape: Shape, expected: int
) -> Rewrites:
    size, module = math.prod(shape[1:]), None
    if called is not None and isinstance(called.first, cst.Name) and program.node is not None:
        yield from kept_result(program, program.node, called.first, "view", "reshape", "flatten")
    if called is None or (called.inside and called.inside[-1] != "0"):
        module = with_layer_before(program, layer, f"{program.name_of('torch.nn', 'Flatten')}()")
    elif called.first is not None:
        flat = method(called.first, "flatten", cst.Arg(integer(1)))
        module = program.replace({called.first: flat})
    if module is not None:
        told = f"every sample {list(shape[1:])} becomes one row of {size} numbers"
        told += "" if size == expected else f" ({expected} expected)"
        told += " in front of the last layer" * ("())[:-1]" in module.code)
        yield program.edit(module, told, at=program.node)


def _turned(program: Failed, called: LayerCall, shape: Shape, expected: int) -> Rewrites:
    """One other dimension has the wanted size: it is the features."""
    # The first of three dimensions is the batch, or the time: never the features.
    fitting = [i for i, n in enumerate(shape[:-1]) if n == expected and (i or len(shape) == 2)]
    first = called.first
    if len(fitting) != 1 or first is None or (called.inside and called.inside[-1] != "0"):
        return
    transposed: cst.BaseExpression = method(first, "T").func
    new = transposed if len(shape) == 2 else swapped(program, first, fitting[0], len(shape) - 1)
    changed: cst.BaseExpression = called.call.with_deep_changes(called.call.args[0], value=new)
    around = scope_of(program, scope_of(program, called.call))
    back = len(shape) == 3 and bool(_CHANNELS_SECOND.search(program.text(around)))
    if back:
        changed = swapped(program, changed, 1, 2)
    told = (
        f"dimension {fitting[0]} holds the {expected} features, so it goes "
        f"last{', and back afterwards for the layers that want it there' * back}"
    )
    yield program.edit({called.call: changed}, told, f"dimension {fitting[0]} holds the features")
