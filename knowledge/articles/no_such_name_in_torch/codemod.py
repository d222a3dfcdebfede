"""A function for a method or a method for a function, and what NumPy has in place of torch's own.

A name that is only spelled otherwise, or is somewhere else, is the operator other-name's.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import libcst as cst

from executor.errors import SeenError, read
from executor.protocol import Caught, ErrorSeen, JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrite, Rewrites
from knowledge.repair.toolkit.edits import call, operand
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.flow import free_name
from knowledge.repair.toolkit.lazily import torch
from knowledge.repair.toolkit.sites import argument, seen_error

_MODULE, _TENSOR = "module_attribute", "tensor_attribute"  # error families
ERRORS = ("object_attribute", _MODULE)
_ATTRIBUTES = {"shape", "dtype", "device", "ndim", "T", "grad", "requires_grad", "data"}


def applies(result: JobResult) -> bool:
    """A name was looked up in torch, or on a tensor, that is not there."""
    error = seen_error(result, *ERRORS)
    seen = read(error, _MODULE, _TENSOR) if error is not None else None
    return seen is not None and _is_of_torch(seen)


def _is_of_torch(seen: SeenError) -> bool:
    """Whether the name is asked of a tensor or of torch."""
    return seen.id == _TENSOR or seen["module"].startswith("torch")


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """The one name that can be meant."""
    node = program.node
    attribute = _attribute(node, program.error)
    if attribute is None:
        return
    yield from _here(program, result, attribute, program.error)
    text = program.text(attribute)
    others = [n for n in program.all(cst.Attribute) if program.text(n) == text]
    if len(others) > 1:
        yield from _everywhere(program, result, others)


def _here(
    program: Failed, result: JobResult, attribute: cst.Attribute, error: ErrorSeen | Caught
) -> Rewrites:
    parent = program.parent(attribute)
    called = parent if isinstance(parent, cst.Call) and parent.func is attribute else None
    if (m := read(error, _MODULE)) and _is_of_torch(m):
        where, name = m["module"], m["name"]
        yield from _of_module(program, attribute, called, where, name)
    elif m := read(error, _TENSOR):
        yield from _of_tensor(program, attribute, called, m["name"])


def _everywhere(program: Failed, result: JobResult, nodes: list[cst.Attribute]) -> Rewrites:
    """The same name used several times: all of them."""
    code = program.module.code
    lines = len(nodes)
    title = ""
    for _ in range(lines):
        current = Failed(code, result)
        text = program.text(nodes[0])
        left = [n for n in current.all(cst.Attribute) if current.text(n) == text]
        if not left:
            break
        rewrite = next(_here(current, result, min(left, key=current.line), program.error), None)
        if rewrite is None:
            return
        title = title or rewrite.title
        code = rewrite.module.code
    yield Rewrite(cst.parse_module(code), f"{title} (everywhere)")


def _attribute(node: cst.CSTNode | None, error: ErrorSeen | Caught) -> cst.Attribute | None:
    """The failing attribute, with the name that the message says."""
    if isinstance(node, cst.Call):
        node = node.func
    if isinstance(node, cst.Attribute) and f"'{node.attr.value}'" in error.message:
        return node
    return None


# -- a module of torch -----------------------------------------------------------------------


def _of_module(
    program: Failed, node: cst.Attribute, called: cst.Call | None, source: str, name: str
) -> Rewrites:
    at = f"line {program.line(node)}"
    if source == "torch" and name in {"rfft", "irfft"} and called is not None:
        yield from (_rfft if name == "rfft" else _irfft)(program, called)
        return
    if source == "torch" and called is not None:
        instead = list(_of_numpy(program, called, name))
        instead += _vectorized(program, called) if name == "vectorize" else ()
        yield from instead
        if instead:
            return
    if called is not None and source in {"torch", "torch.nn.functional"}:
        yield from _as_method(program, node, called, name, at)


def _as_method(
    program: Failed, node: cst.Attribute, called: cst.Call, name: str, at: str
) -> Rewrites:
    """`torch.scatter_(x, …)` as `x.scatter_(…)`, `torch.shape(x)` as `x.shape`."""
    if name.endswith("_") and argument(called, 99, "out") is not None and hasattr(torch, name[:-1]):
        yield Rewrite(
            program.replace({node: node.with_changes(attr=cst.Name(name[:-1]))}),
            f"{at}: with out=… it is `torch.{name[:-1]}`",
        )
        return
    if not hasattr(torch.Tensor, name) or hasattr(torch.nn.functional, name) or not called.args:
        return
    first = called.args[0]
    if first.keyword is not None or first.star:
        return
    own = cst.Attribute(operand(first.value), cst.Name(name))
    if name in _ATTRIBUTES:
        if len(called.args) == 1:
            yield Rewrite(
                program.replace({called: own}), f"{at}: `{name}` belongs to the tensor itself"
            )
        return
    rest = called.args[1:]
    yield Rewrite(
        program.replace({called: called.with_changes(func=own, args=rest)}),
        f"{at}: `{name}` is a method of the tensor",
    )


def _vectorized(program: Failed, called: cst.Call) -> Rewrites:
    """NumPy's vectorize of a function that is then applied to vectors only."""
    assign = program.up(called, cst.Assign)
    if assign is None or assign.value is not called or len(called.args) != 1:
        return
    name = program.text(assign.targets[0].target)
    uses = [c for c in program.all(cst.Call) if program.text(c.func) == name]
    shapes = [
        f.shape for c in uses for a in c.args if (f := program.seen.get(program.text(a.value)))
    ]
    if not uses or len(shapes) != len(uses) or any(s is None or len(s) != 1 for s in shapes):
        return
    new = called.with_changes(func=cst.parse_expression(f"{_torch(program)}.vmap"))
    yield program.edit({called: new}, "`vmap` makes a function of vectors from one of numbers")


