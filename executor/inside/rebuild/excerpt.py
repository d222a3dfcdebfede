"""Leave out of a program what lies above the failing statement and needs what was not posted.

What it would have computed is then a name without a value, and gets one that fits the message.
"""

from __future__ import annotations

import ast
import builtins
from collections.abc import Iterable

_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
_KEPT = (*_DEFINITIONS, ast.Import, ast.ImportFrom)
_BLOCKS = ("body", "orelse", "finalbody")


def left_out(
    tree: ast.Module, places: Iterable[frozenset[int]], known: Iterable[str]
) -> tuple[int, ...]:
    """The lines of what is left out; empty if nothing has to be.

    Args:
        tree: the program.
        places: the lines that each frame of the traceback quotes, outermost first. The first of
            them outside of definitions is the failing statement; without any, all is left out
            that needs what is not there, so that the definitions can be called.
        known: names that are there before it runs.
    """
    inside = {
        n for node in ast.walk(tree) if isinstance(node, _DEFINITIONS) for n in _lines_of(node)
    }
    target = next((lines - inside for lines in places if lines - inside), frozenset[int]())
    defined = {node.name for node in ast.walk(tree) if isinstance(node, _DEFINITIONS)}
    excerpt = _Excerpt(target, {*known, *defined, *dir(builtins)})
    excerpt.walk(tree.body)
    return tuple(sorted(excerpt.out)) if excerpt.found or not target else ()


class _Excerpt:
    def __init__(self, target: frozenset[int], known: set[str]) -> None:
        self.target = target
        self.known = known
        self.out: set[int] = set()
        self.found = False

    def walk(self, body: list[ast.stmt]) -> None:
        """Go through a block down to the failing statement."""
        for node in body:
            if isinstance(node, _KEPT):
                self.known |= _bound(node)
            elif self.found:
                self.out |= _lines_of(node)
            elif self.target & _lines_of(node):
                self._into(node)
            elif _read(node) - self.known:
                self.out |= _lines_of(node)
                self.known -= _bound(node)
            else:
                self.known |= _bound(node)

    def _into(self, node: ast.stmt) -> None:
        for name in _BLOCKS:
            block = getattr(node, name, [])
            if any(self.target & _lines_of(inner) for inner in block):
                self.known |= _bound(node)
                self.walk(block)
        self.found = True


def _lines_of(node: ast.stmt) -> set[int]:
    return set(range(node.lineno, (node.end_lineno or node.lineno) + 1))


def _read(node: ast.stmt) -> set[str]:
    """The names that it reads; what it binds itself, as a comprehension does, is none of them."""
    names = [n for n in ast.walk(node) if isinstance(n, ast.Name)]
    inner = {n.id for part in ast.walk(node) if isinstance(part, ast.comprehension)
             for n in ast.walk(part.target) if isinstance(n, ast.Name)}  # fmt: skip
    return {n.id for n in names if isinstance(n.ctx, ast.Load)} - inner


def _bound(node: ast.stmt) -> set[str]:
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        return {a.asname or a.name.partition(".")[0] for a in node.names}
    if isinstance(node, _DEFINITIONS):
        return {node.name}
    names = (n for n in ast.walk(node) if isinstance(n, ast.Name))
    return {n.id for n in names if isinstance(n.ctx, ast.Store)}
