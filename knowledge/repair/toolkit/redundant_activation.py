"""Take an activation away that the loss applies itself: from the model, or from the loss's line."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Check, Rewrite
from knowledge.repair.computed import backwards
from knowledge.repair.fingerprints import same_values
from knowledge.repair.toolkit.edits import New, Program
from knowledge.repair.toolkit.flow import reads
from knowledge.repair.toolkit.sites import scope_of, without_argument


def without_activation(program: Program, function: str, layer: str, loss: str) -> Iterator[Rewrite]:
    """The one place where the activation is applied, without it; nothing if there are several.

    Args:
        program: the snippet.
        function: its name as a function or method, e.g. "softmax".
        layer: its name as a layer, e.g. "Softmax".
        loss: what applies it again, in words.
    """
    layers = [c for c in program.all(cst.Call) if _last(program, c.func) == layer]
    attributes = {
        target.attr.value
        for c in layers
        if (assign := program.up(c, cst.Assign)) is not None and assign.value is c
        for target in [assign.targets[0].target]
        if isinstance(target, cst.Attribute)
    }
    applied = [
        c
        for c in program.all(cst.Call)
        if _last(program, c.func) == function or _last(program, c.func) in attributes
    ]
    in_sequence = [c for c in layers if _sequence(program, c) is not None]
    if len(applied) + len(in_sequence) != 1:
        return
    told = f"{loss} applies {function} itself, so the model hands on its scores"
    if in_sequence:
        gone = in_sequence[0]
        argument = program.parent(gone)
        sequence = _sequence(program, gone)
        assert isinstance(argument, cst.Arg) and sequence is not None
        if sequence.args[-1] is not argument:
            return  # in the middle it is part of the model
        yield Rewrite(
            program.replace({sequence: without_argument(sequence, argument)}),
            f"line {program.line(gone)}: {told}",
        )
        return
    call = applied[0]
    value = _value(program, call)
    if value is not None:
        for_loss = _given_to_a_call(program, call)
        places: list[cst.CSTNode] = for_loss or [call]
        changes: dict[cst.CSTNode, New] = dict.fromkeys(places, value)
        at = program.line(places[0])
        if for_loss:
            told = f"{loss} applies {function} itself, so it is given the scores"
        yield Rewrite(program.replace(changes), f"line {at}: {told}")


def _given_to_a_call(program: Program, call: cst.Call) -> list[cst.CSTNode]:
    """Where calls take a result that is returned too, as what the model says; else empty."""
    made = program.parent(call)
    target = made.targets[0].target if isinstance(made, cst.Assign) else None
    if not isinstance(target, cst.Name):
        return []
    used = reads(program, target.value, scope_of(program, call))
    returned = [u for u in used if isinstance(program.parent(u), cst.Return)]
    given = [u for u in used if isinstance(program.parent(u), cst.Arg)]
    return list(given) if returned and len(given) == 1 else []


def _last(program: Program, function: cst.BaseExpression) -> str:
    if isinstance(function, cst.Call):  # nn.Softmax(dim=1)(x)
        return ""
    return program.text(function).rpartition(".")[2]


def _sequence(program: Program, layer: cst.Call) -> cst.Call | None:
    argument = program.parent(layer)
    call = program.parent(argument) if isinstance(argument, cst.Arg) else None
    if isinstance(call, cst.Call) and _last(program, call.func) == "Sequential":
        return call
    return None


def _value(program: Program, call: cst.Call) -> cst.BaseExpression | None:
    """What the activation is applied to."""
    function = call.func
    owner = program.text(function.value) if isinstance(function, cst.Attribute) else ""
    is_function = re.match(r"^(torch(\.\w+)*|F|nn\.functional|self)?$", owner) is not None
    if is_function:
        plain = [a for a in call.args if a.keyword is None or a.keyword.value == "input"]
        return plain[0].value if plain else None
    assert isinstance(function, cst.Attribute)
    return function.value


def checks(before: JobResult, after: JobResult, kind: str) -> list[Check]:
    """The finding is gone, every backward still runs, and the loss is another one now."""
    left = [f for f in after.findings if f.kind == kind]
    ran, had = len(backwards(after)), len(backwards(before))
    found = [
        Check(name="once", passed=not left, detail=left[0].message if left else "applied once"),
        Check(name="backwards", passed=ran == had, detail=f"{ran} of {had} backwards ran"),
    ]
    first = (backwards(before)[:1], backwards(after)[:1])
    if all(first):
        a, b = first[0][0].loss, first[1][0].loss
        same_shape = a is not None and b is not None and a.shape == b.shape
        changed = same_shape and a is not None and b is not None and not same_values(a, b)
        detail = "it is computed from the scores" if changed else "the loss is not computed anew"
        found.append(Check(name="loss", passed=changed, detail=detail))
        reached = len(first[0][0].grads) == len(first[1][0].grads)
        detail = "as many gradients as before" if reached else "other leaves get a gradient"
        found.append(Check(name="gradients", passed=reached, detail=detail))
    return found
