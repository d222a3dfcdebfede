"""The data of an audit: what was claimed, what a run did, and what comes of the two."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from executor.protocol import Model, StatementSeen
from knowledge.documents.verdict import Verdict

ANY = -1  # a size that is told by a name
# A document is as bad as the worst of its blocks.
WORST_FIRST = (
    Verdict.REFUTED, Verdict.PARTLY, Verdict.HOLDS, Verdict.CANNOT_RUN, Verdict.NO_CLAIM,
)  # fmt: skip


class ClaimKind(StrEnum):
    """What a claim is about; only what a run can show."""

    ERROR = "error"  # it raises: that type, that message, on that line, as far as they are named
    RUNS = "runs"  # it ends without an error
    PRINTS = "prints"  # that text is printed
    SHAPE = "shape"  # that tensor has that shape
    TRAINS = "trains"  # that parameter is changed by the optimizer
    NEVER_TRAINS = "never trains"  # it is not


class Claim(Model):
    """One thing that a document says about one of its blocks."""

    kind: ClaimKind
    text: str  # the sentence or comment, as written
    line: int | None = None  # of the block's code, from 1, where a comment says it of one line
    end_line: int | None = None  # a claim about several lines ends here
    type: str = ""  # of the exception
    message: str = ""  # the message that it quotes
    printed: str = ""  # what is said to be printed; empty: something that a print shows
    name: str = ""  # of the tensor or parameter
    shape: tuple[int, ...] | None = None
    pointed: bool = True  # so surely and exactly read that a run may refute it


class Raised(Model):
    """An exception that a run raised, caught or not."""

    type: str
    message: str
    line: int | None = None  # of the block's code, from 1; none if it came out of an earlier block
    lines: tuple[int, ...] = ()  # every line of the block that was being carried out, callers too
    handler: int | None = None  # the line that caught it
    by_hand: bool = False  # a `raise` of the block's own


class BlockRun(Model):
    """What came of running one block, in as few words as a verdict needs."""

    how: Literal["alone", "joined", "completed"] = "alone"
    device: str = "cpu"
    outcome: str = ""
    error: Raised | None = None
    caught: tuple[Raised, ...] = ()
    findings: tuple[tuple[str, str], ...] = ()  # (name, what the probes say)
    stdout: str = ""  # this block's own, as far as it is kept
    cut: bool = False  # more was printed than is kept
    cannot: str = ""  # why it could not really be run here
    stand_ins: tuple[str, ...] = ()
    assumed: tuple[str, ...] = ()  # what else is not the real thing: "a logger that does nothing"
    moved: tuple[str, ...] = ()
    still: tuple[str, ...] = ()  # parameters that got no gradient, or did not move
    statements: tuple[StatementSeen, ...] = ()  # the block's own
    family: str = ""

    @property
    def raised(self) -> tuple[Raised, ...]:
        """Every exception, the one that ended the run last."""
        return (*self.caught, *((self.error,) if self.error is not None else ()))

    @property
    def ended_well(self) -> bool:
        """Whether it came to its end."""
        return self.outcome == "ok"


class Judged(Model):
    """A claim with what a run says of it."""

    claim: Claim
    verdict: Verdict
    evidence: str  # what the run did, in one sentence


class BlockAudit(Model):
    """One block: its run beside everything that is claimed of it."""

    number: int  # among the document's Python blocks, from 1
    line: int  # of the file
    code: str
    verdict: Verdict
    claims: tuple[Judged, ...] = ()
    seen: BlockRun


class DocumentAudit(Model):
    """One document and its blocks."""

    id: str
    title: str
    path: str
    digest: str  # of what the verdict is about: an edited document has none
    verdict: Verdict
    blocks: tuple[BlockAudit, ...] = ()


class Audit(Model):
    """The audit of a folder."""

    torch: str
    documents: tuple[DocumentAudit, ...]
    skipped: tuple[str, ...] = ()  # files that could not be read, each with the reason
