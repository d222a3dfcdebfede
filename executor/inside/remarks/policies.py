"""Find policies that are told to do the opposite: the larger bound, the random action last."""

from __future__ import annotations

import ast
import re

from executor.inside.remarks.edits import Told, operand, put, way
from executor.inside.remarks.returns import are_new_and_old
from executor.inside.remarks.syntax import (
    Found,
    assigned,
    dotted,
    functions,
    has_minus,
    inside,
    owner,
    tail,
    walk,
    words,
)

_EPSILON = re.compile(r"(?i)^(eps|epsilon)")
_RANDOM_ACTION = {"randint", "randrange", "choice", "integers", "sample"}
_BEST_ACTION = {"argmax", "max"}


def larger_bound(tree: ast.Module) -> Found:
    """`-torch.max(ratio * adv, clipped * adv).mean()`: the clipping takes nothing back."""
    for scope in (tree, *functions(tree).values()):
        made = {name: value for _, name, value in assigned(scope)}
        negated = {
            n.operand for n in inside(scope)
            if isinstance(n, ast.UnaryOp) and isinstance(n.op, ast.USub)
        }  # fmt: skip
        for call in (n for n in inside(scope) if isinstance(n, ast.Call)):
            if tail(call) not in ("max", "maximum") or owner(call) != "torch":
                continue
            if len(call.args) != 2 or call.keywords:
                continue
            sides = [made.get(dotted(a), a) for a in call.args]
            clipped = [_is_clipped(s, made) for s in sides]
            is_negated = any(call in walk(n) for n in negated)
            if clipped.count(True) != 1 or not is_negated or any(_has_own_minus(s) for s in sides):
                continue
            plain = sides[clipped.index(False)]
            if "ratio" not in {w.lower() for w in words(plain)} and "exp" not in words(plain):
                continue
            yield Told(
                "larger_bound",
                call,
                "of the plain and the clipped gain the larger one is taken: where the ratio has "
                "left its bounds the plain one is larger, so that the clipping never holds a step "
                "back; PPO takes the smaller one, `torch.min`",
                (way("the smaller of the two counts",
                     put(call.func, "torch.min" if tail(call) == "max" else "torch.minimum")),),
            )  # fmt: skip


def _is_clipped(node: ast.expr, made: dict[str, ast.expr]) -> bool:
    parts = [node, *(made[w] for n in walk(node) if (w := dotted(n)) in made)]
    return any(words(p) & {"clamp", "clip"} for p in parts)


def _has_own_minus(node: ast.expr) -> bool:
    """Whether a gain is negative by itself: a minus in front, and none in `1 - eps`."""
    outer = node
    while isinstance(outer, ast.BinOp) and isinstance(outer.op, ast.Mult):
        if isinstance(outer.right, ast.UnaryOp) and has_minus(outer.right):
            return True
        outer = outer.left
    return isinstance(outer, ast.UnaryOp)


def ratio_of_logs(tree: ast.Module) -> Found:
    """`new_log_prob / old_log_prob`: the ratio of two logarithms is none of the probabilities."""
    for node in walk(tree):
        match node:
            case ast.BinOp(left=left, op=ast.Div(), right=right):
                pass
            case _:
                continue
        one, two = _plain(left), _plain(right)
        if not (one and two) or not are_new_and_old(left, right, tree):
            continue
        if _is_made_by_exp(tree, {one, two}):
            continue
        yield Told(
            "ratio_of_logs",
            node,
            f"`{one}` and `{two}` are called logarithms, whose ratio is not that of the "
            f"probabilities: that is `({one} - {two}).exp()`",
            (way("the ratio of the probabilities",
                 put(node, "(", *operand(left), " - ", *operand(right), ").exp()")),),
        )  # fmt: skip


def _plain(node: ast.expr) -> str:
    while isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        if node.func.attr not in ("detach", "squeeze", "view", "clone"):
            return ""
        node = node.func.value
    return dotted(node).rpartition(".")[2]


def _is_made_by_exp(tree: ast.Module, names: set[str]) -> bool:
    return any(
        n.rpartition(".")[2] in names and "exp" in words(value) for _, n, value in assigned(tree)
    )


