"""Take a softmax or a norm along the dimension that what follows reads."""

import re

import libcst as cst

from executor.protocol import Finding
from knowledge.repair.codemod import Rewrite, Rewrites
from knowledge.repair.toolkit.edits import Edits, Program, method
from knowledge.repair.toolkit.sites import argument, calls, integer, with_argument

_SOFTMAX = r"(^|\.)(log_)?softmax$|(^|\.)(Log)?Softmax$"
_NORM = r"(^|\.)(normalize|norm|vector_norm)$"
_FUNCTIONS = ("F", "torch", "nn.functional", "torch.nn.functional", "torch.linalg")


def _of_norms(program: Program, finding: Finding) -> Rewrites:
    """The norms along the dimension that is summed up in the product."""
    rank, used = len(finding.facts["input"]), finding.facts["used"]
    found = [c for c in calls(program, _NORM) if _normed(program, c) in (used, used + rank)]
    if found:
        told = "what is multiplied has the length 1"
        yield _along(program, found, finding.facts["summed"], told)


def _of_samples(program: Program, finding: Finding) -> Rewrites:
    """Each softmax that says no dimension, along that of a sample's values."""
    for call in calls(program, _SOFTMAX):
        if _dim(program, call) is None:
            yield _along(program, [call], -1, "the values of each sample add up to 1")


def _as_read(program: Program, finding: Finding) -> Rewrites:
    """Each softmax that may be the one, along the dimension that is read."""
    facts = finding.facts
    rank = len(facts.get("weights") or facts.get("input") or ())
    wanted = facts.get("read", facts.get("summed"))
    for call in calls(program, _SOFTMAX):
        given = _number(_dim(program, call))
        if given is None or wanted is None or given % rank != facts["used"]:
            continue
        new = wanted if given >= 0 and finding.kind == "softmax_wrong_dim" else wanted - rank
        yield _along(program, [call], new, f"the values along dimension {new} add up to 1")


def _along(program: Program, found: list[cst.Call], dim: int, told: str) -> Rewrite:
    new: Edits = {c: with_argument(c, _place(program, c), "dim", integer(dim)) for c in found}
    return program.edit(new, told)


def _place(program: Program, call: cst.Call) -> int:
    """Where a call takes its dimension, if that is given without its name."""
    owner = program.text(call.func.value) if isinstance(call.func, cst.Attribute) else ""
    name = program.text(call.func).rpartition(".")[2]
    if name in ("Softmax", "LogSoftmax"):
        return 0
    place = {"normalize": 2, "norm": 1, "vector_norm": 1}.get(name, 0)
    if name in ("softmax", "log_softmax"):
        return 1 if owner in (*_FUNCTIONS, "") else 0
    return place if owner not in _FUNCTIONS or name == "normalize" else 2


def _dim(program: Program, call: cst.Call) -> cst.BaseExpression | None:
    given = argument(call, _place(program, call), "dim")
    return given.value if given is not None else None


def _normed(program: Program, call: cst.Call) -> int | None:
    """The dimension of a norm; that of `normalize` is 1 where none is given."""
    given = _dim(program, call)
    if given is None and program.text(call.func).endswith("normalize"):
        return 1
    return _number(given)


def _number(value: cst.BaseExpression | None) -> int | None:
    if isinstance(value, cst.UnaryOperation) and isinstance(value.operator, cst.Minus):
        inner = _number(value.expression)
        return -inner if inner is not None else None
    return int(value.value) if isinstance(value, cst.Integer) else None


def _turned(program: Program, finding: Finding) -> Rewrites:
    """`permute` with the order of the dimensions, in the place of the view."""
    statement = program.statement_on(finding.line)
    order = finding.facts.get("order")
    if statement is None or not order:
        return
    if "rows" in finding.facts:
        yield from _classes_last(program, order)
        return
    found = list(calls(program, r"\.(view|reshape)$", statement))
    if len(found) == 1 and isinstance(found[0].func, cst.Attribute):
        function = found[0].func.with_changes(attr=cst.Name("permute"))
        new = cst.Call(function, [cst.Arg(integer(i)) for i in order])
        yield program.edit({found[0]: new}, "the dimensions are turned, each value with them")


def _classes_last(program: Program, order: list[int]) -> Rewrites:
    """The classes turned to the end, before a view makes rows of them."""
    for c in calls(program, r"\.(view|reshape)$"):
        if len(c.args) == 2 and program.text(c.args[0].value) == "-1":
            assert isinstance(c.func, cst.Attribute)
            turned = method(c.func.value, "permute", *(cst.Arg(integer(i)) for i in order))
            new = method(turned, "reshape", *c.args)
            yield program.edit({c: new}, "each row holds the scores of one place")


def _last_step(program: Program, finding: Finding) -> Rewrites:
    """`output[:, -1]` for the only `output[:, 0]` of the model's class."""
    classes = [c for c in program.all(cst.ClassDef) if c.name.value == finding.name]
    found = [
        s
        for c in classes
        for s in program.inside(c, cst.Subscript)
        if re.search(r"\[\s*:\s*,\s*0\s*(,\s*:\s*)?\]$", program.text(s))
    ]
    if len(found) != 1:
        return
    index = found[0].slice[1].with_changes(slice=cst.Index(integer(-1)))
    new = found[0].with_changes(slice=[found[0].slice[0], index, *found[0].slice[2:]])
    yield program.edit({found[0]: new}, "the state of the last step, which has read them all")


EDITS = {
    "softmax_wrong_dim": _as_read,
    "attention_wrong_dim": _as_read,
    "softmax_over_samples": _of_samples,
    "normalised_wrong_dim": _of_norms,
    "view_not_permute": _turned,
    "reads_first_step": _last_step,
}
