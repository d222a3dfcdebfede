"""Give a recurrent layer steps of the size it was made for, or make it for those that come."""

from __future__ import annotations

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Rewrite, Rewrites
from knowledge.repair.toolkit.edits import Program, method
from knowledge.repair.toolkit.keeps import computed, layers
from knowledge.repair.toolkit.shapes import (
    layer_call,
    resized,
    shape_of,
    swapped,
    with_input,
)
from knowledge.repair.toolkit.sites import failing, seen_error, setting

ERRORS, LAYERS = ("rnn_input_size",), "(RNN|LSTM|GRU)(Cell)?"
KEEPS = (computed(may_go=("transpose", "swapaxes")), layers)


def rewrite(program: Program, result: JobResult) -> Rewrites:
    """Turn or widen the input where that fits, else change input_size."""
    error, layer = seen_error(result, *ERRORS), result.layer
    if error is None or layer is None or not layer.input:
        return
    expected, shape = setting(layer, "input_size"), layer.input
    called = layer_call(program, failing(program, error), layer)
    first = called.first if called is not None and not called.inside else None
    # The layer adds a dimension to an input with two before it looks at the sizes.
    shape = shape_of(result, first) or shape
    if expected is None or expected == shape[-1]:
        return
    if len(shape) == 2 and expected == 1 and "batch_first=True" not in layer.repr:
        return  # which of the two is the time is anybody's guess
    turned = False
    if called is not None and first is not None:
        line = f"line {program.line(called.call)}"
        if len(shape) == 2 and expected == 1:
            new = method(first, "unsqueeze", cst.Arg(cst.parse_expression("-1")))
            yield Rewrite(
                with_input(program, called.call, new),
                f"{line}: each of the {shape[1]} steps becomes a row of one number",
            )
            return
        if len(shape) == 3 and shape[1] == expected:
            turned = True
            yield Rewrite(
                with_input(program, called.call, swapped(program, first, 1, 2)),
                f"{line}: dimension 1 holds the {expected} features, so it goes last",
                "dimension 1 holds the features",
            )
    for found in resized(program, layer, 0, "input_size", shape[-1]):
        yield Rewrite(
            found.module,
            f"line {found.line}: each step has {shape[-1]} numbers, so the layer is made for "
            f"{shape[-1]} instead of {expected}",
            f"each step has {shape[-1]} numbers" if turned else "",
        )
