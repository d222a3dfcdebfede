"""A leaf that is written into: without recording if it is an update, out of place if it computes.

A training step, an initialisation: update. A function changing its argument, a value that goes on
into the loss: computation. Where neither is certain both are run and shown.
"""

import re
from dataclasses import dataclass

import libcst as cst

from executor.errors import family_of
from executor.protocol import JobResult, Variable, WarningSeen
from knowledge.repair.codemod import Check, Proposal, Rewrite, Rewrites
from knowledge.repair.computed import reaches_leaves
from knowledge.repair.fingerprints import same_values
from knowledge.repair.toolkit.comments import above, commented
from knowledge.repair.toolkit.edits import Beside, Edits, method, out_of_place
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.flow import (
    earlier_in_loop,
    free_name,
    in_loop,
    is_attribute,
    later,
    outermost_loop,
    parameters,
    root,
    siblings,
    under,
)
from knowledge.repair.toolkit.sites import argument, made, scope_of, seen_error, without_argument
from knowledge.repair.toolkit.statements import line_of

ERRORS = ("leaf_in_place",)
_UPDATE, _COMPUTE = "update it", "compute with it"
_SAID_UPDATE = (
    r"\b(updat|manual|gradient descent|initiali[sz]|optimi[sz]|set (the|its|my) (value|weight))"
)
_SAID_COMPUTE = r"\b(forward|mask(ed|ing)?\b|activation|differentiab|backprop(agate)? through)"
_STEP = re.compile(r"\.grad\b|\b(lr|learning_rate|step_size|alpha)\b")
_SETS = {"normal_", "uniform_", "zero_", "fill_", "copy_", "clamp_", "set_", "data_", "random_",
         "trunc_normal_", "bernoulli_", "exponential_"}  # fmt: skip


@dataclass(frozen=True)
class _Write:
    """The statement that writes: what it writes into, and with what."""

    line: cst.SimpleStatementLine
    small: cst.BaseSmallStatement
    target: cst.Name | cst.Attribute
    call: cst.Call | None  # x.add_(…); None for `x += …` and `x[i] = …`

    @property
    def alone(self) -> bool:
        """Whether nothing uses the call's result."""
        return self.call is None or (
            isinstance(self.small, cst.Expr) and self.small.value is self.call
        )


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """`with torch.no_grad():` around an update, a new tensor for a computation."""
    node = program.node
    if isinstance(node, cst.Call) and (found := list(_inplace_argument(program, node, result))):
        yield from found
        return
    write = _write(program, node, program.statement)
    if write is None:
        return
    name = program.text(write.target)
    if not write.alone:
        yield from _in_expression(program, write)
        return
    meaning = _meaning(program, write)
    if meaning == _COMPUTE and _announced(program, write):
        meaning = ""  # who calls it a change in place may mean the tensor itself
    if meaning != _COMPUTE:
        lines, intent = _neighbours(program, write), _UPDATE if not meaning else ""
        new = under({s: s for s in lines}, f"{program.name_of('torch', 'no_grad')}()")
        told = f"change the values of `{name}` without recording it"
        told = f"{told}; {_what_stays(program.seen.get(name))}"
        yield program.edit(new, told, intent, at=write.line, said=_SAID_UPDATE)
    if meaning != _UPDATE:
        yield from _computed(program, write, _COMPUTE if not meaning else "")


# -- what is written, and why ----------------------------------------------------------------


def _write(
    program: Failed, node: cst.CSTNode | None, line: cst.SimpleStatementLine | None
) -> _Write | None:
    if line is None or len(line.body) != 1:
        return None
    small = line.body[0]
    target: cst.Name | cst.Attribute | None = None
    call: cst.Call | None = None
    if isinstance(small, cst.AugAssign):
        target = root(small.target)
    elif isinstance(small, cst.Assign) and isinstance(small.targets[0].target, cst.Subscript):
        if len(small.targets) > 1:
            return None
        target = root(small.targets[0].target)
    else:
        call = node if isinstance(node, cst.Call) else None
        if call is None and isinstance(small, cst.Expr) and isinstance(small.value, cst.Call):
            call = small.value
        if call is None or not isinstance(call.func, cst.Attribute):
            return None
        method = call.func.attr.value
        if not method.endswith("_") or method.endswith("__"):
            return None
        target = root(call.func.value)
    return _Write(line, small, target, call) if target is not None else None


def _what_stays(facts: Variable | None) -> str:
    if facts is not None and facts.is_leaf is False:
        return "the leaf that it is a view of has the new values too, and keeps its gradient"
    return "it stays a leaf and keeps its gradient"


def _announced(program: Failed, write: _Write) -> bool:
    """Whether a comment beside the line or above it calls it a change in place."""
    code, line = program.module.code, program.line(write.line)
    comments = commented(code)
    said = [*above(line, comments, code), comments.get(line, "")]
    return any(re.search(r"in[- _]?place", text, re.IGNORECASE) for text in said)


