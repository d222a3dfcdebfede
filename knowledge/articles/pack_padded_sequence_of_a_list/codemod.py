"""Pad the sequences of a list before they are packed."""

import re

import libcst as cst

from executor.errors import read
from executor.protocol import Caught, ErrorSeen, JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrites
from knowledge.repair.toolkit.edits import call, keyword
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.shapes import still_computed
from knowledge.repair.toolkit.sites import argument, failing, seen_error

_FAMILIES = ("plain_attribute", "argument_type")
_PACK = re.compile(r"(^|\.)pack_padded_sequence$")


def applies(result: JobResult) -> bool:
    """pack_padded_sequence was given a list."""
    error = _error(result)
    return error is not None and "pack_padded_sequence(" in error.code


def _error(result: JobResult) -> ErrorSeen | Caught | None:
    error = seen_error(result, *_FAMILIES)
    seen = read(error, *_FAMILIES) if error is not None else None
    if seen is None:
        return None
    asked = seen.id == "plain_attribute" and (seen["type"], seen["name"]) == ("list", "device")
    given = seen["function"] == "_pack_padded_sequence" and seen["given"] == "list"
    return error if asked or given else None


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """`pad_sequence(list)` as its input, with the batch where the call says it is."""
    node = failing(program, _error(result))
    if not isinstance(node, cst.Call) or not _PACK.search(program.text(node.func)):
        return
    given = argument(node, 0, "input")
    if given is None:
        return
    facts = program.seen.get(program.text(given.value))
    if facts is not None and facts.type != "list":
        return
    first = argument(node, 2, "batch_first")
    pad = re.sub(r"pack_padded_sequence$", "pad_sequence", program.text(node.func))
    if "." not in pad:
        pad = program.name_of("torch.nn.utils.rnn", "pad_sequence")
        pad = f"torch.nn.utils.{pad}" if pad.startswith("rnn.") else pad
    said = [keyword("batch_first", first.value)] if first is not None else []
    told = "what is packed is one padded tensor, not a list"
    yield program.edit({given.value: call(pad, cst.Arg(given.value), *said)}, told, at=node)


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The same sequences are packed by the same lengths."""
    return [still_computed(_error(before), proposal.code)]
