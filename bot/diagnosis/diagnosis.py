"""A Diagnosis: what is known of one question, which grows stage by stage."""

from __future__ import annotations

from dataclasses import dataclass, field

from bot.diagnosis.reproduction import Reproduced
from bot.models import Answer, Question, RunWith, Source, Why
from executor.errors import family_of
from executor.protocol import JobResult
from knowledge.repair.engine import Repair
from knowledge.repair.mistake import NO_MISTAKE, Mistake
from knowledge.search.search import SearchResult


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What the stages of the pipeline found so far; each adds its part with `replace`.

    The comment behind a field names the stage that sets it.
    """

    question: Question
    run_with: RunWith
    reproduced: Reproduced | None = None  # reproduce; None: there is no code
    mistake: Mistake = NO_MISTAKE  # find_mistake
    missing: str = ""  # find_mistake: why the code could not really be run here, as a clause
    passages: SearchResult | None = None  # look_up
    repairs: Repair = field(default_factory=Repair)  # repair
    why: Why | None = None  # explain
    sources: tuple[Source, ...] = ()  # explain
    answer: Answer | None = None  # compose

    @property
    def run(self) -> JobResult | None:
        """What happened when the question's code was run."""
        return self.reproduced.run if self.reproduced is not None else None

    @property
    def family(self) -> str:
        """The family of the real error, else of the pasted one; "" where the catalogue has none."""
        if self.error_to_look_up is None:
            return ""
        seen = family_of(*self.error_to_look_up)
        return seen.id if seen is not None else ""

    @property
    def error_to_look_up(self) -> tuple[str, str] | None:
        """Type and message: the real error unless it is ours (no GPU here), else the pasted one."""
        if self.mistake.error is not None and not self.missing:
            return self.mistake.error.type, self.mistake.error.message
        pasted = self.question.traceback
        return (pasted.type, pasted.message) if pasted is not None else None

    @property
    def found(self) -> SearchResult:
        """The passages, in a stage after `look_up`."""
        assert self.passages is not None, "look_up comes before whatever reads its passages"
        return self.passages
