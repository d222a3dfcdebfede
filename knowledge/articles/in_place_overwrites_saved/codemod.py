"""Keep what backward needs: write to a new tensor instead, or save a copy.

The run names both ends, the expression that saved and the one that changed; either can be edited.
Which edit keeps the person's meaning is not argued here: the checks compare each candidate with
the gradients of the forward as it was written.
"""

import re
from collections.abc import Iterator

import libcst as cst

from executor.errors import is_a
from executor.protocol import Culprit, JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrite, Rewrites
from knowledge.repair.fingerprints import same_values
from knowledge.repair.toolkit.edits import (
    Beside,
    Edits,
    Program,
    method,
    out_of_place,
    same,
)
from knowledge.repair.toolkit.flow import is_attribute, root
from knowledge.repair.toolkit.sites import argument, without_argument
from knowledge.repair.toolkit.statements import line_of

_FAMILY = "modified_in_place"
_STEP = re.compile(r"\.step\([^()]{0,80}\)$")
_IN_NAME = {"zero_", "fill_", "copy_", "normal_", "uniform_", "masked_fill_", "index_fill_"}


def applies(result: JobResult) -> bool:
    """The in-place error was raised, and the second run saw who wrote."""
    seen = [e for e in (result.error, *result.caught) if e is not None]
    return result.autograd is not None and any(is_a(e, _FAMILY) for e in seen)


def rewrite(program: Program, result: JobResult) -> Rewrites:
    """The write made into a new tensor, else what was saved made into a copy."""
    culprit = result.autograd
    assert culprit is not None
    yield from _at_the_write(program, culprit)
    if not _STEP.search(culprit.modified_code or ""):  # weights that move: no copy is taught
        yield from _at_the_saving(program, culprit)


# -- at the write ----------------------------------------------------------------------------


def _at_the_write(program: Program, c: Culprit) -> Rewrites:
    node = program.at(c.modified_line, c.modified_col, c.modified_end_line, c.modified_end_col)
    if node is not None:
        yield from _written_by(program, node)
    yield from _in_place_modules(program)


def _written_by(program: Program, node: cst.CSTNode) -> Rewrites:
    small = program.small_statement(node)
    line = program.up(node, cst.SimpleStatementLine)
    if isinstance(small, cst.AugAssign):
        if isinstance(small.target, (cst.Name, cst.Attribute)):
            sign = program.text(small.operator).removesuffix("=")
            told = f"`{sign}=` writes into the tensor that backward needs; `{sign}` makes a new one"
            value, target = out_of_place(small), cst.AssignTarget(small.target)
            new = cst.Assign([target], value, semicolon=small.semicolon)
            yield program.edit({small: new}, told)
        elif line is not None:
            yield from _copy_first(program, line, small.target)
    elif isinstance(small, cst.Assign) and line is not None:
        for target in small.targets:
            if isinstance(target.target, cst.Subscript):
                yield from _copy_first(program, line, target.target)
    call = node if isinstance(node, cst.Call) else None
    if isinstance(small, cst.Expr) and isinstance(small.value, cst.Call):
        call = call or small.value
    if call is not None:
        yield from _without_underscore(program, call, small, line)
        yield from _without_inplace(program, call)


def _copy_first(
    program: Program, line: cst.SimpleStatementLine, target: cst.BaseExpression
) -> Rewrites:
    """`x[i] = e` after `x = x.clone()`."""
    base = root(target)
    if base is not None:
        name = program.text(base)
        told = f"write to a copy of `{name}`; backward keeps the original"
        copy = Beside(line_of(f"{name} = {name}.clone()"))
        yield program.edit({}, told, at=line, beside={line: copy})


def _without_underscore(
    program: Program,
    call: cst.Call,
    small: cst.BaseSmallStatement | None,
    line: cst.SimpleStatementLine | None,
) -> Rewrites:
    """`x.add_(1)` as `x = x.add(1)`."""
    function = call.func
    if not isinstance(function, cst.Attribute) or function.attr.value.endswith("__"):
        return
    name = function.attr.value
    if not name.endswith("_"):
        return
    alone = isinstance(small, cst.Expr) and small.value is call
    if alone and isinstance(function.value, (cst.Name, cst.Attribute)):
        owner = program.text(function.value)
        if name in _IN_NAME and line is not None:
            yield from _copy_first(program, line, function.value)
        new = call.with_changes(func=function.with_changes(attr=cst.Name(name[:-1])))
        assert isinstance(small, cst.Expr)
        assign = cst.Assign([cst.AssignTarget(function.value)], new, semicolon=small.semicolon)
        told = f"`{owner} = {owner}.{name[:-1]}(…)` makes a new tensor"
        told += f" where `{name}` wrote into the old one"
        yield program.edit({small: assign}, told, at=call)
    elif not alone:
        new = call.with_changes(func=function.with_changes(attr=cst.Name(name[:-1])))
        told = f"`{name[:-1]}` makes a new tensor where `{name}` wrote into the old one"
        yield program.edit({call: new}, told)


def _without_inplace(program: Program, call: cst.Call) -> Rewrites:
    if (given := _inplace(call)) is not None:
        told = "without inplace=True the input stays as it was saved"
        yield program.edit({call: without_argument(call, given)}, told)


