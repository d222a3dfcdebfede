"""Give a picture or volume that comes without its channel one: adaptive pooling wants [C, …]."""

import re

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Rewrites
from knowledge.repair.toolkit.edits import method
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.keeps import computed, layers

ERRORS = ("adaptive_pool_size", "adaptive_pool_dimensions")
KEEPS = (computed(), layers)
LAYERS = r"Adaptive(?:Avg|Max)Pool([123])d"


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """`x.unsqueeze(0)`: one channel."""
    layer, node = result.layer, program.node
    pool = re.fullmatch(LAYERS, layer.type) if layer is not None else None
    if layer is None or pool is None or len(layer.input or ()) != int(pool[1]):
        return
    if not isinstance(node, cst.Call) or len(node.args) != 1 or node.args[0].star:
        return
    first = node.args[0].value
    zero = cst.Arg(cst.Integer("0"))
    told = f"{list(layer.input or ())} has no channels; it is one"
    yield program.edit({first: method(first, "unsqueeze", zero)}, told, at=node)
