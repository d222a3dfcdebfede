"""Make a first state for as many samples as come in, where a function makes it for a fixed number.

`self.init_state(x.size(0))` for `self.init_state()`: the last batch of a loader is mostly smaller.
And make both states of an LSTM, where it is given one, as a GRU is.
"""

import re
from collections.abc import Iterator

import libcst as cst

from executor.errors import is_a, read
from executor.protocol import JobResult
from knowledge.repair.codemod import Rewrites
from knowledge.repair.operator import COST, Failure, Place
from knowledge.repair.toolkit.edits import Edits, method
from knowledge.repair.toolkit.flow import free_name, reads
from knowledge.repair.toolkit.keeps import computed, layers
from knowledge.repair.toolkit.lazily import torch
from knowledge.repair.toolkit.live import called_module
from knowledge.repair.toolkit.sites import argument, assignment, integer, scope_of, with_appended
from knowledge.repair.toolkit.statements import inserted, last_name

KEEPS = (computed(allowed=("size", "c")), layers)
_SIZES = "rnn_hidden_size"
_MADE = re.compile(r"(?:zeros|ones|randn?|zeros_like|normal)$")
_GIVES = "one state, and an LSTM has two: the second one begins with zeros"


def applies(result: JobResult) -> bool:
    """A state is of another size, or an LSTM is given anything that it does not take."""
    layer = result.layer.type if result.layer is not None else ""
    return result.error is not None and (layer[:4] == "LSTM" or is_a(result.error, _SIZES))


def edits(failure: Failure) -> Rewrites:
    """A parameter for the number of samples, and that of the input wherever it is called."""
    seen = read(failure.error, _SIZES)
    place = next(iter(failure.places), None)
    layer = called_module(failure, place) if place is not None else None
    if place is not None and isinstance(layer, (torch.nn.LSTM, torch.nn.LSTMCell)):
        yield from _both_states(failure, place, cst.ensure_type(place.node, cst.Call))
    if seen is None or not isinstance(layer, torch.nn.RNNBase):
        return
    expected, got = seen.sizes("expected"), seen.sizes("given")
    if len(expected) != 3 or len(got) != 3 or expected[1] == got[1]:
        return
    for function in failure.all(cst.FunctionDef):
        sizes = list(_fixed(failure, function, got))
        params = function.params.params
        is_method = isinstance(scope_of(failure, function), cst.ClassDef)
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


def _both_states(failure: Failure, place: Place, call: cst.Call) -> Rewrites:
    """`h, c = cell(x, (h, c))` for `h = cell(x, h)`; a pair of first states, if it is only kept."""
    given = argument(call, 1, "hx")
    if given is None or not isinstance(failure.value(given.value, place.frame), torch.Tensor):
        return
    name, step = given.value, failure.small_statement(call)
    first = assignment(failure, name.value, call) if isinstance(name, cst.Name) else None
    if first is not None and isinstance(name, cst.Name) and isinstance(step, cst.Assign):
        pair = failure.value(call.func, place.frame)
        target, whole = step.targets[0].target, isinstance(pair, torch.nn.LSTMCell)
        parts = target.elements if isinstance(target, cst.Tuple) else ()
        kept = target if whole else parts[1].value if len(parts) == 2 else None
        others = [
            n for n in reads(failure, name.value, scope_of(failure, call)) if n not in (name, kept)
        ]
        if kept is not None and failure.text(kept) == name.value and others:
            other = free_name(failure, "c")
            both = cst.parse_expression(f"({name.value}, {other})")
            zeros = f"{other} = {failure.name_of('torch', 'zeros_like')}({name.value})"
            bare = both.with_changes(lpar=(), rpar=()) if whole else both
            new: Edits = {kept: bare, name: both}
            beside = inserted(failure, first, zeros, after=True)
            told = f"`{name.value}` is {_GIVES}"
            yield failure.edit(new, told, at=call, beside=beside, new_name=other, as_one=True)
            return
    for made in failure.all(cst.Call):
        around = failure.parent(made)
        if isinstance(around, (cst.Assign, cst.Return)) and _MADE.search(failure.text(made.func)):
            pair = cst.Tuple([cst.Element(made), cst.Element(made)])
            told = f"`{failure.text(made)}` makes one state, and an LSTM has two"
            yield failure.edit({made: pair}, told)


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
