"""A Fix: a codemod applied to one snippet, with its diff, its run and its checks."""

from typing import Literal

from executor.protocol import JobResult, Model
from knowledge.repair.codemod import Check


class Fix(Model):
    """A codemod's or operator's edit of this snippet, with its run and its checks."""

    codemod: str  # the article's slug, or the operator's
    title: str = ""
    steps: tuple[str, ...] = ()  # the titles, where it took more than one codemod
    proposed_by: str = ""  # the configured model that proposed it; empty: a codemod of ours
    intent: str = ""  # what the person then means, where the code leaves that open
    diff: str
    code: str
    verified: bool
    # "partly": the error is gone and the checks that could be made hold, but the run then stops for
    # a reason that is not the code's. Never verified, and never more than an alternative.
    shown: Literal["", "verified", "partly"] = ""
    stops: str = ""  # where partly: that reason as a clause, with its line
    checks: tuple[Check, ...]
    result: JobResult | None

    @property
    def shown_in_part(self) -> str:
        """What a run has shown of a fix that it could not follow to the end; else empty."""
        if self.shown != "partly":
            return ""
        gone = "mistake" if self.codemod == "as-told" else "error"  # of the text; of a run
        return (
            f"the {gone} is gone, and the checks that could be made hold; "
            f"the run then stops {self.stops}"
        )
