"""Find copies that are none: two names, or several entries, of one thing that is changed."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from executor.inside.remarks.at_place import class_of
from executor.inside.remarks.edits import Told, added, put, way
from executor.inside.remarks.syntax import (
    Found,
    assigned,
    blocks,
    bound,
    defaults,
    dotted,
    functions,
    handed,
    inside,
    loops,
    owner,
    rebound,
    tail,
    values,
    walk,
    words,
)

_COPY = re.compile(r"(?i)adv|pert|nois|cop(y|ies)|orig|new|old|prev|before|mask|corrupt|aug|clean")
_SHARES = {"detach", "view", "reshape", "squeeze", "unsqueeze", "numpy", "flatten"}
_ONLY_MARKS = {"requires_grad_", "retain_grad", "share_memory_"}


def written_through(tree: ast.Module) -> Found:
    """`adv = x.detach()` and then `adv += …`: the values of `x` are changed too."""
    for scope in (tree, *functions(tree).values()):
        below = set(inside(scope))
        made: dict[str, list[ast.expr]] = {}
        for node, name, value in assigned(scope):
            if node in below:
                made.setdefault(name, []).append(value)
        for name, given in made.items():
            of = _shares(given[0])
            if len(given) != 1 or not of or of == name or not _COPY.search(name):
                continue
            changes = [n for n in below if _changes(n, name)]
            if isinstance(given[0], ast.Name):  # a number would not be changed
                changes = [n for n in changes if not isinstance(n, ast.AugAssign) or _is_long(n)]
            if not changes or not _is_read_after(tree, scope, of, changes[0]):
                continue
            change = min(changes, key=lambda n: getattr(n, "lineno", 0))
            yield Told(
                "written_through",
                change,
                f"`{name} = {ast.unparse(given[0])}` makes no copy: `{name}` and `{of}` are the "
                "same values in "
                f"memory, and what this line changes is changed in `{of}` too, which is read "
                f"afterwards; write `{ast.unparse(given[0])}.clone()`",
                (way(f"`{of}` stays as it is", put(given[0], given[0], ".clone()")),),
            )


def _shares(value: ast.expr) -> str:
    """`x` of `x`, `x.detach()`, `x.view(…)`: a tensor whose memory it is."""
    if isinstance(value, ast.Name):
        return value.id
    while isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        if value.func.attr not in _SHARES:
            return ""
        value = value.func.value
        if isinstance(value, ast.Name):
            return value.id
    return ""


def _changes(node: ast.AST, name: str) -> bool:
    match node:
        case ast.AugAssign(target=ast.Name(id=of) | ast.Subscript(value=ast.Name(id=of))):
            return of == name
        case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=of))]):
            return of == name
        case ast.Call(func=ast.Attribute(value=ast.Name(id=of), attr=method)):
            is_in_place = method.endswith("_") and not method.endswith("__")
            return of == name and is_in_place and method not in _ONLY_MARKS
    return False


_MANY = {"randn", "rand", "normal", "uniform", "randn_like", "rand_like", "standard_normal"}


def _is_long(added: ast.AugAssign) -> bool:
    """Whether it is a tensor or an array that is added to: by its places, or by what is added."""
    if isinstance(added.target, ast.Subscript):
        return True
    calls = (n for n in walk(added.value) if isinstance(n, ast.Call))
    return any(tail(c) in _MANY and (c.args or c.keywords) for c in calls)


def _is_read_after(tree: ast.Module, scope: ast.AST, of: str, change: ast.AST) -> bool:
    """Whether the values are read later: in the same scope, or where its caller goes on."""
    line = getattr(change, "lineno", 0)
    if any(_loads(n, of) and getattr(n, "lineno", 0) > line for n in inside(scope)):
        return True
    if not isinstance(scope, ast.FunctionDef) or of not in [a.arg for a in scope.args.args]:
        return False
    at = [a.arg for a in scope.args.args].index(of)
    for caller in (tree, *functions(tree).values()):
        below = inside(caller)
        for call in (n for n in below if isinstance(n, ast.Call) and tail(n) == scope.name):
            given = dotted(call.args[at]) if at < len(call.args) else ""
            if given and any(
                _loads(n, given) and getattr(n, "lineno", 0) > call.lineno for n in below
            ):
                return True
    return False


def _loads(node: ast.AST, name: str) -> bool:
    return isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load)


_WEIGHTS = {"parameters", "named_parameters", "state_dict", "values", "items"}


def copies_itself(tree: ast.Module) -> Found:
    """`fast = net`, and a loop over the weights of both: each is compared with itself."""
    for scope in (tree, *functions(tree).values()):
        below = set(inside(scope))
        same = {
            name: (node, value)
            for node, name, value in assigned(tree)
            if (node in below or name.startswith("self."))
            and isinstance(value, ast.Name | ast.Attribute)
            and sum(n == name for _, n, _ in assigned(tree if "." in name else scope)) == 1
        }  # fmt: skip
        for loop in below:
            match loop:
                case ast.Call(func=ast.Name(id="zip"), args=[ast.Call() as one, ast.Call() as two]):
                    pass
                case _:
                    continue
            if tail(one) != tail(two) or tail(one) not in _WEIGHTS:
                continue
            for a, b in ((owner(one), owner(two)), (owner(two), owner(one))):
                if a not in same or dotted(same[a][1]) != b or loop not in below:
                    continue
                node, _ = same[a]
                imported = "" if "copy" in bound(tree) else "import copy; "
                new = f"{imported}{a} = copy.deepcopy({b})"
                yield Told(
                    "copies_itself",
                    node,
                    f"`{a}` is no second model, it is `{b}` under another name: what changes the "
                    f"one changes the other, and line {loop.lineno} takes each weight and itself; "
                    f"write `{a} = copy.deepcopy({b})`",
                    (way(f"`{a}` has weights of its own", put(node, new)),),
                )
                break


def one_list_repeated(tree: ast.Module) -> Found:
    """`[[]] * n`, of which single entries are filled: all entries are one list."""
    yield from _one_of_two_names(tree)
    for _, name, value in assigned(tree):
        match value:
            case ast.BinOp(left=ast.List(elts=[entry]), op=ast.Mult(), right=by):
                written = f"[{ast.unparse(entry)} for _ in range({ast.unparse(by)})]"
            case ast.Call(func=ast.Attribute(attr="fromkeys"), args=[keys, entry]):
                written = f"{{k: {ast.unparse(entry)} for k in {ast.unparse(keys)}}}"
            case _:
                continue
        if not _is_container(entry):
            continue
        changed = next((n for n in walk(tree) if _fills_one(n, name)), None)
        if changed is not None:
            yield Told(
                "one_list_repeated",
                value,
                f"all entries of `{name}` are one and the same `{ast.unparse(entry)}`: line "
                f"{getattr(changed, 'lineno', 0)} changes all of them at once; write `{written}`",
                (way("each entry is one of its own", put(value, written)),),
            )


def _one_of_two_names(tree: ast.Module) -> Found:
    """`train = val = []`, of which each is filled by its name."""
    for node in walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(), ast.Name(), *_] as names, value=value) if (
                _is_container(value) and not isinstance(value, ast.Tuple)
            ):
                told = [n.id for n in names if isinstance(n, ast.Name)]
            case _:
                continue
        made = [n for _, n, _ in assigned(tree) if n in told]
        if len(made) == len(told) and all(any(_fills(n, t) for n in walk(tree)) for t in told):
            written = ", ".join(told) + " = " + ", ".join([ast.unparse(value)] * len(told))
            yield Told(
                "one_list_repeated",
                node,
                f"`{'` and `'.join(told)}` are one and the same `{ast.unparse(value)}`: what is "
                f"put into the one is in the other too; write `{written}`",
                (way("each is one of its own", put(node, written)),),
            )


def _is_container(node: ast.expr) -> bool:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Mult):
        return isinstance(node.left, ast.List)  # `[0] * n`
    made = isinstance(node, ast.Call) and tail(node) in ("list", "dict", "set", "deque")
    return made or isinstance(node, ast.List | ast.Dict | ast.Set)


def _fills_one(node: ast.AST, name: str) -> bool:
    """`x[i].append(v)`, `x[i][j] = v`."""
    match node:
        case ast.Call(
            func=ast.Attribute(
                value=ast.Subscript(value=of), attr="append" | "extend" | "add" | "update"
            )
        ):
            return dotted(of) == name
        case (
            ast.Assign(targets=[ast.Subscript(value=ast.Subscript(value=of))])
            | ast.AugAssign(target=ast.Subscript(value=ast.Subscript(value=of)))
        ):
            return dotted(of) == name
    return False


_KEEPS = re.compile(r"(?i)cache|memo|seen|registry|_?state$")


def default_kept(tree: ast.Module) -> Found:
    """`def run(…, losses=[])`, filled in each call: the list is made once, for all of them."""
    for function in functions(tree).values():
        for name, default in defaults(function):
            if not _is_made_to_fill(default) or _KEEPS.search(name) or name in rebinds(function):
                continue
            kept, own = _kept_as(function, name), class_of(function, tree)
            below = walk(own) if kept and own is not None else inside(function)
            fills = next((n for n in below if _fills(n, kept or name)), None)
            if fills is None or not _is_called_again(tree, function, name):
                continue
            kind = ast.unparse(default)
            first = function.body[0]
            begin = f"{name} = {kind} if {name} is None else {name}"
            yield Told(
                "default_kept",
                default,
                f"this `{kind}` is made once, when the function is defined: each call that gives "
                f"no `{name}` goes on with what the calls before have put into it; write "
                f"`{name}=None`, and `{begin}` in the body",
                (way("each call begins with an empty one", put(default, "None"),
                     add=added(begin, first)),),
            )  # fmt: skip


def _is_made_to_fill(default: ast.expr) -> bool:
    """`[]`, `{}`, `dict()`, and a dictionary of empty ones."""
    if isinstance(default, ast.Dict) and default.values:
        return all(map(_is_made_to_fill, default.values))
    return ast.unparse(default) in ("[]", "{}", "list()", "dict()", "set()")


def _kept_as(function: ast.FunctionDef, name: str) -> str:
    """`self.vals` of `self.vals = vals`: where a constructor keeps its argument."""
    if function.name != "__init__":
        return ""
    given = (n for _, n, v in assigned(function) if dotted(v) == name and n.startswith("self."))
    return next(given, "")


def rebinds(function: ast.FunctionDef) -> set[str]:
    """The variables that a function assigns."""
    return {name for _, name, _ in assigned(function)}


def _fills(node: ast.AST, name: str) -> bool:
    match node:
        case ast.Call(
            func=ast.Attribute(value=of, attr="append" | "extend" | "add" | "setdefault" | "update")
        ):
            return dotted(of.value if isinstance(of, ast.Subscript) else of) == name
        case ast.Assign(targets=[ast.Subscript(value=of)]):
            return dotted(of) == name
        case ast.AugAssign(target=of, op=ast.Add(), value=ast.List() | ast.ListComp()):
            return dotted(of) == name
    return False


def _is_called_again(tree: ast.Module, function: ast.FunctionDef, name: str) -> bool:
    """Whether it is called twice or in a loop, never with that argument."""
    called = {function.name}
    if function.name == "__init__":
        called = {c.name for c in walk(tree) if isinstance(c, ast.ClassDef) and function in c.body}
    calls = [n for n in walk(tree) if isinstance(n, ast.Call) and tail(n) in called]
    given = any(name in dict(handed(c, function)) or _is_open(c) for c in calls)
    again = any(c in inside(loop) for loop in loops(tree) for c in calls)
    again |= any(isinstance(n, _REPEATS) and c in walk(n) for n in walk(tree) for c in calls)
    return not given and (len(calls) > 1 or again)


def _is_open(call: ast.Call) -> bool:
    """Whether it gives what no name stands for: `*args`, `**settings`."""
    return any(isinstance(a, ast.Starred) for a in call.args) or any(
        k.arg is None for k in call.keywords
    )


_REPEATS = (ast.ListComp, ast.DictComp, ast.GeneratorExp)


def written_over(tree: ast.Module) -> Found:
    """`pe[:, 0::2] = sin`, `pe[:, 0::2] = cos`: the first is lost."""
    for one, two in _in_a_row(tree):
        match one, two:
            case (
                ast.Assign(targets=[ast.Subscript() as first]),
                ast.Assign(targets=[ast.Subscript() as second], value=value),
            ) if ast.unparse(first) == ast.unparse(second):
                pass
            case _:
                continue
        if not isinstance(first.slice, ast.Slice | ast.Tuple) or ast.unparse(
            one.value
        ) == ast.unparse(value):
            continue
        base = dotted(first.value)
        if not base or base in {dotted(n) for n in walk(value)}:
            continue
        yield (
            "written_over",
            two,
            f"line {one.lineno} writes to `{ast.unparse(first)}`, and this line writes to the very "
            "same places: what was there is lost, and the places that were meant for one of the "
            "two keep what they had",
        )


def _in_a_row(tree: ast.Module) -> Iterator[tuple[ast.stmt, ast.stmt]]:
    """Statements of one block, with none between them that reads what the first has written."""
    for run in blocks(tree):
        for at, one in enumerate(run):
            if not isinstance(one, ast.Assign):
                continue
            base = {tail(t.value) for t in one.targets if isinstance(t, ast.Subscript)} - {""}
            for two in run[at + 1 :] if base else ():
                yield one, two
                if not isinstance(two, ast.Assign) or base & words(two) or _moves(one, two):
                    break


def _moves(one: ast.Assign, two: ast.stmt) -> bool:
    """Whether the places that the first has written to are others behind the second."""
    return bool(rebound(two) & {w for t in one.targets for w in words(t)})


def followed_unasked(tree: ast.Module) -> Found:
    """A model that is brought up to date with another one, and is never asked anything."""
    own = functions(tree)
    made = values(tree)
    for call in (n for n in walk(tree) if isinstance(n, ast.Call)):
        name = owner(call)
        of = call.args[0] if call.args else None
        if tail(call) != "load_state_dict" or not isinstance(of, ast.Call) or not name:
            continue
        source, last = owner(of), name.rpartition(".")[2]
        if tail(of) != "state_dict" or not source or name not in made or source == name:
            continue
        again = any(call in inside(loop) for loop in loops(tree)) or any(
            call in inside(f) for f in own.values() if f.name != "__init__"
        )
        if not again or _is_asked(tree, last):
            continue
        yield (
            "followed_unasked",
            call,
            f"`{name}` gets the weights of `{source}` here, and is called nowhere in this program: "
            f"what it was to be asked is asked of another model, or of none, so that it has no "
            "part in what is computed",
        )
        return


_ONLY_KEPT = {
    "load_state_dict", "parameters", "eval", "train", "to", "requires_grad_", "state_dict",
    "named_parameters", "buffers", "named_buffers", "cuda", "apply", "zero_grad", "modules",
}  # fmt: skip


def _is_asked(tree: ast.Module, last: str) -> bool:
    """Whether a model is called, handed to something, or any other thing of it is read."""
    plain: set[ast.AST] = set()
    for node in walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(value=of, attr=method)) if (
                tail(of) == last and method in _ONLY_KEPT
            ):
                plain.add(of)
            case ast.Assign(targets=[*targets]):
                plain.update(t for t in targets if tail(t) == last)
    for node in walk(tree):
        if isinstance(node, ast.Call) and tail(node) == "save" and last in words(node):
            return True
    return any(
        isinstance(n, ast.Name | ast.Attribute) and tail(n) == last and n not in plain
        for n in walk(tree)
    )


RULES = (
    written_through,
    copies_itself,
    one_list_repeated,
    default_kept,
    written_over,
    followed_unasked,
)
