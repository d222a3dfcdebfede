"""A function for a method or a method for a function, and what NumPy has in place of torch's own.

A name that is only spelled otherwise, or is somewhere else, is the operator other-name's.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Iterable, Iterator

import libcst as cst

from executor.errors import SeenError, read
from executor.protocol import Caught, ErrorSeen, JobResult, Variable
from knowledge.repair.codemod import Check, Proposal, Rewrite
from knowledge.repair.toolkit.edits import Program, call, method, operand
from knowledge.repair.toolkit.flow import free_name
from knowledge.repair.toolkit.sites import argument, failing, seen_error, variables

_MODULE, _TENSOR = "module_attribute", "tensor_attribute"  # error families

_ATTRIBUTES = {"shape", "dtype", "device", "ndim", "T", "grad", "requires_grad", "data"}


def applies(result: JobResult) -> bool:
    """A name was looked up in torch, or on a tensor, that is not there."""
    error = seen_error(result, "object_attribute", _MODULE)
    seen = read(error, _MODULE, _TENSOR) if error is not None else None
    return seen is not None and _is_of_torch(seen)


def _is_of_torch(seen: SeenError) -> bool:
    """Whether the name is asked of a tensor or of torch."""
    return seen.id == _TENSOR or seen["module"].startswith("torch")


def rewrite(program: Program, result: JobResult) -> Iterable[Rewrite]:
    """The one name that can be meant."""
    error = seen_error(result, "object_attribute", _MODULE)
    assert error is not None
    node = failing(program, error)
    attribute = _attribute(node, error)
    if attribute is None:
        return
    yield from _here(program, result, attribute, error)
    text = program.text(attribute)
    others = [n for n in program.all(cst.Attribute) if program.text(n) == text]
    if len(others) > 1:
        yield from _everywhere(program, result, others, error)


def _here(
    program: Program, result: JobResult, attribute: cst.Attribute, error: ErrorSeen | Caught
) -> Iterator[Rewrite]:
    parent = program.parent(attribute)
    called = parent if isinstance(parent, cst.Call) and parent.func is attribute else None
    if (m := read(error, _MODULE)) and _is_of_torch(m):
        where, name = m["module"], m["name"]
        yield from _of_module(program, attribute, called, where, name, variables(result))
    elif m := read(error, _TENSOR):
        yield from _of_tensor(program, attribute, called, m["name"], variables(result))


def _everywhere(
    program: Program, result: JobResult, nodes: list[cst.Attribute], error: ErrorSeen | Caught
) -> Iterator[Rewrite]:
    """The same name used several times: all of them."""
    code = program.module.code
    lines = len(nodes)
    title = ""
    for _ in range(lines):
        current = Program(code)
        text = program.text(nodes[0])
        left = [n for n in current.all(cst.Attribute) if current.text(n) == text]
        if not left:
            break
        rewrite = next(_here(current, result, min(left, key=current.line), error), None)
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
    program: Program,
    node: cst.Attribute,
    called: cst.Call | None,
    source: str,
    name: str,
    seen: dict[str, Variable],
) -> Iterator[Rewrite]:
    at = f"line {program.line(node)}"
    if source == "torch" and name in {"rfft", "irfft"} and called is not None:
        yield from (_rfft if name == "rfft" else _irfft)(program, called)
        return
    if source == "torch" and called is not None and name in _FROM_NUMPY:
        yield from _FROM_NUMPY[name](program, called, seen)
        return
    if called is not None and source in {"torch", "torch.nn.functional"}:
        yield from _as_method(program, node, called, name, at)


def _as_method(
    program: Program, node: cst.Attribute, called: cst.Call, name: str, at: str
) -> Iterator[Rewrite]:
    """`torch.scatter_(x, …)` as `x.scatter_(…)`, `torch.shape(x)` as `x.shape`."""
    torch = importlib.import_module("torch")
    functional = importlib.import_module("torch.nn.functional")
    if name.endswith("_") and argument(called, 99, "out") is not None and hasattr(torch, name[:-1]):
        yield Rewrite(
            program.replace({node: node.with_changes(attr=cst.Name(name[:-1]))}),
            f"{at}: with out=… it is `torch.{name[:-1]}`",
        )
        return
    if not hasattr(torch.Tensor, name) or hasattr(functional, name) or not called.args:
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


def _along_axis(program: Program, called: cst.Call, seen: dict[str, Variable]) -> Iterator[Rewrite]:
    """NumPy's apply_along_axis, of a matrix: vmap over its rows or columns, else one by one."""
    if len(called.args) != 3 or any(a.keyword or a.star for a in called.args):
        return
    function, axis, x = (a.value for a in called.args)
    facts = seen.get(program.text(x))
    if facts is None or facts.shape is None or len(facts.shape) != 2:
        return
    side = {"0": 0, "1": 1, "-1": 1}.get(program.text(axis))
    if side is None:
        number = seen.get(program.text(axis))
        side = int(number.repr) if number is not None and number.repr in ("0", "1") else None
    if side is None:
        return
    at = f"line {program.line(called)}"
    f, matrix, torch = program.text(function), program.text(x), _torch(program)
    what = "row" if side == 1 else "column"
    mapped = f"{torch}.vmap({f})({matrix})"
    if side == 0:
        mapped = f"{torch}.vmap({f}, in_dims=1, out_dims=-1)({matrix})"
    yield Rewrite(
        program.replace({called: cst.parse_expression(mapped)}),
        f"{at}: `vmap` applies `{f}` to every {what}",
    )
    one = free_name(program, what)
    items, end = (matrix, "") if side == 1 else (f"{matrix}.unbind(1)", ", dim=-1")
    applied = program.module.code_for_node(operand(function))
    listed = f"{torch}.stack([{applied}({one}) for {one} in {items}]{end})"
    yield Rewrite(
        program.replace({called: cst.parse_expression(listed)}),
        f"{at}: `{f}` of every {what}, one after another",
    )


