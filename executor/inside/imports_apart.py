"""Mark the snippet's imports of libraries, whose time is not counted as its own."""

from __future__ import annotations

import ast
import builtins
import copy
import sys
from typing import Any

from executor.jail.import_time import ImportTime

_MARK = "__torchmedic_imports__"
_PARTS = ("body", "orelse", "finalbody", "handlers", "cases")  # where statements stand


def marked(tree: ast.Module, import_time: ImportTime) -> ast.Module:
    """A copy in which each import of what is not imported yet stands in a `with`.

    It keeps its place, in functions too: lines, columns and tracebacks are the same. Where
    everything is imported already, as torch is, the tree itself is returned.
    """
    body = [_marked(statement) for statement in tree.body]
    if all(new is old for new, old in zip(body, tree.body, strict=True)):
        return tree
    setattr(builtins, _MARK, import_time)
    return ast.Module(body, tree.type_ignores)


def _marked(statement: ast.AST) -> Any:
    if isinstance(statement, (ast.Import, ast.ImportFrom)):
        return _in_with(statement) if _is_new(statement) else statement
    new = copy.copy(statement)
    same = True
    for part in _PARTS:
        old = getattr(statement, part, None)
        if isinstance(old, list) and old:
            put = [_marked(s) for s in old]
            same = same and put == old
            setattr(new, part, put)
    return statement if same else new


def _is_new(statement: ast.Import | ast.ImportFrom) -> bool:
    if isinstance(statement, ast.Import):
        return any(name.name not in sys.modules for name in statement.names)
    name = statement.module or ""
    parts = (f"{name}.{alias.name}" for alias in statement.names)
    return name != "__future__" and (
        name not in sys.modules
        or not all(
            part in sys.modules or hasattr(sys.modules[name], alias.name)
            for part, alias in zip(parts, statement.names, strict=True)
        )
    )


def _in_with(statement: ast.stmt) -> ast.stmt:
    block = ast.With([ast.withitem(ast.Name(_MARK, ast.Load()))], [statement])
    for part in (block, block.items[0].context_expr):
        ast.copy_location(part, statement)
    return block
