"""A gradient that the code prints or asserts is meant, and so is a None that it announces."""

import re
from collections.abc import Iterator

from knowledge.repair.changed import lines_of
from knowledge.repair.check import refusing
from knowledge.repair.checks.runs import Tried, operations

_SHOWN = re.compile(r"\b(print|assert|display|log\w*|info)\b.*\.grad\b(?!_fn)(?!\s+is\b)")
# In a comment, which says what comes, or that it is not known.
_NONE = re.compile(r"(?<!not )\bNone\b")
_UNSURE = re.compile(r"\b(might|may|maybe|likely|probably|possibly|could|or)\b", re.IGNORECASE)


@refusing("printed gradients", "gradients that are shown are there")
def check(tried: Tried) -> Iterator[str]:
    """A line that shows a gradient shows one, or None where its comment says so."""
    lines, fixed = lines_of(tried.original, tried.fixed), tried.fixed.splitlines()
    known = {(o.kind, o.line) for o in operations(tried.reference)}
    for o in operations(tried.after):
        if o.kind not in ("grad", "no_grad") or (o.kind, lines.same.get(o.line)) in known:
            continue
        text = fixed[o.line - 1] if 0 < o.line <= len(fixed) else ""
        code, _, comment = text.partition("#")
        none = _NONE.search(comment) is not None
        open_ = none and _UNSURE.search(comment) is not None
        if _SHOWN.search(code) and not open_ and o.kind != ("no_grad" if none else "grad"):
            what = "it is None" if o.kind == "no_grad" else "its comment says None"
            yield f"line {o.line} shows a gradient, and {what}"
