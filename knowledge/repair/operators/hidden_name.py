"""Give an attribute another name than the method that it hides, or that hides it.

`self.modules = nn.ModuleDict(…)` is not found again: `modules` is a method of nn.Module, and a
class comes before what a module registers. A plain attribute comes before the class: then the
method is gone. What is called means the method, and all else the attribute.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import libcst as cst

from knowledge.repair.codemod import Rewrite
from knowledge.repair.operator import Failure
from knowledge.repair.toolkit.edits import Program
from knowledge.repair.toolkit.flow import parameters

TYPES = frozenset({"TypeError", "AttributeError"})
_BETTER = {"modules": "layers", "children": "layers", "parameters": "params"}
_FRAMES = 2


class _Hidden(NamedTuple):
    name: str
    owner: Any  # the object
    value: Any  # the attribute's, which the person means


def edits(failure: Failure) -> Iterable[Rewrite]:
    """The attribute by another name wherever it is meant."""
    for hidden in _hidden(failure):
        changes = _renamed(failure, hidden)
        if not changes:
            continue
        program, name = failure.program, hidden.name
        new = _new_name(program, name)
        whose = "nn.Module" if _is_of_torch(hidden) else type(hidden.owner).__name__
        told = f"the attribute is `self.{new}`; `{name}` is a method of {whose}"
        nodes = {node: old.with_changes(attr=cst.Name(new)) for node, old in changes.items()}
        yield failure.edit(nodes, told, at=min(nodes, key=program.line), as_one=True)
        return


def _hidden(failure: Failure) -> Iterator[_Hidden]:
    """Attributes in the failing expression that have a method's name, on objects of a class."""
    from torch import nn

    classes = {c.name.value for c in failure.program.all(cst.ClassDef)}
    for place in failure.places[:_FRAMES]:
        for node in failure.program.inside(place.node, cst.Attribute):
            name, owner = node.attr.value, failure.value(node.value, place.frame)
            if owner is failure.missing or type(owner).__name__ not in classes:
                continue
            held = dict(vars(owner)) if hasattr(owner, "__dict__") else {}
            if isinstance(owner, nn.Module):
                held |= dict(owner.named_children())
                held |= dict(owner.named_parameters(recurse=False))
                held |= dict(owner.named_buffers(recurse=False))
            if name in held and callable(getattr(type(owner), name, None)):
                yield _Hidden(name, owner, held[name])


def _is_of_torch(hidden: _Hidden) -> bool:
    from torch import nn

    return getattr(type(hidden.owner), hidden.name) is getattr(nn.Module, hidden.name, None)


def _renamed(failure: Failure, hidden: _Hidden) -> dict[cst.CSTNode, cst.Attribute]:
    """The places that mean the attribute: node → the attribute that comes there, not yet renamed.

    Empty where a call may mean either.
    """
    program, found = failure.program, dict[cst.CSTNode, cst.Attribute]()
    if callable(hidden.value) and not _holds_layers(hidden.value):
        return {}
    if sum(c.name.value == type(hidden.owner).__name__ for c in program.all(cst.ClassDef)) != 1:
        return {}
    for node in program.all(cst.Attribute):
        if node.attr.value != hidden.name or not _is_of(failure, node, hidden):
            continue
        call = program.parent(node)
        if not isinstance(call, cst.Call) or call.func is not node:
            found[node] = node
            continue
        around = program.parent(call)
        if isinstance(around, cst.Subscript) and around.value is call and not call.args:
            found[call] = node  # what the method gives has no entries
    return found


def _holds_layers(value: Any) -> bool:
    """Whether it is a container, which nobody calls."""
    from torch import nn

    return isinstance(value, (nn.ModuleDict, nn.ModuleList, nn.ParameterDict, nn.ParameterList))


def _is_of(failure: Failure, node: cst.Attribute, hidden: _Hidden) -> bool:
    """Whether an attribute is asked of an object of the class: by `self`, or by its live value."""
    program, owner = failure.program, type(hidden.owner)
    around = program.up(node, cst.ClassDef)
    if program.text(node.value) == "self":
        if around is None:  # a method that was posted apart from its class
            return "self" in parameters(program, node) and len([*program.all(cst.ClassDef)]) == 1
        return around.name.value == owner.__name__
    return around is None and type(failure.value(node.value, 0)) is owner


def _new_name(program: Program, name: str) -> str:
    """A name that the program does not use."""
    used = {a.attr.value for a in program.all(cst.Attribute)}
    new = _BETTER.get(name, f"{name}_")
    while new in used:
        new += "_"
    return new
