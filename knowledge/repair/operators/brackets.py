"""Call what is a function, take entries of what has entries, and leave a plain value alone.

What stands before the brackets decides, by its live value: `x.size[0]`, `x.shape()`, `layers(0)`,
`batch[:, 0]` of a list, `model.parameters` without its brackets, a module that is called in place
of what it holds.
"""

import inspect
import re
import types
from collections.abc import Iterator
from typing import Any

import libcst as cst

from executor.errors import is_a
from executor.protocol import JobResult
from knowledge.repair.check import Check
from knowledge.repair.codemod import Proposal, Rewrites
from knowledge.repair.operator import Failure
from knowledge.repair.toolkit.edits import Edits
from knowledge.repair.toolkit.lazily import torch
from knowledge.repair.toolkit.signatures import required
from knowledge.repair.toolkit.sites import assignment, given_to
from knowledge.repair.toolkit.statements import last_name

SPEAKS = r"builtin_function_or_method|\bmethod_descriptor\b|'method'|context manager protocol"
ERRORS = ("not_callable", "index_type", "plain_attribute", "object_attribute")
_OF_ONE = ("numel", "nelement", "item", "dim", "size", "mean", "sum", "max", "min", "std",
           "tolist", "numpy", "detach", "clone")  # fmt: skip
_METHODS = (types.MethodType, types.BuiltinMethodType)
Change = tuple[cst.BaseExpression, str]


def edits(failure: Failure) -> Rewrites:
    """The failing place, then every place that does the same with the same thing."""
    yield from _not_called(failure)
    yield from _not_entered(failure)
    yield from _not_given(failure)
    for node, value in _suspects(failure):
        change = _change(failure, node, value)
        if change is None:
            continue
        new, told = change
        meaning = f"`{failure.module.code_for_node(new).strip()}` is meant"
        yield failure.edit({node: new}, told, meaning)
        head = failure.text(_head(node))
        others = [n for n in failure.all(type(node)) if failure.text(_head(n)) == head]
        changes = {n: _change(failure, n, value) for n in others}
        every: Edits = {n: change[0] for n, change in changes.items() if change is not None}
        if len(every) > 1 and not isinstance(node, cst.Attribute):
            yield failure.edit(every, f"{told} (everywhere)", meaning, at=node)


def _not_called(failure: Failure) -> Rewrites:
    """`sum(p.numel() for p in …)`: methods of tensors in the failing statement without brackets."""
    if failure.statement is None or re.search(SPEAKS, failure.error.message) is None:
        return
    found: Edits = {}
    for node in failure.inside(failure.statement, cst.Attribute):
        parent = failure.parent(node)
        is_called = isinstance(parent, cst.Call) and parent.func is node
        if is_called or isinstance(parent, cst.Attribute):
            continue
        if node.attr.value in _OF_ONE and callable(getattr(torch.Tensor, node.attr.value)):
            found[node] = cst.Call(node)
    for name in failure.inside(failure.statement, cst.Name):
        # `loss = errors.mean`, and what follows asks that method for what a tensor has.
        made, value = assignment(failure, name.value, name), failure.value(name)
        if made is None or not isinstance(value, _METHODS) or not _needs_nothing(value):
            continue
        # In `copy.deepcopy(net.state_dict)` too, which copies that method.
        asked = [a for a in failure.expressions(made.value) if isinstance(a, cst.Attribute)]
        named = (a for a in asked if a.attr.value == value.__name__)
        found |= {a: cst.Call(a) for a in named if not isinstance(failure.parent(a), cst.Call)}
    if found:
        names = " and ".join(dict.fromkeys(f"`{failure.text(n)}`" for n in found))
        told = f"{names} is a method, which is called"
        yield failure.edit(found, told, f"{names} is called", at=min(found, key=failure.line))


def _not_entered(failure: Failure) -> Rewrites:
    """`with torch.no_grad():` for `with torch.no_grad:`, of the class itself."""
    for block in failure.all(cst.With):
        if failure.line(block) != failure.error.line:
            continue
        found = {i.item: failure.value(i.item) for i in block.items}
        kinds = (type, types.FunctionType, types.MethodType)
        made: Edits = {n: cst.Call(n) for n, v in found.items()
                       if isinstance(v, kinds) and not isinstance(n, cst.Call)}  # fmt: skip
        if made and all(required(v) == set() for n, v in found.items() if n in made):
            names = " and ".join(f"`{failure.text(n)}`" for n in made)
            yield failure.edit(made, f"{names} is called: what it gives is entered", at=block)


