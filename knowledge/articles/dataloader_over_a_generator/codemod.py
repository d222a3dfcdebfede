"""Let a DataLoader go over what a generator yields: as samples, or as batches that are made.

Both run; whether the generator yields one or the other only its author knows.
"""

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Rewrites
from knowledge.repair.toolkit.edits import Edits, call
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.keeps import written
from knowledge.repair.toolkit.sites import argument, calls

ERRORS, SAYS = ("no_length",), {"type": "generator"}
_TOLD = "it gets all of it", "it does not get what the generator yields"
_LIST = r"list\([^\[\]]*\)\s*"
KEEPS = (
    written("all", *_TOLD, has=rf"DataLoader\(\s*(dataset\s*=\s*)?{_LIST}", lacks=rf"{_LIST}\["),
)
_TAKES_ITS_PLACE = ("shuffle", "drop_last", "sampler", "batch_sampler")


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """`list(generator)` as the dataset; `batch_size=None` where it yields batches."""
    loaders = list(calls(program, r"(^|\.)DataLoader$"))
    if len(loaders) != 1 or "DataLoader" not in program.explained:
        return
    loader = loaders[0]
    given = argument(loader, 0, "dataset")
    if given is None:
        return
    told = "a DataLoader takes its samples by number, so it gets a list"
    listed = call("list", cst.Arg(given.value))
    samples = loader.with_deep_changes(given, value=listed)
    said = r"\bsingle samples?\b|\bone sample\b"
    yield program.edit({loader: samples}, told, "the generator yields single samples", said=said)
    size = argument(loader, 1, "batch_size")
    if size is None or any(argument(loader, 99, name) is not None for name in _TAKES_ITS_PLACE):
        return
    if argument(loader, 99, "collate_fn") is not None:
        return  # it is written for lists of samples
    told, meant = f"{told}; it makes no batches of batches", "the generator yields whole batches"
    said = r"\b(yields?|generates?|makes) (whole )?batches\b"
    edits: Edits = {given.value: listed, size.value: cst.Name("None")}
    yield program.edit(edits, told, meant, at=loader, said=said)
