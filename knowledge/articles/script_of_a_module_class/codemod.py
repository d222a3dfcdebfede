"""Take the decorator from the class and compile the instance that the snippet makes of it."""

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Rewrites
from knowledge.repair.toolkit.edits import Edits, call
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.keeps import tensors, written

ERRORS = ("script_of_class",)
_TOLD = "the module is compiled", "nothing is compiled any more"
KEEPS = (tensors, written("compiled", *_TOLD, has=r"jit\.script\((?!\))"))


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
