"""The values that met in a failing expression: its operands, and the module that it called."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import libcst as cst

from knowledge.repair.toolkit.lazily import torch
from knowledge.repair.toolkit.sites import assignment

if TYPE_CHECKING:
    from knowledge.repair.operator import Failure, Place


@dataclass(frozen=True)
class Operand:
    """A part of an expression, and what it was worth."""

    node: cst.BaseExpression
    value: Any
    frame: int


def operands(failure: Failure, place: Place) -> tuple[Operand, ...]:
    """What an expression works on: arguments, the object of a method, both sides of an operator.

    The elements of a list that is passed are operands too. What cannot be evaluated is left out.
    """
    found = ((node, failure.value(node, place.frame)) for node in _parts(failure, place))
    return tuple(Operand(n, v, place.frame) for n, v in found if v is not failure.missing)


def tensors(failure: Failure, place: Place) -> tuple[Operand, ...]:
    """Those of the operands that are tensors."""
    return tuple(o for o in operands(failure, place) if isinstance(o.value, torch.Tensor))


def called_module(failure: Failure, place: Place) -> Any:
    """The module of torch.nn that an expression calls; None where it calls none."""
    if not isinstance(place.node, cst.Call):
        return None
    value = failure.value(place.node.func, place.frame)
    return value if isinstance(value, torch.nn.Module) else None


def made_callable(failure: Failure, place: Place) -> cst.Call | None:
    """The call that made what an expression calls: `vmap(f)` of `vmap(f)(x)`, or of a name."""
    if not isinstance(place.node, cst.Call):
        return None
    made: cst.BaseExpression | None = place.node.func
    if isinstance(made, cst.Name):
        assigned = assignment(failure, made.value, place.node)
        made = assigned.value if assigned is not None else None
    return made if isinstance(made, cst.Call) else None


def behind_backward(failure: Failure) -> tuple[Place, ...]:
    """The calls that computed what a failed `backward()` starts from, as its assignment has it."""
    from knowledge.repair.operator import Place

    start = started_from(failure)
    given = assignment(failure, start.value, start) if isinstance(start, cst.Name) else None
    value = given.value if given is not None else start
    if value is None:
        return ()
    calls = (call for call in failure.inside(value, cst.Call) if call is not failure.node)
    return tuple(Place(call, -1) for call in calls)


def started_from(failure: Failure) -> cst.BaseExpression | None:
    """What a failed `backward()` was called of; None where another call failed."""
    node = failure.node
    function = node.func if isinstance(node, cst.Call) else node
    if not isinstance(function, cst.Attribute) or function.attr.value != "backward":
        return None
    return function.value


def works(failure: Failure, place: Place, old: cst.BaseExpression, new: cst.BaseExpression) -> bool:
    """Whether a failing expression can be evaluated with another operand.

    What writes is not evaluated once more: that it works is left to the trials.
    """
    if failure.writes(place.node):
        return True
    changed = place.node.deep_replace(old, new)
    return isinstance(changed, cst.BaseExpression) and evaluates(failure, place, changed)


def evaluates(failure: Failure, place: Place, expression: cst.BaseExpression) -> bool:
    """Whether an expression has a value where the program failed."""
    text = failure.module.code_for_node(expression)
    return failure.tried(f"({text})", place.frame) is not failure.missing


def value_with(
    failure: Failure, place: Place, old: cst.BaseExpression, new: cst.BaseExpression
) -> Any:
    """What a failing expression is worth with another operand; MISSING if it fails with it too."""
    changed = new if old is place.node else place.node.deep_replace(old, new)
    return failure.tried(f"({failure.module.code_for_node(changed)})", place.frame)


def same_value(a: Any, b: Any) -> bool:
    """Whether two results are equal tensors, or tuples of such; of anything else it is unknown."""
    if isinstance(a, (tuple, list)) and isinstance(b, (tuple, list)):
        return len(a) == len(b) and all(map(same_value, a, b))
    if isinstance(a, torch.Tensor) and isinstance(b, torch.Tensor):
        return a.shape == b.shape and a.dtype == b.dtype and torch.equal(a, b)
    return False


def _parts(failure: Failure, place: Place) -> Iterator[cst.BaseExpression]:
    node = place.node
    if isinstance(node, cst.Call):
        if isinstance(node.func, cst.Attribute):
            yield node.func.value
        for given in node.args:
            yield given.value
            if isinstance(given.value, (cst.List, cst.Tuple)):
                yield from (e.value for e in given.value.elements)
    elif isinstance(node, cst.BinaryOperation):
        yield from (node.left, node.right)
    elif isinstance(node, cst.Comparison):
        yield node.left
        yield from (c.comparator for c in node.comparisons)
    elif isinstance(node, cst.UnaryOperation):
        yield node.expression
    elif isinstance(node, cst.Attribute):
        yield node.value
    elif isinstance(node, cst.Subscript):
        yield node.value
        for element in node.slice:
            if isinstance(element.slice, cst.Index):
                yield element.slice.value
            elif isinstance(element.slice, cst.Slice):
                bounds = (element.slice.lower, element.slice.upper, element.slice.step)
                yield from (bound for bound in bounds if bound is not None)
