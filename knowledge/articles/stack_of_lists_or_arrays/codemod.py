"""One tensor of equal lists, a tensor of each unequal list, a list in place of an object array."""

import re
from ast import literal_eval

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrites
from knowledge.repair.toolkit.dataflow import rectangle
from knowledge.repair.toolkit.edits import call
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.flow import later
from knowledge.repair.toolkit.keeps import computed, leaves, tensors
from knowledge.repair.toolkit.shapes import failing_lines, quoted_line
from knowledge.repair.toolkit.sites import argument, assignment, scope_of, seen_error, variables

ERRORS = ("join_of_no_tensors",)
KEEPS = (computed(may_go=("stack",), allowed=("[",)), tensors, leaves)
SAYS = {"number": "0", "given": r"list|numpy\.ndarray|float|int"}


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """`torch.tensor(rows)`; `[torch.tensor(row) for row in rows]` where rows are to be padded."""
    node = program.node
    if not isinstance(node, cst.Call):
        return
    function = program.text(node.func).rpartition(".")[2]
    given = argument(node, 0, "tensors") or argument(node, 0, "sequences")
    if given is None:
        return
    if program.said["given"] == "numpy.ndarray":
        yield from _out_of_numpy(program, node, given.value)
        return
    values = _values(result, given.value)
    if values is None:
        return
    tensor = program.name_of("torch", "tensor")
    if function == "stack" and len(node.args) == 1 and rectangle(values) is not None:
        told = f"`{tensor}` makes one tensor of rows of numbers"
        yield program.edit({node: call(tensor, cst.Arg(given.value))}, told)
    elif function in ("pad_sequence", "cat") and all(isinstance(v, list) for v in values):
        each = cst.parse_expression(
            f"[{tensor}(row) for row in {program.module.code_for_node(given.value)}]"
        )
        what = "each row becomes a tensor before they are joined"
        yield program.edit({given.value: each}, what, at=node)


def _values(result: JobResult, value: cst.BaseExpression) -> list[object] | None:
    """The list itself, where it is short enough to have been kept."""
    facts = variables(result).get(value.value) if isinstance(value, cst.Name) else None
    text = facts.repr if facts is not None else cst.Module(()).code_for_node(value)
    try:
        found = literal_eval(text or "")
    except (ValueError, SyntaxError):
        return None
    return found if isinstance(found, list) and found else None


def _out_of_numpy(program: Failed, node: cst.Call, value: cst.BaseExpression) -> Rewrites:
    """`np.array([t, u], dtype=object)` as the list that it was made of."""
    name = value
    if isinstance(value, cst.Call) and program.text(value.func) == "list" and len(value.args) == 1:
        name = value.args[0].value
    made = assignment(program, name.value, node) if isinstance(name, cst.Name) else None
    if made is None or not isinstance(made.value, cst.Call) or not isinstance(name, cst.Name):
        return
    array = made.value
    kind = argument(array, 1, "dtype")
    if program.text(array.func).rpartition(".")[2] != "array" or kind is None:
        return
    if program.text(kind.value) != "object" or not isinstance(array.args[0].value, cst.List):
        return
    if scope_of(program, made) is not scope_of(program, node):
        return
    if any(isinstance(program.parent(n), cst.Attribute) for n in later(program, name.value, made)):
        return  # `.shape` and the like: a list has none
    told = "a list keeps tensors as they are; an array takes them apart"
    yield program.edit({array: array.args[0].value}, told, at=made, subjects=(name.value,))


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The same rows are joined, all of them."""
    error = seen_error(before, *ERRORS)
    was, now = (re.findall(r"\w+\[", text) for text in failing_lines(error, proposal.code))
    line = quoted_line(error.traceback) if error is not None else ""  # `table[key] = …` too
    parts = set(now) - {*was, *re.findall(r"\w+\[", line)}
    told = "every row is joined", "only a part of the rows is joined"
    return [Check.of("rows", not parts, *told)]
