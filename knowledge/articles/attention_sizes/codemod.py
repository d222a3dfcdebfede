"""Tell an attention layer that the batch comes first, or make it for the tokens that come."""

import libcst as cst

from executor.errors import read
from executor.protocol import JobResult, Layer
from knowledge.repair.codemod import Rewrites
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.keeps import computed
from knowledge.repair.toolkit.shapes import live_shape, resized_call, uses_loaded_weights
from knowledge.repair.toolkit.sites import argument, calls, with_argument

ERRORS = ("attention_mask", "attention_embedding", "view_size")
KEEPS, LAYERS = (computed(),), "MultiheadAttention"

_MADE = r"(^|\.)(Transformer|TransformerEncoderLayer|TransformerDecoderLayer|MultiheadAttention)$"


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """batch_first=True where batch and length are exchanged; else embed_dim, if its heads fit."""
    found = list(calls(program, _MADE))
    if result.layer is None or len(found) != 1 or uses_loaded_weights(program):
        return
    if width := read(program.error, "attention_embedding"):
        yield from _as_wide(program, found[0], *width.numbers("given", "embed_dim"))
        return
    is_plain = argument(found[0], 99, "batch_first") is None
    if any(a.star for a in found[0].args) or not is_plain:
        return
    if _is_exchanged(program, result, result.layer):
        new = with_argument(found[0], 99, "batch_first", cst.Name("True"))
        told = "the tokens come as [batch, length, features], and the layer is told so"
        yield program.edit({found[0]: new}, told)


def _is_exchanged(program: Failed, result: JobResult, layer: Layer) -> bool:
    """Whether what the layer takes for the length is the batch."""
    if mask := read(program.error, "attention_mask"):
        given = layer.input or ()
        return len(given) == 3 and given[:2] == (mask.sizes("expected")[0], mask.sizes("given")[0])
    if not isinstance(program.node, cst.Call) or len(program.node.args) < 3:
        return False
    shapes = [live_shape(program, result, a.value) for a in program.node.args[:3]]
    query, key, value = shapes
    query = query or layer.input  # what it was given first, where that is not kept in a variable
    if query is None or key is None or value is None or len(query) != 3 or key != value:
        return False
    # One batch, and other lengths: that is what the layer could not have with the length first.
    return query[0] == key[0] and query[1] != key[1] and query[2] == key[2]


def _as_wide(program: Failed, call: cst.Call, width: int, expected: int) -> Rewrites:
    is_layer = program.text(call.func).endswith("MultiheadAttention")
    keyword, heads_keyword = ("embed_dim", "num_heads") if is_layer else ("d_model", "nhead")
    heads = argument(call, 1, heads_keyword)
    number = program.text(heads.value) if heads is not None else "8"
    if not number.isdigit() or width % int(number):
        return
    for found in resized_call(program, call, 0, keyword, width):
        told = f"the tokens have {width} numbers, so the layer is made for {width}"
        yield found.rewrite(f"{told} instead of {expected}")
