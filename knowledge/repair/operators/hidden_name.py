"""Give an attribute or a variable another name than the function that it hides, or that hides it.

`self.modules = nn.ModuleDict(…)` is not found again: `modules` is a method of nn.Module, and a
class comes before what a module registers. A plain attribute comes before the class: then the
method is gone. What is called means the method, and all else the attribute. So it is with
variables: after `loss = loss(out, y)`, `B, T, F = x.shape` or `max = x.max()`.
"""

import builtins
import types
from collections.abc import Iterator
from typing import Any, NamedTuple

import libcst as cst

from knowledge.repair.codemod import Rewrites
from knowledge.repair.operator import Failure
from knowledge.repair.toolkit.edits import Edits, Program
from knowledge.repair.toolkit.flow import free_name, parameters
from knowledge.repair.toolkit.lookups import registered
from knowledge.repair.toolkit.sites import scope_of

TYPES = frozenset({"TypeError", "AttributeError", "UnboundLocalError"})
_BETTER = {"modules": "layers", "children": "layers", "parameters": "params"}
_FRAMES = 2


class _Hidden(NamedTuple):
    name: str
    owner: Any  # the object
    value: Any  # the attribute's, which the person means


def edits(failure: Failure) -> Rewrites:
    """The attribute, or the variable, by another name wherever it is meant."""
    yield from _of_a_variable(failure)
    for hidden in _hidden(failure):
        changes = _renamed(failure, hidden)
        if not changes:
            continue
        new = _new_name(failure, hidden)
        whose = "nn.Module" if _is_of_torch(hidden) else type(hidden.owner).__name__
        told = f"the attribute is `self.{new}`; `{hidden.name}` is a method of {whose}"
        nodes = {node: old.with_changes(attr=cst.Name(new)) for node, old in changes.items()}
        yield failure.edit(nodes, told, at=min(nodes, key=failure.line), as_one=True)
        return


def _of_a_variable(failure: Failure) -> Rewrites:
    """`loss_value = loss(out, y)` for `loss = loss(out, y)`, and so wherever that value is read."""
    asked = failure.node.func if isinstance(failure.node, cst.Call) else failure.node
    name = asked.value if isinstance(asked, cst.Attribute) else asked
    if not isinstance(name, cst.Name) or failure.error.line is None:
        return
    scope, word = scope_of(failure, name), name.value
    outer = {} if len(failure.live.names) < 2 else failure.live.names[0]
    is_called = isinstance(failure.parent(name), cst.Call)
    is_unbound = failure.error.type == "UnboundLocalError"
    if is_called and not is_unbound and callable(failure.value(name)):
        return  # it is what it is called for, and something else failed
    if not is_called and not isinstance(outer.get(word), types.ModuleType):
        return
    every = [n for n in failure.inside(scope, cst.Name) if n.value == word]
    every = [n for n in every if not failure.is_label(n) and not _is_defined(failure, n)]
    own = [n for n in every if scope_of(failure, n) is scope]
    bound = [n for n in own if _is_target(failure, n)]
    hides = [n for n in bound if _calls(failure, n, word)]
    if hasattr(builtins, word) or callable(outer.get(word)) or not is_called:
        hides = bound
    if not hides or any(not _means_outer(failure, n) for n in every if n not in own):
        return
    old = [n for n in own if _means_outer(failure, n) or (n in bound and n not in hides)]
    is_size = not is_unbound and type(failure.value(name)) is int
    new = free_name(failure, f"{word}_{'size' if is_size else 'value'}")
    told = f"`{new}` is the value, and `{word}` stays what it is called for"
    changes: Edits = {n: cst.Name(new) for n in own if n not in old}
    yield failure.edit(changes, told, at=min(changes, key=failure.line), as_one=True)


def _is_defined(program: Program, name: cst.Name) -> bool:
    """Whether it is the name of a function, a class, a parameter or an import."""
    kinds = (cst.FunctionDef, cst.ClassDef, cst.Param, cst.AsName, cst.ImportAlias)
    return isinstance(program.parent(name), kinds)


