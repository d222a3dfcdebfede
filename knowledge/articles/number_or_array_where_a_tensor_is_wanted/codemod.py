"""A tensor of the array or the number, at the place where torch is given it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import libcst as cst

from executor.errors import SeenError, read
from executor.protocol import Caught, ErrorSeen, JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrite
from knowledge.repair.computed import reaches_leaves, same_tensors
from knowledge.repair.toolkit.dataflow import passed
from knowledge.repair.toolkit.edits import call, keyword, method
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.flow import in_loop, reads
from knowledge.repair.toolkit.shapes import still_computed
from knowledge.repair.toolkit.sites import argument, assignment, failing, scope_of, seen_error

_ARGUMENT, _OVERLOAD = "argument_type", "overload"  # error families
ERRORS = (_ARGUMENT, _OVERLOAD)


def applies(result: JobResult) -> bool:
    """A function of torch was given an array or a number."""
    return _error(result) is not None


def _error(result: JobResult) -> ErrorSeen | Caught | None:
    error = seen_error(result, _ARGUMENT, _OVERLOAD)
    if error is None:
        return None
    known = _no_tensor(error) is not None or _is_where(error) or _is_convolution(error)
    return error if known else None


def _no_tensor(error: ErrorSeen | Caught) -> SeenError | None:
    """The argument that is an array or a number where a tensor is wanted."""
    seen = read(error, _ARGUMENT)
    if seen is None or seen["expected"] != "Tensor" or not seen["position"]:
        return None
    return seen if seen["given"] in ("numpy.ndarray", "int", "float") else None


def _is_where(error: ErrorSeen | Caught) -> bool:
    """Whether `where` got a truth value of Python's as its condition."""
    seen = read(error, _OVERLOAD)
    given = seen["given"] if seen is not None and seen["function"] == "where" else ""
    return given.startswith("bool, Tensor")


def _is_convolution(error: ErrorSeen | Caught) -> bool:
    """Whether a convolution got an array as its input."""
    seen = read(error, _OVERLOAD)
    if seen is None or not seen["function"].startswith("conv"):
        return False
    return seen["given"].startswith("numpy.ndarray, Parameter")


def rewrite(program: Failed, result: JobResult) -> Iterable[Rewrite]:
    """from_numpy, a tensor of the number, or the function that takes a number."""
    error = _error(result)
    if error is None:
        return
    node = failing(program, error)
    if _is_where(error):
        given = argument(node, 0, "condition") if isinstance(node, cst.Call) else None
        if given is not None and isinstance(given.value, cst.Name):
            told = "the condition as a tensor"
            yield program.edit({given.value: _tensor(program, given.value)}, told)
        return
    m = _no_tensor(error)
    if m is None or m["given"] == "numpy.ndarray":
        yield from _array(program, node, m["name"] if m is not None else "input")
    elif isinstance(node, cst.Call):
        yield from _number(program, node, m["name"], m.number("position"))


# -- an array --------------------------------------------------------------------------------


def _array(program: Failed, node: cst.BaseExpression | None, name: str) -> Iterator[Rewrite]:
    """Into a layer with the layer's dtype, into a function as it is."""
    if program.result.layer is not None:
        given = passed(program, program.result, lambda facts: facts.type == "ndarray")
        if given is None:
            return
        value = call(program.name_of("torch", "from_numpy"), cst.Arg(given.name))
        new = value if name == "indices" else method(value, "float")
        yield program.edit({given.name: new}, f"`{given.name.value}` goes in as a tensor")
        return
    if not isinstance(node, cst.Call):
        return
    arrays = {
        a.value.value
        for a in node.args
        if isinstance(a.value, cst.Name)
        and (facts := program.seen.get(a.value.value)) is not None
        and facts.type == "ndarray"
    }
    if len(arrays) != 1:
        return
    own = arrays.pop()
    places = [
        a.value
        for c in program.inside(scope_of(program, node), cst.Call)
        if program.text(c.func).startswith("torch.")
        and program.line(c) == program.line(node)
        and program.text(c.func) not in ("torch.from_numpy", "torch.tensor", "torch.as_tensor")
        for a in c.args
        if isinstance(a.value, cst.Name) and a.value.value == own
    ]
    from_numpy = program.name_of("torch", "from_numpy")
    told = f"`{own}` goes in as a tensor"
    yield program.edit({p: call(from_numpy, cst.Arg(p)) for p in places}, told, at=node)


# -- a number --------------------------------------------------------------------------------


def _number(program: Failed, node: cst.Call, name: str, position: int) -> Iterator[Rewrite]:
    function = program.text(node.func)
    given = argument(node, position - 1, name)
    if not function.startswith("torch.") or given is None:
        return
    bound = {"maximum": "min", "minimum": "max"}.get(function.rpartition(".")[2])
    if bound is not None:
        first = argument(node, 0, "input")
        if position == 2 and first is not None:
            limit = keyword(bound, given.value)
            what = "`clamp` takes a number for its bound"
            yield program.edit({node: method(first.value, "clamp", limit)}, what)
        return
    value = given.value
    facts = program.seen.get(program.text(value))
    if isinstance(value, cst.Name) and facts is not None and facts.type == "float":
        made = assignment(program, value.value, node)
        if made is not None and not in_loop(program, made) and _only_computes(program, value, made):
            told = f"`{value.value}` as a tensor, for the functions of torch below"
            yield program.edit({made.value: _tensor(program, made.value)}, told, at=made)
            return
    as_tensor = call(program.name_of("torch", "as_tensor"), cst.Arg(value))
    told = f"`{program.text(value)}` as a tensor; as_tensor takes numbers and tensors alike"
    yield program.edit({value: as_tensor}, told, at=node)


def _only_computes(program: Failed, name: cst.Name, made: cst.Assign) -> bool:
    """Whether a variable only goes into functions of torch: a tensor does as well as a number."""
    for node in reads(program, name.value, scope_of(program, name)):
        given = program.parent(node)
        around = program.parent(given) if isinstance(given, cst.Arg) else None
        if not isinstance(around, cst.Call) or not program.text(around.func).startswith("torch."):
            return False
    return True


def _tensor(program: Failed, value: cst.BaseExpression) -> cst.Call:
    return call(program.name_of("torch", "tensor"), cst.Arg(value))


def _whole_array(before: JobResult, proposal: Proposal) -> Check:
    """What goes into a model is the array that went in, all of it."""
    name, frame = "array", before.frames[0] if before.frames else None
    lines = proposal.code.splitlines()
    arrays = [n for n, v in frame.locals.items() if v.type == "ndarray"] if frame else []
    if before.layer is None or frame is None or not arrays or frame.line > len(lines):
        return Check(name=name, passed=True, detail="no array goes into a layer")
    line = "".join(lines[frame.line - 1 : frame.line + 3])
    whole = any(re.search(rf"(from_numpy|tensor)\({n}[,)]", line) for n in arrays)
    return Check.of(name, whole, "the array goes in as it is", "something else goes in")


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The same is computed from the same values."""
    error = _error(before)
    wanted = still_computed(error, proposal.code)
    refused = _no_tensor(error) if error is not None else None
    if refused is not None and refused["function"] in ("maximum", "minimum"):
        wanted = still_computed(error, proposal.code, may_go=("torch", "maximum", "minimum"))
    return [
        wanted,
        _whole_array(before, proposal),
        same_tensors(before, after, proposal.code),
        reaches_leaves(after, wanted=False),
    ]
