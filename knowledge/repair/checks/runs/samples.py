"""The batch stays the batch: a sample's result does not depend on the samples beside it."""

import re

from executor.protocol import ModuleTrial
from knowledge.repair.changed import lines_of
from knowledge.repair.check import Passes, Said, refusing
from knowledge.repair.checks.runs import Tried, influence

_ARRANGES = re.compile(r"\b(batch_first|dim|axis)\b|\[")


@refusing("samples", "each sample alone gives what it gave in the batch")
def check(tried: Tried) -> Said:
    """Rows of the input permuted permute the output; one alone gives the row that it gave."""
    seen, was = influence(tried.after), influence(tried.reference)
    if not _arranges(tried):
        yield Passes("what was changed moves no sample")
    theirs = {t.module for t in was.trials if t.mixed and not t.apart}
    for t in seen.trials:
        if t.module in theirs or t.note or 0 not in t.mixed or len(t.inputs[0]) < 2:
            continue  # of a batch of one, channels mix; of a vector, its numbers
        if not t.apart or _batch_first(t, seen.target_rows):
            told = (
                f"{t.module} at line {t.line} lets the {t.inputs[0][0]} samples of a batch change"
            )
            yield f"{told} each other's results"
    known = {c.module for c in was.sequences if c.inputs and len(c.inputs[0]) == 2}
    for c in seen.sequences:
        if c.module in known or not c.inputs or len(c.inputs[0]) != 2:
            continue
        if c.inputs[0][0] in seen.target_rows and c.inputs[0][0] > 1:
            batch = list(c.inputs[0])
            yield f"{c.module} at line {c.line} takes the batch {batch} for one sequence"
    if not any(t.apart or t.mixed for t in seen.trials):
        yield Passes("samples could not be tried one by one", tried=False)


def _batch_first(t: ModuleTrial, target_rows: tuple[int, ...]) -> bool:
    """Whether the targets say that the dimension along which rows mix is the batch."""
    shape = t.inputs[0]
    return shape[0] in target_rows and shape[0] != shape[1]


def _arranges(tried: Tried) -> bool:
    """Whether the change can move values between samples: a call that only casts cannot."""
    lines = lines_of(tried.original, tried.fixed)
    if lines.changed & set(influence(tried.after).computing):
        return True
    kept, was = set(lines.same.values()), influence(tried.reference).computing
    if any(line not in kept for line in was):  # what the change left out
        return True
    fixed = tried.fixed.splitlines()
    return any(_ARRANGES.search(fixed[n - 1]) for n in lines.changed)
