"""Find what is taken batch by batch and does not fit together: shares, and pairs of loaders."""

from __future__ import annotations

import ast
import re

from executor.inside.remarks.passes import (
    Pass,
    appended,
    counts_batches,
    divisions,
    gathered,
    passes,
)
from executor.inside.remarks.syntax import (
    Found,
    argument,
    assigned,
    callee,
    dotted,
    functions,
    grown,
    inside,
    is_true,
    tail,
    walk,
    words,
)

_SHARE = re.compile(r"(?i)(^|_)(recall|precision|f1|f_?score|fbeta|iou|jaccard|auc|auroc)(_|s?$)")
_RIGHT = re.compile(r"(?i)^(n_?)?(tp|true_?pos(itives?)?|inter(section)?)$")
_KNOWN = {
    "recall_score", "precision_score", "f1_score", "fbeta_score", "roc_auc_score",
    "average_precision_score",
}  # fmt: skip


def share_of_batches(tree: ast.Module) -> Found:
    """`recalls.append(recall(out, y))` of each batch, and their mean."""
    own = {name for name, f in functions(tree).items() if _is_a_share(f)}
    for of in passes(tree):
        made = {name for _, name, v in assigned(of.loop) if _says_share(v, own)}
        nodes = inside(of.loop) if of.size != 1 else ()
        for held, given, at in (*appended(nodes), *grown(nodes)):
            is_one = _says_share(given, own) or dotted(_number(given)) in made
            if held and is_one and _is_averaged(tree, held, of):
                yield "share_of_batches", at, _OF_EACH.format(f"`{held}` holds")
                return
    for node in walk(tree):
        match node:
            case ast.BinOp(left=ast.Call(func=ast.Name(id="sum")) as every, op=ast.Div()):
                pass
            case ast.Call() as every if tail(every) in _MEANS:
                pass
            case _:
                continue
        found = gathered(every, tree)
        if found is not None and found[1].size != 1 and _says_share(found[0], own):
            yield "share_of_batches", node, _OF_EACH.format("this takes")
            return


_OF_EACH = (
    "{} a figure of each batch, and their mean is none of the whole: a batch without a positive "
    "counts as 0, and one with a single positive as much as one with many; add up the counts (or "
    "keep the outputs and labels) over all batches, and divide once"
)
_MEANS = ("mean", "nanmean", "fmean")


def _is_a_share(function: ast.FunctionDef) -> bool:
    """Whether a function returns the share of what is right, or of what was found."""
    if not _SHARE.search(function.name):
        return False
    returned = [n.value for n in inside(function) if isinstance(n, ast.Return)]
    return any(isinstance(n, ast.Div) for v in returned if v for n in walk(v))


def _says_share(value: ast.expr, own: set[str]) -> bool:
    match _number(value):
        case ast.Call() as call if tail(call) in own | _KNOWN:
            return True
        case ast.BinOp(left=left, op=ast.Div()):
            return any(map(_RIGHT.match, words(left)))
    return False


def _number(node: ast.expr) -> ast.expr:
    """`x` of `x.item()` and `float(x)`."""
    match node:
        case ast.Call(func=ast.Attribute(attr="item", value=of), args=[]):
            return of
        case ast.Call(func=ast.Name(id="float"), args=[of]):
            return of
    return node


def _is_averaged(tree: ast.Module, held: str, of: Pass) -> bool:
    """`sum(held) / len(held)`, `np.mean(held)`, and `held / len(loader)` of a sum."""
    for node in walk(tree):
        match node:
            case ast.BinOp(left=ast.Call(func=ast.Name(id="sum"), args=[kept]), op=ast.Div()) if (
                dotted(kept) == held
            ):
                return True
            case ast.Call() if tail(node) in _MEANS and held in words(node):
                return True
    return any(
        dotted(_number(left)) == held and counts_batches(by, of, tree)
        for _, left, by in divisions(walk(tree))
    )


def loaders_apart(tree: ast.Module) -> Found:
    """`zip(a, b)` of two loaders that shuffle each for itself rows of one index."""
    made = {
        name: value for _, name, value in assigned(tree)
        if isinstance(value, ast.Call) and callee(value) == "DataLoader" and _shuffles(value)
    }  # fmt: skip
    for node in walk(tree):
        match node:
            case ast.Call(func=ast.Name(id="zip"), args=[one, other]):
                pass
            case _:
                continue
        a, b = made.get(dotted(one)), made.get(dotted(other))
        if a is None or b is None or a is b:
            continue
        rows = _rows(a) & _rows(b)
        if rows and not _seeded(a) and not _seeded(b):
            yield (
                "loaders_apart",
                node,
                f"`{dotted(one)}` and `{dotted(other)}` shuffle the same rows (`{min(rows)}`) "
                "each in an order of its own, so that what is taken here side by side belongs to "
                "different samples; put both into one `TensorDataset`, and shuffle that",
            )
            return


def _shuffles(call: ast.Call) -> bool:
    given = argument(call, 2, "shuffle")
    return given is not None and is_true(given)


def _seeded(call: ast.Call) -> bool:
    return any(k.arg in ("generator", "sampler", "batch_sampler") for k in call.keywords)


def _rows(call: ast.Call) -> set[str]:
    """By which index rows are picked for a data set: `tr` of `TensorDataset(x[tr])`."""
    return {
        ast.unparse(n.slice)
        for n in walk(call)
        if isinstance(n, ast.Subscript) and not isinstance(n.slice, ast.Constant)
    }


RULES = (share_of_batches, loaders_apart)
