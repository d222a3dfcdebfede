"""An article: the folder that explains one mistake, and what of it answers a given error."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from executor.errors import SeenError, families_of, family_of
from knowledge import signature as signatures
from knowledge.articles.conditions import Condition, Facts
from knowledge.articles.says import Way, asks

_IMPORTS_TORCH = re.compile(r"^\s*(?:import|from) torch", re.MULTILINE)


@dataclass(frozen=True)
class ExpectedError:
    """The error that broken.py promises: the start of the message; `...` skips anything."""

    type: str
    message: str
    line: int

    @property
    def signature(self) -> str:
        return signatures.signature(self.type, self.message)

    def matches(self, type: str, message: str) -> bool:
        """Whether this is the promised error, whatever its numbers."""
        return signatures.matches(self.signature, signatures.signature(type, message))


@dataclass(frozen=True)
class Article:
    """One mistake: its explanation, a program that makes it, and the fixed program."""

    slug: str
    folder: Path
    title: str
    torch: str  # the version it was last proved on
    sources: tuple[str, ...]  # addresses
    needs: str | None  # "cuda", "simulated-cuda", "cpu-build" (a PyTorch without CUDA), or nothing
    # It answers its `signatures` alone: no run here can raise them (a second GPU, a full one, an
    # old torch), so its programs show the mistake by an assert or by another error.
    answers_signatures: bool
    is_recipe: bool  # it says how something is done, for which there is no single function
    also_asked_as: tuple[str, ...]
    other_errors: tuple[str, ...]  # "Type: message" of further errors that this article answers
    what_you_see: str
    why: str
    fix: str
    if_that_was_not_it: str
    broken: str
    fixed: str
    expected_error: ExpectedError | None  # None: a silent mistake, both programs end in one assert
    why_if: tuple[Condition, ...] = ()  # which paragraphs of `why` hold for which errors
    fix_if: tuple[Condition, ...] = ()  # which pieces of `fix` are of use for which errors
    says: tuple[Way, ...] = ()  # what a post says that asks just this

    def is_asked(self, text: str) -> bool:
        """Whether a post's words, and not their nearness, tell that this article answers it."""
        return asks(text, self.says, in_a_question=self.is_recipe)

    def reason(self, facts: Facts | None = None) -> str:
        """The paragraphs of `why` that hold for an error, in prose; empty if none does.

        The first one holds for every error that the article answers, and no other for any, unless
        `why_if` says when.

        Args:
            facts: what is known of the error; None if there is none, and then all that may hold
                is told.
        """
        conditions = {c.paragraph: c for c in self.why_if}
        told = []
        for number, paragraph in enumerate(paragraphs_of(self.why), 1):
            condition = conditions.get(number)
            always = number == 1 if condition is None else facts is None
            holds = always or (condition is not None and condition.holds(facts or {}))
            if holds and is_prose(paragraph):
                told.append(paragraph)
        return " ".join(told)

    def remedy(self, facts: Facts | None = None) -> str:
        """The pieces of `fix` that may help against an error, as Markdown; empty if none does.

        Every piece may, unless `fix_if` says when, and what is known of the error excludes it.

        Args:
            facts: what is known of the error; None if there is none, and then all is told.
        """
        conditions = {c.paragraph: c for c in self.fix_if}
        told = [
            piece
            for number, piece in enumerate(pieces_of(self.fix), 1)
            if number not in conditions or facts is None or conditions[number].may_hold(facts)
        ]
        return "\n\n".join(told)

    @property
    def errors(self) -> tuple[str, ...]:
        """Every error this article answers, as "Type: message", broken.py's own first."""
        own = None if self.answers_signatures else self.expected_error
        return (*((f"{own.type}: {own.message}",) if own else ()), *self.other_errors)

    @property
    def signature(self) -> str | None:
        """The signature of broken.py's error; None for a silent mistake."""
        return self.expected_error.signature if self.expected_error else None

    @property
    def signatures(self) -> tuple[str, ...]:
        """The signature of each of `errors`, once."""
        return tuple(dict.fromkeys(signatures.signature(None, error) for error in self.errors))

    @property
    def runs_torch(self) -> bool:
        """Whether its programs show it with PyTorch, and not by a model of it in plain Python."""
        return _IMPORTS_TORCH.search(self.broken) is not None

    @property
    def is_silent(self) -> bool:
        """Whether its mistake raises nothing: both programs end in one assert."""
        return self.expected_error is None and not self.answers_signatures

    @property
    def names_a_mistake(self) -> bool:
        """Whether the title is of a mistake in code, and not of how something is or is done."""
        return not self.is_recipe and (not self.is_silent or self.codemod is not None)

    @cached_property
    def families(self) -> frozenset[str]:
        """The error families (`executor.errors`) of the errors it answers, as far as known."""
        seen = (family_of(*_type_and_message(error)) for error in self.errors)
        return frozenset(family.id for family in seen if family is not None)

    def promises(self, type: str, message: str) -> bool:
        """Whether an error is one that it answers: of the same family, or with its signature."""
        seen = families_of(type, message)
        if any(s.id in self.families for s in seen):
            return True
        # Two families can share a signature: of an old wording it leaves out device and dtype.
        wanted = signatures.signature(type, message)
        return any(
            signatures.matches(signatures.signature(None, own), wanted)
            for own in self.errors
            if not seen or family_of(*_type_and_message(own)) is None
        )

    def shares_subject(self, type: str, message: str, *, loosely: bool = False) -> bool:
        """Whether one of its errors is about the same thing, where the family alone does not tell.

        `'list' object is not callable` and `'Tensor' object is not callable` are of one family.

        Args:
            type: the exception's class.
            message: its text.
            loosely: compare only what has to agree even where a run has shown the rest.
        """
        # The narrowest family may have no subject: `'ellipsis' object is not callable` is of code
        # that was left out, and its article is none about another thing that is not callable.
        found = families_of(type, message)
        seen = next((s for s in found if s.subject and s.id in {found[0].id, *self.families}), None)
        if seen is None:
            return True
        n = 1 if loosely else len(seen.subject)
        own = (family_of(*_type_and_message(error)) for error in self.errors)
        return any(
            o is not None and o.id == seen.id and o.subject[:n] == seen.subject[:n] for o in own
        )

    def says_of(self, type: str, message: str) -> str:
        """The lines about an error that the article only quotes; empty if there are none.

        The rest of the article explains and fixes another mistake.
        """
        wanted = signatures.signature(type, message)
        # A silent mistake raises nothing, but may warn.
        if any(signatures.matches(own, wanted) for own in self.signatures):
            return ""
        lines = [*self.what_you_see.splitlines(), *self.if_that_was_not_it.splitlines()]
        return " ".join(
            line.lstrip("- ")
            for line in lines
            if any(signatures.matches(quoted, wanted) for quoted in _quoted(line))
        )

    def other_cause(self, type: str, message: str) -> str:
        """What the article says of an error that it quotes under "If that was not it".

        The error is then of another cause than the one that the article is about, even where both
        are found by it: a wrong number of dimensions beside a wrong size. Empty if it quotes none.
        """
        own = self.expected_error
        if self.answers_signatures or (own is not None and own.matches(type, message)):
            return ""
        main = family_of(own.type, own.message) if own is not None else None
        return " ".join(
            " ".join(paragraph.removeprefix("- ").split())
            for paragraph in self.if_that_was_not_it.split("\n\n")
            if any(_is_quoted(said, type, message, main) for said in _messages(paragraph))
        )

    def has_only_the_opposite(self, type: str, message: str) -> bool:
        """Whether the article is about another cause than the error's, and tells its opposite.

        Of `expected 4D input (got 3D input)` it says something, of `expected 3D input (got 4D
        input)` nothing, and its reason is of neither.
        """
        seen = family_of(type, message)
        own = self.expected_error
        main = family_of(own.type, own.message) if own is not None else None
        if self.answers_signatures or seen is None or main is None or seen.id == main.id:
            return False
        if self.other_cause(type, message):
            return False
        quoted = (family_of(type, said) for said in _messages(self.if_that_was_not_it))
        return any(found is not None and found.id == seen.id for found in quoted)

    def aside_on(self, words: str) -> str:
        """The paragraphs of "If that was not it" that mention something; may be empty."""
        paragraphs = self.if_that_was_not_it.split("\n\n")
        return " ".join(" ".join(p.split()) for p in paragraphs if words in p)

    @property
    def codemod(self) -> Path | None:
        """The program that repairs snippets, if the folder has one."""
        path = self.folder / "codemod.py"
        return path if path.is_file() else None


