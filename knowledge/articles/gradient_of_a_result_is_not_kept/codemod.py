"""Ask a result to keep its gradient before backward; reset a gradient that is not there yet."""

import re

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Rewrites
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.flow import siblings
from knowledge.repair.toolkit.keeps import gradients, tensors
from knowledge.repair.toolkit.sites import scope_of
from knowledge.repair.toolkit.statements import told_inserted

ERRORS, CODE = ("none_attribute",), r"^(\w+)\.grad\b"
KEEPS = (gradients, tensors)


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """`x.retain_grad()` above the backward, or `x.grad = None` for a reset."""
    line = program.statement
    match = re.match(CODE, program.error.code)
    if line is None or match is None:
        return
    name = match[1]
    facts = program.seen.get(name)
    if facts is None or not facts.requires_grad:
        return
    if facts.is_leaf:
        small = line.body[0]
        if len(line.body) == 1 and program.text(small) == f"{name}.grad.zero_()":
            target = cst.AssignTarget(cst.Attribute(cst.Name(name), cst.Name("grad")))
            told = "there is no gradient yet the first time; None resets it each time"
            yield program.edit({small: cst.Assign([target], cst.Name("None"))}, told, at=line)
        return
    scope = scope_of(program, line)
    body, at = siblings(program, line)
    backward = [
        s
        for s in body[:at]
        if isinstance(s, cst.SimpleStatementLine)
        and scope_of(program, s) is scope
        and re.search(r"\.backward\(", program.text(s))
    ]
    if len(backward) != 1:
        return
    told = f"`{name}` is a result; it keeps its gradient only if it is asked before backward"
    yield told_inserted(program, backward[0], f"{name}.retain_grad()", told)
