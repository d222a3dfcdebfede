"""Say which way a score gets better, between which values it lies, and where the best is kept.

What it is computed from says it, through variables, sums, lists and the program's own functions: a
loss, squares of differences, a share of right answers. Its name says it where that is not known.
Where the two disagree, or a sign is turned on the way and back, nothing is said.
"""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterator
from typing import NamedTuple

from executor.inside.remarks.passes import appended, held_by, is_size_of_batch
from executor.inside.remarks.syntax import (
    assigned,
    callee,
    dotted,
    functions,
    grown,
    made_of,
    origins,
    tail,
    walk,
)
from executor.inside.walking import kept_by_node

_LOW = re.compile(r"(?i)loss|err(or)?s?$|rmse|mae|mse|perplexity|ppl")
_HIGH = re.compile(r"(?i)acc(?!um|el|ess|ept|ount|ord)|f1|auc|iou|dice|r2|bleu|precision|recall")
_TURNED = {"smaller": "larger", "larger": "smaller"}
_DEEP = 8
# Losses of PyTorch: no value of these is below 0, where there is one of those first.
_NEVER_BELOW = re.compile(
    r"(?:mse|l1|smooth_l1|huber|cross_entropy|binary_cross_entropy(?:_with_logits)?|kl_div)(?:_loss)?"
    r"|(?:MSE|L1|SmoothL1|Huber|CrossEntropy|BCE|BCEWithLogits)Loss"
)
_LOSS = re.compile(r"(?:\w*nll_loss|\w+_loss|[A-Z]\w*Loss)")
_SHARES = {
    "accuracy_score", "f1_score", "roc_auc_score", "precision_score", "recall_score",
    "balanced_accuracy_score", "average_precision_score", "jaccard_score",
}  # fmt: skip
_KEEP = {  # methods and functions that leave the order of what they are given
    "item", "detach", "cpu", "float", "double", "numpy", "tolist", "mean", "sum", "round",
    "tensor", "asarray", "array", "stack", "sqrt", "nanmean", "all_reduce", "average",
}  # fmt: skip


class Score(NamedTuple):
    """Which way a score gets better, "" where nothing says it, and the bounds of its values."""

    better: str = ""
    least: float = -math.inf
    most: float = math.inf
    counts: bool = False  # a number of right answers: by the number of all a share


_UNKNOWN = Score()


def better(node: ast.expr, tree: ast.AST) -> str:
    """Which way a score gets better: "smaller", "larger", "" where nothing says it."""
    return score(node, tree).better


def score(node: ast.expr, tree: ast.AST) -> Score:
    """What is known of a score."""
    return _score(node, tree, frozenset())


def _score(node: ast.expr, tree: ast.AST, way: frozenset[str]) -> Score:
    """The same; `way`: the variables that it is read through already."""
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=of):
            found = _score(of, tree, way)
            return Score(_TURNED.get(found.better, ""), -found.most, -found.least)
        case ast.BinOp():
            return _computed(node, tree, way)
        case ast.Compare(ops=[ast.Eq()]):
            return Score("larger", 0.0, 1.0)
        case ast.IfExp(body=one, orelse=other):
            return _all_alike([_score(v, tree, way) for v in (one, other)])
        case ast.Name() | ast.Attribute() | ast.Subscript():
            return _held(node, tree, way)
        case ast.Call():
            return _called(node, tree, way)
    return _UNKNOWN


def _computed(node: ast.BinOp, tree: ast.AST, way: frozenset[str]) -> Score:
    left, right = _score(node.left, tree, way), _score(node.right, tree, way)
    match node.op:
        case ast.Pow() if isinstance(node.left, ast.BinOp) and isinstance(node.left.op, ast.Sub):
            return Score("smaller", 0.0)
        case ast.Sub() if isinstance(node.left, ast.Constant):
            return Score(_TURNED.get(right.better, ""))
        case ast.Sub():
            return Score(left.better) if isinstance(node.right, ast.Constant) else _UNKNOWN
        case ast.Add() if left.better == right.better:
            return Score(left.better, left.least + right.least)
        case ast.Add():
            return Score(left.better or right.better) if _one(left, right) else _UNKNOWN
        case ast.Div() if not right.better:
            return Score(left.better, left.least, 1.0 if left.counts else math.inf)
        case ast.Mult() if _one(left, right):
            known, by = (left, node.right) if left.better else (right, node.left)
            counts = is_size_of_batch(by) or (isinstance(by, ast.Constant) or dotted(by))
            return Score(known.better, known.least) if counts else _UNKNOWN
    return _UNKNOWN


