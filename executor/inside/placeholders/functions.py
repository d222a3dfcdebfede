"""Find the calls of functions that were not posted, and the names that their results get.

`train_loader, test_loader = get_loaders(64)`: what the loaders are, the lines below say, as they do
of a loader that was not posted itself. A call as a statement of its own has no result. What it does
is open then, unless its name is that of something that changes no value which is computed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection
from dataclasses import dataclass

from executor.inside.placeholders.program import ScopedName, SnippetTree

# Words of a function's name that set a seed, show something or write it down.
_CHANGES_NOTHING = {"seed", "plot", "draw", "show", "log", "print", "save", "visualize", "mkdir"}
_HOLDS_STATEMENTS = (ast.stmt, ast.excepthandler, ast.match_case)
_WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")


@dataclass(frozen=True)
class Unpacked:
    """A function, and the names that the results of one call get, in their order."""

    name: str
    targets: tuple[str, ...]
    one: bool  # the result itself gets the only name
    statement: ast.Assign
    once: bool  # neither in a loop nor in a function but `main`


def unpacked(program: SnippetTree, names: Collection[str]) -> list[Unpacked]:
    """The calls of functions whose every call is assigned to as many names, a function once."""
    found: dict[str, list[Unpacked]] = {}
    for name in names:
        calls = [_assigned(program, use) for use in program.uses(ScopedName(None, name))]
        whole = [call for call in calls if call is not None]
        if whole and len(whole) == len(calls) and len({len(c.targets) for c in whole}) == 1:
            found[name] = whole
    return [call for calls in found.values() for call in calls]


def changes_nothing(program: SnippetTree, name: str) -> bool:
    """Whether each use is a call as a statement, of a function that only shows or sets a seed."""
    words = {word.lower() for word in _WORD.findall(name)}
    uses = program.uses(ScopedName(None, name))
    shows = bool(uses and words & _CHANGES_NOTHING)
    return shows and all(_stands_alone(program, use) for use in uses)


def _assigned(program: SnippetTree, use: ast.Name) -> Unpacked | None:
    call = program.parents.get(use)
    if not isinstance(call, ast.Call) or call.func is not use:
        return None
    statement = program.parents.get(call)
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    target = statement.targets[0]
    once = _is_run_once(program, statement)
    if isinstance(target, ast.Name):
        return Unpacked(use.id, (target.id,), True, statement, once)
    if not isinstance(target, (ast.Tuple, ast.List)):
        return None
    names = [t.id for t in target.elts if isinstance(t, ast.Name)]
    if len(names) < len(target.elts):
        return None
    return Unpacked(use.id, tuple(names), False, statement, once)


def _is_run_once(program: SnippetTree, statement: ast.stmt) -> bool:
    above = program.parents.get(statement)
    while above is not None:
        if isinstance(above, (ast.For, ast.While)):
            return False
        if isinstance(above, ast.FunctionDef) and above.name != "main":
            return False
        above = program.parents.get(above)
    return True


def _stands_alone(program: SnippetTree, use: ast.Name) -> bool:
    call = program.parents.get(use)
    return (
        isinstance(call, ast.Call)
        and call.func is use
        and isinstance(program.parents.get(call), ast.Expr)
    )


def without(tree: ast.Module, calls: Collection[Unpacked]) -> ast.Module:
    """The tree with `pass` for the statements of these calls; expressions are shared with it."""
    gone = {id(call.statement) for call in calls}

    def again(node: ast.AST) -> ast.AST:
        if id(node) in gone:
            return ast.copy_location(ast.Pass(), node)
        fields = dict(ast.iter_fields(node))
        for name, value in fields.items():
            if isinstance(value, list) and any(isinstance(v, _HOLDS_STATEMENTS) for v in value):
                fields[name] = [again(v) for v in value]
        return ast.copy_location(type(node)(**fields), node)

    return ast.Module([again(s) for s in tree.body], tree.type_ignores)  # type: ignore[misc]
