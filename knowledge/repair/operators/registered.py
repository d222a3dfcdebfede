"""Register the layers that a plain list or dictionary holds: `nn.ModuleList([…])` for `[…]`.

A module does not see them: `.to()` leaves them where they were made. Which attributes are such
lists is known by the live modules. Where an optimizer was made, a finding names them, and its
article has the edit. A buffer or a parameter that is registered under a name is not first given to
an attribute of that name, nor is the name taken by one that nothing reads.
"""

import re
from collections.abc import Iterator
from typing import Any

import libcst as cst

from executor.errors import is_a, read
from executor.protocol import JobResult
from knowledge.repair.applies import TWO_DEVICES
from knowledge.repair.check import Check
from knowledge.repair.codemod import Proposal, Rewrites
from knowledge.repair.operator import Failure
from knowledge.repair.toolkit.edits import Edits, Program, call
from knowledge.repair.toolkit.flow import is_free
from knowledge.repair.toolkit.sites import argument, scope_of
from knowledge.repair.toolkit.statements import removed

TYPES = frozenset({"AssertionError"})
ERRORS = (*TWO_DEVICES, _TAKEN := "name_taken")
_LISTS = (cst.List, cst.Tuple, cst.ListComp)
_DICTS = (cst.Dict, cst.DictComp)


def edits(failure: Failure) -> Rewrites:
    """All such attributes of the program's modules at once, where each is made."""
    yield from _taken(failure)
    classes = {c.name.value: c for c in failure.all(cst.ClassDef)}
    changes: Edits = {}
    names: list[str] = []
    for module in _modules(failure):
        owner = classes.get(type(module).__name__)
        for name, value in vars(module).items():
            kind = _kind(value)
            made = _made(failure, owner, name) if owner is not None and kind else []
            if not made or any(not _is_display(node, kind) for node in made):
                continue
            held = failure.name_of("torch.nn", kind)
            changes |= {node: _wrapped(held, node) for node in made}
            names.append(f"`self.{name}`")
    if changes:
        told = " and ".join(dict.fromkeys(names))
        many = len(set(names)) > 1
        verb = "register their layers" if many else "registers its layers"
        meaning = f"what {told} {'hold' if many else 'holds'} is a part of the model"
        first = min(changes, key=failure.line)
        yield failure.edit(changes, f"{told} {verb}", meaning, at=first, as_one=True)


def _taken(failure: Failure) -> Rewrites:
    """`x = v` above `self.register_buffer("x", x)`, where `self.x = v` has taken the name."""
    node, said = failure.node, read(failure.error, _TAKEN)
    if said is None or not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return
    owner, name = failure.value(node.func.value), f"{failure.text(node.func.value)}.{said['name']}"
    line, given = failure.line(node), argument(node, 1, "tensor")
    scope = scope_of(failure, node)
    same = [a for a in failure.inside(scope, cst.Attribute) if failure.text(a) == name]
    above = [a for a in same if failure.line(a) <= line]
    bound = [a for a in above if isinstance(failure.parent(a), cst.AssignTarget)]
    if said["name"] not in vars(owner) or given is None or len(bound) != 1:
        return
    if given.value in above and is_free(failure, said["name"]):
        changes: Edits = {a: cst.Name(said["name"]) for a in above}
        told = f"`{said['name']}` is a variable until `{node.func.attr.value}` makes the attribute"
        yield failure.edit(changes, told, as_one=True)
    small = failure.small_statement(bound[0])
    gone = removed(failure, small) if above == bound and isinstance(small, cst.Assign) else None
    if gone and small and failure.text(small) == f"{name} = None":
        told = f"`{name} = None` goes, which takes the name"
        meaning = f"`{name}` is to be what `{node.func.attr.value}` makes, and nothing before"
        yield failure.edit(gone, told, meaning, at=small, as_one=True)


def _modules(failure: Failure) -> Iterator[Any]:
    """The modules that the program's frames know, one of each class."""
    import torch

    seen: set[type] = set()
    for frame in failure.live.names:
        for value in list(frame.values()):
            if not isinstance(value, torch.nn.Module):
                continue
            for module in value.modules():
                if type(module) not in seen:
                    seen.add(type(module))
                    yield module


def _kind(value: Any) -> str:
    """What registers all that a plain container holds; empty where it holds other things too."""
    from torch import nn

    of_text = isinstance(value, dict) and all(isinstance(key, str) for key in value)
    inner = list(value.values()) if of_text else value
    if not isinstance(inner, (list, tuple)) or not inner:
        return ""
    end = "Dict" if of_text else "List"
    if all(isinstance(one, nn.Module) for one in inner):
        return f"Module{end}"
    return f"Parameter{end}" if all(isinstance(one, nn.Parameter) for one in inner) else ""


def _made(program: Program, owner: cst.ClassDef, name: str) -> list[cst.BaseExpression]:
    """What is assigned to the attribute in its class."""
    return [
        node.value
        for node in program.inside(owner, cst.Assign)
        if any(program.text(t.target) == f"self.{name}" for t in node.targets)
    ]


def _is_display(node: cst.BaseExpression, kind: str) -> bool:
    return isinstance(node, _LISTS if kind.endswith("List") else _DICTS)


def _wrapped(held: str, node: cst.BaseExpression) -> cst.Call:
    is_empty = isinstance(node, (cst.List, cst.Tuple, cst.Dict)) and not node.elements
    return call(held) if is_empty else call(held, cst.Arg(node))


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """A container holds them: to move the input instead would leave them out of the model."""
    if before.error is not None and is_a(before.error, _TAKEN):
        kept = before.error.code.partition(",")[0] in proposal.code
        return [Check.of("registered", kept, "it is still registered", "it is not registered")]
    held = re.search(r"\b(Module|Parameter)(List|Dict)\(", proposal.code) is not None
    return [Check.of("registered", held, "the model knows its layers", "it knows them as little")]
