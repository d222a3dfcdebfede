"""A precision that the author wrote down, or writes about, is not lowered without saying so."""

import ast
import re
from collections.abc import Iterator

from knowledge.repair.check import refusing
from knowledge.repair.checks.code import Change
from knowledge.repair.toolkit.comments import ABOUT_PRECISION, commented
from knowledge.repair.toolkit.comparison import (
    Replaced,
    called,
    expressions,
    root,
    statements,
    text,
)
from knowledge.repair.toolkit.sites import variables

_DIGITS = {"float64": 53, "float32": 24, "float16": 11, "bfloat16": 8}  # bits of the mantissa
_CASTS = {"double": "float64", "float": "float32", "half": "float16", "bfloat16": "bfloat16"}
_SAID = re.compile(r"\b(digits|precision|lossy)\b")


@refusing("precision", "no precision that is meant is lowered")
def check(change: Change) -> Iterator[str]:
    """No part that the author made in one precision is in a lower one now, unless that is said.

    Where a call that failed is given its dtype, and the code speaks of that, nothing else is meant.
    """
    for part in change.compared.replaced:
        new = _written(part.new)
        for old in _asked_for(change):
            if new in _DIGITS and _written(part.old) != new and _DIGITS[new] < _DIGITS[old]:
                yield f"line {part.line} makes {new} of {old}, which the code asks for"
    if not _SAID.search(change.said):
        for part in change.compared.replaced:
            for old, new, why in _lowered(part, change):
                yield f"line {part.line} makes {new} of {old}, and {why}"


def _lowered(part: Replaced, change: Change) -> Iterator[tuple[str, str, str]]:
    """(what it was, what it is, what says that it was meant)."""
    old, new = _written(part.old), _written(part.new)
    if old in _DIGITS:
        now = new or ("float32" if part.new is None or _is_smaller(part) else old)
        if _DIGITS.get(now, 99) < _DIGITS[old]:
            yield old, now, "the code says so"
        return
    if new not in _DIGITS or part.new is None:
        return
    value = root(part.new)
    facts = variables(change.result).get(value.id) if isinstance(value, ast.Name) else None
    was = facts.dtype if facts is not None else None
    if was not in _DIGITS or _DIGITS[new] >= _DIGITS[was]:
        return
    assert isinstance(value, ast.Name)
    if _made_as(value.id, was, change):
        yield was, new, f"`{value.id}` is made so"
    elif any(ABOUT_PRECISION.search(said) for said in _told(change)):
        yield was, new, "the code is about precision"


def _asked_for(change: Change) -> set[str]:
    """The dtypes to which the failing calls cast what they pass, and of which the code tells."""
    lines = {frame.line for frame in change.result.frames}
    failing = [s for s in statements(change.compared.old) if s.lineno in lines]
    given = [a for s in failing for n in expressions(s) if isinstance(n, ast.Call) for a in n.args]
    cast = {_written(a) for a in given if isinstance(a, ast.Call)} & set(_DIGITS)
    short = {"float64": r"float64|double|fp64", "float32": "float32|single|fp32"}
    told = "\n".join(_told(change))
    return {d for d in cast if d in short and re.search(rf"(?i)\b(?:{short[d]})\b", told)}


def _is_smaller(part: Replaced) -> bool:
    """Whether the new part is the old one without its cast: `x` of `x.double()`."""
    return part.new is not None and part.old is not None and text(part.new) in text(part.old)


def _written(value: ast.AST | None) -> str:
    """The dtype that an expression ends in: `torch.float64`, `x.double()`, `x.to(torch.half)`."""
    if value is None:
        return ""
    name = called(value)
    if isinstance(value, ast.Call):
        if name in _CASTS and not value.args:
            return _CASTS[name]
        given = [k.value for k in value.keywords if k.arg == "dtype"]
        given += value.args if name in ("to", "type", "astype") else []
        return next((d for a in given if (d := _written(a))), "")
    if isinstance(value, ast.Attribute):
        return _CASTS.get(value.attr, value.attr)
    return ""


def _made_as(name: str, dtype: str, change: Change) -> bool:
    """Whether an assignment of a variable names its dtype."""
    for statement in statements(change.compared.old):
        if isinstance(statement, ast.Assign) and name in {text(t) for t in statement.targets}:
            return any(_written(node) == dtype for node in ast.walk(statement.value))
    return False


def _told(change: Change) -> Iterator[str]:
    """Comments, docstrings and labels that are printed."""
    yield from commented(change.original).values()
    for statement in statements(change.compared.old):
        if isinstance(statement, ast.Expr):
            for node in expressions(statement):
                if isinstance(node, ast.Constant) and isinstance(node.value, str):
                    yield node.value
