"""Repeat a mask of each sample for the heads of an attention layer, which lie side by side."""

import libcst as cst

from knowledge.repair.codemod import Rewrites
from knowledge.repair.operator import Failure
from knowledge.repair.toolkit.edits import keyword, method, operand
from knowledge.repair.toolkit.keeps import computed, written
from knowledge.repair.toolkit.lazily import torch
from knowledge.repair.toolkit.live import called_module
from knowledge.repair.toolkit.sites import argument, integer

ERRORS = ("attention_mask",)
_TOLD = "a sample's heads lie side by side", "samples are mixed"
KEEPS = (computed(), written("heads", *_TOLD, lacks=r"\.repeat\("))


def edits(failure: Failure) -> Rewrites:
    """`mask.repeat_interleave(heads, dim=0)` for a mask with one entry for each sample."""
    for place in failure.places:
        layer, node = called_module(failure, place), place.node
        if not isinstance(layer, torch.nn.MultiheadAttention) or not isinstance(node, cst.Call):
            continue
        given, query = argument(node, 5, "attn_mask"), argument(node, 0, "query")
        values = [failure.value(a.value, place.frame) for a in (given, query) if a is not None]
        if given is None or not all(isinstance(v, torch.Tensor) and v.dim() == 3 for v in values):
            return
        if values[0].shape[0] == values[-1].shape[int(not layer.batch_first)]:
            heads = cst.Arg(integer(layer.num_heads))
            rows = keyword("dim", cst.Integer("0"))
            new = method(operand(given.value), "repeat_interleave", heads, rows)
            told = f"each sample's mask stands there once for each of its {layer.num_heads} heads"
            yield failure.edit({given.value: new}, told)
        return
