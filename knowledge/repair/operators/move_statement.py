"""Move a statement to where what it makes is needed.

`self.size = …` below a line of `__init__` that reads it, or `loss.backward()` below one that reads
a gradient, stands above that line.
"""

from __future__ import annotations

import re
from itertools import takewhile

import libcst as cst

from knowledge.repair.codemod import Rewrites
from knowledge.repair.operator import Failure
from knowledge.repair.toolkit.sites import names_in, scope_of
from knowledge.repair.toolkit.statements import block, moved

TYPES = frozenset({"AttributeError", "TypeError", "UnboundLocalError"})
_NO_VALUE = re.compile(r"'NoneType'")
_FRAMES = 3


def edits(failure: Failure) -> Rewrites:
    """What is made too late above the line that failed."""
    if not failure.places or failure.places[0].frame != -1:
        return
    for place in failure.places[:_FRAMES]:
        here = _in_its_block(failure, place.node)
        if here is None:
            continue
        for late in block(failure, here):
            if failure.line(late) <= failure.line(here) or not isinstance(late, _SMALL):
                continue
            if not _is_awaited(failure, late):
                continue
            new = moved(failure, late, here)
            if new is not None:
                text = failure.text(late)
                told = f"`{text}` comes before line {failure.line(here)}"
                meant = f"`{text}` is meant to come first"
                yield failure.edit(new, told, meant, at=late, as_one=True)
                return


_SMALL = (cst.Assign, cst.Expr)


def _in_its_block(
    failure: Failure, node: cst.CSTNode
) -> cst.BaseSmallStatement | cst.BaseCompoundStatement | None:
    """The statement of a function or of the module itself that holds a node, loops included."""
    scope, around = scope_of(failure, node), failure.above(node)
    inside = [node, *takewhile(lambda n: n is not scope, around)]
    kinds = (cst.BaseSmallStatement, cst.BaseCompoundStatement)
    return next((n for n in reversed(inside) if isinstance(n, kinds)), None)


def _is_awaited(failure: Failure, late: cst.CSTNode) -> bool:
    """Whether a later statement makes what the failing line lacked."""
    error = failure.live.error
    if isinstance(error, UnboundLocalError):
        name = re.search(r"variable '(\w+)'", str(error))
        return (
            isinstance(late, cst.Assign)
            and name is not None
            and any(name[1] in names_in(t.target) for t in late.targets)
        )
    if isinstance(error, AttributeError) and isinstance(late, cst.Assign):
        attribute = getattr(error, "name", None)
        return any(failure.text(t.target) == f"self.{attribute}" for t in late.targets)
    if _NO_VALUE.search(str(error)) and isinstance(late, cst.Expr):
        reads = failure.statement is not None and ".grad" in failure.text(failure.statement)
        return reads and re.search(r"\.backward\([^()]*\)$", failure.text(late)) is not None
    return False
