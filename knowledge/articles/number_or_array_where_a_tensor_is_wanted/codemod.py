"""A tensor of the array or the number, at the place where torch is given it."""

import re

import libcst as cst

from executor.errors import SeenError
from executor.protocol import JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrites
from knowledge.repair.toolkit.dataflow import passed
from knowledge.repair.toolkit.edits import call, keyword, method
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.flow import in_loop, reads
from knowledge.repair.toolkit.keeps import leaves, tensors
from knowledge.repair.toolkit.shapes import still_computed
from knowledge.repair.toolkit.sites import argument, assignment, scope_of, seen_as, seen_error

_ARGUMENT, _OVERLOAD = "argument_type", "overload"  # error families
ERRORS = (_ARGUMENT, _OVERLOAD)
KEEPS = (tensors, leaves)


def applies(result: JobResult) -> bool:
    """A function of torch was given an array or a number."""
    seen = seen_as(result, *ERRORS)
    return seen is not None and bool(_kind(seen))


def _kind(seen: SeenError) -> str:
    """What was given for a tensor: an array, a number, the condition of `where`; else nothing."""
    given = seen["given"]
    if seen.id == _ARGUMENT:
        wanted = seen["expected"] == "Tensor" and seen["position"]
        return given if wanted and given in ("numpy.ndarray", "int", "float") else ""
    if seen["function"] == "where":
        return "bool" if given.startswith("bool, Tensor") else ""
    of_an_array = given.startswith("numpy.ndarray, Parameter")
    return "numpy.ndarray" if of_an_array and seen["function"].startswith("conv") else ""


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """from_numpy, a tensor of the number, or the function that takes a number."""
    node, said = program.node, program.said
    kind = _kind(said)
    if kind == "bool":
        given = argument(node, 0, "condition") if isinstance(node, cst.Call) else None
        if given is not None and isinstance(given.value, cst.Name):
            told = "the condition as a tensor"
            yield program.edit({given.value: _tensor(program, given.value)}, told)
        return
    if kind == "numpy.ndarray":
        yield from _array(program, node, said["name"])
    elif isinstance(node, cst.Call):
        yield from _number(program, node, said["name"], said.number("position"))


def _array(program: Failed, node: cst.BaseExpression | None, name: str) -> Rewrites:
    """Into a layer with the layer's dtype, into a function as it is."""
    if program.result.layer is not None:
        given = passed(program, program.result, lambda facts: facts.type == "ndarray")
        if given is None:
            return
        value = _tensor(program, given.name, "from_numpy")
        new = value if name == "indices" else method(value, "float")
        yield program.edit({given.name: new}, f"`{given.name.value}` goes in as a tensor")
        return
    if not isinstance(node, cst.Call):
        return
    given_names = {program.text(a.value) for a in node.args}
    arrays = [n for n in given_names if (f := program.seen.get(n)) and f.type == "ndarray"]
    if len(arrays) != 1:
        return
    places = [
        a.value
        for c in program.on_line(program.line(node), cst.Call)
        if program.text(c.func).startswith("torch.")
        and program.text(c.func) not in ("torch.from_numpy", "torch.tensor", "torch.as_tensor")
        for a in c.args
        if program.text(a.value) == arrays[0]
    ]
    told = f"`{arrays[0]}` goes in as a tensor"
    yield program.edit({p: _tensor(program, p, "from_numpy") for p in places}, told, at=node)


def _number(program: Failed, node: cst.Call, name: str, position: int) -> Rewrites:
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
    told = f"`{program.text(value)}` as a tensor; as_tensor takes numbers and tensors alike"
    yield program.edit({value: _tensor(program, value, "as_tensor")}, told, at=node)


def _only_computes(program: Failed, name: cst.Name, made: cst.Assign) -> bool:
    """Whether a variable only goes into functions of torch: a tensor does as well as a number."""
    for node in reads(program, name.value, scope_of(program, name)):
        given = program.parent(node)
        around = program.parent(given) if isinstance(given, cst.Arg) else None
        if not isinstance(around, cst.Call) or not program.text(around.func).startswith("torch."):
            return False
    return True


def _tensor(program: Failed, value: cst.BaseExpression, function: str = "tensor") -> cst.Call:
    return call(program.name_of("torch", function), cst.Arg(value))


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
    error, seen = seen_error(before, *ERRORS), seen_as(before, *ERRORS)
    bounds = seen is not None and seen["function"] in ("maximum", "minimum")
    goes = ("torch", "maximum", "minimum") if bounds else ()
    kept = still_computed(error, proposal.code, may_go=goes)
    return [kept, _whole_array(before, proposal)]
