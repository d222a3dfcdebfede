"""Say with which sign each quantity stands in what is trained, whatever it goes through on the way.

From what `backward()` is called of, or a function returns to it, a sum is followed into its terms:
through variables that are given one value, means, sums and factors that are numbers, and into the
functions of the code that are called for it. What it ends in are quantities, each with its sign.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import NamedTuple

from executor.inside.remarks.syntax import (
    assigned,
    dotted,
    functions,
    inside,
    made_of,
    method_calls,
    methods_named,
    module_classes,
    tail,
    walk,
    words,
)
from executor.inside.walking import kept_by_node

_DEEP = 16  # steps from the loss to a quantity
_FACTOR = re.compile(
    r"(?i)lam|alpha|beta|gamma|coef|weight|^wd$|^w_|strength|^reg_|scale|^c\d?$|^k$"
)
_KEPT = {"mean", "sum", "squeeze", "view", "reshape", "float", "to", "unsqueeze", "flatten"}


class Frame(NamedTuple):
    """A function as it is called: its own statements, and what its arguments are given there."""

    scope: ast.AST
    given: dict[str, tuple[ast.expr, Frame]]
    around: ast.AST | None  # the module, whose variables it reads too


class Quantity(NamedTuple):
    """What a loss is made of, with its sign there, and the statement of the trained value."""

    sign: int
    node: ast.expr
    frame: Frame
    loss: ast.AST
    ends: bool  # whether it is followed no further


@kept_by_node
def quantities(tree: ast.AST) -> tuple[Quantity, ...]:
    """All that is trained, in quantities; the sums and products on the way among them."""
    found: list[Quantity] = []
    for loss, value, scope in _trained(tree):
        around = None if scope is tree else tree
        found += _Way(tree, loss).follow(1, value, Frame(scope, {}, around), 0)
    return tuple(found)


def _trained(tree: ast.AST) -> Iterator[tuple[ast.AST, ast.expr, ast.AST]]:
    """What each call of backward() goes back from, and the scope that it is in."""
    for scope in (tree, *(n for n in walk(tree) if isinstance(n, ast.FunctionDef))):
        own = set(inside(scope))
        for call in method_calls(tree, "backward"):
            if call in own and isinstance(call.func, ast.Attribute):
                of = call.func.value
                if isinstance(of, ast.Call) and tail(of) == "scale" and of.args:
                    of = of.args[0]
                of = call.args[0] if dotted(of) in ("accelerator", "self.accelerator") else of
                yield call, of, scope
        if isinstance(scope, ast.FunctionDef) and scope.name == "training_step":
            yield from ((n, n.value, scope) for n in own if isinstance(n, ast.Return) and n.value)


def resolved(node: ast.expr, frame: Frame) -> tuple[ast.expr, Frame]:
    """What an argument was given, or a variable that is given one value."""
    for _ in range(_DEEP):
        name = dotted(node)
        if not name:
            break
        if name in frame.given:
            node, frame = frame.given[name]
            continue
        value, grown, frame = values_at(node, frame)
        if value is None or grown:
            break
        node = value
    return node, frame


_Grown = list[tuple[int, ast.expr]]


def values_at(node: ast.expr, frame: Frame) -> tuple[ast.expr | None, _Grown, Frame]:
    """What a variable holds where it is read, and what was added to it; None if that may differ.

    Of `kl = kl.sum(1)` behind `kl = a - b` it is what the last one before gave.
    """
    name = dotted(node)
    stores = _stores(frame.scope)
    if name not in stores and frame.around is not None and "." not in name:
        frame = Frame(frame.around, {}, None)
        stores = _stores(frame.scope)
    base, grown = stores.get(name, ([], []))
    if len(base) > 1 and all(name in words(v) for v in base[1:]) and not grown:
        before = [v for v in base if getattr(v, "end_lineno", 0) < getattr(node, "lineno", 0)]
        return (before[-1] if before else None), [], frame
    return (base[0] if len(base) == 1 else None), grown, frame


@kept_by_node
def _stores(scope: ast.AST) -> dict[str, tuple[list[ast.expr], _Grown]]:
    """Variable → what it is given, and what is added to it afterwards, with its sign."""
    found: dict[str, tuple[list[ast.expr], _Grown]] = {}
    for node in sorted(inside(scope), key=lambda n: getattr(n, "lineno", 0)):
        if isinstance(node, ast.AugAssign):
            sign = {ast.Add: 1, ast.Sub: -1}.get(type(node.op), 0)
            base, grown = found.setdefault(dotted(node.target), ([], []))
            if sign:
                grown.append((sign, node.value))
            elif not isinstance(node.op, ast.Mult | ast.Div):
                base += [node.value, node.value]  # nothing is known of it
            continue
        if not isinstance(node, ast.Assign):
            for taken in _other_stores(node):
                found.setdefault(taken, ([], []))[0].extend([ast.Constant(None)] * 2)
            continue
        for _, name, value in assigned(node):
            base, grown = found.setdefault(name, ([], []))
            match value:
                case ast.BinOp(left=left, op=ast.Add() | ast.Sub() as op, right=right) if (
                    dotted(left) == name
                ):
                    grown.append((1 if isinstance(op, ast.Add) else -1, right))
                case _:
                    base.append(value)
        for target in node.targets:
            if isinstance(target, ast.Tuple) and not isinstance(node.value, ast.Tuple):
                for at, part in enumerate(target.elts):
                    picked = ast.Subscript(node.value, ast.Constant(at), ast.Load())
                    found.setdefault(dotted(part), ([], []))[0].append(
                        ast.copy_location(picked, node.value)
                    )
    return found


def _other_stores(node: ast.AST) -> list[str]:
    """What a loop, a `with` or a `:=` binds."""
    match node:
        case ast.For(target=target) | ast.NamedExpr(target=target):
            return [n.id for n in walk(target) if isinstance(n, ast.Name)]
    return []


class _Way:
    """The way from one trained value to its quantities."""

    def __init__(self, tree: ast.AST, loss: ast.AST) -> None:
        self._tree, self._loss = tree, loss
        self._own = functions(tree)
        self._classes = {c.name: c for c in module_classes(tree)}
        self._seen: set[tuple[int, int]] = set()

    def follow(self, sign: int, node: ast.expr, frame: Frame, depth: int) -> Iterator[Quantity]:
        key = id(node), sign * len(frame.given)
        if depth > _DEEP or key in self._seen:
            return
        self._seen.add(key)
        parts = [p for p in self._parts(node, frame) if p[0]]
        yield Quantity(sign, node, frame, self._loss, not parts)
        for part_sign, part, part_frame in parts:
            yield from self.follow(sign * part_sign, part, part_frame, depth + 1)

    def _parts(self, node: ast.expr, frame: Frame) -> list[tuple[int, ast.expr, Frame]]:
        match node:
            case ast.UnaryOp(op=ast.USub(), operand=of):
                return [(-1, of, frame)]
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return [(1, left, frame), (1, right, frame)]
            case ast.BinOp(left=left, op=ast.Sub(), right=right):
                return [(1, left, frame), (-1, right, frame)]
            case ast.BinOp(left=left, op=ast.Mult(), right=right):
                return [
                    (self._factor(a, frame), b, frame) for a, b in ((left, right), (right, left))
                ]
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                by = self._factor(right, frame) or (tail(right) in ("len", "size") and 1)
                return [(int(by), left, frame)]
            case ast.Call(func=ast.Attribute(value=ast.Name(id="torch"), attr=attr), args=[of, *_]):
                return self._through(attr, of, frame, node)
            case ast.Call(func=ast.Name(id="sum"), args=[ast.List(elts=parts)]):
                return [(1, p, frame) for p in parts]
            case ast.Call(func=ast.Attribute(value=of, attr="mul" | "div"), args=[by]):
                return [(self._factor(by, frame), of, frame)]
            case ast.Call(func=ast.Attribute(value=of, attr="neg"), args=[]):
                return [(-1, of, frame)]
            case ast.Call(func=ast.Attribute(value=of, attr=attr)) if attr in _KEPT:
                return [(1, of, frame)]
            case ast.Call():
                return [(1, value, inner) for value, inner in self._returned(node, frame, None)]
            case ast.Subscript(value=ast.Call() as call, slice=ast.Constant(value=int() as at)):
                return [(1, value, inner) for value, inner in self._returned(call, frame, at)]
            case ast.Name() | ast.Attribute():
                return self._of_name(node, frame)
        return []

    def _through(
        self, attr: str, of: ast.expr, frame: Frame, call: ast.Call
    ) -> list[tuple[int, ast.expr, Frame]]:
        if attr == "neg":
            return [(-1, of, frame)]
        if attr == "mul" and len(call.args) == 2:
            return [(self._factor(of, frame), call.args[1], frame)]
        return [(1, of, frame)] if attr in _KEPT else []

    def _of_name(
        self, node: ast.Name | ast.Attribute, frame: Frame
    ) -> list[tuple[int, ast.expr, Frame]]:
        name = dotted(node)
        if name in frame.given:
            value, outer = frame.given[name]
            return [(1, value, outer)]
        base, grown, frame = values_at(node, frame)
        return [(s, v, frame) for s, v in [(1, base), *grown]] if base is not None else []

    def _factor(self, node: ast.expr, frame: Frame) -> int:
        """The sign of a number by which a term is multiplied; 0 where it may be none."""
        of, inner = resolved(node, frame)
        match of:
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -self._factor(operand, inner)
            case ast.Constant(value=int() | float() as number):
                return (number > 0) - (number < 0)
            case ast.Name() | ast.Attribute():
                held = [v for v in made_of(of, self._tree) if isinstance(v, ast.Constant)]
                if len(held) == 1 and isinstance(held[0].value, int | float):
                    return (held[0].value > 0) - (held[0].value < 0)
                return int(_FACTOR.search(tail(of)) is not None)
        return 0

    def _returned(
        self, call: ast.Call, frame: Frame, at: int | None
    ) -> list[tuple[ast.expr, Frame]]:
        """What a function of the code returns, or one part of that; with its arguments."""
        function = self._called(call)
        if function is None:
            return []
        values = [n.value for n in inside(function) if isinstance(n, ast.Return) and n.value]
        if len(values) != 1 or any(isinstance(a, ast.Starred) for a in call.args):
            return []
        value = values[0]
        names = [a.arg for a in function.args.args if a.arg not in ("self", "cls")]
        given = {n: (a, frame) for n, a in zip(names, call.args, strict=False)}
        given |= {k.arg: (k.value, frame) for k in call.keywords if k.arg}
        rebound = {n for n in given if n in _stores(function)}
        inner = Frame(function, {n: g for n, g in given.items() if n not in rebound}, self._tree)
        if isinstance(value, ast.Tuple):
            return [(value.elts[at], inner)] if at is not None and at < len(value.elts) else []
        return [(value, inner)] if at is None else []

    def _called(self, call: ast.Call) -> ast.FunctionDef | None:
        name = tail(call)
        held = made_of(call.func, self._tree)
        made = tail(held[0]) if len(held) == 1 and isinstance(held[0], ast.Call) else ""
        made = tail(call.func) if isinstance(call.func, ast.Call) else made
        if made in self._classes:
            return next(iter(methods_named(self._classes[made], "forward")), None)
        function = self._own.get(name)
        if function is None:
            return None
        method = [a.arg for a in function.args.args[:1]] == ["self"]
        return function if method == isinstance(call.func, ast.Attribute) else None
