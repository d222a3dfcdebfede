"""Bodies that were left out: functions and classes that hold only `...` or `pass`."""

from __future__ import annotations

import ast
import re

from executor.complete.blame import dependents, expression_at
from executor.job import ErrorSeen, LeftOut

_FROM_NOTHING = re.compile(
    r"NoneType|\bellipsis\b|is missing the required \"forward\" function|empty parameter list"
)


def left_out(tree: ast.Module, seen: ErrorSeen) -> LeftOut | None:
    """The body whose absence this error comes from; None if there is none or it is another's.

    A `pass` can be meant. So it counts only where the error is one that comes of a None, and the
    failing expression hangs on what the empty body should have given.
    """
    if not _FROM_NOTHING.search(seen.message):
        return None
    expression = expression_at(tree, seen)
    if expression is None:
        return None
    for name, line, sources in _holes(tree):
        reach = dependents(tree, sources)
        names = {n.id for n in ast.walk(expression) if isinstance(n, ast.Name)}
        names |= {n.attr for n in ast.walk(expression) if isinstance(n, ast.Attribute)}
        if names & reach:
            return LeftOut(name=name, line=line)
    return None


def _holes(tree: ast.Module) -> list[tuple[str, int, list[str]]]:
    """(name, line, the names through which it is reached) of every empty body."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ClassDef):
            if _is_empty(node) and node.bases:
                found.append((node.name, node.lineno, [node.name]))
            for part in node.body:
                if isinstance(part, ast.FunctionDef) and _is_empty(part):
                    special = part.name.startswith("__") or part.name == "forward"
                    name = f"{node.name}.{part.name}"
                    found.append((name, part.lineno, [node.name] if special else [part.name]))
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and _is_empty(node):
            found.append((node.name, node.lineno, [node.name]))
    return found


def _is_empty(node: ast.ClassDef | ast.FunctionDef) -> bool:
    """Only `...`, `pass` and a docstring."""
    return all(
        isinstance(part, ast.Pass)
        or (
            isinstance(part, ast.Expr)
            and isinstance(part.value, ast.Constant)
            and (part.value.value is ... or isinstance(part.value.value, str))
        )
        for part in node.body
    )
