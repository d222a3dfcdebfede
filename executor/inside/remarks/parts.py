"""Say what is made from what, which parts of the data are held out, and what nothing makes use of.

Names are all that is asked, whatever the order of the lines: what may be made from a part counts as
made from it. So who asks whether something comes from the held-out part alone gets a no in doubt.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

from executor.inside.remarks.syntax import behind, callee, dotted, inside, method_calls, tail, walk
from executor.inside.walking import kept_by_node

_KINDS = r"(x|y|set|data|loader|iter|ds|dl|batch|inputs?|labels?|targets?|idx|indices)s?$"
HELD = re.compile(
    r"(?i)(^|_)(test|te|val|va|valid|validation|dev|held|hold_?out)(_|\d|$)"
    r"|(^|_)eval[_\d]|_eval$"  # not `model.eval`
    r"|^[xy](v|va|te|ts|val|test|valid)\d?$"
    rf"|^(test|val|valid|dev){_KINDS}"
)
TRAINING = re.compile(rf"(?i)(^|_)(train|tr|fit)(_|\d|$)|^[xy](tr|train)\d?$|^train{_KINDS}")
FIGURE = re.compile(r"(?i)acc|loss|score|err|rmse|mse|mae|f1|auc|r2|metric|iou|(^|_)dice")
_NUMBERS = {"shape", "size", "dtype", "device", "ndim"}


def which_part(name: str) -> str:
    """For what a part is held out, by its name: "t" for a test, "v" for validation, and so on."""
    found = _WHICH.search(name) if HELD.search(name) else None
    return found[0].lower().strip("_xy")[:1] if found else ""


_WHICH = re.compile(r"(?i)test|val|dev|held|hold|eval|((^|_)[xy]?)(te|ts|va?)(?![a-z])")


def names_in(node: ast.AST) -> set[str]:
    """The names and keys that a value is computed from: not those that are only counted."""
    found: set[str] = set()
    todo = [node]
    while todo:
        one = todo.pop()
        match one:
            case ast.Call(func=ast.Name(id="len")):
                continue
            case ast.Attribute(attr=attr) if attr in _NUMBERS:
                continue
            case ast.Name(id=name):
                found.add(name)
            case ast.Attribute(attr=attr):
                found.add(attr)
            case ast.Subscript(slice=ast.Constant(value=str() as key)):
                found.add(key)
        todo += ast.iter_child_nodes(one)
    return found


@kept_by_node
def flows(tree: ast.AST) -> dict[str, set[str]]:
    """Each variable and function, and the names of what it is made from, holds or goes through."""
    return flows_by(tree, names_in)


def flows_by(tree: ast.AST, names: Callable[[ast.AST], set[str]]) -> dict[str, set[str]]:
    """The same with another answer to which names a value is made from."""
    found: dict[str, set[str]] = {}
    for targets, value in _given(tree):
        for target in targets:
            for name in _bound(target):
                found.setdefault(name, set()).update(names(value))
    return found


def _given(tree: ast.AST) -> Iterator[tuple[list[ast.expr], ast.AST]]:
    for node in walk(tree):
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=names)], value=ast.Tuple(elts=given)) if len(
                names
            ) == len(given):
                yield from (([name], value) for name, value in zip(names, given, strict=True))
            case ast.Assign(targets=targets, value=value):
                yield targets, value
            case (
                ast.AnnAssign(target=target, value=ast.expr() as value)
                | ast.AugAssign(target=target, value=value)
                | ast.For(target=target, iter=value)
                | ast.comprehension(target=target, iter=value)
                | ast.NamedExpr(target=target, value=value)
            ):
                yield [target], value
            case ast.Call(func=ast.Attribute(attr="append" | "extend", value=kept), args=[value]):
                yield [kept], value
            case ast.FunctionDef(name=name):
                for n in inside(node):
                    if isinstance(n, ast.Return) and n.value is not None:
                        yield [ast.Name(name, ast.Store())], n.value


def _bound(target: ast.expr) -> set[str]:
    """What a target binds or changes: `a` and `b` of `a, b`, `x` of `x[i]`, `y` of `self.y`."""
    while isinstance(target, ast.Subscript | ast.Starred):
        target = target.value
    if isinstance(target, ast.Tuple | ast.List):
        return {name for part in target.elts for name in _bound(part)}
    return {tail(target)} - {""}


def made_from(node: ast.AST, tree: ast.AST) -> set[str]:
    """All names that go into a value, by whatever way: not those that are imported."""
    return behind(names_in(node), flows(tree)) - imported(tree)


@kept_by_node
def imported(tree: ast.AST) -> set[str]:
    return {n.asname or n.name for n in walk(tree) if isinstance(n, ast.alias)}


@kept_by_node
def trained_on(tree: ast.AST) -> set[str]:
    """All names that go into what backward() is called of."""
    given = [n for c in method_calls(tree, "backward") for n in (c.func, *c.args)]
    return {name for node in given for name in made_from(node, tree)}


@kept_by_node
def unused(tree: ast.AST) -> set[str]:
    """The variables that go into nothing but what goes into nothing; they may be counted."""
    made: set[str] = set()
    plain: set[ast.AST] = set()  # statements that do nothing but bind names
    for node in walk(tree):
        if isinstance(node, ast.Assign) and all(map(_are_names, node.targets)):
            plain.add(node)
            made |= {name for t in node.targets for name in _bound(t)}
    within = {n for s in plain for n in walk(s)}
    used: set[str] = set()
    for node in walk(tree):
        if node not in within and isinstance(node, ast.stmt | ast.ExceptHandler):
            parts = [n for n in ast.iter_child_nodes(node) if not isinstance(n, ast.stmt)]
            used |= {name for part in parts for name in names_in(part)}
    used |= {n for s in plain for n in names_in(s) if n not in made}
    return made - behind(used, flows(tree))


def _are_names(target: ast.expr) -> bool:
    parts = target.elts if isinstance(target, ast.Tuple) else [target]
    return all(isinstance(p, ast.Name) for p in parts)


class Split(NamedTuple):
    """Where data are cut into parts: the whole, the parts to be trained on, the others."""

    node: ast.Assign
    whole: frozenset[str]
    training: frozenset[str]
    held: frozenset[str]


@kept_by_node
def splits(tree: ast.AST) -> tuple[Split, ...]:
    """Each cut of the data, by a function or by slices of one tensor."""
    found: list[Split] = []
    cut: dict[str, list[tuple[str, ast.Assign]]] = {}
    for node in walk(tree):
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=parts)], value=ast.Call() as call) if (
                "split" in callee(call) and all(isinstance(p, ast.Name) for p in parts)
            ):
                whole = {dotted(a) for a in call.args} - {""}
                found += _sorted_out(node, whole, {dotted(p) for p in parts})
            case ast.Assign(targets=[target], value=value):
                alone = isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)
                names = target.elts if alone else [target]  # type: ignore[attr-defined]
                given = value.elts if alone else [value]  # type: ignore[attr-defined]
                for name, part in zip(names, given, strict=False):
                    for of in _cut(part):
                        cut.setdefault(of, []).append((dotted(name), node))
    for of, parts_of in cut.items():
        found += _sorted_out(parts_of[-1][1], {of}, {name for name, _ in parts_of})
    return tuple(found)


def _cut(part: ast.expr) -> Iterator[str]:
    """`x` of `x[:n]`, `x[n:]`, `x[rows]`, also where it is scaled or converted then.

    Not that of `x[i:i + 32]`, which is a batch.
    """
    for node in walk(part):
        match node:
            case ast.Subscript(
                slice=ast.Slice(
                    lower=ast.Name(id=at), upper=ast.BinOp(left=ast.Name(id=again), op=ast.Add())
                )
            ) if at == again:
                continue
            case ast.Subscript(value=ast.Name(id=of), slice=ast.Slice() | ast.Name()):
                yield of


def _sorted_out(node: ast.Assign, whole: set[str], parts: set[str]) -> Iterator[Split]:
    held = {p for p in parts if HELD.search(p)}
    rest = parts - held - {""}
    if held and rest:
        yield Split(node, frozenset(whole), frozenset(rest), frozenset(held))


_HELD_TEXT = re.compile(r"(?i)\b(val(id(ation)?)?|test(ing)?|held[- ]?out|unseen)\b[^{}\d]*$")


def figures_of_held(tree: ast.AST) -> Iterator[tuple[ast.AST, str, ast.expr]]:
    """What is called a figure of held-out data, by its variable or by what is printed before it."""
    for node in walk(tree):
        match node:
            case (
                ast.Assign(targets=[target], value=value)
                | ast.AugAssign(target=target, value=value)
            ):
                parts = target.elts if isinstance(target, ast.Tuple) else [target]
                for name in map(dotted, parts):
                    if HELD.search(name) and FIGURE.search(name) and not TRAINING.search(name):
                        yield node, f"`{name}`", value
            case ast.JoinedStr(values=parts):
                for before, part in pairwise(parts):
                    match before, part:
                        case ast.Constant(value=str() as text), ast.FormattedValue(value=value):
                            if _is_held(text):
                                yield node, f"`{ast.unparse(value)}`", value
            case ast.Call(func=ast.Name(id="print"), args=args):
                for before, value in pairwise(args):
                    match before:
                        case ast.Constant(value=str() as text) if _is_held(text):
                            yield node, f"`{ast.unparse(value)}`", value


def _is_held(text: str) -> bool:
    return _HELD_TEXT.search(text) is not None and not re.search(r"(?i)train", text[-20:])
