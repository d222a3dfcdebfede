"""Fit indices and what they point into: count from 0, or make the table or the scores larger.

Targets that have to lie between 0 and 1 and were made up by `torch.randn` are drawn from there.

The failing line sees one batch; what counts are all the indices that it was taken of, the largest
tensor that is alive and holds them. Where they go from 1 to the number of rows, they are counted
from 1; else the table has too few rows, and both may be meant where only its end is missed.
"""

import math
import re
from collections.abc import Iterator
from typing import Any

import libcst as cst

from executor.errors import is_a, read
from knowledge.repair.codemod import Rewrite, Rewrites
from knowledge.repair.operator import COST, Failure, Place
from knowledge.repair.toolkit.edits import Edits, operand
from knowledge.repair.toolkit.keeps import layers
from knowledge.repair.toolkit.lazily import torch
from knowledge.repair.toolkit.shapes import Resized, origin, resized, resized_call, size_given
from knowledge.repair.toolkit.sites import argument, assignment, calls, given_to, integer, made

_MARKED, _ONE_HOT = "index_out_of_bounds", "class_values_too_large"
ERRORS = ("class_out_of_bounds", "embedding_range", "loss_range", _MARKED, _ONE_HOT)
_MARKS = re.compile(r"(?:^|\.)(?:scatter(?:_add|_reduce)?_?|one_hot)$")
KEEPS = (layers,)


def edits(failure: Failure) -> Rewrites:
    """`labels - 1` where they are made, or one row more for each index that has none."""
    place = next(iter(failure.places), None)
    if place is None or not isinstance(place.node, cst.Call):
        return
    if is_a(failure.error, "loss_range"):
        yield from _drawn_between(failure, place, place.node)
        return
    found = _met(failure, place, place.node)
    if found is None:
        return
    values, rows, name = found
    yield from _last_steps(failure, place, values, rows)
    whole = _whole(failure, values)
    yield from _in_steps(failure, place, whole, name, rows)
    low, high = int(whole.min()), int(whole.max())
    beyond = {n for n in whole.flatten().tolist() if n >= rows}
    every = rows == 1 and set(whole.flatten().tolist()) == set(range(high + 1))
    if low < 0 or not beyond or (len(beyond) > rows and not every):
        return
    from_one = low == 1 and high == rows
    if from_one:
        yield from _from_zero(failure, place, whole, name, rows)
    if high > rows and len(beyond) == 1:
        return  # a single index far outside is more likely wrong itself
    cost = COST.SURE + (0.3 if from_one else 0.0)
    for way in _ways(failure, rows, high + 1):
        title = (
            f"line {way.line}: {name} go up to {high}, so there are {high + 1} instead of {rows}"
        )
        yield Rewrite(way.module, title, f"there are {high + 1}, from 0 to {high}", cost=cost)


def _last_steps(failure: Failure, place: Place, values: Any, rows: int) -> Rewrites:
    """`net(ids[:, -limit:])` in a loop that makes `ids` longer, past a table of positions."""
    steps = values.numel()
    if values.flatten().tolist() != list(range(steps)) or steps <= rows:
        return
    for outer in failure.places[1:]:
        loop = failure.up(outer.node, cst.For) or failure.up(outer.node, cst.While)
        if loop is None or not isinstance(outer.node, cst.Call):
            continue
        for given in (a.value for a in outer.node.args if isinstance(a.value, cst.Name)):
            grown = re.compile(rf"\bcat\([(\[ ]{{1,4}}{given.value}\b")
            grows = [
                a
                for a in failure.inside(loop, cst.Assign)
                if failure.text(a.targets[0].target) == given.value
                and grown.search(failure.text(a.value))
            ]
            sizes = list(getattr(failure.value(given, outer.frame), "shape", ()))
            if len(grows) != 1 or steps not in sizes:
                continue
            limit = _limit(failure, outer, rows)
            picked = f"{given.value}[{':, ' * sizes.index(steps)}-{limit}:]"
            told = f"`{given.value}` is cut off at its last {rows} steps, for which there is room"
            meaning = f"the next one follows from the last {rows} steps of `{given.value}`"
            yield failure.edit({given: cst.parse_expression(picked)}, told, meaning, cost=COST.SAID)
            return