def _meaning(program: Failed, write: _Write) -> str:
    """`_UPDATE`, `_COMPUTE`, or nothing where it cannot be known."""
    text = program.text(write.small)
    name = program.text(write.target)
    if _STEP.search(text):
        return _UPDATE
    goes_on = _with_gradient(program, write) or name in parameters(program, write.line)
    if goes_on and isinstance(write.target, cst.Name):
        return _COMPUTE
    if write.call is not None and isinstance(write.call.func, cst.Attribute):
        whole = not isinstance(write.call.func.value, cst.Subscript)
        if whole and write.call.func.attr.value in _SETS:
            return _UPDATE
    if earlier_in_loop(program, write.line, r"\.(backward|step)\("):
        return _UPDATE
    if isinstance(write.target, cst.Attribute):
        return _UPDATE
    facts = program.seen.get(name)
    is_view = facts is not None and facts.is_leaf is False
    used = [n for n in later(program, name, write.line) if not is_attribute(program, n, "grad")]
    return _UPDATE if is_view or not _computes(program, used) else ""


def _computes(program: Failed, used: list[cst.Name]) -> bool:
    """Whether one of these reads does more than print the tensor."""
    for node in used:
        parent = program.parent(node)
        call = program.parent(parent) if isinstance(parent, cst.Arg) else None
        if isinstance(call, cst.Call) and program.text(call.func) in {"print", "id", "type"}:
            continue
        if program.up(node, cst.FormattedString) is not None:
            continue
        return True
    return False


def _with_gradient(program: Failed, write: _Write) -> bool:
    """Whether what is written is itself something that gradients flow to."""
    own = program.text(write.target)
    values: list[cst.CSTNode] = []
    if isinstance(write.small, (cst.AugAssign, cst.Assign)):
        values = [write.small.value]
    elif write.call is not None:
        values = list(write.call.args)
    names = {n.value for v in values for n in program.inside(v, cst.Name)} - {own}
    return any(
        (facts := program.seen.get(n)) is not None and bool(facts.requires_grad) for n in names
    )


def _neighbours(program: Failed, write: _Write) -> list[cst.SimpleStatementLine]:
    """The line, with the lines right below it that update other leaves in the same way."""
    body, at = siblings(program, write.line)
    lines = [write.line]
    for statement in body[at + 1 :]:
        if not isinstance(statement, cst.SimpleStatementLine) or len(statement.body) != 1:
            break
        other = _write(program, None, statement)
        text = program.text(statement.body[0])
        if other is None or not other.alone or not _STEP.search(text) or ".grad.zero_" in text:
            break
        lines.append(statement)
    return lines if _STEP.search(program.text(write.small)) else lines[:1]


# -- as a computation ------------------------------------------------------------------------


def _computed(program: Failed, write: _Write, intent: str) -> Rewrites:
    """The same values in a new tensor; the leaf keeps its own, and its gradient."""
    if not isinstance(write.target, cst.Name):
        return
    old = write.target.value
    end = _bound_again(program, old, write.line)
    below = [n for n in later(program, old, write.line) if program.line(n) <= end]
    going_on = [n for n in below if not is_attribute(program, n, "grad")]
    if intent and not _computes(program, going_on):
        return
    scope = scope_of(program, write.line)
    if isinstance(scope, cst.FunctionDef) and old not in parameters(program, write.line):
        return  # assigning would make a local of a variable from outside
    new = old
    edits: Edits = {}
    if len(going_on) < len(below):
        # Under the old name nobody could reach the leaf's gradient any more.
        if in_loop(program, write.line):
            return
        new = free_name(program, f"{old}_new")
        edits |= {n: cst.Name(new) for n in going_on}
    title = (
        f"line {program.line(write.line)}: compute a new tensor from `{old}`; gradients flow "
        f"through it to `{old}`"
    )
    value = _value(write, old)
    if value is not None and not _announced(program, write):
        edits[write.small] = cst.Assign([cst.AssignTarget(cst.Name(new))], value)
        module = program.replace(edits)
    else:
        copy = line_of(f"{new} = {old}.clone()")
        if new != old:
            edits[write.target] = cst.Name(new)
        loop = outermost_loop(program, write.line)
        if loop is not None:
            edits[loop] = cst.FlattenSentinel([copy, loop])
        module = program.replace(edits, {} if loop is not None else {write.line: Beside(copy)})
    yield Rewrite(module, title, intent, said=_SAID_COMPUTE, new_name=new if new != old else "")


def _value(write: _Write, name: str) -> cst.BaseExpression | None:
    """The right side of `x = …`; None where only a part is written: a copy must come first."""
    if isinstance(write.small, cst.AugAssign) and isinstance(write.small.target, cst.Name):
        return out_of_place(write.small)
    if isinstance(write.small, cst.Assign) and isinstance(
        write.small.targets[0].target, cst.Subscript
    ):
        target = write.small.targets[0].target
        whole = cst.Module(()).code_for_node(target) == f"{name}[:]"
        return write.small.value if whole and not _constant(write.small.value) else None
    call = write.call
    if call is None or not isinstance(call.func, cst.Attribute):
        return None
    if not isinstance(call.func.value, cst.Name) or call.func.attr.value in _SETS:
        return None
    return call.with_changes(func=call.func.with_changes(attr=cst.Name(call.func.attr.value[:-1])))


