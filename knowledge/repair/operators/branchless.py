"""Choose between two values by `torch.where` for an `if` that a compiler cannot follow.

`if c: x = f(x)` becomes `x = torch.where(c, f(x), x)`: both are computed, and the tensor `c` picks.
So do two results of which an `if` returns one.
"""

import re
from collections.abc import Sequence

import libcst as cst

from executor.protocol import SNIPPET
from knowledge.repair.codemod import Rewrites
from knowledge.repair.operator import Failure
from knowledge.repair.toolkit.edits import Edits
from knowledge.repair.toolkit.sites import assignment, names_in

ERRORS = ("graph_break_on_data", "item_under_vmap", "export_data_dependent")

_AT = re.compile(rf'File "[^"\n]{{0,200}}{re.escape(SNIPPET)}", line (\d+)')
_PLAIN = (cst.Comparison, cst.Name, cst.Attribute, cst.Call)  # `a and b` is no tensor


def edits(failure: Failure) -> Rewrites:
    """The branch that the error names, where it gives one name one other value."""
    lines = [int(n) for n in _AT.findall(str(failure.live.error))]
    here = lines[-1] if lines else failure.error.line  # vmap fails in the frame itself
    branch = next((b for b in failure.all(cst.If) if failure.line(b) == here), None)
    made = _only(branch.body) if branch is not None else None
    if branch is None or not isinstance(branch.test, _PLAIN):
        return
    whole = _whole(failure, branch)
    yield from _of_returns(failure, branch, whole)
    if made is None:
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
    where = cst.parse_expression(failure.name_of("torch", "where"))
    picked = cst.Call(where, [cst.Arg(v) for v in (branch.test, made.value, other)])
    line = cst.SimpleStatementLine(
        [made.with_changes(value=picked)], leading_lines=branch.leading_lines
    )
    told = f"`{failure.text(branch.test)}` picks one of two values of `{target}`"
    meant = f"{told}, and both may be computed"
    yield failure.edit({**whole, branch: line}, told, meant, at=branch, supposes=True)


def _whole(failure: Failure, branch: cst.If) -> Edits:
    """`n = used` for `n = used.item()`, where the branch asks for `n`: a tensor picks."""
    changes: Edits = {}
    for name in failure.inside(branch.test, cst.Name):
        made = assignment(failure, name.value, branch)
        value = made.value if made is not None else None
        function = value.func if isinstance(value, cst.Call) else None
        if isinstance(function, cst.Attribute) and function.attr.value == "item" and value:
            changes[value] = function.value
    return changes


def _of_returns(failure: Failure, branch: cst.If, whole: Edits) -> Rewrites:
    """`return torch.where(c, a, b)` for `if c: return a` and the `return b` behind it."""
    body = failure.parent(branch)
    if not isinstance(body, cst.IndentedBlock):
        return
    behind = body.body[body.body.index(branch) + 1 :]
    after = branch.orelse.body.body if isinstance(branch.orelse, cst.Else) else behind
    values = [_returned(branch.body.body), _returned(after)]
    if None in values or (branch.orelse is not None and behind) or len(after) != 1:
        return
    where = cst.parse_expression(failure.name_of("torch", "where"))
    given = [cst.Arg(v) for v in (branch.test, *values) if v is not None]
    line = cst.SimpleStatementLine(
        [cst.Return(cst.Call(where, given))], leading_lines=branch.leading_lines
    )
    changes: Edits = {**whole, branch: line}
    if branch.orelse is None:
        changes[after[0]] = cst.RemoveFromParent()
    told = f"`{failure.text(branch.test)}` picks one of two results"
    meant = f"{told}, and both may be computed"
    yield failure.edit(changes, told, meant, at=branch, supposes=True)


def _returned(body: Sequence[cst.CSTNode]) -> cst.BaseExpression | None:
    """`x` of a block that is `return x` alone."""
    line = body[0] if len(body) == 1 else None
    small = line.body if isinstance(line, cst.SimpleStatementLine) else ()
    return small[0].value if len(small) == 1 and isinstance(small[0], cst.Return) else None


def _only(body: cst.BaseSuite) -> cst.Assign | None:
    """`x = …`, where a block holds nothing else."""
    [line, *more] = body.body
    small = line.body if isinstance(line, cst.SimpleStatementLine) else ()
    if len(small) != 1 or more or not isinstance(small[0], cst.Assign):
        return None
    [first, *others] = small[0].targets
    return small[0] if not others and isinstance(first.target, cst.Name) else None
