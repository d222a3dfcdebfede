"""Say `batch_first=True` to a transformer that is given its batch first, as its mask shows.

A padding mask has one row a sample. Where it has exactly the query's first two sizes, the query
has its samples first too; a layer without `batch_first` reads them as steps.
"""

import re

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrites
from knowledge.repair.toolkit.edits import Edits
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.keeps import computed, layers
from knowledge.repair.toolkit.shapes import uses_loaded_weights
from knowledge.repair.toolkit.sites import argument, calls, seen_error, with_argument

ERRORS = ("attention_padding_mask",)
KEEPS = (computed(), layers)
_LAYERS = r"(^|\.)(MultiheadAttention|Transformer(En|De)coderLayer|Transformer)$"
_SHAPES = re.compile(r"\[(\d+), (\d+), \d+\].* as query and .*\[(\d+), (\d+)\]")


def applies(result: JobResult) -> bool:
    """Attention found a padding mask whose rows are its input's first dimension, not its batch."""
    return _swapped(result) is not None


def _swapped(result: JobResult) -> tuple[int, int] | None:
    """The input's first two sizes, where the mask has them too: the samples and the steps."""
    told = result.explanation.text if result.explanation is not None else ""
    shapes = _SHAPES.search(told)
    if shapes is None:
        return None
    first, second, rows, columns = (int(n) for n in shapes.groups())
    return (first, second) if rows == first and columns >= second and first != second else None


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """Every transformer layer of the snippet with `batch_first=True`."""
    found = _swapped(result)
    if found is None or uses_loaded_weights(program):
        return
    first, second = found
    edits: Edits = {}
    for call in calls(program, _LAYERS):
        if argument(call, 99, "batch_first") is not None or any(a.star for a in call.args):
            return
        edits[call] = with_argument(call, 99, "batch_first", cst.Name("True"))
    if edits:
        told = f"its input is [{first} samples, {second} steps, …], as the mask is"
        yield program.edit(edits, f"{told}, so the batch comes first", at=[*edits])


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The same layers get the same input and a mask."""
    error = seen_error(before, *ERRORS)
    if error is None or "mask" not in error.code:
        return []
    given = re.search(r"(\w*key_padding_mask)\s*=\s*([^,)]+)", error.code)
    pattern = rf"{given[1]}\s*=\s*{re.escape(given[2].strip())}\s*[,)]" if given else ""
    kept = re.search(pattern, proposal.code) is not None
    return [Check.of("mask", kept, "the mask is given as it was", "it is not given as it was")]
