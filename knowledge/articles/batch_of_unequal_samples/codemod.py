"""Let a loader pad samples of unequal length into one batch."""

from __future__ import annotations

import re
from collections.abc import Iterable

import libcst as cst

from executor.errors import read
from executor.protocol import JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrite
from knowledge.repair.toolkit.edits import Program
from knowledge.repair.toolkit.sites import argument, calls, seen_error, with_argument

_FAMILY = "stack_sizes"


def applies(result: JobResult) -> bool:
    """A loader's samples differ in length."""
    error = seen_error(result, _FAMILY)
    return error is not None and "collate" in error.traceback


def rewrite(program: Program, result: JobResult) -> Iterable[Rewrite]:
    """A collate_fn that pads, for samples that are one tensor each."""
    error = seen_error(result, _FAMILY)
    found = read(error, _FAMILY) if error is not None else None
    loaders = list(calls(program, r"(^|\.)DataLoader$"))
    if error is None or found is None or len(loaders) != 1:
        return
    first, second = found.sizes("first"), found.sizes("other")
    inside = re.findall(r"in (collate_\w+|default_collate|collate)\n", error.traceback)
    if not first or first[1:] != second[1:] or len(inside) > 3:
        return  # pictures; or samples of several parts, each of which would have to be padded
    if argument(loaders[0], 6, "collate_fn") is not None or any(a.star for a in loaders[0].args):
        return
    pad = program.name_of("torch.nn.utils.rnn", "pad_sequence")
    if pad.startswith("rnn."):
        pad = "torch.nn.utils." + pad
    function = cst.parse_expression(f"lambda samples: {pad}(samples, batch_first=True)")
    yield Rewrite(
        program.replace({loaders[0]: with_argument(loaders[0], 99, "collate_fn", function)}),
        f"line {program.line(loaders[0])}: short samples are filled up with zeros to the longest "
        "of their batch",
    )


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """No sample is cut, and batches are as large as before."""
    error = seen_error(before, _FAMILY)
    said = re.compile(r"batch_size\s*=\s*\w+")
    loader = said.findall(proposal.code)
    pads = "pad_sequence(" in proposal.code or "F.pad(" in proposal.code
    fine = bool(loader) and not any(re.fullmatch(r"batch_size\s*=\s*(1|None)", m) for m in loader)
    detail = "samples are padded" if pads else "samples are cut or left out"
    size = Check(name="batch size", passed=fine, detail="batches are as large as before")
    return [Check(name="padded", passed=pads and error is not None, detail=detail), size]