def _in_place_modules(program: Program) -> Rewrites:
    """Modules built with inplace=True: each alone, then all of them."""
    calls = sorted((c for c in program.all(cst.Call) if _inplace(c)), key=program.line)
    for c in calls:
        yield from _without_inplace(program, c)
    if len(calls) > 1:
        edits: Edits = {
            given.value: cst.Name("False") for c in calls if (given := _inplace(c)) is not None
        }
        yield Rewrite(program.replace(edits), "without inplace=True nothing saved is overwritten")


def _inplace(call: cst.Call) -> cst.Arg | None:
    """The `inplace=True` of a call."""
    given = argument(call, 99, "inplace")
    value = given.value if given is not None else None
    return given if isinstance(value, cst.Name) and value.value == "True" else None


# -- at the saving ---------------------------------------------------------------------------


def _at_the_saving(program: Program, c: Culprit) -> Rewrites:
    saver = program.at(c.saved_line, c.saved_col, c.saved_end_line, c.saved_end_col)
    if not isinstance(saver, cst.BaseExpression):
        return
    line = program.up(saver, cst.SimpleStatementLine)
    tensor = c.tensor.name if c.tensor else None
    names = [tensor] if tensor else []
    known = {*names, *program.imported()}
    names += [n.value for n in program.inside(saver, cst.Name) if n.value not in known]
    for name in names:
        for scope in (saver, line, *_earlier_lines(program, line, c)):
            uses = [u for s in _flat(scope) for u in _uses(program, s, name)]
            if uses:
                told = f"backward keeps a copy of `{name}`, taken"
                told += f" before line {c.modified_line} writes into it"
                yield program.edit({u: method(u, "clone") for u in uses}, told)
    if line is not None:
        told = "what is written to later is a copy of this result"
        yield program.edit({saver: method(saver, "clone")}, told)


def _flat(scope: cst.CSTNode | list[cst.SimpleStatementLine] | None) -> list[cst.CSTNode]:
    if scope is None:
        return []
    return list(scope) if isinstance(scope, list) else [scope]


def _earlier_lines(
    program: Program, line: cst.SimpleStatementLine | None, c: Culprit
) -> Iterator[list[cst.SimpleStatementLine]]:
    """The saving line with its neighbours in the same block, before the write."""
    block = program.parent(line) if line is not None else None
    if block is None or line is None:
        return
    lines = [s for s in getattr(block, "body", ()) if isinstance(s, cst.SimpleStatementLine)]
    limit = c.modified_line or 0
    same_block = [s for s in lines if program.line(s) < limit or s is line]
    if len(same_block) > 1:
        yield same_block


def _uses(program: Program, scope: cst.CSTNode, name: str) -> list[cst.Name]:
    """Where a variable is read inside some code: not its attributes, keywords or targets."""
    uses = []
    for node in program.inside(scope, cst.Name):
        parent = program.parent(node)
        if node.value != name:
            continue
        if program.is_label(node):
            continue
        if is_attribute(program, node, "shape", "size", "dtype", "device"):
            continue
        if isinstance(parent, (cst.AssignTarget, cst.Param, cst.AugAssign, cst.For)):
            continue
        if isinstance(parent, cst.Subscript) and same(parent.value, node):
            target = program.parent(parent)
            if isinstance(target, (cst.AssignTarget, cst.AugAssign)):
                continue
        uses.append(node)
    return uses


# -- checks ----------------------------------------------------------------------------------


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """Losses, gradients and tensors equal those of the forward as it was written.

    `before` is the oracle's run: the same code, with in-place changes let through while backward
    gets what was saved.
    """
    if before.values is None or not before.values.backwards:
        return [Check(name="gradients", passed=False, detail="no oracle: its run did not finish")]
    if after.values is None:
        return [Check(name="gradients", passed=False, detail="the fixed run said nothing")]
    return [_losses(before, after), _gradients(before, after), _tensors(before, after)]


def _losses(before: JobResult, after: JobResult) -> Check:
    assert before.values is not None and after.values is not None
    wanted = [b.loss for b in before.values.backwards]
    got = [b.loss for b in after.values.backwards]
    equal = len(wanted) == len(got) and all(
        x is not None and y is not None and same_values(x, y)
        for x, y in zip(wanted, got, strict=True)
    )
    told = "the loss is that of the code as written"
    return Check.of("loss", equal, told, "the loss changed")


def _gradients(before: JobResult, after: JobResult) -> Check:
    assert before.values is not None and after.values is not None
    wanted = [g for b in before.values.backwards for g in b.grads]
    got = [g for b in after.values.backwards for g in b.grads]
    equal = len(wanted) == len(got) and all(map(same_values, wanted, got))
    every = "the gradient is" if len(wanted) == 1 else f"all {len(wanted)} gradients are"
    told = f"{every} what the formula means"
    return Check.of("gradients", equal and wanted, told, "gradients are not what the formula means")


def _tensors(before: JobResult, after: JobResult) -> Check:
    assert before.values is not None and after.values is not None
    wanted, got = before.values.tensors, after.values.tensors
    changed = [n for n in wanted if n not in got or not same_values(wanted[n], got[n])]
    told = f"{', '.join(changed[:3])} ended with other values"
    return Check.of("values", not changed, "every tensor ends with the values it had", told)