def _vectorized(program: Program, called: cst.Call, seen: dict[str, Variable]) -> Iterator[Rewrite]:
    """NumPy's vectorize of a function that is then applied to vectors only."""
    assign = program.up(called, cst.Assign)
    if assign is None or assign.value is not called or len(called.args) != 1:
        return
    name = program.text(assign.targets[0].target)
    uses = [c for c in program.all(cst.Call) if program.text(c.func) == name]
    shapes = [f.shape for c in uses for a in c.args if (f := seen.get(program.text(a.value)))]
    if not uses or len(shapes) != len(uses) or any(s is None or len(s) != 1 for s in shapes):
        return
    new = called.with_changes(func=cst.parse_expression(f"{_torch(program)}.vmap"))
    yield Rewrite(
        program.replace({called: new}),
        f"line {program.line(called)}: `vmap` makes a function of vectors from one of numbers",
    )


def _without_nan(
    program: Program, called: cst.Call, seen: dict[str, Variable]
) -> Iterator[Rewrite]:
    """NumPy's nanmax and nanmin are the outermost quantiles that leave NaN out."""
    x = argument(called, 0, "input")
    name = program.text(called.func).rpartition(".")[2]
    facts = seen.get(program.text(x.value)) if x is not None else None
    if facts is None or facts.dtype not in {"float32", "float64"} or x is None:
        return
    if any(
        a.keyword is not None and a.keyword.value not in {"dim", "keepdim", "axis", "input"}
        for a in called.args
    ):
        return
    q = "1.0" if name == "nanmax" else "0.0"
    first, *rest = called.args
    rest = [
        a.with_changes(keyword=cst.Name("dim"))
        if a.keyword is not None and a.keyword.value == "axis"
        else a
        for a in rest
    ]
    comma = cst.Comma(whitespace_after=cst.SimpleWhitespace(" "))
    new = called.with_changes(
        func=cst.parse_expression(f"{_torch(program)}.nanquantile"),
        args=[first.with_changes(comma=comma), cst.Arg(cst.Float(q)), *rest],
    )
    what = "largest" if name == "nanmax" else "smallest"
    yield Rewrite(
        program.replace({called: new}),
        f"line {program.line(called)}: the quantile {q} that leaves NaN out is the {what} number",
    )


def _in_both(program: Program, called: cst.Call, seen: dict[str, Variable]) -> Iterator[Rewrite]:
    """NumPy's intersect1d: what is in both, sorted, each once."""
    if len(called.args) != 2 or any(a.keyword or a.star for a in called.args):
        return
    a, b = (program.text(operand(g.value)) for g in called.args)
    new = cst.parse_expression(f"{a}[{_torch(program)}.isin({a}, {b})].unique()")
    yield Rewrite(
        program.replace({called: new}),
        f"line {program.line(called)}: the elements of `{a}` that `{b}` has too, each once",
    )


