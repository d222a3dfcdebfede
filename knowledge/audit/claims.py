"""Find what a document claims about a block: in the prose around it and in its comments.

Precision comes first. A sentence that hedges, that speaks of what would happen otherwise, or that
does not say that it is about this block, is no claim; at most a run can bear it out (`pointed`).
"""

from __future__ import annotations

from collections.abc import Iterable

from knowledge.audit.model import Claim, Kind
from knowledge.audit.output_in_prose import outputs, shown_output
from knowledge.audit.said_errors import errors_in_comments, errors_in_prose, provoked, unreached
from knowledge.audit.said_output import printed_texts
from knowledge.audit.said_shapes import shapes_in_comments, shapes_in_prose, training
from knowledge.audit.said_to_work import asserted, works_in_comments, works_in_prose
from knowledge.audit.text import Block, Comment, comments
from knowledge.audit.wording import is_code


def claims_of(block: Block) -> list[Claim]:
    """Everything that is claimed about a block, each thing once."""
    code = block.code.split("\n")
    noted = comments(block.code)
    about_code = _about_code(noted)
    found = [
        *errors_in_comments(about_code, code),
        *unreached(noted, code),
        *works_in_comments(about_code, code),
        *printed_texts(noted, code),
        *shapes_in_comments(noted, code),
        *errors_in_prose(block.follow, block.code, after=True),
        *errors_in_prose(block.lead, block.code, after=False),
        *works_in_prose(block.follow, after=True),
        *works_in_prose(block.lead, after=False),
        *asserted(block.follow, block.code),
        *outputs(block.follow, block.code),
        *shapes_in_prose(block.follow, block.code),
        *training(block.follow),
        *shown_output(block.shown, block.code),
    ]
    found += provoked(block, noted, code, found)
    return _told_apart(_each_once(found), block.code)


def _about_code(noted: list[Comment]) -> list[Comment]:
    """The comments that are not about a line which was commented out right below."""
    dropped = {c.line for c in noted if c.alone and is_code(c.text)}
    return [c for c in noted if not (c.alone and c.line + 1 in dropped)]


def _each_once(found: Iterable[Claim]) -> list[Claim]:
    kept: dict[tuple[object, ...], Claim] = {}
    for claim in found:
        key = (
            claim.kind, claim.line, claim.type, claim.message, claim.printed, claim.name,
            claim.shape, claim.dimensions,
        )  # fmt: skip
        if key not in kept or (claim.pointed and not kept[key].pointed):
            kept[key] = claim
    return list(kept.values())


def _told_apart(found: list[Claim], code: str) -> list[Claim]:
    """A block that shows both the mistake and its cure is not said to work as a whole."""
    errors = [c for c in found if c.kind is Kind.ERROR and (c.pointed or c.line)]
    kept = []
    for claim in found:
        if claim.kind is Kind.RUNS and errors:
            if claim.line is None:
                continue
            claim = claim.model_copy(update={"depends": True})
        kept.append(claim)
    return kept
