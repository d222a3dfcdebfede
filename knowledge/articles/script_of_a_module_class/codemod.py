"""Take the decorator from the class and compile the instance that the snippet makes of it."""

from __future__ import annotations

import re

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrites
from knowledge.repair.toolkit.edits import Edits, call
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.keeps import tensors

ERRORS = ("script_of_class",)
KEEPS = (tensors,)


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """`script(Net())` where the module is made; nothing if none is made."""
    made = [c for c in program.all(cst.Call) if program.text(c.func) == program.said["class"]]
    for cls in program.all(cst.ClassDef):
        marks = [d for d in cls.decorators if program.text(d.decorator).endswith("jit.script")]
        if cls.name.value != program.said["class"] or len(marks) != 1 or not made:
            continue
        script = program.text(marks[0].decorator)
        edits: Edits = {c: call(script, cst.Arg(c)) for c in made}
        edits[marks[0]] = cst.RemoveFromParent()
        told = "the module is compiled once it is made, not its class"
        # `script` moves from one place to the other.
        yield program.edit(edits, told, at=made, new_name="script")


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """It is still compiled."""
    compiled = re.search(r"jit\.script\((?!\))", proposal.code) is not None
    told = "the module is compiled", "nothing is compiled any more"
    return [Check.of("compiled", compiled, *told)]
