"""A reshape may only split dimensions, or merge neighbouring ones: it may not cut across them."""

import re
from collections.abc import Iterator

from executor.protocol import Operation
from knowledge.repair.changed import lines_of
from knowledge.repair.check import refusing
from knowledge.repair.checks.runs import Tried, operations

_RESHAPES = {
    "view", "reshape", "flatten", "unflatten", "view_as", "reshape_as", "ravel",
}  # fmt: skip


@refusing("neighbours", "reshapes split dimensions, or merge neighbours")
def check(tried: Tried) -> Iterator[str]:
    """No reshape on a line that was touched regroups dimensions, unless the original's did."""
    touched = lines_of(tried.original, tried.fixed).touched(tried.before)
    theirs = [o for o in operations(tried.reference) if o.name in _RESHAPES]
    for o in operations(tried.after):
        if o.name not in _RESHAPES or o.line not in touched or o.output is None:
            continue
        known = any(_same(o, old) for old in theirs) or _as_it_stood(o, tried)
        if cuts_across(o.inputs[0], o.output) and not known:
            detail = f"`{o.name}` at line {o.line} cuts across dimensions: "
            detail += f"{list(o.inputs[0])} → {list(o.output)}"
            yield detail


def _same(new: Operation, old: Operation) -> bool:
    """Whether the original asked for it with the same sizes, on whatever memory."""
    return new.inputs == old.inputs and (new.sizes == old.sizes or new.output == old.output)


def _as_it_stood(o: Operation, tried: Tried) -> bool:
    """Whether a changed line holds the very call that the original had, which nobody reached."""
    lines = lines_of(tried.original, tried.fixed)
    if o.line not in lines.changed:
        return False
    text = tried.fixed.splitlines()[o.line - 1]
    calls = re.findall(rf"\b{o.name}\((?:[^()]|\([^()]*\))*\)", text)
    return bool(calls) and all(call in tried.original for call in calls)


def cuts_across(before: tuple[int, ...], after: tuple[int, ...]) -> bool:
    """Whether some dimensions became others that are neither parts of one nor one of several."""
    old, new = [n for n in before if n != 1], [n for n in after if n != 1]
    i = j = 0
    while i < len(old) and j < len(new):
        taken, given = 1, 1
        left, right = old[i], new[j]
        while left != right:
            if left < right:
                if i + taken >= len(old):
                    return True
                left *= old[i + taken]
                taken += 1
            else:
                if j + given >= len(new):
                    return True
                right *= new[j + given]
                given += 1
        if taken > 1 and given > 1:
            return True
        i, j = i + taken, j + given
    return False
