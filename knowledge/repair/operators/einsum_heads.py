"""Give an einsum a letter for the heads that its operands have behind the batch.

`"bqd,bkd->bqk"` of [batch, heads, steps, width] becomes `"bhqd,bhkd->bhqk"`: each head by itself.
That the heads come second is seen where the program brings them there or back.
"""

from __future__ import annotations

import re
import string

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.check import Check
from knowledge.repair.codemod import Proposal, Rewrites
from knowledge.repair.operator import COST, Failure
from knowledge.repair.toolkit.lazily import torch

ERRORS = ("einsum",)
REPEATS = True  # the product of the scores with the values follows
_TURNED = re.compile(r"\.(?:transpose|swapaxes)\((?:1, ?2|2, ?1|-3, ?-2|-2, ?-3)\)|"
                     r"\.permute\(0, ?2, ?1, ?3\)")  # fmt: skip
_EQUATION = re.compile(r"([a-zA-Z]+(?:,[a-zA-Z]+)+)->([a-zA-Z]+)")


def edits(failure: Failure) -> Rewrites:
    """The letter behind the first one, of the operands that have a dimension more, and of all."""
    if not isinstance(failure.node, cst.Call) or len(failure.node.args) < 3:
        return
    equation = failure.node.args[0].value
    if not isinstance(equation, cst.SimpleString) or equation.prefix:
        return
    said = _EQUATION.fullmatch(equation.raw_value.replace(" ", ""))
    values = [failure.value(a.value) for a in failure.node.args[1:]]
    if said is None or not all(isinstance(v, torch.Tensor) for v in values):
        return
    terms = said[1].split(",")
    lacks = [v.dim() - len(term) for v, term in zip(values, terms, strict=False)]
    first = {term[0] for term in (*terms, said[2])}
    if set(lacks) != {1} or len(lacks) != len(values) or len(first) != 1:
        return
    if len({tuple(v.shape[:2]) for v in values}) != 1 or not _TURNED.search(failure.module.code):
        return
    free = [c for c in "h" + string.ascii_lowercase if c not in said[0]]
    new = [f"{term[0]}{free[0]}{term[1:]}" for term in (*terms, said[2])]
    text = cst.SimpleString(f"{equation.quote}{','.join(new[:-1])}->{new[-1]}{equation.quote}")
    heads = values[0].shape[1]
    told = f"`{free[0]}` stands for dimension 1, of {heads}, in every operand and in the result"
    meant = f"the {heads} entries of dimension 1 are the heads, and each is computed by itself"
    yield failure.edit({equation: text}, told, meant, cost=COST.SURE)


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The same operands are multiplied, and no dimension is added up."""
    error = before.error
    called = re.search(r"->\w+\W+(.*)\)$", error.code if error is not None else "", re.DOTALL)
    given = called[1] if called is not None else ""
    found = re.search(rf"(\w+(?:,\w+)+)->(\w+)\W+{re.escape(given)}\)", proposal.code)
    kept = found is not None and all(term[1] in found[2] for term in found[1].split(","))
    return [Check.of("einsum", kept, "of the same operands, head by head", "of something else")]
