"""Leave the padding of dimensions away that a tensor has not."""

import re

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Rewrites
from knowledge.repair.toolkit.comments import above, commented
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.keeps import computed, numbers
from knowledge.repair.toolkit.sites import argument

ERRORS = ("padding_dimensions",)
KEEPS = (computed(), numbers)
_PLACES = ("width", "height", "depth")  # the last dimension first


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """Without the pairs that are left over, where they pad nothing."""
    call, found = program.node, program.said
    if not isinstance(call, cst.Call):
        return
    given = argument(call, 1, "pad")
    if given is None or not isinstance(given.value, (cst.Tuple, cst.List)):
        return
    written, dimensions = found.numbers("amounts", "dimensions")
    elements = given.value.elements
    if len(elements) != written or any(isinstance(e, cst.StarredElement) for e in elements):
        return
    if any(program.text(e.value) != "0" for e in elements[2 * dimensions :]):
        return
    kept = [*elements[: 2 * dimensions]]
    pairs = [kept[n : n + 2] for n in range(0, len(kept), 2)]
    padded = {n for n, p in enumerate(pairs) if any(program.text(e.value) != "0" for e in p)}
    code, line = program.module.code, program.line(call)
    comments = commented(code)
    said = " ".join([*above(line, comments, code), comments.get(line, "")])
    named = {n for n, word in enumerate(_PLACES) if re.search(rf"\b{word}\b", said, re.IGNORECASE)}
    if named and named != padded:
        return  # it is to be padded elsewhere
    kept[-1] = kept[-1].with_changes(comma=elements[-1].comma)
    new = given.value.with_changes(elements=kept)
    places = ", ".join(str(dimensions - 1 - n) for n in sorted(padded, reverse=True))
    told = f"a tensor with {dimensions} dimensions takes {dimensions} pairs, the last dimension's"
    meant = f"what is padded is dimension {places}"
    # Who gives a pair too many may count them from the front.
    yield program.edit({given.value: new}, f"{told} first", meant, at=call, supposes=not named)
