"""Make a tensor of a list or an array, or take the tensor out of the list that a batch is."""

import re
from ast import literal_eval

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrites
from knowledge.repair.toolkit.dataflow import rectangle
from knowledge.repair.toolkit.edits import Edits, call
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.flow import loops_around
from knowledge.repair.toolkit.shapes import origin
from knowledge.repair.toolkit.sites import names_in, seen_as, seen_error

_NAMES = frozenset((
    "shape", "size", "dim", "ndim", "dtype", "device", "view", "reshape", "to", "float", "long",
    "unsqueeze", "squeeze", "mean", "sum", "t", "T", "backward", "numel", "detach",
))  # fmt: skip
ERRORS = ("plain_attribute", "not_callable", "operand_types", "argument_type")


def applies(result: JobResult) -> bool:
    """A list lacks what tensors have, or an array within TensorDataset does."""
    error, seen = seen_error(result, *ERRORS), seen_as(result, *ERRORS)
    if error is None or seen is None:
        return False
    if seen.id == "plain_attribute":
        return seen["type"] == "list" and seen["name"] in _NAMES
    if seen.id == "not_callable":  # `array.size(0)`, where the size is a number
        called = (seen["type"], seen["use"]) == ("int", "callable")
        return called and "TensorDataset(" in error.code
    if seen.id == "argument_type":  # a batch of one part goes into a layer
        return seen["given"] == "list" and "Tensor" in seen["expected"]
    return {seen["left"], seen["right"]} == {"Tensor", "list"}


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """The tensor at the place where the list or the array is made, or is passed on."""
    if program.node is None:
        return
    if "TensorDataset(" in program.error.code:
        yield from _dataset(program, program.node)
        return
    names = [n for n in program.inside(program.node, cst.Name) if _is_list(program, n)]
    if len({n.value for n in names}) != 1:
        return
    name = names[0]
    for loop in loops_around(program, name):
        if isinstance(loop, cst.For) and name.value in names_in(loop.target):
            if re.search(r"\blist of 1(?:: \[0\] a tensor| \(tensors)", program.explained):
                yield from _one_of_a_batch(program, loop, name)
            return
    if program.said.id == "argument_type":
        return
    literal = origin(program, name)  # of a parameter: what the one call gives
    if literal is not None and _holds_numbers(program, literal):
        tensor = call("torch.tensor", cst.Arg(literal))
        yield program.edit({literal: tensor}, "the numbers are put into a tensor")


def _is_list(program: Failed, name: cst.Name) -> bool:
    parent = program.parent(name)
    if isinstance(parent, cst.Attribute) and parent.attr is name:
        return False
    facts = program.seen.get(name.value)
    return facts is not None and facts.type == "list"


def _one_of_a_batch(program: Failed, loop: cst.For, name: cst.Name) -> Rewrites:
    """`for batch in loader:` → `for (batch,) in loader:`, where nothing takes `batch[0]`."""
    held = next(n for n in program.inside(loop.target, cst.Name) if n.value == name.value)
    indexed = [program.text(s.value) for s in program.inside(loop.body, cst.Subscript)]
    if name.value in (*indexed, program.text(loop.iter)):
        return
    target = cst.Tuple([cst.Element(cst.Name(name.value), comma=cst.Comma())])
    told = "a batch is a list with one entry for each tensor of the dataset, and there is one"
    yield program.edit({held: target}, told, at=loop)


def _holds_numbers(program: Failed, value: cst.BaseExpression) -> bool:
    """Whether it is a list of numbers, or of such lists, as a tensor can be made of."""
    try:
        numbers = literal_eval(program.text(value))
    except (ValueError, SyntaxError):
        return False
    return isinstance(value, cst.List) and rectangle(numbers) is not None


def _dataset(program: Failed, node: cst.BaseExpression) -> Rewrites:
    """`TensorDataset(array)` → `TensorDataset(torch.from_numpy(array))`; of a list, a tensor."""
    if not isinstance(node, cst.Call) or any(a.star or a.keyword for a in node.args):
        return
    edits: Edits = {}
    for given in node.args:
        facts = program.seen.get(program.text(given.value))
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
        yield program.edit(edits, "a TensorDataset holds tensors", at=node)


def _rows(program: Failed, value: cst.BaseExpression) -> cst.BaseExpression | None:
    """A tensor of a list's rows: of numbers at once, of tensors by stacking."""
    made = origin(program, value)
    if not isinstance(value, cst.Name) or not isinstance(made, cst.List):
        return None
    if _holds_numbers(program, made):
        return call("torch.tensor", cst.Arg(value))
    return cst.parse_expression(f"torch.stack([torch.as_tensor(row) for row in {value.value}])")


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """What failed is still done, with the same things in the same order."""
    error = seen_error(before, *ERRORS)
    if error is None:
        return []
    code = "".join(proposal.code.split())
    wanted = "".join(error.code.split())
    if "TensorDataset(" not in error.code:
        same, other = "the same is asked for", "something else is asked for"
        return [Check.of("still computed", wanted in code, same, other)]
    names = re.findall(r"\w+", wanted.partition("(")[2])
    inside = re.search(r"TensorDataset\((.*)", proposal.code)
    there = re.findall(r"\w+", inside[1]) if inside is not None else []
    kept = all(n in there for n in names) and not {"zeros", "ones", "randn", "rand"} & set(there)
    cut = re.search(r"TensorDataset\(.*\[[^\]]*:", code) is not None
    detail = "the dataset holds the same" if kept and not cut else "the dataset holds other things"
    return [Check(name="still computed", passed=kept and not cut, detail=detail)]
