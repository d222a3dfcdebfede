"""A function for a method or a method for a function, and what NumPy has in place of torch's own.

A name that is only spelled otherwise, or is somewhere else, is the operator other-name's.
"""

import re
from collections.abc import Iterator

import libcst as cst

from executor.errors import read
from executor.protocol import JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrites
from knowledge.repair.toolkit.edits import Edits, method, operand
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.lazily import torch
from knowledge.repair.toolkit.of_numpy import of_numpy
from knowledge.repair.toolkit.old_fft import of_old_fft
from knowledge.repair.toolkit.sites import argument, seen_as, seen_error

_MODULE, _TENSOR = "module_attribute", "tensor_attribute"  # error families
ERRORS = ("object_attribute", _MODULE)
_ATTRIBUTES = {"shape", "dtype", "device", "ndim", "T", "grad", "requires_grad", "data"}
Way = tuple[Edits, str]  # what to do, and that in words


def applies(result: JobResult) -> bool:
    """A name was looked up in torch, or on a tensor, that is not there."""
    seen = seen_as(result, _MODULE, _TENSOR)
    return seen is not None and (seen.id == _TENSOR or seen["module"].startswith("torch"))


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """The one name that can be meant, where it failed; then wherever it stands."""
    node = program.node.func if isinstance(program.node, cst.Call) else program.node
    if not isinstance(node, cst.Attribute) or f"'{node.attr.value}'" not in program.error.message:
        return
    for edits, told in _ways(program, node):
        yield program.edit(edits, told, at=node)
    text = program.text(node)
    places = sorted((n for n in program.all(cst.Attribute) if program.text(n) == text),
                    key=program.line)  # fmt: skip
    ways = [way for n in places if (way := next(_ways(program, n), None)) is not None]
    if len(places) == len(ways) > 1:
        every = {old: new for edits, _ in ways for old, new in edits.items()}
        yield program.edit(every, f"{ways[0][1]} (everywhere)", at=places[0])


def _ways(program: Failed, node: cst.Attribute) -> Iterator[Way]:
    """What the failing name may mean at one of its places."""
    parent, said = program.parent(node), read(program.error, _MODULE, _TENSOR)
    called = parent if isinstance(parent, cst.Call) and parent.func is node else None
    if called is None or said is None:
        return
    name = node.attr.value
    if said.id == _TENSOR:
        yield from _of_tensor(program, node, called, name)
    elif said["module"] in {"torch", "torch.nn.functional"}:
        instead = [*of_numpy(program, called, name), *of_old_fft(program, called, name)]
        yield from (instead if said["module"] == "torch" else ()) or _as_method(node, called, name)


# -- a module of torch -----------------------------------------------------------------------


def _as_method(node: cst.Attribute, called: cst.Call, name: str) -> Iterator[Way]:
    """`torch.scatter_(x, …)` as `x.scatter_(…)`, `torch.shape(x)` as `x.shape`."""
    if name.endswith("_") and argument(called, 99, "out") is not None and hasattr(torch, name[:-1]):
        yield {node: _named(node, name[:-1])}, f"with out=… it is `torch.{name[:-1]}`"
        return
    if not hasattr(torch.Tensor, name) or hasattr(torch.nn.functional, name) or not called.args:
        return
    first, *rest = called.args
    own = cst.Attribute(operand(first.value), cst.Name(name))
    if first.keyword is not None or first.star:
        return
    if name not in _ATTRIBUTES:
        new = called.with_changes(func=own, args=rest)
        yield {called: new}, f"`{name}` is a method of the tensor"
    elif not rest:
        yield {called: own}, f"`{name}` belongs to the tensor itself"


# -- a tensor --------------------------------------------------------------------------------


def _of_tensor(program: Failed, node: cst.Attribute, called: cst.Call, name: str) -> Iterator[Way]:
    last = called.args[-1].value if called.args else None
    if name == "astype" and last is not None and len(called.args) == 1:
        if (dtype := _dtype(program, last)) is not None:
            args = [cst.Arg(cst.parse_expression(f"torch.{dtype}"))]
            new = called.with_changes(func=_named(node, "to"), args=args)
            yield {called: new}, "a tensor's `astype` is called `to`"
    elif name in {"tobytes", "tostring"}:
        new_func = cst.Attribute(method(node.value, "numpy"), cst.Name("tobytes"))
        yield {called: called.with_changes(func=new_func)}, "NumPy has `tobytes`"
    elif name == "mask_fill_" and last is not None and len(called.args) == 2:
        values = program.seen.get(program.text(last))
        if values is not None and values.shape:
            told = "`masked_fill_` writes one number, `masked_scatter_` one after another"
            yield {node: _named(node, "masked_scatter_")}, told
    elif name.endswith("_") and hasattr(torch.Tensor, name[:-1]):
        yield from _out_of_place(program, node, called, name[:-1])
    else:
        for home, has in (("torch", torch), ("torch.nn.functional", torch.nn.functional)):
            if callable(getattr(has, name, None)):
                function = program.name_of(home, name)
                args = [cst.Arg(node.value), *called.args]
                new = called.with_changes(func=cst.parse_expression(function), args=args)
                yield {called: new}, f"`{function}` is a function, not a method"
                return


def _out_of_place(
    program: Failed, node: cst.Attribute, called: cst.Call, name: str
) -> Iterator[Way]:
    """`x = x.reshape(2, 3)` for `x.reshape_(2, 3)`."""
    new, small = called.with_changes(func=_named(node, name)), program.parent(called)
    if not isinstance(small, cst.Expr):
        yield {called: new}, f"there is only `{name}`"
    elif isinstance(node.value, (cst.Name, cst.Attribute)):
        assign = cst.Assign([cst.AssignTarget(node.value)], new)
        yield {small: assign}, f"`{name}` gives a new tensor; there is no in-place form of it"


def _named(node: cst.Attribute, name: str) -> cst.Attribute:
    return node.with_changes(attr=cst.Name(name))


def _dtype(program: Failed, value: cst.BaseExpression) -> str | None:
    """`np.float32`, `"float32"`, `float` as torch's dtype of the same name."""
    names = {"float": "float64", "int": "int64", "bool": "bool"}
    text = program.text(value).strip("'\"").rpartition(".")[2]
    text = names.get(text, text)
    known = {"float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool"}
    return text if text in known else None


# -- checks ----------------------------------------------------------------------------------


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The name is no longer looked up in vain; what its line does is for the other checks."""
    error = seen_error(before, *ERRORS)
    at = error.line if error is not None and error.line is not None else 1
    here = "\n".join(proposal.code.splitlines()[at - 1 : at + 2])
    only = re.search(r"\b(hasattr|getattr)\(", here) and error and "attr(" not in error.code
    return [Check.of("called", not only, "every name is found", "it only asks for the name")]