def _limit(failure: Failure, outer: Place, rows: int) -> str:
    """The name that the table was made with, where it is to be had; else the number of its rows."""
    site = made(failure, failure.result.layer) if failure.result.layer is not None else None
    given = argument(site.call, 0, "num_embeddings") if site is not None else None
    if given is not None and failure.value(given.value, outer.frame) == rows:
        return failure.text(given.value)
    return str(rows)


def _drawn_between(failure: Failure, place: Place, call: cst.Call) -> Rewrites:
    """`torch.rand` for the `torch.randn` by which the program made up what became the target."""
    given = argument(call, 1, "target")
    value = failure.value(given.value, place.frame) if given is not None else None
    if not isinstance(value, torch.Tensor):
        return
    for name, held in failure.live.names[0].items():
        if not isinstance(held, torch.Tensor) or held.data_ptr() != value.data_ptr():
            continue
        made = assignment(failure, name, failure.module.body[-1])
        if made is None or not isinstance(made.value, cst.Call):
            continue
        if failure.text(made.value.func) == "torch.randn":
            new: Edits = {made.value.func: cst.parse_expression("torch.rand")}
            told = f"`{name}` is drawn between 0 and 1"
            meaning = f"the made-up numbers of `{name}` stand for some between 0 and 1"
            yield failure.edit(new, told, meaning, at=made, supposes=True)
            return


def _met(failure: Failure, place: Place, call: cst.Call) -> tuple[Any, int, str] | None:
    """The indices of the failing call, how many there may be, and what they are."""
    if is_a(failure.error, "embedding_range"):
        layer = failure.value(call.func, place.frame)
        given = argument(call, 0, "input")
        if not isinstance(layer, torch.nn.Embedding) or given is None:
            return None
        values, rows = failure.value(given.value, place.frame), layer.num_embeddings
        name = "indices"
    elif _MARKS.search(failure.text(call.func)):
        said, count = read(failure.error, _MARKED), argument(call, 1, "num_classes")
        given = count if said is not None else argument(call, 0, "tensor")
        if count is None or given is None:
            return None
        values = failure.value(given.value, place.frame)
        rows = said.numbers("size")[0] if said is not None else failure.value(count.value)
        name = "labels"
    else:
        first, second = argument(call, 0, "input"), argument(call, 1, "target")
        if first is None or second is None:
            return None
        scores = failure.value(first.value, place.frame)
        values, name = failure.value(second.value, place.frame), "labels"
        if not isinstance(scores, torch.Tensor) or scores.dim() < 2:
            return None
        rows = scores.shape[1]
    is_one = isinstance(values, torch.Tensor) and not values.is_floating_point() and values.numel()
    return (values, rows, name) if is_one and type(rows) is int else None


def _whole(failure: Failure, values: Any) -> Any:
    """The tensor of the program that these are a batch of; themselves if there is none."""
    alive = [v for v in failure.live.names[0].values()
             if isinstance(v, torch.Tensor) and v.dtype == values.dtype
             and v.shape[1:] == values.shape[1:] and len(v) > len(values)]  # fmt: skip
    held = set(values.flatten().tolist())
    whole = [v for v in alive if held <= set(v.flatten().tolist())]
    return whole[0] if len(whole) == 1 else values


def _in_steps(failure: Failure, place: Place, whole: Any, name: str, rows: int) -> Rewrites:
    """`mask // 64` for the grey values 0, 64, 128 and 192 of four classes."""
    grey = sorted(set(whole.flatten().tolist()))
    step = math.gcd(*grey)
    # Less than ten tell rather that a class is missing in between.
    old = _made_of(failure, place, whole, name) if step > 9 and rows > 1 else None
    if old is not None and grey[-1] // step == rows - 1:
        new = cst.BinaryOperation(operand(old), cst.FloorDivide(), integer(step))
        told = (
            f"{name} are {grey[0]} to {grey[-1]} in steps of {step}, and count from 0 to {rows - 1}"
        )
        yield failure.edit({old: new}, told, supposes=True)


