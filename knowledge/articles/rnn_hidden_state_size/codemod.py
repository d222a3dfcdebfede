"""Give a recurrent layer a first state of the size that its input and its layers ask for."""

import re

import libcst as cst

from executor.protocol import JobResult, Layer
from knowledge.repair.codemod import Rewrites
from knowledge.repair.toolkit.dimensions import BATCH, TIME, counted_by, first_of, read_by_step
from knowledge.repair.toolkit.edits import Edits, method
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.keeps import computed, layers
from knowledge.repair.toolkit.shapes import Shape, layer_call, resized, shape_of
from knowledge.repair.toolkit.sites import (
    argument,
    assignment,
    integer,
    made,
    with_argument,
    without_argument,
)

ERRORS, LAYERS = ("rnn_hidden_size",), "RNN|LSTM|GRU"
KEEPS = (computed(), layers)
_FILLED = re.compile(r"(^|\.)(zeros|randn|rand|ones)$")


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """batch_first where the state counts samples in the first dimension, else the state's sizes."""
    layer, found = result.layer, program.said
    if layer is None or layer.input is None:
        return
    expected, got = found.sizes("expected"), found.sizes("given")
    called = layer_call(program, program.node, layer)
    if called is None or called.inside or len(called.call.args) < 2 or called.first is None:
        return
    # The layer's own `input` is the state here: that is what it was looking at when it stopped.
    shape = shape_of(result, called.first)
    first = "batch_first=True" in layer.repr
    if len(expected) != 3 or len(got) != 3 or (shape is not None and len(shape) != 3):
        return
    told = shape is not None and _counts_the_other(shape, expected, got, first)
    # The layer has its dimensions in the other order, or the state is of another batch: what the
    # code says of the input decides, else nobody can tell.
    said = ""
    if told and shape is not None:
        said = counted_by(program, called.call) or read_by_step(program, called.call)
        said = said or first_of(program, called.first, shape)
    if told and said != (BATCH if first else TIME):
        given = "" if said else program.text(called.first)
        yield from _in_the_other_order(program, layer, first, given)
        if said:
            return
    batch = method(called.first, "size", cst.Arg(integer(0 if first else 1)))
    changes: Edits = {}
    for name in program.inside(called.call.args[1], cst.Name):
        made_by = assignment(program, name.value, called.call)
        new = _filled(program, made_by, expected, got, batch) if made_by is not None else None
        if new is None:
            if expected[:2] == got[:2]:
                yield from _as_large_as_the_state(program, layer, got[2])
            return
        changes |= new
    if changes:
        what = "the batch that is there" if expected[1] != got[1] else "the layer's own sizes"
        what = f"the first state is made for {what}: {list(expected)}, not {list(got)}"
        given = program.text(called.first) if told and not said else ""
        meant = _meaning(given, BATCH if first else TIME)
        yield program.edit(changes, what, meant, at=min(changes, key=program.line))


def _meaning(given: str, kind: str) -> str:
    what = "counts the samples" if kind == BATCH else "is the time"
    return f"dimension 0 of `{given}` {what}" if given else ""


def _in_the_other_order(program: Failed, layer: Layer, first: bool, given: str) -> Rewrites:
    """The layer without batch_first, if it has the batch first; else with it."""
    found = made(program, layer)
    if found is None or found.in_loop:
        return
    call, told = found.call, "the layer takes the time first, as the state does"
    if first and (flag := argument(call, 99, "batch_first")) is not None:
        yield program.edit({call: without_argument(call, flag)}, told, _meaning(given, TIME))
    elif not first and not any(a.star for a in call.args):
        new = with_argument(call, 99, "batch_first", cst.Name("True"))
        told = "the batch comes first in the input, and the layer is told so"
        yield program.edit({call: new}, told, _meaning(given, BATCH))


def _as_large_as_the_state(program: Failed, layer: Layer, size: int) -> Rewrites:
    """The state comes from another layer, and its size says how large this one has to be."""
    for found in resized(program, layer, 1, "hidden_size", size):
        told = f"it goes on from a state of {size} numbers, so the layer keeps {size}"
        yield found.rewrite(told)


def _counts_the_other(shape: Shape, expected: Shape, got: Shape, first: bool) -> bool:
    """The state has one row for each entry of the dimension that the layer takes for the time."""
    batch, time = (0, 1) if first else (1, 0)
    others = expected[0] == got[0] and expected[2] == got[2]
    return others and got[1] == shape[time] and expected[1] == shape[batch] != shape[time]


def _filled(
    program: Failed, made_by: cst.Assign, expected: Shape, got: Shape, batch: cst.BaseExpression
) -> Edits | None:
    """The sizes to change in `torch.zeros(layers, batch, hidden)`; None if it is no such call."""
    call = made_by.value
    while isinstance(call, cst.Call) and isinstance(call.func, cst.Attribute):
        if _FILLED.search(program.text(call.func)):
            break
        call = call.func.value  # torch.zeros(…).to(device)
    if not isinstance(call, cst.Call) or not _FILLED.search(program.text(call.func)):
        return None
    given = [a.value for a in call.args if a.keyword is None and not a.star]
    if len(given) != 3:
        return None
    changes: Edits = {}
    for i, (value, want, is_now) in enumerate(zip(given, expected, got, strict=True)):
        if want == is_now:
            continue
        if i == 1:
            changes[value] = batch
        elif isinstance(value, cst.Integer):
            changes[value] = integer(want)
        elif i == 0 and isinstance(value, (cst.Name, cst.Attribute)) and want == 2 * is_now:
            changes[value] = cst.parse_expression(f"{program.text(value)} * 2")
        else:
            return None
    return changes
