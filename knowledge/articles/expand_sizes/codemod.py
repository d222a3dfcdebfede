"""Put the dimension of size 1 where expand repeats it, or repeat what has no such dimension."""

from __future__ import annotations

import re

import libcst as cst

from executor.errors import read
from executor.protocol import Caught, ErrorSeen, JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrite, Rewrites
from knowledge.repair.toolkit.alignment import alignments
from knowledge.repair.toolkit.edits import Program, keyword, method
from knowledge.repair.toolkit.shapes import Shape, same_numbers, still_computed
from knowledge.repair.toolkit.sites import failing, integer, seen_error

ERRORS = ("expand_sizes", "expand_fewer_dimensions")
CODE, LAYERS = "expand", ""


def _both(error: ErrorSeen | Caught) -> tuple[Shape, Shape] | None:
    """What the tensor has, and what it is asked to have."""
    seen = read(error, *ERRORS)
    if seen is None or "target_shape" not in seen.values:
        return None
    return seen.sizes("tensor_shape"), seen.sizes("target_shape")


def rewrite(program: Program, result: JobResult) -> Rewrites:
    """1s in another place, or one less; else two ways to have several copies."""
    error = seen_error(result, *ERRORS)
    call = failing(program, error)
    both = _both(error) if error is not None else None
    if both is None or not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute):
        return
    if call.func.attr.value not in ("expand", "expand_as"):
        return
    value = call.func.value
    shape, target = both
    if -1 in target:
        n = len(target) - len(shape)
        target = tuple(shape[i - n] if t == -1 and i >= n else t for i, t in enumerate(target))
    ways = list(alignments(program, result, value, target)) if -1 not in target else []
    for way in ways:
        yield Rewrite(
            program.replace(way.edits),
            f"line {program.line(call)}: `{program.text(value)}` {way.told}",
            f"it is {list(way.shape)} before it is expanded" if len(ways) > 1 else "",
        )
    if not ways:
        yield from _copies(program, call, value, shape, target)


def _copies(
    program: Program, call: cst.Call, value: cst.BaseExpression, shape: Shape, target: Shape
) -> Rewrites:
    """`repeat` and `repeat_interleave`, where one dimension goes into what is wanted."""
    if len(shape) != len(target):
        return
    more = [d for d, (n, t) in enumerate(zip(shape, target, strict=True)) if n != t]
    if len(more) != 1 or shape[more[0]] < 2 or target[more[0]] % shape[more[0]]:
        return
    dim = more[0]
    times = target[dim] // shape[dim]
    counts = [cst.Arg(integer(times if d == dim else 1)) for d in range(len(shape))]
    told = f"the {shape[dim]} entries come {times} times, one copy after the other"
    yield Rewrite.of(
        program, {call: method(value, "repeat", *counts)}, told, "a, b, a, b: the whole is repeated"
    )
    where = keyword("dim", integer(dim))
    each = method(value, "repeat_interleave", cst.Arg(integer(times)), where)
    what = f"each of the {shape[dim]} entries comes {times} times in a row"
    yield Rewrite.of(program, {call: each}, what, "a, a, b, b: each entry is repeated")


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The same tensor, as large as it was asked to be."""
    error = seen_error(before, *ERRORS)
    goes = ("unsqueeze", "T")
    kept = still_computed(error, proposal.code, allowed=("expand", "view"), may_go=goes)
    both = _both(error) if error is not None else None
    if not kept.passed and error is not None and both is not None:
        code = re.sub(r"\.expand(_as)?\(.*", ".REPEAT", error.code)
        made = [
            still_computed(
                error.model_copy(update={"code": code.replace("REPEAT", name)}),
                proposal.code,
                allowed=("repeat",),
                may_go=goes,
            )
            for name in ("repeat", "repeat_interleave")
        ]
        kept = next((c for c in made if c.passed), kept)
    return [kept, same_numbers(before, after, proposal.code)]
