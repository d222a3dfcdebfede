"""Pad tensors of unequal length, or join them: two meanings of a stack that cannot be made."""

from __future__ import annotations

import libcst as cst

from executor.errors import read
from executor.protocol import JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrite, Rewrites
from knowledge.repair.toolkit.edits import Program, call, padded
from knowledge.repair.toolkit.shapes import still_computed
from knowledge.repair.toolkit.sites import argument, failing, seen_error

ERRORS = ("stack_sizes",)


def rewrite(program: Program, result: JobResult) -> Rewrites:
    """Both, where only the lengths differ; nothing where pictures would have to be resized."""
    error = seen_error(result, *ERRORS)
    stack = failing(program, error)
    if error is None or not isinstance(stack, cst.Call) or not stack.args:
        return
    found = read(error, *ERRORS)
    dim = argument(stack, 1, "dim")
    if program.text(stack.func) != "torch.stack" or found is None:
        return
    first, second = found.sizes("first"), found.sizes("other")
    if not first or first[1:] != second[1:] or len(first) != len(second):
        return
    if dim is not None and program.text(dim.value) != "0":
        return
    if _holds_slices(program, stack.args[0].value):
        return  # the last ones are cut off at an end: filled up, they would be made up
    tensors = stack.args[0].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    line = f"line {program.line(stack)}"
    yield Rewrite(
        program.replace({stack: padded(program, tensors.value)}),
        f"{line}: the short ones are filled up with zeros to the longest",
        "one row each, short ones filled up with zeros",
        said=r"\bpad(ding|ded)?\b|\bbatch(es|ed)?\b",
    )
    yield Rewrite(
        program.replace({stack: call("torch.cat", tensors)}),
        f"{line}: one after the other, without a new dimension",
        "one after the other in one long tensor",
        said=r"\bconcat|one after (the other|another)|\bjoin",
    )


def _holds_slices(program: Program, parts: cst.BaseExpression) -> bool:
    """Whether a list is filled with `series[i:j]`, in a loop or where it is made."""
    name = program.text(parts)
    given = [
        c.args[0].value for c in program.all(cst.Call) if program.text(c.func) == f"{name}.append"
    ]
    made = [a.value for a in program.all(cst.Assign) if program.text(a.targets[0].target) == name]
    given += [m.elt for m in (parts, *made) if isinstance(m, cst.BaseSimpleComp)]
    return any(
        isinstance(value, cst.Subscript) and isinstance(value.slice[0].slice, cst.Slice)
        for value in given
    )


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The same tensors, none left out and none cut."""
    error = seen_error(before, *ERRORS)
    code = error.code if error is not None else ""
    made = [
        still_computed(
            error.model_copy(update={"code": code.replace("torch.stack(", f"{name}(", 1)}),
            proposal.code,
            may_go=("dim",),
        )
        for name in ("pad_sequence", "torch.cat")
        if error is not None
    ]
    return [next((c for c in made if c.passed), made[0])] if made else []