def _diagonal(program: Program, called: cst.Call, seen: dict[str, Variable]) -> Iterator[Rewrite]:
    """`fill_diagonal_` writes one number; several go into the diagonal, a view, with copy_."""
    if len(called.args) != 2 or any(a.keyword or a.star for a in called.args):
        return
    matrix, values = (a.value for a in called.args)
    facts = seen.get(program.text(values))
    at = f"line {program.line(called)}"
    if facts is not None and facts.shape:
        new = method(method(matrix, "diagonal"), "copy_", cst.Arg(values))
        told = f"{at}: fill_diagonal_ writes one number; `copy_` into the diagonal writes them all"
    else:
        new = method(matrix, "fill_diagonal_", cst.Arg(values))
        told = f"{at}: `fill_diagonal_` is a method of the tensor"
    yield Rewrite(program.replace({called: new}), told)


_FROM_NUMPY = {
    "apply_along_axis": _along_axis,
    "vectorize": _vectorized,
    "nanmax": _without_nan,
    "nanmin": _without_nan,
    "intersect1d": _in_both,
    "fill_diagonal_": _diagonal,
}


def _torch(program: Program) -> str:
    return program.name_of("torch", "x").rpartition(".")[0] or "torch"


def _rfft(program: Program, called: cst.Call) -> Iterator[Rewrite]:
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


def _irfft(program: Program, called: cst.Call) -> Iterator[Rewrite]:
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
    program: Program,
    node: cst.Attribute,
    called: cst.Call | None,
    name: str,
    seen: dict[str, Variable],
) -> Iterator[Rewrite]:
    torch = importlib.import_module("torch")
    functional = importlib.import_module("torch.nn.functional")
    at = f"line {program.line(node)}"
    if name == "astype" and called is not None and len(called.args) == 1:
        if (dtype := _dtype(program, called.args[0].value)) is not None:
            new = node.with_changes(attr=cst.Name("to"))
            args = [cst.Arg(cst.parse_expression(f"torch.{dtype}"))]
            yield Rewrite(
                program.replace({called: called.with_changes(func=new, args=args)}),
                f"{at}: a tensor's `astype` is called `to`",
            )
        return
    if name in {"tobytes", "tostring"} and called is not None:
        numpy = cst.Call(node.with_changes(attr=cst.Name("numpy")))
        new = cst.Attribute(numpy, cst.Name("tobytes"))
        yield Rewrite(
            program.replace({called: called.with_changes(func=new)}), f"{at}: NumPy has `tobytes`"
        )
        return
    if name == "parameters" and called is not None and not called.args:
        facts = seen.get(program.text(node.value))
        if facts is None or not facts.requires_grad:
            return  # a model's output, say: what is to be trained is something else
        alone = cst.List([cst.Element(node.value)])
        yield Rewrite(
            program.replace({called: alone}),
            f"{at}: `{program.text(node.value)}` is a tensor, so it is itself what is optimized",
        )
        return
    if name == "mask_fill_" and called is not None and len(called.args) == 2:
        values = seen.get(program.text(called.args[1].value))
        if values is not None and values.shape is not None and len(values.shape) > 0:
            new = node.with_changes(attr=cst.Name("masked_scatter_"))
            yield Rewrite(
                program.replace({node: new}),
                f"{at}: `masked_fill_` writes one number, `masked_scatter_` one after another",
            )
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
            yield Rewrite(
                program.replace({small: assign}),
                f"{at}: `{name[:-1]}` gives a new tensor; there is no in-place form of it",
            )
        else:
            yield Rewrite(program.replace({called: new_call}), f"{at}: there is only `{name[:-1]}`")
        return
    homes = [
        m
        for m, has in (("torch", torch), ("torch.nn.functional", functional))
        if callable(getattr(has, name, None))
    ]
    if homes:
        function = program.name_of(homes[0], name)
        args = [cst.Arg(node.value), *called.args]
        new_call = called.with_changes(func=cst.parse_expression(function), args=args)
        yield Rewrite(
            program.replace({called: new_call}), f"{at}: `{function}` is a function, not a method"
        )


def _dtype(program: Program, value: cst.BaseExpression) -> str | None:
    """`np.float32`, `"float32"`, `float` as torch's dtype of the same name."""
    names = {"float": "float64", "int": "int64", "bool": "bool"}
    text = program.text(value).strip("'\"").rpartition(".")[2]
    text = names.get(text, text)
    known = {"float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "bool"}
    return text if text in known else None


# -- checks ----------------------------------------------------------------------------------


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The name is no longer looked up in vain; whether its line still does its work is `called`."""
    error = seen_error(before, "object_attribute", _MODULE)
    found = [Check(name="name", passed=True, detail="every name is found")]
    if error is not None and error.line is not None:
        line = proposal.code.splitlines()[error.line - 1 : error.line + 2]
        asked = any(re.search(r"\b(hasattr|getattr)\(", text) for text in line)
        if asked and "attr(" not in error.code:
            found.append(Check(name="called", passed=False, detail="it only asks for the name"))
    return found
