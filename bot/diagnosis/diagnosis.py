"""A Diagnosis: what is known of one question, which grows stage by stage."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from bot.diagnosis.own_error import asks_about_an_error, is_another, posted, same_kind
from bot.diagnosis.rebuild import Rebuild
from bot.diagnosis.reproduction import Reproduced
from bot.models import (
    Answer,
    FunctionShown,
    ModelExample,
    Near,
    Question,
    RunWith,
    Source,
    Why,
)
from executor.errors import family_of
from executor.protocol import JobResult
from knowledge.repair.engine import Repair
from knowledge.repair.fix import Fix
from knowledge.repair.mistake import NO_MISTAKE, Mistake
from knowledge.repair.verify import removed
from knowledge.search.search import SearchResult


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """What the stages of the pipeline found so far; each adds its part with `replace`.

    The comment behind a field names the stage that sets it.
    """

    question: Question
    run_with: RunWith
    reproduced: Reproduced | None = None  # reproduce; None: there is no code
    quoted: Rebuild | None = None  # run_quoted; of a traceback that was posted without code
    mistake: Mistake = NO_MISTAKE  # find_mistake
    missing: str = ""  # find_mistake: why the code could not really be run here, as a clause
    passages: SearchResult | None = None  # look_up
    asked: tuple[str, ...] = ()  # look_up: the articles that answer just what the words ask
    functions: tuple[FunctionShown, ...] = ()  # look_up: those that do what is asked for
    here: str = ""  # look_up: what the installed torch has of what the posted error misses
    repairs: Repair = field(default_factory=Repair)  # repair
    model_example: ModelExample | None = None  # propose
    why: Why | None = None  # explain
    sources: tuple[Source, ...] = ()  # explain
    near: tuple[Near, ...] = ()  # explain: articles near to a question that nothing answers
    answer: Answer | None = None  # compose

    @property
    def run(self) -> JobResult | None:
        """What happened when the question's code was run."""
        return self.reproduced.run if self.reproduced is not None else None

    @property
    def fixes(self) -> tuple[Fix, ...]:
        """What is offered: the fix, or the alternatives."""
        return (self.repairs.fix,) if self.repairs.fix is not None else self.repairs.alternatives

    @property
    def told(self) -> Mistake:
        """The mistake that the answer is about: of several the one that what is offered removes."""
        wrong = self.mistake
        if wrong.error is not None and wrong.error.type == "SystemExit":
            wrong = replace(wrong, error=None)  # how a program ends itself is no mistake
        offered = next(iter(self.fixes), None)
        if self.run is None or offered is None or offered.result is None:
            return wrong
        gone = removed(self.run, offered.result)
        # An error that is only told of is still raised: what else is gone is not the matter.
        aside = self.demonstrated and gone.error is None
        return gone if gone.is_there and not aside else wrong

    @property
    def demonstrated(self) -> str:
        """How the code says that it shows its error on purpose; "" if the person asks about it.

        Whoever pastes that error has it; and so has whoever asks about an error, if the code only
        prints it or names it.
        """
        error = self.mistake.error
        if error is None or not error.demonstrated or self.missing:
            return ""
        pasted = posted(self.question)
        if pasted is not None and (same_kind(pasted, error) or not pasted.message):
            return ""
        asked = error.demonstrated != "comment" and asks_about_an_error(self.question)
        # An assertion is what they expect to hold.
        asked |= error.type == "AssertionError" and "?" in self.question.text
        return "" if asked else error.demonstrated

    @property
    def family(self) -> str:
        """The family of the real error, else of the pasted one; "" where the catalogue has none."""
        if self.error_to_look_up is None:
            return ""
        seen = family_of(*self.error_to_look_up)
        return seen.id if seen is not None else ""

    @property
    def error_to_look_up(self) -> tuple[str, str] | None:
        """Type and message of what is wrong: the real error, or the pasted one where none is shown.

        An error that comes from the place (no GPU here) is not theirs. None for a finding. Where
        another error was posted than the one that is raised here, and no fix removes that one, the
        posted one is what they ask about.
        """
        pasted = posted(self.question)
        another = is_another(self.question, self.told.error) and not self.fixes
        if self.told.is_there and not self.missing and not another:
            error = self.told.error
            return (error.type, error.message) if error is not None else None
        return (pasted.type, pasted.message) if pasted is not None else None

    @property
    def found(self) -> SearchResult:
        """The passages, in a stage after `look_up`."""
        assert self.passages is not None, "look_up comes before whatever reads its passages"
        return self.passages
