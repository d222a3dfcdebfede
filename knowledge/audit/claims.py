"""Find what a document claims about a block: in the prose around it and in its comments.

Precision comes first. A sentence that hedges, that speaks of what would happen otherwise, or that
does not say that it is about this block, is no claim; at most a run can bear it out (`pointed`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from knowledge.audit.asserted import asserted
from knowledge.audit.model import Claim, ClaimKind
from knowledge.audit.output_in_prose import outputs, shown_output
from knowledge.audit.prints import needs_gpu
from knowledge.audit.provoked import provoked, unprinted, unreached
from knowledge.audit.said_errors import errors_in_comments, errors_in_prose
from knowledge.audit.said_output import printed_texts
from knowledge.audit.said_shapes import shapes_in_comments
from knowledge.audit.said_to_relate import relations
from knowledge.audit.said_to_show import effects, shown
from knowledge.audit.said_to_train import training
from knowledge.audit.said_to_work import works_in_comments, works_in_prose
from knowledge.audit.said_values import told_of_prints
from knowledge.audit.shapes_in_prose import shapes_in_prose
from knowledge.audit.text import Block, Comment, comments
from knowledge.audit.values_in_prose import values_told
from knowledge.audit.wording import RAISES, is_code


def claims_of(block: Block) -> list[Claim]:
    """Everything that is claimed about a block, each thing once."""
    code = block.code.split("\n")
    noted = comments(block.code)
    about_code = _about_code(noted)
    found = [
        *errors_in_comments(about_code, code),
        *unreached(noted, code),
        *unprinted(noted, code),
        *works_in_comments(about_code, code),
        *printed_texts(noted, code),
        *told_of_prints(noted, code),
        *shapes_in_comments(noted, code),
        *errors_in_prose(block.follow, block.code, after=True),
        *errors_in_prose(block.lead, block.code, after=False),
        *works_in_prose(block.follow, after=True),
        *works_in_prose(block.lead, after=False),
        *asserted(block.follow, block.code),
        *outputs(block.follow, block.code),
        *shown(block.follow, noted),
        *relations([*block.follow, *(c.text for c in about_code)], block.code),
        *values_told(block.follow, block.code),
        *shapes_in_prose(block.follow, block.code),
        *shapes_in_prose(block.lead[-3:], block.code),
        *training(block.follow),
        *shown_output(block.shown, block.code),
    ]
    found += provoked(block, noted, code, found)
    said = {claim.text for claim in found if claim.pointed}
    found += (claim for claim in effects(block, noted) if claim.text not in said)
    return _told_apart(
        _on_gpu(_each_once(found), block.code), [*block.follow, *(c.text for c in noted)]
    )


def _about_code(noted: list[Comment]) -> list[Comment]:
    """The comments that are not about a line which was commented out right below."""
    dropped = {c.line for c in noted if c.alone and is_code(c.text)}
    return [c for c in noted if not (c.alone and c.line + 1 in dropped)]


def _each_once(found: Iterable[Claim]) -> list[Claim]:
    kept: dict[tuple[object, ...], Claim] = {}
    for claim in found:
        key = (
            claim.kind, claim.line, claim.type, claim.message, claim.printed, claim.name,
            claim.shape, claim.dimensions, claim.relation, claim.look, claim.absent,
        )  # fmt: skip
        if key not in kept or (claim.pointed and not kept[key].pointed):
            kept[key] = claim
    return list(kept.values())


def _on_gpu(found: list[Claim], code: str) -> list[Claim]:
    """What is printed behind `if torch.cuda.is_available()` says nothing of a run without one."""
    return [
        claim.model_copy(update={"on_gpu": True})
        if claim.kind is ClaimKind.PRINTS and claim.line and needs_gpu(code, claim.line)
        else claim
        for claim in found
    ]


_DENIED = re.compile(
    r"\bno (?:error|exception) is (?:raised|thrown)\b"
    r"|\b(?:not|n['’]t)(?: \w+)? (?:raise|throw) (?:an?|any)\b"
    r"|\bthis (?:will|does) (?:run|work) (?:and|but)\b|\bwithout (?:raising|throwing)\b",
    re.I,
)


def _told_apart(found: list[Claim], around: Iterable[str]) -> list[Claim]:
    """A block that shows both the mistake and its cure is not said to work as a whole."""
    if any(_DENIED.search(text) for text in around):
        # A label as `Incorrect: …` is then about something else than an exception.
        found = [c for c in found if c.kind is not ClaimKind.ERROR or RAISES.search(c.text)]
    errors = [c for c in found if c.kind is ClaimKind.ERROR and (c.pointed or c.line)]
    kept = []
    for claim in found:
        if claim.kind is ClaimKind.RUNS and errors:
            if claim.line is None:
                continue
            claim = claim.model_copy(update={"depends": True})
        kept.append(claim)
    return kept
