"""Register what a module should know: tensors as Parameters or buffers, layers in ModuleLists.

A tensor that asks for a gradient is meant to learn. One that does not may be a constant: then both
ways are shown, each run, and the person chooses.
"""

import libcst as cst

from executor.protocol import Finding, JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrite, Rewrites
from knowledge.repair.computed import moves
from knowledge.repair.fingerprints import same_values
from knowledge.repair.toolkit.dataflow import Unasked
from knowledge.repair.toolkit.edits import Edits, Program, buffer, call
from knowledge.repair.toolkit.sites import assignment

FINDINGS = {"unregistered_parameter", "unregistered_tensor", "unregistered_module"}
# Not merely "training": a constant such as a mean is part of many a training that goes wrong.
_SAYS_LEARN = (
    r"\b(learnable|trainable)\b"
    r"|(\bnever|\bnot|n.t|\bwon.t)\W+(\w+\W+){0,2}(learn|train|updat|chang|mov|optimi[sz])"
)
_LISTS, _DICTS = (cst.List, cst.ListComp), (cst.Dict, cst.DictComp)
_LEARN, _KEEP = "it should learn", "it is a constant"


def rewrite(program: Program, result: JobResult) -> Rewrites:
    """All of them registered at once; a constant also as a buffer."""
    found = [f for f in result.findings if f.kind in FINDINGS]
    sites = {id(f): _assignments(program, f) for f in found}
    found = [f for f in found if sites[id(f)]]
    if not found:
        return
    unclear = [f for f in found if f.kind == "unregistered_tensor"]
    intent = _LEARN if unclear else ""
    edits: Edits = {}
    for f in found:
        for site in sites[id(f)]:
            edits |= _registered(program, f, site)
    if edits:
        names = tuple(f.name for f in found if f.kind != "unregistered_module")
        yield Rewrite(program.replace(edits), _title(found), intent, names, _SAYS_LEARN)
    if unclear and len(unclear) == len(found):
        places = [s for f in found for s in sites[id(f)]]
        buffers: Edits = {s: b for s in places if (b := _buffer(s)) is not None}
        if len(buffers) == len(places):
            told = "as a buffer: it moves with the module and is saved with it, but never learns"
            yield Rewrite(program.replace(buffers), f"{_names(found)} {told}", _KEEP)


def _title(found: list[Finding]) -> str:
    if all(f.kind == "unregistered_module" for f in found):
        return f"{_names(found)} in a container that registers its layers"
    return f"{_names(found)} as a Parameter: parameters() holds it and the optimizer moves it"


def _names(found: list[Finding]) -> str:
    return ", ".join(dict.fromkeys(f"`{f.facts['attribute']}`" for f in found))


def _assignments(program: Program, finding: Finding) -> list[cst.Assign]:
    """`self.attribute = …` in the finding's class, where the value makes the thing."""
    found, name = [], finding.facts["attribute"]
    for cls in program.all(cst.ClassDef):
        if cls.name.value != finding.facts["class"]:
            continue
        for assign in program.inside(cls, cst.Assign):
            target = assign.targets[0].target if len(assign.targets) == 1 else None
            if isinstance(target, cst.Attribute) and target.attr.value == name:
                found.append(assign)
    functions = {program.up(assign, cst.FunctionDef) for assign in found}
    return found[-1:] if len(functions) == 1 else found[:1]  # the last one is what stays


def _registered(program: Program, finding: Finding, assign: cst.Assign) -> Edits:
    def wrapped(name: str, *values: cst.BaseExpression) -> cst.BaseExpression:
        return call(program.name_of("torch.nn", name), *map(cst.Arg, values))

    value = assign.value
    what = "Module" if finding.kind == "unregistered_module" else "Parameter"
    if isinstance(value, (*_LISTS, cst.Tuple, *_DICTS)):
        empty = isinstance(value, (cst.List, cst.Dict)) and not value.elements
        kind = f"{what}{'Dict' if isinstance(value, _DICTS) else 'List'}"
        new = wrapped(kind) if empty else wrapped(kind, value)
    elif finding.kind == "unregistered_module":
        # `self.blocks = blocks`, a list that was filled before
        made = assignment(program, value.value, value) if isinstance(value, cst.Name) else None
        filled = made.value if made is not None else None
        if not isinstance(filled, (*_LISTS, *_DICTS)):
            return {}
        new = wrapped("ModuleList" if isinstance(filled, _LISTS) else "ModuleDict", value)
    else:
        new = wrapped("Parameter", Unasked("Parameter", "Variable").of(value))
    return {value: new}


def _buffer(assign: cst.Assign) -> cst.Expr | None:
    """`self.x = t` as `self.register_buffer("x", t)`."""
    target = assign.targets[0].target
    if not isinstance(target, cst.Attribute) or isinstance(assign.value, (cst.List, cst.Dict)):
        return None
    return cst.Expr(buffer(target, assign.value), semicolon=assign.semicolon)


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """Registered, and moved by the optimizer if it should learn; the first loss as before."""
    left = [f.name for f in after.findings if f.kind in FINDINGS]
    detail = f"{', '.join(left)} still is not"
    found = [Check.of("registered", not left, "the module knows all its tensors", detail)]
    if proposal.intent != _KEEP and after.trained:
        found += [moves(after, name) for name in proposal.subjects]
    if before.values and before.values.backwards and after.values and after.values.backwards:
        first, then = before.values.backwards[0].loss, after.values.backwards[0].loss
        equal = first is not None and then is not None and same_values(first, then)
        detail = "as before" if equal else "it starts from another value than before"
        found.append(Check(name="first loss", passed=equal, detail=detail))
    return found
