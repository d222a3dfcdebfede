"""Find what is computed or put aside, and read nowhere."""

from __future__ import annotations

import ast
import builtins
import re

from executor.inside.remarks.edits import Told, put, way
from executor.inside.remarks.parts import HELD, which_part
from executor.inside.remarks.syntax import (
    Found,
    assigned,
    bound,
    callee,
    dotted,
    functions,
    inside,
    is_read,
    methods_named,
    outermost,
    rebound,
    tail,
    walk,
    without_gradients,
    words,
)

_OF_A_LOSS = re.compile(
    r"(?i)(^|_)(loss|kld?|reg|l1|l2|aux|penalt(y|ies)|regulari[sz](er|ation)|entropy)(\d*)(_|$)"
)
# What is added up to be reported: a figure of it is no term of a loss.
_OF_A_REPORT = re.compile(r"(?i)^(?:running|total|epoch|cumulative)_")
# What is read off a computation, to be shown or not: leaving it unread changes nothing.
_READINGS = {
    "argmax", "item", "detach", "size", "shape", "len", "time", "perf_counter", "eq", "tolist",
    "numpy", "get_last_lr", "numel", "sum", "mean", "max", "min", "norm", "accuracy",
}  # fmt: skip
# Methods whose result is the tensor itself, laid out otherwise, moved or of another dtype.
_REMADE = {
    "view", "reshape", "flatten", "unflatten", "permute", "transpose", "unsqueeze", "squeeze", "t",
    "to", "cuda", "cpu", "float", "double", "half", "long", "int", "bool", "type", "contiguous",
}  # fmt: skip
_ACTS = {"backward", "step", "append", "update", "extend", "write", "print", "save", "add"}


def _never_used(tree: ast.Module) -> Found:
    """A term of the loss, or another form of what goes on, computed in each round and not read."""
    for loop in outermost(tree):
        if "backward" not in map(tail, _calls(loop)):
            continue
        for node, name, value in _unread(loop):
            if _is_read_later(tree, name, loop) or _acts(tree, value):
                continue
            if [ast.unparse(n) for n in _calls(loop)].count(ast.unparse(value)) > 1:
                continue  # it is computed once more where it is needed
            if node in without_gradients(loop):
                continue
            if _OF_A_LOSS.search(name) and _is_computed(value) and _goes_back(loop):
                yield (
                    "never_used",
                    node,
                    f"`{name}` is computed in each round and read nowhere, so that it has no part "
                    "in what backward() goes through; add it to the loss, or leave it out",
                )
            elif given := _goes_on(node, value, loop):
                yield (
                    "never_used",
                    node,
                    f"`{name}` is made from `{given}` in each round and read nowhere: what follows "
                    f"goes on with `{given}` as it was",
                )


def _left_in_forward(tree: ast.Module) -> Found:
    """What a layer gives in `forward`, and nothing reads."""
    known = bound(tree) | set(dir(builtins))
    for forward in methods_named(tree, "forward"):
        read = {n.id for n in walk(forward) if isinstance(n, ast.Name)}
        if read - known:
            continue  # a part of it was left out, which may read anything
        for node, name, value in _unread(forward):
            layers = [d for c in walk(value) if isinstance(c, ast.Call)
                      and (d := dotted(c.func)).startswith("self.")]  # fmt: skip
            if layers:
                yield (
                    "never_used",
                    node,
                    f"`{name}`, which `{layers[0]}` goes into, is read nowhere in `forward`: what "
                    "follows goes on without it, and that layer learns nothing from it",
                )


def _unread(scope: ast.AST) -> list[tuple[ast.Assign, str, ast.expr]]:
    """The variables that are given a value there and read nowhere there."""
    return [
        (node, node.targets[0].id, node.value)
        for node in inside(scope)
        if isinstance(node, ast.Assign)
        and len(node.targets) == 1
        and isinstance(node.targets[0], ast.Name)
        and not node.targets[0].id.startswith("_")
        and not is_read(node.targets[0].id, scope)
    ]


def _calls(node: ast.AST) -> list[ast.Call]:
    return [n for n in inside(node) if isinstance(n, ast.Call)]


