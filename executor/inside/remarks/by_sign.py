"""Know quantities of a loss by how they are computed, and which have the wrong sign there.

A divergence, a sum over the weights and a penalty of gradients are to become small, an entropy and
the overlap of two masks large. What they are called does not matter: what they are made of does.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from executor.inside.remarks.signs import Frame, Quantity, quantities, resolved
from executor.inside.remarks.syntax import (
    dotted,
    factors,
    inside,
    loops,
    tail,
    terms,
    walk,
    words,
)

_ACTOR = re.compile(r"(?i)actor|policy|^pi$|^mu$")
_CRITIC = re.compile(r"(?i)critic|^q(_?net\w*|f?_?\d?)$")


def divergences_down(tree: ast.AST) -> Iterator[ast.expr]:
    """The divergences of normal distributions from the usual one that a step makes larger."""
    for one in quantities(tree):
        sign = divergence_sign(_summands(one.node))
        if one.sign * sign < 0 and _is_only(one, tree):
            yield one.node


def divergence_sign(parts: list[tuple[int, ast.expr]]) -> int:
    """The sign of the divergence in `1 + logvar - mu² - exp(logvar)`, or of deviations.

    The variance stands in it with the sign of the divergence, its logarithm with the other one; 0
    of anything else.
    """
    ones = [s for s, t in parts if isinstance(t, ast.Constant) and t.value == 1]
    if len(parts) != 4 or len(ones) != 1 or sum(s for s, _ in parts) != 0:
        return 0
    powers = [s for s, t in parts if "exp" in words(t)]
    logs = [s for s, t in parts if words(t) & {"log", "log_"}]
    if len(powers) == 1 and not logs and powers != ones:
        return powers[0]
    squares = [s for s, t in parts if _is_square(t)]
    if len(logs) == 1 and logs == ones and not powers and len(squares) == 2:
        return -logs[0]
    return 0


def _is_square(node: ast.expr) -> bool:
    match node:
        case ast.BinOp(op=ast.Pow(), right=ast.Constant(value=2)):
            return True
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            return ast.unparse(left) == ast.unparse(right)
        case ast.Call():
            return tail(node) in ("square", "pow")
    return "var" in tail(node).lower()


def _summands(node: ast.expr, sign: int = 1) -> list[tuple[int, ast.expr]]:
    """The terms of a sum, also of one by methods: `a.add(b).mul(-1)`."""
    match node:
        case ast.Call(func=ast.Attribute(value=left, attr="add" | "sub" as attr), args=[right]):
            other = -sign if attr == "sub" else sign
            return _summands(left, sign) + _summands(right, other)
        case ast.Call(func=ast.Attribute(value=left, attr="mul"), args=[by]) if (
            ast.unparse(by) == "-1"
        ):
            return _summands(left, -sign)
        case ast.Call(func=ast.Attribute(value=left, attr="neg"), args=[]):
            return _summands(left, -sign)
    parts = list(terms(node, sign))
    return parts if len(parts) == 1 else [s for n, t in parts for s in _summands(t, n)]


def _is_only(one: Quantity, tree: ast.AST) -> bool:
    """Whether the quantity has this sign in everything that is trained."""
    return all(q.sign == one.sign for q in quantities(tree) if q.node is one.node)


def penalties_down(tree: ast.AST) -> Iterator[tuple[ast.expr, str]]:
    """The sums over the weights, and penalties of gradients, that a step makes larger."""
    through = {n for loop in loops(tree) if isinstance(loop, ast.For)
               and "parameters" in words(loop.iter) for n in inside(loop)}  # fmt: skip
    for one in quantities(tree):
        if one.sign > 0 or not _is_only(one, tree):
            continue
        if _is_of_weights(one.node, through):
            yield one.node, "the size of the weights"
        elif _is_of_gradients(one.node, one.frame):
            yield one.node, "the distance of the gradient's norm from 1"


def _is_of_weights(node: ast.expr, through: set[ast.AST]) -> bool:
    """`sum(p.pow(2).sum() for p in net.parameters())`, or one round of that."""
    match node:
        case ast.Call(args=[ast.GeneratorExp(elt=each, generators=[over])]) if tail(node) == "sum":
            of, sums = each, "parameters" in words(over.iter)
        case ast.Call() if node in through:
            of, sums = node, True
        case _:
            return False
    sized = words(of) & {"pow", "norm", "abs", "square"} or any(map(_is_square, _parts(of)))
    return sums and bool(sized) and not words(of) & {"grad", "detach"}


def _parts(node: ast.AST) -> list[ast.expr]:
    return [n for n in walk(node) if isinstance(n, ast.BinOp)]


def _is_of_gradients(node: ast.expr, frame: Frame) -> bool:
    """`(grad.norm(2, dim=1) - 1) ** 2` of what `torch.autograd.grad` gave."""
    match node:
        case ast.BinOp(
            left=ast.BinOp(left=norm, op=ast.Sub(), right=ast.Constant(value=1 | 1.0)),
            op=ast.Pow(),
        ):
            pass
        case _:
            return False
    made, _ = resolved(norm, frame)
    return "norm" in words(made) | words(norm) and "grad" in words(frame.scope)


def entropies_up(tree: ast.AST) -> Iterator[ast.expr]:
    """The entropies of a policy that a step makes smaller, beside what it earns."""
    for one in quantities(tree):
        if one.sign * _entropy_sign(one.node) > 0 and _is_only(one, tree):
            yield one.node


def _entropy_sign(node: ast.expr) -> int:
    """The sign of the entropy in `d.entropy()` and in `p * p.log()`; 0 of anything else."""
    if isinstance(node, ast.Call) and tail(node) == "entropy" and not node.args:
        return 1
    match node:
        case ast.BinOp(op=ast.Mult()):
            pass
        case _:
            return 0
    parts = factors(node)
    if len(parts) != 2:
        return 0
    for p, log in (parts, parts[::-1]):
        match log:
            case ast.Call(func=ast.Attribute(value=ast.Name(id="torch"), attr="log"), args=[of]):
                pass
            case ast.Call(func=ast.Attribute(value=of, attr="log"), args=[]):
                pass
            case _:
                continue
        bare = of.left if isinstance(of, ast.BinOp) and isinstance(of.op, ast.Add) else of
        if ast.unparse(bare) == ast.unparse(p):
            return -1
    return 0


def actors_down(tree: ast.AST) -> Iterator[ast.expr]:
    """What a critic says of the actor's actions, alone in a loss, that a step makes smaller."""
    for one in quantities(tree):
        if not _is_judged(one.node, one.frame) or one.sign < 0:
            continue
        same = [q for q in quantities(tree) if q.loss is one.loss]
        if not any(
            isinstance(q.node, ast.BinOp) and not isinstance(q.node.op, ast.Mult | ast.Div)
            for q in same
        ):
            yield one.node


