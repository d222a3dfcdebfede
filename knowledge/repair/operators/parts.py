"""Give `split` lengths that add up, and as many parts as there are names for them.

The last part is the rest of what is split. `q, k, v = x.chunk(2)` makes a part for each name.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import libcst as cst

from executor.errors import is_a, read
from executor.protocol import JobResult
from knowledge.repair.codemod import Rewrite
from knowledge.repair.operator import COST, Failure, Place
from knowledge.repair.toolkit.sites import assignment, integer

_LENGTHS = ("split_lengths", "split_sizes")


def applies(result: JobResult) -> bool:
    """Lengths do not add up, or there are more or fewer parts than names."""
    return result.error is not None and is_a(result.error, *_LENGTHS, "unpack_count")


def edits(failure: Failure) -> Iterable[Rewrite]:
    """The last length as what the others leave; another number of parts."""
    if is_a(failure.error, *_LENGTHS):
        for place in failure.places[:1]:
            if isinstance(place.node, cst.Call):
                yield from _the_rest(failure, place, place.node)
        return
    if failure.statement is not None:
        for statement in failure.statement.body:
            if isinstance(statement, cst.Assign):
                yield from _one_for_each(failure, statement)


def _the_rest(failure: Failure, place: Place, node: cst.Call) -> Iterator[Rewrite]:
    program = failure.program
    lists = [a.value for a in node.args if isinstance(a.value, (cst.List, cst.Tuple))]
    parts = [e.value for e in lists[0].elements] if lists else []
    sizes = [failure.value(part, place.frame) for part in parts]
    seen = read(failure.error, "split_sizes")
    held = failure.value(node.args[0].value, place.frame)
    if len(sizes) < 2 or not all(type(size) is int for size in sizes):
        return
    total = seen.number("whole") if seen else len(held)
    rest = total - sum(sizes[:-1])
    if rest <= 0:
        return
    *others, last = parts
    names = [program.text(part) for part in others]
    meaning = f"the last part is what the others leave: {rest}"
    made = assignment(program, last.value, last) if isinstance(last, cst.Name) else None
    if seen is None and made is not None and all(isinstance(o, cst.Name) for o in others):
        given = program.text(node.args[0].value)
        new: cst.BaseExpression = cst.parse_expression(" - ".join([f"len({given})", *names]))
        at = made.value
    else:
        new, at = integer(rest), last
    title = f"line {program.line(at)}: `{program.text(new)}` is left for the last part"
    yield Rewrite(program.replace({at: new}), title, meaning, cost=COST.SURE)


def _one_for_each(failure: Failure, statement: cst.Assign) -> Iterator[Rewrite]:
    """`chunk(3)` for three names; `split(x.size(1) // 3, dim=1)` where it divides evenly."""
    import torch

    program, value, target = failure.program, statement.value, statement.targets[0].target
    if not isinstance(target, cst.Tuple) or not isinstance(value, cst.Call):
        return
    word = program.text(value.func).rpartition(".")[2]
    if word not in ("split", "chunk", "tensor_split") or not isinstance(value.func, cst.Attribute):
        return
    of_torch = program.text(value.func.value) == "torch"
    owner = value.args[0].value if of_torch else value.func.value
    given = next((a for a in value.args[int(of_torch) :] if a.keyword is None), None)
    dims = [a for a in value.args[int(of_torch) + 1 :] if a.keyword is None]
    named = [a for a in value.args if a.keyword is not None and a.keyword.value == "dim"]
    dim = failure.value([*dims, *named][0].value) if dims or named else 0
    held, count = failure.value(owner), len(target.elements)
    old = failure.value(given.value) if given is not None else None
    if given is None or type(old) is not int or type(dim) is not int:
        return
    if not isinstance(held, torch.Tensor) or not -held.dim() <= dim < held.dim():
        return
    size = held.shape[dim]
    if size % count:
        return
    new = integer(count)
    if word == "split":
        by_name = isinstance(owner, cst.Name)
        text = f"{program.text(owner)}.size({dim}) // {count}" if by_name else str(size // count)
        new = cst.parse_expression(text)
    title = f"line {program.line(value)}: as many parts as names: {count} of {size // count}"
    meaning = f"dimension {dim} of `{program.text(owner)}` holds {count} parts"
    yield Rewrite(program.replace({given.value: new}), title, meaning, cost=COST.SURE)
