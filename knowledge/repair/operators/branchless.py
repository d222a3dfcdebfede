"""Choose between two values by `torch.where` for an `if` that a compiler cannot follow.

`if c: x = f(x)` becomes `x = torch.where(c, f(x), x)`: both are computed, and the tensor `c` picks.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

import libcst as cst

from executor.protocol import SNIPPET
from knowledge.repair.codemod import Rewrite
from knowledge.repair.operator import Failure
from knowledge.repair.toolkit.sites import names_in

ERRORS = ("graph_break_on_data", "item_under_vmap")

_AT = re.compile(rf'File "[^"\n]{{0,200}}{re.escape(SNIPPET)}", line (\d+)')
_PLAIN = (cst.Comparison, cst.Name, cst.Attribute, cst.Call)  # `a and b` is no tensor


def edits(failure: Failure) -> Iterable[Rewrite]:
    """The branch that the error names, where it gives one name one other value."""
    program, lines = failure.program, [int(n) for n in _AT.findall(str(failure.live.error))]
    branch = next((b for b in program.all(cst.If) if lines and program.line(b) == lines[-1]), None)
    made = _only(branch.body) if branch is not None else None
    if branch is None or made is None or not isinstance(branch.test, _PLAIN):
        return
    [target] = names_in(made.targets[0].target)
    other: cst.BaseExpression = cst.Name(target)
    if isinstance(branch.orelse, cst.Else):
        second = _only(branch.orelse.body)
        if second is None or names_in(second.targets[0].target) != {target}:
            return
        other = second.value
    elif branch.orelse is not None:
        return
    where = cst.parse_expression(program.name_of("torch", "where"))
    picked = cst.Call(where, [cst.Arg(v) for v in (branch.test, made.value, other)])
    line = cst.SimpleStatementLine(
        [made.with_changes(value=picked)], leading_lines=branch.leading_lines
    )
    told = f"`{program.text(branch.test)}` picks one of two values of `{target}`"
    meant = f"{told}, and both may be computed"
    yield failure.edit({branch: line}, told, meant, supposes=True)


def _only(body: cst.BaseSuite) -> cst.Assign | None:
    """`x = …`, where a block holds nothing else."""
    [line, *more] = body.body
    small = line.body if isinstance(line, cst.SimpleStatementLine) else ()
    if len(small) != 1 or more or not isinstance(small[0], cst.Assign):
        return None
    [first, *others] = small[0].targets
    return small[0] if not others and isinstance(first.target, cst.Name) else None
