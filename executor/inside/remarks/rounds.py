"""Find rounds of a loop that start from the wrong thing: used up, the same, trained before."""

from __future__ import annotations

import ast
import re

from executor.inside.remarks.edits import Told, added, moved, put, way
from executor.inside.remarks.syntax import (
    Found,
    assigned,
    dotted,
    inside,
    is_optimizer,
    is_read,
    loops,
    outermost,
    owner,
    rebound,
    tail,
    trained,
    values,
    walk,
    words,
)

_CONSUMERS = {"clip_grad_norm_", "clip_grad_value_"}
_FOLDS = re.compile(r"(?i)folds?|kf|skf|k_?fold|cv")
_ANEW = {"load_state_dict", "deepcopy", "reset_parameters", "apply", "init_weights"}


def used_up(tree: ast.Module) -> Found:
    """`params = model.parameters()`, gone through again and again: after once it is empty."""
    names = [name for _, name, _ in assigned(tree)]
    made = {
        name: value
        for name, value in values(tree).items()
        if isinstance(value, ast.Call)
        and tail(value) in ("parameters", "named_parameters")
        and isinstance(value.func, ast.Attribute)
        and not value.args
        and names.count(name) == 1
    }
    for loop in outermost(tree):
        remade = {name for _, name, _ in assigned(loop)}
        for call in (n for n in inside(loop) if isinstance(n, ast.Call) and n.args):
            given = dotted(call.args[0])
            if tail(call) in _CONSUMERS and given in made and given not in remade:
                value = made[given]
                yield Told(
                    "used_up",
                    call,
                    f"`{given}` is a generator, and is empty once it has been gone through: from "
                    f"the second round on at the latest `{tail(call)}` gets nothing and clips "
                    f"nothing; write `{given} = list({ast.unparse(value)})`",
                    (way("a list can be gone through again and again",
                         put(value, "list(", value, ")")),),
                )  # fmt: skip


def same_input(tree: ast.Module) -> Found:
    """`for layer in self.layers: h = layer(x)`: each starts from `x`, and the last one is kept."""
    for loop in loops(tree):
        match loop:
            case ast.For(
                target=ast.Name(id=layer),
                body=[ast.Assign(targets=[ast.Name(id=target)], value=value) as only],
            ) if {"layers", "blocks"} & words(loop.iter) and not is_read(target, loop):
                called = [
                    c for c in walk(value) if isinstance(c, ast.Call) and dotted(c.func) == layer
                ]
            case _:
                continue
        match called:
            case [ast.Call(args=[ast.Name(id=given) as start])] if given not in rebound(loop):
                yield Told(
                    "same_input",
                    only,
                    f"each round gives `{given}` to the next layer and forgets what the one before "
                    f"made of it: only the last layer has a part in `{target}`; give it on: "
                    f"`{given} = …{layer}({given})…`, and read `{given}` below",
                    (way("each layer gets what the one before it gave", put(start, target),
                         add=added(f"{target} = {given}", loop)),),
                )  # fmt: skip


def started_once(tree: ast.Module) -> Found:
    """One model for all folds: the later ones are tested on what it was trained on before."""
    made = {name: node for node, name, value in assigned(tree) if is_optimizer(value)}
    for loop in loops(tree):
        if not isinstance(loop, ast.For) or not _goes_over_folds(loop):
            continue
        body = list(inside(loop))
        calls = [c for c in body if isinstance(c, ast.Call)]
        if "backward" not in map(tail, calls) or _ANEW & set(map(tail, calls)):
            continue
        stepped = {owner(c) for c in calls if tail(c) == "step"} & made.keys()
        anew_here = {name for node, name, _ in assigned(tree) if node in body}
        models = {
            m
            for n in stepped
            for m in trained(made[n].value)  # type: ignore[arg-type]
        }
        before = {name for node, name, _ in assigned(tree) if node not in body} - anew_here
        if stepped and (not stepped & anew_here or (models and models <= before)):
            name = min(stepped)
            anew = _makers(tree, made[name], loop)
            told = "each fold starts from new weights"
            yield Told(
                "started_once",
                loop,
                "the model is made before this loop and goes on from fold to fold: from the second "
                "one on it is tested on samples that it was trained on; make it and "
                f"`{name}` anew at the beginning of each fold",
                (moved(told, *anew, by=loop.body[0]),)
                if len(anew) > (name not in anew_here)
                else (),
            )
            return


def _makers(tree: ast.Module, optimizer: ast.Assign, loop: ast.For) -> list[ast.Assign]:
    """The statements before a loop, beside it, that make an optimizer and the models it trains."""
    models = trained(optimizer.value) if isinstance(optimizer.value, ast.Call) else set()
    return [
        node
        for node, name, _ in assigned(tree)
        if (node is optimizer or name in models)
        and node.lineno < loop.lineno
        and node.col_offset == loop.col_offset
    ]


def _goes_over_folds(loop: ast.For) -> bool:
    """Whether its rounds are the folds of a cross-validation."""
    indexed = {
        w
        for n in inside(loop)
        if isinstance(n, ast.Subscript) and _FOLDS.fullmatch(dotted(n.value))
        for w in words(n.slice)
    }
    targets = {n.id for n in walk(loop.target) if isinstance(n, ast.Name)}
    return (
        any(map(_FOLDS.fullmatch, targets))
        or bool(targets & indexed)
        or any(
            isinstance(n, ast.Call) and tail(n) == "split" and _FOLDS.fullmatch(owner(n))
            for n in walk(loop.iter)
        )
    )


RULES = (same_input, used_up, started_once)
