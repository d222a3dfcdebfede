"""Find figures whose formula is that of another one, or takes the answers for the truth."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from itertools import pairwise

from executor.inside.remarks.at_place import made_at
from executor.inside.remarks.edits import Told, put, way
from executor.inside.remarks.syntax import (
    Found,
    argument,
    assigned,
    bare,
    dotted,
    functions,
    tail,
    terms,
    walk,
    words,
)

_RIGHT = re.compile(r"(?i)^(n_?)?(tp|true_?pos(itives?)?)$")
_MISSED = re.compile(r"(?i)^(n_?)?(fn|false_?neg(atives?)?)$")
_FALSE = re.compile(r"(?i)^(n_?)?(fp|false_?pos(itives?)?)$")
_RECALL = re.compile(r"(?i)(^|[^a-z])(recall|rec|sensitivity|tpr)([^a-z]|$)")
_PRECISION = re.compile(r"(?i)(^|[^a-z])(precision|prec|ppv)([^a-z]|$)")
_SAID = re.compile(
    r"(?i)^(y_?)?(preds?|predictions?|predicted|outputs?|outs?|hat|p|forecasts?|said)$|_(hat|pred)$"
)
_TRUE = re.compile(r"(?i)^(y|t|y_?true|truth|true|gold|gt|labels?|targets?|ys?)(_true)?$")


def figures_exchanged(tree: ast.Module) -> Found:
    """`precision = tp / (tp + fn)`: that is the recall."""
    for node, called, value in _figures(tree):
        is_recall, is_precision = _RECALL.search(called), _PRECISION.search(called)
        if (is_recall is None) == (is_precision is None):
            continue
        of_all = _over_all_there_are(_unscaled(value), tree)
        if of_all is None or of_all == (is_recall is not None):
            continue
        yield (
            "figures_exchanged",
            node,
            f"the right ones over {'all that there are' if of_all else 'all that were said'} "
            f"is the {'recall' if of_all else 'precision'}, and it is called `{called}`, which is "
            f"the share of {'what was said' if of_all else 'what there is'}: its second term is "
            f"the number of false {'positives' if of_all else 'negatives'}",
        )


def _figures(tree: ast.Module) -> Iterator[tuple[ast.AST, str, ast.expr]]:
    """What a figure is called: its variable, its key, or the words that are printed before it."""
    for given, name, value in assigned(tree):
        yield given, name.rpartition(".")[2], value
    for node in walk(tree):
        match node:
            case ast.JoinedStr(values=parts):
                for before, part in pairwise(parts):
                    match before, part:
                        case ast.Constant(value=str() as text), ast.FormattedValue(value=value):
                            yield value, _last_word(text), value
            case ast.Call(func=ast.Name(id="print"), args=args):
                for before, value in pairwise(args):
                    if isinstance(before, ast.Constant) and isinstance(before.value, str):
                        yield value, _last_word(before.value), value
            case ast.Dict(keys=keys, values=values):
                for key, value in zip(keys, values, strict=True):
                    if isinstance(key, ast.Constant) and isinstance(key.value, str):
                        yield value, key.value, value
            case ast.keyword(arg=str() as name, value=value):
                yield value, name, value


def _last_word(text: str) -> str:
    return text.strip(" :=,|(").rpartition(" ")[2]


def _unscaled(node: ast.expr) -> ast.expr:
    """The quotient of `100 * (a / b)`, `a / b if b else 0`, `(a / b).item()`, `float(a / b)`."""
    while True:
        match node:
            case ast.IfExp(body=body):
                node = body
            case (
                ast.BinOp(left=ast.Constant(), op=ast.Mult(), right=of)
                | ast.BinOp(left=of, op=ast.Mult(), right=ast.Constant())
                | ast.Call(func=ast.Name(id="float" | "round"), args=[of, *_])
                | ast.Call(func=ast.Attribute(attr="item" | "mean", value=of), args=[])
            ):
                node = of
            case _:
                return node


def _over_all_there_are(value: ast.expr, tree: ast.Module) -> bool | None:
    """Whether right answers are divided by all true ones, as a recall is; None if not known.

    False where they are divided by all that were said to be so.
    """
    match value:
        case ast.BinOp(left=left, op=ast.Div(), right=whole):
            whole = _above_nothing(whole)
        case _:
            return None
    if _RIGHT.match(_count(left)):
        made = made_at(whole, tree)
        parts = [_count(term) for _, term in terms(made[0] if len(made) == 1 else whole)]
        missed, false = any(map(_MISSED.match, parts)), any(map(_FALSE.match, parts))
        if any(map(_RIGHT.match, parts)) and missed != false:
            return missed
    if (matrix := _diagonal(left)) is not None:
        return _along(matrix, whole, tree)
    both = [w for m in made_at(left, tree) for w in words(m)]
    if not any(map(_SAID.match, both)) or not any(map(_TRUE.match, both)):
        return None
    match whole:
        case ast.Call(func=ast.Attribute(attr="sum", value=of), args=[]) | ast.Call(args=[of]) if (
            tail(whole) == "sum"
        ):
            if isinstance(of, ast.Compare) and isinstance(of.comparators[0], ast.Constant):
                of = of.left
            of = bare(of)
            name = dotted(of).rpartition(".")[2]
            if _SAID.match(name) or _TRUE.match(name):
                return _TRUE.match(name) is not None
    return None


def _above_nothing(node: ast.expr) -> ast.expr:
    """`x` of `x + 1e-8`, `max(1, x)` and `x.clamp(min=1)`."""
    match node:
        case ast.Call(func=ast.Name(id="max"), args=[ast.Constant(), of] | [of, ast.Constant()]):
            return of
        case ast.Call(func=ast.Attribute(attr="clamp" | "clamp_min", value=of)):
            return of
        case ast.BinOp(left=of, op=ast.Add(), right=ast.Constant()):
            return of
    return node


def _diagonal(node: ast.expr) -> str | None:
    """`cm` of `cm.diag()` and `np.diag(cm)`."""
    match node:
        case ast.Call(func=ast.Attribute(value=ast.Name(id="np" | "torch" | "numpy"))) if (
            tail(node) in ("diag", "diagonal") and node.args
        ):
            return dotted(node.args[0])
        case ast.Call(func=ast.Attribute(attr="diag" | "diagonal", value=of), args=[]):
            return dotted(of)
    return None


def _along(matrix: str, whole: ast.expr, tree: ast.Module) -> bool | None:
    """Whether a confusion matrix is summed up for each true class."""
    match whole:
        case ast.Call(func=ast.Attribute(attr="sum", value=of)) if dotted(of) == matrix != "":
            at = argument(whole, 0, "dim", "axis")
        case _:
            return None
    rows = _rows_are_true(matrix, tree)
    if not isinstance(at, ast.Constant) or at.value not in (0, 1, -1) or rows is None:
        return None
    return rows == (at.value != 0)


def _rows_are_true(matrix: str, tree: ast.Module) -> bool | None:
    """Whether `cm[t, p] += 1` counts by the true class first, as scikit-learn does."""
    found: set[bool | None] = set()
    for node in walk(tree):
        match node:
            case ast.AugAssign(
                target=ast.Subscript(value=of, slice=ast.Tuple(elts=[first, second])),
                op=ast.Add(),
            ) if dotted(of) == matrix:
                found.add(_is_true_first(first, second))
            case ast.Assign(targets=[target], value=ast.Call(args=[first, second, *_])) if (
                dotted(target) == matrix and tail(node.value) == "confusion_matrix"
            ):
                found.add(_is_true_first(first, second))
    return found.pop() if len(found) == 1 else None


def _is_true_first(first: ast.expr, second: ast.expr) -> bool | None:
    one, other = (dotted(bare(_at(n))).rpartition(".")[2] for n in (first, second))
    if _TRUE.match(one) and _SAID.match(other):
        return True
    return False if _SAID.match(one) and _TRUE.match(other) else None


def _at(node: ast.expr) -> ast.expr:
    """`t` of `t[i]` and `int(t)`."""
    match node:
        case ast.Subscript(value=of) | ast.Call(func=ast.Name(id="int"), args=[of]):
            return of
    return node


def spread_of_answers(tree: ast.Module) -> Found:
    """`1 - ((y - p) ** 2).sum() / ((p - p.mean()) ** 2).sum()`: R2 by the spread of the answers."""
    for node in walk(tree):
        match node:
            case ast.BinOp(
                left=ast.Constant(value=1 | 1.0),
                op=ast.Sub(),
                right=ast.BinOp(left=errors, op=ast.Div(), right=spread),
            ):
                pass
            case _:
                continue
        apart = [_apart(m) for m in made_at(errors, tree)]
        around = [_around(m, tree) for m in made_at(_above_nothing(spread), tree)]
        if len(apart) != 1 or len(around) != 1 or around[0] is None or apart[0] is None:
            continue
        said, place = around[0]
        if said not in apart[0] or len(apart[0]) != 2:
            continue
        (true,) = apart[0] - {said}
        if not _SAID.search(said) or _SAID.search(true):
            continue
        yield Told(
            "spread_of_answers",
            place,
            f"R2 compares the errors with the spread of the true values, `{true}`; this is the "
            f"spread of `{said}`, which is small for a model that answers the mean: "
            f"`{true} - {true}.mean()`",
            (way("the spread is that of the true values", _with_other(place, said, true, tree)),),
        )
        return


def _with_other(place: ast.expr, said: str, true: str, tree: ast.Module) -> list[list[object]]:
    """The spread of another variable, and the mean of it, where that has a name of its own."""
    parts = [n for n in walk(place) if isinstance(n, ast.Name)]
    means = [m for n in parts for m in made_at(n, tree) if m is not n and said in words(m)]
    parts += [n for m in means for n in walk(m) if isinstance(n, ast.Name)]
    return [p for n in parts if n.id == said for p in put(n, true)]


def _apart(node: ast.expr) -> frozenset[str] | None:
    """`y` and `p` of `((y - p) ** 2).sum()` and `F.mse_loss(p, y)`."""
    found: set[frozenset[str]] = set()
    for part in walk(node):
        match part:
            case ast.BinOp(left=ast.Name(id=one), op=ast.Sub(), right=ast.Name(id=other)):
                found.add(frozenset((one, other)))
            case ast.Call(args=[ast.Name(id=one), ast.Name(id=other), *_]) if "mse" in tail(
                part
            ) or "mean_squared" in tail(part):
                found.add(frozenset((one, other)))
    return found.pop() if len(found) == 1 else None


def _around(node: ast.expr, tree: ast.Module) -> tuple[str, ast.expr] | None:
    """`p` of `((p - p.mean()) ** 2).sum()` and of `p.var()`, and the place that says so."""
    for part in walk(node):
        match part:
            case ast.BinOp(left=ast.Name(id=name), op=ast.Sub(), right=mean) if any(
                _is_taken("mean", m, name) for m in made_at(mean, tree)
            ):
                return name, part
            case ast.Call() if (name := _taken("var", part)) or (name := _taken("variance", part)):
                return name, part
    return None


def _is_taken(what: str, node: ast.AST, name: str) -> bool:
    return _taken(what, node) == name


def _taken(what: str, node: ast.AST) -> str:
    """`p` of `p.mean()`, `torch.mean(p)`, `np.mean(p)`."""
    match node:
        case ast.Call(func=ast.Attribute(attr=attr, value=ast.Name(id=of))) if attr == what:
            given = node.args[0] if node.args else None
            return dotted(given) if of in ("torch", "np", "numpy") and given is not None else of
    return ""


def _count(node: ast.expr) -> str:
    """`tp` of `tp`, `tp.sum()`, `self.tp.float()`, `tp[c]`."""
    while isinstance(node, ast.Call | ast.Subscript):
        if isinstance(node, ast.Subscript):
            node = node.value
        elif isinstance(node.func, ast.Attribute):
            node = node.func.value
        else:
            break
    return dotted(node).rpartition(".")[2]


_RANKED = {
    "roc_auc_score": 1, "average_precision_score": 1, "roc_curve": 1, "precision_recall_curve": 1,
    "auroc": 0, "binary_auroc": 0, "binary_auprc": 0,
}  # fmt: skip


def rank_of_answers(tree: ast.Module) -> Found:
    """`roc_auc_score(labels, scores > 0.5)`: the area of one threshold alone."""
    for call in (n for n in walk(tree) if isinstance(n, ast.Call)):
        given = _ranked(call, tree)
        made = _parts_of(given, tree) if given is not None else []
        if given is not None and made and all(_is_answer(v) for v in made):
            yield (
                "rank_of_answers",
                call,
                f"`{tail(call)}` asks how well scores are ordered, and `{ast.unparse(given)}` has "
                "only the answers 0 and 1: what comes out is the figure of that one threshold; "
                "give it the scores or probabilities themselves",
            )


_OF_RANKS = re.compile(r"(?i)(^|_)(roc_?)?auc(_?score)?$|^auroc$|average_precision")
_SCORES = re.compile(r"(?i)score|prob|pred|logit|output|^p$")


def _ranked(call: ast.Call, tree: ast.Module) -> ast.expr | None:
    """The scores that are given to a figure of ranks, a library's or one of the program's own."""
    own = functions(tree).get(tail(call))
    if own is not None and _OF_RANKS.search(own.name):
        at = [i for i, a in enumerate(own.args.args) if _SCORES.search(a.arg)]
        return call.args[at[0]] if len(at) == 1 and at[0] < len(call.args) else None
    place = _RANKED.get(tail(call))
    return argument(call, place, "y_score", "preds", "input") if place is not None else None


_JOINS = {"cat", "vstack", "concatenate", "concat", "hstack", "stack", "array", "tensor", "asarray"}
_DEEP = 5


def _parts_of(node: ast.expr, tree: ast.Module, deep: int = _DEEP) -> list[ast.expr]:
    """What something is, without its casts; of a list, and of what is joined of it, its entries."""
    found: list[ast.expr] = []
    one = _uncast(bare(node))
    held = kept_in(dotted(one), tree) if deep and dotted(one) else []
    if held:
        return [p for h in held for p in _parts_of(h, tree, deep - 1)]
    for made in made_at(one, tree):
        made = _uncast(bare(made))
        if deep and isinstance(made, ast.Call) and tail(made) in _JOINS and made.args:
            found += _parts_of(made.args[0], tree, deep - 1)
        elif deep and made is not one and (dotted(made) or dotted(one)):
            found += _parts_of(made, tree, deep - 1)
        else:
            found.append(made)
    return found


def kept_in(name: str, tree: ast.Module) -> list[ast.expr]:
    """What is put into a list: by `append`, `extend` and `+=`."""
    found: list[ast.expr] = []
    for node in walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr="append" | "extend", value=kept), args=[value]):
                found += [value] if dotted(kept) == name else []
            case ast.AugAssign(target=target, op=ast.Add(), value=value) if dotted(
                target
            ) == name and not isinstance(value, ast.Constant):
                found.append(value)
    return found


def _uncast(node: ast.expr) -> ast.expr:
    while True:
        match node:
            case ast.Call(
                func=ast.Attribute(
                    value=of, attr="astype" | "type" | "tolist" | "flatten" | "ravel" | "item"
                )
            ):
                node = bare(of)
            case _:
                return node


def _is_answer(node: ast.expr) -> bool:
    match node:
        case ast.Compare(ops=[ast.Gt() | ast.GtE()], comparators=[ast.Constant()]):
            return True
        case ast.Call(args=[test, ast.Constant(value=1), ast.Constant(value=0)]) if (
            tail(node) == "where"
        ):
            return _is_answer(test)
        case ast.Subscript(value=ast.Call() as of, slice=ast.Constant(value=1)):
            return tail(of) == "max" and (len(of.args) > 1 or "torch" not in words(of))
        case ast.Attribute(attr="indices", value=ast.Call() as of):
            return tail(of) == "max"
        case ast.Call(func=ast.Attribute(attr="argmax")):
            return True
        case ast.Call(func=ast.Attribute(attr="round", value=of), args=args, keywords=[]):
            return len(args) == (dotted(of) in ("torch", "np", "numpy"))  # to no places
    return False


RULES = (figures_exchanged, rank_of_answers, spread_of_answers)