def epsilon_turned(tree: ast.Module) -> Found:
    """`if random.random() > eps: a random action`: it tries least where it is to try most."""
    for node in walk(tree):
        if not isinstance(node, ast.If | ast.IfExp):
            continue
        match node.test:
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                pass
            case _:
                continue
        drawn = [_is_draw(left), _is_draw(right)]
        by = right if drawn[0] else left
        if drawn.count(True) != 1 or not _EPSILON.match(dotted(by).rpartition(".")[2]):
            continue
        below = isinstance(op, ast.Lt | ast.LtE) == drawn[0]  # the draw is below epsilon
        if not isinstance(op, ast.Lt | ast.LtE | ast.Gt | ast.GtE):
            continue
        first, second = _branches(node, tree)
        if not first or not second:
            continue
        tries = bool(first & _RANDOM_ACTION) and not first & _BEST_ACTION
        knows = bool(first & _BEST_ACTION) and not first & _RANDOM_ACTION
        tries_later = bool(second & _RANDOM_ACTION) and not second & _BEST_ACTION
        if not (tries and not below and second & _BEST_ACTION) and not (
            knows and below and tries_later
        ):
            continue
        sign = {ast.Lt: ">", ast.LtE: ">", ast.Gt: "<", ast.GtE: "<"}[type(op)]
        yield Told(
            "epsilon_turned",
            node.test,
            f"`{ast.unparse(by)}` is the share of random actions, and this takes them in all other "
            f"cases: with {ast.unparse(by)} near 1 it hardly tries anything, near 0 it acts at "
            f"random; turn the comparison round",
            (way("random actions are the share that epsilon says",
                 put(node.test, left, f" {sign} ", right)),),
        )  # fmt: skip


def _is_draw(node: ast.expr) -> bool:
    """`random.random()`, `np.random.rand()`, `torch.rand(1)`."""
    while isinstance(node, ast.Call) and tail(node) == "item":
        node = node.func.value if isinstance(node.func, ast.Attribute) else node
    return isinstance(node, ast.Call) and tail(node) in ("random", "rand", "uniform")


def _branches(node: ast.If | ast.IfExp, tree: ast.Module) -> tuple[set[str], set[str]]:
    """What is called where the test holds, and where it does not: behind a return too."""
    if isinstance(node, ast.IfExp):
        return _calls(node.body), _calls(node.orelse)
    first = {w for s in node.body for w in _calls(s)}
    if node.orelse:
        return first, {w for s in node.orelse for w in _calls(s)}
    if not isinstance(node.body[-1], ast.Return):
        return first, set()
    for function in functions(tree).values():
        if node in function.body:
            rest = function.body[function.body.index(node) + 1 :]
            return first, {w for s in rest for w in _calls(s)}
    return first, set()


def _calls(node: ast.AST) -> set[str]:
    return {tail(n) for n in walk(node) if isinstance(n, ast.Call)}


_FORCING = re.compile(r"(?i)^(teacher_?forc(ing|e)(_?(ratio|prob|rate|p))?|tf_?(ratio|prob|rate)"
                      r"|forcing_?(ratio|prob|rate))$")  # fmt: skip
_TRUE = re.compile(r"(?i)^(trg|tgt|targets?|labels?|ys?|gold|truth)(_\w{1,12})?$")


def forcing_turned(tree: ast.Module) -> Found:
    """`if random.random() > teacher_forcing_ratio: the next input is the true one`."""
    for node in walk(tree):
        match node:
            case (
                ast.If(test=test, body=[ast.Assign(targets=[_], value=value), *_])
                | ast.Assign(targets=[_], value=ast.IfExp(test=test, body=value))
            ):
                pass
            case _:
                continue
        match test:
            case ast.Compare(left=left, ops=[ast.Gt() | ast.GtE()], comparators=[right]):
                said, sign = right, "<"
            case ast.Compare(left=right, ops=[ast.Lt() | ast.LtE()], comparators=[left]):
                said, sign = right, ">"
            case _:
                continue
        if not _is_draw(left) or not _FORCING.match(dotted(said).rpartition(".")[2]):
            continue
        if not any(map(_TRUE.match, words(value))):
            continue
        sides = (left, f" {sign} ", said) if sign == "<" else (said, f" {sign} ", left)
        yield Told(
            "forcing_turned",
            test,
            f"`{ast.unparse(said)}` is the share of steps that are given the true input, and here "
            "they are given it in all other cases: near 1 the decoder hardly ever sees it; turn "
            "the comparison round",
            (way("the true input is given as often as it says", put(test, *sides)),),
        )


RULES = (larger_bound, ratio_of_logs, epsilon_turned, forcing_turned)
