"""What one family of errors is, and what a message says once its family is known."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from executor.errors.around import Around

CAUSES = " | "  # in a sentence of `means`: "what the message proves | what it may come from"
MAX_CHARS = 8_000  # of a message that are read: the executor reports no more than 4,000
# Quotes as a web page or a phone curls them.
_STRAIGHT = str.maketrans("‘’‚‛“”„‟", "''''" + '""' + '""')

# What every sample program may use without importing it.
PROLOGUE = """\
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn
"""


@dataclass(frozen=True)
class SeenError:
    """A message that was recognised: its family, and the values that it names."""

    id: str
    values: Mapping[str, str]
    subject: tuple[str, ...] = ()  # the values of its family's `subject`
    span: tuple[int, int] = field(default=(0, 0), compare=False)  # of its wording in the message
    is_older: bool = field(default=False, compare=False)  # no version of today words it so

    def __getitem__(self, name: str) -> str:
        """A value as the message has it; empty where this wording does not name it."""
        return self.values.get(name, "")

    def number(self, name: str) -> int:
        """A value as a whole number.

        Raises:
            ValueError: this wording does not name it, or it is no number.
        """
        return int(self[name])

    def numbers(self, *names: str) -> tuple[int, ...]:
        """Several values as whole numbers.

        Raises:
            ValueError: this wording does not name one of them, or it is no number.
        """
        return tuple(int(self[name]) for name in names)

    def sizes(self, name: str) -> tuple[int, ...]:
        """The numbers of a value such as "[4, 3]", "4 x 3" or "(4, 3)", in order."""
        return tuple(int(n) for n in re.findall(r"-?\d+", self[name]))


@dataclass(frozen=True)
class Sentence:
    """A sentence about an error that holds only where its values are of some kind.

    Sentence("labels have to be int64", when={"expected": "Long"})

    `when` holds patterns that the values have to match from end to end; a value that the message
    does not name is empty. Beside the message's own there are those of `Around`: the post's words,
    its lines and versions, of which `words`, `code`, `line`, `frames` and `raising` only have to
    hold the pattern; `made`, the call in the code that a value points to, such as Linear; for each
    dtype `…_dtype`, its name in torch; and for the text `quoted`, the first line of code that
    `when` found. Each is empty where it is not known.
    """

    text: str
    when: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Suspect:
    """Code that an error of a family may come from, as the syntax tree of a snippet has it.

    Suspect(r"Linear", "{given} features arrive where it takes {wanted}", {0: "{wanted}"})

    Args:
        name: pattern that the last part of what is called, changed or read has to match.
        says: what is said of such a line; with values in braces.
        arguments: position or keyword → what has to stand there, both with values in braces; ""
            is anything. Under `ANY` any argument may be it. One of them is enough.
        kinds: the kinds of constructs; "call" unless said otherwise.
        without: keywords that it must not have.
        then_not: pattern of methods that must not be called on its result at once.
        value: pattern that has to be found in its first argument.
        value_not: pattern that must not be found in the arguments.
    """

    name: str
    says: str = ""
    arguments: Mapping[int | str, str] = field(default_factory=dict)
    kinds: tuple[str, ...] = ("call",)
    without: tuple[str, ...] = ()
    then_not: str = ""
    value: str = ""
    value_not: str = ""


ANY = "*"  # any argument of a Suspect


@dataclass(frozen=True)
class ErrorFamily:
    """One kind of error.

    Every pattern is searched in the message alone, without its type. Named groups are the values;
    all of them are explained in `values`. A quantifier is bounded or can match in only one way, so
    that a hostile message costs no more than a long one.
    """

    id: str  # never renamed, listed in docs/errors.md
    says: str  # what happened, in one sentence
    types: tuple[str, ...]  # the exceptions that carry it, today's first
    today: tuple[str, ...] = ()  # patterns of the wording of the pinned torch
    older: tuple[str, ...] = ()  # patterns of wordings that only older versions have
    values: Mapping[str, str] = field(default_factory=dict)  # named group → what it is
    details: tuple[str, ...] = ()  # further patterns, each searched by itself for more values
    # Values that say what it is about, where the kind of error alone does not; the first has to
    # agree for two errors to be one mistake, the others too where no run shows more.
    subject: tuple[str, ...] = ()
    sample: str = ""  # a program that raises it on the pinned torch, after PROLOGUE
    device: str = "cpu"  # that the sample needs; "cuda" may be the simulated one
    needs: str = ""  # what a sample would need that no test has: then there is none
    examples: tuple[str, ...] = ()  # "Type: message" of older wordings, or of what no sample raises
    typed: bool = False  # the wording alone does not tell: the type has to be one of `types`
    # Raised where somebody wrote `x[i]` or `if x`: out of a library's own code, it says nothing of
    # what the snippet did wrong.
    written: bool = False
    # Of the types those that carry nothing else: a message that was cut off is not needed.
    by_type: tuple[str, ...] = ()
    breadth: int = 0  # a family is asked before all that are broader; see `families_of`
    # Whether the message alone says what is to be done. If not, an advice that has no condition is
    # told as one that often helps (`executor/errors/reading.py`).
    decides: bool = False
    # What is said of a posted error that no run reached. Of several sentences the first is said
    # whose values the message names; each is true of every error of the family. What is only a
    # cause of several stands behind CAUSES, and is told as such.
    means: tuple[str | Sentence, ...] = ()  # what happened, with the message's own values in braces
    remedy: tuple[str | Sentence, ...] = ()  # what to do about it; code in backticks
    now: str | Sentence = (
        ""  # how the pinned torch words it, where older versions worded it otherwise
    )
    suspects: tuple[Suspect, ...] = ()  # the lines of a program that it may come from, best first
    derive: Callable[[SeenError, str], Mapping[str, str]] | None = field(
        default=None, compare=False
    )  # further values for the sentences, computed from the message and those that it names
    look_around: Callable[[SeenError, Around], Mapping[str, str]] | None = field(
        default=None, compare=False
    )  # likewise, from what the post shows besides the message

    def read(self, type: str, message: str) -> SeenError | None:
        """What the message says if it is of this family, else None.

        Args:
            type: the exception's class, perhaps with its module; empty if it is not known, and
                then no family is found for which it has to be.
            message: the exception's text.
        """
        name = type.rpartition(".")[2]
        if name in self.by_type and not message.strip():
            return SeenError(self.id, {}, ("",) * len(self.subject))
        if self.typed and name not in self.types:
            return None
        text = message[:MAX_CHARS].translate(_STRAIGHT)
        for n, pattern in enumerate(self._patterns):
            found = pattern.search(text)
            if found is not None:
                values = {k: v for k, v in found.groupdict().items() if v is not None}
                for more in self._details:
                    if further := more.search(text):
                        values |= {k: v for k, v in further.groupdict().items() if v is not None}
                subject = tuple(values.get(name, "") for name in self.subject)
                older = n >= len(self.today)
                return SeenError(self.id, values, subject, found.span(), older)
        return None

    @property
    def program(self) -> str:
        """The whole sample program; empty if there is none."""
        return f"{PROLOGUE}{self.sample}\n" if self.sample else ""

    @cached_property
    def _patterns(self) -> tuple[re.Pattern[str], ...]:
        return tuple(re.compile(p) for p in (*self.today, *self.older))

    @cached_property
    def _details(self) -> tuple[re.Pattern[str], ...]:
        return tuple(re.compile(p) for p in self.details)