def paragraphs_of(text: str) -> list[str]:
    """The paragraphs of a section, each on one line; lists and tables are paragraphs too."""
    return [" ".join(paragraph.split()) for paragraph in text.split("\n\n")]


def pieces_of(text: str) -> list[str]:
    """The pieces of a section: each a paragraph of prose with the code and lists that follow it."""
    pieces: list[list[str]] = []
    fenced = False
    for paragraph in text.split("\n\n"):
        goes_on = fenced or paragraph.startswith(("```", "- ", "|", "1. "))
        if not pieces or not goes_on:
            pieces.append([])
        pieces[-1].append(paragraph)
        fenced ^= sum(line.startswith("```") for line in paragraph.splitlines()) % 2 == 1
    return ["\n\n".join(piece) for piece in pieces]


def is_prose(paragraph: str) -> bool:
    """Whether a paragraph can be told alone: no list, table or code, nor a sentence before one."""
    return not paragraph.startswith(("- ", "|", "```", "1. ")) and paragraph[-1:] != ":"


def _type_and_message(error: str) -> tuple[str, str]:
    type, separator, message = error.partition(": ")
    return (type, message) if separator else ("", error)


def _messages(text: str) -> list[str]:
    """The messages between backticks."""
    return [span for span in text.split("`")[1::2] if len(span.split()) >= 3]


def _is_quoted(said: str, type: str, message: str, main: SeenError | None) -> bool:
    """Whether a message is the error, or has its words where that is of another family than main.

    A layer's name and numbers may be others: of `conv1d` is said what is said of `conv2d`.
    """
    names = re.findall(r"['\"](\w+)['\"]", said)
    if not all(name in message for name in names):
        return False  # `'Linear' object is not …` says nothing of a `'list' object`
    if {_rises(said), _rises(message)} == {True, False}:
        return False  # `expected 4D input (got 3D input)`, and not the other way round
    wanted = signatures.signature(type, message)
    if signatures.matches(signatures.signature(None, said.rstrip(". ")), wanted):
        return True
    seen = family_of(type, message)
    is_other = seen is not None and (main is None or seen.id != main.id)
    return is_other and re.sub(r"\d", "", message).startswith(re.sub(r"\d", "", said))


def _rises(message: str) -> bool | None:
    """Whether the second of a message's two numbers is the larger one; None if it has not two."""
    numbers = [int(n) for n in re.findall(r"\d+", message)]
    return numbers[0] < numbers[1] if len(numbers) == 2 else None


def _quoted(line: str) -> list[str]:
    """The signatures of the messages between backticks; a sentence may go on behind them."""
    spans = (span for span in line.split("`")[1::2] if len(span.split()) >= 3)
    return [signatures.signature(None, span.rstrip(". ")) for span in spans]
