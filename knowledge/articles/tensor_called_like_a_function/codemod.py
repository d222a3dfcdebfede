"""Square brackets where an element or a size is meant, round ones where a method is."""

from __future__ import annotations

import re
from collections.abc import Iterable

import libcst as cst

from executor.errors import SeenError, read
from executor.protocol import Caught, ErrorSeen, JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrite
from knowledge.repair.toolkit.edits import Program
from knowledge.repair.toolkit.sites import failing, seen_error, variables

_FAMILY = "not_callable"
_CALLED = ("Tensor", "torch.Size", "Parameter")
_TAKEN = "builtin_function_or_method"


def applies(result: JobResult) -> bool:
    """A tensor or a shape was called, or a method was indexed."""
    return _error(result) is not None


def _error(result: JobResult) -> ErrorSeen | Caught | None:
    error = seen_error(result, _FAMILY)
    seen = read(error, _FAMILY) if error is not None else None
    if seen is None:
        return None
    called = seen["use"] == "callable" and seen["type"] in _CALLED
    return error if called or _is_taken(seen) else None


def _is_taken(seen: SeenError) -> bool:
    """Whether a method was indexed."""
    return seen["use"] == "subscriptable" and seen["type"] == _TAKEN


def rewrite(program: Program, result: JobResult) -> Iterable[Rewrite]:
    """`x(0, 1)` → `x[0, 1]`, `x.shape(0)` → `x.shape[0]`, `x.size[0]` → `x.size(0)`."""
    error = _error(result)
    node = failing(program, error)
    if error is None:
        return
    if (seen := read(error, _FAMILY)) is not None and _is_taken(seen):
        if isinstance(node, cst.Subscript) and program.text(node).partition("[")[0].endswith(
            ".size"
        ):
            yield from _method(program, node)
        return
    if not isinstance(node, cst.Call) or any(a.keyword or a.star for a in node.args):
        return
    attribute = node.func.attr.value if isinstance(node.func, cst.Attribute) else ""
    if not node.args:
        if attribute in ("shape", "T", "mT", "grad", "data"):
            yield Rewrite(
                program.replace({node: node.func}),
                f"line {program.line(node)}: `{attribute}` is a value, not a method",
            )
        return
    facts = variables(result).get(program.text(node.func))
    shape = facts.shape if facts is not None else None
    places = [_place(program, a.value) for a in node.args]
    if attribute == "shape" and len(places) == 1 and places[0] is not None:
        fits = True
    else:
        fits = (
            shape is not None
            and 0 < len(places) <= len(shape)
            and all(p is not None for p in places)
            and all(-n <= (p or 0) < n for p, n in zip(places, shape, strict=False))
        )
    if fits:
        slices = [cst.SubscriptElement(cst.Index(a.value), comma=a.comma) for a in node.args]
        yield Rewrite(
            program.replace({node: cst.Subscript(node.func, slices)}),
            f"line {program.line(node)}: elements are taken with square brackets",
        )


def _method(program: Program, node: cst.Subscript) -> Iterable[Rewrite]:
    arguments = [
        cst.Arg(e.slice.value, comma=e.comma) for e in node.slice if isinstance(e.slice, cst.Index)
    ]
    if len(arguments) == len(node.slice) == 1:
        yield Rewrite(
            program.replace({node: cst.Call(node.value, arguments)}),
            f"line {program.line(node)}: `size` is a method and takes round brackets",
        )


def _place(program: Program, value: cst.BaseExpression) -> int | None:
    """The whole number that stands there."""
    text = program.text(value)
    return int(text) if re.fullmatch(r"-?\d+", text) else None


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The same expression, in other brackets."""
    error = _error(before)
    if error is None:
        return []
    owner, _, rest = "".join(error.code.split()).replace("[", "(").partition("(")
    inner = rest[:-1]
    code = "".join(proposal.code.split())
    wanted = [f"{owner}[{inner}]", f"{owner}({inner})"] if inner else [owner]
    called = f"{owner}({inner})"
    kept = any(w in code for w in wanted if w != "".join(error.code.split()))
    if not inner:
        kept = kept and code.count(called) == 0
    detail = "the same is asked for" if kept else "something else is asked for"
    return [Check(name="brackets", passed=kept, detail=detail)]
