"""Leave out imports of the person's own files: of definitions that were posted too, or were not.

Somebody who posts two files posts `from losses import MultiLoss` in one and `class MultiLoss` in
the other. There is no file `losses` here, and none is needed. Where an error is rebuilt, what a
module that is not here would have given is a name like any other that was not posted.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Collection

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


def without_absent(
    tree: ast.Module, stubs: Collection[str] = (), made: Collection[str] = ()
) -> tuple[ast.Module, tuple[int, ...]]:
    """The tree without `from … import …` of what is not installed, and the lines of these.

    A module of a package stays: a stub of one gives all that is asked of it.

    Args:
        tree: the program.
        stubs: modules that have a stub, which gives what no value was made for.
        made: names that have a value.
    """
    modules = _called_of(tree)
    absent = [
        s
        for s in tree.body
        if isinstance(s, ast.ImportFrom)
        and not is_installed(_module(s))
        and (names := {a.asname or a.name for a in s.names}).isdisjoint(modules)
        and not (_module(s).partition(".")[0] in stubs and names.isdisjoint(made))
    ]
    body = [ast.copy_location(ast.Pass(), s) if s in absent else s for s in tree.body]
    lines = (n for s in absent for n in range(s.lineno, (s.end_lineno or s.lineno) + 1))
    return (ast.Module(body, tree.type_ignores) if absent else tree), tuple(lines)


# What is called of models, optimizers and tensors; what is called of anything else is a module.
_OF_OBJECTS = {
    "parameters", "named_parameters", "state_dict", "load_state_dict", "train", "eval", "to",
    "cuda", "cpu", "half", "float", "step", "zero_grad", "backward", "forward", "size", "dim",
    "numel", "view", "item", "detach", "apply", "children", "modules",
}  # fmt: skip


def _called_of(tree: ast.Module) -> set[str]:
    """Names in small letters of which functions are called, as of a module."""
    return {
        node.func.value.id
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Attribute)
        and isinstance(node.func.value, ast.Name)
        and node.func.value.id.islower()
        and node.func.attr not in _OF_OBJECTS
    }


def _module(statement: ast.ImportFrom) -> str:
    return f"{'.' * statement.level}{statement.module or statement.names[0].name}"


def _left(statement: ast.ImportFrom, names: list[ast.alias]) -> ast.stmt:
    if not names:
        return ast.copy_location(ast.Pass(), statement)
    left = copy.copy(statement)
    left.names = names
    return left
