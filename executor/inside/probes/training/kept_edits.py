"""The edits by which nothing keeps the graphs of earlier rounds: `.item()`, `.detach()`."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from typing import Any

from executor.inside.remarks.edits import Places, added, operand, put, way
from executor.inside.remarks.syntax import (
    behind,
    dotted,
    functions,
    inside,
    loops,
    method_calls,
    tail,
    trained_names,
    walk,
    words,
)

Ways = list[dict[str, Any]]
_CUT = {"item", "detach", "tolist", "float", "numpy", "data"}
_OF_TENSORS = ("torch.", "F.", "nn.")
_GROWS = {"append", "clear", "copy", "count", "index", "keys", "values", "items"}


def without_graphs(tree: ast.Module, kept: Iterable[tuple[str, bool]]) -> Ways:
    """One edit of all that is kept, each a name and whether it holds losses; none of a part."""
    flows = _flows(tree)
    places: list[Places] = []
    for name, of_losses in kept:
        values = _grows_by(tree, name)
        word = _word(name)
        derived = {of for of in flows if word in behind({of}, flows)} | {word}
        if not values or _goes_back(tree, derived):
            return []
        how = "item" if of_losses and not _as_tensors(tree, derived) else "detach"
        places += [_cut(value, how, trained_names(tree)) for value in values]
    return [way("what is kept has no graph any more", *places)] if places else []


def line_of_growth(tree: ast.Module, name: str) -> int | None:
    """The first line that adds to it."""
    return min((v.lineno for v in _grows_by(tree, name)), default=None)


def _word(name: str) -> str:
    """`history` of `self.history['loss']`."""
    return name.partition("[")[0].rpartition(".")[2]


def _flows(tree: ast.Module) -> dict[str, set[str]]:
    """What each name is made from, loops and what functions return too."""
    found: dict[str, set[str]] = {}
    for node in walk(tree):
        match node:
            case ast.Assign(targets=targets, value=value):
                of = [n for t in targets for n in walk(t)]
            case ast.AugAssign(target=target, value=value):
                of = [target]
            case ast.For(target=target, iter=value) | ast.comprehension(target=target, iter=value):
                of = [*walk(target)]
            case ast.Call(func=ast.Attribute(attr="append", value=held), args=[value]):
                of = [held.value if isinstance(held, ast.Subscript) else held]
            case _:
                continue
        for name in filter(None, map(tail, of)):
            found.setdefault(name, set()).update(words(value))
    for name, function in functions(tree).items():
        given = [n.value for n in inside(function) if isinstance(n, ast.Return) and n.value]
        found.setdefault(name, set()).update(*map(words, given))
    return found


def _grows_by(tree: ast.Module, name: str) -> list[ast.expr]:
    """All that is added to it, but for numbers; nothing where it may grow in another way."""
    found: list[ast.expr] = []
    for node in walk(tree):
        match node:
            case ast.AugAssign(target=target, op=ast.Add(), value=value) if _is(target, name):
                found.append(value)
            case ast.Assign(
                targets=[target], value=ast.BinOp(left=left, op=ast.Add(), right=value)
            ) if _is(target, name) and _is(left, name):
                found.append(value)
            case ast.Call(func=ast.Attribute(value=held, attr=attr)) if _is(held, name):
                if attr == "append" and len(node.args) == 1:
                    found.append(node.args[0])
                elif attr in ("extend", "insert"):
                    return []
    parts = [e for v in found for e in (v.elts if isinstance(v, ast.List | ast.Tuple) else [v])]
    return [p for p in parts if tail(p) not in _CUT and not isinstance(p, ast.Constant)]


def _is(node: ast.expr, name: str) -> bool:
    """Whether it is that variable, or that attribute of whatever object."""
    said = ast.unparse(node)
    own, _, path = name.partition(".")
    return said == name or bool(path and "[" not in own and said.partition(".")[2] == path)


def _goes_back(tree: ast.Module, derived: set[str]) -> bool:
    """Whether something may go back through what is kept."""
    calls = [c for m in ("backward", "grad", "manual_backward") for c in method_calls(tree, m)]
    read = [part for c in calls for part in (*c.args, *_owner(c))]
    return any(words(part) & derived for part in read)


def _owner(call: ast.Call) -> Iterator[ast.expr]:
    if isinstance(call.func, ast.Attribute):
        yield call.func.value


def _as_tensors(tree: ast.Module, derived: set[str]) -> bool:
    """Whether something is done with what is kept that only a tensor allows."""
    for node in walk(tree):
        match node:
            case ast.Attribute(value=value, attr=attr, ctx=ast.Load()) if attr not in _GROWS:
                if words(value) & derived and attr not in derived:
                    return True
            case ast.Call(func=function, args=args) if dotted(function).startswith(_OF_TENSORS):
                if any(words(a) & derived for a in args):
                    return True
    return False


def _cut(value: ast.expr, how: str, losses: set[str]) -> Places:
    """The loss in a product alone, where it is known which factor that is; else the whole."""
    if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult | ast.Div):
        for factor in (value.left, value.right):
            if dotted(factor) in losses:
                return put(factor, factor, f".{how}()")
    return put(value, *operand(value), f".{how}()")


# -- a state that is carried on -------------------------------------------------------------------


def cut_each_round(tree: ast.Module, line: int | None) -> Ways:
    """What goes from one round to the next, cut off behind the backward of a line."""
    around = [n for n in loops(tree) if n.lineno <= (line or 0) <= (n.end_lineno or 0)]
    if not around:
        return []
    loop = around[-1]  # an outer loop comes first
    own = list(inside(loop))
    backs = [
        (n, n.value) for n in own
        if isinstance(n, ast.Expr) and isinstance(n.value, ast.Call) and tail(n.value) == "backward"
    ]  # fmt: skip
    carried = [names for n in loop.body if (names := _carried(n))]
    if len(backs) != 1 or len(carried) != 1:
        return []
    statement, back = backs[0]
    names = carried[0]
    retains = [k.arg for k in back.keywords] == ["retain_graph"] and not back.args
    once: list[Places] = [put(back, back.func, "()")] if retains else []
    return _cut_off(names, statement, *once)


def cut_in_loop(name: str, loop: ast.For | ast.While) -> Ways:
    """A state that nothing goes back through, cut off at the end of each round."""
    return _cut_off([name], loop.body[-1])


def _cut_off(names: list[str], behind_it: ast.stmt, *places: Places) -> Ways:
    told = f"the graph of a round ends with it: `{', '.join(names)}`"
    codes = [f"{', '.join(names)} = {', '.join(f'{n}.detach()' for n in names)}"]
    if len(names) == 1:  # an LSTM's is a pair
        codes.append(f"{names[0]} = tuple(s.detach() for s in {names[0]})")
    return [way(told, *places, add=added(code, behind_it, after=True)) for code in codes]


def _carried(statement: ast.stmt) -> list[str]:
    """The variables that a call is given, and that it gives again; none of an object's."""
    match statement:
        case ast.Assign(targets=[target], value=ast.Call(args=args, keywords=keywords)):
            given = {dotted(n) for a in (*args, *(k.value for k in keywords)) for n in _parts(a)}
            return [n.id for n in _parts(target) if isinstance(n, ast.Name) and n.id in given]
    return []


def _parts(node: ast.expr) -> Iterator[ast.expr]:
    if isinstance(node, ast.Tuple):
        for part in node.elts:
            yield from _parts(part)
    else:
        yield node
