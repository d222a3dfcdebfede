"""Find one list, dictionary or data set that is handed round and changed where it lies."""

from __future__ import annotations

import ast
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


RULES = (emptied_by_first, one_list_kept, workers_keep_copy)
