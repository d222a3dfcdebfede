"""Find outputs that are compared, or judged, while the model still draws at random."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from executor.inside.remarks.edits import Told, added, put, way
from executor.inside.remarks.syntax import (
    Found,
    assigned,
    bare,
    callee,
    dotted,
    equalities,
    functions,
    inside,
    is_without,
    loops,
    made_of,
    module_classes,
    owner,
    rebound,
    tail,
    walk,
    words,
)

# They drop a tenth of the values unless they are told otherwise.
_DROP = re.compile(r"Transformer(?:(?:En|De)coderLayer)?|(?:Alpha)?Dropout\w{0,2}")
_COMPARES = ("allclose", "equal", "isclose", "assert_close", "assert_allclose")
_ACTS = ("Dropout", "BatchNorm", "SyncBatchNorm")
_TRAINS = {"backward", "step", "fit", "train"}


def compared_in_training(tree: ast.Module) -> Found:
    """Outputs of a layer with dropout that are compared with others, and eval() nowhere."""
    said = words(tree)
    given = {n.arg for n in walk(tree) if isinstance(n, ast.keyword)}
    if said & {"eval", "backward", "manual_seed"} or "dropout" in given | said:
        return
    drops = {
        name: made
        for _, name, made in assigned(tree)
        if isinstance(made, ast.Call) and _DROP.fullmatch(callee(made))
    }
    compared = any(isinstance(n, ast.Call) and tail(n) in _COMPARES for n in walk(tree))
    for node in walk(tree):
        if compared and isinstance(node, ast.Call) and dotted(node.func) in drops:
            name = dotted(node.func)
            yield (
                "compared_in_training",
                node,
                f"`{name}` ({callee(drops[name])}) is in training mode, in which its dropout draws "
                "anew at each call, so that two calls differ whatever goes in; `torch.no_grad()` "
                f"does not switch it off. Call `{name}.eval()` before the comparison",
            )
            return


def evaluated_as_trained(tree: ast.Module) -> Found:
    """A function that judges the model it is given, called from a training, and eval() nowhere."""
    said = words(tree)
    if "eval" in said or "backward" not in said:
        return
    if (module_classes(tree) or "Sequential" in said) and not any(
        w.startswith(_ACTS) for w in said
    ):
        return  # the mode decides nothing in it
    judges = {name: model for name, f in functions(tree).items() if (model := _judged(f))}
    for loop in loops(tree):
        below = list(inside(loop))
        if not any(isinstance(n, ast.Call) and tail(n) == "backward" for n in below):
            continue
        for call in (n for n in below if isinstance(n, ast.Call)):
            if dotted(call.func) in judges and call.args and dotted(call.args[0]):
                model = dotted(call.args[0])
                yield (
                    "evaluated_as_trained",
                    call,
                    f"nothing calls `{model}.eval()`, so that this judges `{model}` in training "
                    "mode: its Dropout layers, if it has any, drop values, and its BatchNorm "
                    "layers use these batches, so that the figure is mostly too low. Call "
                    f"`{model}.eval()` before and `{model}.train()` after, and go through the data "
                    "under `torch.no_grad()`",
                )
                return


def _judged(function: ast.FunctionDef) -> str:
    """The first parameter of a function that calls it on batches and counts what is right."""
    parameters = [a.arg for a in function.args.args]
    below = list(inside(function))
    if not parameters or {tail(n) for n in below} & _TRAINS or any(map(is_without, _marks(below))):
        return ""
    model = parameters[0]
    called = any(isinstance(n, ast.Call) and dotted(n.func) == model and n.args for n in below)
    loop = any(isinstance(n, ast.For) for n in below)
    return model if called and loop and any(True for _ in equalities(function)) else ""


def _marks(nodes: list[ast.AST]) -> list[ast.expr]:
    return [i.context_expr for n in nodes if isinstance(n, ast.With) for i in n.items]


def flag_of_one(tree: ast.Module) -> Found:
    """`model.training = False`: the flag of one module, whose layers keep theirs."""
    if not any(w.startswith(_ACTS) for w in words(tree)):
        return  # the mode decides nothing in it
    models = {c.name for c in module_classes(tree)} | {"Sequential"}
    for node in walk(tree):
        match node:
            case ast.Assign(
                targets=[ast.Attribute(value=of, attr="training")],
                value=ast.Constant(value=bool() as on),
            ) if any(
                isinstance(v, ast.Call) and callee(v) in models
                for v in map(bare, made_of(of, tree))
            ):
                name = dotted(of)
                call = f"{name}.{'train' if on else 'eval'}()"
                yield Told(
                    "flag_of_one",
                    node,
                    f"this sets the flag of `{name}` alone, and each layer in it has one of its "
                    f"own, which stays as it was: Dropout and BatchNorm ask theirs. `{call}` sets "
                    "all of them",
                    (way("the mode is that of all its layers", put(node, call)),),
                )


_TIMES = {"time", "perf_counter", "synchronize", "Timer", "elapsed_time"}
_DRAWS = re.compile(r"(?i)^(rand\w{0,12}|normal_?|r?sample|bernoulli_?|multinomial|noise)$")
_SPREAD = {"std", "var", "variance", "stdev", "std_mean", "var_mean"}
_TURNS_ON = re.compile(r"(?i)train|modules|children|apply|drop|mc_|stochastic")


def passes_alike(tree: ast.Module) -> Found:
    """A model asked again and again about the same input, for the spread of its dropout, in eval
    mode."""
    said = words(tree)
    layers = any(re.fullmatch(r"(?:Alpha|Feature)?\w{0,8}Dropout\w{0,2}", w) for w in said)
    by_hand = [n for n in walk(tree) if isinstance(n, ast.Call) and tail(n) == "dropout"]
    own = [c for c in walk(tree) if isinstance(c, ast.ClassDef)]
    if not (layers or by_hand) or any("drop" in c.name.lower() for c in own):
        return
    if any("training" not in words(c) for c in by_hand if owner(c) != "self"):
        return  # those are never switched off
    if any(map(_DRAWS.match, (w for c in own for w in words(c)))):
        return
    for scope in (tree, *functions(tree).values()):
        below = list(inside(scope))
        if not words(scope) & _SPREAD or words(scope) & _TIMES:
            continue
        calls = [n for n in below if isinstance(n, ast.Call)]
        for loop, call in _repeated(below):
            model = dotted(call.func)
            modes = [c for c in calls if tail(c) in ("eval", "train") and c.lineno < loop.lineno]
            last = max(modes, key=lambda c: c.lineno, default=None)
            if last is None or tail(last) != "eval" or owner(last) != model:
                continue
            between = {
                w for n in below if last.lineno < getattr(n, "lineno", 0) <= loop.lineno
                for w in (words(n) if n is not last else ())
            } | words(loop)  # fmt: skip
            if any(map(_TURNS_ON.search, between)):
                continue
            statement = next(s for s in below if isinstance(s, ast.Expr) and s.value is last)
            layer = f"layer.train('Dropout' in type(layer).__name__) for layer in {model}.modules()"
            yield Told(
                "passes_alike",
                call,
                f"line {last.lineno} has put `{model}` into eval mode, where its dropout draws "
                "nothing: all of these passes give the same, and their spread is 0; put the "
                f"Dropout layers alone back into training mode behind `{model}.eval()`",
                (way("dropout draws in each pass", add=added(f"[{layer}]", statement, after=True)),)
                if layers
                else (),
            )
            return


def _repeated(nodes: list[ast.AST]) -> Iterator[tuple[ast.expr | ast.stmt, ast.Call]]:
    """What goes through a range, and the call in it whose results it collects, always the same."""
    for node in nodes:
        match node:
            case ast.ListComp(elt=each, generators=[ast.comprehension(target=to, iter=over)]):
                kept: list[ast.AST] = [each]
            case ast.For(target=to, iter=over):
                kept = _collected(node)
            case _:
                continue
        if tail(over) != "range" or not isinstance(over, ast.Call):
            continue
        anew = {n.id for n in walk(to) if isinstance(n, ast.Name)}
        anew |= rebound(node) if isinstance(node, ast.For) else set()
        for call in (c for k in kept for c in walk(k) if isinstance(c, ast.Call)):
            if isinstance(call.func, ast.Name) and call.args and not words(call) & anew:
                yield node, call


def _collected(loop: ast.For) -> list[ast.AST]:
    """What each round of a loop puts into a list, or at a place of a table."""
    made = {name: value for _, name, value in assigned(loop)}
    kept: list[ast.AST] = []
    for node in inside(loop):
        match node:
            case ast.Call(func=ast.Attribute(attr="append"), args=[value]):
                kept.append(value)
            case ast.Assign(targets=[ast.Subscript()], value=value):
                kept.append(value)
    names = {n.id for k in kept for n in walk(k) if isinstance(n, ast.Name)}
    return kept + [made[n] for n in names & made.keys()]


RULES = (compared_in_training, evaluated_as_trained, flag_of_one, passes_alike)
