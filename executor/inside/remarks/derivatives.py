"""Find derivatives that are by another variable than is meant, or of several at once."""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator

from executor.inside.remarks.edits import Told, put, way
from executor.inside.remarks.syntax import (
    Found,
    argument,
    assigned,
    dotted,
    functions,
    inside,
    made_of,
    tail,
    walk,
    words,
)


def other_variable(tree: ast.Module) -> Found:
    """`u_xx = grad(u_x, t)`: a derivative by another variable than its name says."""
    gives = {name for name, f in functions(tree).items() if _gives(f)}
    for scope in (tree, *functions(tree).values()):
        own: list[tuple[ast.stmt, str, ast.expr]] = []
        own += (a for a in assigned(scope) if a[0] in inside(scope))
        own += ((n, "", n.value) for n in inside(scope) if isinstance(n, ast.Return) and n.value)
        for node, name, value in sorted(own, key=lambda o: o[0].lineno):
            first = next((d for d in _differentiated(value, gives)), None)
            if first is None:
                continue
            of, by, at = first
            wanted = _named_by(name, of)
            # Both letters are variables there: `u_xt` may be told from `u_xx`.
            if wanted and by != wanted and wanted in words(scope) and len(by) == 1:
                yield Told(
                    "other_variable",
                    node,
                    f"`{name}` is the derivative of `{of}` by `{by}`, and its name says by "
                    f"`{wanted}`: write `{wanted}`",
                    (way("the derivative is by what its name says", put(at, wanted)),),
                )
                return


def columns_summed(tree: ast.Module) -> Found:
    """`grad(du, X, ones_like(du))` of the gradient by all columns: it derives their sum."""
    gives = {name for name, f in functions(tree).items() if _gives(f)}
    for scope in (tree, *functions(tree).values()):
        made: dict[str, str] = {}  # gradient → by which variable
        own: list[tuple[ast.stmt, str, ast.expr]] = []
        own += (a for a in assigned(scope) if a[0] in inside(scope))
        own += ((n, "", n.value) for n in inside(scope) if isinstance(n, ast.Return) and n.value)
        for node, name, value in sorted(own, key=lambda o: o[0].lineno):
            for of, by, _, call in _twice(value, gives):
                again = made.get(of) == by or "(" in of
                if not again or not by or not _is_of_ones(call):
                    continue
                told = of if "(" not in of else "the inner one"
                if not _has_columns(by, (name, of, by), scope, tree):
                    continue
                yield (
                    "columns_summed",
                    node,
                    f"`{told}` is the gradient by all columns of `{by}`, and this derives its sum: "
                    f"each column of `{name or 'what is returned'}` is the second derivative and "
                    f"the mixed ones added up (`u_xx + u_xy`); derive one column at a time: with "
                    f"`du` for the gradient, `grad(du[:, 0].sum(), {by}, create_graph=True)[0]"
                    "[:, 0]`",
                )
                return
            first = next((d for d in _differentiated(value, gives)), None)
            if name and first is not None and not _picks_column(value):
                made[name] = first[1]


def _twice(
    value: ast.expr, gives: Collection[str]
) -> Iterator[tuple[str, str, ast.expr, ast.Call]]:
    """Each derivative in an expression: of what, by which variable, and the call.

    One of another derivative by the same variable, `grad(grad(u, x)[0], x)`, is of what is written.
    """
    for call in (n for n in walk(value) if isinstance(n, ast.Call)):
        for of, by, at in _differentiated(call, gives):
            yield of, by, at, call
        if len(call.args) > 1 and ("grad" in tail(call).lower() or tail(call) in gives):
            inner = call.args[0]
            for _, by, at in _differentiated(inner, gives):
                if by == dotted(call.args[1]) and not _picks_column(inner):
                    yield ast.unparse(inner), by, at, call


def _picks_column(value: ast.expr) -> bool:
    """`grad(u, X, …)[0][:, 0]`: one column of the gradient."""
    return any(isinstance(n, ast.Subscript) and isinstance(n.slice, ast.Tuple) for n in walk(value))


