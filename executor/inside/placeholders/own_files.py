"""Leave out imports of the person's own files whose definitions were posted too.

Somebody who posts two files posts `from losses import MultiLoss` in one and `class MultiLoss` in
the other. There is no file `losses` here, and none is needed.
"""

from __future__ import annotations

import ast
import copy

from executor.inside.placeholders.modules import is_installed

_DEFINITIONS = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def without(tree: ast.Module) -> tuple[ast.Module, dict[str, tuple[str, ...]]]:
    """The tree without the imports of names that it defines further up.

    Returns:
        tree: with `pass` where nothing is left of an import.
        files: module → the names that were to come from it.
    """
    defined: set[str] = set()
    files: dict[str, tuple[str, ...]] = {}
    body: list[ast.stmt] = []
    for statement in tree.body:
        if isinstance(statement, _DEFINITIONS):
            defined.add(statement.name)
        elif isinstance(statement, ast.ImportFrom) and not is_installed(_module(statement)):
            own = [a for a in statement.names if a.name in defined and a.asname in (None, a.name)]
            if own:
                name = _module(statement).lstrip(".")
                files[name] = (*files.get(name, ()), *(a.name for a in own))
                statement = _left(statement, [a for a in statement.names if a not in own])
        body.append(statement)
    return (ast.Module(body, tree.type_ignores) if files else tree), files


def _module(statement: ast.ImportFrom) -> str:
    return f"{'.' * statement.level}{statement.module or statement.names[0].name}"


def _left(statement: ast.ImportFrom, names: list[ast.alias]) -> ast.stmt:
    if not names:
        return ast.copy_location(ast.Pass(), statement)
    left = copy.copy(statement)
    left.names = names
    return left
