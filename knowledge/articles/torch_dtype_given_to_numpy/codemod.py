"""NumPy's dtype of the same name, or that of the array which the tensor becomes."""

import importlib
import re

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrites
from knowledge.repair.toolkit.edits import method
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.keeps import leaves, tensors
from knowledge.repair.toolkit.shapes import still_computed
from knowledge.repair.toolkit.sites import assignment, seen_error

ERRORS = ("torch_dtype_in_numpy",)
KEEPS = (tensors, leaves)


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """`np.float32` for `torch.float32`, `t.numpy().dtype` for `t.dtype`."""
    m, node = program.said, program.node
    if not isinstance(node, cst.Call):
        return
    if not hasattr(importlib.import_module("numpy"), m["dtype"]):
        return  # such as bfloat16
    for given in node.args:
        new = _new(program, given.value, m["dtype"])
        if new is not None:
            yield program.edit({given.value: new}, "NumPy's own dtype of that name", at=given)
            return


def _new(program: Failed, value: cst.BaseExpression, name: str) -> cst.BaseExpression | None:
    text = program.text(value)
    if text == f"torch.{name}":
        return cst.parse_expression(program.name_of("numpy", name))
    owner = value
    if isinstance(value, cst.Name):
        made = assignment(program, value.value, value)
        owner = made.value if made is not None else value
    if not isinstance(owner, cst.Attribute) or owner.attr.value != "dtype":
        return None
    facts = program.seen.get(program.text(owner.value))
    if facts is None or facts.is_leaf is None:
        return None
    tensor = owner.value
    if facts.requires_grad:
        tensor = method(tensor, "detach")
    if facts.device not in (None, "cpu"):
        tensor = method(tensor, "cpu")
    return cst.Attribute(method(tensor, "numpy"), cst.Name("dtype"))


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The same is made; only its dtype has NumPy's name."""
    error = seen_error(before, *ERRORS)
    named = re.findall(r"dtype=(\w+)", error.code) if error is not None else []
    goes, allowed = ("torch", "dtype", *named), ("numpy", "detach")
    return [still_computed(error, proposal.code, may_go=goes, allowed=allowed)]
