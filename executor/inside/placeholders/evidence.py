"""Read what an error shows: the values that it was raised with and over, and where.

No code of the snippet's runs for that: it may be what failed.
"""

from __future__ import annotations

import ast
import inspect
import types
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from executor.inside.placeholders.not_installed import module_of

EACH = 50  # parts of a container that are looked at


def chain(error: BaseException) -> Iterator[BaseException]:
    """The error, and those that it was raised from or while handling."""
    seen: set[int] = set()
    todo: list[BaseException | None] = [error]
    while todo:
        e = todo.pop()
        if e is None or id(e) in seen:
            continue
        seen.add(id(e))
        yield e
        todo += [e.__cause__, e.__context__]


def frames(error: BaseException) -> list[types.FrameType]:
    """The frames that an error came through, outermost first."""
    found = []
    tb = error.__traceback__
    while tb is not None:
        found.append(tb.tb_frame)
        tb = tb.tb_next
    return found


def handed(error: BaseException, filename: str) -> Iterator[object]:
    """What the error was made with, and what the library's frames that it came through hold."""
    yield getattr(error, "obj", None)
    yield from shallow(error.args)
    came = frames(error)
    own = [n for n, frame in enumerate(came) if frame.f_code.co_filename == filename]
    for frame in came[own[-1] + 1 :] if own else ():
        for value in list(frame.f_locals.values()):
            # All that the snippet binds is no argument of the call.
            if not (type(value) is dict and value.get("__name__") == "__main__"):
                yield from shallow((value,))


def shallow(values: Iterable[object], depth: int = 2) -> Iterator[object]:
    """The values, and those in the lists and dictionaries among them."""
    for value in values:
        yield value
        if depth and type(value) in (list, tuple, set, dict):
            parts: Any = value.values() if isinstance(value, dict) else value
            yield from shallow(list(parts)[:EACH], depth - 1)


def conditions(tree: ast.Module, line: int | None) -> list[ast.AST]:
    """The conditions of the branches that a line stands in."""
    return [
        node.test
        for node in ast.walk(tree)
        if isinstance(node, (ast.If, ast.While, ast.Assert)) and spans(node, line)
    ]


def spans(node: ast.stmt | ast.ExceptHandler, line: int | None) -> bool:
    """Whether a line is one of a statement's."""
    return line is not None and node.lineno <= line <= (node.end_lineno or node.lineno)


def operands(expression: ast.AST, scope: Mapping[str, object]) -> Iterator[object]:
    """The values that the failing operation itself works on.

    Of `loss(net(x), y)` the inner call has succeeded, so what it was given does not count; nor does
    a function that is called count with all that it names, since none of its lines failed.
    """
    if isinstance(expression, ast.stmt):  # its columns are unknown: any part of it
        for part in ast.iter_child_nodes(expression):
            if not isinstance(part, ast.stmt):
                yield from operands(part, scope)
        return
    called = expression.func if isinstance(expression, ast.Call) else None
    for node in _outer(expression):
        known, value = value_of(node, scope)
        if known and (node is not called or type(value) not in (types.FunctionType, type)):
            yield value


def _outer(node: ast.AST) -> Iterator[ast.expr]:
    """The names and attributes of an expression, but those of the calls within it."""
    for part in ast.iter_child_nodes(node):
        if isinstance(part, (ast.Name, ast.Attribute)):
            yield part
        elif not isinstance(part, (ast.Call, ast.stmt)):
            yield from _outer(part)
    if isinstance(node, (ast.Name, ast.Attribute)):
        yield node


def value_of(node: ast.expr, scope: Mapping[str, object]) -> tuple[bool, object]:
    """The value of `a` or `a.b.c`, read without running any code of its class."""
    if isinstance(node, ast.Name):
        return node.id in scope, scope.get(node.id)
    if not isinstance(node, ast.Attribute):
        return False, None
    known, owner = value_of(node.value, scope)
    if not known or module_of(owner):
        return known, owner
    # A module keeps its layers, parameters and buffers in dictionaries of its own.
    for kept in getattr(owner, "__dict__", {}).values():
        if type(kept) is dict and node.attr in kept:
            return True, kept[node.attr]
    missing = object()
    found = inspect.getattr_static(owner, node.attr, missing)
    return found is not missing, found
