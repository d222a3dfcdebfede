"""Give a recurrent layer steps of the size it was made for, or make it for those that come."""

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Rewrites
from knowledge.repair.toolkit.edits import method
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.keeps import computed, layers
from knowledge.repair.toolkit.shapes import layer_call, resized, shape_of, swapped
from knowledge.repair.toolkit.sites import setting

ERRORS, LAYERS = ("rnn_input_size",), "(RNN|LSTM|GRU)(Cell)?"
KEEPS = (computed(may_go=("transpose", "swapaxes")), layers)


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """Turn or widen the input where that fits, else change input_size."""
    layer = result.layer
    if layer is None or not layer.input:
        return
    expected, shape = setting(layer, "input_size"), layer.input
    called = layer_call(program, program.node, layer)
    first = called.first if called is not None and not called.inside else None
    # The layer adds a dimension to an input with two before it looks at the sizes.
    shape = shape_of(result, first) or shape
    if expected is None or expected == shape[-1]:
        return
    if len(shape) == 2 and expected == 1 and "batch_first=True" not in layer.repr:
        return  # which of the two is the time is anybody's guess
    turned = False
    if called is not None and first is not None:
        if len(shape) == 2 and expected == 1:
            new = method(first, "unsqueeze", cst.Arg(cst.parse_expression("-1")))
            told = f"each of the {shape[1]} steps becomes a row of one number"
            yield program.edit({first: new}, told, at=called.call)
            return
        turned = len(shape) == 3 and shape[1] == expected
        if turned:
            told = f"dimension 1 holds the {expected} features, so it goes last"
            meant = "dimension 1 holds the features"
            yield program.edit({first: swapped(program, first, 1, 2)}, told, meant, at=called.call)
    for found in resized(program, layer, 0, "input_size", shape[-1]):
        meant = f"each step has {shape[-1]} numbers"
        told = f"{meant}, so the layer is made for {shape[-1]} instead of {expected}"
        yield found.rewrite(told, meant if turned else "")
