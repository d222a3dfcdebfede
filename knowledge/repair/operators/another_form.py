"""Give what failed an operand after one more step: cast, turned, a dimension more or less.

The error's words tell only what kind of step is wanted: of dtype, of shape, to one number, to a
tensor. Every step of that kind is tried on every operand; those with which the failing expression
has a value are edits, and steps that come to the same value are one. No more than an alternative.
"""

import math
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import libcst as cst

from executor.errors import is_a, wanted_of
from knowledge.repair.codemod import Rewrites
from knowledge.repair.operator import COST, Failure, Place
from knowledge.repair.toolkit.edits import Edits, operand
from knowledge.repair.toolkit.keeps import computed
from knowledge.repair.toolkit.lazily import torch
from knowledge.repair.toolkit.live import (
    Operand,
    called_module,
    operands,
    same_value,
    tensors,
    value_with,
)
from knowledge.repair.toolkit.sites import assignment, setting

SPEAKS = ""  # of whatever
ALONE = True  # what it supposes is not carried on to the next error
_FRAMES = 2
_MOST_REPEATED = 100_000_000
_LOSS = re.compile(r"(?:_loss|cross_entropy|cross_entropy_with_logits|kl_div)$")
_BY_PLACE = re.compile(r"scatter|gather|index_|take|select")  # what fits there is not yet meant
KEEPS = (computed(allowed=("expand", "size", "to_dense")),)


class _Step(NamedTuple):
    text: str  # with {} for the operand
    told: str  # what becomes of it, with {} for its name
    meant: str = ""  # what that supposes, where it is not the same
    cost: float = COST.LIKELY + 0.1  # an operator that knows the edit comes first
    whole: str = ""  # what the value of the whole then goes through


def edits(failure: Failure) -> Rewrites:
    """Each operand after each step with which the failing expression has a value."""
    for place in failure.places[:_FRAMES]:
        if place.frame != -1 and called_module(failure, place) is None:
            return  # a function of the program's own takes what it takes
        found = [r for one in operands(failure, place) for r in _stepped(failure, place, one)]
        yield from found
        if found:
            return  # further out the same operands have other names


def _stepped(failure: Failure, place: Place, one: Operand) -> Rewrites:
    text = failure.module.code_for_node(operand(one.node))
    seen: list[Any] = []
    for step in _steps(failure, place, one):
        new = cst.parse_expression(step.text.format(text))
        if not failure.writes(place.node):
            value = value_with(failure, place, one.node, new)
            if value is failure.missing or any(same_value(value, v) for v in seen):
                continue
            seen += [] if step.whole else [value]
        name = f"`{failure.text(one.node)}`"
        told, meant = (t.replace("{}", name) for t in (step.told, step.meant or step.told))
        changes: Edits = {one.node: new}
        if step.whole:
            whole = failure.module.code_for_node(place.node.deep_replace(one.node, new))
            changes = {place.node: cst.parse_expression(f"{whole}{step.whole}")}
        yield failure.edit(changes, told, meant, cost=step.cost, supposes=True)


def _steps(failure: Failure, place: Place, one: Operand) -> Iterator[_Step]:
    said = failure.error.message
    value, wanted = one.value, wanted_of(said)
    if not isinstance(value, torch.Tensor):
        if "tensor" in wanted and _is_of_numbers(value):
            tensor = failure.name_of("torch", "tensor")
            yield _Step(f"{tensor}({{}})", "{} is made a tensor")
        if _is_pair_of_rows(value, called_module(failure, place)):
            told = "the states {} get the dimension of the layers, which is one"
            yield _Step("tuple(s.unsqueeze(0) for s in {})", told, cost=COST.SURE)
    elif value.layout is not torch.strided:
        yield _Step("{}.to_dense()", "{} is used as a dense tensor")
    elif "dtype" in wanted and _is_prediction_of_whole_numbers(failure, place, one):
        return  # as floats they have no way back to the model, and nothing is trained
    elif isinstance(failure.parent(place.node), cst.ComparisonTarget) and "bitwise" in said:
        return  # `x > 0 & mask` was meant as two
    elif "dtype" in wanted:
        yield from _of_dtype(value, called_module(failure, place))
    elif "number" in wanted and value.numel() == 1:
        yield _Step("{}.item()", "{} is used as a plain number")
    elif "one" in wanted:
        yield _Step("{}.mean()", "{} is averaged")
        yield _Step("{}.sum()", "{} is added up")
    elif is_a(failure.error, "index_dimensions"):
        yield from _of_index(failure, place, one)
    elif _is_joined_to_rows(failure, place, one):
        yield _Step("{}.flatten(1)", "each sample of {} becomes one row of numbers", cost=COST.SURE)
    elif "shape" in wanted and not _is_by_place(failure, place):
        for step in (
            *_turned(failure, place, value),
            *_of_layout(value, called_module(failure, place)),
        ):
            yield step
            if _is_cast(called_module(failure, place), value):
                told = f"{step.told}, and is used as floats"
                yield step._replace(text=f"{step.text}.float()", told=told, cost=step.cost + 0.1)