def _one(left: Score, right: Score) -> bool:
    """Whether one side alone says which way is better."""
    return bool(left.better) != bool(right.better)


def _held(node: ast.expr, tree: ast.AST, way: frozenset[str]) -> Score:
    """Of a variable, an entry of a list or a dictionary: what it was given, or its name."""
    text = ast.unparse(node)
    if text in way or len(way) > _DEEP:
        return _UNKNOWN
    match node:
        case ast.Subscript(value=of, slice=ast.Constant(value=str() as key)):
            return _named(key) if _named(key).better else _score(of, tree, way)
        case ast.Subscript(value=of):
            return _score(of, tree, way)
    given = [v for v in _given(tree).get(dotted(node), []) if not _is_start(v)]
    given = given or [v for v in held_by(node, tree) if v is not node and not _is_start(v)]
    found = _all_alike([_score(v, tree, way | {text}) for v in given])
    name = _named(text.rpartition(".")[2])
    if found.better and name.better not in ("", found.better):
        return _UNKNOWN
    return found if found.better else name


@kept_by_node
def _given(tree: ast.AST) -> dict[str, list[ast.expr]]:
    """All that a variable is given, added or appended."""
    found = {name: [*given] for name, given in origins(tree).items()}
    for name, value, _ in (*grown(walk(tree)), *appended(walk(tree))):
        found.setdefault(name, []).append(value)
    for node in walk(tree):
        match node:
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=name))], value=value):
                found.setdefault(name, []).append(value)
    return found


def _is_start(value: ast.expr) -> bool:
    """What says nothing of a score: a number, an empty list, infinity, None."""
    value = value.operand if isinstance(value, ast.UnaryOp) else value
    empty = (isinstance(value, ast.List) and not value.elts) or (
        isinstance(value, ast.Dict) and not value.keys
    )
    return empty or isinstance(value, ast.Constant) or is_infinity(value)


def is_infinity(value: ast.expr) -> bool:
    """`float("inf")`, `np.inf`, `math.inf`."""
    is_float = isinstance(value, ast.Call) and dotted(value.func) == "float"
    return is_float or tail(value) in ("inf", "Inf", "infty")


def _all_alike(found: list[Score]) -> Score:
    if not found or len({f.better for f in found}) != 1:
        return _UNKNOWN
    counts = all(f.counts for f in found)
    least, most = min(f.least for f in found), max(f.most for f in found)
    return Score(found[0].better, least, most, counts)


def _called(node: ast.Call, tree: ast.AST, way: frozenset[str]) -> Score:
    name, own = tail(node), functions(tree)
    made = made_of(node.func, tree) if dotted(node.func) else [node.func]
    losses = {callee(m) for m in made if isinstance(m, ast.Call)} or {name}
    if not any(k.arg == "reduction" for k in node.keywords):
        if all(map(_NEVER_BELOW.fullmatch, losses)):
            return Score("smaller", 0.0)
        if name not in own and all(map(_LOSS.fullmatch, losses)):
            return Score("smaller")
    if name in _SHARES:
        return Score("larger", -1.0, 1.0)
    if isinstance(node.func, ast.Attribute):
        of = node.func.value
        squared = name in ("square", "abs") or (
            name == "pow" and [ast.unparse(a) for a in node.args] == ["2"]
        )
        if squared and isinstance(of, ast.BinOp) and isinstance(of.op, ast.Sub):
            return Score("smaller", 0.0)
        if name == "eq":
            return Score("larger", 0.0, 1.0)
        if name in _KEEP and dotted(of) not in _MODULES:
            return _gathered(name, _score(of, tree, way))
    if name in {*_KEEP, "abs"} and node.args:
        given = node.args[0]
        given = given.elt if isinstance(given, ast.GeneratorExp | ast.ListComp) else given
        return _gathered(name, _score(given, tree, way))
    if name in own and len(way) < _DEEP:
        returned = [v for v in held_by(node, tree) if v is not node]
        found = _all_alike([_score(v, tree, way | {f"{name}()"}) for v in returned])
        return found if found.better else _named(name)
    return _named(name)


