"""Find outputs that are compared, or judged, while the model still draws at random."""

from __future__ import annotations

import ast
import re

from executor.inside.remarks.edits import Told, put, way
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


RULES = (compared_in_training, evaluated_as_trained, flag_of_one)