def _is_judged(node: ast.expr, frame: Frame) -> bool:
    if not isinstance(node, ast.Call) or not _CRITIC.search(tail(node)):
        return False
    return any(_asks_actor(a, frame) for a in node.args)


def _asks_actor(node: ast.expr, frame: Frame, depth: int = 0) -> bool:
    if words(node) & {"detach", "sample"}:
        return False
    if any(isinstance(n, ast.Call) and _ACTOR.search(tail(n)) for n in walk(node)):
        return True
    named = [n for n in walk(node) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
    made = ((n, resolved(n, frame)) for n in named)
    return depth < 3 and any(
        value is not n and _asks_actor(value, inner, depth + 1) for n, (value, inner) in made
    )


def overlaps_down(tree: ast.AST) -> Iterator[ast.expr]:
    """The shares in which two masks overlap that a step makes smaller."""
    for one in quantities(tree):
        if one.sign > 0 and _is_overlap(one.node, one.frame) and _is_only(one, tree):
            yield one.node


def _is_overlap(node: ast.expr, frame: Frame) -> bool:
    """`2 * (p * y).sum() / (p.sum() + y.sum())`, and the same without what they share."""
    match node:
        case ast.BinOp(left=above, op=ast.Div(), right=below):
            pass
        case _:
            return False
    shared = _shared(above, frame)
    if shared is None:
        return False
    one, two = shared
    of, inner = resolved(below, frame)
    said = {ast.unparse(n) for t in _leaves(of) for n in (t, resolved(t, inner)[0])}
    return {one, two} <= {_summed(s) for s in said} | said


def _shared(node: ast.expr, frame: Frame) -> tuple[str, str] | None:
    """The two masks whose product is summed there."""
    for leaf in _leaves(node):
        value, _ = resolved(leaf, frame)
        match value:
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="torch"), attr="sum"), args=[of, *_]
            ):
                pass
            case ast.Call(func=ast.Attribute(value=of, attr="sum")):
                pass
            case _:
                continue
        match of:
            case ast.BinOp(left=left, op=ast.Mult(), right=right) if dotted(left) and dotted(right):
                return dotted(left), dotted(right)
    return None


def _leaves(node: ast.expr) -> list[ast.expr]:
    """The terms and factors of a sum, also of one that is summed up as a whole."""
    match node:
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult(), right=right):
            return [*_leaves(left), *_leaves(right)]
        case ast.Call(func=ast.Attribute(value=ast.BinOp() as of, attr="sum")):
            return [node, *_leaves(of)]
    return [node]


_SUMMED = re.compile(r"^(?:torch\.sum\()?([\w.]+?)(?:\.sum\(.*\)|(?:, [^()]*)?\))$")


def _summed(said: str) -> str:
    """`p` of `p.sum()`."""
    found = _SUMMED.match(said)
    return found[1] if found else said