_MODULES = ("torch", "np", "numpy", "F", "math", "statistics")


def _gathered(how: str, of: Score) -> Score:
    """The mean or the sum of scores."""
    return Score(of.better, of.least, counts=of.most == 1.0) if how == "sum" else of


def _named(name: str) -> Score:
    low, high = _LOW.search(name), _HIGH.search(name)
    if bool(low) == bool(high):
        return _UNKNOWN
    return Score("smaller" if low else "larger")


class Choice(NamedTuple):
    """`if now < best: best = now`: the test, both sides, and what runs where it is better."""

    test: ast.expr
    now: ast.expr
    best: ast.expr
    taken: str  # the arm that keeps `now` runs where that is "smaller", or "larger"
    arm: list[ast.stmt]
    other: list[ast.stmt]
    or_else: bool = False  # something else may lead there too
    is_otherwise: bool = False  # the arm is the one behind `else`


_TAKES = {ast.Lt: "smaller", ast.LtE: "smaller", ast.Gt: "larger", ast.GtE: "larger"}


@kept_by_node
def choices(tree: ast.AST) -> tuple[Choice, ...]:
    """Where a value is kept because it is smaller, or larger, than the one that was kept before."""
    return tuple(_choices(tree))


def _choices(tree: ast.AST) -> Iterator[Choice]:
    for branch in (n for n in walk(tree) if isinstance(n, ast.If)):
        asked = [branch.test, *(o for o in made_of(branch.test, tree) if o is not branch.test)]
        tests = [(v, t) for v in asked for t in (v.values if isinstance(v, ast.BoolOp) else [v])]
        for whole, test in tests:
            match test:
                case ast.Compare(left=left, ops=[op], comparators=[right]):
                    taken = _TAKES.get(type(op), "")
                case _:
                    continue
            either = isinstance(whole, ast.BoolOp) and isinstance(whole.op, ast.Or)
            arms = [(branch.body, branch.orelse, False)]
            if whole is test:
                arms.append((branch.orelse, branch.body, True))
            for arm, other, is_otherwise in arms:
                below = arm if not is_otherwise else [s for s in arm if not isinstance(s, ast.If)]
                held = [(name, value) for s in below for _, name, value in stored(s)]
                way = _TURNED.get(taken, "") if is_otherwise else taken
                sides = (_without_margin(left), _without_margin(right))
                for (now, best), so in ((sides, way), (sides[::-1], _TURNED.get(way, ""))):
                    kept = [v for name, v in held if name == ast.unparse(best)]
                    if so and any(_reads(v, now) for v in kept):
                        yield Choice(test, now, best, so, arm, other, either, is_otherwise)


def _without_margin(node: ast.expr) -> ast.expr:
    """`best` of `best - min_delta`."""
    match node:
        case ast.BinOp(left=of, op=ast.Add() | ast.Sub() | ast.Mult()) if dotted(of):
            return of
    return node


def _reads(value: ast.expr, now: ast.expr) -> bool:
    return any(ast.unparse(n) == ast.unparse(now) for n in walk(value))


def stored(tree: ast.AST) -> list[tuple[ast.Assign, str, ast.expr]]:
    """Each `name = value`, and each `table["key"] = value`."""
    found = [*assigned(tree)]
    for node in walk(tree):
        match node:
            case ast.Assign(targets=[ast.Subscript(slice=ast.Constant()) as target], value=value):
                found.append((node, ast.unparse(target), value))
    return found
