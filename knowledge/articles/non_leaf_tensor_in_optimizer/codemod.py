"""Give the optimizer what it can train: leaves, all of them, and a list that is not used up."""

import re

import libcst as cst

from executor.errors import is_a
from executor.protocol import Finding, JobResult, Variable
from knowledge.repair.codemod import Check, Proposal, Rewrite, Rewrites
from knowledge.repair.toolkit.dataflow import Unasked
from knowledge.repair.toolkit.edits import Edits, call, method
from knowledge.repair.toolkit.empty_optimizer import filled
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.sites import OPTIMIZERS, assigned_above, calls, seen_error

_NON_LEAF, _EMPTY = "non_leaf_parameter", "no_parameters"  # error families
_GOES_THROUGH = re.compile(r"(^|\.)(chain|list)$")


def applies(result: JobResult) -> bool:
    """The optimizer refused its parameters, or left out a tensor that gets a gradient."""
    refused = seen_error(result, _NON_LEAF, _EMPTY) is not None
    return refused or any(_addable(f) for f in result.findings)


def _addable(finding: Finding) -> bool:
    named = finding.name.isidentifier() or bool(finding.facts.get("module"))
    return finding.kind == "not_in_optimizer" and named


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """The optimizer's call repaired, or the line that made what it was given."""
    optimizer, error = _optimizer(program, result), seen_error(result, _NON_LEAF, _EMPTY)
    if optimizer is None or not optimizer.args:
        return
    if error is None:
        yield from _added(program, optimizer, [f for f in result.findings if _addable(f)])
    elif is_a(error, _NON_LEAF):
        yield from _leaves(program, optimizer)
    else:
        yield from filled(program, optimizer)


def _optimizer(program: Failed, result: JobResult) -> cst.Call | None:
    """The call that makes the optimizer: the failing one, else the only one there is."""
    made = list(calls(program, OPTIMIZERS))
    lines = {e.line for e in (result.error, *result.caught) if e is not None}
    found = [c for c in made if program.line(c) in lines] or made
    return found[0] if len(found) == 1 else None


# -- a tensor that was computed --------------------------------------------------------------


def _leaves(program: Failed, optimizer: cst.Call) -> Rewrites:
    seen = {n: v for frame in program.result.frames for n, v in frame.locals.items()}
    for name in program.inside(optimizer.args[0], cst.Name):
        facts, own = seen.get(name.value), (name.value,)
        if _is_leaf(facts) and (edit := _as_one(program, name)) is not None:
            told = f"`{name.value}` is one parameter, and its rows are none"
            yield program.edit(edit, told, at=name, subjects=own)
        made = assigned_above(program, name.value, program.line(optimizer))
        if facts is None or facts.is_leaf is not False or made is None:
            continue
        names = [n.value for n in program.inside(made.value, cst.Name) if n.value != name.value]
        source = next((n for n in names if _is_leaf(seen.get(n))), None)
        if source is None:
            told = (
                f"compute `{name.value}` first and ask for its gradient last, so that it is a leaf"
            )
            leaf = _leaf(program, made.value, name.value)
            yield program.edit({made.value: leaf}, told, at=made, subjects=own)
            continue
        told = f"the optimizer trains `{source}`, and `{name.value}` follows from it"
        module = program.replace({name: cst.Name(source)})
        yield Rewrite(module, told, f"train {source}", (source,))
        told = f"`{name.value}` starts from that value and is trained itself"
        edits: Edits = {made.value: _cut(made.value)}
        yield program.edit(edits, told, f"train {name.value}", at=made, subjects=own)


def _as_one(program: Failed, name: cst.Name) -> Edits | None:
    """`[w]` for `w` where it is gone through: in `chain(…, w)`, `list(w)` and `[…, *w]`."""
    parent = program.parent(name)
    if isinstance(parent, cst.StarredElement):
        return {parent: cst.Element(name, comma=parent.comma)}
    call_ = program.parent(parent) if isinstance(parent, cst.Arg) else None
    if isinstance(call_, cst.Call) and _GOES_THROUGH.search(program.text(call_.func)):
        one = cst.List([cst.Element(name)])
        return {name: one} if program.text(call_.func).endswith("chain") else {call_: one}
    return None


def _is_leaf(variable: Variable | None) -> bool:
    return variable is not None and bool(variable.requires_grad) and bool(variable.is_leaf)


def _leaf(program: Failed, value: cst.BaseExpression, name: str) -> cst.BaseExpression:
    """The same value as a leaf: whatever asked for a gradient inside it no longer does."""
    if any(n.value == name for n in program.inside(value, cst.Name)):
        return _cut(value)  # w = w * 2: the first `w` asked, on a line of its own
    asks = Unasked("Parameter")
    bare = asks.of(value)
    if asks.wrapper:
        return call(asks.wrapper, cst.Arg(bare))
    return method(bare, "requires_grad_") if asks.found else _cut(value)


def _cut(value: cst.BaseExpression) -> cst.BaseExpression:
    return method(method(value, "detach"), "requires_grad_")


# -- a tensor left out -----------------------------------------------------------------------


def _added(program: Failed, optimizer: cst.Call, left_out: list[Finding]) -> Rewrites:
    given = optimizer.args[0].value
    of = ((f.facts.get("module"), f.name) for f in left_out)
    more = list(dict.fromkeys(f"*{module}.parameters()" if module else name for module, name in of))
    old = program.text(given)
    if isinstance(given, cst.List):
        held = old[1:-1].rstrip().rstrip(",")
    elif any(word in old for word in ("params", "{")) and "parameters" not in old:
        return  # parameter groups: which group it belongs to is the person's choice
    else:
        held = f"*{old}"
    new = cst.parse_expression(f"[{', '.join(filter(None, (held, *more)))}]")
    told = "the optimizer also holds " + ", ".join(f"`{m.lstrip('*')}`" for m in more)
    names = tuple(f.name for f in left_out)
    yield program.edit({given: new}, told, at=optimizer, subjects=names)


# -- checks ----------------------------------------------------------------------------------


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """What the optimizer now holds gets a gradient and moves."""
    if not after.trained:
        detail = "no optimizer stepped in this snippet, so it could not be seen to learn"
        passed = not proposal.subjects
        return [Check(name="learns", passed=passed, detail=detail, tried=not passed)]
    of_a_function = any("'s parameter " in name for name in after.moved)  # its local has no name
    found = []
    for name in proposal.subjects:
        told = f"`{name}` is in the optimizer and moves", f"`{name}` does not move"
        found.append(Check.of("learns", name in after.moved or of_a_function, *told))
    told = f"{len(after.moved)} parameters move", "no parameter moves"
    return found or [Check.of("learns", bool(after.moved), *told)]
