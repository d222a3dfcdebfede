"""Let a DataLoader go over what a generator yields: as samples, or as batches that are made.

Both run; whether the generator yields one or the other only its author knows.
"""

from __future__ import annotations

import re

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrite, Rewrites
from knowledge.repair.toolkit.edits import Program, call
from knowledge.repair.toolkit.sites import argument, calls, with_argument

ERRORS, SAYS = ("no_length",), {"type": "generator"}
_TAKES_ITS_PLACE = ("shuffle", "drop_last", "sampler", "batch_sampler")


def rewrite(program: Program, result: JobResult) -> Rewrites:
    """`list(generator)` as the dataset; `batch_size=None` where it yields batches."""
    loaders = list(calls(program, r"(^|\.)DataLoader$"))
    told = result.explanation.text if result.explanation is not None else ""
    if len(loaders) != 1 or "DataLoader" not in told:
        return
    loader = loaders[0]
    given = argument(loader, 0, "dataset")
    if given is None:
        return
    at = f"line {program.line(loader)}: a DataLoader takes its samples by number, so it gets a list"
    listed = call("list", cst.Arg(given.value))
    samples = loader.with_deep_changes(given, value=listed)
    yield Rewrite(
        program.replace({loader: samples}),
        at,
        "the generator yields single samples",
        said=r"\bsingle samples?\b|\bone sample\b",
    )
    size = argument(loader, 1, "batch_size")
    if size is None or any(argument(loader, 99, name) is not None for name in _TAKES_ITS_PLACE):
        return
    ready = with_argument(loader, 1, "batch_size", cst.Name("None"))
    collate = argument(ready, 99, "collate_fn")
    if collate is not None:
        return  # it is written for lists of samples
    dataset = argument(ready, 0, "dataset")
    assert dataset is not None
    yield Rewrite(
        program.replace({loader: ready.with_deep_changes(dataset, value=listed)}),
        f"{at}; it makes no batches of batches",
        "the generator yields whole batches",
        said=r"\b(yields?|generates?|makes) (whole )?batches\b",
    )


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The loader still gets everything that the generator yields."""
    kept = re.search(r"DataLoader\(\s*(dataset\s*=\s*)?list\([^\[\]]*\)\s*,?", proposal.code)
    cut = re.search(r"list\([^\[\]]*\)\s*\[", proposal.code) is not None
    kept = kept if not cut else None
    detail = "it gets all of it" if kept else "it does not get what the generator yields"
    return [Check(name="all", passed=kept is not None, detail=detail)]
