"""Say what data a value comes from, in the function that it stands in and by the calls of that.

A name is another one in each function: `x` of `train(net, x)` is what that call gives it. So it is
asked where a value stands, and which ways lead back from there: the loop around it before all
others, assignments of the same function, what the callers give, attributes of its own class.
"""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterable
from typing import NamedTuple

from executor.inside.remarks.parts import imported
from executor.inside.remarks.passes import held_by
from executor.inside.remarks.syntax import callee, dotted, functions, handed, inside, tail
from executor.inside.walking import kept_by_node, walk

_MOST = 150  # values on the way back


class Trail(NamedTuple):
    """What lies on the way back from a value: the variables, each with its function, and values."""

    places: frozenset[tuple[ast.AST, str]]
    values: tuple[ast.expr, ...]

    @property
    def names(self) -> set[str]:
        return {name.rpartition(".")[2] for _, name in self.places}


class _Given(NamedTuple):
    """What a statement gives a name: the whole, or the n-th part of it."""

    value: ast.expr
    at: int | None
    by: ast.AST


# Statistics of the data are not the data: `x.mean()` says nothing of where what it scales is from.
_STATISTICS = {"mean", "std", "min", "max", "amin", "amax", "fit", "size", "var"}
_COUNTS = {"shape", "size", "dtype", "device", "ndim", "itemsize"}
_WRAPS = ("enumerate", "tqdm", "list", "iter", "sorted", "reversed")


def trail(value: ast.expr, tree: ast.Module) -> Trail:
    """All that a value comes from: its scale's statistics and its number are not asked for."""
    places: set[tuple[ast.AST, str]] = set()
    values: list[ast.expr] = []
    todo: list[tuple[ast.expr, ast.AST]] = [(value, value)]  # a value, and where it is read
    while todo and len(values) < _MOST:
        one, at = todo.pop()
        values.append(one)
        for name in _names(one, functions(tree).keys()) - imported(tree):
            scope = _scope_of(name, at, tree)
            if (scope, name) in places and not _loops_with(name, at, tree):
                continue
            places.add((scope, name))
            places |= {(tree, n) for g in _givers(name, at, scope, tree) for n in _holders(g, tree)}
            todo += [
                (part, part if _is_placed(part, tree) else given.by)
                for given in _givers(name, at, scope, tree)
                for part in _parts(given, tree)
                if part not in values
            ]
    return Trail(frozenset(places), tuple(values))


def _names(node: ast.AST, own: Collection[str]) -> set[str]:
    """The variables that a value takes its data from, those of `self` with their dot.

    And the functions of the program that make it; of all others only what they are given.
    """
    parts: Iterable[ast.AST] = ast.iter_child_nodes(node)
    match node:
        case ast.BinOp(left=of, op=ast.Sub() | ast.Div(), right=by) if not _is_data(by):
            parts = [of]
        case ast.Call(func=ast.Attribute(attr="transform" | "fit_transform"), args=[of, *_]):
            parts = [of]
        case ast.Call(func=ast.Attribute(attr=attr)) if attr in _STATISTICS:
            return set()
        case ast.Call(func=ast.Name(id="len")):
            return set()
        case ast.Call(func=ast.Name(id=name)) if name not in own:
            parts = [*node.args, *(k.value for k in node.keywords)]
        case ast.Call(func=ast.Attribute(value=ast.Name(id="self"))):
            parts = [*node.args, *(k.value for k in node.keywords)]
        case ast.Attribute(attr=attr) if attr in _COUNTS:
            return set()
        case ast.Attribute(value=ast.Name(id="self")):
            return {dotted(node)}
        case ast.Name(id=name):
            return {name}
    return {name for part in parts for name in _names(part, own)}


def _is_data(by: ast.expr) -> bool:
    """Whether what is subtracted may be data too: not a statistic, which has a name of its own."""
    return isinstance(by, ast.Subscript | ast.Call) and not (
        isinstance(by, ast.Call) and tail(by) in _STATISTICS
    )


@kept_by_node
def _around(tree: ast.AST) -> dict[ast.AST, tuple[ast.AST, tuple[ast.AST, ...]]]:
    """Each node's function, and the loops and comprehensions around it there, inner ones last."""
    found: dict[ast.AST, tuple[ast.AST, tuple[ast.AST, ...]]] = {}
    todo: list[tuple[ast.AST, ast.AST, tuple[ast.AST, ...]]] = [(tree, tree, ())]
    while todo:
        node, scope, around = todo.pop()
        found[node] = scope, around
        if isinstance(node, ast.FunctionDef):
            scope, around = node, ()
        elif isinstance(node, ast.For | ast.ListComp | ast.GeneratorExp | ast.SetComp):
            around = (*around, node)
        todo += [(child, scope, around) for child in ast.iter_child_nodes(node)]
    return found


def _is_placed(node: ast.AST, tree: ast.Module) -> bool:
    return node in _around(tree)


def _scope_of(name: str, at: ast.AST, tree: ast.Module) -> ast.AST:
    """The function whose variable it is: that where it is read, or the whole program."""
    scope = _around(tree)[at][0]
    is_own = name in _bindings(scope) or name in _arguments(scope)
    return scope if is_own and "." not in name else tree


def _arguments(scope: ast.AST) -> list[str]:
    return [a.arg for a in scope.args.args] if isinstance(scope, ast.FunctionDef) else []


