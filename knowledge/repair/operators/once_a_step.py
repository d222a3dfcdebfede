"""Unscale and clip the gradients where the optimizer steps, once for all batches that add them up.

`scaler.unscale_(optimizer)` outside of the branch with `scaler.step(optimizer)` comes a second time
before `scaler.update()`. What clips the gradients goes with it: before, they have another scale.
"""

import re

import libcst as cst

from knowledge.repair.codemod import Rewrites
from knowledge.repair.operator import Failure
from knowledge.repair.toolkit.edits import Edits
from knowledge.repair.toolkit.keeps import asked, written
from knowledge.repair.toolkit.sites import names_in
from knowledge.repair.toolkit.statements import Small, block

ERRORS = ("unscaled_twice",)
_TOLD = "the scale is updated where it was", "the scale is updated more often"
KEEPS = (asked, written("scale", *_TOLD, lacks=r"\.update\(\)[^#]*\.update\(\)"))
_CLIPS = re.compile(r"\bclip_grad_(?:norm|value)_\(")


def edits(failure: Failure) -> Rewrites:
    """The statements at the top of the branch in which the step is made."""
    node = failure.node
    small = failure.small_statement(node) if node is not None else None
    if not isinstance(small, cst.Expr) or small.value is not node:
        return
    owner, _, rest = failure.text(node).partition(".unscale_")
    there = block(failure, small)
    gone: list[Small] = [small]
    for n, later in enumerate(there[there.index(small) + 1 :], there.index(small) + 2):
        if isinstance(later, (cst.Expr, cst.Assign)) and _CLIPS.search(failure.text(later)):
            gone.append(later)
        elif isinstance(later, cst.If) and f"{owner}.step{rest}" in failure.text(later.body):
            given = [t.target for s in gone if isinstance(s, cst.Assign) for t in s.targets]
            kept = {name for target in given for name in names_in(target)}
            after = [*there[n:], *([later.orelse] if later.orelse else [])]
            used = {name.value for part in after for name in failure.inside(part, cst.Name)}
            lines = [line for s in gone if (line := failure.parent(s)) is not None]
            alone = all(len(getattr(line, "body", ())) == 1 for line in lines)
            if alone and not kept & used and isinstance(later.body, cst.IndentedBlock):
                changes: Edits = {line: cst.RemoveFromParent() for line in lines}
                changes[later.body] = later.body.with_changes(body=[*lines, *later.body.body])
                told = "once for each step, where it is made"
                meaning = "the gradients of all batches of a step are to be unscaled together"
                yield failure.edit(changes, told, meaning, at=small, as_one=True)
            return
