"""Make floats of integers before an operation that has no integer form: mean, softmax, a norm.

The cast stands at the operation, not where the tensor is made: it may be an index elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import libcst as cst

from executor.job import JobResult, Variable
from knowledge.codemod import Check, Proposal, Rewrite
from knowledge.computed import reaches_leaves, same_tensors
from knowledge.edits import Program, method
from knowledge.origins import INTEGERS, of_dtype, passed
from knowledge.sites import failing, seen_error, variables

_ERROR = re.compile(
    r"could not infer output dtype. Input dtype must be either a floating"
    r"|\"(?!check_uniform|normal_kernel|random_)\w+\" not implemented for"
    r" '(Long|Int|Short|Byte|Char)'"
    r"|expected common dtype to be floating point|Expected a floating point or complex tensor"
    r"|std and var only support floating|input tensor must be either float or double dtype"
    r"|only supports floating-point dtypes|argmax\(\): does not support bool|argmin\(\): does not"
)
_FACTORY = re.compile(r"^(torch\.)?(tensor|as_tensor|arange|zeros|ones|full|randint)$")
_TWO = re.compile(r"(cosine_similarity|cdist|pairwise_distance|dist)$")


def applies(result: JobResult) -> bool:
    """An operation that needs floats was given integers."""
    error = seen_error(result, "")
    return error is not None and _ERROR.search(error.message) is not None


def rewrite(program: Program, result: JobResult) -> Iterable[Rewrite]:
    """`.float()` at the operation; at the call for a layer's input."""
    error = seen_error(result, "")
    assert error is not None
    if result.layer is not None or len(result.frames) > 1:
        given = passed(program, result, lambda facts: facts.dtype in INTEGERS - {"bool"})
        if given is not None and result.layer is not None:
            new = method(given.name, "float")
            yield Rewrite(
                program.replace({given.name: new}),
                f"line {program.line(given.name)}: the layer computes with floats, and "
                f"`{given.name.value}` holds integers",
            )
            return
    node = failing(program, error)
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return
    if node.func.attr.value.endswith("_"):
        return  # the result would be written into a copy and lost
    yield from _at(program, node, variables(result), "bool input" in error.message)


def _at(
    program: Program, node: cst.Call, seen: dict[str, Variable], is_bool: bool
) -> Iterator[Rewrite]:
    assert isinstance(node.func, cst.Attribute)
    operation = node.func.attr.value
    owner = program.text(node.func.value)
    is_function = re.match(r"^(torch(\.\w+)*|F|nn\.functional)$", owner) is not None
    operands: list[cst.BaseExpression] = [node.func.value]
    if is_function:
        operands = [a.value for a in node.args if not a.star and _is_data(a)]
        operands = operands[: 2 if _TWO.search(operation) else 1]
    edits: dict[cst.CSTNode, cst.CSTNode] = {}
    for value in operands:
        facts = seen.get(program.text(value))
        if facts is not None and facts.dtype is not None and facts.dtype not in INTEGERS:
            continue
        edits[value] = _floats(program, value, is_bool)
    if edits:
        what = "integers" if is_bool else "floats"
        yield Rewrite(
            program.replace(edits),
            f"line {program.line(node)}: `{operation}` is computed in {what}",
        )


def _is_data(argument: cst.Arg) -> bool:
    if argument.keyword is not None:
        return argument.keyword.value == "input"
    return not isinstance(argument.value, (cst.Integer, cst.Float, cst.SimpleString))


def _floats(program: Program, value: cst.BaseExpression, is_bool: bool) -> cst.BaseExpression:
    if is_bool:
        return method(value, "int")
    if isinstance(value, cst.Call) and _FACTORY.match(program.text(value.func)):
        return of_dtype(program, value, "float32")
    return method(value, "float")


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """What was there keeps its values."""
    return [same_tensors(before, after, proposal.code), reaches_leaves(after, wanted=False)]
