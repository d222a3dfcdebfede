"""Ask whether a layer has a part before it is set: one made with `bias=False` has no bias."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.check import Check
from knowledge.repair.codemod import Proposal, Rewrites
from knowledge.repair.operator import COST, Failure
from knowledge.repair.toolkit.lazily import torch

ERRORS = ("none_attribute",)
REPEATS = True  # another layer may lack it too


def edits(failure: Failure) -> Rewrites:
    """`if layer.bias is not None:` around the statement that fills it."""
    for place in failure.places:
        line = failure.up(place.node, cst.SimpleStatementLine)
        if line is None or len(line.body) != 1 or not isinstance(line.body[0], cst.Expr):
            continue
        for part in _absent(failure, line, place.frame):
            text = failure.text(part)
            guard = cst.ensure_type(
                cst.parse_statement(f"if {text} is not None:\n    pass"), cst.If
            )
            inner = line.with_changes(leading_lines=())
            guarded = guard.with_changes(
                body=cst.IndentedBlock([inner]), leading_lines=line.leading_lines
            )
            told = f"`{text}` is set where there is one; this layer was made without"
            meant = f"a layer without a {part.attr.value} stays without one"
            yield failure.edit({line: guarded}, told, meant, at=part, cost=COST.SURE)
            return


def _absent(failure: Failure, line: cst.SimpleStatementLine, frame: int) -> Iterator[cst.Attribute]:
    """`layer.bias` of a module that keeps a place for it, and has none."""
    for node in failure.inside(line, cst.Attribute):
        owner = failure.value(node.value, frame)
        name = node.attr.value
        is_part = name in ("weight", "bias") and getattr(owner, name, owner) is None
        if isinstance(owner, torch.nn.Module) and is_part:
            yield node


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The layer is left without, and those that have one are set."""
    kept = before.error is not None and before.error.code.rpartition(".")[0] in proposal.code
    return [Check.of("guarded", kept, "what is there is still set", "it is set nowhere")]
