"""Bring what met on two devices to the GPU: the model where it is made, a tensor where it is used.

Which side stayed behind is read from the live parameters and tensors. The device is spelt as the
program spells it elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import libcst as cst

from executor.errors import is_a
from executor.protocol import JobResult
from knowledge.repair.check import Check
from knowledge.repair.codemod import Proposal, Rewrite
from knowledge.repair.operator import COST, Failure, Place
from knowledge.repair.toolkit.edits import method
from knowledge.repair.toolkit.live import Operand, called_module, tensors
from knowledge.repair.toolkit.shapes import still_computed
from knowledge.repair.toolkit.sites import assignment

_FAMILIES = ("devices_differ", "argument_devices", "layer_devices", "rnn_devices", "devices")


def applies(result: JobResult) -> bool:
    """Tensors of two devices met."""
    return result.error is not None and is_a(result.error, *_FAMILIES)


def edits(failure: Failure) -> Iterable[Rewrite]:
    """The model moved, where all of it stayed; else each tensor of the failing call that did."""
    for place in reversed(failure.places):  # the outermost first: there the model is called
        module = called_module(failure, place)
        if module is None:
            continue
        given = tensors(failure, place)
        kinds = {p.device.type for p in module.parameters()}
        if kinds == {"cpu"} and any(o.value.is_cuda for o in given):
            yield from _moved_model(failure, place, given)
            return
    for place in failure.places[:1]:
        yield from _moved_tensors(failure, place)


def _moved_model(failure: Failure, place: Place, given: Iterable[Operand]) -> Iterator[Rewrite]:
    program, node = failure.program, place.node
    assert isinstance(node, cst.Call)
    if not isinstance(node.func, cst.Name):
        return
    made = assignment(program, node.func.value, node)
    device = _device(failure, place, next(o for o in given if o.value.is_cuda))
    if made is None or not isinstance(made.value, cst.Call):
        return
    what = f"`{node.func.value}` is moved to where its inputs are"
    new = program.replace({made.value: method(made.value, "to", cst.Arg(device))})
    yield Rewrite(new, f"line {program.line(made)}: {what}", what, cost=COST.SURE)


def _moved_tensors(failure: Failure, place: Place) -> Iterator[Rewrite]:
    program, module = failure.program, called_module(failure, place)
    given = tensors(failure, place)
    there = [o for o in given if o.value.is_cuda]
    behind = [o for o in given if not o.value.is_cuda]
    parameters = [] if module is None else list(module.parameters())
    if not behind or not (there or any(p.is_cuda for p in parameters)):
        return
    changes: dict[cst.CSTNode, cst.CSTNode] = {}
    for one in behind:
        device = _device(failure, place, there[0] if there else one)
        changes[one.node] = method(one.node, "to", cst.Arg(device))
    names = " and ".join(f"`{program.text(o.node)}`" for o in behind)
    what = f"{names} moved to where the others are"
    new = program.replace(changes)
    yield Rewrite(new, f"line {program.line(place.node)}: {what}", what, cost=COST.SURE)


def _device(failure: Failure, place: Place, there: Operand) -> cst.BaseExpression:
    """The program's own word for the GPU; else the device of what is there, or its name."""
    import torch

    program = failure.program
    for call in program.all(cst.Call):
        if not isinstance(call.func, cst.Attribute) or call.func.attr.value != "to":
            continue
        for given in call.args:
            value: Any = failure.value(given.value, place.frame)
            is_device = isinstance(value, (str, torch.device))
            is_name = given.keyword is None and isinstance(given.value, cst.Name)
            if is_name and is_device and torch.device(value).type == "cuda":
                return given.value
    if there.value.is_cuda and isinstance(there.node, cst.Name):
        return cst.Attribute(there.node, cst.Name("device"))
    return cst.SimpleString('"cuda"')


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """What failed is still computed of the same operands."""
    return [still_computed(before.error, proposal.code, allowed=("to",))]
