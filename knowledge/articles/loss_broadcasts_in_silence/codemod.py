"""Give a loss that only warns about another target size a target of the prediction's shape."""

from __future__ import annotations

import re
from collections.abc import Iterable

from executor.errors import SeenError, family_of
from executor.protocol import JobResult, WarningSeen
from knowledge.repair.codemod import Check, Proposal, Rewrite
from knowledge.repair.toolkit.edits import Program
from knowledge.repair.toolkit.losses import loss_alive, loss_call_on, resized_target
from knowledge.repair.toolkit.shapes import same_layers, same_numbers

_FAMILY = "loss_sizes"


def applies(result: JobResult) -> bool:
    """A loss compared every prediction with every target, and PyTorch warned about it."""
    ended_well = result.error is None or result.error.type == "AssertionError"
    found = any(f.kind == "loss_broadcasts" for f in result.findings)
    return ended_well and found and _warned(result) is not None


def _warned(result: JobResult) -> WarningSeen | None:
    return next((w for w in result.warnings if _seen(w) is not None and w.line), None)


def _seen(warned: WarningSeen) -> SeenError | None:
    seen = family_of(warned.category, warned.message)
    return seen if seen is not None and seen.id == _FAMILY else None


def rewrite(program: Program, result: JobResult) -> Iterable[Rewrite]:
    """unsqueeze or squeeze the target, where a dimension of size 1 is all that differs."""
    warned = _warned(result)
    loss = loss_call_on(program, result, warned.line) if warned and warned.line else None
    seen = _seen(warned) if warned is not None else None
    if seen is not None and loss is not None:
        yield from resized_target(program, loss, seen)


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """No loss compares different sizes any more, and the model still learns from it."""
    found = next((f for f in after.findings if f.kind == "loss_broadcasts"), None) or _warned(after)
    detail = f"line {found.line} still compares different sizes" if found else "sizes are equal"
    sized = Check(name="sizes", passed=found is None, detail=detail)
    silenced = re.search(r"filterwarnings|simplefilter|catch_warnings", proposal.code)
    heard = Check(
        name="warnings",
        passed=silenced is None,
        detail="none is silenced" if not silenced else "the warning is silenced",
    )
    old = len(before.values.backwards) if before.values is not None else 0
    new = len(after.values.backwards) if after.values is not None else 0
    trains = Check(
        name="learns",
        passed=new >= old and len(after.moved) >= len(before.moved),
        detail=f"{new} backward passes, {len(after.moved)} parameters move",
    )
    return [
        sized,
        heard,
        trains,
        loss_alive(after),
        same_layers(before, after),
        same_numbers(before, after),
    ]
