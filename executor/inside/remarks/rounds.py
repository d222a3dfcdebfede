"""Find rounds of a loop that start from the wrong thing: used up, the same, trained before."""

from __future__ import annotations

import ast
import re

from executor.inside.remarks.edits import Told, added, moved, put, way
from executor.inside.remarks.syntax import (
    Found,
    assigned,
    calls_in,
    dotted,
    functions,
    inside,
    is_model,
    is_optimizer,
    is_read,
    loops,
    made_of,
    outermost,
    owner,
    reached,
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
        if (_is_generator(value) or _yields(value, tree)) and names.count(name) == 1
    }
    for loop in outermost(tree):
        remade = {name for _, name, _ in assigned(loop)}
        for node in inside(loop):
            match node:
                case ast.Call(args=[given, *_]) if tail(node) in _CONSUMERS:
                    does = f"`{tail(node)}` gets nothing and clips nothing"
                case ast.For(iter=given) | ast.comprehension(iter=given):
                    leaves = node if isinstance(node, ast.For) else ast.Pass()
                    if any(isinstance(n, ast.Break | ast.Return) for n in inside(leaves)):
                        continue
                    does = "there is nothing left to go through"
                case _:
                    continue
            name = dotted(given)
            if name in made and name not in remade and f"next({name}" not in ast.unparse(loop):
                value = made[name]
                yield Told(
                    "used_up",
                    given,
                    f"`{name}` is a generator, and is empty once it has been gone through: from "
                    f"the second round on at the latest {does}; write "
                    f"`{name} = list({ast.unparse(value)})`",
                    (way("a list can be gone through again and again",
                         put(value, "list(", value, ")")),),
                )  # fmt: skip
                break


def _is_generator(value: ast.expr) -> bool:
    """`model.parameters()`, and what goes through such a thing once: `filter(…)`, `zip(…)`."""
    match value:
        case ast.Call(func=ast.Attribute(attr="parameters" | "named_parameters"), args=[]):
            return True
        case ast.Call() if tail(value) in ("filter", "chain", "zip", "map", "enumerate"):
            return dotted(value.func) in _LAZY
        case ast.GeneratorExp():
            return True
    return False


def _yields(value: ast.expr, tree: ast.Module) -> bool:
    """Whether it calls a function of the program that yields, or returns what yields."""
    own = functions(tree).get(dotted(value.func)) if isinstance(value, ast.Call) else None
    if own is None or own.decorator_list:
        return False
    returned = [n.value for n in inside(own) if isinstance(n, ast.Return) and n.value]
    lazy = bool(returned) and all(isinstance(v, ast.GeneratorExp) for v in returned)
    endless = any(isinstance(n, ast.While) for n in inside(own))
    yields = any(isinstance(n, ast.Yield | ast.YieldFrom) for n in inside(own))
    return lazy or (yields and not endless)


_LAZY = {"filter", "chain", "itertools.chain", "zip", "map", "enumerate"}


def same_input(tree: ast.Module) -> Found:
    """`for layer in self.layers: h = layer(x)`: each starts from `x`, and the last one is kept."""
    for loop in (n for n in loops(tree) if isinstance(n, ast.For)):
        layer = _each_layer(loop)
        only = loop.body[0]
        if not layer or not isinstance(only, ast.Assign) or len(only.targets) != 1:
            continue
        target = dotted(only.targets[0])
        again = {name for s in loop.body for name in map(dotted, getattr(s, "targets", [s]))}
        called = [
            c for c in walk(only.value) if isinstance(c, ast.Call) and ast.unparse(c.func) == layer
        ]
        if again != {target} or is_read(target, only) or not target:
            continue  # something else is done with it
        match called:
            case [ast.Call(args=[ast.Name(id=given) as start, *_])] if given not in rebound(loop):
                yield Told(
                    "same_input",
                    only,
                    f"each round gives `{given}` to the next layer and forgets what the one before "
                    f"made of it: only the last layer has a part in `{target}`; give it on: "
                    f"`{given} = …{layer}({given})…`, and read `{given}` below",
                    (way("each layer gets what the one before it gave", put(start, target),
                         add=added(f"{target} = {given}", loop)),),
                )  # fmt: skip


