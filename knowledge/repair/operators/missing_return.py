"""Return what a function of the program makes last, where its result was None.

Only a function without any `return` of a value, whose last step gives one name its value or
computes a value and drops it. Where a call is unpacked into more names than it returns values,
and the function has values of just the names that lack one, it returns these too.
"""

import re
from collections.abc import Iterator

import libcst as cst

from executor.errors import is_a
from executor.protocol import JobResult
from knowledge.repair.codemod import Rewrite, Rewrites
from knowledge.repair.operator import COST, Failure, Place
from knowledge.repair.toolkit.edits import Program
from knowledge.repair.toolkit.keeps import asked
from knowledge.repair.toolkit.lazily import torch
from knowledge.repair.toolkit.sites import assignment, scope_of, value_given

KEEPS = (asked,)
_FAMILIES = ("none", "none_attribute", "argument_type", "not_callable", "operand_types",
             "unpack_one", "power_operand_types", "overload")  # fmt: skip

_GIVE_NOTHING = ("print", "backward", "step", "zero_grad", "append", "extend", "update", "save",
                 "close", "sort", "show", "plot")  # fmt: skip

# The last statement, what stands there then, and what that returns.
_Change = tuple[cst.CSTNode, cst.CSTNode | cst.FlattenSentinel[cst.BaseStatement], str]


def applies(result: JobResult) -> bool:
    """Something is None that has to be a value."""
    error = result.error
    if error is not None and is_a(error, "unpack_count"):
        return True
    return error is not None and is_a(error, *_FAMILIES) and "NoneType" in error.message


def edits(failure: Failure) -> Rewrites:
    """The function whose result was None, with a `return`."""
    if is_a(failure.error, "unpack_count"):
        yield from _with_the_others(failure)
        return
    for place in failure.places:
        yield from _of_a_closure(failure, place)
    given = [(p, call) for p in failure.places for call in _gave_none(failure, p)]
    found = [f for p, call in given if (f := _defined(failure, p, call)) is not None]
    changes = {f: change for f in found if (change := _with_return(failure, f)) is not None}
    for function, (old, new, what) in (changes or _that_drop_it(failure)).items():
        title = f"line {failure.end_line(old)}: `{function.name.value}` returns {what}"
        meaning = f"{what} is the result of `{function.name.value}`"
        yield Rewrite(failure.replace({old: new}), title, meaning, cost=COST.SURE)


def _of_a_closure(failure: Failure, place: Place) -> Rewrites:
    """`return loss` of a closure that is handed to `step`, and ends with `loss.backward()`."""
    node = place.node
    if not isinstance(node, cst.Call) or not failure.text(node.func).endswith(".step"):
        return
    names = [failure.text(a.value) for a in node.args]
    for closure in failure.all(cst.FunctionDef):
        asked = [c.func for c in failure.inside(closure.body, cst.Call)]
        started = [f.value for f in asked
                   if isinstance(f, cst.Attribute) and f.attr.value == "backward"]  # fmt: skip
        if [closure.name.value] != names or len(started) != 1:
            continue
        if failure.inside(closure.body, cst.Return) or not isinstance(started[0], cst.Name):
            continue
        last, told = closure.body.body[-1], f"`{names[0]}` returns `{started[0].value}`"
        if isinstance(last, cst.BaseStatement):
            line = cst.SimpleStatementLine([cst.Return(started[0])])
            yield failure.edit({last: cst.FlattenSentinel([last, line])}, told, at=last)


def _that_drop_it(program: Program) -> dict[cst.FunctionDef, _Change]:
    """The one function of which a result is used, and that computes one by torch and drops it."""
    used = {
        program.text(call.func).rpartition(".")[2]
        for call in program.all(cst.Call)
        if not isinstance(program.parent(call), cst.Expr)
    }
    found = {}
    for function in program.all(cst.FunctionDef):
        change = _with_return(program, function) if function.name.value in used else None
        dropped = change is not None and isinstance(change[0], cst.Expr)
        if change is not None and dropped and re.match(r"`(?:torch|F|nn)\.", change[2]):
            found[function] = change
    return found if len(found) == 1 else {}


