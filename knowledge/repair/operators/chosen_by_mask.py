"""Choose by the condition itself, where the places that `nonzero` gives were taken for an index.

Each row of `torch.nonzero(a == 1)` is the place of one element in every dimension: no index for
`gather` or `index_select`. What is meant where the condition holds is `b[a == 1]`.
"""

from collections.abc import Iterable

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.check import Check
from knowledge.repair.codemod import Proposal, Rewrite
from knowledge.repair.operator import COST, Failure
from knowledge.repair.toolkit.edits import operand
from knowledge.repair.toolkit.lazily import torch
from knowledge.repair.toolkit.live import tensors
from knowledge.repair.toolkit.sites import assignment

TYPES = frozenset({"RuntimeError", "IndexError"})
CODE = r"\b(?:gather|index_select|take_along_dim)\("
_GIVES_PLACES = frozenset({"nonzero", "argwhere"})


def edits(failure: Failure) -> Iterable[Rewrite]:
    """`b[condition]`, where the condition has the first dimensions of what is chosen from."""
    place = next(iter(failure.places), None)
    if place is None:
        return
    given = tensors(failure, place)
    for index in given[1:]:
        made = assignment(failure, failure.text(index.node), index.node)
        condition = _condition(failure, made.value if made is not None else index.node)
        mask = failure.value(condition, place.frame) if condition is not None else None
        if condition is None or not isinstance(mask, torch.Tensor) or mask.dtype != torch.bool:
            continue
        whole = given[0]
        if not mask.dim() or whole.value.shape[: mask.dim()] != mask.shape:
            continue
        picked = cst.SubscriptElement(cst.Index(condition.with_changes(lpar=(), rpar=())))
        new = cst.Subscript(operand(whole.node), [picked])
        where = f"where `{failure.text(condition)}` holds"
        meant = f"those of `{failure.text(whole.node)}` are taken {where}"
        yield failure.edit({place.node: new}, meant, cost=COST.LIKELY)
        return


def _condition(failure: Failure, made: cst.BaseExpression | None) -> cst.BaseExpression | None:
    """The condition of `torch.nonzero(condition)` or `condition.nonzero()`."""
    if not isinstance(made, cst.Call) or not isinstance(made.func, cst.Attribute):
        return None
    if made.func.attr.value not in _GIVES_PLACES:
        return None
    of_torch = failure.text(made.func.value) == "torch"
    return made.args[0].value if of_torch and made.args else made.func.value


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """It is chosen by a condition, and nothing else is put in its place."""
    error, code = before.error, proposal.code
    owner = error.code.partition("(")[0].rpartition(".")[0] if error is not None else ""
    first = error.code.partition("(")[2].partition(",")[0] if error is not None else ""
    chosen = any(f"{name}[" in code for name in (owner, first) if name and name != "torch")
    return [Check.of("chosen", chosen, "it is chosen by the condition", "nothing is chosen by it")]