_STACK = re.compile(r"(?i)layers?|blocks?|hiddens?|convs|linears|stages")


def _each_layer(loop: ast.For) -> str:
    """How each layer is written in a loop over a stack of layers; empty for any other loop."""
    match loop:
        case ast.For(target=ast.Name(id=layer), iter=ast.Attribute(attr=stack)):
            pass
        case ast.For(
            target=ast.Tuple(elts=[_, ast.Name(id=layer)]),
            iter=ast.Call(func=ast.Name(id="enumerate"), args=[ast.Attribute(attr=stack)]),
        ):
            pass
        case ast.For(
            target=ast.Name(id=at),
            iter=ast.Call(
                func=ast.Name(id="range"),
                args=[ast.Call(func=ast.Name(id="len"), args=[ast.Attribute(attr=stack) as held])],
            ),
        ):
            layer = f"{ast.unparse(held)}[{at}]"
        case ast.For(target=ast.Name(id=layer), iter=iterated) if words(iterated) & {
            "layers",
            "blocks",
        }:
            return layer
        case _:
            return ""
    return layer if any(map(_STACK.fullmatch, stack.split("_"))) else ""


def started_once(tree: ast.Module) -> Found:
    """One model for all folds: the later ones are tested on what it was trained on before."""
    made = {name: node for node, name, value in assigned(tree) if is_optimizer(value)}
    for loop in loops(tree):
        if not isinstance(loop, ast.For) or not _goes_over_folds(loop, tree):
            continue
        yield from _handed_on(tree, loop)
        body = list(inside(loop))
        calls = [c for c in body if isinstance(c, ast.Call)]
        if "backward" not in map(tail, calls) or _ANEW & set(map(tail, calls)):
            continue
        stepped = {owner(c) for c in calls if tail(c) == "step"} & made.keys()
        anew_here = {name for node, name, _ in assigned(tree) if node in body}
        models = {
            m.partition(".")[0]
            for n in stepped
            for m in trained(made[n].value, tree)  # type: ignore[arg-type]
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


def _handed_on(tree: ast.Module, loop: ast.For) -> Found:
    """A model that is made before the folds, and that a function trains in each of them."""
    own = functions(tree)
    body = [*inside(loop)]
    calls = [n for n in body if isinstance(n, ast.Call)]
    if _ANEW & set(map(tail, calls)):
        return
    for call in calls:
        trains = reached(own[tail(call)], own) if tail(call) in own else []
        if not calls_in(trains, "backward") or not any(map(is_optimizer, trains)):
            continue
        if _ANEW & set(map(tail, trains)):
            continue
        for made, name, value in assigned(tree):
            is_before = made.lineno < loop.lineno and made.col_offset == loop.col_offset
            if not is_before or not isinstance(value, ast.Call) or not is_model(value, tree):
                continue
            if name in rebound(loop) or name not in map(dotted, call.args):
                continue
            yield Told(
                "started_once",
                call,
                f"`{name}` is made before this loop, and `{tail(call)}` trains it on from fold to "
                "fold: from the second one on it is tested on samples that it was trained on; "
                "make it anew at the beginning of each fold",
                (moved("each fold starts from new weights", made, by=loop.body[0]),),
            )
            return


def _makers(tree: ast.Module, optimizer: ast.Assign, loop: ast.For) -> list[ast.Assign]:
    """The statements before a loop, beside it, that make an optimizer and the models it trains."""
    models = trained(optimizer.value, tree) if isinstance(optimizer.value, ast.Call) else set()
    return [
        node
        for node, name, _ in assigned(tree)
        if (node is optimizer or name in models)
        and node.lineno < loop.lineno
        and node.col_offset == loop.col_offset
    ]


def _goes_over_folds(loop: ast.For, tree: ast.Module) -> bool:
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
            isinstance(n, ast.Call)
            and tail(n) == "split"
            and isinstance(n.func, ast.Attribute)
            and (
                _FOLDS.fullmatch(dotted(n.func.value))
                or any(tail(v).endswith("KFold") for v in made_of(n.func.value, tree))
            )
            for n in walk(loop.iter)
        )
    )


RULES = (same_input, used_up, started_once)
