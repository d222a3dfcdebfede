"""Return None for the last arguments of forward, where these are known to be no tensors.

A backward that returns nothing returns the gradients that it made, each named after an input.
"""

import re

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrites
from knowledge.repair.toolkit.edits import Beside
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.keeps import backwards, tensors
from knowledge.repair.toolkit.sites import seen_as

ERRORS = ("backward_count",)
KEEPS = (backwards, tensors)
_USED_AS_NUMBER = r"\bif (?:not )?{0}\b|\b{0}\("


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """`return grad` as `return grad, None`."""
    m = program.said
    if m.number("given") >= m.number("expected"):
        return
    missing = m.number("expected") - m.number("given")
    for cls in program.all(cst.ClassDef):
        body = {f.name.value: f for f in program.inside(cls, cst.FunctionDef)}
        if cls.name.value != m["function"] or not {"forward", "backward"} <= body.keys():
            continue
        names = [p.name.value for p in body["forward"].params.params[1:]]
        returns = program.inside(body["backward"], cst.Return)
        if not returns:
            yield from _returned(program, body["backward"], names)
        if len(returns) != 1 or returns[0].value is None or len(names) != m.number("expected"):
            return
        if not _no_tensors(program, cls, body["forward"], names, missing):
            return
        value = returns[0].value
        own = value.elements if isinstance(value, cst.Tuple) else [cst.Element(value)]
        every = [*own, *(cst.Element(cst.Name("None")) for _ in range(missing))]
        new = (
            value.with_changes(elements=every)
            if isinstance(value, cst.Tuple)
            else cst.Tuple(every, lpar=[], rpar=[])
        )
        told = ", ".join(f"`{n}`" for n in names[-missing:])
        what = f"backward answers for every argument of forward; {told} has no gradient"
        yield program.edit({value: new}, what, at=returns[0])
        return


def _returned(program: Failed, function: cst.FunctionDef, names: list[str]) -> Rewrites:
    """`return grad_x, grad_w` behind a body that gives each input's gradient a name of its own."""
    targets = program.inside(function.body, cst.AssignTarget)
    made = dict.fromkeys(n.value for t in targets for n in program.inside(t, cst.Name))
    wanted = [re.compile(rf"(?i)(?:grad|g|d)_?{n}|{n}_?grad") for n in names]
    found = [[m for m in made if one.fullmatch(m)] for one in wanted]
    if isinstance(function.body, cst.IndentedBlock) and all(len(f) == 1 for f in found):
        last, given = function.body.body[-1], ", ".join(f[0] for f in found)
        line = Beside(cst.parse_statement(f"return {given}"), after=True)
        yield program.edit(
            program.replace({}, beside={last: line}), f"backward returns {given}", at=last
        )


def _no_tensors(
    program: Failed, cls: cst.ClassDef, forward: cst.FunctionDef, names: list[str], missing: int
) -> bool:
    """Whether the last arguments are no tensors: by what was passed, else by how they are used."""
    applied = f"{cls.name.value}.apply"
    calls = [c for c in program.all(cst.Call) if program.text(c.func) == applied]
    text = program.text(forward)
    for name, place in zip(names[-missing:], range(len(names) - missing, len(names)), strict=True):
        used = re.search(_USED_AS_NUMBER.format(name), text) is not None
        given = [c.args[place].value for c in calls if len(c.args) == len(names)]
        plain = [
            _is_plain(v)
            or _is_plain_attribute(program, v)
            or ((facts := program.seen.get(program.text(v))) is not None and facts.is_leaf is None)
            for v in given
        ]
        if not used and (not plain or not all(plain)):
            return False
    return True


def _is_plain(value: cst.BaseExpression) -> bool:
    if isinstance(value, cst.Name):
        return value.value in ("None", "True", "False")
    return isinstance(value, (cst.Integer, cst.Float, cst.SimpleString))


def _is_plain_attribute(program: Failed, value: cst.BaseExpression) -> bool:
    """Whether `self.bits` is only ever given plain values, or parameters that are so by default."""
    if not isinstance(value, cst.Attribute) or program.text(value.value) != "self":
        return False
    text = program.text(value)
    given = [a for a in program.all(cst.Assign) if program.text(a.targets[0].target) == text]
    return bool(given) and all(_is_plain(a.value) or _is_by_default(program, a) for a in given)


def _is_by_default(program: Failed, assign: cst.Assign) -> bool:
    function = program.up(assign, cst.FunctionDef)
    defaults = {
        p.name.value: p.default
        for p in ((*function.params.params, *function.params.kwonly_params) if function else ())
    }
    default = defaults.get(program.text(assign.value))
    return default is not None and _is_plain(default)


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The gradients arrive, and no gradient that was returned is gone."""
    m = seen_as(before, *ERRORS)
    function = m["function"] if m is not None else "$^"
    backward = rf"class {function}\b.*?def backward.*?\n( *return [^\n]*)"
    returned = re.search(backward, proposal.code, re.S)
    nothing = returned is not None and re.fullmatch(r" *return (None(, )?)+", returned[1])
    detail = "no gradient is returned at all" if nothing else "it still returns its gradients"
    return [Check(name="returned", passed=not nothing, detail=detail)]
