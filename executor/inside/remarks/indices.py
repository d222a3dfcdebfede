"""Find indices that belong to another order, or another end, than that of what they pick."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from executor.inside.remarks.edits import Told, put, way
from executor.inside.remarks.syntax import (
    Found,
    argument,
    assigned,
    dotted,
    inside,
    tail,
    walk,
)

_ADDS = {
    "index_add_",
    "index_add",
    "scatter_add_",
    "scatter_add",
    "scatter_reduce",
    "scatter_reduce_",
}


def summed_at_source(tree: ast.Module) -> Found:
    """`m = f(x)[src]`, and `index_add_(0, src, m)`: what was sent is added where it came from."""
    for scope in (tree, *_functions(tree)):
        ends = {name: other for pair in _pairs(tree) for name, other in (pair, pair[::-1])}
        own = _ends_by_row(scope)
        ends |= {one: two for of in own for one, two in ((f"{of}[0]", f"{of}[1]"),
                                                         (f"{of}[1]", f"{of}[0]"))}  # fmt: skip
        picked = {
            name: end for _, name, value in assigned(scope) if (end := _picked_at(value)) in ends
        }
        for call in (n for n in inside(scope) if isinstance(n, ast.Call)):
            if tail(call) not in _ADDS:
                continue
            where, what = argument(call, 1, "index"), argument(call, 2, "source", "src")
            if where is None or what is None:
                continue
            came = picked.get(dotted(what), "") or _picked_at(what)
            at = [n for n in walk(where) if isinstance(n, ast.expr) and ast.unparse(n) == came]
            other = ends.get(came, "")
            if not at or not other:
                continue
            yield Told(
                "summed_at_source",
                call,
                f"`{ast.unparse(what)}` was taken at `{came}` and is added up at `{came}` again: "
                "each node gets its own values back, as often as it has edges, and nothing goes "
                f"along an edge; add up at the other end, `{other}`",
                (way("messages arrive at the other end", put(at[0], other)),),
            )


def _ends_by_row(scope: ast.AST) -> set[str]:
    """`edge_index`, whose two rows are taken by their numbers: `edge_index[0]`."""
    return {
        dotted(n.value) for n in walk(scope)
        if isinstance(n, ast.Subscript) and ast.unparse(n.slice) in ("0", "1")
        and _EDGES.search(tail(n.value))
    } - {""}  # fmt: skip


_EDGES = re.compile(r"(?i)^(edge_?(index|list)s?|edges?|ei|adj_?list)$")


def _picked_at(value: ast.expr) -> str:
    """`src` of `x[src]` and `x.index_select(0, src)`, also where a layer changes it then."""
    match value:
        case ast.Call(func=ast.Attribute(attr="index_select"), args=[_, at]):
            return ast.unparse(at)
        case ast.Subscript(slice=at):
            return ast.unparse(at)
        case ast.Call(args=[of, *_], func=ast.Attribute(value=ast.Name(id="self"))):
            return _picked_at(of)
    return ""


def _pairs(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """`src, dst = edge_index`: the two ends of edges."""
    for node in walk(tree):
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=[ast.Name(id=one), ast.Name(id=two)])]):
                if _END.fullmatch(one) and _END.fullmatch(two):
                    yield one, two


_END = re.compile(r"(?i)(e_?)?(src|dst|source|dest|destination|target|tgt|row|col|sender|receiver"
                  r"|head|tail|from|to|u|v|i|j)s?(_idx|_index|_nodes?|_)?")  # fmt: skip


def pairs_interleaved(tree: ast.Module) -> Found:
    """`stack([a, b], dim=1).flatten(0, 1)`, whose positives are looked for n rows further down."""
    for function in (tree, *_functions(tree)):
        shifted = [n for n in inside(function) if _is_half_further(n)]
        turned = [n for n in inside(function) if _is_neighbour(n)]
        for call in (n for n in inside(function) if isinstance(n, ast.Call)):
            stacked = call.func.value if isinstance(call.func, ast.Attribute) else None
            if tail(call) not in ("flatten", "reshape", "view") or not shifted:
                continue
            if not isinstance(stacked, ast.Call) or tail(stacked) != "stack" or not _views(stacked):
                continue
            one, two = _views(stacked)
            yield Told(
                "pairs_interleaved",
                call,
                f"this puts the rows of `{one}` and `{two}` in turns, so that the two of a pair "
                f"are neighbours, and line {getattr(shifted[0], 'lineno', 0)} looks for the other "
                f"one n rows further, as in `torch.cat([{one}, {two}])`: strangers are pulled "
                "together; use `torch.cat` here",
                (way("the two of a pair are n rows apart",
                     put(call, f"torch.cat([{one}, {two}], dim=0)")),) if not turned else (),
            )  # fmt: skip
            return


def halves_as_neighbours(tree: ast.Module) -> Found:
    """`torch.cat([a, b])`, whose positives are looked for in the row beside."""
    for function in (tree, *_functions(tree)):
        turned = [n for n in inside(function) if _is_neighbour(n) or _is_row_beside(n)]
        further = any(map(_is_half_further, inside(function)))
        for call in (n for n in inside(function) if isinstance(n, ast.Call)):
            match call:
                case ast.Call(args=[ast.List(elts=[one, two]) | ast.Tuple(elts=[one, two]), *_]):
                    along = argument(call, 1, "dim", "axis")
                case _:
                    continue
            if tail(call) not in ("cat", "concat", "vstack") or not turned or further:
                continue
            if along is not None and ast.unparse(along) != "0":
                continue
            a, b = ast.unparse(one), ast.unparse(two)
            yield Told(
                "halves_as_neighbours",
                turned[0],
                f"line {call.lineno} puts the rows of `{b}` behind those of `{a}`, so that the two "
                "of a pair are half of the rows apart, and this looks for the other one in the row "
                f"beside: strangers are pulled together; put them in turns, `torch.stack([{a}, "
                f"{b}], dim=1).flatten(0, 1)`, or look half of the rows further",
                (way("the two of a pair are neighbours",
                     put(call, f"torch.stack([{a}, {b}], dim=1).flatten(0, 1)")),),
            )  # fmt: skip
            return


def _is_row_beside(node: ast.AST) -> bool:
    """`torch.arange(2 * n).view(n, 2).flip(1)`: each row number beside its neighbour's."""
    match node:
        case ast.Call(
            func=ast.Attribute(
                value=ast.Call(
                    func=ast.Attribute(value=rows, attr="view" | "reshape"),
                    args=[_, ast.Constant(value=2)],
                ),
                attr="flip",
            )
        ):
            return isinstance(rows, ast.Call) and tail(rows) == "arange"
    return False


