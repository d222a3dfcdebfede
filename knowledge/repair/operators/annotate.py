"""Say the types that a scripted function needs: what has none is taken for a tensor.

The types are those of the values that the program calls it with, and of its defaults; an empty
list is one of what is appended to it.
"""

import re
from collections.abc import Iterator

import libcst as cst

from knowledge.repair.codemod import Rewrites
from knowledge.repair.operator import COST, Failure
from knowledge.repair.toolkit.edits import Edits
from knowledge.repair.toolkit.keeps import computed
from knowledge.repair.toolkit.lazily import torch
from knowledge.repair.toolkit.statements import last_name

_APPENDED = r"Could not match type (int|float|bool|str) to t in argument 'el'"
ERRORS, SPEAKS = ("script_type",), rf"found Tensor \(inferred\)|{_APPENDED}"
_KINDS = (bool, int, float, str)
_LITERALS = (cst.Integer, cst.Float, cst.SimpleString, cst.UnaryOperation)
_METHODS = ("forward", "__call__")
KEEPS = (computed(allowed=("[",)),)


def edits(failure: Failure) -> Rewrites:
    """Every parameter of the functions that the error quotes, with one type in all calls."""
    if (appended := re.search(_APPENDED, str(failure.live.error))) is not None:
        yield from _of_a_list(failure, appended[1])
        return
    changes: Edits = {}
    told: list[str] = []
    for function in failure.all(cst.FunctionDef):
        if not re.search(rf"(?:def |: ){function.name.value}\(", str(failure.live.error)):
            continue
        for at, param in enumerate(function.params.params):
            if param.annotation is not None or param.name.value == "self":
                continue
            kinds = set(_kinds(failure, function, at, param))
            if len(kinds) == 1 and (kind := kinds.pop()):
                note = cst.Annotation(cst.parse_expression(kind))
                spaced = cst.AssignEqual() if param.default is not None else param.equal
                changes[param] = param.with_changes(annotation=note, equal=spaced)
                told.append(f"`{param.name.value}: {kind}`")
    if changes:
        what = f"{' and '.join(told)}, as the calls have it"
        yield failure.edit(changes, what, at=min(changes, key=failure.line))


def _of_a_list(failure: Failure, kind: str) -> Rewrites:
    """`runs: list[int] = []` for the `runs = []` that the error's line appends to."""
    marked = re.search(r"\n\s*(\w{1,60})\.append\([^\n]*\n\s*~", str(failure.live.error))
    found = [
        a
        for a in failure.all(cst.Assign)
        if marked is not None
        and failure.text(a.value) == "[]"
        and [failure.text(t.target) for t in a.targets] == [marked[1]]
    ]
    if len(found) != 1:
        return
    note = cst.Annotation(cst.parse_expression(f"list[{kind}]"))
    new = cst.AnnAssign(found[0].targets[0].target, note, found[0].value)
    told = f"`{failure.text(found[0].targets[0].target)}` is a list of {kind}"
    yield failure.edit({found[0]: new}, told, cost=COST.SAID)


def _kind(failure: Failure, value: object) -> str:
    """The type of a value in words of the program; empty for a tensor, and what has no one type."""
    if type(value) in _KINDS:
        return type(value).__name__
    if not isinstance(value, (list, tuple)) or not value:
        return ""
    tensor = failure.name_of("torch", "Tensor")
    parts = [tensor if isinstance(p, torch.Tensor) else _kind(failure, p) for p in value]
    if isinstance(value, list) and len({*parts}) == 1:
        parts = parts[:1]
    fits = all(parts) and (isinstance(value, tuple) or len(parts) == 1)
    return f"{type(value).__name__}[{', '.join(parts)}]" if fits else ""


def _kinds(failure: Failure, function: cst.FunctionDef, at: int, param: cst.Param) -> Iterator[str]:
    """The types of what a parameter is given: by default, and in the calls of the module."""
    name = function.name.value
    if param.default is not None:
        yield _kind(failure, failure.value(param.default, 0))
    inside = failure.up(function, cst.ClassDef)
    place = at - 1 if inside is not None else at
    for call in failure.all(cst.Call):
        within = failure.up(call, cst.FunctionDef) is not None
        if any(a.star for a in call.args):
            continue
        called = failure.value(call.func, 0)
        cls = getattr(called, "original_name", type(called).__name__)
        is_own = last_name(failure, call.func) == name
        if is_own or (inside is not None and name in _METHODS and cls == inside.name.value):
            plain = [a.value for a in call.args if a.keyword is None]
            given = {a.keyword.value: a.value for a in call.args if a.keyword is not None}
            value = given.get(param.name.value, plain[place] if place < len(plain) else None)
            if value is not None and (not within or isinstance(value, _LITERALS)):
                yield _kind(failure, failure.value(value, 0))
