"""Find one list, dictionary or data set that is handed round and changed where it lies."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from executor.inside.remarks.edits import Told, added, put, way
from executor.inside.remarks.syntax import (
    Found,
    argument,
    assigned,
    callee,
    dotted,
    functions,
    inside,
    loops,
    tail,
    walk,
    words,
)


def emptied_by_first(tree: ast.Module) -> Found:
    """`settings.pop("weight", None)` of what the caller gives again and again."""
    for function, called in _callables(tree):
        given = [a.arg for a in function.args.args if a.arg not in ("self", "cls")]
        copied = {name for _, name, _ in assigned(function)}
        for statement in function.body:
            for call in (n for n in walk(statement) if isinstance(n, ast.Call)):
                name = dotted(call.func.value) if isinstance(call.func, ast.Attribute) else ""
                if tail(call) != "pop" or name not in given or name in copied:
                    continue
                match call.args:
                    case [ast.Constant(value=str() as key), _]:
                        pass
                    case _:
                        continue
                again = _given_again(tree, called, name, given)
                if again is None:
                    continue
                yield Told(
                    "emptied_by_first",
                    call,
                    f"`pop` takes `{key}` out of the dictionary itself, and each call is given the "
                    f"same one (`{ast.unparse(again)}`): the first call finds it there, every "
                    f"later one gets `{ast.unparse(call.args[1])}`; copy it first: "
                    f"`{name} = dict({name})`",
                    (way("each call has the whole dictionary",
                         add=added(f"{name} = dict({name})", statement)),),
                )  # fmt: skip


def _callables(tree: ast.Module) -> Iterator[tuple[ast.FunctionDef, str]]:
    """Each function, and each `__init__`, with the name by which it is called."""
    for node in walk(tree):
        if isinstance(node, ast.ClassDef):
            for method in node.body:
                if isinstance(method, ast.FunctionDef) and method.name == "__init__":
                    yield method, node.name
        elif isinstance(node, ast.FunctionDef) and node.name[:2] != "__":
            yield node, node.name


def _given_again(tree: ast.Module, called: str, name: str, given: list[str]) -> ast.expr | None:
    """What each call hands on under that name, where it is one and the same thing."""
    calls = [n for n in walk(tree) if isinstance(n, ast.Call) and tail(n) == called]
    handed = [argument(c, given.index(name), name) for c in calls]
    found = [h for h in handed if isinstance(h, ast.Name | ast.Attribute | ast.Subscript)]
    if not found or len(found) != len(handed) or len({ast.unparse(h) for h in found}) != 1:
        return None
    base: ast.expr = found[0]
    while isinstance(base, ast.Subscript | ast.Attribute):
        base = base.value
    if not isinstance(base, ast.Name):
        return None
    rounds = [x for x in loops(tree) if any(c in walk(x) for c in calls)]
    stored = {n.id for x in rounds for n in walk(x) if isinstance(n, ast.Name)
              and isinstance(n.ctx, ast.Store)}  # fmt: skip
    return found[0] if (rounds or len(calls) > 1) and base.id not in stored else None


def one_list_kept(tree: ast.Module) -> Found:
    """`episode.clear()` at the start of each round, and `memory.append(episode)` at its end."""
    for loop in loops(tree):
        below = list(inside(loop))
        stored = {n.id for n in below if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        for statement in loop.body:
            name = _emptied(statement)
            if not name or name in stored:
                continue
            for call in (n for n in below if isinstance(n, ast.Call) and tail(n) == "append"):
                match call:
                    case ast.Call(
                        func=ast.Attribute(value=ast.Name(id=kept)), args=[ast.Name(id=what)]
                    ) if what == name and kept != name:
                        pass
                    case _:
                        continue
                if any(_emptied(s) == kept for s in loop.body) or _is_made_in(loop, kept):
                    continue
                yield Told(
                    "one_list_kept",
                    call,
                    f"`{kept}` gets the same list each time, and line {statement.lineno} empties "
                    f"it in place: all entries are this one list, with what the last round put "
                    f"into it; make a new one in each round: `{name} = []`",
                    (way("each round has a list of its own", put(statement, f"{name} = []")),),
                )


def one_array_kept(tree: ast.Module) -> Found:
    """`return self.state`, an array that `step` goes on writing into, and `seen.append(state)`."""
    for made in (n for n in walk(tree) if isinstance(n, ast.ClassDef)):
        methods = [n for n in made.body if isinstance(n, ast.FunctionDef)]
        written = {dotted(t) for m in methods for n in inside(m) for t in _written_into(n)}
        arrays = {n: v for m in methods for _, n, v in assigned(m) if n in written and _is_array(v)}
        given = [
            (method.name, part)
            for method in methods
            for n in inside(method)
            if isinstance(n, ast.Return) and n.value is not None
            for part in (n.value.elts if isinstance(n.value, ast.Tuple) else [n.value])
            if dotted(part) in arrays
        ]
        named = {dotted(part) for _, part in given}
        if len(named) != 1 or set(_defining(tree, {m for m, _ in given})) != {made}:
            continue
        array = named.pop()
        for call, name in _appended(tree, {method for method, _ in given}):
            copy = ".clone()" if "torch" in words(arrays[array]) else ".copy()"
            yield Told(
                "one_array_kept",
                call,
                f"`{name}` is `{array}` of `{made.name}` itself, which goes on writing into it: "
                "all entries of the list are this one array, and show what it holds last; return "
                f"a copy, `{array}{copy}`",
                (way("each entry is one of its own", *(put(p, p, copy) for _, p in given)),),
            )
            return


def _written_into(node: ast.AST) -> Iterator[ast.expr]:
    """The attribute of `self` that a statement writes into where it lies."""
    match node:
        case ast.Assign(targets=[ast.Subscript(value=ast.Attribute() as held)]):
            yield held
        case ast.AugAssign(target=ast.Subscript(value=ast.Attribute() as held)):
            yield held
        case ast.AugAssign(target=ast.Attribute() as held):
            yield held


def _is_array(value: ast.expr) -> bool:
    maker = dotted(value.func) if isinstance(value, ast.Call) else ""
    return maker.startswith(("np.", "numpy.", "torch.")) and bool(_MAKES.search(maker))


_MAKES = re.compile(r"\.(zeros|ones|empty|full|array|rand\w*|tensor|random\.\w+)$")


def _defining(tree: ast.Module, methods: set[str]) -> Iterator[ast.ClassDef]:
    """The classes that have a method of one of those names."""
    for node in walk(tree):
        of = node.body if isinstance(node, ast.ClassDef) else []
        if any(isinstance(m, ast.FunctionDef) and m.name in methods for m in of):
            assert isinstance(node, ast.ClassDef)
            yield node


def _appended(tree: ast.Module, methods: set[str]) -> Iterator[tuple[ast.Call, str]]:
    """Where a list gets a variable, alone or in a tuple, that holds what one of them returned."""
    for function in (tree, *functions(tree).values()):
        held: dict[str, list[ast.expr]] = {}
        for node in inside(function):
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    held.setdefault(name, []).append(value)
                case ast.Assign(targets=[ast.Tuple(elts=[ast.Name(id=name), *_])], value=value):
                    held.setdefault(name, []).append(value)
        names = {
            name for name, values in held.items()
            if all((isinstance(v, ast.Call) and isinstance(v.func, ast.Attribute)
                   and tail(v) in methods) or isinstance(v, ast.Name) for v in values)
            and any(isinstance(v, ast.Call) for v in values)
        }  # fmt: skip
        others = {n for n, values in held.items() if {dotted(v) for v in values} <= names}
        names |= others  # other names of the same array
        for call in (n for n in inside(function) if isinstance(n, ast.Call)):
            if tail(call) != "append" or not isinstance(call.func, ast.Attribute):
                continue
            for given in call.args:
                parts = given.elts if isinstance(given, ast.Tuple) else [given]
                yield from ((call, p.id) for p in parts if isinstance(p, ast.Name)
                            and p.id in names)  # fmt: skip


def _emptied(statement: ast.stmt) -> str:
    """The variable whose list a statement empties in place."""
    match statement:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=name), attr="clear"))):
            return name
        case ast.Delete(targets=[ast.Subscript(value=ast.Name(id=name), slice=ast.Slice())]):
            return name
    return ""


def _is_made_in(loop: ast.For | ast.While, name: str) -> bool:
    return any(n == name and isinstance(v, ast.List) for _, n, v in assigned(loop))


def workers_keep_copy(tree: ast.Module) -> Found:
    """`persistent_workers=True`, and `dataset.level = …` in each epoch."""
    for _, loader, made in assigned(tree):
        if not isinstance(made, ast.Call) or callee(made) != "DataLoader" or not made.args:
            continue
        told = {k.arg: k.value for k in made.keywords}
        stays, workers = told.get("persistent_workers"), told.get("num_workers")
        data = dotted(made.args[0])
        if not isinstance(stays, ast.Constant) or stays.value is not True:
            continue
        if workers is None or ast.unparse(workers) == "0":
            continue
        read = {
            n.attr for f in functions(tree).values() if f.name in _READS for n in walk(f)
            if isinstance(n, ast.Attribute) and dotted(n.value) == "self"
        } | {
            n.attr for c in walk(tree) if isinstance(c, ast.ClassDef)
            for f in c.body if isinstance(f, ast.FunctionDef) and f.name in _READS
            for n in walk(f) if isinstance(n, ast.Attribute) and dotted(n.value) == "self"
        }  # fmt: skip
        for loop in loops(tree):
            if made in walk(loop) or not _goes_through(loop, loader):
                continue
            for node, target, _ in assigned(loop):
                attribute = target.removeprefix(f"{data}.")
                if target == attribute or attribute not in read:
                    continue
                yield Told(
                    "workers_keep_copy",
                    node,
                    f"the workers of `{loader}` are processes with a copy of `{data}` from the "
                    "first epoch on, and `persistent_workers=True` keeps them: what is set here "
                    f"reaches the `{data}` of this process alone; leave `persistent_workers` out, "
                    "or make the loader anew when it changes",
                    (way("each epoch starts workers that see the change", put(stays, "False")),),
                )
                return


_READS = ("__getitem__", "__iter__", "__getitems__")


def _goes_through(loop: ast.For | ast.While, loader: str) -> bool:
    return any(
        isinstance(n, ast.For) and n is not loop and loader in {dotted(m) for m in walk(n.iter)}
        for n in walk(loop)
    )


RULES = (emptied_by_first, one_list_kept, one_array_kept, workers_keep_copy)
