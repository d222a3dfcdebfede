"""Say what a name is made of where it is read: what it was given last, on each way to there.

`made_of` takes all that a text ever gives a name. Here the order of the lines counts, and in
`y = y.view(…)` the second `y` is the one before. An argument is what the calls give it, those of a
model too, which run its `forward`; an attribute is what its class gives it. What is not known stays
a name.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from executor.inside.remarks.syntax import (
    bare,
    defaults,
    dotted,
    handed,
    inside,
    is_own,
    rebound,
    tail,
    walk,
)
from executor.inside.walking import kept_by_node

_FAR = 40  # things that are looked at on the way
_RUNS = {"__call__", "forward"}


def made_at(node: ast.expr, tree: ast.AST) -> list[ast.expr]:
    """What an expression may be, by the values of its names there and of what functions return."""
    found: list[ast.expr] = []
    todo, seen = [node], set[ast.AST]()
    while todo:
        one = todo.pop()
        if one in seen or len(seen) > _FAR:
            continue
        seen.add(one)
        given = held_at(one, tree)
        if given:
            todo += reversed(given)
        else:
            found.append(one)
    return found


def held_at(node: ast.expr, tree: ast.AST) -> list[ast.expr]:
    """What a name is given on the ways to it, or what a call returns; nothing if that is open."""
    match node:
        case ast.Name(ctx=ast.Load()):
            return _of_name(node, tree)
        case ast.Attribute() if is_own(node):
            return _of_attribute(node, tree)
        case ast.Call():
            return _of_call(node, tree)
        case ast.Subscript(value=of, slice=ast.Constant(value=int() | str() as at)):
            return _of_part(of, at, tree)
    return []


def _of_part(of: ast.expr, at: int | str, tree: ast.AST) -> list[ast.expr]:
    """What stands at a place of a tuple, or under a key; nothing where one of them is open."""
    found: list[ast.expr] = []
    for made in made_at(of, tree):
        match made:
            case ast.Tuple(elts=parts) | ast.List(elts=parts) if isinstance(at, int) and -len(
                parts
            ) <= at < len(parts):
                found.append(parts[at])
            case ast.Dict(keys=keys, values=values):
                held = [
                    v for k, v in zip(keys, values, strict=True)
                    if isinstance(k, ast.Constant) and k.value == at
                ]  # fmt: skip
                if not held:
                    return []
                found += held
            case _:
                return []
    return [] if any(isinstance(f, ast.Starred) for f in found) else found


def function_of(node: ast.AST, tree: ast.AST) -> ast.FunctionDef | None:
    """The function that a node stands in."""
    return next((n for n in _above(node, tree) if isinstance(n, ast.FunctionDef)), None)


def class_of(node: ast.AST, tree: ast.AST) -> ast.ClassDef | None:
    """The class that a node stands in."""
    return next((n for n in _above(node, tree) if isinstance(n, ast.ClassDef)), None)


def _above(node: ast.AST, tree: ast.AST) -> Iterator[ast.AST]:
    over = _parents(tree)
    while node in over:
        node = over[node]
        yield node


@kept_by_node
def _parents(tree: ast.AST) -> dict[ast.AST, ast.AST]:
    return {below: node for node in walk(tree) for below in ast.iter_child_nodes(node)}


def _of_name(node: ast.Name, tree: ast.AST) -> list[ast.expr]:
    """What the statements before a name give it; nothing where one of the ways is open."""
    over, name, found = _parents(tree), node.id, list[ast.expr]()
    below: ast.AST = node
    while below in over:
        above = over[below]
        if any(name in rebound(g.target) for g in getattr(above, "generators", ())):
            return []
        block = _block_of(below, above)
        if block is not None:
            at = next(i for i, statement in enumerate(block) if statement is below)
            given, is_sure = _given(name, block[:at])
            if given is None:
                return []
            found += given
            if is_sure:
                return found
            if isinstance(above, ast.For | ast.While) and name in rebound(above):
                again, _ = _given(name, block)
                if isinstance(above, ast.For) and name in rebound(above.target):
                    return [] if found or again else _of_loader(above, name, tree)
                if again is None:
                    return []
                found += [v for v in again if v not in found]
        if isinstance(above, ast.FunctionDef | ast.Lambda):
            return _from_without(name, above, found, tree)
        below = above
    return found


def _from_without(
    name: str, function: ast.FunctionDef | ast.Lambda, found: list[ast.expr], tree: ast.AST
) -> list[ast.expr]:
    """What a name is at the beginning of a function: its argument, or a variable of the program."""
    arguments = {n.arg for n in walk(function.args) if isinstance(n, ast.arg)}
    if isinstance(function, ast.Lambda):
        return [] if name in arguments else _of_all(name, tree)
    if name in arguments:
        given = _arguments(tree).get((function, name), [])
        given = given or [v for to, v in defaults(function) if to == name]
        return found + given if given else []
    return [] if name in rebound(function) else _of_all(name, tree)


def _block_of(below: ast.AST, above: ast.AST) -> list[ast.stmt] | None:
    """The run of statements that one is in."""
    for part in ("body", "orelse", "finalbody"):
        block = getattr(above, part, None)
        if isinstance(block, list) and below in block:
            return block
    return None


def _given(name: str, block: list[ast.stmt]) -> tuple[list[ast.expr] | None, bool]:
    """What statements give a name, and whether each way goes through one; None where it is open."""
    found: list[ast.expr] = []
    for statement in reversed(block):
        match statement:
            case ast.Assign(targets=targets, value=value) if parts := [
                p for t in targets if (p := _part(t, value, name)) is not None
            ]:
                return [*found, *parts], True
            case ast.AnnAssign(target=ast.Name(id=to), value=ast.expr() as value) if to == name:
                return [*found, value], True
            case ast.With(items=items, body=body) if not any(name in rebound(i) for i in items):
                given, is_sure = _given(name, body)
            case ast.If(body=body, orelse=other):
                given, is_sure = _given(name, body)
                also, is_also = _given(name, other)
                given = None if given is None or also is None else given + also
                is_sure &= is_also
            case ast.For(body=body) | ast.While(body=body) if not (
                isinstance(statement, ast.For) and name in rebound(statement.target)
            ):
                given, is_sure = _given(name, body)[0], False
            case ast.FunctionDef() | ast.ClassDef():
                given, is_sure = (None if statement.name == name else []), False
            case _ if name in rebound(statement):
                return None, False
            case _:
                continue
        if given is None:
            return None, False
        found += given
        if is_sure:
            return found, True
    return found, False


def _part(target: ast.expr, value: ast.expr, name: str) -> ast.expr | None:
    """What a target of that name gets; of what is unpacked its part, written as a subscript."""
    match target:
        case ast.Name(id=to):
            return value if to == name else None
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            at = next((i for i, p in enumerate(parts) if dotted(p) == name), None)
            if at is None or any(isinstance(p, ast.Starred) for p in parts):
                return None
            match value:
                case ast.Tuple(elts=given) | ast.List(elts=given) if len(given) == len(parts):
                    return given[at]
                case ast.GeneratorExp(elt=each) | ast.ListComp(elt=each):
                    return each
            return ast.copy_location(
                ast.Subscript(value, ast.copy_location(ast.Constant(at), value), ast.Load()), value
            )
    return None


def _of_loader(loop: ast.For, name: str, tree: ast.AST) -> list[ast.expr]:
    """What the `collate_fn` of the loader that a loop goes over puts at the place of a name."""
    target, over = loop.target, loop.iter
    if tail(over) == "enumerate" and isinstance(over, ast.Call) and over.args:
        over = over.args[0]
        target = target.elts[1] if isinstance(target, ast.Tuple) and target.elts[1:] else target
    found: list[ast.expr] = []
    for made in made_at(over, tree):
        named = [k.value for k in getattr(made, "keywords", ()) if k.arg == "collate_fn"]
        joins = _plain(tree).get(dotted(named[0])) if named else None
        if joins is None:
            return []
        back = [n.value for n in inside(joins) if isinstance(n, ast.Return) and n.value is not None]
        parts = [_part(target, value, name) for value in back]
        if not parts or None in parts:
            return []
        found += [p for p in parts if p is not None]
    return found


def _of_all(name: str, tree: ast.AST) -> list[ast.expr]:
    """What the program gives a variable outside of functions, wherever."""
    found: list[ast.expr] = []
    for node in inside(tree):
        match node:
            case ast.Assign(targets=targets, value=value):
                found += [p for t in targets if (p := _part(t, value, name)) is not None]
            case ast.For(target=target) | ast.AugAssign(target=target) if name in rebound(target):
                return []
    return found


def _of_attribute(node: ast.Attribute, tree: ast.AST) -> list[ast.expr]:
    """What a class gives an attribute of its objects, buffers too."""
    own = class_of(node, tree)
    found: list[ast.expr] = []
    for one in walk(own) if own is not None else ():
        match one:
            case ast.Assign(targets=targets, value=value):
                for target in targets:
                    pairs = [(target, value)]
                    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple):
                        pairs = list(zip(target.elts, value.elts, strict=False))
                    found += [v for t, v in pairs if dotted(t) == dotted(node)]
            case ast.AugAssign(target=target) if dotted(target) == dotted(node):
                return []
            case ast.Call(args=[ast.Constant(value=str() as name), value, *_]) if (
                tail(one) == "register_buffer" and name == node.attr
            ):
                found.append(value)
    return found


def _of_call(node: ast.Call, tree: ast.AST) -> list[ast.expr]:
    """What a function of the program returns."""
    function = _called(node, tree)
    if function is None:
        return []
    found = [n.value for n in inside(function) if isinstance(n, ast.Return) and n.value is not None]
    return [] if any(isinstance(n, ast.Yield | ast.YieldFrom) for n in inside(function)) else found


def _called(node: ast.Call, tree: ast.AST) -> ast.FunctionDef | None:
    """The function or method of the program that a call runs."""
    match node.func:
        case ast.Name(id=name) if name in _plain(tree):
            return _plain(tree)[name]
        case ast.Attribute(attr=name) if is_own(node.func):
            own = class_of(node, tree)
            return _methods(own).get(name) if own is not None and name in _methods(own) else None
    own = instance_of(node.func, tree)
    return next((f for n, f in _methods(own).items() if n in _RUNS), None) if own else None


def instance_of(node: ast.expr, tree: ast.AST) -> ast.ClassDef | None:
    """The class of the program that something is an object of, by its name."""
    return _instances(tree).get(dotted(node).rpartition(".")[2])


@kept_by_node
def _instances(tree: ast.AST) -> dict[str, ast.ClassDef]:
    classes = {n.name: n for n in walk(tree) if isinstance(n, ast.ClassDef)}
    found: dict[str, ast.ClassDef] = {}
    doubtful: set[str] = set()
    for node in walk(tree):
        match node:
            case ast.Assign(targets=[target], value=value) if dotted(target):
                name, made = dotted(target).rpartition(".")[2], bare(value)
                own = classes.get(tail(made)) if isinstance(made, ast.Call) else None
                if name in found and found[name] is not own:
                    doubtful.add(name)
                elif own is not None:
                    found[name] = own
    return {name: own for name, own in found.items() if name not in doubtful}


@kept_by_node
def _plain(tree: ast.AST) -> dict[str, ast.FunctionDef]:
    methods = {m for n in walk(tree) if isinstance(n, ast.ClassDef) for m in n.body}
    return {n.name: n for n in walk(tree) if isinstance(n, ast.FunctionDef) and n not in methods}


@kept_by_node
def _methods(own: ast.AST) -> dict[str, ast.FunctionDef]:
    return {m.name: m for m in ast.iter_child_nodes(own) if isinstance(m, ast.FunctionDef)}


@kept_by_node
def _arguments(tree: ast.AST) -> dict[tuple[ast.FunctionDef, str], list[ast.expr]]:
    """What the calls of the program give each argument, and its default where one gives none."""
    found: dict[tuple[ast.FunctionDef, str], list[ast.expr]] = {}
    classes = {n.name: n for n in walk(tree) if isinstance(n, ast.ClassDef)}
    for call in (n for n in walk(tree) if isinstance(n, ast.Call)):
        function = _called(call, tree)
        if function is None and tail(call) in classes:
            function = _methods(classes[tail(call)]).get("__init__")
        if function is None or not _is_plain_or_own(function, tree):
            continue
        given = dict(handed(call, function))
        for name, value in {**dict(defaults(function)), **given}.items():
            found.setdefault((function, name), []).append(value)
    return found


def _is_plain_or_own(function: ast.FunctionDef, tree: ast.AST) -> bool:
    """Whether it is no method, or one whose first argument is called as all do it."""
    is_method = isinstance(_parents(tree).get(function), ast.ClassDef)
    return not is_method or [a.arg for a in function.args.args[:1]] == ["self"]
