"""Take the decorator from the class and compile the instance that the snippet makes of it."""

from __future__ import annotations

import re

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrite, Rewrites
from knowledge.repair.computed import same_tensors
from knowledge.repair.toolkit.edits import New, Program, call
from knowledge.repair.toolkit.sites import seen_as

ERRORS = ("script_of_class",)


def rewrite(program: Program, result: JobResult) -> Rewrites:
    """`script(Net())` where the module is made; nothing if none is made."""
    m = seen_as(result, *ERRORS)
    if m is None:
        return
    made = [c for c in program.all(cst.Call) if program.text(c.func) == m["class"]]
    for cls in program.all(cst.ClassDef):
        marks = [d for d in cls.decorators if program.text(d.decorator).endswith("jit.script")]
        if cls.name.value != m["class"] or len(marks) != 1 or not made:
            continue
        script = program.text(marks[0].decorator)
        edits: dict[cst.CSTNode, New] = {c: call(script, cst.Arg(c)) for c in made}
        edits[marks[0]] = cst.RemoveFromParent()
        lines = " and ".join(str(program.line(c)) for c in made)
        yield Rewrite(
            program.replace(edits),
            f"line {lines}: the module is compiled once it is made, not its class",
            new_name="script",  # moved from one place to the other
        )


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """It is still compiled."""
    compiled = re.search(r"jit\.script\((?!\))", proposal.code) is not None
    return [
        Check.of("compiled", compiled, "the module is compiled", "nothing is compiled any more"),
        same_tensors(before, after, proposal.code),
    ]
