"""Turn a tensor round by flip(), where a slice with a negative step was to do it."""

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Rewrites
from knowledge.repair.toolkit.edits import Program, method
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.keeps import computed, written
from knowledge.repair.toolkit.sites import integer

ERRORS = ("slice_step",)
_TURNED = written("turned", "it is turned round", "it is not turned round", has=r"\.flip\(")
KEEPS = (computed(allowed=("[",), instead=((r"\[.*", ".flip("),)), _TURNED)


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """`x[::-1]` → `x.flip(0)`; `x[5:1:-1]` → `x[2:6].flip(0)`; any place in the brackets."""
    node = program.node
    if not isinstance(node, cst.Subscript):
        return
    dims: list[int] = []
    parts: list[cst.SubscriptElement] = []
    place = 0
    for element in node.slice:
        part = element.slice
        if isinstance(part, cst.Slice):
            step = program.text(part.step) if part.step is not None else "1"
            if step == "-1":
                forward = _forward(program, part)
                if forward is None:
                    return
                dims.append(place)
                element = element.with_changes(slice=forward)
            elif step.startswith("-"):
                return  # every second from behind depends on the length
            place += 1
        elif isinstance(part, cst.Index) and program.text(part.value) in ("None", "..."):
            return
        elif isinstance(part, cst.Index) and not isinstance(part.value, cst.Integer):
            return  # a list or a tensor: it may keep the dimension or not
        parts.append(element)
    if not dims:
        return
    bare = all(isinstance(p.slice, cst.Slice) and _whole(p.slice) for p in parts)
    value = node.value if bare else node.with_changes(slice=parts)
    arguments = [cst.Arg(integer(d)) for d in dims]
    yield program.edit(
        {node: method(value, "flip", *arguments)}, "a tensor is turned round by flip()"
    )


def _forward(program: Program, part: cst.Slice) -> cst.Slice | None:
    """The same elements in rising order; None where that needs the length."""
    bounds = []
    for bound in (part.lower, part.upper):
        if bound is not None and not isinstance(bound, cst.Integer):
            return None
        bounds.append(int(bound.value) if isinstance(bound, cst.Integer) else None)
    start, stop = bounds
    return cst.Slice(
        lower=integer(stop + 1) if stop is not None else None,
        upper=integer(start + 1) if start is not None else None,
    )


def _whole(part: cst.Slice) -> bool:
    return part.lower is None and part.upper is None and part.step is None
