"""Find attention of the code's own whose scores, heads or positions are not what they look like."""

from __future__ import annotations

import ast

from executor.inside.remarks.edits import Told, put, way
from executor.inside.remarks.syntax import (
    Found,
    argument,
    assigned,
    dotted,
    factors,
    functions,
    inside,
    last_value,
    made_of,
    owner,
    products,
    tail,
    walk,
    words,
)

_TURNS = {"transpose", "permute", "swapaxes", "movedim", "mT", "rearrange", "T", "unbind"}
_MULTIPLIES = {"matmul", "bmm", "einsum", "mm"}


def heads_merged_from_heads(tree: ast.Module) -> Found:
    """`(attn @ v).reshape(B, T, C)` of heads before steps: steps and heads are mixed."""
    for function in functions(tree).values():
        body = inside(function)
        made: dict[str, list[ast.expr]] = {}
        for _, name, value in assigned(function):
            made.setdefault(name, []).append(value)
        splits = {n for n, f in functions(tree).items() if _is_split(f)}
        heads = {
            n for n, given in made.items()
            if any(_is_by_heads(v) or tail(v) in splits for v in given) and len(given) == 1
        }  # fmt: skip
        for node in body:
            match node:
                case ast.Assign(
                    targets=[ast.Tuple(elts=names)], value=ast.GeneratorExp(elt=each)
                ) if _is_by_heads(each) or tail(each) in splits:
                    heads |= {dotted(n) for n in names}
        for call in (n for n in body if isinstance(n, ast.Call)):
            if tail(call) not in ("view", "reshape") or not isinstance(call.func, ast.Attribute):
                continue
            sizes = call.args[0].elts if _is_tuple(call) else call.args  # type: ignore[attr-defined]
            of = call.func.value
            given = made.get(dotted(of), [of])
            if isinstance(of, ast.Call) and tail(of) == "contiguous" and owner(of):
                given = made.get(owner(of), [of])
            if len(sizes) != 3 or len(given) != 1 or not _attends(given[0], heads):
                continue
            if words(of) & _TURNS or any(words(v) & _TURNS for v in given if v is of):
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
                     put(call, of, f".transpose(1, 2).reshape({told})")),),
            )  # fmt: skip


def _is_tuple(call: ast.Call) -> bool:
    return len(call.args) == 1 and isinstance(call.args[0], ast.Tuple | ast.List)


def _is_split(function: ast.FunctionDef) -> bool:
    """Whether a function does nothing but put the heads before the steps."""
    last = last_value(function)
    return last is not None and _is_by_heads(last)


def _is_by_heads(value: ast.expr) -> bool:
    """`q.view(B, T, heads, d).transpose(1, 2)`."""
    match value:
        case ast.Call(
            func=ast.Attribute(
                value=ast.Call(func=ast.Attribute(attr="view" | "reshape"), args=[_, _, _, _]),
                attr="permute",
            )
        ):
            return [ast.unparse(a) for a in value.args] == ["0", "2", "1", "3"]
        case ast.Call(
            func=ast.Attribute(
                value=ast.Call(func=ast.Attribute(attr="view" | "reshape"), args=[_, _, _, _]),
                attr="transpose",
            ),
            args=[one, two],
        ):
            return {ast.unparse(one), ast.unparse(two)} == {"1", "2"}
    return False


def _attends(value: ast.expr, heads: set[str]) -> bool:
    """Whether it is what attention gives of values by heads."""
    match value:
        case ast.BinOp(op=ast.MatMult(), right=ast.Name(id=name)):
            return name in heads
        case ast.Call(args=[*_, ast.Name(id=name)]) if tail(value) in ("matmul", "bmm"):
            return name in heads
        case ast.Call(args=[_, _, ast.Name(id=name), *_]) if (
            tail(value) == "scaled_dot_product_attention"
        ):
            return name in heads
    return False


