"""Record which statements of the snippet were carried out, what each printed, and what it made.

A trace function hears of every line. It is asked for by audits alone: it costs time, and it would
change what torch.compile compiles, so a program that asks for that goes without.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

from executor.inside.interpreter import Anything, settrace
from executor.protocol import StatementSeen

_MOST = 400  # statements of a report
_PARTS = 40  # pieces of output of one statement, and times that its tensors are looked at
_SHAPES = 4  # different shapes of one name
_IN_A_LINE = frozenset({"<listcomp>", "<dictcomp>", "<setcomp>", "<genexpr>", "<lambda>"})


class StatementsProbe:
    """Listens to one run, from the line before it begins until the trace function is taken away."""

    def __init__(self, tree: ast.Module, filename: str, printed_bytes: Callable[[], int]) -> None:
        """Take the tree as it was written, before anything is added to it."""
        self._filename = filename
        self._printed_bytes = printed_bytes
        self._statements = sorted(_statements(tree), key=lambda s: (s.first, -s.last))[:_MOST]
        self._at: dict[int, int] = {}  # line → the innermost statement there
        for n, statement in enumerate(self._statements):
            self._at |= dict.fromkeys(range(statement.first, statement.last + 1), n)
        self._binds = [_bound(s) for s in self._statements]
        count = len(self._statements)
        self._times, self._began = [0] * count, [0] * count
        self._printed: list[list[tuple[int, int]]] = [[] for _ in range(count)]
        self._shapes: list[dict[str, list[tuple[int, ...]]]] = [{} for _ in range(count)]
        self._now, self._written = -1, 0

    def start(self) -> None:
        """Listen to what this thread does next."""
        settrace(self._entered)

    def seen(self) -> tuple[StatementSeen, ...]:
        """Every statement, with what became of it."""
        self._note_output()
        return tuple(
            StatementSeen(
                kind=s.kind,
                calls=s.calls, first=s.first, last=s.last, inside=s.inside, handles=s.handles,
                times=self._times[n], began=self._began[n], printed=tuple(self._printed[n]),
                shapes={name: tuple(found) for name, found in self._shapes[n].items()},
            )
            for n, s in enumerate(self._statements)
        )  # fmt: skip

    def _entered(self, frame: FrameType, event: str, _: object) -> Callable[..., Any] | None:
        code = frame.f_code
        if code.co_filename != self._filename or code.co_name in _IN_A_LINE:
            return None
        at, caller = -1, self._now

        def follow(frame: FrameType, event: str, _: object) -> Callable[..., Any] | None:
            nonlocal at
            try:
                self._note_output()
                if event == "exception":
                    at = -1  # it made nothing
                    return follow
                if at >= 0:
                    self._note_shapes(at, frame)
                if event == "return":
                    self._now = caller
                    return follow
                n = self._at.get(frame.f_lineno, -1)
                if n >= 0 and n != at:
                    self._times[n] += 1
                    if self._times[n] == 1:
                        self._began[n] = self._written
                at = self._now = n
            except Anything:  # whatever the snippet did to it: this is no failure of its own
                settrace(None)
                self._statements = []  # half a record would say that the rest never ran
            return follow

        return follow

    def _note_output(self) -> None:
        written = self._printed_bytes()
        if written > self._written and self._now >= 0:
            parts = self._printed[self._now]
            if len(parts) < _PARTS:
                parts.append((self._written, written))
        self._written = written

    def _note_shapes(self, n: int, frame: FrameType) -> None:
        if not self._binds[n] or self._times[n] > _PARTS or "torch" not in sys.modules:
            return
        tensor = sys.modules["torch"].Tensor
        for name in self._binds[n]:
            value: Any = frame.f_locals.get(name)
            if issubclass(type(value), tensor):
                found = self._shapes[n].setdefault(name, [])
                shape = tuple(int(size) for size in value.shape)
                if shape not in found and len(found) < _SHAPES:
                    found.append(shape)


class _Statement:
    def __init__(self, node: ast.stmt, inside: tuple[str, ...]) -> None:
        self.node = node
        self.kind = type(node).__name__.casefold()
        starts = [d.lineno for d in getattr(node, "decorator_list", ())]
        self.first, self.last = min([node.lineno, *starts]), node.end_lineno or node.lineno
        self.inside = inside
        called = node.value if isinstance(node, ast.Expr) else None
        self.calls = ast.unparse(called.func)[:80] if isinstance(called, ast.Call) else ""
        handlers = node.handlers if isinstance(node, (ast.Try, ast.TryStar)) else ()
        caught = [h.type for h in handlers if h.type is not None]
        each = [e for t in caught for e in (t.elts if isinstance(t, ast.Tuple) else (t,))]
        self.handles = tuple(ast.unparse(e).rpartition(".")[2] for e in each)[:8]


def _statements(node: ast.AST, inside: tuple[str, ...] = ()) -> Iterator[_Statement]:
    """Each statement that the interpreter carries out, with what it stands in, the outermost first.

    Docstrings, declarations and a lone `...` are none.
    """
    for child in ast.iter_child_nodes(node):
        around = inside
        if isinstance(child, ast.stmt):
            constant = isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant)
            empty = isinstance(child, ast.AnnAssign) and child.value is None
            if not (constant or empty or isinstance(child, (ast.Global, ast.Nonlocal))):
                yield _Statement(child, inside)
        if isinstance(child, (ast.stmt, ast.ExceptHandler)):
            around = (*inside, type(child).__name__.casefold())
        if isinstance(child, (ast.stmt, ast.ExceptHandler, ast.match_case)):
            yield from _statements(child, around)


def _bound(statement: _Statement) -> frozenset[str]:
    """The names that it gives a value itself."""
    node, found = statement.node, list[ast.AST]()
    if isinstance(node, ast.Assign):
        found += node.targets
    elif isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.For)):
        found.append(node.target)
    elif isinstance(node, ast.With):
        found += [item.optional_vars for item in node.items if item.optional_vars is not None]
    names = (n for target in found for n in ast.walk(target) if isinstance(n, ast.Name))
    return frozenset(n.id for n in names if isinstance(n.ctx, ast.Store))
