"""Make a first state for as many samples as come in, where a function makes it for a fixed number.

`self.init_state(x.size(0))` for `self.init_state()`: the last batch of a loader is mostly smaller.
"""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from executor.errors import read
from knowledge.repair.codemod import Rewrites
from knowledge.repair.operator import COST, Failure
from knowledge.repair.toolkit.edits import Edits, method
from knowledge.repair.toolkit.flow import free_name
from knowledge.repair.toolkit.keeps import computed, layers
from knowledge.repair.toolkit.lazily import torch
from knowledge.repair.toolkit.live import called_module
from knowledge.repair.toolkit.sites import integer, scope_of, with_appended
from knowledge.repair.toolkit.statements import last_name

ERRORS = ("rnn_hidden_size",)
KEEPS = (computed(allowed=("size",)), layers)


def edits(failure: Failure) -> Rewrites:
    """A parameter for the number of samples, and that of the input wherever it is called."""
    seen = read(failure.error, *ERRORS)
    place = next(iter(failure.places), None)
    layer = called_module(failure, place) if place is not None else None
    if seen is None or not isinstance(layer, torch.nn.RNNBase):
        return
    expected, got = seen.sizes("expected"), seen.sizes("given")
    if len(expected) != 3 or len(got) != 3 or expected[1] == got[1]:
        return
    for function in failure.all(cst.FunctionDef):
        sizes = list(_fixed(failure, function, got))
        params, inside = function.params.params, failure.parent(function)
        is_method = inside is not None and isinstance(failure.parent(inside), cst.ClassDef)
        if not sizes or len(params) != is_method:
            continue
        name = free_name(failure, "batch")
        changes: Edits = {size: cst.Name(name) for size in sizes}
        parameter = cst.Param(cst.Name(name))
        changes[function.params] = function.params.with_changes(params=[*params, parameter])
        at = 0 if layer.batch_first else 1
        calls = [c for c in failure.all(cst.Call)
                 if last_name(failure, c.func) == function.name.value]  # fmt: skip
        for call in calls:
            given = next(_inputs(failure, call, expected[1], at), None)
            if given is None or call.args:
                return
            counted = method(given, "size", cst.Arg(integer(at)))
            changes[call] = with_appended(call, cst.Arg(counted))
        if calls:
            told = f"`{function.name.value}` makes a state for as many samples as come in"
            meant = f"dimension {at} of the input counts the samples"
            yield failure.edit(changes, told, meant, at=function, cost=COST.SURE, as_one=True)


def _fixed(
    failure: Failure, function: cst.FunctionDef, got: tuple[int, ...]
) -> Iterator[cst.CSTNode]:
    """The number of samples, wherever a state's sizes are written: `(layers, 16, hidden)`."""
    rows = [
        *(
            [a.value for a in c.args if a.keyword is None]
            for c in failure.inside(function, cst.Call)
        ),
        *([e.value for e in t.elements] for t in failure.inside(function, cst.Tuple)),
    ]
    for row in rows:
        if len(row) == len(got) and tuple(failure.value(v) for v in row) == got:
            yield row[1]


def _inputs(failure: Failure, call: cst.Call, batch: int, at: int) -> Iterator[cst.BaseExpression]:
    """The name of what goes into the layer, or into its model, in the scope of a call."""
    scope = scope_of(failure, call)
    for place in failure.places:
        if not isinstance(place.node, cst.Call) or scope_of(failure, place.node) is not scope:
            continue
        for given in (a.value for a in place.node.args):
            value = failure.value(given, place.frame) if isinstance(given, cst.Name) else None
            if isinstance(value, torch.Tensor) and value.dim() > 1 and value.shape[at] == batch:
                yield given