def _is_target(program: Program, name: cst.Name) -> bool:
    """Whether a value is given to it there."""
    for node in program.above(name):
        if isinstance(node, cst.AssignTarget | cst.AugAssign):
            return True
        if not isinstance(node, cst.Tuple | cst.Element):
            return isinstance(node, cst.For) and name in program.inside(node.target, cst.Name)
    return False


def _calls(program: Program, name: cst.Name, word: str) -> bool:
    """Whether what is given to a name is made by calling that very name."""
    given = program.up(name, cst.Assign)
    made = program.inside(given.value, cst.Call) if given is not None else []
    return any(program.text(call.func) == word for call in made)


def _means_outer(program: Program, name: cst.Name) -> bool:
    """Whether it is called, or is asked for a function: `loss(…)`, `F.relu(…)`."""
    parent = program.parent(name)
    if isinstance(parent, cst.Attribute):
        call = program.parent(parent)
        named = name.value[:1].isupper() or name.value in ("nn", "torch", "np")
        return named and isinstance(call, cst.Call) and call.func is parent
    return isinstance(parent, cst.Call) and parent.func is name


def _hidden(failure: Failure) -> Iterator[_Hidden]:
    """Attributes in the failing expression that have a method's name, on objects of a class."""
    from torch import nn

    classes = {c.name.value for c in failure.all(cst.ClassDef)}
    for place in failure.places[:_FRAMES]:
        for node in failure.inside(place.node, cst.Attribute):
            name, owner = node.attr.value, failure.value(node.value, place.frame)
            if owner is failure.missing or type(owner).__name__ not in classes:
                continue
            held = dict(vars(owner)) if hasattr(owner, "__dict__") else {}
            held |= registered(owner) if isinstance(owner, nn.Module) else {}
            if name in held and callable(getattr(type(owner), name, None)):
                yield _Hidden(name, owner, held[name])
            # `net.eval()` calls `train`, whose name may be a flag's.
            if isinstance(owner, nn.Module) and type(held.get("train")) is bool:
                yield _Hidden("train", owner, held["train"])


def _is_of_torch(hidden: _Hidden) -> bool:
    from torch import nn

    return getattr(type(hidden.owner), hidden.name) is getattr(nn.Module, hidden.name, None)


def _renamed(failure: Failure, hidden: _Hidden) -> dict[cst.CSTNode, cst.Attribute]:
    """The places that mean the attribute: node → the attribute that comes there, not yet renamed.

    Empty where a call may mean either.
    """
    found = dict[cst.CSTNode, cst.Attribute]()
    if callable(hidden.value) and not _holds_layers(hidden.value):
        return {}
    if sum(c.name.value == type(hidden.owner).__name__ for c in failure.all(cst.ClassDef)) != 1:
        return {}
    for node in failure.all(cst.Attribute):
        if node.attr.value != hidden.name or not _is_of(failure, node, hidden):
            continue
        call = failure.parent(node)
        if not isinstance(call, cst.Call) or call.func is not node:
            found[node] = node
            continue
        around = failure.parent(call)
        if isinstance(around, cst.Subscript) and around.value is call and not call.args:
            found[call] = node  # what the method gives has no entries
    return found


def _holds_layers(value: Any) -> bool:
    """Whether it is a container, which nobody calls."""
    from torch import nn

    return isinstance(value, (nn.ModuleDict, nn.ModuleList, nn.ParameterDict, nn.ParameterList))


def _is_of(failure: Failure, node: cst.Attribute, hidden: _Hidden) -> bool:
    """Whether an attribute is asked of an object of the class: by `self`, or by its live value."""
    owner = type(hidden.owner)
    around = failure.up(node, cst.ClassDef)
    if failure.text(node.value) == "self":
        if around is None:  # a method that was posted apart from its class
            return "self" in parameters(failure, node) and len([*failure.all(cst.ClassDef)]) == 1
        return around.name.value == owner.__name__
    return around is None and type(failure.value(node.value, 0)) is owner


def _new_name(program: Program, hidden: _Hidden) -> str:
    """A name that the program does not use; what a flag `train` says every module has already."""
    used = {a.attr.value for a in program.all(cst.Attribute)}
    new = _BETTER.get(hidden.name, f"{hidden.name}_")
    if hidden.name == "train" and type(hidden.value) is bool:
        new = "training"
    while new in used:
        new += "_"
    return new
