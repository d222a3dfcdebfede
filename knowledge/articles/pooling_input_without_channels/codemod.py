"""Give a picture or volume that comes without its channel one: adaptive pooling wants [C, …]."""

from __future__ import annotations

import re

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Rewrite, Rewrites
from knowledge.repair.toolkit.edits import Program, method
from knowledge.repair.toolkit.keeps import computed, layers
from knowledge.repair.toolkit.sites import failing, seen_error

ERRORS = ("adaptive_pool_size", "adaptive_pool_dimensions")
KEEPS = (computed(), layers)
LAYERS = r"Adaptive(?:Avg|Max)Pool([123])d"


def rewrite(program: Program, result: JobResult) -> Rewrites:
    """`x.unsqueeze(0)`: one channel."""
    error, layer = (
        seen_error(result, *ERRORS),
        result.layer,
    )
    pool = re.fullmatch(LAYERS, layer.type) if layer is not None else None
    if error is None or pool is None or layer is None or layer.input is None:
        return
    if len(layer.input) != int(pool[1]):
        return
    node = failing(program, error)
    if not isinstance(node, cst.Call) or len(node.args) != 1 or node.args[0].star:
        return
    first = node.args[0].value
    zero = cst.Arg(cst.Integer("0"))
    told = f"{list(layer.input)} has no channels; it is one"
    yield Rewrite.of(program, {first: method(first, "unsqueeze", zero)}, told, at=node)