def scores_scaled_up(tree: ast.Module) -> Found:
    """`q @ k.T * math.sqrt(d)` before a softmax: the root divides."""
    if not words(tree) & {"softmax", "Softmax"}:
        return
    for scope in functions(tree).values():
        for node, parts in products(scope):
            match node:
                case ast.BinOp(left=left, right=right):
                    pass
            scores = [p for p in parts if _is_product(p)]
            roots = [p for p in parts if _is_root(p, tree)]
            if len(parts) != 2 or len(scores) != 1 or len(roots) != 1:
                continue
            if {left, right} != {scores[0], roots[0]} or not _reach_softmax(node, scope):
                continue
            yield Told(
                "scores_scaled_up",
                node,
                f"the scores are multiplied by `{ast.unparse(roots[0])}`, which is to make them "
                "smaller: the softmax then takes nearly all from one place, and its gradient is "
                "nearly 0; divide by it",
                (way("the scores keep their size", put(node, scores[0], " / ", roots[0])),),
            )


def _is_product(node: ast.expr) -> bool:
    matrix = isinstance(node, ast.BinOp) and isinstance(node.op, ast.MatMult)
    return matrix or (isinstance(node, ast.Call) and tail(node) in _MULTIPLIES)


def _is_root(node: ast.expr, tree: ast.Module) -> bool:
    held = made_of(node, tree)
    match held[0] if len(held) == 1 else node:
        case ast.Call(args=[of]) as root if tail(root) == "sqrt":
            return not any(isinstance(n, ast.Div) for n in walk(of))
        case ast.BinOp(op=ast.Pow(), right=ast.Constant(value=0.5)):
            return True
    return False


def _reach_softmax(node: ast.expr, scope: ast.AST) -> bool:
    names = {n for _, n, v in assigned(scope) if node in walk(v)}
    return any(
        isinstance(c, ast.Call) and tail(c) in ("softmax", "Softmax")
        and (node in walk(c) or names & words(c))
        for c in inside(scope)
    )  # fmt: skip


_TOP = ("10000", "10000.0")


def frequencies_rise(tree: ast.Module) -> Found:
    """`exp(arange(0, d, 2) * (log(10000) / d))` times the position: the minus is missing."""
    for scope in (tree, *functions(tree).values()):
        for node, name, value in assigned(scope):
            if not isinstance(value, ast.Call) or tail(value) != "exp" or node not in inside(scope):
                continue
            given = argument(value, 0, "input")
            of = given if given is not None else getattr(value.func, "value", value)
            calls = (n for n in walk(of) if isinstance(n, ast.Call) and n.args)
            logs = [n for n in calls if tail(n) == "log" and ast.unparse(n.args[0]) in _TOP]
            signs = (ast.USub, ast.Sub)
            if (
                len(logs) != 1
                or "arange" not in words(of)
                or any(isinstance(n, signs) for n in walk(of))
            ):
                continue
            if any(isinstance(n, ast.Div) and name for n in _divisions(scope, name)):
                continue
            used = [n for n in inside(scope) if isinstance(n, ast.BinOp)
                    and isinstance(n.op, ast.Mult) and name in map(dotted, factors(n))]  # fmt: skip
            if not used or not {"sin", "cos"} & words(scope):
                continue
            yield Told(
                "frequencies_rise",
                value,
                f"`{name}` grows from 1 to 10000 here, where it is to fall to 1/10000: the sines "
                "turn many times from one position to the next, and say nothing of how near two "
                "are; a minus belongs in the exponent",
                (way("the frequencies fall", put(logs[0], "-", logs[0])),),
            )


def _divisions(scope: ast.AST, name: str) -> list[ast.AST]:
    return [
        n.op for n in inside(scope)
        if isinstance(n, ast.BinOp) and isinstance(n.op, ast.Div) and dotted(n.right) == name
    ]  # fmt: skip


RULES = (heads_merged_from_heads, scores_scaled_up, frequencies_rise)
