"""Read or write at the indices of `topk` and its like: `gather`, `scatter_`.

`mask[indices] = 1` takes every index for a row. Where the indices have a tensor's own dimensions,
all but one as large, they are meant along that one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Rewrite
from knowledge.repair.operator import COST, Failure, Place
from knowledge.repair.toolkit.edits import method


def applies(result: JobResult) -> bool:
    """An index was out of bounds, or what stands at it has another shape."""
    error = result.error
    return error is not None and error.type in ("IndexError", "RuntimeError") and "[" in error.code


def edits(failure: Failure) -> Iterable[Rewrite]:
    """The statement with `scatter_`, the expression with `gather`."""
    for place in failure.places[:1]:
        if isinstance(place.node, cst.Subscript):
            yield from _along(failure, place, place.node)


def _along(failure: Failure, place: Place, node: cst.Subscript) -> Iterator[Rewrite]:
    import torch

    program = failure.program
    held = failure.value(node.value, place.frame)
    parts = [e.slice for e in node.slice]
    last = parts[-1]
    if not isinstance(last, cst.Index) or not all(_is_all(p) for p in parts[:-1]):
        return
    index = failure.value(last.value, place.frame)
    if not isinstance(held, torch.Tensor) or not isinstance(index, torch.Tensor):
        return
    if index.dtype != torch.int64 or index.dim() != held.dim() or index.dim() < 2:
        return
    other = [d for d in range(held.dim()) if index.shape[d] != held.shape[d]]
    dim = other[0] if other else held.dim() - 1
    if len(other) > 1 or not 0 <= int(index.min()) <= int(index.max()) < held.shape[dim]:
        return
    name, where = program.text(node.value), program.text(last.value)
    along = (cst.Arg(cst.Integer(str(dim))), cst.Arg(last.value))
    meaning = f"`{where}` are places along dimension {dim} of `{name}`"
    statement = program.parent(program.parent(node) or node)
    if isinstance(statement, cst.Assign) and statement.targets[0].target is node:
        if len(statement.targets) > 1:
            return
        written = cst.Expr(method(node.value, "scatter_", *along, cst.Arg(statement.value)))
        title = f"line {program.line(node)}: `scatter_` writes at `{where}` of each row"
        yield Rewrite(program.replace({statement: written}), title, meaning, cost=COST.SURE)
    elif not isinstance(program.parent(node), (cst.AugAssign, cst.AssignTarget)):
        title = f"line {program.line(node)}: `gather` takes what stands at `{where}` of each row"
        read = method(node.value, "gather", *along)
        yield Rewrite(program.replace({node: read}), title, meaning, cost=COST.SURE)


def _is_all(part: cst.BaseSlice) -> bool:
    return isinstance(part, cst.Slice) and part.lower is None and part.upper is None