def _goes_back(loop: ast.AST) -> bool:
    """Whether backward() starts at what the loop computes, not at a layer of another library.

    There `criterion.backward()` and `model.backward(grad)` need no loss at all.
    """
    computed = rebound(loop)
    for call in (c for c in _calls(loop) if tail(c) == "backward"):
        of = call.func.value if isinstance(call.func, ast.Attribute) else None
        if not isinstance(of, ast.Name) or of.id in computed:
            return True
        if any(isinstance(a, ast.Name) and _OF_A_LOSS.search(a.id) for a in call.args):
            return True  # `accelerator.backward(loss)`
    return False


def _is_read_later(tree: ast.Module, name: str, loop: ast.AST) -> bool:
    """Whether anything outside the loop reads what it has left in the variable."""
    own = [f for f in functions(tree).values() if loop in set(inside(f))]
    scope: ast.AST = own[-1] if own else tree
    for node in walk(tree):
        if isinstance(node, ast.Global | ast.Nonlocal) and name in node.names:
            return True
        if isinstance(node, ast.Call) and tail(node) in ("locals", "globals", "vars", "eval"):
            return True
    for function in (n for n in walk(scope) if isinstance(n, ast.FunctionDef | ast.Lambda)):
        own_name = name in rebound(function) | {a.arg for a in walk(function)
                                                if isinstance(a, ast.arg)}  # fmt: skip
        if function is not scope and not own_name and is_read(name, function):
            return True
    end = getattr(loop, "end_lineno", 0) or 0
    uses = [n for n in inside(scope) if isinstance(n, ast.Name) and n.id == name and n.lineno > end]
    stores = [n.lineno for n in uses if isinstance(n.ctx, ast.Store)]
    loads = [n.lineno for n in uses if isinstance(n.ctx, ast.Load)]
    return bool(loads) and (not stores or min(loads) <= min(stores))


def _is_computed(value: ast.expr) -> bool:
    """Whether a value is computed from tensors, and no number or reading is put aside."""
    if {tail(c) for c in walk(value) if isinstance(c, ast.Call)} & {"item", "detach", "float"}:
        return False
    if any(_OF_A_REPORT.search(word) for word in words(value)):
        return False
    return any(isinstance(n, ast.BinOp | ast.Call) for n in walk(value))


def _acts(tree: ast.Module, value: ast.expr) -> bool:
    """Whether computing it does something else as well, as a function that trains does."""
    own = functions(tree)
    for name in (tail(n) for n in walk(value) if isinstance(n, ast.Call)):
        if name in _ACTS or name.endswith("_"):
            return True
        if name in own and {tail(c) for c in _calls(own[name])} & _ACTS:
            return True
    return False


def _goes_on(statement: ast.Assign, value: ast.expr, loop: ast.AST) -> str:
    """The variable that a call makes something else of, and that is given to a later call as it is.

    Only what is worked on whole: by a function that gets it first, or by a method that lays it out
    or moves it.
    """
    match value:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=given), attr=method)) if (
            method in _REMADE
        ):
            pass
        case ast.Call(args=[ast.Name(id=given), *_]) if not words(value) & _READINGS:
            pass
        case _:
            return ""
    later = (a for c in _calls(loop) if c.lineno > (statement.end_lineno or 0) for a in c.args)
    goes_on = any(isinstance(a, ast.Name) and a.id == given for a in later)
    return given if given in rebound(loop) and goes_on else ""  # else it is the same in each round


def split_unused(tree: ast.Module) -> Found:
    """A part held out for testing that nothing reads, while the test goes over another part."""
    for node in walk(tree):
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=parts)], value=ast.Call() as call) if (
                "split" in callee(call)
            ):
                names = [p.id for p in parts if isinstance(p, ast.Name)]
                whole = {dotted(a) for a in call.args[:1]} - {""}
            case _:
                continue
        for name in names:
            if not HELD.search(name) or is_read(name, tree):
                continue
            for other, target, value in assigned(tree):
                used = [
                    n for n in walk(value)
                    if isinstance(n, ast.Name) and n.id in {*names, *whole}
                    and other.lineno > node.lineno and not HELD.search(n.id)
                ]  # fmt: skip
                if which_part(target) == which_part(name) and used and other is not node:
                    yield Told(
                        "split_unused",
                        other,
                        f"`{target}` is made of `{used[0].id}`, and `{name}`, which line "
                        f"{node.lineno} puts aside for it, is read nowhere: the result is one on "
                        f"data that were trained on; write `{name}`",
                        (way("tested on what was put aside for it", put(used[0], name)),),
                    )
                    break


NEVER_USED = (_never_used, _left_in_forward)
RULES = (*NEVER_USED, split_unused)
