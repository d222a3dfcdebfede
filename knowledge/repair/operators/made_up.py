"""Make up data that goes together: as many targets as inputs, two samples for a batch norm.

What a program draws stands for data that nobody has, so its number of samples may be another one.
Only where nothing else that was made up has that number: then the samples got lost in between.
"""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import libcst as cst

from executor.errors import is_a
from knowledge.repair.codemod import Rewrites
from knowledge.repair.operator import COST, Failure
from knowledge.repair.toolkit.edits import Edits
from knowledge.repair.toolkit.keeps import computed, layers
from knowledge.repair.toolkit.lazily import torch
from knowledge.repair.toolkit.live import operands
from knowledge.repair.toolkit.sites import assignment, given_to, integer
from knowledge.repair.toolkit.statements import last_name

_ONE, _SET = "batchnorm_one_value", "tensor_dataset_sizes"
ERRORS = (_ONE, _SET, "loss_batch_sizes", "loss_sizes", "broadcast_sizes")
ALONE = True  # data is not made up anew to meet the next error
KEEPS = (computed(), layers)
_DRAWS = frozenset(("randn", "rand", "randint", "normal", "random", "zeros", "ones"))
_A_LOSS = re.compile(r"(?i)loss|criterion|entropy|\Anll")
SAID = "made up for as many samples"  # the check of the settings heeds it


class _Made(NamedTuple):
    name: str
    value: Any
    samples: cst.BaseExpression  # how the number of its samples is written


def edits(failure: Failure) -> Rewrites:
    """The first size of what was made up, or of what was cut from it, as its partner has it."""
    place, made = next(iter(failure.places), None), list(_made(failure))
    if place is None:
        return
    if is_a(failure.error, _ONE):
        yield from _two_samples(failure, made)
        return
    given = [o for o in operands(failure, place) if isinstance(o.value, torch.Tensor)]
    words = failure.text(getattr(place.node, "func", place.node))
    called = failure.value(getattr(place.node, "func", place.node), place.frame)
    is_loss = _A_LOSS.search(words) or _A_LOSS.search(type(called).__name__)
    if len(given) != 2 or not (is_loss or is_a(failure.error, _SET)):
        return
    first, second = given
    sizes = [list(o.value.shape) for o in given]
    if not all(sizes) or sizes[0][0] == sizes[1][0]:
        return
    if is_a(failure.error, _SET):
        yield from _cut_alike(failure, first.node, second.node)
    elif sizes[0][1:] != sizes[1][1:] and len(sizes[0]) == len(sizes[1]):
        return
    for one, there in ((second, sizes[0][0]), (first, sizes[1][0])):
        own = next((m for m in made if m.value.data_ptr() == one.value.data_ptr()), None)
        others = [m for m in made if m is not own]
        fits = [m for m in others if len(m.value) == there]
        met = {o.value.data_ptr() for o in given}
        like = next((m for m in fits if m.value.data_ptr() in met), next(iter(fits), None))
        if own is None or like is None or any(len(m.value) == len(own.value) for m in others):
            continue
        told = f"`{own.name}` is {SAID} as `{like.name}`, {there}"
        meant = f"`{own.name}` stands for the samples of `{like.name}`"
        new: Edits = {own.samples: like.samples}
        yield failure.edit(new, told, meant, cost=COST.LIKELY, supposes=True)
        return


def _made(failure: Failure) -> Iterator[_Made]:
    """What the program itself drew and still holds, with how its first size is written."""
    for name, value in failure.live.names[0].items():
        made = assignment(failure, name, failure.module.body[-1])
        if not isinstance(value, torch.Tensor) or not value.dim() or made is None:
            continue
        if value.requires_grad:  # a weight
            continue
        drawn = [c for c in failure.inside(made.value, cst.Call) if _draws(failure, c)]
        if len(drawn) != 1 or not failure.text(made.value).startswith(failure.text(drawn[0])):
            continue
        places = [a.value for a in drawn[0].args if a.keyword is None]
        size = next((a.value for a in drawn[0].args if _is_called_size(a)), None)
        rows = [n for n in (*places, size) if isinstance(n, cst.Tuple | cst.List)]
        nodes = [e.value for e in rows[0].elements] if rows else places
        if nodes and failure.value(nodes[0], 0) == len(value) and len(nodes) == value.dim():
            yield _Made(name, value, nodes[0])


def _is_called_size(given: cst.Arg) -> bool:
    return given.keyword is not None and given.keyword.value == "size"


def _draws(failure: Failure, call: cst.Call) -> bool:
    return last_name(failure, call.func) in _DRAWS and isinstance(call.func, cst.Attribute)


def _cut_alike(failure: Failure, first: cst.BaseExpression, second: cst.BaseExpression) -> Rewrites:
    """`TensorDataset(x[:80], y[:80])` for `TensorDataset(x[:80], y[:75])`."""
    found = [
        made.value if (made := given_to(failure, n)) is not None else n for n in (first, second)
    ]
    one, other = found
    if not isinstance(one, cst.Subscript) or not isinstance(other, cst.Subscript):
        return
    lengths = [len(v) for p in (one, other) if hasattr(v := failure.value(p.value, 0), "__len__")]
    if len(set(lengths)) == len(lengths) - 1 == 1 and len(one.slice) == len(other.slice) == 1:
        told = f"`{failure.text(other.value)}` is cut where `{failure.text(one.value)}` is"
        yield failure.edit({other.slice[0]: one.slice[0]}, told, cost=COST.SURE, supposes=True)


def _two_samples(failure: Failure, made: list[_Made]) -> Rewrites:
    """Batches of one, that were made up: the input's, or all where the targets go with it."""
    outer = failure.places[-1]
    used = {n.value for n in failure.inside(outer.node, cst.Name)}
    single = [m for m in made if len(m.value) == 1 and isinstance(m.samples, cst.Integer)]
    fed = [m for m in single if m.name in used]
    for cost, those in ((COST.LIKELY, fed), (COST.POSSIBLE, single)):
        if fed and (those is fed or len(single) > len(fed)):
            names = " and ".join(f"`{m.name}`" for m in those)
            verb = "are" if len(those) > 1 else "is"
            told = f"{names} {verb} {SAID} as a batch norm in training needs, two"
            meant = f"the made-up batch of {names} may have two samples"
            new: Edits = {m.samples: integer(2) for m in those}
            yield failure.edit(new, told, meant, cost=cost, supposes=True)
