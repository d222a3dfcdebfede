"""What an audit found of a document: searches and answers read it beside the document."""

from __future__ import annotations

from enum import StrEnum


class Verdict(StrEnum):
    """What a run says of a claim, of a block, or of a whole document."""

    HOLDS = "holds"
    REFUTED = "refuted"
    PARTLY = "partly"
    CANNOT_RUN = "cannot run here"
    NO_CLAIM = "no claim"
