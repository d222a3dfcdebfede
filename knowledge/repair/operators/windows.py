"""End a data set, or a loop, of windows where the last whole window of its series begins.

`series[i:i + window]` and `series[i + window]` say how far behind `i` a window reaches: a
`__len__`, or a `range`, that goes up to the length of the series is shortened by that.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple

import libcst as cst

from knowledge.repair.codemod import Rewrites
from knowledge.repair.operator import COST, Failure
from knowledge.repair.toolkit.edits import Program
from knowledge.repair.toolkit.sites import assignment, calls, method_of

_Names = dict[str, Any]  # what a name is worth


class _Terms(NamedTuple):
    """What is added up: parts with their signs, and a number."""

    parts: tuple[tuple[int, cst.BaseExpression], ...]
    number: int


class _Reach(NamedTuple):
    """How far behind its index a window reaches, and into what."""

    series: cst.BaseExpression
    terms: _Terms


ERRORS, TYPES = ("stack_sizes",), frozenset({"IndexError"})


def edits(failure: Failure) -> Rewrites:
    """The length of each data set of windows, and the range of each loop over windows."""
    for function, index in _items(failure):
        measured = _length(failure, function)
        owner = _instance(failure, function)
        if measured is not None and owner is not None:
            names = {**failure.live.names[0], "self": owner}
            yield from _shortened(failure, function.body, index, measured, names)
    for around, index, last in _loops(failure):
        names = failure.live.names[0] | failure.live.names[-1]
        yield from _shortened(failure, around, index, last, names)


def slides(program: Program) -> bool:
    """Whether a data set takes slices that begin at the index: a short one is at the end."""
    return any(any(_reaches(program, f.body, index)) for f, index in _items(program))


def _items(program: Program) -> Iterator[tuple[cst.FunctionDef, str]]:
    for function in program.all(cst.FunctionDef):
        if function.name.value == "__getitem__" and len(function.params.params) == 2:
            yield function, function.params.params[1].name.value


def _length(program: Program, item: cst.FunctionDef) -> cst.BaseExpression | None:
    """What the class's `__len__` returns."""
    owner = program.up(item, cst.ClassDef)
    function = method_of(program, owner.name.value, "__len__") if owner is not None else None
    returned = program.inside(function.body, cst.Return) if function is not None else []
    return returned[0].value if len(returned) == 1 else None


def _instance(failure: Failure, item: cst.FunctionDef) -> Any:
    """The one object of the function's class that is alive; one made anew where none has a name."""
    owner = failure.up(item, cst.ClassDef)
    found: dict[int, Any] = {}
    if owner is None:
        return None
    for names in failure.live.names:
        for value in names.values():
            for one in (value, getattr(value, "dataset", None)):
                if type(one).__name__ == owner.name.value:
                    found[id(one)] = one
    for made in () if found else calls(failure, rf"^{owner.name.value}$"):
        if (value := failure.value(made, -len(failure.live.names))) is not failure.missing:
            found[id(value)] = value
    return next(iter(found.values())) if len(found) == 1 else None


def _loops(program: Program) -> Iterator[tuple[cst.CSTNode, str, cst.BaseExpression]]:
    """Loops and comprehensions over `range(…)`: what they repeat, the index, and where they end."""
    loops: list[cst.For | cst.CompFor] = [*program.all(cst.For), *program.all(cst.CompFor)]
    for loop in loops:
        if not isinstance(loop.target, cst.Name) or not isinstance(loop.iter, cst.Call):
            continue
        if program.text(loop.iter.func) != "range" or len(loop.iter.args) not in (1, 2):
            continue
        body = loop.body if isinstance(loop, cst.For) else program.parent(loop)
        if body is not None:
            yield body, loop.target.value, loop.iter.args[-1].value


