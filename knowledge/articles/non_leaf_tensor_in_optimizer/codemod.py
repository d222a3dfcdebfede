"""Give the optimizer what it can train: leaves, all of them, and a list that is not used up."""

from __future__ import annotations

import re

import libcst as cst

from executor.errors import is_a
from executor.protocol import Finding, JobResult, Variable
from knowledge.repair.codemod import Check, Proposal, Rewrite, Rewrites
from knowledge.repair.toolkit.dataflow import Unasked
from knowledge.repair.toolkit.edits import Edits, Program, call, method, operand, visited

_NON_LEAF, _EMPTY = "non_leaf_parameter", "no_parameters"  # error families
_OPTIMIZERS = re.compile(
    r"(^|\.)(SGD|Adam|AdamW|Adamax|Adagrad|Adadelta|RMSprop|RAdam|NAdam|Rprop|ASGD|LBFGS|SparseAdam)$"
)


_GOES_THROUGH = re.compile(r"(^|\.)(chain|list)$")


def applies(result: JobResult) -> bool:
    """The optimizer refused its parameters, or left out a tensor that gets a gradient."""
    return bool(_problem(result)) or any(_addable(f) for f in result.findings)


def _problem(result: JobResult) -> str:
    for seen in (result.error, *result.caught):
        for family in (_NON_LEAF, _EMPTY):
            if seen is not None and is_a(seen, family):
                return family
    return ""


def _addable(finding: Finding) -> bool:
    return finding.kind == "not_in_optimizer" and (
        finding.name.isidentifier() or bool(finding.facts.get("module"))
    )


def rewrite(program: Program, result: JobResult) -> Rewrites:
    """The optimizer's call repaired, or the line that made what it was given."""
    problem = _problem(result)
    optimizer = _optimizer(program, result)
    if optimizer is None or not optimizer.args:
        return
    if problem == _NON_LEAF:
        yield from _leaves(program, optimizer, result)
    elif problem == _EMPTY:
        yield from _filled(program, optimizer)
    else:
        yield from _added(program, optimizer, [f for f in result.findings if _addable(f)])


def _optimizer(program: Program, result: JobResult) -> cst.Call | None:
    """The call that makes the optimizer: the failing one, else the only one there is."""
    calls = [c for c in program.all(cst.Call) if _OPTIMIZERS.search(program.text(c.func))]
    lines = {e.line for e in (result.error, *result.caught) if e is not None}
    failing = [c for c in calls if program.line(c) in lines]
    found = failing or calls
    return found[0] if len(found) == 1 else None


# -- a tensor that was computed --------------------------------------------------------------


def _leaves(program: Program, optimizer: cst.Call, result: JobResult) -> Rewrites:
    variables: dict[str, Variable] = {}
    for frame in result.frames:
        variables |= frame.locals
    for name in program.inside(optimizer.args[0], cst.Name):
        facts = variables.get(name.value)
        if _is_leaf(facts) and (edit := _as_one(program, name)) is not None:
            told = f"`{name.value}` is one parameter, and its rows are none"
            yield Rewrite.of(program, edit, told, at=name, subjects=(name.value,))
        if facts is None or facts.is_leaf is not False:
            continue
        made = _assignment(program, name.value, program.line(optimizer))
        if made is None:
            continue
        sources = [
            n.value
            for n in program.inside(made.value, cst.Name)
            if n.value != name.value and _is_leaf(variables.get(n.value))
        ]
        where = f"line {program.line(made)}"
        if not sources:
            yield Rewrite(
                program.replace({made.value: _leaf(program, made.value, name.value)}),
                f"{where}: compute `{name.value}` first and ask for its gradient last, so that it "
                "is a leaf",
                subjects=(name.value,),
            )
            continue
        yield Rewrite(
            program.replace({name: cst.Name(sources[0])}),
            f"the optimizer trains `{sources[0]}`, and `{name.value}` follows from it",
            f"train {sources[0]}",
            (sources[0],),
        )
        yield Rewrite(
            program.replace({made.value: _cut(made.value)}),
            f"{where}: `{name.value}` starts from that value and is trained itself",
            f"train {name.value}",
            (name.value,),
        )


def _as_one(program: Program, name: cst.Name) -> Edits | None:
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


def _assignment(program: Program, name: str, before: int) -> cst.Assign | None:
    """The last `name = …` above a line."""
    found = [
        a
        for a in program.all(cst.Assign)
        if program.line(a) < before
        and len(a.targets) == 1
        and isinstance(a.targets[0].target, cst.Name)
        and a.targets[0].target.value == name
    ]
    return max(found, key=program.line, default=None)


