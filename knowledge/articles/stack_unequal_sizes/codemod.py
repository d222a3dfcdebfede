"""Pad tensors of unequal length, or join them: two meanings of a stack that cannot be made."""

import re
from math import prod

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Rewrites
from knowledge.repair.toolkit.edits import Program, call, padded
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.keeps import computed
from knowledge.repair.toolkit.sites import argument, calls

ERRORS = ("stack_sizes",)
_AS = ((r"torch\.stack\(", "pad_sequence("), (r"torch\.stack\(", "torch.cat("))
KEEPS = (computed(may_go=("dim",), instead=_AS, allowed=("expand",)),)


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """Both, where only the lengths differ; nothing where pictures would have to be resized."""
    stack, found = program.node, program.said
    if not isinstance(stack, cst.Call) or not stack.args:
        return
    dim = argument(stack, 1, "dim")
    if program.text(stack.func) != "torch.stack":
        return
    first, second = found.sizes("first"), found.sizes("other")
    yield from _one_more(program, stack, first, second)
    if not first or first[1:] != second[1:] or len(first) != len(second):
        return
    if dim is not None and program.text(dim.value) != "0":
        return
    if _holds_slices(program, stack.args[0].value):
        return  # the last ones are cut off at an end: filled up, they would be made up
    tensors = stack.args[0].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    told = "the short ones are filled up with zeros to the longest"
    meant = "one row each, short ones filled up with zeros"
    said = r"\bpad(ding|ded)?\b|\bbatch(es|ed)?\b"
    yield program.edit({stack: padded(program, tensors.value)}, told, meant, said=said)
    told = "one after the other, without a new dimension"
    meant = "one after the other in one long tensor"
    said = r"\bconcat|one after (the other|another)|\bjoin"
    yield program.edit({stack: call("torch.cat", tensors)}, told, meant, said=said)


def _one_more(program: Program, stack: cst.Call, *sizes: tuple[int, ...]) -> Rewrites:
    """A matrix, and a value for all rows or columns, or one for each, that is joined to it."""
    parts, dim = stack.args[0].value, argument(stack, 1, "dim")
    if not isinstance(parts, (cst.List, cst.Tuple)) or len(parts.elements) != 2:
        return
    at = max((0, 1), key=lambda i: prod(sizes[i]))
    names, shape, part = [program.text(e.value) for e in parts.elements], sizes[at], sizes[1 - at]
    if len(shape) != 2 or 1 in shape:
        return
    matrix, other = names[at], names[1 - at]
    for d, kind in ((1, "column"), (0, "row")):
        if dim is not None and program.text(dim.value) not in (str(d), str(d - 2)):
            continue
        told = meant = f"`{other}` is one more {kind} of `{matrix}`"
        if prod(part) == 1:
            sides = f"{matrix}.size(0), 1" if d else f"1, {matrix}.size(1)"
            names[1 - at] = f"{other}.expand({sides})"
            told = f"{meant}, the same for every {('column', 'row')[d]}"
        elif part == (shape[1 - d],):
            names[1 - at] = f"{other}.unsqueeze({d})"
        elif d == 0 or part != (shape[0], 1):
            continue
        joined = ", ".join(names)
        joined = f"[{joined}]" if isinstance(parts, cst.List) else f"({joined})"
        new = cst.parse_expression(f"torch.cat({joined}, dim={d})")
        yield program.edit({stack: new}, told, meant, supposes=True)


def _holds_slices(program: Program, parts: cst.BaseExpression) -> bool:
    """Whether a list is filled with `series[i:j]`, in a loop or where it is made."""
    name = program.text(parts)
    given = [c.args[0].value for c in calls(program, rf"^{re.escape(name)}\.append$")]
    made = [a.value for a in program.all(cst.Assign) if program.text(a.targets[0].target) == name]
    given += [m.elt for m in (parts, *made) if isinstance(m, cst.BaseSimpleComp)]
    return any(
        isinstance(value, cst.Subscript) and isinstance(value.slice[0].slice, cst.Slice)
        for value in given
    )