def _functions(tree: ast.Module) -> list[ast.FunctionDef]:
    """Every one: methods of several classes have one name."""
    return [n for n in walk(tree) if isinstance(n, ast.FunctionDef)]


def _views(stacked: ast.Call) -> tuple[str, ...]:
    along = argument(stacked, 1, "dim", "axis")
    match stacked.args[:1]:
        case [ast.List(elts=[one, two]) | ast.Tuple(elts=[one, two])] if (
            along is not None and ast.unparse(along) == "1"
        ):
            return ast.unparse(one), ast.unparse(two)
    return ()


def _is_half_further(node: ast.AST) -> bool:
    """`torch.arange(n) + n`: the row of the other half."""
    match node:
        case ast.BinOp(left=ast.Call(args=[n, *_]) as rows, op=ast.Add(), right=by):
            half = ast.unparse(by)
            return tail(rows) == "arange" and ast.unparse(n) in (half, f"2 * {half}")
        case ast.Call(args=[_, ast.Name()]):
            return tail(node) in ("diag", "diagonal")
        case ast.Call(args=[ast.Name(id=n), ast.BinOp(op=ast.Mult(), left=two, right=by)]):
            return tail(node) == "arange" and {ast.unparse(two), ast.unparse(by)} == {"2", n}
    return False


def _is_neighbour(node: ast.AST) -> bool:
    """`i ^ 1`, `i + 1 - 2 * (i % 2)`, `i + 1 if i % 2 == 0 else i - 1`."""
    match node:
        case ast.BinOp(op=ast.BitXor(), right=ast.Constant(value=1)):
            return True
        case ast.BinOp(
            left=ast.BinOp(left=of, op=ast.Add(), right=ast.Constant(value=1)),
            op=ast.Sub(),
            right=ast.BinOp(op=ast.Mult()) as back,
        ):
            return f"{ast.unparse(of)} % 2" in ast.unparse(back)
        case ast.IfExp(test=test, body=ast.BinOp(left=of), orelse=ast.BinOp(left=other)):
            steps = {ast.unparse(node.body), ast.unparse(node.orelse)}
            name = ast.unparse(of)
            is_even = f"{name} % 2" in ast.unparse(test)
            return (
                is_even and ast.unparse(other) == name and steps == {f"{name} + 1", f"{name} - 1"}
            )
    return False


RULES = (summed_at_source, pairs_interleaved, halves_as_neighbours)
