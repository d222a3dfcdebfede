"""Write one operand's letters in the only order in which every letter has one size."""

import re
from collections.abc import Sequence
from itertools import permutations

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrites
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.keeps import computed, numbers
from knowledge.repair.toolkit.shapes import Shape, live_shape
from knowledge.repair.toolkit.sites import seen_error

ERRORS = ("einsum_sizes",)
KEEPS = (computed(instead=((r"(['\"])[\w,]+->\w*", r"\1"),)), numbers)


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """Another order of one operand's letters, if only one fits."""
    call = program.node
    if not isinstance(call, cst.Call) or len(call.args) < 3:
        return
    equation = call.args[0].value
    if any(a.star or a.keyword for a in call.args) or not isinstance(equation, cst.SimpleString):
        return
    shapes = [live_shape(program, result, a.value) for a in call.args[1:]]
    known = [s for s in shapes if s is not None]
    terms, arrow, out = equation.raw_value.partition("->")
    letters = terms.split(",")
    if len(known) != len(letters) or not re.fullmatch(r"[a-zA-Z,]+", terms) or not arrow:
        return
    fitting = [
        (i, "".join(order))
        for i, term in enumerate(letters)
        if len(term) == len(set(term)) <= 5
        for order in permutations(term)
        if _fits([*letters[:i], "".join(order), *letters[i + 1 :]], known)
    ]
    # Of [3, 2, 3] two orders may fit; the one that moves fewer letters is meant.
    moved = [sum(a != b for a, b in zip(o, letters[i], strict=True)) for i, o in fitting]
    if moved.count(min(moved, default=0)) != 1:
        return
    at, order = fitting[moved.index(min(moved))]
    new = ",".join([*letters[:at], order, *letters[at + 1 :]]) + arrow + out
    quote = equation.value[0] if not equation.prefix else ""
    if quote not in ("'", '"'):
        return
    told = f"the dimensions of `{program.text(call.args[at + 1].value)}` {list(known[at])} are"
    mended = cst.SimpleString(f"{quote}{new}{quote}")
    yield program.edit({equation: mended}, f"{told} `{order}`, not `{letters[at]}`", at=call)


def _fits(letters: Sequence[str], shapes: Sequence[Shape]) -> bool:
    sizes: dict[str, int] = {}
    for term, shape in zip(letters, shapes, strict=True):
        if len(term) != len(shape):
            return False
        for letter, size in zip(term, shape, strict=True):
            if sizes.setdefault(letter, size) != size:
                return False
    return True


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The same dimensions are in the result."""
    error = seen_error(before, *ERRORS)
    wanted = re.search(r"->\w*", error.code if error is not None else "")
    same = wanted is not None and wanted[0] in proposal.code
    return [Check(name="result", passed=same, detail="the result has the same dimensions")]
