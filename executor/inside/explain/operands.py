"""Find the operands of a failing expression, in the snippet and in a library's source."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator
from itertools import islice
from types import TracebackType


def operand_nodes(node: ast.AST, statement: ast.AST | None) -> Iterator[ast.AST]:
    """The operands of an expression, without those of nested calls."""
    match node:
        case ast.Call(func=func, args=args, keywords=keywords):
            if isinstance(func, ast.Attribute):
                yield func.value
            for part in [*args, *(k.value for k in keywords)]:
                yield from _spread(part)
        case ast.BinOp(left=left, right=right):
            yield from (left, right)
        case ast.Compare(left=left, comparators=right_sides):
            yield from (left, *right_sides)
        case ast.Subscript(value=value, slice=index):
            yield value
            yield from _spread(index)
        case ast.UnaryOp(operand=value) | ast.Attribute(value=value):
            yield value
        case ast.BoolOp(values=values):
            yield from values
        case ast.Name():
            yield node
        case ast.AugAssign(target=target, value=value):
            yield from (target, value)
        case ast.Assign(targets=[target], value=value):
            if isinstance(target, (ast.Tuple, ast.List)):
                yield value
            else:
                yield from operand_nodes(target, None)
                yield value
        case ast.For(iter=value) | ast.Return(value=ast.expr() as value):
            yield value
        case ast.Expr(value=value):
            yield from operand_nodes(value, None)
    if isinstance(statement, ast.Assign) and any(node is t for t in statement.targets):
        yield statement.value  # of `x[i] = value`, only `x[i]` is the failing expression


def _spread(node: ast.AST) -> Iterator[ast.AST]:
    if isinstance(node, (ast.List, ast.Tuple)):
        for part in node.elts[:8]:
            yield from _spread(part)
    elif isinstance(node, ast.Starred):
        yield node.value
    else:
        yield node


def expression(tb: TracebackType) -> ast.AST | None:
    """The failing expression of a library's frame, from its source."""
    code = tb.tb_frame.f_code
    spot = next(islice(code.co_positions(), tb.tb_lasti // 2, None), None)
    if spot is None or None in spot:
        return None
    line, end_line, col, end_col = (int(n or 0) for n in spot)
    rows = [linecache.getline(code.co_filename, n).encode() for n in range(line, end_line + 1)]
    if not rows or len(rows) > 40:
        return None
    rows[-1] = rows[-1][:end_col]
    rows[0] = rows[0][col:]
    try:
        return ast.parse(b"(" + b"".join(rows) + b")", mode="eval").body
    except (SyntaxError, ValueError):
        return None
