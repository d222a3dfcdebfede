"""Infer the shape and dtype of an expression of plain tensor operations.

`skip.unsqueeze(1)` has no name, but its shape follows from `skip`. The operations are run on the
meta device, where a tensor has no values: no code of the snippet is called, no random number is
drawn, nothing is written. Only the operations listed here are run.
"""

from __future__ import annotations

import ast
from typing import Any

import torch

from executor.inside.explain.look import FrameNames, UnknownError, is_tensor, value_of

_METHODS = frozenset(
    {
        "unsqueeze", "squeeze", "view", "reshape", "transpose", "permute", "t", "flatten", "float",
        "double", "half", "long", "int", "bool", "contiguous", "detach", "clone", "expand", "sum",
        "mean", "to", "type", "repeat", "swapaxes", "movedim", "softmax", "relu", "sigmoid", "tanh",
        "exp", "log", "abs", "pow", "sqrt", "matmul", "mm", "bmm", "add", "sub", "mul", "div",
        "argmax", "cpu", "size", "dim", "unfold", "narrow", "chunk", "mT", "expand_as", "view_as",
        "repeat_interleave",
    }
)  # fmt: skip
_FUNCTIONS = (_METHODS | {
    "cat", "stack", "zeros", "ones", "randn", "rand", "empty", "full", "arange", "randint", "eye",
    "zeros_like", "ones_like", "rand_like", "randn_like", "linspace", "concat", "hstack", "vstack",
    "kron", "outer", "diag", "where", "randperm", "tensor",
}) - {"view", "to", "size", "expand", "contiguous", "cpu"}  # fmt: skip
_MAKE = {"zeros", "ones", "randn", "rand", "empty", "full", "arange", "randint", "eye", "linspace",
         "randperm", "tensor"}  # fmt: skip
_BINARY = {
    ast.Add: "add",
    ast.Sub: "sub",
    ast.Mult: "mul",
    ast.Div: "true_divide",
    ast.MatMult: "matmul",
    ast.Pow: "pow",
}
_ELEMENTS = 1 << 16  # of a written list; longer ones are not made into a tensor
_DEPTH = 8


def shape_of(node: ast.AST, names: FrameNames) -> torch.Tensor:
    """A tensor without values that has the shape and dtype of the expression.

    Raises:
        UnknownError: it is no expression of plain tensor operations on known values.
    """
    try:
        value = _value(node, names, _DEPTH)
    except UnknownError:
        raise
    except Exception as e:  # torch refuses the operation: then there is no such shape
        raise UnknownError(str(e)) from None
    if not is_tensor(value):
        raise UnknownError("no tensor")
    return value  # type: ignore[no-any-return]


def _value(node: ast.AST, names: FrameNames, depth: int) -> Any:
    if depth == 0:
        raise UnknownError("deep")
    try:
        return _without_values(value_of(node, names))
    except UnknownError:
        pass
    match node:
        case ast.Call(func=ast.Attribute(value=owner, attr=name), args=args, keywords=keywords):
            given, named = _arguments(args, keywords, names, depth)
            if isinstance(owner, ast.Name) and names_torch(owner, names):
                if name not in _FUNCTIONS:
                    raise UnknownError(name)
                if name in _MAKE:
                    named = {k: v for k, v in named.items() if k in ("dtype", "size", "step")}
                    named["device"] = "meta"  # a number drawn here would change the snippet's
                made = getattr(torch, name)(*given, **named)
                if not is_tensor(made) or made.device.type == "meta":
                    return made
                raise UnknownError(name)
            held = _value(owner, names, depth - 1)
            if name not in _METHODS or not is_tensor(held):
                raise UnknownError(name)
            if name in ("to", "cpu"):
                given = [g for g in given if type(g) is torch.dtype]
                return held.to(*given) if given else held
            return getattr(torch.Tensor, name)(held, *given, **named)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _BINARY:
            a, b = _value(left, names, depth - 1), _value(right, names, depth - 1)
            if type(a) in (int, float) and type(b) in (int, float):
                return _number(a, op, b)
            if not (is_tensor(a) or is_tensor(b)):
                raise UnknownError("no tensor")
            return getattr(torch, _BINARY[type(op)])(a, b)
        case ast.UnaryOp(op=ast.USub() | ast.Invert(), operand=inner):
            return _value(inner, names, depth - 1)
        case ast.Attribute(value=owner, attr=("T" | "mT" | "data") as name):
            held = _value(owner, names, depth - 1)
            if not is_tensor(held) or (name != "data" and held.ndim != 2):
                raise UnknownError(name)
            return held if name == "data" else held.t()
        case ast.Subscript(value=owner, slice=index):
            held = _value(owner, names, depth - 1)
            if is_tensor(held):
                return held[_index(index, names, depth)]
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            values = [_value(p, names, depth - 1) for p in parts]
            return tuple(values) if isinstance(node, ast.Tuple) else values
        case ast.Compare(left=left, ops=[_], comparators=[right]):
            return torch.eq(_value(left, names, depth - 1), _value(right, names, depth - 1))
    raise UnknownError(type(node).__name__)


