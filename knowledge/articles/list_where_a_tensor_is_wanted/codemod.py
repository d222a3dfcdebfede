"""Make a tensor of a list or an array, or take the tensor out of the list that a batch is."""

from __future__ import annotations

import re
from ast import literal_eval
from collections.abc import Iterable, Iterator
from typing import Any

import libcst as cst

from executor.errors import SeenError, read
from executor.protocol import Caught, ErrorSeen, JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrite
from knowledge.repair.toolkit.edits import Program, call
from knowledge.repair.toolkit.flow import loop_over
from knowledge.repair.toolkit.shapes import origin
from knowledge.repair.toolkit.sites import failing, seen_error, variables

_NAMES = frozenset((
    "shape", "size", "dim", "ndim", "dtype", "device", "view", "reshape", "to", "float", "long",
    "unsqueeze", "squeeze", "mean", "sum", "t", "T", "backward", "numel", "detach",
))  # fmt: skip
ERRORS = ("plain_attribute", "not_callable", "operand_types")


def applies(result: JobResult) -> bool:
    """A list was asked for something that tensors have, or an array was taken for a tensor."""
    error = seen_error(result, *ERRORS)
    if error is None:
        return False
    seen = read(error, *ERRORS)
    return seen is not None and _is_list_or_array(seen, error)


def _is_list_or_array(seen: SeenError, error: ErrorSeen | Caught) -> bool:
    """Whether it is a list, or an array within TensorDataset, that lacks what tensors have."""
    if seen.id == "plain_attribute":
        return seen["type"] == "list" and seen["name"] in _NAMES
    if seen.id == "not_callable":  # `array.size(0)`, where the size is a number
        called = (seen["type"], seen["use"]) == ("int", "callable")
        return called and "TensorDataset(" in error.code
    return {seen["left"], seen["right"]} == {"Tensor", "list"}


def rewrite(program: Program, result: JobResult) -> Iterable[Rewrite]:
    """The tensor at the place where the list or the array is made, or is passed on."""
    error = seen_error(result, *ERRORS)
    node = failing(program, error)
    if error is None or node is None:
        return
    if "TensorDataset(" in error.code:
        yield from _dataset(program, result, node)
        return
    names = [n for n in program.inside(node, cst.Name) if _is_list(program, result, n)]
    if len({n.value for n in names}) != 1:
        return
    name = names[0]
    told = result.explanation.text if result.explanation is not None else ""
    loop = loop_over(program, name, name.value)
    if loop is not None:
        if "list of 1: [0] a tensor" in told:
            yield from _one_of_a_batch(program, loop, name)
        return
    yield from _made_of_numbers(program, result, name)


def _is_list(program: Program, result: JobResult, name: cst.Name) -> bool:
    parent = program.parent(name)
    if isinstance(parent, cst.Attribute) and parent.attr is name:
        return False
    facts = variables(result).get(name.value)
    return facts is not None and facts.type == "list"


def _one_of_a_batch(program: Program, loop: cst.For, name: cst.Name) -> Iterator[Rewrite]:
    """`for batch in loader:` → `for (batch,) in loader:`, where nothing takes `batch[0]`."""
    taken = [
        s for s in program.inside(loop.body, cst.Subscript) if program.text(s.value) == name.value
    ]
    if taken or (isinstance(loop.iter, cst.Name) and loop.iter.value == name.value):
        return
    target = cst.Tuple([cst.Element(cst.Name(name.value), comma=cst.Comma())])
    told = "a batch is a list with one entry for each tensor of the dataset, and there is one"
    yield Rewrite.of(program, {loop.target: target}, told, at=loop)


def _made_of_numbers(program: Program, result: JobResult, name: cst.Name) -> Iterator[Rewrite]:
    """`rows = [[1.0, 2.0]]` → `rows = torch.tensor([[1.0, 2.0]])`."""
    literal = _literal(program, name)
    if literal is None:
        return
    told = "the numbers are put into a tensor"
    yield Rewrite.of(program, {literal: call("torch.tensor", cst.Arg(literal))}, told)


def _literal(program: Program, name: cst.Name) -> cst.List | None:
    """The list of numbers that a name stands for; a parameter is followed to the one call."""
    value = origin(program, name)
    if not isinstance(value, cst.List):
        return None
    try:
        numbers = literal_eval(program.text(value))
    except (ValueError, SyntaxError):
        return None
    return value if _rectangle(numbers) is not None else None


def _rectangle(value: Any) -> tuple[int, ...] | None:
    """The shape of nested lists of numbers; None if they have none."""
    if isinstance(value, (int, float)):
        return ()
    if not isinstance(value, list) or not value:
        return None
    shapes = {_rectangle(v) for v in value}
    only = shapes.pop() if len(shapes) == 1 else None
    return (len(value), *only) if only is not None else None


def _dataset(program: Program, result: JobResult, node: cst.BaseExpression) -> Iterator[Rewrite]:
    """`TensorDataset(array)` → `TensorDataset(torch.from_numpy(array))`; of a list, a tensor."""
    if not isinstance(node, cst.Call) or any(a.star or a.keyword for a in node.args):
        return
    edits: dict[cst.CSTNode, cst.CSTNode] = {}
    known = variables(result)
    for given in node.args:
        facts = known.get(program.text(given.value))
        if facts is None:
            continue
        if facts.type == "ndarray":
            edits[given.value] = call("torch.from_numpy", cst.Arg(given.value))
        elif facts.type == "list":
            rows = _rows(program, given.value)
            if rows is None:
                return
            edits[given.value] = rows
    if edits:
        yield Rewrite.of(program, edits, "a TensorDataset holds tensors", at=node)


def _rows(program: Program, value: cst.BaseExpression) -> cst.BaseExpression | None:
    """A tensor of a list's rows: of numbers at once, of tensors by stacking."""
    made = origin(program, value)
    if not isinstance(value, cst.Name) or not isinstance(made, cst.List):
        return None
    try:
        if _rectangle(literal_eval(program.text(made))) is not None:
            return call("torch.tensor", cst.Arg(value))
    except (ValueError, SyntaxError):
        pass
    name = value.value
    return cst.parse_expression(f"torch.stack([torch.as_tensor(row) for row in {name}])")


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """What failed is still done, with the same things in the same order."""
    error = seen_error(before, *ERRORS)
    if error is None:
        return []
    code = "".join(proposal.code.split())
    wanted = "".join(error.code.split())
    if "TensorDataset(" not in error.code:
        kept = wanted in code
        detail = "the same is asked for" if kept else "something else is asked for"
        return [Check(name="still computed", passed=kept, detail=detail)]
    names = re.findall(r"\w+", wanted.partition("(")[2])
    inside = re.search(r"TensorDataset\((.*)", proposal.code)
    there = re.findall(r"\w+", inside[1]) if inside is not None else []
    kept = all(n in there for n in names) and not {"zeros", "ones", "randn", "rand"} & set(there)
    cut = re.search(r"TensorDataset\(.*\[[^\]]*:", code) is not None
    detail = "the dataset holds the same" if kept and not cut else "the dataset holds other things"
    return [Check(name="still computed", passed=kept and not cut, detail=detail)]
