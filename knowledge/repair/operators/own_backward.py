"""Turn a gradient that a backward of one's own returns the other way round than its input is.

`x.t() @ grad` becomes `grad.t() @ x`; what is no product gets a `.t()`.
"""

from __future__ import annotations

import re

import libcst as cst

from executor.errors import HasMessage, read
from executor.protocol import JobResult
from knowledge.repair.codemod import Rewrites
from knowledge.repair.operator import Failure
from knowledge.repair.toolkit.edits import method
from knowledge.repair.toolkit.shapes import sizes
from knowledge.repair.toolkit.sites import assignment


def applies(result: JobResult) -> bool:
    """A gradient has the two sizes of its input in the other order."""
    return result.error is not None and _turned(result.error) is not None


def _turned(error: HasMessage) -> tuple[str, int] | None:
    """The class of the function, and which of its gradients it is."""
    said = read(error, "backward_shape")
    if said is None:
        return None
    given, wanted = sizes(said["given"]), sizes(said["expected"])
    is_turned = len(given) == 2 and given == wanted[::-1]
    return (said["function"], int(said["index"])) if is_turned else None


def edits(failure: Failure) -> Rewrites:
    """The value that `backward` returns in that place, turned where it is made."""
    said = _turned(failure.error)
    owner = next((c for c in failure.all(cst.ClassDef) if said and c.name.value == said[0]), None)
    if said is None or owner is None:
        return
    returns = [
        r
        for r in failure.inside(owner, cst.Return)
        if (f := failure.up(r, cst.FunctionDef)) is not None and f.name.value == "backward"
    ]
    given = returns[0].value if len(returns) == 1 else None
    if not isinstance(given, cst.Tuple) or said[1] >= len(given.elements):
        return
    old = given.elements[said[1]].value
    made = assignment(failure, old.value, old) if isinstance(old, cst.Name) else None
    name, old = failure.text(old), made.value if made is not None else old
    if isinstance(old, cst.BinaryOperation) and isinstance(old.operator, cst.MatrixMultiply):
        left, right = (_other_way(failure.text(side), side) for side in (old.left, old.right))
        new: cst.BaseExpression = old.with_changes(left=right, right=left)
    else:
        new = _other_way(failure.text(old), old)
    told = f"`{name}` is turned to the form of the input that it is the gradient of"
    yield failure.edit({old: new}, told)


def _other_way(text: str, node: cst.BaseExpression) -> cst.BaseExpression:
    """`x` of `x.t()` and of `x.T`, else `x.t()`."""
    bare = re.fullmatch(r"([\w.]+?)(?:\.t\(\)|\.T)", text)
    return cst.parse_expression(bare[1]) if bare is not None else method(node, "t")