def _is_joined_to_rows(failure: Failure, place: Place, one: Operand) -> bool:
    """Whether maps [batch, …] stand in a `cat` beside rows [batch, numbers] of the same samples."""
    parts = [o.value for o in tensors(failure, place) if o.node is not one.node]
    words = failure.text(getattr(place.node, "func", place.node))
    rows = parts and all(p.dim() == 2 and p.shape[:1] == one.value.shape[:1] for p in parts)
    return bool(rows) and one.value.dim() > 2 and re.search(r"\b(?:cat|concat)", words) is not None


def _is_prediction_of_whole_numbers(failure: Failure, place: Place, one: Operand) -> bool:
    """Whether a loss gets it in the place of its predictions, which were taken through argmax."""
    node, module = place.node, called_module(failure, place)
    if not isinstance(node, cst.Call) or not node.args or node.args[0].value is not one.node:
        return False
    name = failure.text(node.func)
    is_loss = isinstance(module, torch.nn.modules.loss._Loss) or _LOSS.search(name) is not None
    return is_loss and not one.value.is_floating_point() and not one.value.is_complex()


def _is_pair_of_rows(value: Any, module: Any) -> bool:
    """Whether a recurrent layer of one layer got states [batch, hidden] in place of three sizes."""
    if not isinstance(module, torch.nn.RNNBase) or not isinstance(value, (tuple, list)):
        return False
    one = module.num_layers * (1 + module.bidirectional) == 1
    return one and all(isinstance(s, torch.Tensor) and s.dim() == 2 for s in value)


def _is_by_place(failure: Failure, place: Place) -> bool:
    """Whether entries meet, are picked or written by their places: any form that fits would do."""
    if failure.writes(place.node) or not isinstance(place.node, cst.Call):
        return True
    sizes = sorted(o.value.numel() for o in tensors(failure, place))
    too_large = math.prod(sizes[-2:]) > _MOST_REPEATED  # were each repeated against the other
    return too_large or _BY_PLACE.search(failure.text(place.node.func)) is not None


def _is_of_numbers(value: Any) -> bool:
    if isinstance(value, list):
        return bool(value) and all(map(_is_of_numbers, value))
    return type(value) in (int, float, bool)


def _of_dtype(value: Any, module: Any) -> Iterator[_Step]:
    kinds = {p.dtype for p in module.parameters()} if module is not None else set()
    for dtype, cast in ((torch.float16, "half"), (torch.bfloat16, "bfloat16")):
        if kinds == {dtype} and value.dtype != dtype:
            yield _Step(f"{{}}.{cast}()", f"{{}} is used as {cast}, as the layer is")
    if not value.is_floating_point() and not value.is_complex():
        yield _Step("{}.float()", "{} is used as floats")
    elif bool((value == value.round()).all()) and not value.is_complex():
        yield _Step("{}.long()", "{} is used as whole numbers (int64)")
    if value.dtype.itemsize < 4 and not value.is_floating_point():
        yield _Step("{}.long()", "{} is used as whole numbers (int64)")
    yield _Step("{}.bool()", "{} is used as a mask", cost=COST.POSSIBLE)


def _is_cast(module: Any, value: Any) -> bool:
    """Whether a layer's weights are floats, and what comes in is another dtype."""
    kinds = {p.dtype for p in module.parameters()} if module is not None else set()
    return kinds == {torch.float32} and value.dtype not in (torch.float32, torch.bool)