def _not_given(failure: Failure) -> Rewrites:
    """`LAYERS[name](net)` for `LAYERS[name]`: a function of what is there by its parameters' names.

    Where it comes from, and what it gives has what it was asked for.
    """
    node = failure.node
    held = failure.value(node.value) if isinstance(node, cst.Attribute) else None
    if not isinstance(node, cst.Attribute) or not isinstance(held, types.FunctionType):
        return
    needed = required(held) or ()
    given = ", ".join(n for n in inspect.signature(held).parameters if n in needed)
    for place in reversed(failure.places):
        for part in failure.expressions(place.node):
            if failure.value(part, place.frame) is not held:
                continue
            made = given_to(failure, part)
            at = made.value if made and failure.value(made.value, place.frame) is held else part
            new = cst.parse_expression(f"{failure.text(at)}({given})")
            result = failure.tried(failure.module.code_for_node(new), place.frame)
            if hasattr(result, node.attr.value):
                name = failure.text(at)
                told = f"`{name}` is a function, and what it gives is used"
                yield failure.edit({at: new}, told, f"`{name}({given})` is meant")
                return


def _suspects(failure: Failure) -> Iterator[tuple[cst.BaseExpression, Any]]:
    """What may have the wrong brackets, with the value of what stands before them."""
    node = failure.node
    if isinstance(node, (cst.Call, cst.Subscript)):
        yield node, failure.value(_head(node))
    inner = node.func if isinstance(node, cst.Call) else node
    if isinstance(inner, cst.Attribute) and isinstance(inner.value, cst.Attribute):
        yield inner.value, failure.value(inner.value)
    if isinstance(node, cst.Call):
        for given in node.args:
            if isinstance(given.value, cst.Attribute):
                yield given.value, failure.value(given.value)
    if isinstance(node, cst.Attribute):
        yield node, failure.value(node)
    if node is None:
        yield from _gone_through(failure)


def _gone_through(failure: Failure) -> Iterator[tuple[cst.BaseExpression, Any]]:
    """What the loop of the failing line goes through."""
    for loop in failure.all(cst.For):
        if failure.line(loop) == failure.error.line:
            for node in (loop.iter, *failure.inside(loop.iter, cst.Attribute)):
                if isinstance(node, cst.Attribute):
                    yield node, failure.value(node)


def _head(node: cst.CSTNode) -> cst.BaseExpression:
    """What stands before the brackets: of a bare attribute the attribute itself."""
    if isinstance(node, cst.Call):
        return node.func
    if isinstance(node, cst.Subscript):
        return node.value
    assert isinstance(node, cst.Attribute)
    return node


def _change(failure: Failure, node: cst.CSTNode, value: Any) -> Change | None:
    """The node with the brackets that the value takes, and why; None where they are right."""
    if isinstance(node, cst.Call):
        return _of_call(failure, node, value)
    if isinstance(node, cst.Subscript):
        return _of_column(failure, node, value) or _of_subscript(failure, node, value)
    if isinstance(node, cst.Attribute) and isinstance(value, _METHODS) and _needs_nothing(value):
        return cst.Call(node), f"`{node.attr.value}` is a method, which is called"
    return None


def _of_call(failure: Failure, node: cst.Call, value: Any) -> Change | None:
    if callable(value) or value is failure.missing:
        return None
    name = last_name(failure, node.func) or "it"
    if isinstance(value, types.ModuleType):
        inner = value.__name__.rpartition(".")[2]
        if not callable(getattr(value, inner, None)):
            return None
        function = cst.Attribute(node.func, cst.Name(inner))
        return node.with_changes(func=function), f"`{name}` is the module; `{inner}` is in it"
    if not node.args:
        return node.func, f"`{name}` is a value, not a method"
    if any(a.keyword is not None or a.star for a in node.args) or not hasattr(value, "__getitem__"):
        return None
    keys = [failure.value(a.value) for a in node.args]
    if not all(isinstance(k, (int, str)) for k in keys):
        return None  # a function whose name was given to something else
    index = [cst.SubscriptElement(cst.Index(a.value), comma=a.comma) for a in node.args]
    return cst.Subscript(node.func, index), "elements are taken with square brackets"


