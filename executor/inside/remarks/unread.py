"""Find what is computed and then left out: values that nothing reads, rounds that start over."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from executor.inside.remarks.syntax import (
    Found,
    assigned,
    callee,
    dotted,
    inside,
    loops,
    methods_named,
    tail,
    walk,
    words,
)

_OF_A_LOSS = re.compile(
    r"(?i)(^|_)(loss|kld?|reg|l1|l2|aux|penalt(y|ies)|regulari[sz](er|ation)|entropy)(\d*)(_|$)"
)
# What is read off a computation, to be shown or not: leaving it unread changes nothing.
_READINGS = {
    "argmax", "item", "detach", "size", "shape", "len", "time", "perf_counter", "eq", "tolist",
    "numpy", "get_last_lr", "numel", "sum", "mean", "max", "min", "norm", "accuracy",
}  # fmt: skip
_ACTS = {"backward", "step", "append", "update", "extend", "write", "print", "save", "add"}
_HELD_OUT = re.compile(r"(?i)(^|_)(val(id(ation)?)?|test|dev|eval|hold_?out)(_|\d|$)")
_CONSUMERS = {"clip_grad_norm_", "clip_grad_value_"}


def _never_used(tree: ast.Module) -> Found:
    """A term of the loss, or another form of what goes on, computed in each round and not read."""
    for loop in _outermost(tree):
        if not any(tail(c) == "backward" for c in _calls(loop)):
            continue
        statements = [n for n in inside(loop) if isinstance(n, ast.stmt)]
        for node in statements:
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    pass
                case _:
                    continue
            if name.startswith("_") or _is_read(name, loop) or _is_read_later(tree, name, loop):
                continue
            if _OF_A_LOSS.search(name) and _is_computed(value) and not _acts(tree, value):
                yield (
                    "never_used",
                    node,
                    f"`{name}` is computed in each round and read nowhere, so that it has no part "
                    "in what backward() goes through; add it to the loss, or leave it out",
                )
            elif (given := _goes_on(node, value, loop)) and not _acts(tree, value):
                yield (
                    "never_used",
                    node,
                    f"`{name}` is made from `{given}` in each round and read nowhere: what follows "
                    f"goes on with `{given}` as it was",
                )


def _left_in_forward(tree: ast.Module) -> Found:
    """What a layer gives in `forward`, and nothing reads."""
    for forward in methods_named(tree, "forward"):
        for node in inside(forward):
            match node:
                case ast.Assign(targets=[ast.Name(id=name)], value=value) if not name.startswith(
                    "_"
                ) and not _is_read(name, forward):
                    pass
                case _:
                    continue
            layers = [
                dotted(c.func)
                for c in walk(value)
                if isinstance(c, ast.Call) and dotted(c.func).startswith("self.")
            ]
            if layers:
                yield (
                    "never_used",
                    node,
                    f"`{name}`, which `{layers[0]}` goes into, is read nowhere in `forward`: what "
                    "follows goes on without it, and that layer learns nothing from it",
                )


def _held_out_unused(tree: ast.Module) -> Found:
    """A loader for the test that nothing reads, in code that evaluates."""
    said = words(tree)
    if "backward" not in said or not said & {"eval", "no_grad", "inference_mode"}:
        return
    for node, name, value in assigned(tree):
        if (
            _HELD_OUT.search(name)
            and "." not in name
            and isinstance(value, ast.Call)
            and callee(value) == "DataLoader"
            and not _is_read(name, tree)
        ):
            yield (
                "held_out_unused",
                node,
                f"`{name}` is made and read nowhere: what is evaluated in this code is not these "
                "data; give the evaluation this loader",
            )


def _outermost(tree: ast.Module) -> Iterator[ast.For | ast.While]:
    """The loops that are in no other one of the same function."""
    within: set[ast.AST] = set()
    for loop in loops(tree):  # outer ones come first
        if loop not in within:
            yield loop
        within.update(inside(loop))


def _calls(node: ast.AST) -> Iterator[ast.Call]:
    return (n for n in inside(node) if isinstance(n, ast.Call))


def _is_read(name: str, node: ast.AST) -> bool:
    return any(
        isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Load | ast.Del)
        for n in walk(node)
    )


def _is_read_later(tree: ast.Module, name: str, loop: ast.AST) -> bool:
    """Whether anything outside the loop reads what it has left in the variable."""
    scope = _scope(tree, loop)
    for node in walk(tree):
        if isinstance(node, ast.Global | ast.Nonlocal) and name in node.names:
            return True
        if isinstance(node, ast.Call) and tail(node) in ("locals", "globals", "vars", "eval"):
            return True
    own = set(inside(scope))
    for function in (n for n in walk(scope) if isinstance(n, ast.FunctionDef | ast.Lambda)):
        if function is not scope and not _binds(function, name) and _is_read(name, function):
            return True
    end = getattr(loop, "end_lineno", 0) or 0
    uses = [n for n in own if isinstance(n, ast.Name) and n.id == name and n.lineno > end]
    stores = [n.lineno for n in uses if isinstance(n.ctx, ast.Store)]
    loads = [n.lineno for n in uses if isinstance(n.ctx, ast.Load)]
    if not loads:
        return False
    return not stores or min(loads) <= min(stores)


def _scope(tree: ast.Module, loop: ast.AST) -> ast.AST:
    found: ast.AST = tree
    for node in walk(tree):
        if isinstance(node, ast.FunctionDef) and loop in set(inside(node)):
            found = node
    return found


def _binds(function: ast.AST, name: str) -> bool:
    return any(
        (isinstance(n, ast.arg) and n.arg == name)
        or (isinstance(n, ast.Name) and n.id == name and isinstance(n.ctx, ast.Store))
        for n in walk(function)
    )


def _is_computed(value: ast.expr) -> bool:
    """Whether a value is computed from tensors, and no number or reading is put aside."""
    if {tail(c) for c in walk(value) if isinstance(c, ast.Call)} & {"item", "detach", "float"}:
        return False
    return any(isinstance(n, ast.BinOp | ast.Call) for n in walk(value))


def _acts(tree: ast.Module, value: ast.expr) -> bool:
    """Whether computing it does something else as well, as a function that trains does."""
    functions = {f.name: f for f in walk(tree) if isinstance(f, ast.FunctionDef)}
    for call in (n for n in walk(value) if isinstance(n, ast.Call)):
        name = tail(call)
        if name in _ACTS or name.endswith("_"):
            return True
        function = functions.get(name)
        if function is not None and {tail(c) for c in _calls(function)} & _ACTS:
            return True
    return False


def _goes_on(statement: ast.Assign, value: ast.expr, loop: ast.AST) -> str:
    """The variable that a call makes something else of, and that is given to a later call as it is.

    Only what is worked on whole: by a function of the code or of torch that gets it first.
    """
    match value:
        case ast.Call(args=[ast.Name(id=given), *_]) if not words(value) & _READINGS:
            pass
        case _:
            return ""
    if given not in _rebound(loop):
        return ""  # the same in each round
    later = [
        a.id
        for c in _calls(loop)
        if c.lineno > (statement.end_lineno or 0)
        for a in c.args
        if isinstance(a, ast.Name)
    ]
    return given if given in later else ""


def _rebound(loop: ast.AST) -> set[str]:
    return {n.id for n in walk(loop) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def split_unused(tree: ast.Module) -> Found:
    """A part held out for testing that nothing reads, while the test goes over another part."""
    for node in walk(tree):
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=parts)], value=ast.Call() as call) if (
                "split" in callee(call)
            ):
                pass
            case _:
                continue
        names = [p.id for p in parts if isinstance(p, ast.Name)]
        for name in names:
            found = _HELD_OUT.search(name)
            if found is None or _is_read(name, tree):
                continue
            for other, target, value in assigned(tree):
                at = _HELD_OUT.search(target)
                used = [n for n in names if n != name and _is_read(n, value)]
                if at and at[2].lower() == found[2].lower() and used and other is not node:
                    yield (
                        "split_unused",
                        other,
                        f"`{target}` is made of `{used[0]}`, and `{name}`, which line "
                        f"{node.lineno} puts aside for it, is read nowhere: the result is one on "
                        f"data that were trained on; write `{name}`",
                    )
                    break


def used_up(tree: ast.Module) -> Found:
    """`params = model.parameters()`, gone through again and again: after once it is empty."""
    made = {
        name: node
        for node, name, value in assigned(tree)
        if isinstance(value, ast.Call)
        and tail(value) in ("parameters", "named_parameters")
        and isinstance(value.func, ast.Attribute)
        and not value.args
    }
    counts = [name for _, name, _ in assigned(tree) if name in made]
    for loop in _outermost(tree):
        remade = {name for _, name, _ in assigned(loop)}
        for call in _calls(loop):
            given = dotted(call.args[0]) if call.args else ""
            if tail(call) not in _CONSUMERS or given not in made or given in remade:
                continue
            if counts.count(given) == 1:
                of = ast.unparse(made[given].value)
                yield (
                    "used_up",
                    call,
                    f"`{given}` is a generator, and is empty once it has been gone through: "
                    f"from the second round on at the latest `{tail(call)}` gets nothing and "
                    f"clips nothing; write `{given} = list({of})`",
                )


def same_input(tree: ast.Module) -> Found:
    """`for layer in self.layers: h = layer(x)`: each starts from `x`, and the last one is kept."""
    for loop in loops(tree):
        match loop:
            case ast.For(target=ast.Name(id=layer), body=[ast.Assign() as only]) if (
                "layers" in words(loop.iter) or "blocks" in words(loop.iter)
            ):
                pass
            case _:
                continue
        target, value = dotted(only.targets[0]), only.value
        called = [c for c in walk(value) if isinstance(c, ast.Call) and dotted(c.func) == layer]
        if not target or len(called) != 1 or len(called[0].args) != 1 or _is_read(target, loop):
            continue
        given = called[0].args[0]
        if isinstance(given, ast.Name) and given.id not in _rebound(loop):
            yield (
                "same_input",
                only,
                f"each round gives `{given.id}` to the next layer and forgets what the one before "
                f"made of it: only the last layer has a part in `{target}`; give it on: "
                f"`{given.id} = …{layer}({given.id})…`, and read `{given.id}` below",
            )


def gradient_ignored(tree: ast.Module) -> Found:
    """A backward of an own Function that reads nothing of the gradient it is given."""
    for cls in (n for n in walk(tree) if isinstance(n, ast.ClassDef)):
        if not any(dotted(b).rpartition(".")[2] == "Function" for b in cls.bases):
            continue
        for method in (n for n in cls.body if isinstance(n, ast.FunctionDef)):
            given = [a.arg for a in method.args.args[1:]]
            if method.name != "backward" or not given or method.args.vararg:
                continue
            returned = [
                n.value for n in inside(method) if isinstance(n, ast.Return) and n.value is not None
            ]
            if any(_is_read(name, s) for name in given for s in method.body) or not returned:
                continue
            said = {w for r in returned for w in words(r)}
            if said & {"zeros", "zeros_like"} or not all(map(_says_something, returned)):
                continue  # no gradient goes through, on purpose
            yield (
                "gradient_ignored",
                returned[-1],
                f"this backward never reads `{given[0]}`, the gradient of the loss by what this "
                "function returned: its own derivative alone is right only where that is 1; "
                f"write `{given[0]} * (…)`",
            )


def _says_something(value: ast.expr) -> bool:
    """Whether it is more than `None`."""
    return bool(words(value)) or any(
        isinstance(n, ast.Constant) and n.value is not None for n in walk(value)
    )


RULES = (
    _never_used,
    _left_in_forward,
    _held_out_unused,
    split_unused,
    used_up,
    same_input,
    gradient_ignored,
)
