"""Decide whether an error comes from a module that is not installed, wherever it was raised.

The import that failed, and was left out or caught, is long over when Python or a library raises an
error of its own over what was bound in its place. So the evidence is looked for in that error: in
its message, in what it was raised with and while, and in the values of the failing expression. In
doubt it is the module's.
"""

from __future__ import annotations

import ast
import re
import types
from collections.abc import Iterator, Mapping
from typing import Any

from executor.inside.libraries import silent
from executor.inside.placeholders.blame import expression_at
from executor.inside.placeholders.evidence import EACH, chain, conditions, handed, operands, spans
from executor.inside.placeholders.modules import is_installed
from executor.inside.placeholders.not_installed import CLASS_NAME, module_of
from executor.protocol import ErrorSeen

_NAMED = re.compile(rf"\b{CLASS_NAME}\b")
_DEPTH = 3


class Absence:
    """What one snippet's errors have to do with the modules that are not installed."""

    def __init__(self, tree: ast.Module, filename: str) -> None:
        self._tree = tree
        self._filename = filename
        self._expected = list(_expected(tree))

    def module(self, error: BaseException, seen: ErrorSeen, scope: Mapping[str, object]) -> str:
        """The module that an error comes from, because it is not installed; empty if none.

        Args:
            error: the exception, with its traceback.
            seen: the same error as the report describes it.
            scope: the failing frame's variables.
        """
        every = [name for value in scope.values() if (name := module_of(value))]
        every += silent.imported()
        try:
            return self._found(error, seen, scope, every)
        except Exception:  # a value of the snippet's own that cannot be looked at
            return next(iter(every), "")

    def _found(
        self,
        error: BaseException,
        seen: ErrorSeen,
        scope: Mapping[str, object],
        every: list[str],
    ) -> str:
        """The same, of all the modules that the run went on without."""
        for name in map(module_of, handed(error, self._filename)):
            if name:
                return name
        for e in chain(error):
            if isinstance(e, ModuleNotFoundError) and e.name in every:
                return str(e.name)
            if _NAMED.search(_words(e)):
                return next(iter(every), "")
        expression = expression_at(self._tree, seen)
        if expression is None:
            return ""
        for value in operands(expression, scope):
            if name := self._within(value, scope):
                return name
        return self._expected_by(expression, seen)

    def _within(self, value: object, scope: Mapping[str, object], depth: int = _DEPTH) -> str:
        """The module without which a value is not what it is at home; empty if that is none."""
        if name := module_of(value):
            return name
        if depth == 0:
            return ""
        for part in self._parts(value, scope):
            if name := self._within(part, scope, depth - 1):
                return name
        return ""

    def _parts(self, value: object, scope: Mapping[str, object]) -> Iterator[object]:
        kind = type(value)
        if kind in (list, tuple, set, frozenset):
            yield from list(value)[:EACH]  # type: ignore[call-overload]
        elif kind is dict:
            yield from list(value.values())[:EACH]  # type: ignore[attr-defined]
        elif kind is types.FunctionType:
            yield from self._used_by(value, scope)
        elif kind is types.MethodType:
            yield value.__func__  # type: ignore[attr-defined]
        elif issubclass(kind, type):
            if _is_of(value, "__main__"):
                yield from list(vars(value).values())
        elif _is_of(kind, "__main__"):
            yield from list(getattr(value, "__dict__", {}).values())[:EACH]
            yield kind

    def _used_by(self, function: Any, scope: Mapping[str, object]) -> Iterator[object]:
        """What a function of the snippet closes over, defaults to and names."""
        if function.__code__.co_filename != self._filename:
            return
        yield from function.__defaults__ or ()
        for cell in function.__closure__ or ():
            try:
                yield cell.cell_contents
            except ValueError:
                continue
        for name in _global_names(function.__code__):
            if name in function.__globals__:
                value = function.__globals__[name]
                if module_of(value) or type(value) is types.FunctionType:
                    yield value

    def _expected_by(self, expression: ast.AST, seen: ErrorSeen) -> str:
        """The module of a `try` that expects it to be absent, if the error comes of what it did.

        It comes up in the handler, or works on a name that the `try` binds, or is raised on purpose
        where such a name decides.
        """
        for attempt, module, bound in self._expected:
            within = any(spans(handler, seen.line) for handler in attempt.handlers)
            deciding: list[ast.AST] = [expression]
            if seen.origin == "raise" or seen.type in ("SystemExit", "AssertionError"):
                deciding += conditions(self._tree, seen.line)
            told = _told_by(self._tree, bound)
            if within or any(_names(part) & told for part in deciding):
                return module
        return ""


def _expected(tree: ast.Module) -> Iterator[tuple[ast.Try, str, frozenset[str]]]:
    """Each `try` whose import finds nothing here, that module, and the names that it binds."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Try) or not node.handlers:
            continue
        for statement in (n for part in node.body for n in ast.walk(part)):
            for module in _imports(statement):
                if not is_installed(module):
                    yield node, module, frozenset(_bound(node))


def _imports(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Import):
        yield from (alias.name for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
        yield node.module


def _bound(attempt: ast.Try) -> Iterator[str]:
    handlers = [s for handler in attempt.handlers for s in handler.body]
    for part in (*attempt.body, *handlers, *attempt.orelse):
        for node in ast.walk(part):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
                yield node.id
            elif isinstance(node, (ast.Import, ast.ImportFrom)):
                yield from (a.asname or a.name.partition(".")[0] for a in node.names)
            elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                yield node.name


def _told_by(tree: ast.Module, bound: frozenset[str]) -> frozenset[str]:
    """The names, and those of functions that return what one of them holds."""
    functions = {
        node.name
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef)
        and any(isinstance(n, ast.Return) and n.value and _names(n.value) & bound
                for n in ast.walk(node))
    }  # fmt: skip
    return bound | functions


def _names(node: ast.AST) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)}


def _global_names(code: types.CodeType) -> Iterator[str]:
    yield from code.co_names
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from _global_names(constant)


def _is_of(kind: Any, module: str) -> bool:
    return bool(type.__dict__["__dict__"].__get__(kind).get("__module__") == module)


def _words(error: BaseException) -> str:
    try:
        return str(error)[:20_000]
    except BaseException:
        return ""
