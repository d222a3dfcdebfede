"""Bring what an attention layer is given to the batch: a mask for each head, a query for each.

A mask of three dimensions has one entry for each head of each sample, the heads of one sample side
by side. A query of one batch, learned mostly, is not repeated by the layer.
"""

from __future__ import annotations

import libcst as cst

from executor.errors import is_a
from executor.protocol import JobResult
from knowledge.repair.check import Check
from knowledge.repair.codemod import Proposal, Rewrites
from knowledge.repair.operator import Failure
from knowledge.repair.toolkit.edits import Edits, operand
from knowledge.repair.toolkit.lazily import torch
from knowledge.repair.toolkit.live import called_module
from knowledge.repair.toolkit.sites import argument

ERRORS = ("attention_mask", "view_size", "attention")


def edits(failure: Failure) -> Rewrites:
    """The mask repeated for the heads; the query expanded to the batch of the keys."""
    for place in failure.places:
        layer, node = called_module(failure, place), place.node
        if not isinstance(layer, torch.nn.MultiheadAttention) or not isinstance(node, cst.Call):
            continue
        named = ("query", "key", "value", "key_padding_mask", "need_weights", "attn_mask")
        given = {name: arg for n, name in enumerate(named) if (arg := argument(node, n, name))}
        values = {name: failure.value(arg.value, place.frame) for name, arg in given.items()}
        at, heads = int(not layer.batch_first), layer.num_heads
        query, key, mask = (values.get(name) for name in ("query", "key", "attn_mask"))
        if not isinstance(query, torch.Tensor) or not isinstance(key, torch.Tensor):
            return
        if query.dim() != 3 or key.dim() != 3:
            return
        batch = key.shape[at]
        if is_a(failure.error, "attention_mask"):
            if isinstance(mask, torch.Tensor) and mask.dim() == 3 and mask.shape[0] == batch:
                old = given["attn_mask"].value
                told = f"each sample's mask stands there once for each of its {heads} heads"
                new = _called(failure, old, f"repeat_interleave({heads}, dim=0)")
                yield failure.edit({old: new}, told)
        elif query.shape[at] == 1 < batch:
            old, of = given["query"].value, failure.text(given["key"].value)
            sizes = ["-1", "-1", "-1"]
            sizes[at] = f"{of}.shape[{at}]"
            changes: Edits = {old: _called(failure, old, f"expand({', '.join(sizes)})")}
            name = failure.text(old)
            yield failure.edit(changes, f"`{name}` is the query of each of the {batch} samples")
        return


def _called(failure: Failure, old: cst.BaseExpression, method: str) -> cst.BaseExpression:
    text = cst.Module([]).code_for_node(operand(old))
    return cst.parse_expression(f"{text}.{method}")


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The heads of a sample lie side by side; what was given is given."""
    error = before.error
    mixed = ".repeat(" in proposal.code
    masked = error is None or "attn_mask=" not in error.code or "attn_mask=" in proposal.code
    return [
        Check.of("heads", not mixed, "a sample's heads lie side by side", "samples are mixed"),
        Check.of("masked", masked, "the mask is given", "no mask is given any more"),
    ]