def _from_zero(failure: Failure, place: Place, whole: Any, name: str, rows: int) -> Rewrites:
    old = _made_of(failure, place, whole, name)
    if old is not None:
        new = cst.BinaryOperation(operand(old), cst.Subtract(), integer(1))
        told = f"{name} go from 1 to {rows}, and are counted from 0"
        meaning = f"the {name} are 1 to {rows} in the data, and 0 to {rows - 1} here"
        yield failure.edit({old: new}, told, meaning)


def _made_of(failure: Failure, place: Place, whole: Any, name: str) -> cst.BaseExpression | None:
    """The call that made the indices, or else what the failing call is given."""
    old: cst.BaseExpression | None = None
    for variable, value in failure.live.names[0].items():
        made = assignment(failure, variable, failure.module.body[-1]) if value is whole else None
        if made is not None and isinstance(made.value, cst.Call):
            old = made.value
    if old is None:
        call = cst.ensure_type(place.node, cst.Call)
        given = argument(call, 0 if name == "indices" else 1, "target")
        old = given.value if given is not None else None
    return old


def _ways(failure: Failure, rows: int, size: int) -> Iterator[Resized]:
    """Where the number of rows, or of scores, is written."""
    if is_a(failure.error, "embedding_range"):
        counted = _counted(failure, rows, size) if failure.result.layer is not None else None
        if counted is not None:
            yield counted
        elif failure.result.layer is not None:
            yield from resized(failure, failure.result.layer, 0, "num_embeddings", size)
        return
    if is_a(failure.error, _MARKED, _ONE_HOT):
        yield from _marked(failure, rows, size)
        return
    last = [
        c
        for c in calls(failure, r"(^|\.)Linear$")
        if size_given(failure, c, 1, "out_features") == rows
    ]
    if len(last) == 1:
        yield from resized_call(failure, last[0], 1, "out_features", size)


def _marked(failure: Failure, rows: int, size: int) -> Iterator[Resized]:
    """Where the number of columns is written; one more than a list has is for what is not on it."""
    made_by = [place.node for place in failure.places if isinstance(place.node, cst.Call)]
    count = argument(made_by[0], 1, "num_classes") if made_by else None
    if count is not None and size == rows + 1 and failure.text(count.value).startswith("len("):
        more = cst.BinaryOperation(count.value, cst.Add(), integer(1))
        yield Resized(failure.replace({count.value: more}), failure.line(count))
    nodes = [given.value for called in made_by for given in called.args]
    nodes += [n for called in made_by for n in failure.expressions(called.func)]
    for node in [n for n in nodes if isinstance(n, cst.Name)]:
        made = given_to(failure, node)
        if made is not None and re.match(
            r"[\w.]{1,30}\b(?:zeros|full)\(", failure.text(made.value)
        ):
            nodes += failure.expressions(made.value)
    # A keyword, or the place of a dimension, says no number of columns.
    worth = [n for n in nodes if isinstance(n, (cst.Name, cst.Integer)) and not failure.is_label(n)]
    found = {
        o for n in worth if (o := origin(failure, n)) is not None and failure.text(o) == str(rows)
    }
    if len(found) == 1:
        [source] = found
        yield Resized(failure.replace({source: integer(size)}), failure.line(source))


def _counted(failure: Failure, rows: int, size: int) -> Resized | None:
    """`max(ids.values()) + 1` for `len(ids)`, where numbers of the dictionary are left out."""
    site = made(failure, failure.result.layer) if failure.result.layer is not None else None
    given = argument(site.call, 0, "num_embeddings") if site is not None else None
    whole = origin(failure, given.value) if given is not None else None
    told = re.fullmatch(r"len\(([\w.]{1,80})\)", failure.text(whole)) if whole is not None else None
    tables = [v for v in failure.live.names[0].values() if isinstance(v, dict) and len(v) == rows]
    largest = [max(t.values()) for t in tables if {type(n) for n in t.values()} == {int}]
    if told is None or whole is None or size - 1 not in largest:
        return None
    new = cst.parse_expression(f"max({told[1]}.values()) + 1")
    return Resized(failure.replace({whole: new}), failure.line(whole))
