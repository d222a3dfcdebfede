"""Find attention of the code's own whose scores, heads or positions are not what they look like."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from executor.inside.remarks.at_place import function_of, made_at
from executor.inside.remarks.edits import Told, operand, put, way
from executor.inside.remarks.syntax import (
    Found,
    argument,
    assigned,
    dotted,
    factors,
    inside,
    says,
    tail,
    walk,
    words,
)

_MULTIPLIES = {"matmul", "bmm", "einsum", "mm"}
_DEEP = 8


def heads_merged_from_heads(tree: ast.Module) -> Found:
    """`(attn @ v).reshape(B, T, C)` of heads before steps: steps and heads are mixed."""
    for call in (n for n in walk(tree) if isinstance(n, ast.Call)):
        if tail(call) not in ("view", "reshape") or not isinstance(call.func, ast.Attribute):
            continue
        sizes = call.args[0].elts if _is_tuple(call) else call.args  # type: ignore[attr-defined]
        of = call.func.value
        if len(sizes) != 3 or not _are_steps_and_all(sizes, tree) or not _attends(of, tree):
            continue
        told = ", ".join(map(ast.unparse, sizes))
        base = ast.unparse(of)
        yield Told(
            "heads_merged_from_heads",
            call,
            f"`{base}` has its heads before its steps, and a {tail(call)} keeps the values in "
            "that order: each row of the result holds several steps of one head, none all "
            f"heads of one step; write `.transpose(1, 2).reshape({told})`",
            (way("each row holds all heads of one step",
                 put(call, *operand(of), f".transpose(1, 2).reshape({told})")),),
        )  # fmt: skip


def _is_tuple(call: ast.Call) -> bool:
    return len(call.args) == 1 and isinstance(call.args[0], ast.Tuple | ast.List)


_OF_HEADS = re.compile(r"(?i)head|^n?_?h$|^[hd]$|^d_?[kvh]$")


def _are_steps_and_all(sizes: list[ast.expr], tree: ast.Module) -> bool:
    """Whether a view has samples, steps and the width of all heads, as far as its sizes tell.

    What keeps the heads apart from the steps, or before them, lies in memory as it should:
    `B * heads, T, d`, `B, heads, T * d`, `B, heads * T, d`.
    """
    joined = [any(isinstance(m, ast.BinOp) for m in made_at(s, tree)) for s in sizes[:2]]
    if any(joined) or isinstance(sizes[0], ast.UnaryOp) or says(sizes[1], _OF_HEADS):
        return False
    width = sizes[2]
    return isinstance(width, ast.UnaryOp | ast.BinOp) or not says(width, _OF_HEADS)


def _attends(node: ast.expr, tree: ast.Module, deep: int = _DEEP) -> bool:
    """Whether it is what attention gives of values by heads, on each way to it."""
    made = made_at(node, tree)
    return deep > 0 and bool(made) and all(_is_attended(m, tree, deep) for m in made)


def _is_attended(value: ast.expr, tree: ast.Module, deep: int) -> bool:
    match value:
        case ast.Call(func=ast.Attribute(attr="contiguous" | "clone", value=of)):
            return _attends(of, tree, deep - 1)
        case ast.BinOp(op=ast.MatMult(), right=right):
            return _is_by_heads(right, tree)
        case ast.Call(func=ast.Attribute(attr="matmul"), args=[right]):
            return _is_by_heads(right, tree)
        case ast.Call(args=[ast.Constant(value=str() as spec), _, right]) if (
            tail(value) == "einsum"
        ):
            left, _, to = spec.replace(" ", "").partition("->")
            kept = left.split(",")[-1]
            return len(to) == 4 and to[:2] == kept[:2] and to[3] == kept[3:4] and _is_by_heads(
                right, tree
            )  # fmt: skip
        case ast.Call(args=[_, right]) if tail(value) == "matmul":
            return _is_by_heads(right, tree)
        case ast.Call(args=[_, _, right, *_]) if tail(value) == "scaled_dot_product_attention":
            return _is_by_heads(right, tree)
    return False


def _is_by_heads(node: ast.expr, tree: ast.Module) -> bool:
    """Whether it is laid out as samples, heads, steps, on each way to it."""
    made = made_at(node, tree)
    return bool(made) and all(_is_heads_first(m) or _is_one_of_three(m, tree) for m in made)


def _is_heads_first(value: ast.expr) -> bool:
    """`q.view(B, T, heads, d).transpose(1, 2)`."""
    match value:
        case ast.Call(func=ast.Attribute(value=laid, attr="permute")) if _sizes(laid) == 4:
            return _numbers(value.args) == [0, 2, 1, 3]
        case ast.Call(
            func=ast.Attribute(value=laid, attr="transpose" | "swapaxes"), args=[one, two]
        ) if _sizes(laid) == 4:
            return sorted(_numbers([one, two])) == [1, 2]
        case ast.Call(func=ast.Attribute(attr="contiguous", value=of)):
            return _is_heads_first(of)
    return False


def _is_one_of_three(value: ast.expr, tree: ast.Module) -> bool:
    """One of `qkv.reshape(B, T, 3, heads, d).permute(2, 0, 3, 1, 4)`."""
    match value:
        case ast.Subscript(value=of, slice=ast.Constant(value=int())):
            pass
        case _:
            return False
    made = made_at(of, tree)
    return bool(made) and all(_is_three_heads_first(m, tree) for m in made)


def _is_three_heads_first(value: ast.expr, tree: ast.Module) -> bool:
    match value:
        case ast.Call(func=ast.Attribute(value=of, attr="unbind")):
            made = made_at(of, tree) if _numbers(value.args) in ([], [0]) else []
            return bool(made) and all(
                _is_three_heads_first(m, tree) for m in made if m is not value
            )
        case ast.Call(func=ast.Attribute(value=laid, attr="permute")) if _sizes(laid) == 5:
            return _numbers(value.args) in ([2, 0, 3, 1, 4], [3, 0, 2, 1, 4])
    return False


def _sizes(laid: ast.expr) -> int:
    """Into how many dimensions something is laid out; 0 where it is not."""
    if not isinstance(laid, ast.Call) or tail(laid) not in ("view", "reshape"):
        return 0
    return len(laid.args[0].elts if _is_tuple(laid) else laid.args)  # type: ignore[attr-defined]


def _numbers(given: list[ast.expr]) -> list[int]:
    return [a.value for a in given if isinstance(a, ast.Constant) and isinstance(a.value, int)]


def scores_scaled_up(tree: ast.Module) -> Found:
    """`q @ k.T * math.sqrt(d)` before a softmax: the root divides."""
    if not words(tree) & {"softmax", "Softmax"}:
        return
    for node, scores, by, multiplies in _scalings(tree):
        scope = function_of(node, tree)
        if scope is None or _root(by, tree) != (1 if multiplies else -1):
            continue
        through = not _is_scores(scores, tree)
        if says(scope, _NORMAL) or not _reach_softmax(node, scope, through=through):
            continue
        root = ast.unparse(by)
        told = f"multiplied by `{root}`" if multiplies else f"divided by `{root}`, which is below 1"
        yield Told(
            "scores_scaled_up",
            node,
            f"the scores are {told}, which makes them larger, where it is to make them smaller: "
            "the softmax then takes nearly all from one place, and its gradient is nearly 0; "
            + ("divide by it" if multiplies else "multiply by it"),
            (way("the scores keep their size", put(node, *_otherwise(node, scores, by))),),
        )


_NORMAL = re.compile(r"(?i)^(l2)?norm(alize|s)?$|temp")


def _otherwise(node: ast.AST, scores: ast.expr, by: ast.expr) -> list[str | ast.AST]:
    """The same with the other operator."""
    match node:
        case ast.AugAssign(op=op):
            return [scores, " *= " if isinstance(op, ast.Div) else " /= ", by]
        case ast.BinOp(op=ast.Div()):
            return [*operand(scores), " * ", *operand(by)]
    return [*(operand(scores) if isinstance(node, ast.Call) else (scores,)), " / ", *operand(by)]


def _scalings(tree: ast.Module) -> Iterator[tuple[ast.AST, ast.expr, ast.expr, bool]]:
    """Where scores, or the queries of scores, are multiplied or divided by something."""
    for node in walk(tree):
        match node:
            case ast.BinOp(left=left, op=ast.Mult(), right=right):
                for one, other in ((left, right), (right, left)):
                    if _is_scores(one, tree) or _goes_into_scores(one, node, tree):
                        yield node, one, other, True
            case ast.BinOp(left=left, op=ast.Div(), right=right) if _is_scores(left, tree):
                yield node, left, right, False
            case ast.AugAssign(target=ast.Name() as target, op=op, value=by) if isinstance(
                op, ast.Mult | ast.Div
            ):
                read = ast.copy_location(ast.Name(target.id, ast.Load()), target)
                if _is_given_scores(node, target.id, tree):
                    yield node, read, by, isinstance(op, ast.Mult)
            case ast.Call(func=ast.Attribute(attr="mul" | "div" as how, value=of), args=[by]) if (
                _is_scores(of, tree)
            ):
                yield node, of, by, how == "mul"


def _is_scores(node: ast.expr, tree: ast.Module) -> bool:
    """Whether it is a product of matrices, one of them turned round."""
    made = made_at(node, tree)
    return bool(made) and all(_is_product(m) for m in made)


def _is_product(node: ast.expr) -> bool:
    matrix = isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult)
    return matrix or (isinstance(node, ast.Call) and tail(node) in _MULTIPLIES)


def _is_given_scores(node: ast.AugAssign, name: str, tree: ast.Module) -> bool:
    """Whether the only other thing that a function gives the name is a product of matrices."""
    scope = function_of(node, tree)
    given = [v for _, to, v in assigned(scope) if to == name and v.lineno < node.lineno] if (
        scope is not None
    ) else []  # fmt: skip
    return bool(given) and all(map(_is_product, given[-1:]))


def _goes_into_scores(side: ast.expr, node: ast.BinOp, tree: ast.Module) -> bool:
    """`q` of `q = q * scale`, where `q @ k.T` goes into a softmax."""
    scope = function_of(node, tree)
    if scope is None or not isinstance(side, ast.Name) or not side.id.lower().startswith("q"):
        return False
    names = {name for _, name, value in assigned(scope) if value is node}
    return any(
        isinstance(n, ast.BinOp) and isinstance(n.op, ast.MatMult) and dotted(n.left) in names
        for n in inside(scope)
    )


def _root(node: ast.expr, tree: ast.Module) -> int:
    """1 of a root of a size, -1 of its inverse, 0 of all else."""
    signs = {_power(m) for m in made_at(node, tree)}
    return signs.pop() if len(signs) == 1 else 0


_SIZE = re.compile(r"(?i)^([deck]|d[kh]|d_.*)$|_d$|dim|size|shape|head|hidden|emb|model|width")


def _is_size(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) or says(node, _SIZE)


def _power(node: ast.expr) -> int:
    match node:
        case ast.Call(args=[of]) if tail(node) in ("sqrt", "rsqrt"):
            up = 1 if tail(node) == "sqrt" else -1
            is_other = any(isinstance(n, ast.Div | ast.Pow) for n in walk(of)) or not _is_size(of)
            return 0 if is_other else up
        case ast.BinOp(left=of, op=ast.Pow(), right=ast.Constant(value=0.5)) if _is_size(of):
            return 1
        case ast.BinOp(
            left=of,
            op=ast.Pow(),
            right=ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=0.5)),
        ) if _is_size(of):
            return -1
        case ast.BinOp(left=ast.Constant(value=1 | 1.0), op=ast.Div(), right=by):
            return -_power(by)
    return 0


def _reach_softmax(node: ast.AST, scope: ast.AST, *, through: bool) -> bool:
    """Whether it goes into a softmax as it is; `through` the product that it is a part of."""
    names = {n for _, n, v in assigned(scope) if node in walk(v)}
    if isinstance(node, ast.AugAssign):
        names = {dotted(node.target)}
    for _, name, value in assigned(scope) if through else ():
        if any(isinstance(v, ast.expr) and _is_product(v) and words(v) & names
               for v in walk(value)):  # fmt: skip
            names = names | {name}
    if any(
        isinstance(n, ast.BinOp) and isinstance(n.op, ast.Div) and n is not node
        and (node in walk(n.left) or names & words(n.left))
        for n in inside(scope)
    ):  # fmt: skip
        return False  # divided there: `q * sqrt(d)` and then `q @ k.T / d`
    if any(isinstance(n, ast.BinOp) and isinstance(n.op, ast.Mult) and node in (n.left, n.right)
           for n in inside(scope)):  # fmt: skip
        return False  # by what else it is multiplied is open
    return any(
        isinstance(c, ast.Call) and (tail(c) in ("softmax", "Softmax") or _is_softmax(c.func))
        and (node in walk(c) or names & words(c))
        for c in inside(scope)
    )  # fmt: skip


def _is_softmax(called: ast.expr) -> bool:
    """`nn.Softmax(dim=-1)` of `nn.Softmax(dim=-1)(x)`."""
    return isinstance(called, ast.Call) and tail(called) == "Softmax"


_BASE = 10000  # of the frequencies of positions


def frequencies_rise(tree: ast.Module) -> Found:
    """`exp(arange(0, d, 2) * (log(10000) / d))` times the position: the minus is missing.

    Times between 0 and 1, as `rand` draws them, may have frequencies up to 10000.
    """
    if "rand" in words(tree):
        return
    for node in walk(tree):
        rising = _rising(node, tree) if isinstance(node, ast.expr) else None
        scope = function_of(node, tree) or tree
        if rising is None or not {"sin", "cos"} & words(scope):
            continue
        names = {n for _, n, v in assigned(scope) if node in walk(v)}
        used = [n for n in inside(scope) if node in walk(n) or names & words(n)]
        parts = [p for n in used for p in _multiplied(n)]
        if not any(p is node or (dotted(p) in names) for p in map(_unlaid, parts)):
            continue
        if any(node in walk(by) or names & words(by) for n in used for by in _divisors(n)):
            continue
        name = "" if any(p is node for p in map(_unlaid, parts)) else min(names, default="")
        yield Told(
            "frequencies_rise",
            node,
            f"`{name or ast.unparse(node)}` grows from 1 to 10000 here, where it is to fall to "
            "1/10000: the sines turn many times from one position to the next, and say nothing of "
            "how near two are; a minus belongs in the exponent",
            (way("the frequencies fall", put(rising, "-", *operand(rising))),),
        )


def _rising(node: ast.AST, tree: ast.Module) -> ast.expr | None:
    """What lacks a minus in a power of 10000 that goes up with the channel."""
    match node:
        case ast.Call() if tail(node) == "exp":
            of_module = dotted(node.func).startswith(("torch.", "np.", "numpy.", "math."))
            given = argument(node, 0, "input") if of_module else getattr(node.func, "value", None)
            if given is None or not _is_of_places(given, tree):
                return None
            logs = [n for n in _behind(given, tree) if isinstance(n, ast.Call) and _is_log(n, tree)]
            return logs[0] if len(logs) == 1 and _sign(given, tree) == 1 else None
        case ast.BinOp(left=base, op=ast.Pow(), right=exponent):
            pass
        case ast.Call(args=[base, exponent]) if tail(node) in ("pow", "power"):
            pass
        case _:
            return None
    rises = _is_base(base, tree) and _sign(exponent, tree) == 1
    return exponent if rises and _is_of_places(exponent, tree) else None


def _is_log(node: ast.AST, tree: ast.Module) -> bool:
    return isinstance(node, ast.Call) and tail(node) == "log" and bool(node.args) and _is_base(
        node.args[0], tree
    )  # fmt: skip


def _is_base(node: ast.expr, tree: ast.Module) -> bool:
    made = made_at(node, tree)
    return bool(made) and all(
        (isinstance(m, ast.Call) and tail(m) == "tensor" and bool(m.args) and _is_base(
            m.args[0], tree))
        or (isinstance(m, ast.Constant) and isinstance(m.value, int | float)
            and m.value == _BASE)
        for m in made
    )  # fmt: skip


def _behind(node: ast.expr, tree: ast.Module, deep: int = 4) -> list[ast.AST]:
    """An expression with what its names are made of."""
    found: list[ast.AST] = []
    for part in walk(node):
        made = made_at(part, tree) if deep and isinstance(part, ast.Name) else []
        if not made or part in made:
            found.append(part)
        else:
            found += [n for m in made if m is not part for n in _behind(m, tree, deep - 1)]
    return found


def _is_of_places(node: ast.expr, tree: ast.Module) -> bool:
    """Whether it goes by the channel: an `arange`, or a loop over a `range`."""
    parts = _behind(node, tree)
    if any(isinstance(n, ast.Call) and tail(n) == "arange" for n in parts):
        return True
    names = {n.id for n in parts if isinstance(n, ast.Name)}
    loops_ = (n for n in walk(tree) if isinstance(n, ast.For))
    return any(
        dotted(loop.target) in names and isinstance(loop.iter, ast.Call)
        and tail(loop.iter) == "range" for loop in loops_
    )  # fmt: skip


def _sign(node: ast.expr, tree: ast.Module, deep: int = _DEEP) -> int:
    """The sign of a product; 0 where it is open. Sizes are above 0."""
    if deep == 0:
        return 0
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=of):
            return -_sign(of, tree, deep - 1)
        case ast.BinOp(left=left, op=ast.Mult() | ast.Div() | ast.FloorDiv(), right=right):
            return _sign(left, tree, deep - 1) * _sign(right, tree, deep - 1)
        case ast.BinOp(left=left, op=ast.Sub() | ast.Add(), right=ast.Constant()):
            return _sign(left, tree, deep - 1)
        case ast.Constant(value=int() | float() as value):
            return (value > 0) - (value < 0)
        case ast.Call(func=ast.Attribute(attr=attr, value=of)) if attr in _CASTS:
            return _sign(of, tree, deep - 1)
        case ast.Call() if tail(node) == "arange":
            return 0 if any(isinstance(n, ast.USub) for n in walk(node)) else 1
        case ast.Call() if _is_log(node, tree) or tail(node) in ("float", "int", "len"):
            return 1
        case ast.Name():
            made = made_at(node, tree)
            signs = {_sign(m, tree, deep - 1) if m is not node else 1 for m in made}
            return signs.pop() if len(signs) == 1 else 0
        case ast.Subscript(value=of):
            return _sign(of, tree, deep - 1)
    return 1 if isinstance(node, ast.Attribute) else 0


_CASTS = {"float", "double", "to", "unsqueeze", "view", "reshape", "long", "type"}


def _multiplied(node: ast.AST) -> list[ast.expr]:
    """What is multiplied there with something else."""
    match node:
        case ast.BinOp(op=ast.Mult()):
            return factors(node)
        case ast.Call(args=[*given]) if tail(node) in ("outer", "einsum", "ger", "mul"):
            return given
    return []


def _divisors(node: ast.AST) -> list[ast.expr]:
    """By what is divided there, or of what the inverse is taken."""
    match node:
        case ast.BinOp(op=ast.Div(), right=by):
            return [by]
        case ast.Call(func=ast.Attribute(attr="reciprocal" | "pow" | "div", value=of)):
            return [of, *node.args]
        case ast.BinOp(left=of, op=ast.Pow(), right=ast.UnaryOp()):
            return [of]
    return []


def _unlaid(node: ast.expr) -> ast.expr:
    """`f` of `f[None, :]` and `f.unsqueeze(0)`."""
    while True:
        match node:
            case (
                ast.Subscript(value=of)
                | ast.Call(func=ast.Attribute(value=of, attr="unsqueeze" | "view" | "to" | "float"))
            ):
                node = of
            case _:
                return node


RULES = (heads_merged_from_heads, scores_scaled_up, frequencies_rise)
