"""Find what was computed or loaded, and thrown away by the next line: losses, layers, weights."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise

from executor.inside.remarks.edits import Told, moved, put, way
from executor.inside.remarks.syntax import (
    LOSS_CALL,
    Found,
    assigned,
    blocks,
    callee,
    dotted,
    functions,
    inside,
    is_read,
    method_calls,
    methods_named,
    module_classes,
    owner,
    rebound,
    tail,
    trained_names,
    walk,
    words,
)

_NO_WEIGHTS = re.compile(
    r"(?i)^(Alpha|Feature)?Dropout\d?d?$|^(ReLU6?|LeakyReLU|ELU|SELU|GELU|SiLU|Mish|Tanh|Sigmoid"
    r"|Hardswish|Softplus|Identity|DropPath|\w{0,4}Pool\dd)$"
)
_STARTS = re.compile(r"(?i)(^|_)(init|reset|xavier|kaiming|initiali[sz]e)")
_DRAWN = re.compile(
    r"(uniform|normal|xavier\w*|kaiming\w*|orthogonal|zeros|ones|constant|trunc_normal)_$"
    r"|reset_parameters$"
)


def only_the_last(tree: ast.Module) -> Found:
    """`loss = 0`, and `loss = criterion(…)` in a loop: each round replaces what the last gave."""
    trained = trained_names(tree)
    for block in blocks(tree):
        for at, loop in enumerate(block):
            if not isinstance(loop, ast.For) or loop.orelse:
                continue
            for only, name, value in assigned(loop):
                begins = [s for s in block[:at] if _starts_at_nothing(s, name)]
                later = block[at + 1 :]
                if name not in trained or not begins or only not in loop.body:
                    continue
                again = sum(isinstance(n, ast.Name) and n.id == name for n in walk(loop))
                if again != 1 or not any(is_read(name, s) for s in later) or _ends(loop):
                    continue
                calls = [n for n in walk(value) if isinstance(n, ast.Call)]
                if not any(LOSS_CALL.search(tail(c)) for c in calls):
                    continue
                if not words(value) & rebound(loop):
                    continue  # the same in each round
                between = [s for s in block[block.index(begins[-1]) + 1 : at] if is_read(name, s)]
                if between:
                    continue
                yield Told(
                    "only_the_last",
                    only,
                    f"each round of this loop replaces `{name}`, which starts at 0 before it: only "
                    "the loss of the last round is trained, and what makes the others gets no "
                    f"gradient from them; add them up: `{name} = {name} + …`",
                    (way("the losses of all rounds count", put(only.value, f"{name} + ", *_term(
                        only.value))),),
                )  # fmt: skip


def _term(value: ast.expr) -> tuple[str | ast.AST, ...]:
    plain = isinstance(value, ast.BinOp | ast.Call | ast.Name)
    return (value,) if plain else ("(", value, ")")


def _starts_at_nothing(statement: ast.stmt, name: str) -> bool:
    match statement:
        case ast.Assign(targets=[target], value=ast.Constant(value=0 | 0.0)):
            return dotted(target) == name
        case ast.Assign(targets=[target], value=ast.Call(args=args) as made):
            zero = tail(made) == "zeros" or [ast.unparse(a) for a in args[:1]] in (["0"], ["0.0"])
            return dotted(target) == name and zero and tail(made) in ("zeros", "tensor")
    return False


def _ends(loop: ast.For) -> bool:
    """Whether it may end before its last round."""
    return any(isinstance(n, ast.Break | ast.Return | ast.Yield) for n in inside(loop))


def layer_overwritten(tree: ast.Module) -> Found:
    """`h = self.fc1(x)`, then `h = self.drop(x)`: what the layer gave is gone."""
    for module in module_classes(tree):
        plain = {
            name.removeprefix("self.")
            for _, name, value in assigned(module)
            for n in walk(value)
            if isinstance(n, ast.Call) and _NO_WEIGHTS.match(callee(n))
        }
        layers = {
            name.removeprefix("self.") for _, name, value in assigned(module)
            if name.startswith("self.") and isinstance(value, ast.Call)
        }  # fmt: skip
        for forward in methods_named(module, "forward"):
            for run in blocks(forward):
                for first, then in pairwise(run):
                    name, value = _set(first)
                    again, there = _replaced(then, name)
                    if again is None or value is None or not _calls_layer(value, layers - plain):
                        continue
                    if there and tail(again) not in plain and not _is_plain(again):
                        continue  # of two layers one is taken
                    given = again.args[0] if again.args else None
                    if not isinstance(given, ast.Name) or given.id not in words(value):
                        continue
                    yield Told(
                        "layer_overwritten",
                        again,
                        f"this gives `{given.id}` to `{ast.unparse(again.func)}` and forgets the "
                        f"`{name}` of line {first.lineno}: what that layer computed is used nowhere"
                        f"{', where this branch is taken' if there else ''}; give it on: "
                        f"`{ast.unparse(again.func)}({name})`",
                        (way("what the layer before gave goes on", put(given, name)),),
                    )


def _set(statement: ast.stmt) -> tuple[str, ast.expr | None]:
    match statement:
        case ast.Assign(targets=[ast.Name(id=name)], value=value):
            return name, value
    return "", None


def _replaced(statement: ast.stmt, name: str) -> tuple[ast.Call | None, bool]:
    """The call that a statement gives the name, without reading it; and whether in a branch."""
    within = False
    match statement:
        case ast.If(test=test, body=[only], orelse=[]) if not is_read(name, test):
            statement, within = only, True
    match statement:
        case ast.Assign(targets=[ast.Name(id=again)], value=ast.Call() as call) if again == name:
            if name and not is_read(name, call):
                return call, within
    return None, within


def _calls_layer(value: ast.expr, layers: set[str]) -> bool:
    calls = [n for n in walk(value) if isinstance(n, ast.Call)]
    return any(owner(c) == "self" and tail(c) in layers for c in calls)


def _is_plain(call: ast.Call) -> bool:
    """`F.dropout(x)`, `torch.relu(x)`: a function that has no weights."""
    return tail(call) in ("dropout", "relu", "gelu", "silu", "tanh", "sigmoid", "leaky_relu", "elu")


def loaded_overwritten(tree: ast.Module) -> Found:
    """`model.load_state_dict(…)`, and `model.apply(init_weights)` behind it."""
    own = functions(tree)
    for run in blocks(tree):
        for at, statement in enumerate(run):
            match statement:
                case ast.Expr(
                    value=ast.Call(func=ast.Attribute(value=model, attr="apply"), args=[by])
                ) if dotted(model):
                    name = dotted(model)
                case _:
                    continue
            function = own.get(tail(by))
            if function is None or not _starts_anew(function):
                continue
            loads = [(s, c) for s in run[:at] for c in _loads(s, name)]
            made = [s for s in run[:at] if name in (dotted(t) for t in getattr(s, "targets", []))]
            loads = [(s, c) for s, c in loads if not made or s.lineno > made[-1].lineno]
            if loads:
                first, call = loads[0]
                yield Told(
                    "loaded_overwritten",
                    statement,
                    f"`{tail(by)}` gives the layers of `{name}` new first weights, those that line "
                    f"{call.lineno} has loaded too: nothing of the file is left in them; do it "
                    "before the weights are loaded",
                    (moved("the loaded weights stay", statement, by=first),),
                )


def _loads(statement: ast.stmt, name: str) -> Iterator[ast.Call]:
    for call in method_calls(statement, "load_state_dict"):
        if owner(call) == name or owner(call).startswith(f"{name}."):
            yield call


def _starts_anew(function: ast.FunctionDef) -> bool:
    draws = any(
        isinstance(n, ast.Call) and _DRAWN.search(tail(n)) is not None for n in walk(function)
    )
    return draws and _STARTS.search(function.name) is not None


RULES = (only_the_last, layer_overwritten, loaded_overwritten)
