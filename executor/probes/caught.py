"""Exceptions that the snippet itself caught, at about no cost.

A call of the recorder is put first into every `except` clause of the syntax tree, at the position
of what stands there already, so lines stay the person's and the source file is untouched. A trace
function would see more, but it changes what torch.compile compiles.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import functools
import sys
from collections.abc import Callable
from types import TracebackType

from executor.job import Caught
from executor.probes import exceptions
from executor.probes.source import Source

_RECORDER = "__torchmedic_caught__"
_MOST = 50
_INTROSPECTION = frozenset(
    ("settrace", "setprofile", "monitoring", "dis", "get_instructions", "__code__", "co_code",
     "co_consts", "co_names", "builtins", "__builtins__")
)  # fmt: skip


class CaughtProbe:
    """Records what the snippet's own handlers take."""

    def __init__(self, source: Source, printed_bytes: Callable[[], int]) -> None:
        self.source = source
        self.handlers = 0
        self.seen: list[Caught] = []
        self.also: Callable[[BaseException], None] | None = None  # who else wants to see them
        self._printed_bytes = printed_bytes
        self._known: set[tuple[str, str, int | None]] = set()

    def instrument(self, tree: ast.Module) -> ast.Module:
        """Add the recorder to every handler of the tree, in place.

        A program that traces itself or reads its own code would see it: there it stays out, and
        only `contextlib.suppress` is watched.
        """
        if _looks_at_itself(tree):
            return tree
        for node in ast.walk(tree):
            if isinstance(node, ast.ExceptHandler):
                self.handlers += 1
                first = node.body[0]
                call = ast.Call(ast.Name(_RECORDER, ast.Load()), [ast.Constant(node.lineno)], [])
                node.body.insert(0, ast.copy_location(ast.Expr(call), first))
                for part in ast.walk(node.body[0]):
                    ast.copy_location(part, first)
        if self.handlers:
            setattr(builtins, _RECORDER, self._in_handler)
        return tree

    def start(self) -> None:
        """Watch `contextlib.suppress`."""
        original = contextlib.suppress.__exit__

        @functools.wraps(original)
        def leave(
            suppress: contextlib.suppress,
            kind: type[BaseException] | None,
            error: BaseException | None,
            tb: TracebackType | None,
        ) -> bool:
            taken = original(suppress, kind, error, tb)
            if taken and error is not None:
                self._record(error, self.source.line_now())
            return bool(taken)

        contextlib.suppress.__exit__ = leave  # type: ignore[method-assign]

    def _in_handler(self, handler_line: int) -> None:
        error = sys.exc_info()[1]
        if error is not None:
            self._record(error, handler_line)

    def _record(self, error: BaseException, handler_line: int | None) -> None:
        if len(self.seen) >= _MOST or isinstance(error, (StopIteration, GeneratorExit)):
            return
        try:
            seen = exceptions.describe(error, self.source, silently=True)
            key = (seen.type, seen.message, seen.line)
            if key in self._known:  # the same failure in every turn of a loop is one fact
                return
            self._known.add(key)
            if self.also is not None and not self.seen:
                self.also(error)
            self.seen.append(
                Caught(
                    type=seen.type,
                    message=seen.message,
                    line=seen.line,
                    handler_line=handler_line,
                    code=seen.code,
                    origin=seen.origin,
                    traceback=seen.traceback,
                    stdout_bytes=self._printed_bytes(),
                )
            )
        except Exception:
            pass  # the snippet's own handling must go on whatever happens to our notes


def _looks_at_itself(tree: ast.Module) -> bool:
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(attr=name) | ast.Name(id=name) | ast.alias(name=name):
                if name in _INTROSPECTION:
                    return True
    return False