def _shortened(
    failure: Failure, body: cst.CSTNode, index: str, length: cst.BaseExpression, names: _Names
) -> Rewrites:
    reached = [
        (_worth(failure, r.terms, names), _worth_of(failure, r.series, names), r)
        for r in _reaches(failure, body, index)
    ]
    known = [(far, len(s), r) for far, s, r in reached if far is not None and hasattr(s, "__len__")]
    counted, all_terms = _worth_of(failure, length, names), _terms(failure, length)
    if not known or not isinstance(counted, int) or all_terms is None:
        return
    far, size, reach = max(known, key=lambda k: k[0] - k[1])
    whole = [n for s, n in all_terms.parts if s > 0 and _worth_of(failure, n, names) == size]
    right = size - far + 1
    if len(whole) != 1 or not 1 <= right < counted <= size:
        return
    text = failure.text(whole[0])
    for sign, part in reach.terms.parts:
        inner = failure.text(part)
        inner = f"({inner})" if isinstance(part, cst.BinaryOperation) else inner
        text += f" {'-' if sign > 0 else '+'} {inner}"
    if rest := 1 - reach.terms.number:
        text += f" {'+' if rest > 0 else '-'} {abs(rest)}"
    new = cst.parse_expression(text)
    told = f"`{failure.text(reach.series)}` has `{text}` whole windows"
    yield failure.edit({length: new}, told, cost=COST.SAID)


def _reaches(program: Program, body: cst.CSTNode, index: str) -> Iterator[_Reach]:
    """The slices that begin at the index, and the entries behind it."""
    for taken in program.inside(body, cst.Subscript):
        first = taken.slice[0].slice
        end = (
            first.upper if isinstance(first, cst.Slice) else cst.ensure_type(first, cst.Index).value
        )
        if isinstance(first, cst.Slice) and (first.lower is None or first.step is not None):
            continue
        terms = _behind(program, end, index) if end is not None else None
        if terms is None:
            continue
        if isinstance(first, cst.Slice):
            yield _Reach(taken.value, terms)
        elif terms.parts or terms.number > 0:
            yield _Reach(taken.value, terms._replace(number=terms.number + 1))


def _behind(program: Program, end: cst.BaseExpression, index: str) -> _Terms | None:
    """What is added to the index; None where it is not the index and something."""
    if isinstance(end, cst.Name) and end.value != index:
        made = assignment(program, end.value, end)
        if made is None:
            return None
        end = made.value
    found = _terms(program, end)
    if found is None:
        return None
    for sign, part in found.parts:  # `mid + ahead`, where `mid = i + window`
        made = assignment(program, part.value, part) if isinstance(part, cst.Name) else None
        if made is None or index not in _names(program, made.value):
            continue
        inner = _terms(program, made.value)
        if sign < 0 or inner is None:
            return None
        rest = tuple(p for p in found.parts if p[1] is not part)
        found = _Terms((*inner.parts, *rest), found.number + inner.number)
        break
    here = [p for p in found.parts if p[0] > 0 and program.text(p[1]) == index]
    rest = tuple(p for p in found.parts if p not in here)
    if len(here) != 1 or any(index in _names(program, p) for _, p in rest):
        return None
    return _Terms(rest, found.number)


def _names(program: Program, node: cst.CSTNode) -> set[str]:
    return {n.value for n in program.inside(node, cst.Name)}


def _terms(program: Program, node: cst.BaseExpression, sign: int = 1) -> _Terms | None:
    """A sum, taken apart."""
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, (cst.Add, cst.Subtract)):
        right_sign = sign if isinstance(node.operator, cst.Add) else -sign
        left, right = _terms(program, node.left, sign), _terms(program, node.right, right_sign)
        if left is None or right is None:
            return None
        return _Terms((*left.parts, *right.parts), left.number + right.number)
    if isinstance(node, cst.Integer):
        return _Terms((), sign * int(node.value))
    return _Terms(((sign, node),), 0)


def _worth(program: Program, terms: _Terms, names: _Names) -> int | None:
    values = [_worth_of(program, part, names) for _, part in terms.parts]
    if not all(type(v) is int for v in values):
        return None
    signed = zip(terms.parts, values, strict=True)
    return terms.number + sum(sign * int(value) for (sign, _), value in signed)


def _worth_of(program: Program, node: cst.BaseExpression, names: _Names) -> Any:
    """What names, attributes and lengths are worth; None of anything else."""
    if isinstance(node, cst.Name):
        return names.get(node.value)
    if isinstance(node, cst.Integer):
        return int(node.value)
    if isinstance(node, cst.Attribute):
        return getattr(_worth_of(program, node.value, names), node.attr.value, None)
    text = program.text(node)
    try:
        return eval(compile(text, "<edit>", "eval"), {"len": len, **names})
    except Exception:
        return None
