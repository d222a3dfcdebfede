"""Find functions and classes whose body was left out: it holds only `...` or `pass`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping

from executor.errors import is_a
from executor.inside.placeholders.blame import dependents, expression_at
from executor.inside.placeholders.evidence import handed, operands, shallow
from executor.protocol import ErrorSeen, LeftOut

_FROM_NOTHING = ("none", "code_left_out", "forward_missing", "no_parameters")  # error families


def elided(
    tree: ast.Module,
    error: BaseException,
    seen: ErrorSeen,
    scope: Mapping[str, object],
    filename: str,
) -> LeftOut | None:
    """The `...` that stands for a value, if the error comes of it; None if there is none such.

    In an index, in a type, and as the whole of a body it says something else.
    """
    written = sorted(_as_values(tree), key=lambda node: node.lineno)
    if not written:
        return None
    expression = expression_at(tree, seen)
    handed_over = [] if expression is None else _handed_over(expression)
    found = [node for node in written if any(node is part for part in handed_over)]
    if not found:
        values = list(handed(error, filename))
        values += shallow(operands(expression, scope)) if expression is not None else ()
        named = re.search(r"\bellipsis\b", seen.message, re.IGNORECASE)
        if not (named or any(value is ... for value in values)):
            return None
        found = [n for n in written if seen.line is None or n.lineno <= seen.line] or written
    return LeftOut(name="...", line=found[-1].lineno)


def _as_values(tree: ast.Module) -> Iterator[ast.Constant]:
    """Each `...` that is written where a value stands."""
    other: set[int] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript):
            other |= {id(n) for n in ast.walk(node.slice)}
        elif isinstance(node, ast.Expr):
            other.add(id(node.value))
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and node.value is ... and id(node) not in other:
            yield node


def _handed_over(expression: ast.AST) -> list[ast.AST]:
    """The parts of an expression, but what its inner calls were given: these have succeeded."""
    found: list[ast.AST] = []
    todo = list(ast.iter_child_nodes(expression))
    while todo:
        part = todo.pop()
        found.append(part)
        if not isinstance(part, (ast.Call, ast.stmt)) or isinstance(expression, ast.stmt):
            todo += ast.iter_child_nodes(part)
    return found


def left_out(tree: ast.Module, seen: ErrorSeen) -> LeftOut | None:
    """The empty body that caused this error; None if none did.

    A `pass` can be meant. So it counts only if None causes errors of this kind and the failing
    expression is computed from what the body should have returned. Of several bodies, the one
    called for a value of the failing expression counts; where that is open, all are named.
    """
    if not is_a(seen, *_FROM_NOTHING):
        return None
    expression = expression_at(tree, seen)
    if expression is None:
        return None
    names = {n.id for n in ast.walk(expression) if isinstance(n, ast.Name)}
    names |= {n.attr for n in ast.walk(expression) if isinstance(n, ast.Attribute)}
    reaching = [h for h in _holes(tree) if names & dependents(tree, h[2])]
    if len(reaching) > 1:
        called = _called_for(tree, expression, {source for h in reaching for source in h[2]})
        reaching = [h for h in reaching if called & set(h[2])] or reaching
    if not reaching:
        return None
    (name, line, _), *others = reaching
    return LeftOut(
        name=name, line=line, also=tuple(LeftOut(name=n, line=at) for n, at, _ in others)
    )


def _called_for(tree: ast.Module, expression: ast.AST, empty: set[str]) -> set[str]:
    """Which of the empty functions was called for a value in an expression.

    `f` for `y.T` after `y = f(x)`; `Net` for `y.T` after `net = Net()` and `y = net(x)`. The
    arguments of an empty function do not count, since it returns nothing whatever it is given.
    """
    line = getattr(expression, "lineno", 0)
    assigned = [n for n in ast.walk(tree) if isinstance(n, ast.Assign) and n.lineno < line]
    assigned.sort(key=lambda n: n.lineno)
    last: dict[str, ast.expr] = {}
    for node in assigned:
        for target in node.targets:
            parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
            last |= {name: node.value for part in parts if (name := _name(part))}
    found: set[str] = set()
    followed: set[str] = set()
    todo = [expression]
    while todo:
        value = todo.pop()
        name = _name(value.func if isinstance(value, ast.Call) else value)
        if isinstance(value, ast.Call) and name in empty:
            found.add(name)
        elif name in last and name not in followed:
            followed.add(name)
            made = last[name]
            if isinstance(made, ast.Call) and _name(made.func) in empty:
                found.add(_name(made.func))
            elif isinstance(made, ast.Call):  # of `y = net(x)`, it is the net that counts
                todo.append(made.func)
        else:
            todo += list(ast.iter_child_nodes(value))
    return found


def _name(node: ast.AST) -> str:
    return node.id if isinstance(node, ast.Name) else getattr(node, "attr", "")


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
