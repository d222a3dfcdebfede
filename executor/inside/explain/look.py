"""Look up the live value of an expression without running any code of the snippet.

It reads names, attributes in an instance's own dictionary (or in a module's registries) and
constant subscripts of plain containers. It never makes a call, nor reads a property or through a
`__getattr__`: there it raises UnknownError.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import types
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import torch
from torch import nn

from executor.inside import torch_private as private

_NONE = object()
_CONTAINER = 64  # elements of a written list or tuple that are looked up


class UnknownError(Exception):
    """The value cannot be read without running code."""


@dataclass(frozen=True)
class FrameNames:
    """A frame's names and their values: locals, globals, builtins."""

    local: Mapping[str, Any]
    outer: Mapping[str, Any]
    unknown: frozenset[str] = frozenset()  # names that may have another value by now

    def __getitem__(self, name: str) -> Any:
        if name in self.unknown:
            raise UnknownError(name)
        for space in (self.local, self.outer, vars(builtins)):
            if name in space:
                return space[name]
        raise UnknownError(name)


def value_of(node: ast.AST, names: FrameNames) -> Any:
    """The present value of an expression.

    Raises:
        UnknownError: it would have to be computed.
    """
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            return names[name]
        case ast.Attribute(value=inner, attr=name):
            return attribute(value_of(inner, names), name)
        case ast.Subscript(value=inner, slice=index):
            return _item(value_of(inner, names), value_of(index, names))
        case ast.UnaryOp(op=ast.USub(), operand=inner):
            number = value_of(inner, names)
            if type(number) in (int, float):
                return -number
        case ast.Tuple(elts=parts) | ast.List(elts=parts):
            values = [value_of(part, names) for part in parts[:_CONTAINER]]
            return tuple(values) if isinstance(node, ast.Tuple) else values
        case ast.NamedExpr(target=ast.Name(id=name)):
            return names[name]
    raise UnknownError(type(node).__name__)


def attribute(value: Any, name: str) -> Any:
    """An attribute that is stored as plain data.

    Raises:
        UnknownError: it is not stored, or reading it would run code.
    """
    kind = type(value)
    if issubclass(kind, types.ModuleType):
        space = types.ModuleType.__getattribute__(value, "__dict__")
        if name in space:
            return space[name]
        raise UnknownError(name)
    if is_tensor(value):
        return _of_tensor(value, name)
    if issubclass(kind, nn.Module):
        own = own_dict(value)
        for registry in private.REGISTRIES:
            held = own.get(registry)
            if type(held) is dict and name in held:
                return held[name]
    found = inspect.getattr_static(value, name, _NONE)
    if found is _NONE:
        raise UnknownError(name)
    if type(found) is types.FunctionType:
        return found if is_a(value, type) else types.MethodType(found, value)
    if inspect.getattr_static(type(found), "__get__", _NONE) is not _NONE:
        raise UnknownError(name)  # a property, a slot, a method of C: reading it runs code
    return found


def is_a(value: Any, *kinds: type) -> bool:
    """Like isinstance(), but without reading the value's own `__class__`."""
    return issubclass(type(value), kinds)


def own_dict(value: Any) -> dict[str, Any]:
    """The instance's own dictionary; empty if it has none or its class overrides `__dict__`."""
    for cls in type(value).__mro__:
        if "__dict__" in vars(cls) and type(vars(cls)["__dict__"]) is not (
            types.GetSetDescriptorType
        ):
            return {}
    try:
        held = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return {}
    return held if type(held) is dict else {}


def is_tensor(value: Any) -> bool:
    """Whether it is a tensor whose facts can be read without running the snippet's own code."""
    kind = type(value)
    if not issubclass(kind, torch.Tensor):
        return False
    return all(c.__module__ != "__main__" or "shape" not in vars(c) for c in kind.__mro__)


def _of_tensor(value: torch.Tensor, name: str) -> Any:
    if name in ("shape", "dtype", "device", "ndim"):
        return getattr(value, name)
    if name == "data":
        return value.detach()
    if name in ("T", "mT") and value.ndim == 2:
        return value.detach().t()
    if name == "grad" and value.is_leaf:
        return value.grad
    raise UnknownError(name)


def _item(value: Any, index: Any) -> Any:
    if type(value) in (list, tuple, dict, torch.Size) and type(index) in (int, str):
        try:
            return value[index]
        except (IndexError, KeyError):
            raise UnknownError(index) from None
    if issubclass(type(value), (nn.Sequential, nn.ModuleList)) and type(index) is int:
        try:
            return list(private.modules_of(value).values())[index]
        except IndexError:
            raise UnknownError(index) from None
    if is_tensor(value) and type(index) is int and value.ndim and abs(index) < value.shape[0]:
        return value.detach()[index]
    raise UnknownError(index)
