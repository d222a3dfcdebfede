"""Keep what is no tensor as an attribute of ctx, and read it from there in backward."""

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrite, Rewrites
from knowledge.repair.toolkit.edits import Edits, separated
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.flow import parameters
from knowledge.repair.toolkit.keeps import leaves, tensors
from knowledge.repair.toolkit.sites import calls, seen_as

ERRORS = ("saved_no_tensor",)
KEEPS = (leaves, tensors)


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """`ctx.k = k` below the save, `k = ctx.k` below the unpacking."""
    if program.statement is None:
        return
    for cls in program.all(cst.ClassDef):
        edits = _moved(program, cls, program.statement)
        if edits:
            names = ", ".join(f"`{n}`" for n in edits[1])
            yield Rewrite(
                program.replace(edits[0]),
                f"{names} kept as an attribute of ctx: save_for_backward is for tensors",
                new_name=edits[2],
            )
            return


def _moved(
    program: Failed, cls: cst.ClassDef, line: cst.SimpleStatementLine
) -> tuple[Edits, list[str], str] | None:
    """The edits for a Function that the failing line applies; what moves; its ctx."""
    body = {f.name.value: f for f in program.inside(cls, cst.FunctionDef)}
    forward, backward = body.get("forward"), body.get("backward")
    if forward is None or backward is None or not forward.params.params:
        return None
    ctx = forward.params.params[0].name.value
    saves = list(calls(program, rf"^{ctx}\.save_for_backward$", forward))
    read = backward.params.params[0].name.value if backward.params.params else ""
    unpacked = [
        a
        for a in program.inside(backward, cst.Assign)
        if program.text(a.value) == f"{read}.saved_tensors" and len(a.targets) == 1
    ]
    if len(saves) != 1 or len(unpacked) != 1:
        return None
    names = [program.text(a.value) for a in saves[0].args]
    target = unpacked[0].targets[0].target
    into = [program.text(e.value) for e in target.elements] if isinstance(target, cst.Tuple) else []
    given = _given(program, cls, forward, line)
    if len(into) != len(names) or not all(n.isidentifier() for n in (*names, *into)):
        return None
    if not set(names) <= parameters(program, saves[0]) or any(n not in given for n in names):
        return None
    numbers = [n for n in names if not given[n]]
    kept = [i for i, n in enumerate(names) if given[n]]
    save, unpack = (
        program.up(saves[0], cst.SimpleStatementLine),
        program.up(unpacked[0], cst.SimpleStatementLine),
    )
    if not numbers or save is None or unpack is None or len(save.body) + len(unpack.body) != 2:
        return None
    edits: Edits = {}
    added = [cst.parse_statement(f"{ctx}.{n} = {n}\n") for n in numbers]
    back = [cst.parse_statement(f"{into[names.index(n)]} = {read}.{n}\n") for n in numbers]
    if kept:
        arguments = separated(saves[0].args[i] for i in kept)
        edits[save] = cst.FlattenSentinel(
            [save.with_deep_changes(saves[0], args=arguments), *added]
        )
        text = ", ".join(into[i] for i in kept) + ("," if len(kept) == 1 else "")
        new = cst.ensure_type(
            cst.parse_statement(f"{text} = {read}.saved_tensors\n"), cst.SimpleStatementLine
        )
        edits[unpack] = cst.FlattenSentinel([unpack.with_changes(body=new.body), *back])
    else:
        for old, lines in ((save, added), (unpack, back)):
            first = lines[0].with_changes(leading_lines=old.leading_lines)
            edits[old] = cst.FlattenSentinel([first, *lines[1:]])
    return edits, numbers, ctx


def _given(
    program: Failed, cls: cst.ClassDef, forward: cst.FunctionDef, line: cst.SimpleStatementLine
) -> dict[str, bool]:
    """For each parameter of forward, whether the failing call gave a tensor; unknown ones miss."""
    names = [p.name.value for p in forward.params.params[1:]]
    applied = {f"{cls.name.value}.apply"}
    for assign in program.all(cst.Assign):
        if program.text(assign.value) in applied:
            applied.add(program.text(assign.targets[0].target))
    calls = [c for c in program.inside(line, cst.Call) if program.text(c.func) in applied]
    if len(calls) != 1 or len(calls[0].args) != len(names):
        return {}
    # What slices count with is no tensor: `x[:, steps:]`.
    bounds = (b for s in program.inside(forward, cst.Slice) for b in (s.lower, s.upper))
    counted = {program.text(b).lstrip("-") for b in bounds if b is not None}
    found = {}
    for name, given in zip(names, calls[0].args, strict=True):
        facts = program.seen.get(program.text(given.value))
        if isinstance(given.value, (cst.Integer, cst.Float)):
            found[name] = False
        elif facts is not None:
            found[name] = facts.is_leaf is not None
        elif name in counted:
            found[name] = False
    return found


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """A tensor still goes through save_for_backward, and the gradients arrive."""
    seen = seen_as(before, *ERRORS)
    saved = "save_for_backward(" in proposal.code or (seen is not None and seen["argument"] == "0")
    told = "tensors are saved for backward", "nothing is saved for backward"
    return [Check.of("saved", saved, *told)]