def _is_of_ones(call: ast.Call) -> bool:
    """Whether the sum is derived: by ones, or with nothing said."""
    given = argument(call, 2, "grad_outputs", "v")
    given = given.elts[0] if isinstance(given, ast.List | ast.Tuple) and given.elts else given
    return given is None or tail(given) in ("ones_like", "ones") or dotted(given)[:3] == "one"


def _gives(function: ast.FunctionDef) -> bool:
    """Whether a function gives the derivative of its first argument by its second one, once."""
    taken = [a.arg for a in function.args.args if a.arg != "self"]
    asked = [n for n in inside(function) if isinstance(n, ast.Call) and tail(n) == "grad"]
    if len(asked) != 1 or len(asked[0].args) < 2 or len(taken) < 2:
        return False
    return words(asked[0].args[0]) - {"sum"} == {taken[0]} and words(asked[0].args[1]) == {taken[1]}


def _named_by(name: str, of: str) -> str:
    """By which variable a name says that it derives `of`: `t` of `u_xt`, `x` of `d2u_dx2`."""
    second = re.fullmatch(r"([a-zA-Z]+)_?([a-z])([a-z])", name)
    if second and of in (f"{second[1]}_{second[2]}", f"{second[1]}{second[2]}"):
        return second[3]
    if second := re.fullmatch(r"d2([a-zA-Z]+)_?d([a-z])2", name):
        return (
            second[2] if of in (f"d{second[1]}_d{second[2]}", f"d{second[1]}d{second[2]}") else ""
        )
    first = re.fullmatch(r"([a-zA-Z])_([a-z])|d([a-zA-Z])_?d([a-z])", name)
    return (first[2] or first[4]) if first and of == (first[1] or first[3]) else ""


def _has_columns(by: str, names: tuple[str, ...], scope: ast.AST, tree: ast.AST) -> bool:
    """Whether a variable has several columns: one behind the first is read, or it is made so."""
    for node in walk(scope):
        match node:
            case ast.Subscript(
                value=ast.Name(id=of),
                slice=ast.Tuple(
                    elts=[_, ast.Slice(lower=ast.Constant(value=int() as at))
                          | ast.Constant(value=int() as at)]
                ),
            ) if of in names and at > 0:  # fmt: skip
                return True
    made = (n for v in made_of(ast.Name(by, ast.Load()), tree) for n in walk(v))
    calls = [n for n in made if isinstance(n, ast.Call)]
    return any(
        (tail(n) in ("rand", "randn") and _is_several(n.args)) or _is_joined(n) for n in calls
    )


def _is_joined(call: ast.Call) -> bool:
    """`torch.cat([x, t], 1)`, `torch.stack((x, t), dim=-1)`: one column for each."""
    along = argument(call, 1, "dim", "axis")
    match call.args[:1]:
        case [ast.List(elts=parts) | ast.Tuple(elts=parts)] if len(parts) > 1:
            last = along is not None and ast.unparse(along) in ("1", "-1")
            return last and tail(call) in ("cat", "concat", "stack", "hstack", "column_stack")
    return False


def _is_several(sizes: list[ast.expr]) -> bool:
    """`(n, 2)`: rows of several columns."""
    match sizes:
        case [_, ast.Constant(value=int() as columns)]:
            return columns > 1
    return False


def _differentiated(value: ast.expr, gives: Collection[str]) -> Iterator[tuple[str, str, ast.expr]]:
    """`u_x` and `t` of `grad(u_x, t, …)`, with what takes the only one out of its tuple."""
    while True:
        match value:
            case ast.Subscript(value=inner):
                value = inner
            case ast.Call(func=ast.Attribute(value=inner, attr="squeeze" | "sum")):
                value = inner
            case _:
                break
    match value:
        case ast.Call(args=[of, by, *_]) if "grad" in tail(value).lower() or tail(value) in gives:
            match of:
                case ast.Call(func=ast.Attribute(value=inner, attr="sum"), args=[]):
                    of = inner
            one = by.elts[0] if isinstance(by, ast.Tuple | ast.List) and by.elts else by
            if dotted(of):
                yield dotted(of), dotted(one), one


RULES = (other_variable, columns_summed)