def _loops_with(name: str, at: ast.AST, tree: ast.Module) -> tuple[ast.AST, ...]:
    """The innermost loop around a place that binds the name, if any."""
    around = [n for n in _around(tree)[at][1] if name in {m for t in _over(n) for m in t}]
    return tuple(around[-1:])


def _over(loop: ast.AST) -> list[dict[str, _Given]]:
    """What a loop gives the names of its targets."""
    pairs: list[tuple[ast.expr, ast.expr]] = []
    match loop:
        case ast.For(target=target, iter=over):
            pairs = [(target, over)]
        case (
            ast.ListComp(generators=parts)
            | ast.GeneratorExp(generators=parts)
            | ast.SetComp(generators=parts)
        ):
            pairs = [(g.target, g.iter) for g in parts]
    return [_targets(target, over, loop) for target, over in pairs]


def _targets(target: ast.expr, value: ast.expr, by: ast.AST) -> dict[str, _Given]:
    while isinstance(value, ast.Call) and tail(value) in _WRAPS and value.args:
        if tail(value) == "enumerate" and isinstance(target, ast.Tuple) and len(target.elts) == 2:
            target = target.elts[1]
        value = value.args[0]
    if isinstance(target, ast.Tuple | ast.List):
        names = [[n.id for n in walk(t) if isinstance(n, ast.Name)] for t in target.elts]
        return {n: _Given(value, at, by) for at, part in enumerate(names) for n in part}
    name = dotted(target.value if isinstance(target, ast.Subscript) else target)
    return {name: _Given(value, None, by)} if name else {}


@kept_by_node
def _bindings(scope: ast.AST) -> dict[str, list[_Given]]:
    """What a function's own statements give its names, and the attributes of its `self`."""
    found: dict[str, list[_Given]] = {}
    for node in inside(scope):
        given: list[dict[str, _Given]] = _over(node)
        match node:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    pairs = [(target, value)]
                    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                        pairs = [*zip(target.elts, value.elts, strict=False)]
                    given += [_targets(t, v, node) for t, v in pairs]
            case (
                ast.AnnAssign(target=target, value=ast.expr() as value)
                | ast.NamedExpr(target=target, value=value)
            ):
                given.append(_targets(target, value, node))
            case ast.AugAssign(target=target, op=how, value=value):
                both = ast.copy_location(ast.BinOp(target, how, value), node)
                given.append(_targets(target, both, node))
        for names in given:
            for name, one in names.items():
                found.setdefault(name, []).append(one)
    return found


def _givers(name: str, at: ast.AST, scope: ast.AST, tree: ast.Module) -> list[_Given]:
    """What may give a name its value where it is read."""
    if "." in name:
        methods = (n for n in walk(tree) if isinstance(n, ast.FunctionDef))
        return [g for f in methods for g in _bindings(f).get(name, [])]
    loops = _loops_with(name, at, tree)
    if loops:
        within = set(walk(loops[0])) - {loops[0]}
        own = [g for names in _over(loops[0]) for n, g in names.items() if n == name]
        return own + [g for g in _bindings(scope).get(name, []) if g.by in within]
    found = [*_bindings(scope).get(name, [])]
    if isinstance(scope, ast.FunctionDef) and name in _arguments(scope):
        found += [_Given(v, None, c) for c, n, v in _handed_to(scope, tree) if n == name]
    return found


def _handed_to(function: ast.FunctionDef, tree: ast.Module) -> list[tuple[ast.Call, str, ast.expr]]:
    """What each call of a function gives its arguments; of a class that of its `__init__`."""
    names = {function.name}
    if function.name == "__init__":
        names = {c.name for c in walk(tree) if isinstance(c, ast.ClassDef) and function in c.body}
    calls = (c for c in walk(tree) if isinstance(c, ast.Call) and tail(c) in names)
    return [(c, name, value) for c in calls for name, value in handed(c, function)]


def _holders(given: _Given, tree: ast.Module) -> set[str]:
    """The loaders and data sets that a batch is taken from, by their names."""
    if given.at is None:
        return set()
    sets = [c.args[0] for c in held_by(given.value, tree) if isinstance(c, ast.Call) and c.args]
    return {dotted(n) for n in (given.value, *sets)} - {""}


def _parts(given: _Given, tree: ast.Module) -> list[ast.expr]:
    """The values that are meant: of a loader's batch the tensor in that place, if it is known."""
    value, at = given.value, given.at
    if at is None:
        return [value]
    match value:
        case ast.Call(args=parts) if tail(value) == "zip" and at < len(parts):
            return [parts[at]]
        case ast.Call(args=parts) if tail(value) == "train_test_split" and at // 2 < len(parts):
            return [parts[at // 2]]
    found: list[ast.expr] = []
    for held in held_by(value, tree):
        if isinstance(held, ast.Call) and callee(held) == "DataLoader" and held.args:
            for data in held_by(held.args[0], tree):
                if not isinstance(data, ast.Call) or callee(data) != "TensorDataset":
                    return [value]
                if at < len(data.args):
                    found.append(data.args[at])
        elif isinstance(held, ast.Tuple | ast.List) and at < len(held.elts):
            found.append(held.elts[at])
        else:
            return [value]
    return found or [value]
