"""Reset the gradients before each backward, by the optimizer that steps on them."""

from __future__ import annotations

import re
from collections.abc import Iterable

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrite
from knowledge.repair.computed import backwards
from knowledge.repair.fingerprints import same_values
from knowledge.repair.toolkit.edits import Program

_KIND = "gradients_accumulate"


def applies(result: JobResult) -> bool:
    """An optimizer stepped on gradients that still held those of the step before."""
    return any(f.kind == _KIND for f in result.findings)


def rewrite(program: Program, result: JobResult) -> Iterable[Rewrite]:
    """`optimizer.zero_grad()` above the backward that comes before its step."""
    steps = _lines(program, r"^(\w+(?:\.\w+)*)\.step\(\)$")
    optimizers = [s for s in steps if not re.search(r"sched|scaler", program.text(s))]
    backward = _lines(program, r"\.backward\(.*\)$")
    if len(optimizers) != 1 or len(backward) != 1:
        return
    step, line = optimizers[0], backward[0]
    if program.parent(step) is not program.parent(line) or program.line(step) < program.line(line):
        return  # steps after several backwards may add up on purpose
    name = program.text(step.body[0]).rpartition(".")[0]
    yield Rewrite(
        program.replace({}, before={line: f"{name}.zero_grad()\n"}),
        f"line {program.line(line)}: every step starts from gradients of its own",
    )


def _lines(program: Program, pattern: str) -> list[cst.SimpleStatementLine]:
    found = [
        s
        for s in program.all(cst.SimpleStatementLine)
        if len(s.body) == 1 and re.search(pattern, program.text(s.body[0]))
    ]
    return sorted(found, key=program.line)


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The finding is gone; the first backward is the same, and every later one its own."""
    left = [f for f in after.findings if f.kind == _KIND]
    found = [
        Check(name="reset", passed=not left, detail=left[0].message if left else "reset each step")
    ]
    old, new = backwards(before), backwards(after)
    equal = len(old) == len(new) and bool(new)
    if equal:
        pairs = list(zip(old[0].grads, new[0].grads, strict=False))
        equal = len(old[0].grads) == len(new[0].grads) and all(same_values(a, b) for a, b in pairs)
    detail = "the first step is as before" if equal else "the first step is another one"
    found.append(Check(name="first step", passed=equal, detail=detail))
    return found
