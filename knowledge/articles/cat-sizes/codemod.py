"""Join tensors along the one dimension in which they may differ."""

from __future__ import annotations

from collections.abc import Iterable

import libcst as cst

from executor.job import JobResult
from knowledge.codemod import Check, Proposal, Rewrite
from knowledge.edits import Program, method
from knowledge.shapes import Shape, same_numbers, shape_of, still_computed
from knowledge.sites import argument, failing, integer, scope_of, seen_error, with_argument

_SIZES = "Sizes of tensors must match except in dimension"
_DIMENSIONS = "Tensors must have same number of dimensions"
_JOINS = ("cat", "concat", "concatenate")


def applies(result: JobResult) -> bool:
    """torch.cat got tensors that do not fit along its dimension."""
    return seen_error(result, _SIZES, _DIMENSIONS) is not None


def rewrite(program: Program, result: JobResult) -> Iterable[Rewrite]:
    """Another dim, or one more dimension for the one tensor that lacks it, if only one fits."""
    error = seen_error(result, _SIZES, _DIMENSIONS)
    call = failing(program, error) if error is not None else None
    if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute):
        return
    if call.func.attr.value not in _JOINS or not call.args:
        return
    given = call.args[0].value
    if not isinstance(given, (cst.List, cst.Tuple)):
        return
    parts = [e.value for e in given.elements if isinstance(e, cst.Element)]
    shapes = [shape for part in parts if (shape := shape_of(result, part)) is not None]
    if len(shapes) != len(given.elements) or len(shapes) < 2:
        return
    dim = argument(call, 1, "dim")
    at = 0 if dim is None else _number(program.text(dim.value))
    line = f"line {program.line(call)}"
    ranks = {len(s) for s in shapes}
    # Maps or graphs of several sizes in a model are to be made equal, not joined at their edges.
    in_model = isinstance(scope_of(program, call), cst.FunctionDef) and max(ranks) > 2
    if len(ranks) == 1:
        fitting = [d for d in range(len(shapes[0])) if _fits(shapes, d)]
        if len(fitting) == 1 and not in_model:
            yield Rewrite(
                program.replace({call: with_argument(call, 1, "dim", integer(fitting[0]))}),
                f"{line}: {_listed(shapes)} differ in dimension {fitting[0]} only, so they are "
                "joined there",
            )
        return
    most = max(ranks)
    short = [i for i, s in enumerate(shapes) if len(s) == most - 1]
    if at is None or len(short) != 1 or len(ranks) != 2 or most < 2 or in_model:
        return
    at = at % most
    small = shapes[short[0]]
    places = [
        d
        for d in range(most)
        if _fits([*(s for s in shapes if len(s) == most), (*small[:d], 1, *small[d:])], at)
    ]
    if len(places) == 1:
        part = parts[short[0]]
        yield Rewrite(
            program.replace({part: method(part, "unsqueeze", cst.Arg(integer(places[0])))}),
            f"{line}: {list(small)} gets the dimension that the others have",
        )


def _fits(shapes: list[Shape], dim: int) -> bool:
    return len({s[:dim] + s[dim + 1 :] for s in shapes}) == 1


def _number(text: str) -> int | None:
    return int(text) if text.lstrip("-").isdigit() else None


def _listed(shapes: list[Shape]) -> str:
    return " and ".join(str(list(s)) for s in dict.fromkeys(shapes))


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The same tensors are joined, whole."""
    error = seen_error(before, _SIZES, _DIMENSIONS)
    return [still_computed(error, proposal.code), same_numbers(before, after)]
