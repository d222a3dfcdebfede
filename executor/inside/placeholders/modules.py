"""Put off the imports of modules that are not installed until something of them is used.

A program that imports what is not here shows nothing at all, and often its error has nothing to do
with that module. So such an import is left out, and the first line that uses what it binds raises
the error of the import. A name whose use says what it is gets a placeholder, as a name that was
not posted does.
"""

from __future__ import annotations

import ast
import copy
import importlib.util
import sys
from collections.abc import Container, Iterator, Mapping
from typing import Any

from executor.inside.libraries import silent
from executor.inside.placeholders.not_installed import AbsentModule, NotInstalledHere

_INNER = ("body", "orelse")
_COMPOUND = (ast.If, ast.With, ast.For, ast.While)
_Import = ast.Import | ast.ImportFrom
# Python's own tests: who imports `test` means a file of theirs (docs.python.org, "test").
_FOR_PYTHON_ALONE = "test"


class LeftOutImports:
    """The imports of one snippet, outside of functions, whose modules are not installed."""

    def __init__(self, tree: ast.Module) -> None:
        modules: dict[str, AbsentModule] = {}
        self._bound: dict[str, NotInstalledHere] = {}
        for statement in _imports(tree.body):
            for bound, source in _binds(statement):
                if bound != "*" and not is_installed(source):
                    name = source.lstrip(".")
                    module = modules.setdefault(name, AbsentModule(name, statement.lineno))
                    self._bound[bound] = NotInstalledHere(module)

    def values(self) -> Mapping[str, Any]:
        """What each name that they bind is, where nothing better is known."""
        return self._bound

    def modules(self, supplied: Container[str]) -> list[AbsentModule]:
        """The modules, but those all of whose names were supplied."""
        left = (absent.__dict__["module"] for n, absent in self._bound.items() if n not in supplied)
        return list(dict.fromkeys(left))

    def without(self, tree: ast.Module) -> ast.Module:
        """The tree without these imports."""
        return ast.Module([self._left(s) for s in tree.body], tree.type_ignores)

    def _left(self, statement: ast.stmt) -> Any:
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            return self._import_left(statement)
        if not isinstance(statement, _COMPOUND):
            return statement
        new = copy.copy(statement)
        for part in _INNER:
            if isinstance(inner := getattr(statement, part, None), list):
                setattr(new, part, [self._left(s) for s in inner])
        return new

    def _import_left(self, statement: _Import) -> ast.stmt:
        """What is left of an import: those of its names whose modules are there."""
        bound = dict(zip(statement.names, _binds(statement), strict=False))
        kept = [alias for alias, (name, _) in bound.items() if name not in self._bound]
        if len(kept) == len(bound):
            return statement
        new = copy.copy(statement) if kept else ast.Pass()
        if isinstance(new, (ast.Import, ast.ImportFrom)):
            new.names = kept
        return ast.copy_location(new, statement)


def _imports(body: list[ast.stmt]) -> Iterator[_Import]:
    """The imports outside of functions; not those in a `try`, whose author expects an error."""
    for statement in body:
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            yield statement
        elif isinstance(statement, _COMPOUND):
            for part in _INNER:
                yield from _imports(getattr(statement, part, []))


def _binds(statement: _Import) -> Iterator[tuple[str, str]]:
    """Each name that an import binds, and the module that has to be there."""
    if isinstance(statement, ast.Import):
        for alias in statement.names:
            top = alias.name.partition(".")[0]
            yield alias.asname or top, top
        return
    for alias in statement.names:
        # Of a package that the snippet was taken from nothing is here, whatever its name.
        module = f"{'.' * statement.level}{statement.module or alias.name}"
        yield alias.asname or alias.name, module


def is_installed(module: str) -> bool:
    """Whether its import finds something; a part that has gone from what is there is an error."""
    if module.startswith("."):
        return False
    top = module.partition(".")[0]
    if top == _FOR_PYTHON_ALONE:
        return False
    if top in sys.modules or silent.stands_for(module):
        return True
    try:
        return importlib.util.find_spec(top) is not None
    except (ImportError, ValueError):
        return True