def _leaf(program: Program, value: cst.BaseExpression, name: str) -> cst.BaseExpression:
    """The same value as a leaf: whatever asked for a gradient inside it no longer does."""
    if any(n.value == name for n in program.inside(value, cst.Name)):
        return _cut(value)  # w = w * 2: the first `w` asked, on a line of its own
    asks = _Asks()
    bare = visited(value, asks)
    if asks.parameter:
        return call(asks.parameter, cst.Arg(bare))
    return method(bare, "requires_grad_") if asks.found else _cut(value)


def _cut(value: cst.BaseExpression) -> cst.BaseExpression:
    return method(method(value, "detach"), "requires_grad_")


class _Asks(Unasked):
    """Takes every request for a gradient out of an expression, and notes how it was made."""

    parameter = ""

    def leave_Call(  # noqa: N802  (LibCST's name)
        self, original_node: cst.Call, updated_node: cst.Call
    ) -> cst.BaseExpression:
        name = cst.Module(()).code_for_node(updated_node.func)
        if name.rpartition(".")[2] == "Parameter" and updated_node.args:
            self.found, self.parameter = True, name
            return operand(updated_node.args[0].value)
        return super().leave_Call(original_node, updated_node)


# -- an empty list ---------------------------------------------------------------------------


def _filled(program: Program, optimizer: cst.Call) -> Rewrites:
    given = optimizer.args[0].value
    if isinstance(given, cst.Name):
        made = _assignment(program, given.value, program.line(optimizer))
        if made is not None and _is_generator(program, made.value):
            told = "parameters() can be walked through once; a list keeps them"
            yield Rewrite.of(
                program, {made.value: call("list", cst.Arg(made.value))}, told, at=made
            )
            return
        given = made.value if made is not None else given
    if isinstance(given, cst.List) and not given.elements:
        models = _models(program, program.line(optimizer))
        if len(models) == 1:
            new = method(cst.Name(models[0]), "parameters")
            first = optimizer.args[0].with_changes(value=new)
            what = f"the optimizer trains the parameters of `{models[0]}`"
            yield Rewrite.of(program, {optimizer.args[0]: first}, what, at=optimizer)


def _is_generator(program: Program, value: cst.BaseExpression) -> bool:
    text = program.text(value)
    return isinstance(value, cst.GeneratorExp) or bool(
        re.search(r"\.(named_)?parameters\([^()]*\)$", text) or re.match(r"(filter|map)\(", text)
    )


def _models(program: Program, before: int) -> list[str]:
    """Variables that hold a module of the snippet's own class, or one made by nn.…"""
    classes = {
        c.name.value
        for c in program.all(cst.ClassDef)
        if any("Module" in program.text(b.value) for b in c.bases)
    }
    found: list[str] = []
    for a in program.all(cst.Assign):
        target = a.targets[0].target
        if not isinstance(target, cst.Name) or program.line(a) >= before:
            continue
        made = program.text(a.value.func) if isinstance(a.value, cst.Call) else ""
        if made in classes or made.startswith(("nn.", "torch.nn.")):
            found.append(target.value)
    return list(dict.fromkeys(found))


# -- a tensor left out -----------------------------------------------------------------------


def _added(program: Program, optimizer: cst.Call, left_out: list[Finding]) -> Rewrites:
    given = optimizer.args[0].value
    more: list[str] = []
    for f in left_out:
        module = f.facts.get("module")
        text = f"*{module}.parameters()" if module else f.name
        if text not in more:
            more.append(text)
    old = program.text(given)
    if isinstance(given, cst.List):
        inner = old[1:-1].rstrip().rstrip(",")
        new = f"[{inner}, {', '.join(more)}]" if inner else f"[{', '.join(more)}]"
    elif any(word in old for word in ("params", "{")) and "parameters" not in old:
        return  # parameter groups: which group it belongs to is the person's choice
    else:
        new = f"[*{old}, {', '.join(more)}]"
    value = cst.parse_expression(new)
    yield Rewrite(
        program.replace({given: value}),
        f"line {program.line(optimizer)}: the optimizer also holds "
        + ", ".join(f"`{m.lstrip('*')}`" for m in more),
        subjects=tuple(f.name for f in left_out),
    )


# -- checks ----------------------------------------------------------------------------------


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """What the optimizer now holds gets a gradient and moves."""
    if not after.trained:
        detail = "no optimizer stepped in this snippet, so it could not be seen to learn"
        passed = not proposal.subjects
        return [Check(name="learns", passed=passed, detail=detail, tried=not passed)]
    found = []
    of_a_function = any("'s parameter " in name for name in after.moved)  # its local has no name
    for name in proposal.subjects:
        moved = name in after.moved or of_a_function
        detail = f"`{name}` is in the optimizer and moves" if moved else f"`{name}` does not move"
        found.append(Check(name="learns", passed=moved, detail=detail))
    if not proposal.subjects:
        detail = f"{len(after.moved)} parameters move" if after.moved else "no parameter moves"
        found.append(Check(name="learns", passed=bool(after.moved), detail=detail))
    return found