def _of_index(failure: Failure, place: Place, one: Operand) -> Iterator[_Step]:
    """An index of a dimension less than what it picks from: a number or a row for each entry."""
    others = [o for o in tensors(failure, place) if o.node is not one.node]
    rank = one.value.dim()
    if not failure.text(getattr(place.node, "func", place.node)).endswith("gather"):
        return
    if one.value.dtype != torch.int64 or not others or others[0].value.dim() != rank + 1:
        return
    made = assignment(failure, failure.text(one.node), one.node)
    if re.search(r"\b(?:nonzero|argwhere|stack)\(", failure.text(made or one.node)):
        return  # in each row the place in every dimension
    owner = failure.text(others[0].node)
    kept = "-1, " * rank
    own_row = _Step(
        "{}.unsqueeze(-1)", "each index of {} stands in a row of its own", cost=COST.SURE
    )
    if not isinstance(failure.parent(place.node), cst.Attribute):
        told = "each index of {} picks one number, and what comes has the shape of {}"
        yield own_row._replace(told=told, whole=".squeeze(-1)")
        own_row = own_row._replace(cost=COST.POSSIBLE)
    yield own_row
    given = getattr(place.node, "args", ())
    if [v for a in given if type(v := failure.value(a.value)) is int] not in ([-1], [rank]):
        told = f"each index of {{}} picks a whole row of `{owner}`"
        yield _Step(f"{{}}.unsqueeze(-1).expand({kept}{owner}.size(-1))", told, cost=COST.SURE)


def _of_layout(value: Any, module: Any) -> Iterator[_Step]:
    rank = value.dim()
    if rank - 2 == _places(module):
        return  # it has its batch and its channels; without one the other would be taken for it
    for d in range(rank):
        if value.shape[d] == 1:
            told = f"{{}} goes on without its dimension {d}, which has one entry"
            yield _Step(f"{{}}.squeeze({d})", told, f"dimension {d} of {{}} stands for nothing")
    for d in range(rank + 1) if module is not None else ():  # a layer knows how many it takes
        at = -1 if d == rank else d
        where = {0: "in front", -1: "at its end"}.get(at, f"in place {d}")
        told, meant = f"{{}} gets a dimension {where}", f"{{}} lacks a dimension {where}"
        yield _Step(f"{{}}.unsqueeze({at})", told, meant, COST.POSSIBLE)
    if value.dtype == torch.bool and rank == 2:  # a padding mask
        yield _Step("{}.t()", "the two dimensions of {} change places", cost=COST.SURE)
    order = (torch.nn.RNNBase, torch.nn.MultiheadAttention, torch.nn.Transformer, torch.nn.CTCLoss)
    if isinstance(module, order) and rank == 3:  # whether the batch comes first is an option there
        told = "the first two dimensions of {} change places"
        meant = "the first two dimensions of {} are the other way round than the layer takes them"
        yield _Step("{}.transpose(0, 1)", told, meant)


def _turned(failure: Failure, place: Place, value: Any) -> Iterator[_Step]:
    """What is turned further out: there a dimension has the size that the failing layer wants.

    The layer has what it got in the other one of the two.
    """
    layer, rank = failure.result.layer, value.dim()
    if layer is None or layer.input is None or place.frame == -1 or rank != len(layer.input):
        return
    convolves = re.match(r"Conv[123]d$", layer.type) is not None
    names = ("in_channels",) if convolves else ("in_features", "input_size")
    wanted = next((size for name in names if (size := setting(layer, name))), None)
    at, last = (1, rank - 1) if convolves else (rank - 1, 1)
    shape = list(value.shape)
    if rank < 3 or shape[last] != wanted or shape[at] in (wanted, 1) or at == last:
        return
    order = [0, rank - 1, *range(1, rank - 1)] if convolves else [0, *range(2, rank), 1]
    step = "transpose(1, 2)" if rank == 3 else f"permute({', '.join(map(str, order))})"
    told = f"dimension {last} of {{}} comes to place {at}"
    kind = "channels" if convolves else "features"
    yield _Step(f"{{}}.{step}", told, f"dimension {last} of {{}} holds the {kind}", COST.SURE)


def _places(module: Any) -> int:
    """The dimensions that a convolution moves along; -1 of what is none."""
    kinds = {torch.nn.Conv1d: 1, torch.nn.Conv2d: 2, torch.nn.Conv3d: 3}
    return next((n for kind, n in kinds.items() if isinstance(module, kind)), -1)
