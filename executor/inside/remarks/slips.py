"""Find what a line does not do that its writer meant it to: an `=+`, an alias, a state let go."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from executor.inside.remarks.edits import Told, put, way
from executor.inside.remarks.syntax import (
    Found,
    assigned,
    dotted,
    inside,
    loops,
    method_calls,
    optimizers,
    tail,
    walk,
)

_STATE = re.compile(r"(?i)state|hidden|^h$|^hx$|^hc$|^h_?n$|memory")


def assigned_plus(tree: ast.Module) -> Found:
    """`loss =+ term`, which is `loss = (+term)`: what the name held before is lost."""
    for node in walk(tree):
        match node:
            case ast.Assign(
                targets=[ast.Name() | ast.Attribute() as name],
                value=ast.UnaryOp(op=ast.UAdd(), operand=term) as value,
            ) if _is_glued(name, value, term) and _held_before(tree, name):
                yield Told(
                    "assigned_plus",
                    node,
                    f"`=+` is an assignment of `+{ast.unparse(term)}`: what "
                    f"`{dotted(name)}` held before is lost; to add, write `+=`",
                    (way("the term is added", put(node, name, " += ", term)),),
                )


def _is_glued(name: ast.expr, value: ast.expr, term: ast.expr) -> bool:
    """Whether the plus stands beside the sign of equality, and apart from what it is of."""
    on_one_line = name.end_lineno == value.lineno == term.lineno
    near = value.col_offset - (name.end_col_offset or 0) <= len(" =")
    return on_one_line and near and term.col_offset - value.col_offset >= len("+ ")


def _held_before(tree: ast.Module, name: ast.expr) -> bool:
    return any(n == dotted(name) and v.lineno < name.lineno for _, n, v in assigned(tree))


def aliases_kept(tree: ast.Module) -> Found:
    """`path.append(w.detach())` of a parameter that an optimizer changes where it lies."""
    held = {
        dotted(e)
        for made in optimizers(tree).values()
        for given in made.args[:1]
        if isinstance(given, ast.List)
        for e in given.elts
        if isinstance(e, ast.Name)
    }
    for loop in loops(tree):
        below = list(inside(loop))
        if not any(isinstance(n, ast.Call) and tail(n) == "step" for n in below):
            continue
        for call in (n for n in below if isinstance(n, ast.Call) and tail(n) == "append"):
            for kept, name in _views(call):
                if name in held:
                    yield Told(
                        "aliases_kept",
                        call,
                        f"`{ast.unparse(kept)}` shares its memory with `{name}`, which step() "
                        "changes in place: all that the list holds is the same, the present "
                        f"values; write `{ast.unparse(kept)}.clone()`",
                        (way("the list holds copies", put(kept, kept, ".clone()")),),
                    )


def _views(call: ast.Call) -> Iterator[tuple[ast.expr, str]]:
    for given in call.args:
        match given:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="detach")):
                yield given, name
            case ast.Attribute(value=ast.Name(id=name), attr="data"):
                yield given, name


def state_let_go(tree: ast.Module) -> Found:
    """`out, _ = net(x, state)` in a loop, of a `state = None` that nothing else assigns."""
    for function in (n for n in walk(tree) if isinstance(n, ast.FunctionDef)):
        made: dict[str, list[ast.expr]] = {}
        for _, name, value in assigned(function):
            made.setdefault(name, []).append(value)
        bound = {
            n.id
            for n in inside(function)
            if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store) and n.id not in made
        }
        empty = {
            name
            for name, values in made.items()
            if _STATE.search(name) and name not in bound
            and all(isinstance(v, ast.Constant) and v.value is None for v in values)
        }  # fmt: skip
        for loop in loops(function):
            for node in inside(loop):
                match node:
                    case ast.Assign(
                        targets=[ast.Tuple(elts=[_, ast.Name(id=thrown) as place])],
                        value=ast.Call(args=[_, ast.Name(id=name)]),
                    ) if name in empty and thrown.startswith("_"):
                        yield Told(
                            "state_let_go",
                            node,
                            f"`{name}` is None in every round of this loop: the new state goes to "
                            f"`{thrown}`, and each step begins with an empty one; give it "
                            f"back: `..., {name} = ...`",
                            (way("each round goes on with the state", put(place, name)),),
                        )


def value_without_gradient(tree: ast.Module) -> Found:
    """A closure for `step` that changes its loss behind `backward()`, and returns it."""
    given = {dotted(a) for call in method_calls(tree, "step") for a in call.args}
    for function in (n for n in walk(tree) if isinstance(n, ast.FunctionDef)):
        if function.name not in given:
            continue
        backward: str = ""
        for statement in function.body:
            match statement:
                case ast.Expr(
                    value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="backward"))
                ):
                    backward = "" if backward else name
                case (
                    ast.AugAssign(target=ast.Name(id=name))
                    | ast.Assign(
                        targets=[ast.Name(id=name)],
                        value=ast.BinOp(left=ast.Name()),
                    )
                ) if name == backward and _returns(function, name):
                    yield (
                        "value_without_gradient",
                        statement,
                        f"`{name}` is changed behind `{name}.backward()`: the optimizer is given a "
                        "value with this term and gradients without it; put this line before "
                        "backward()",
                    )


def _returns(function: ast.FunctionDef, name: str) -> bool:
    last = function.body[-1]
    return isinstance(last, ast.Return) and last.value is not None and dotted(last.value) == name


RULES = (assigned_plus, aliases_kept, state_let_go, value_without_gradient)
