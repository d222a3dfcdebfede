"""Pack several arguments into the one list or tuple that a function takes, or unpack a list.

`torch.tensor(1, 2, 3)` takes one list, `lstm(x, h, c)` one pair of states, `memory.append(s, a)`
one thing; `nn.Sequential(layers)` takes them one by one.
"""

import inspect
import re
from typing import Any

import libcst as cst

from executor.errors import is_a, read
from executor.protocol import JobResult
from knowledge.repair.check import Check
from knowledge.repair.codemod import Proposal, Rewrites
from knowledge.repair.operator import Failure
from knowledge.repair.toolkit.edits import separated
from knowledge.repair.toolkit.lazily import torch
from knowledge.repair.toolkit.signatures import called

_RECORDS = re.compile(r"(?:^|\.)(?:export|trace)$")
_ADDS = ("append", "appendleft", "put")
ERRORS = ("too_many_arguments", "takes_exactly", "not_a_module")


def edits(failure: Failure) -> Rewrites:
    """The arguments that are too many as one, or the one list in its parts."""
    call = failure.node
    if not isinstance(call, cst.Call):
        return
    if is_a(failure.error, "not_a_module"):
        yield from _unpacked(failure, call)
        return
    yield from _of_one_input(failure, call)
    plain = [a for a in call.args if a.keyword is None and not a.star]
    if len(plain) < 2 or call.args[: len(plain)] != tuple(plain):
        return
    found = called(failure)
    if found is None:  # a function of C: its one parameter is a list, or a thing to put into one
        yield from _packed(failure, call, plain, 0, None)
    elif not found.takes_any and found.positional:
        yield from _packed(failure, call, plain, len(found.positional) - 1, found.target)


def _of_one_input(failure: Failure, call: cst.Call) -> Rewrites:
    """`export(net, (inputs,))` for `export(net, inputs)`, where `forward` takes them as one."""
    given = call.args[1:2]
    if not _RECORDS.search(failure.text(call.func)) or not given:
        return
    value, name = failure.value(given[0].value), failure.text(given[0].value)
    said = read(failure.error, "too_many_arguments")
    counts = (said["least"], said["given"]) if said is not None else ()
    if isinstance(value, tuple) and counts == ("2", str(len(value) + 1)):
        new = cst.parse_expression(f"({name},)")
        told = f"`{name}` is the one argument of `forward`, and not {len(value)} of them"
        yield failure.edit({given[0].value: new}, told)


def _packed(
    failure: Failure, call: cst.Call, plain: list[cst.Arg], start: int, target: Any
) -> Rewrites:
    """Everything from a place on as one: states of a layer, layers, numbers, a thing to keep."""
    is_append = isinstance(call.func, cst.Attribute) and call.func.attr.value in _ADDS
    if is_a(failure.error, "takes_exactly") and not is_append:
        return  # `len(a, b)` is no length of both
    states = isinstance(target, torch.nn.RNNBase)
    own = getattr(target, "__module__", "") == "__main__"
    a_layer = isinstance(target, torch.nn.Module) and not states
    if own and inspect.isclass(target):
        yield from _as_first(failure, call, plain)
    if len(plain) - start < 2 or (start > 0) != states or own or a_layer:
        return
    values = [failure.value(a.value) for a in plain[start:]]
    if not is_append and len({_kind(v) for v in values if v is not failure.missing}) > 1:
        return
    elements = [cst.Element(a.value) for a in plain[start:]]
    as_tuple = states or is_append
    packed = cst.Arg(cst.Tuple(elements) if as_tuple else cst.List(elements))
    args = [*plain[:start], packed, *call.args[len(plain) :]]
    function = failure.text(call.func).rpartition(".")[2]
    yield failure.edit(
        {call: call.with_changes(args=separated(args))},
        f"`{function}` takes them as one {'tuple' if as_tuple else 'list'}",
        "they belong together",
    )


def _as_first(failure: Failure, call: cst.Call, plain: list[cst.Arg]) -> Rewrites:
    """`MLP([1, 16, 1])` for `MLP(1, 16, 1)`, if an object of the class can be made so."""
    if not all(type(failure.value(a.value)) is int for a in plain):
        return
    sizes = cst.Arg(cst.List([cst.Element(a.value) for a in plain]))
    new = call.with_changes(args=separated([sizes, *call.args[len(plain) :]]))
    if failure.tried(f"({failure.module.code_for_node(new)})") is failure.missing:
        return
    function = failure.text(call.func)
    yield failure.edit({call: new}, f"`{function}` takes them as one list", "they belong together")


def _kind(value: object) -> str:
    if isinstance(value, torch.nn.Module):
        return "module"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return "number"
    return type(value).__name__


def _unpacked(failure: Failure, call: cst.Call) -> Rewrites:
    """`nn.Sequential(layers)` → `nn.Sequential(*layers)`."""
    if len(call.args) != 1 or call.args[0].keyword is not None or call.args[0].star:
        return
    value = failure.value(call.args[0].value)
    if failure.value(call.func) is not torch.nn.Sequential or not isinstance(value, (list, tuple)):
        return
    if not value or not all(isinstance(layer, torch.nn.Module) for layer in value):
        return
    given = call.args[0]
    if isinstance(given.value, (cst.List, cst.Tuple)):
        args = separated([cst.Arg(e.value) for e in given.value.elements])
    else:
        args = [given.with_changes(star="*")]
    yield failure.edit(
        {call: call.with_changes(args=args)},
        "`Sequential` takes its layers one by one",
        "the layers of the list follow each other",
    )


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The same call with the same arguments, brackets aside."""
    code = _without_brackets(before.error.code) if before.error is not None else ""
    kept = re.search(rf"{re.escape(code)}(?!\d)", _without_brackets(proposal.code)) is not None
    detail = "every argument is still given" if kept else "an argument is no longer given"
    return [Check(name="arguments", passed=kept, detail=detail)]


def _without_brackets(code: str) -> str:
    return re.sub(r",(?=\))|[\s()\[\]*]", "", code)
