"""Call matmul where bmm got something else than two batches of matrices."""

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Rewrites
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.keeps import computed, numbers
from knowledge.repair.toolkit.shapes import live_shape

ERRORS, CODE, LAYERS = ("bmm_dimensions",), r"bmm\(", ""
KEEPS = (computed(instead=(("bmm", "matmul"),)), numbers)


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """matmul, if it can multiply the two."""
    call = program.node
    if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute):
        return
    if call.func.attr.value != "bmm" or any(a.star or a.keyword for a in call.args):
        return
    plain = [a.value for a in call.args]
    if len(plain) == 1:
        plain = [call.func.value, *plain]
    if len(plain) != 2:
        return
    left, right = (live_shape(program, result, p) for p in plain)
    if left is None or right is None or min(len(left), len(right)) < 2 or left[-1] != right[-2]:
        return
    new = call.with_changes(func=call.func.with_changes(attr=cst.Name("matmul")))
    told = f"matmul takes {list(left)} and {list(right)}, bmm only two batches of matrices"
    yield program.edit({call: new}, told)