def names_torch(node: ast.Name, names: FrameNames) -> bool:
    """Whether a name stands for the module torch."""
    try:
        return names[node.id] is torch
    except UnknownError:
        return False


def _arguments(
    args: list[ast.expr], keywords: list[ast.keyword], names: FrameNames, depth: int
) -> tuple[list[Any], dict[str, Any]]:
    given: list[Any] = []
    for arg in args:
        if isinstance(arg, ast.Starred):
            several = _value(arg.value, names, depth - 1)
            if type(several) not in (list, tuple, torch.Size):
                raise UnknownError("starred")
            given += several
        else:
            given.append(_value(arg, names, depth - 1))
    if any(k.arg is None for k in keywords):
        raise UnknownError("**")
    return given, {str(k.arg): _value(k.value, names, depth - 1) for k in keywords}


def _index(node: ast.AST, names: FrameNames, depth: int) -> Any:
    if isinstance(node, ast.Tuple):
        return tuple(_index(part, names, depth) for part in node.elts)
    if isinstance(node, ast.Slice):
        ends = [
            None if e is None else _value(e, names, depth - 1)
            for e in (node.lower, node.upper, node.step)
        ]
        if any(e is not None and type(e) is not int for e in ends):
            raise UnknownError("slice")
        return slice(*ends)
    value = _value(node, names, depth - 1)
    if value is None or value is Ellipsis or type(value) is int:
        return value
    if is_tensor(value) and value.dtype in (torch.int64, torch.int32):
        return value
    raise UnknownError("index")  # a mask's result depends on its values


def _number(a: float, op: ast.operator, b: float) -> float:
    if isinstance(op, ast.Pow) and abs(b) > 64:
        raise UnknownError("large")
    table = {
        ast.Add: "__add__",
        ast.Sub: "__sub__",
        ast.Mult: "__mul__",
        ast.Pow: "__pow__",
        ast.Div: "__truediv__",
    }
    result = getattr(a, table[type(op)])(b)
    if type(result) not in (int, float):
        raise UnknownError("number")
    return result  # type: ignore[no-any-return]


def _without_values(value: Any) -> Any:
    if is_tensor(value):
        if value.layout is not torch.strided or value.is_quantized:
            raise UnknownError("layout")
        return torch.empty_strided(
            tuple(value.shape), value.stride(), dtype=value.dtype, device="meta"
        )
    if type(value) in (list, tuple):
        if len(value) > _ELEMENTS:
            raise UnknownError("long")
        made = [_without_values(v) for v in value]
        return made if type(value) is list else tuple(made)
    if value is None or value is Ellipsis or type(value) in (int, float, bool, str, torch.Size):
        return value
    if type(value) in (torch.dtype, torch.device):
        return value
    raise UnknownError(type(value).__name__)
