"""The values alone, or a copy that belongs to the graph: both are run."""

from __future__ import annotations

import re

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrite, Rewrites
from knowledge.repair.computed import reaches_leaves, same_tensors
from knowledge.repair.toolkit.edits import Program, method
from knowledge.repair.toolkit.shapes import still_computed
from knowledge.repair.toolkit.sites import failing, seen_error, variables

ERRORS = ("deepcopy_of_result",)


def rewrite(program: Program, result: JobResult) -> Rewrites:
    """`x.detach().clone()` and `x.clone()`, where x itself is the tensor."""
    error = seen_error(result, *ERRORS)
    node = failing(program, error)
    if not isinstance(node, cst.Call) or len(node.args) != 1:
        return
    if program.text(node.func).rpartition(".")[2] != "deepcopy":
        return
    value = node.args[0].value
    facts = variables(result).get(program.text(value))
    if facts is None or facts.grad_fn is None:
        return
    line, name = f"line {program.line(node)}", program.text(value)
    yield Rewrite(
        program.replace({node: method(method(value, "detach"), "clone")}),
        f"{line}: the values of `{name}`, without the graph that made them",
        "the copy is for keeping its values",
        said=r"\b(values?|snapshot|keep|independent)\b",
    )
    yield Rewrite(
        program.replace({node: method(value, "clone")}),
        f"{line}: a copy of `{name}` that gradients flow through",
        "the copy goes on into the loss",
        said=r"\b(gradients? (should )?flow|differentiable)\b",
    )


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """It is still a copy, and of the same tensor."""
    error = seen_error(before, *ERRORS)
    name = re.search(r"\((.*)\)$", error.code) if error is not None else None
    own = re.escape(name[1]) if name is not None else "$^"
    copied = re.search(rf"{own}(\.detach\(\))?\.clone\(", proposal.code) is not None
    return [
        Check.of("copy", copied, "it is a copy", "it is no copy"),
        still_computed(error, proposal.code, may_go=("copy", "deepcopy"), allowed=("detach",)),
        same_tensors(before, after, proposal.code),
        reaches_leaves(after, wanted=False),
    ]