def _constant(value: cst.BaseExpression) -> bool:
    return isinstance(value, (cst.Integer, cst.Float, cst.UnaryOperation))


def _bound_again(program: Failed, name: str, after: cst.BaseStatement) -> int:
    """The line below where the name is given another value; far beyond the end if nowhere."""
    lines = [
        program.line(a)
        for a in program.all(cst.Assign)
        if program.line(a) > program.line(after)
        and any(isinstance(t.target, cst.Name) and t.target.value == name for t in a.targets)
    ]
    return min(lines, default=1_000_000)


def _in_expression(program: Failed, write: _Write) -> Rewrites:
    """`z = x.add_(y)` as `z = x.add(y)`, or as `z = x.clone().add_(y)`."""
    call = write.call
    assert call is not None and isinstance(call.func, cst.Attribute)
    name, method = program.text(write.target), call.func.attr.value
    if method in _SETS:
        return
    new = call.with_changes(func=call.func.with_changes(attr=cst.Name(method[:-1])))
    yield program.edit({call: new}, f"`{method[:-1]}` makes a new tensor; `{name}` stays as it is")
    if call.func.value is write.target:  # for who wants to see a change in place
        copy = cst.Call(cst.Attribute(call.func.value, cst.Name("clone")))
        told = f"`{method}` changes a copy in place; `{name}` stays as it is"
        yield program.edit({call.func.value: copy}, told, at=call)


def _inplace_argument(program: Failed, call: cst.Call, result: JobResult) -> Rewrites:
    """inplace=True left out, of the function or of the layer; or a copy of the leaf written to."""
    layer = result.layer
    site = made(program, layer) if layer is not None and "inplace=True" in layer.repr else None
    for where in (call, *((site.call,) if site is not None else ())):
        given = argument(where, 99, "inplace")
        if given is not None and program.text(given.value) == "True":
            told = "without inplace=True the result is a new tensor"
            yield program.edit({where: without_argument(where, given)}, told)
            value = call.args[0].value
            yield program.edit({value: method(value, "clone")}, "a copy of the leaf is written to")
            return


# -- checks ----------------------------------------------------------------------------------


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """Something was written, and every backward that runs still reaches its leaves."""
    found = [reaches_leaves(after, wanted=False), _leaf(before, after, proposal)]
    if (written := _written(before, after, proposal)) is not None:
        found.append(written)
    return found


def _leaf(before: JobResult, after: JobResult, proposal: Proposal) -> Check:
    error = seen_error(before, *ERRORS)
    name = re.match(r"\w+", error.code) if error is not None else None
    detail = "the tensor whose .grad is read is still a leaf"
    if error is not None and error.line is not None and name is not None:
        code = proposal.code.splitlines()
        rows = range(error.line + 2, len(code) + 1)
        bound = next((n for n in rows if re.match(rf"\s*{name[0]}\s*=[^=]", code[n - 1])), 10**6)
        for w in after.warnings:
            if w.line is None or not _is_of_result(w):
                continue
            if f"{name[0]}.grad" in "".join(code[w.line - 1 : w.line]) and w.line < bound:
                detail = f"line {w.line} reads .grad of a tensor that is no leaf any more"
                return Check(name="leaf", passed=False, detail=detail)
    return Check(name="leaf", passed=True, detail=detail)


def _is_of_result(warned: WarningSeen) -> bool:
    """Whether a warning says that the gradient of a result was read."""
    seen = family_of(warned.category, warned.message)
    return seen is not None and seen.id == "grad_of_result"


def _goes_elsewhere(before: JobResult, proposal: Proposal) -> bool:
    """Whether the failing line gives its result to another name: `z = x.add(y)`."""
    error = seen_error(before, *ERRORS)
    number = (error.line if error is not None else None) or 0
    line = "".join(proposal.code.splitlines()[number - 1 : number]) if number else ""
    m = re.match(r"\s*(\w+)\s*=\s*(\w+)\.(?:clone\(\)\.\w+_\(|(?!clone\b|detach\b)\w+\()", line)
    return m is not None and m[1] != m[2]


def _written(before: JobResult, after: JobResult, proposal: Proposal) -> Check | None:
    """The values changed, or a new tensor holds the changed ones; only module level can be seen."""
    error = seen_error(before, *ERRORS)
    name = re.match(r"\w+", error.code) if error is not None else None
    if len(before.frames) > 1 or _goes_elsewhere(before, proposal):
        return None  # a function's own variable holds them, or another name does
    if before.values is None or after.values is None or name is None:
        return None
    old, new = before.values.tensors, after.values.tensors
    if name[0] not in old or name[0] not in new:
        return None
    changed = not same_values(old[name[0]], new[name[0]], 0.0) or proposal.new_name in new
    detail = f"`{name[0]}` holds the new values" if changed else "nothing was written anywhere"
    return Check(name="written", passed=changed, detail=detail)