def _with_the_others(failure: Failure) -> Rewrites:
    """`return recon, mu, logvar` for `return recon`, where it is unpacked into such names."""
    place = failure.places[0] if failure.places else None
    statement = failure.statement_on(failure.error.line)
    small = statement.body[0] if statement is not None and statement.body else None
    if place is None or not isinstance(small, cst.Assign) or not isinstance(small.value, cst.Call):
        return
    target = small.targets[0].target
    function = _defined(failure, place, small.value)
    if function is None or not isinstance(target, cst.Tuple):
        return
    names = [e.value.value for e in target.elements if isinstance(e.value, cst.Name)]
    returns = failure.inside(function.body, cst.Return)
    given = returns[0].value if len(returns) == 1 else None
    if given is None or isinstance(given, cst.Tuple) or len(names) != len(target.elements):
        return
    made = {n.value for t in failure.inside(function.body, cst.AssignTarget)
            for n in failure.inside(t, cst.Name)}  # fmt: skip
    others = names[1:]
    if not set(others) <= made or (names[0] in made and failure.text(given) != names[0]):
        return
    whole = cst.parse_expression(", ".join((failure.text(given), *others)))
    told = " and ".join(f"`{n}`" for n in others)
    what = f"`{function.name.value}` returns {told} too"
    meaning = f"{told} are those of `{function.name.value}`"
    yield failure.edit({returns[0]: returns[0].with_changes(value=whole)}, what, meaning)


def _gave_none(failure: Failure, place: Place) -> Iterator[cst.Call]:
    """The calls that gave what is None in a failing expression: in it, or assigned to its names."""
    statement = failure.up(place.node, cst.SimpleStatementLine) or place.node
    for name in failure.inside(place.node, cst.Name):
        given = value_given(assignment(failure, name.value, name), name.value)
        if isinstance(given, cst.Call) and failure.value(name, place.frame) is None:
            yield given
    for call in failure.inside(statement, cst.Call):
        if call is not place.node:
            yield call


def _defined(failure: Failure, place: Place, call: cst.Call) -> cst.FunctionDef | None:
    """The function of the program that a call runs: a plain one, a method, or a forward."""
    held = failure.value(call.func, place.frame)
    if isinstance(held, torch.nn.Module):
        held = type(held).forward
    name = getattr(held, "__qualname__", "")
    if (
        getattr(held, "__module__", "") != "__main__"
        or "<locals>" in name
        or isinstance(held, type)
    ):
        return None
    owner, _, last = name.rpartition(".")
    every = [f for f in failure.all(cst.FunctionDef) if f.name.value == last]
    found = [f for f in every if _owner(failure, f) == owner]
    return found[0] if len(found) == 1 else None


def _owner(program: Program, function: cst.FunctionDef) -> str:
    outer = scope_of(program, function)
    return outer.name.value if isinstance(outer, cst.ClassDef) else ""


def _with_return(program: Program, function: cst.FunctionDef) -> _Change | None:
    inner = [
        *program.inside(function.body, cst.FunctionDef),
        *program.inside(function.body, cst.Yield),
    ]
    returns = program.inside(function.body, cst.Return)
    if inner or any(r.value is not None for r in returns):
        return None
    if not isinstance(function.body, cst.IndentedBlock):
        return None
    last = function.body.body[-1]
    if not isinstance(last, cst.SimpleStatementLine) or len(last.body) != 1:
        return None
    small = last.body[0]
    if isinstance(small, cst.Expr) and isinstance(small.value, (cst.Call, cst.BinaryOperation)):
        text = program.text(small.value)
        called = text.partition("(")[0].rpartition(".")[2]
        if called in _GIVE_NOTHING or text.startswith(("self.register", "super(")):
            return None
        return small, cst.Return(small.value), f"`{text}`"
    target: cst.BaseExpression | None = None
    if isinstance(small, cst.Assign) and len(small.targets) == 1:
        target = small.targets[0].target
    elif isinstance(small, cst.AugAssign):
        target = small.target
    if not isinstance(target, cst.Name):
        return None
    line = cst.SimpleStatementLine([cst.Return(cst.Name(target.value))])
    return last, cst.FlattenSentinel([last, line]), f"`{target.value}`"
