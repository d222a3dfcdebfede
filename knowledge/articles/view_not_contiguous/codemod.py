"""Write reshape for a view that the tensor's order in memory does not allow."""

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Rewrites
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.keeps import computed, numbers
from knowledge.repair.toolkit.sites import names_in, scope_of

ERRORS = ("view_not_contiguous",)
KEEPS = (computed(instead=((r"\.view\(", ".reshape("),)), numbers)


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """The call with reshape; nothing where the view is written into: a copy would not be seen."""
    call = program.node
    if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute):
        return
    if call.func.attr.value != "view" or _written_into(program, call):
        return
    told = "reshape copies where a view is not possible"
    yield program.edit({call.func.attr: cst.Name("reshape")}, told, at=call)


def _written_into(program: Failed, call: cst.Call) -> bool:
    """Whether what the view is called is changed in place: `v[0] = 1`, `v += 1`, `v.zero_()`."""
    assign = program.up(call, cst.Assign)
    names = {n for t in assign.targets for n in names_in(t.target)} if assign is not None else set()
    scope = scope_of(program, call)
    for node in program.inside(scope, cst.Subscript):
        target = program.parent(node)
        if (
            isinstance(target, (cst.AssignTarget, cst.AugAssign))
            and program.text(node.value) in names
        ):
            return True
    for changed in program.inside(scope, cst.AugAssign):
        if program.text(changed.target) in names:
            return True
    outer = program.parent(call)
    assigned = isinstance(outer, cst.Subscript) and isinstance(
        program.parent(outer), (cst.AssignTarget, cst.AugAssign)
    )
    direct = isinstance(outer, cst.Attribute) and outer.attr.value.endswith("_")
    for used in program.inside(scope, cst.Attribute):
        in_place = used.attr.value.endswith("_") and not used.attr.value.endswith("__")
        if in_place and program.text(used.value) in names:
            return True
    return direct or assigned
