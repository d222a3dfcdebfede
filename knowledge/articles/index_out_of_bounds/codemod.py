"""Bring a loop's end, or the place of its variable in the brackets, into line with the tensor.

Only where the run decides it: the variable just reached a dimension's size, and the loop's end is a
number, or counts along another dimension of the very same size.
"""

import re

import libcst as cst

from executor.errors import SeenError, is_a, read
from executor.protocol import Caught, ErrorSeen, JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrites
from knowledge.repair.toolkit.edits import method
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.flow import loop_over
from knowledge.repair.toolkit.sites import seen_error

_OUTSIDE, _SINGLE = "index_out_of_bounds", "index_of_a_number"  # error families
ERRORS = (_OUTSIDE, _SINGLE)


def applies(result: JobResult) -> bool:
    """An index is one too far, or a single value was indexed."""
    error = seen_error(result, *ERRORS)
    return error is not None and (is_a(error, _SINGLE) or _outside(error) is not None)


def _outside(error: ErrorSeen | Caught) -> SeenError | None:
    """The index that is too large; None for one that counts from the end."""
    seen = read(error, _OUTSIDE)
    return None if seen is None or seen["index"].startswith("-") else seen


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """`loss[0]` → `loss`; `range(4)` → `range(x.shape[2])`; `x[i]` → `x[:, i]`."""
    node = program.node
    if not isinstance(node, cst.Subscript):
        return
    if is_a(program.error, _SINGLE):
        yield from _single(program, node)
        return
    match = _outside(program.error)
    facts = program.seen.get(program.text(node.value))
    if match is None or facts is None or facts.shape is None:
        return
    index, dim, size = match.numbers("index", "dimension", "size")
    if dim >= len(node.slice) or facts.shape[dim] != size or index != size:
        return
    element = node.slice[dim].slice
    if not isinstance(element, cst.Index):
        return
    loop = _loop(program, element.value)
    if loop is None:
        return
    end = loop.iter.args[0].value if isinstance(loop.iter, cst.Call) else loop.iter
    if isinstance(element.value, cst.Name):
        yield from _shorter_or_turned(program, node, loop, end, facts.shape, dim)
    elif _next_of(program, element.value) and _counts(program, end) == size:
        less = cst.parse_expression(f"{program.text(end)} - 1")
        told = "the last one has no next, so the loop ends before it"
        yield program.edit({end: less}, told, at=loop)


def _single(program: Failed, node: cst.Subscript) -> Rewrites:
    """`loss[0]` → `loss`; of `.data[0]`, the number."""
    if [program.text(e).strip() for e in node.slice] not in (["0"], ["-1"]):
        return
    value = node.value
    if isinstance(value, cst.Attribute) and value.attr.value == "data":
        value = method(value.value, "item")
    yield program.edit({node: value}, "it is one value already, with nothing to take out")


def _loop(program: Failed, index: cst.BaseExpression) -> cst.For | None:
    """The `for i in range(end)` whose variable the index is made of."""
    names = [n.value for n in program.inside(index, cst.Name)]
    loop = loop_over(program, index, names[0]) if len(set(names)) == 1 else None
    source = loop.iter if loop is not None else None
    is_range = isinstance(source, cst.Call) and program.text(source.func) == "range"
    return loop if is_range and isinstance(source, cst.Call) and len(source.args) == 1 else None


def _shorter_or_turned(
    program: Failed,
    node: cst.Subscript,
    loop: cst.For,
    end: cst.BaseExpression,
    shape: tuple[int, ...],
    dim: int,
) -> Rewrites:
    """The index in the one dimension that is as long as the loop, else the loop's number."""
    count = _counts(program, end)
    others = [d for d, n in enumerate(shape) if n == count and d != dim]
    owner = program.text(node.value)
    if len(node.slice) == 1 and len(shape) == 2 and others == [1]:
        turned = cst.parse_expression(f"{owner}[:, {program.text(node.slice[0])}]")
        told = f"the loop counts to {count}, which is dimension 1 of {list(shape)}"
        yield program.edit({node: turned}, told)
    elif isinstance(end, cst.Integer) and not others:
        told = f"dimension {dim} of {list(shape)} ends before {count}"
        new = cst.parse_expression(f"{owner}.shape[{dim}]")
        yield program.edit({end: new}, told, at=loop)


def _next_of(program: Failed, index: cst.BaseExpression) -> bool:
    """Whether it is `i + 1`."""
    return re.fullmatch(r"\w+ ?\+ ?1", program.text(index)) is not None


def _counts(program: Failed, end: cst.BaseExpression) -> int | None:
    """How far a loop goes: of a number, of `len(x)`, of `x.shape[1]` or `x.size(1)`."""
    text = program.text(end)
    if text.isdigit():
        return int(text)
    m = re.fullmatch(r"len\((\w+)\)|(\w+)\.(?:shape\[(\d)\]|size\((\d)\))", text)
    facts = program.seen.get(m[1] or m[2]) if m is not None else None
    if m is None or facts is None or not facts.shape:
        return None
    place = int(m[3] or m[4] or 0)
    return facts.shape[place] if place < len(facts.shape) else None


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The same element is taken, nothing is left out but what is not there."""
    error = seen_error(before, *ERRORS)
    if error is None:
        return []
    asked = "".join(error.code.split())
    code = "".join(proposal.code.split())
    if is_a(error, _SINGLE):
        owner = asked.rpartition("[")[0]
        kept = owner in code or f"{owner.removesuffix('.data')}.item()" in code
        return [Check.of("value", kept, "the value is still used", "the value is no longer used")]
    owner, _, inside = asked.partition("[")
    turned = f"{owner}[:,{inside}"
    kept = asked in code or turned in code
    ends = re.search(rf"range\({re.escape(owner)}\.shape\[\d\]\)|range\([^\n]*-1\)", code)
    decided = turned in code or ends is not None
    return [
        Check.of("element", kept, "the same element is taken", "another element is taken"),
        Check.of("end", decided, "the loop ends where the tensor does", "the loop goes on too far"),
    ]
