"""Record the exceptions that the snippet itself caught, at almost no cost.

From Python 3.12 on the interpreter reports them (handled.py). On 3.11 a call of the recorder is
inserted into the syntax tree: at the start of every `except` clause, and before every `return`,
`break` or `continue` that would drop an exception in a `finally`. It takes the position of the
statement after it, so line numbers stay the same, and the source file is untouched. A trace
function would see more, but it changes what torch.compile compiles.
"""

from __future__ import annotations

import ast
import builtins
import contextlib
import functools
import sys
from collections.abc import Callable, Iterable, Iterator
from types import TracebackType

from executor.inside.cut import TrainingCut
from executor.inside.probes import exceptions, handled
from executor.inside.probes.demonstrated import Demonstrations
from executor.inside.probes.source import SnippetSource
from executor.inside.walking import walk
from executor.protocol import Caught, Explanation

_RECORDER = "__torchmedic_caught__"
_MOST = 50
_INTROSPECTION = frozenset(
    ("settrace", "setprofile", "monitoring", "dis", "get_instructions", "__code__", "co_code",
     "co_consts", "co_names", "builtins", "__builtins__")
)  # fmt: skip
_EXPLAINED = 10


class CaughtProbe:
    """Records what the snippet's own handlers catch."""

    def __init__(
        self,
        source: SnippetSource,
        printed_bytes: Callable[[], int],
        explain: Callable[[BaseException], Explanation | None] = lambda _: None,
    ) -> None:
        self.source = source
        self._explain = explain
        self.handlers = 0
        self.seen: list[Caught] = []
        self.also: Callable[[BaseException], None] | None = None  # called with the first one
        self._printed_bytes = printed_bytes
        self._shown: Demonstrations | None = None
        self._known: set[tuple[str, str, int | None]] = set()
        self._handled: handled.Handled | None = None
        if handled.offered():
            self._handled = handled.Handled(source.filename, self._record, self._forget)

    def instrument(self, tree: ast.Module, *, compiles: bool = False) -> ast.Module:
        """Count the handlers; before Python 3.12 add the recorder to each, in place.

        A program that traces itself or reads its own code would see the recorder: there only
        `contextlib.suppress` is watched. With `compiles` it is added only outside of functions:
        a call of ours in a handler that torch.compile traces would break the graph there.
        """
        self._shown = Demonstrations(self.source.lines, tree)
        self.handlers = sum(isinstance(n, ast.ExceptHandler) for n in walk(tree))
        if self._handled is not None or looks_at_itself(tree):
            return tree
        puts = False
        for node in list(_outside_functions(tree) if compiles else ast.walk(tree)):
            if isinstance(node, ast.ExceptHandler):
                _put_first(node.body, 0, node.lineno)
                puts = True
            elif isinstance(node, (ast.Try, ast.TryStar)) and node.finalbody:
                _before_leaving(node.finalbody, in_loop=False)
                puts = True
        if puts:
            setattr(builtins, _RECORDER, self._in_handler)
        return tree

    def start(self) -> None:
        """Listen."""
        if self._handled is not None:
            self._handled.start()
            return
        original = contextlib.suppress.__exit__

        @functools.wraps(original)
        def leave(
            suppress: contextlib.suppress,
            kind: type[BaseException] | None,
            error: BaseException | None,
            tb: TracebackType | None,
        ) -> bool:
            taken = original(suppress, kind, error, tb)
            own = sys._getframe(1).f_code.co_filename == self.source.filename
            if taken and error is not None and own:  # libraries suppress all the time
                self._record(error, self.source.line_now())
            return bool(taken)

        contextlib.suppress.__exit__ = leave  # type: ignore[method-assign]

    def demonstrated(
        self, lines: Iterable[int | None], handler_line: int | None = None, error: str = ""
    ) -> str:
        """How the snippet says that an error is meant; empty if it does not."""
        return self._shown.how(lines, handler_line, error) if self._shown is not None else ""

    def _in_handler(self, handler_line: int) -> None:
        error = sys.exc_info()[1]
        if error is not None:
            self._record(error, handler_line)

    def _forget(self, taken: Caught | None) -> None:
        """Forget an exception that its handler raised again."""
        if taken is not None and taken in self.seen:
            self.seen.remove(taken)
            self._known.discard((taken.type, taken.message, taken.line))

    def _record(self, error: BaseException, handler_line: int | None) -> Caught | None:
        noise = isinstance(error, (StopIteration, StopAsyncIteration, GeneratorExit, TrainingCut))
        if len(self.seen) >= _MOST or noise:
            return None
        try:
            seen = exceptions.describe(error, self.source, silently=True)
            key = (seen.type, seen.message, seen.line)
            if key in self._known:  # the same failure in every turn of a loop is one fact
                return None
            self._known.add(key)
            if self.also is not None and not self.seen:
                self.also(error)
            caught = Caught(
                type=seen.type,
                message=seen.message,
                line=seen.line,
                handler_line=handler_line,
                code=seen.code,
                origin=seen.origin,
                traceback=seen.traceback,
                stdout_bytes=self._printed_bytes(),
                explanation=self._explain(error) if len(self.seen) < _EXPLAINED else None,
                family=seen.family,
                demonstrated=self.demonstrated(
                    (seen.line,), handler_line, f"{seen.type}: {seen.message}"
                ),
            )
            self.seen.append(caught)
            return caught
        except Exception:
            return None  # a failing probe must not disturb the snippet's own handling


def _outside_functions(node: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(node):
        if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef)):
            yield child
            yield from _outside_functions(child)


def _put_first(body: list[ast.stmt], at: int, line: int) -> None:
    """Insert a call of the recorder, at the position of the statement already at this index."""
    statement = body[at]
    call = ast.Call(ast.Name(_RECORDER, ast.Load()), [ast.Constant(line)], [])
    body.insert(at, ast.Expr(call))
    for part in ast.walk(body[at]):
        ast.copy_location(part, statement)


def _before_leaving(body: list[ast.stmt], *, in_loop: bool) -> None:
    """Insert the recorder before each statement that leaves a `finally` and drops an exception."""
    for statement in list(body):
        leaves = isinstance(statement, ast.Return) or (
            isinstance(statement, (ast.Break, ast.Continue)) and not in_loop
        )
        if leaves:
            _put_first(body, body.index(statement), statement.lineno)
        elif not isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            loop = in_loop or isinstance(statement, (ast.For, ast.AsyncFor, ast.While))
            for field in ("body", "orelse", "finalbody"):
                _before_leaving(getattr(statement, field, []), in_loop=loop)


def looks_at_itself(tree: ast.Module) -> bool:
    """Whether a program traces itself or reads its own code."""
    for node in walk(tree):
        match node:
            case ast.Attribute(attr=name) | ast.Name(id=name) | ast.alias(name=name):
                if name in _INTROSPECTION:
                    return True
    return False