@dataclass(frozen=True)
class _Instead:
    """What torch has in place of a function of NumPy's; `{0}` is its first argument."""

    code: str
    told: str
    given: int  # plain arguments
    dims: Mapping[int, int] = field(default_factory=dict)  # of which arguments, how many
    worth: Mapping[int, tuple[str, ...]] = field(default_factory=dict)


_ROWS: Mapping[str, Any] = {"given": 3, "dims": {2: 2}, "worth": {1: ("1", "-1")}}
_COLUMNS: Mapping[str, Any] = {"given": 3, "dims": {2: 2}, "worth": {1: ("0",)}}
_OUTERMOST = "the quantile {} that leaves NaN out is the {} number"
_OF_NUMPY = {
    "apply_along_axis": (
        _Instead("{torch}.vmap({0})({2})", "`vmap` applies `{0}` to every row", **_ROWS),
        _Instead(
            "{torch}.stack([{0}({row}) for {row} in {2}])",
            "`{0}` of every row, one after another",
            **_ROWS,
        ),
        _Instead(
            "{torch}.vmap({0}, in_dims=1, out_dims=-1)({2})",
            "`vmap` applies `{0}` to every column",
            **_COLUMNS,
        ),
        _Instead(
            "{torch}.stack([{0}({column}) for {column} in {2}.unbind(1)], dim=-1)",
            "`{0}` of every column, one after another",
            **_COLUMNS,
        ),
    ),
    "nanmax": (
        _Instead("{torch}.nanquantile({0}, 1.0{rest})", _OUTERMOST.format("1.0", "largest"), 1),
    ),
    "nanmin": (
        _Instead("{torch}.nanquantile({0}, 0.0{rest})", _OUTERMOST.format("0.0", "smallest"), 1),
    ),
    "intersect1d": (
        _Instead(
            "{0}[{torch}.isin({0}, {1})].unique()",
            "the elements of `{0}` that `{1}` has too, each once",
            2,
        ),
    ),
    "fill_diagonal_": (
        _Instead(
            "{0}.diagonal().copy_({1})",
            "fill_diagonal_ writes one number; `copy_` into the diagonal writes them all",
            2,
            {1: 1},
        ),
    ),
}


def _of_numpy(program: Failed, called: cst.Call, name: str) -> Rewrites:
    """What torch has in place of a function of NumPy's, where its arguments are as told."""
    plain = [a.value for a in called.args if a.keyword is None]
    facts = [program.seen.get(program.text(value)) for value in plain]
    texts = [program.module.code_for_node(operand(value)) for value in plain]
    names = {n: free_name(program, n) for n in ("row", "column")} | {"torch": _torch(program)}
    for way in _OF_NUMPY.get(name, ()):
        rest = "".join(f", {program.text(a)}" for a in called.args[way.given :])
        if len(plain) < way.given or ("{rest}" not in way.code and rest):
            continue
        shapes = (
            (f.shape if (f := facts[i]) is not None else None, n) for i, n in way.dims.items()
        )
        values = (
            (f.repr if (f := facts[i]) is not None else program.text(plain[i]), w)
            for i, w in way.worth.items()
        )
        if all(s is not None and len(s) == n for s, n in shapes) and all(v in w for v, w in values):
            names["rest"] = re.sub(r"\baxis\b(?=\s*=)", "dim", rest)
            new = cst.parse_expression(way.code.format(*texts, **names))
            told = f"line {program.line(called)}: {way.told.format(*texts)}"
            yield Rewrite(program.replace({called: new}), told)


def _torch(program: Failed) -> str:
    return program.name_of("torch", "x").rpartition(".")[0] or "torch"


def _rfft(program: Failed, called: cst.Call) -> Rewrites:
    """The old real FFT, whose result ended in a dimension of two."""
    dims = argument(called, 1, "signal_ndim")
    x = argument(called, 0, "input")
    normalized = argument(called, 2, "normalized")
    one_sided = argument(called, 3, "onesided")
    if x is None or dims is None or program.text(dims.value) not in {"1", "2"}:
        return
    if normalized is not None and program.text(normalized.value) != "False":
        return
    whole = one_sided is not None and program.text(one_sided.value) == "False"
    new = ("fft" if whole else "rfft") + ("2" if program.text(dims.value) == "2" else "")
    inner = call(f"torch.fft.{new}", cst.Arg(x.value))
    yield Rewrite(
        program.replace({called: call("torch.view_as_real", cst.Arg(inner))}),
        f"line {program.line(called)}: `torch.fft.{new}` gives complex numbers; view_as_real makes "
        "the pairs that the old function gave",
    )


