"""Make the layer first and then call it, where its constructor was given the tensors.

`nn.CrossEntropyLoss(output, target)` makes a loss with weights; `nn.CrossEntropyLoss()(output,
target)` computes one.
"""

import inspect
import re
from collections.abc import Iterator

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.check import Check
from knowledge.repair.codemod import Proposal, Rewrites
from knowledge.repair.operator import Failure, Place
from knowledge.repair.toolkit.edits import Edits, Program, separated
from knowledge.repair.toolkit.lazily import torch
from knowledge.repair.toolkit.signatures import required
from knowledge.repair.toolkit.sites import assignment, scope_of

TYPES = frozenset({"RuntimeError", "TypeError", "AttributeError", "ValueError"})


def edits(failure: Failure) -> Rewrites:
    """Every constructor in or behind the failing line that was given what the layer works on."""
    yield from _classes(failure)
    for place in failure.places:
        for call in dict.fromkeys(_constructors(failure, place)):
            made = _in_two(failure, place, call)
            if made is not None:
                name = failure.text(call.func)
                new: Edits = {
                    c: cst.Call(c.with_changes(args=()), c.args) for c in _alike(failure, call)
                }
                yield failure.edit(
                    {**new, call: made},
                    f"`{name}(…)` only makes the layer; the tensors go into its call",
                    f"`{name}` is to work on them",
                    at=call,
                )


def _classes(failure: Failure) -> Rewrites:
    """`nn.Sequential(…, nn.ReLU)`: the classes among the arguments are made to layers."""
    given = [a.value for a in failure.node.args] if isinstance(failure.node, cst.Call) else []
    given += [e.value for a in given if isinstance(a, (cst.List, cst.Tuple)) for e in a.elements]
    found: Edits = {}
    for value in given:
        cls = failure.value(value) if isinstance(value, (cst.Name, cst.Attribute)) else None
        if inspect.isclass(cls) and issubclass(cls, torch.nn.Module) and required(cls) == set():
            found[value] = cst.Call(value)
    if found:
        names = " and ".join(dict.fromkeys(f"`{failure.text(n)}`" for n in found))
        told = f"{names} is a class; a layer of it is made"
        yield failure.edit(found, told, f"a layer of {names} is meant")


def _alike(program: Program, call: cst.Call) -> list[cst.Call]:
    """The calls of the same class in the function that are given one name as well."""
    return [
        c
        for c in program.inside(scope_of(program, call), cst.Call)
        if c is not call
        and program.text(c.func) == program.text(call.func)
        and len(c.args) == 1
        and isinstance(c.args[0].value, cst.Name)
    ]


def _constructors(failure: Failure, place: Place) -> Iterator[cst.Call]:
    """The calls of a failing expression, and those that gave its names their values."""
    yield from failure.inside(place.node, cst.Call)
    for name in failure.inside(place.node, cst.Name):
        made = assignment(failure, name.value, name)
        if made is not None and isinstance(made.value, cst.Call):
            yield made.value


def _in_two(failure: Failure, place: Place, call: cst.Call) -> cst.Call | None:
    """`nn.X(tensors, option=…)` as `nn.X(option=…)(tensors)`; None where that is not meant."""
    cls = failure.value(call.func, place.frame)
    if not inspect.isclass(cls) or not issubclass(cls, torch.nn.Module):
        return None
    if not cls.__module__.startswith("torch.nn.") and cls.__module__ != "__main__":
        return None
    given = [a for a in call.args if a.keyword is None]
    options = [a for a in call.args if a.keyword is not None]
    values = [failure.value(a.value, place.frame) for a in given]
    if not given or any(a.star for a in given):
        return None
    held = _held(failure, place, call)
    if not all(isinstance(v, torch.Tensor) for v in values) and not _has_tensor(held, cls):
        return None
    needed = [
        p
        for p in list(inspect.signature(cls.forward).parameters.values())[1:]
        if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD
    ]
    if len(needed) != len(given) or (required(cls) or set()) - {
        a.keyword.value for a in options if a.keyword
    }:
        return None
    return cst.Call(call.with_changes(args=separated(options)), separated(given))


def _held(failure: Failure, place: Place, call: cst.Call) -> object:
    """What the constructor made, where a name holds it: its arguments may have changed since."""
    statement = failure.up(call, cst.Assign)
    return failure.value(statement.targets[0].target, place.frame) if statement else None


def _has_tensor(held: object, cls: type) -> bool:
    """Whether a layer was made with a tensor where it takes a setting."""
    return type(held) is cls and any(isinstance(v, torch.Tensor) for v in vars(held).values())


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The layers that the error and its line name are still made."""
    if before.error is None:
        return []
    made = set(re.findall(r"\b([A-Z]\w+)\(", before.error.code))
    made |= set(re.findall(r"'([A-Z]\w+)' object", before.error.message)) - {"NoneType", "Tensor"}
    gone = [name for name in made if not re.search(rf"\b{name}\s*\(", proposal.code)]
    detail = f"`{gone[0]}` is gone" if gone else "the layer is still there"
    return [Check(name="layer", passed=not gone, detail=detail)]
