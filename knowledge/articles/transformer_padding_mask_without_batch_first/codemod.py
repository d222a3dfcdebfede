"""Say `batch_first=True` to a transformer that is given its batch first, as its mask shows.

A padding mask has one row a sample. Where it has exactly the query's first two sizes, the query
has its samples first too; a layer without `batch_first` reads them as steps.
"""

from __future__ import annotations

import re

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrite, Rewrites
from knowledge.repair.toolkit.edits import Program
from knowledge.repair.toolkit.shapes import same_layers, still_computed, uses_loaded_weights
from knowledge.repair.toolkit.sites import argument, calls, seen_error, with_argument

_LAYERS = r"(^|\.)(MultiheadAttention|Transformer(En|De)coderLayer|Transformer)$"
_SHAPES = re.compile(r"\[(\d+), (\d+), \d+\].* as query and .*\[(\d+), (\d+)\]")


def applies(result: JobResult) -> bool:
    """Attention found a padding mask whose rows are its input's first dimension, not its batch."""
    return seen_error(result, "attention_padding_mask") is not None and _swapped(result) is not None


def _swapped(result: JobResult) -> tuple[int, int] | None:
    """The input's first two sizes, where the mask has them too: the samples and the steps."""
    told = result.explanation.text if result.explanation is not None else ""
    shapes = _SHAPES.search(told)
    if shapes is None:
        return None
    first, second, rows, columns = (int(n) for n in shapes.groups())
    return (first, second) if rows == first and columns >= second and first != second else None


def rewrite(program: Program, result: JobResult) -> Rewrites:
    """Every transformer layer of the snippet with `batch_first=True`."""
    found = _swapped(result)
    if found is None or uses_loaded_weights(program):
        return
    first, second = found
    edits: dict[cst.CSTNode, cst.CSTNode] = {}
    for call in calls(program, _LAYERS):
        if argument(call, 99, "batch_first") is not None or any(a.star for a in call.args):
            return
        edits[call] = with_argument(call, 99, "batch_first", cst.Name("True"))
    if edits:
        lines = ", ".join(str(program.line(c)) for c in edits)
        yield Rewrite(
            program.replace(edits),
            f"line {lines}: its input is [{first} samples, {second} steps, …], as the mask is, so "
            "the batch comes first",
        )


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The same layers get the same input and a mask."""
    error = seen_error(before, "attention_padding_mask")
    made = [still_computed(error, proposal.code), same_layers(before, after)]
    if error is not None and "mask" in error.code:
        given = re.search(r"(\w*key_padding_mask)\s*=\s*([^,)]+)", error.code)
        kept = given is None or re.search(
            rf"{given[1]}\s*=\s*{re.escape(given[2].strip())}\s*[,)]", proposal.code
        )
        detail = "the mask is given as it was" if kept else "the mask is not given as it was"
        made.append(Check(name="mask", passed=bool(kept), detail=detail))
    return made