def _of_column(failure: Failure, node: cst.Subscript, value: Any) -> Change | None:
    """`batch[:, 0]` where `batch` is a list: a field of a batch, or a column of its rows."""
    if not isinstance(value, list | tuple) or not value or len(node.slice) != 2:
        return None
    whole, column = (e.slice for e in node.slice)
    if not isinstance(whole, cst.Slice) or (whole.lower or whole.upper or whole.step):
        return None
    if not isinstance(column, cst.Index) or column.star is not None:
        return None
    key = failure.value(column.value)
    if not isinstance(key, int):
        return None
    name, at = last_name(failure, node.value) or "it", failure.text(column.value)
    kinds = {(type(v), getattr(v, "dtype", None), getattr(v, "shape", None)) for v in value}
    if all(hasattr(v, "shape") for v in value):
        if len(kinds) == 1 or not -len(value) <= key < len(value):
            return None  # rows, maybe: what holds fields has them of several kinds
        index = [cst.SubscriptElement(cst.Index(column.value))]
        return node.with_changes(slice=index), f"`{name}` is a list; its fields have one index"
    if all(isinstance(v, list | tuple) and -len(v) <= key < len(v) for v in value):
        rows = f"[row[{at}] for row in {failure.text(node.value)}]"
        return cst.parse_expression(rows), f"`{name}` is a list of rows, of which each is asked"
    return None


def _of_subscript(failure: Failure, node: cst.Subscript, value: Any) -> Change | None:
    parts = [e.slice for e in node.slice]
    if not all(isinstance(p, cst.Index) and p.star is None for p in parts):
        return None
    inside = [p.value for p in parts if isinstance(p, cst.Index)]
    if callable(value) and isinstance(value, (*_METHODS, types.FunctionType)):
        args = [cst.Arg(v, comma=e.comma) for v, e in zip(inside, node.slice, strict=True)]
        name = last_name(failure, node.value) or "it"
        return cst.Call(node.value, args), f"`{name}` is a method and takes round brackets"
    key = inside[0] if len(inside) == 1 else None
    if not isinstance(key, cst.SimpleString):
        return None
    name = str(key.evaluated_value)
    if not name.isidentifier() or not _has(value, name):
        return None
    return cst.Attribute(node.value, cst.Name(name)), f"`{name}` is an attribute, not a key"


def _has(value: Any, name: str) -> bool:
    """Whether an object holds plain data under a name: its own, or a named tuple's field."""
    fields = getattr(type(value), "_fields", ())
    return name in fields or name in getattr(value, "__dict__", {})


def _needs_nothing(method: Any) -> bool:
    """Whether a method can be called without arguments, and only tells something."""
    needed = required(method)
    if needed is None:
        return isinstance(method, types.BuiltinMethodType) and not method.__name__.endswith("_")
    return not needed


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The same expression, in other brackets: what stood inside of them still does."""
    code = "".join(before.error.code.split()) if before.error is not None else ""
    if before.error is None or not is_a(before.error, "not_callable", "index_type"):
        return []
    if not code.endswith((")", "]")):
        return []
    opening = "(" if code.endswith(")") else "["
    owner, _, inner = code[:-1].partition(opening)
    if opening in owner or opening in inner or not owner:
        return []
    new = "".join(proposal.code.split())
    others: tuple[str, ...] = (
        (f"{owner}[{inner}]", f"{owner}({inner})", f"{owner}.") if inner else (owner,)
    )
    if inner.startswith(":,"):
        column = inner.removeprefix(":,")
        others = (f"{owner}[{column}]", f"[row[{column}]forrowin{owner}]")
    kept = any(o in new for o in others if o != code) and (bool(inner) or code not in new)
    kept = kept or code.replace("()", "") in new.replace("()", "")  # a pair is added inside
    return [Check.of("brackets", kept, "the same is asked for", "something else is asked for")]
