"""item() of several elements: their mean, or all of them as a list; the code does not say which."""

import math
import re
from collections.abc import Iterator

import libcst as cst

from executor.errors import read
from executor.protocol import JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrites
from knowledge.repair.toolkit.edits import Edits, method
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.keeps import leaves, tensors
from knowledge.repair.toolkit.sites import scope_of, seen_error

_FAMILY = "several_elements"
ERRORS = (_FAMILY, "one_element_tensors")
KEEPS = (tensors, leaves)
_LOSS = re.compile(r"(?i)loss|crit|entropy")  # what a training adds up is one number a batch
_MEAN, _ALL = "one number: their mean", "all of the numbers"
_SUM = "one number: their sum"


def applies(result: JobResult) -> bool:
    """item() or float() was called on a tensor of several elements."""
    return _message(result) is not None


def _message(result: JobResult) -> str | None:
    error = seen_error(result, *ERRORS)
    if error is None or not (read(error, _FAMILY) or error.code.startswith("float(")):
        return None
    return error.message


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """`.mean().item()` or `.tolist()`, wherever the same is asked of such a tensor."""
    node = program.node
    if isinstance(node, cst.Call) and program.text(node.func) == "float" and len(node.args) == 1:
        if _LOSS.search(program.text(node.args[0])):
            yield from _of_float(program, node, node.args[0].value)
        return
    if not isinstance(node, cst.Call) or not _is_item(node):
        return
    places = [node, *_others(program, result, node)]
    places.sort(key=program.line)
    means: Edits = {}
    lists: Edits = {}
    for place in places:
        assert isinstance(place.func, cst.Attribute)
        means[place] = method(method(place.func.value, "mean"), "item")
        lists[place] = method(place.func.value, "tolist")
    told, said = "the mean of the elements is one number", r"\b(mean|average|loss)\b"
    yield program.edit(means, told, _MEAN, at=places, said=said)
    told, said = "a list of all the elements", r"\b(all|each|list of)\b"
    yield program.edit(lists, told, _ALL, at=places, said=said)


def _of_float(program: Failed, node: cst.Call, value: cst.BaseExpression) -> Rewrites:
    """`float(loss.mean())` or `float(loss.sum())` for `float(loss)`."""
    for word, meaning in (("mean", _MEAN), ("sum", _SUM)):
        told = f"the {word} of the elements is one number"
        yield program.edit(
            {value: method(value, word)}, told, meaning, at=node, said=rf"\b{word}\b"
        )


def _is_item(node: cst.Call) -> bool:
    return isinstance(node.func, cst.Attribute) and node.func.attr.value == "item" and not node.args


def _others(program: Failed, result: JobResult, node: cst.Call) -> Iterator[cst.Call]:
    """Other item() calls of the same scope whose tensors are seen to have several elements."""
    for other in program.all(cst.Call):
        if (
            other is node
            or not _is_item(other)
            or scope_of(program, other) is not scope_of(program, node)
        ):
            continue
        assert isinstance(other.func, cst.Attribute)
        facts = program.seen.get(program.text(other.func.value))
        if facts is not None and facts.shape is not None and math.prod(facts.shape) > 1:
            yield other


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """What was computed keeps its values, and what is taken comes from every element."""
    error = seen_error(before, *ERRORS)
    code = error.code if error is not None else ""
    owner = code.removeprefix("float(").removesuffix(")") if code.startswith("float(") else ""
    owner = owner or code.removesuffix(".item()")
    forms = r"mean\(\)\.item|tolist" if code.endswith(".item()") else r"mean|sum"
    taken = re.search(rf"{re.escape(owner)}\.({forms})\(\)", proposal.code)
    detail = "every element counts" if taken else "it is not the mean, nor all of the elements"
    return [Check(name="elements", passed=taken is not None, detail=detail)]