def _irfft(program: Failed, called: cst.Call) -> Rewrites:
    """Its inverse, which took the pairs and was told the sizes that went in."""
    x, dims = argument(called, 0, "input"), argument(called, 1, "signal_ndim")
    sizes, other = argument(called, 4, "signal_sizes"), argument(called, 2, "normalized")
    if x is None or dims is None or sizes is None or other is not None or len(called.args) != 3:
        return
    size = sizes.value
    one = size.elements[0].value if isinstance(size, (cst.Tuple, cst.List)) else None
    if program.text(dims.value) == "1" and one is not None:
        told = f"torch.fft.irfft({{}}, n={program.text(one)})"
    elif program.text(dims.value) == "2":
        told = f"torch.fft.irfft2({{}}, s={program.text(size)})"
    else:
        return
    pairs = f"torch.view_as_complex({program.text(x.value)})"
    yield Rewrite(
        program.replace({called: cst.parse_expression(told.format(pairs))}),
        f"line {program.line(called)}: `{told.partition('(')[0]}` takes complex numbers, and "
        "view_as_complex makes them of the pairs",
    )


# -- a tensor --------------------------------------------------------------------------------


def _of_tensor(
    program: Failed, node: cst.Attribute, called: cst.Call | None, name: str
) -> Rewrites:
    if name == "astype" and called is not None and len(called.args) == 1:
        if (dtype := _dtype(program, called.args[0].value)) is not None:
            new = node.with_changes(attr=cst.Name("to"))
            args = [cst.Arg(cst.parse_expression(f"torch.{dtype}"))]
            yield Rewrite(
                program.replace({called: called.with_changes(func=new, args=args)}),
                f"line {program.line(node)}: a tensor's `astype` is called `to`",
            )
        return
    if name in {"tobytes", "tostring"} and called is not None:
        numpy = cst.Call(node.with_changes(attr=cst.Name("numpy")))
        new = cst.Attribute(numpy, cst.Name("tobytes"))
        told = "NumPy has `tobytes`"
        yield program.edit({called: called.with_changes(func=new)}, told, at=node)
        return
    if name == "mask_fill_" and called is not None and len(called.args) == 2:
        values = program.seen.get(program.text(called.args[1].value))
        if values is not None and values.shape is not None and len(values.shape) > 0:
            new = node.with_changes(attr=cst.Name("masked_scatter_"))
            what = "`masked_fill_` writes one number, `masked_scatter_` one after another"
            yield program.edit({node: new}, what)
            return
    if called is None:
        return
    if name.endswith("_") and hasattr(torch.Tensor, name[:-1]):
        new_call = called.with_changes(func=node.with_changes(attr=cst.Name(name[:-1])))
        small = program.small_statement(called)
        if isinstance(small, cst.Expr) and small.value is called:
            if not isinstance(node.value, (cst.Name, cst.Attribute)):
                return
            assign = cst.Assign([cst.AssignTarget(node.value)], new_call)
            told = f"`{name[:-1]}` gives a new tensor; there is no in-place form of it"
            yield program.edit({small: assign}, told, at=node)
        else:
            yield program.edit({called: new_call}, f"there is only `{name[:-1]}`", at=node)
        return
    homes = [
        m
        for m, has in (("torch", torch), ("torch.nn.functional", torch.nn.functional))
        if callable(getattr(has, name, None))
    ]
    if homes:
        function = program.name_of(homes[0], name)
        args = [cst.Arg(node.value), *called.args]
        new_call = called.with_changes(func=cst.parse_expression(function), args=args)
        yield program.edit({called: new_call}, f"`{function}` is a function, not a method", at=node)


def _dtype(program: Failed, value: cst.BaseExpression) -> str | None:
    """`np.float32`, `"float32"`, `float` as torch's dtype of the same name."""
    names = {"float": "float64", "int": "int64", "bool": "bool"}
    text = program.text(value).strip("'\"").rpartition(".")[2]
    text = names.get(text, text)
    known = {"float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool"}
    return text if text in known else None


# -- checks ----------------------------------------------------------------------------------


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The name is no longer looked up in vain; whether its line still does its work is `called`."""
    error = seen_error(before, *ERRORS)
    found = [Check(name="name", passed=True, detail="every name is found")]
    if error is not None and error.line is not None:
        line = proposal.code.splitlines()[error.line - 1 : error.line + 2]
        asked = any(re.search(r"\b(hasattr|getattr)\(", text) for text in line)
        if asked and "attr(" not in error.code:
            found.append(Check(name="called", passed=False, detail="it only asks for the name"))
    return found
