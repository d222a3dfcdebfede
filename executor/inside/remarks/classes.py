"""Find answers that are compared with labels and are no class numbers, or the next ones."""

from __future__ import annotations

import ast
import re

from executor.inside.remarks.edits import Places, Told, put, swapped, way
from executor.inside.remarks.syntax import (
    Found,
    dotted,
    equalities,
    made_of,
    tail,
    values,
    walk,
    words,
)

_LABELS = re.compile(
    r"(?i)(ys?|lab(el)?s?|targets?|classes|truth|gt)(_?(b|batch|test|te|val|va|v|train|tr|true))?"
)
_OF_CLASSES = re.compile(r"cross_entropy|nll_loss")
_OF_CLASSES_MADE = re.compile(r"CrossEntropyLoss|NLLLoss")


def _are_labels(node: ast.expr, tree: ast.Module) -> bool:
    """Whether these are class numbers: by their name, or as a loss of classes is given them."""
    if _LABELS.fullmatch(dotted(node).rpartition(".")[2]):
        return True
    for call in (n for n in walk(tree) if isinstance(n, ast.Call) and len(n.args) > 1):
        made = [call.func] if isinstance(call.func, ast.Call) else made_of(call.func, tree)
        is_loss = _OF_CLASSES.fullmatch(tail(call)) or any(
            isinstance(m, ast.Call) and _OF_CLASSES_MADE.fullmatch(tail(m)) for m in made
        )
        if is_loss and ast.unparse(call.args[1]) == ast.unparse(node):
            return True
    return False


def values_as_classes(tree: ast.Module) -> Found:
    """The largest scores, where their places are compared with class numbers."""
    largest: dict[str, tuple[ast.AST, Places]] = {}
    for node in walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if new := _places(value):
                largest[name] = node, new
            case ast.Assign(
                targets=[ast.Tuple(elts=[ast.Name(id=name) as first, ast.Name() as second])],
                value=ast.Call() as call,
            ) if _takes_dim(call):
                largest[name] = node, swapped(first, second)
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call() as call) if tail(
                call
            ) == "amax" and _takes_dim(call):
                largest[name] = node, []
    for _, side, other in equalities(tree):
        if not _are_labels(other, tree):
            continue
        new = _places(side)
        is_most = isinstance(side, ast.Call) and tail(side) == "amax" and _takes_dim(side)
        at = (side, new) if new or is_most else largest.get(dotted(side))
        if at is not None:
            yield Told(
                "values_as_classes",
                at[0],
                f"{'amax() gives the largest scores' if not at[1] else _FIRST}: here the scores "
                f"themselves are compared with `{dotted(other)}`; the class of each sample is "
                "`.argmax(dim=1)`",
                (way("the places of the largest scores are the classes", at[1]),) if at[1] else (),
            )


_FIRST = "max() gives the largest scores first and their places second"


def _places(value: ast.expr) -> Places:
    """The edit of `max(…)[0]` or `max(…).values` to the places; empty for anything else."""
    match value:
        case ast.Subscript(value=ast.Call() as call, slice=ast.Constant(value=0) as index):
            return put(index, "1") if _takes_dim(call) else []
        case ast.Attribute(value=ast.Call() as call, attr="values"):
            return put(value, call, ".indices") if _takes_dim(call) else []
    return []


def _takes_dim(call: ast.Call) -> bool:
    """`torch.max(x, 1)`, `x.max(dim=1)`."""
    if tail(call) not in ("max", "amax"):
        return tail(call) == "topk"
    of_torch = dotted(call.func) in ("torch.max", "max", "torch.amax")
    dims = [*call.args[1 if of_torch else 0 :], *(k.value for k in call.keywords)]
    return bool(dims) and ast.unparse(dims[0]) in ("1", "-1")


def classes_shifted(tree: ast.Module) -> Found:
    """`argmax(…) + 1` compared with labels that cross-entropy got as they are."""
    if not words(tree) & {"cross_entropy", "CrossEntropyLoss", "nll_loss", "NLLLoss"}:
        return
    made = values(tree)
    lowered = any(
        isinstance(n, ast.BinOp | ast.AugAssign)
        and isinstance(n.op, ast.Sub)
        and ast.unparse(n.right if isinstance(n, ast.BinOp) else n.value) == "1"
        for n in walk(tree)
    )
    for _, side, _ in equalities(tree):
        value = made.get(dotted(side), side)
        match value:
            case ast.BinOp(
                left=ast.Call() as picked, op=ast.Add(), right=ast.Constant(value=1)
            ) if tail(picked) == "argmax" and not lowered:
                yield Told(
                    "classes_shifted",
                    value,
                    "argmax gives class numbers as cross-entropy was given them, and nothing takes "
                    "1 off the labels: with `+ 1` each answer is the next class; leave it out",
                    (way("the class numbers that were trained on", put(value, picked)),),
                )
                return


def classes_regressed(tree: ast.Module) -> Found:
    """Rounded numbers compared with labels, learned by a mean squared error."""
    said = words(tree)
    if not said & {"MSELoss", "mse_loss"} or said & {"cross_entropy", "CrossEntropyLoss"}:
        return
    made = values(tree)
    for node, side, _ in equalities(tree):
        value = made.get(dotted(side), side)
        if any(isinstance(n, ast.Call) and tail(n) == "round" for n in walk(value)):
            yield (
                "classes_regressed",
                node,
                "a mean squared error takes class numbers for amounts: 0 is nearer to 1 than to 2, "
                "and between two classes it learns the one in the middle; where the classes have "
                "no order, give the model an output for each and use cross-entropy",
            )
            return


RULES = (values_as_classes, classes_shifted, classes_regressed)
