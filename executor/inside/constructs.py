"""List the calls and changes that a snippet's text holds, for what is said of code that cannot run.

The syntax tree is read and nothing is run, so the list is there also where the run ends early.
"""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator
from itertools import islice
from typing import Literal

from executor.protocol import Construct

_MOST = 400  # constructs of a report
_READ = 4_000  # constructs that are looked at, before the first ones by line are taken
_NAME, _ARGUMENT, _LINE = 80, 60, 160  # characters
_LINES = 4  # of an expression that is quoted
_LARGEST = 10**12
_OPERATORS: dict[type[ast.operator], Callable[[int, int], int]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.FloorDiv: operator.floordiv,
}


def constructs(tree: ast.Module, code: str) -> tuple[Construct, ...]:
    """All of them in the order of their lines, up to a limit."""
    found = islice(_Constructs(code).of(tree), _READ)
    return tuple(sorted(found, key=lambda c: c.line)[:_MOST])


class _Constructs:
    """The constructs of one snippet, each with its own text."""

    def __init__(self, code: str) -> None:
        # The tree's columns count bytes.
        self._lines = [line.encode("utf-8", "replace") for line in code.split("\n")]

    def of(self, tree: ast.Module) -> Iterator[Construct]:
        targets: dict[int, str] = {}  # id of a value → what it is assigned to
        then: dict[int, str] = {}  # id of a call → the attribute that is asked of its result
        inner: set[int] = set()  # attributes that are a part of a longer name, or called
        for node in ast.walk(tree):
            match node:
                case ast.Assign(targets=[target, *_], value=value):
                    targets[id(value)] = self._text(target, _NAME)
                case ast.Attribute(value=value, attr=attr):
                    then[id(value)] = attr
                    inner.add(id(value))
                case ast.Call(func=func):
                    inner.add(id(func))
        for node in ast.walk(tree):
            match node:
                case ast.Call():
                    yield Construct(
                        kind="call",
                        name=self._called(node.func),
                        # The line that names what is called: a chain begins further up.
                        line=node.func.end_lineno or node.lineno,
                        code=self._line(node.func.end_lineno or node.lineno),
                        target=targets.get(id(node), ""),
                        arguments=tuple(self._argument(a) for a in node.args[:12]),
                        keywords={
                            k.arg: self._argument(k.value) for k in node.keywords[:12] if k.arg
                        },
                        then=then.get(id(node), ""),
                    )
                case ast.AugAssign(target=target, value=value):
                    yield self._change("update", target, value)
                case ast.Assign(targets=[ast.Subscript(value=target), *_], value=value):
                    yield self._change("item", target, value)
                case ast.Assign(targets=[ast.Attribute() as target, *_], value=value):
                    yield self._change("attribute", target, value)
                case ast.Attribute(ctx=ast.Load()) if id(node) not in inner:
                    yield Construct(
                        kind="read",
                        name=self._text(node, _NAME) or node.attr,
                        line=node.lineno,
                        code=self._line(node.lineno),
                    )

    def _change(
        self, kind: Literal["update", "item", "attribute"], target: ast.expr, value: ast.expr
    ) -> Construct:
        return Construct(
            kind=kind,
            name=self._text(target, _NAME),
            line=target.lineno,
            code=self._line(target.lineno),
            arguments=(self._argument(value),),
        )

    def _called(self, func: ast.expr) -> str:
        """What is called as it is written; of a long chain, or over several lines, its end."""
        match func:
            case ast.Name(id=name):
                return name
            case ast.Attribute(attr=attr):
                written = self._text(func, 2 * _NAME)
                whole = written and "…" not in written and len(written) <= _NAME
                return written if whole else f"….{attr}"
        return self._text(func, _NAME)

    def _argument(self, value: ast.expr) -> str:
        number = _number(value)
        return str(number) if number is not None else self._text(value, _ARGUMENT)

    def _text(self, node: ast.expr, limit: int) -> str:
        """The node as it is written; empty if that is over many lines."""
        first, last = node.lineno, node.end_lineno or node.lineno
        if last - first >= _LINES or last > len(self._lines):
            return ""
        lines = self._lines[first - 1 : last]
        lines[-1] = lines[-1][: node.end_col_offset]
        lines[0] = lines[0][node.col_offset :]
        return _cut(" ".join(b" ".join(lines).decode("utf-8", "replace").split()), limit)

    def _line(self, number: int) -> str:
        return _cut(self._lines[number - 1].decode("utf-8", "replace").strip(), _LINE)


def _number(value: ast.expr, depth: int = 0) -> int | None:
    """A whole number that is written, or computed from written ones."""
    if depth > 8:
        return None
    match value:
        case ast.Constant(value=int() as n) if not isinstance(n, bool) and abs(n) < _LARGEST:
            return n
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            positive = _number(operand, depth + 1)
            return None if positive is None else -positive
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            a, b = _number(left, depth + 1), _number(right, depth + 1)
            if a is None or b is None or (isinstance(op, ast.FloorDiv) and b == 0):
                return None
            result = _OPERATORS[type(op)](a, b)
            return result if abs(result) < _LARGEST else None
    return None


def _cut(written: str, limit: int) -> str:
    return written if len(written) <= limit else written[: limit - 1] + "…"
