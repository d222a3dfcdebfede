"""Bind names at their first read, so that a value can be made of what the snippet has defined.

CPython asks a module's `__builtins__` for every global that is not there. Where that is a
subclass of dict, `__missing__` hears of it: classes above the line are defined by then.
"""

from __future__ import annotations

import ast
import builtins
import copy
import importlib
import importlib.abc
import importlib.machinery
import sys
import types
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from executor.protocol import Glue

ADDED = "<added>"  # the file name of what is not the snippet's
_KNOWN = {"torch": "torch", "nn": "torch.nn", "np": "numpy"}
Make = Callable[[str], str | None]  # name → the expression for it; None: it stays undefined


class LazyNames(dict[str, Any]):
    """The builtins, and behind them the names that get a value when they are read."""

    def __init__(self, module: types.ModuleType, make: Make) -> None:
        super().__init__(vars(builtins))
        self._module = module
        self._make = make
        self._making: set[str] = set()

    def __missing__(self, name: str) -> Any:
        """Make the value and keep it among the module's globals."""
        if name == "_stubs":
            return _stubs()
        if name in vars(builtins):  # what a probe, or the snippet, has put there since
            return vars(builtins)[name]
        if self._making and name in _KNOWN:  # an expression of ours, and no import of theirs
            return importlib.import_module(_KNOWN[name])
        value = self.resolve(name)
        vars(self._module)[name] = value
        return value

    def resolve(self, name: str) -> Any:
        """The value of a name, or of an attribute such as `args.lr`.

        Raises:
            KeyError: it stays undefined.
        """
        if name in self._making:
            raise KeyError(name)
        expression = self._make(name)
        if expression is None:
            raise KeyError(name)
        self._making.add(name)
        try:
            return eval(compile(expression, ADDED, "eval"), vars(self._module))
        finally:
            self._making.discard(name)


def install(module: types.ModuleType, make: Make, modules: Iterable[str]) -> None:
    """Let the module's undefined names be made, and stub the modules that are not installed."""
    names = LazyNames(module, make)
    vars(module)["__builtins__"] = names
    _stubs().resolve, _stubs().bound = names.resolve, vars(module)
    if missing := frozenset(modules):
        sys.meta_path.append(_Stubs(missing))


def _stubs() -> Any:
    """The stubs, which import torch: a cold run has none before its snippet asks for it."""
    return importlib.import_module("executor.inside.rebuild.stubs")


def make_of(glue: Glue) -> Make:
    """The expressions of a glue, by name."""
    expressions: Mapping[str, str] = {bound.name: bound.expression for bound in glue.before}
    return expressions.get


def run_statements(statements: Sequence[str], module: types.ModuleType) -> None:
    """Run what was added, one statement after the other."""
    for statement in statements:
        exec(compile(statement, ADDED, "exec", dont_inherit=True), vars(module))


class _Stubs(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds the modules that are to be stubs, and all that is below them."""

    def __init__(self, names: frozenset[str]) -> None:
        self._names = names

    def find_spec(self, fullname: str, path: Any, target: Any = None) -> Any:
        if fullname.partition(".")[0] not in self._names:
            return None
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        made: types.ModuleType = _stubs().StubModule(spec.name)
        return made

    def exec_module(self, module: types.ModuleType) -> None:
        pass


def with_header(tree: ast.Module, header: str) -> ast.Module:
    """Put the methods that stand outside of any class into the posted one that the header names.

    Where the header is that of no posted class, one is made above the first line that runs.
    """
    _run_returned(tree)
    if not header:
        return tree
    methods = [node for node in tree.body if is_method(node)]
    if not methods:
        return tree
    rest = [node for node in tree.body if not is_method(node)]
    for n, posted in enumerate(rest):
        if isinstance(posted, ast.ClassDef) and posted.name == header:
            whole = copy.copy(posted)
            whole.body = [*posted.body, *methods]
            body = [*rest[:n], whole, *rest[n + 1 :]]
            return ast.Module(body=body, type_ignores=tree.type_ignores)
    made = ast.parse(f"class {header}:\n    pass").body[0]
    assert isinstance(made, ast.ClassDef)
    made.body = list(methods)
    first = methods[0]
    for node in (made, *made.bases, *(n for base in made.bases for n in ast.walk(base))):
        ast.copy_location(node, first)
    rest.insert(next((n for n, node in enumerate(rest) if not _opens(node)), len(rest)), made)
    return ast.Module(body=rest, type_ignores=tree.type_ignores)


def _run_returned(tree: ast.Module) -> None:
    """Let `return x` outside of any function, of one that was posted without its head, be run."""
    for node in tree.body:
        if isinstance(node, ast.Return):
            n = tree.body.index(node)
            tree.body[n] = ast.copy_location(
                ast.Expr(node.value or ast.copy_location(ast.Constant(None), node)), node
            )


def _opens(node: ast.stmt) -> bool:
    """Whether a statement may stand above a class: an import, a definition, a text."""
    text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    return text or isinstance(node, (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef))


def is_method(node: ast.stmt) -> bool:
    """Whether it is a function whose first parameter is `self`."""
    return isinstance(node, ast.FunctionDef) and [a.arg for a in node.args.args[:1]] == ["self"]
