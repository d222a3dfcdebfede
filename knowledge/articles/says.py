"""Decide by its words whether a post asks what an article answers.

Nearness of meaning puts articles in order; it cannot say that a post is about one of them. So an
article whose answer follows from the question alone lists what a post has to say:

    says:
      - dataparallel & attribute | constant | buffer & copied | replicat* | another device

One row is one way to ask. All parts between `&` have to be said, in any order, each by one of its
words between `|`; `*` stands for the rest of a word, `..` for up to four words. A part that begins
with `not` must not be said anywhere in the post. The parts stand in one place: the title with a few
sentences in a row.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

_SENTENCES = 3  # in a row, with the title
_LONGEST = 6_000  # characters of a post that are looked at
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
_BETWEEN = r"[\W_]+"
_GAP = rf"{_BETWEEN}{re.escape('..')}{_BETWEEN}"
_FEW_WORDS = rf"(?:{_BETWEEN}\w+){{0,4}}?{_BETWEEN}"
_JOINED = " . "
_FEWEST = 2  # parts of a row: one word is no question


@dataclass(frozen=True)
class Way:
    """One way to ask: parts that are all said, and parts that are not."""

    said: tuple[re.Pattern[str], ...]
    unsaid: tuple[re.Pattern[str], ...]

    def is_in(self, whole: str, places: Sequence[str]) -> bool:
        if any(part.search(whole) for part in self.unsaid):
            return False
        return any(all(part.search(place) for part in self.said) for place in places)


def read_way(row: str) -> Way:
    """Read one row of `says`.

    Raises:
        ValueError: a part is empty, or there are too few.
    """
    said: list[re.Pattern[str]] = []
    unsaid: list[re.Pattern[str]] = []
    for part in row.split("&"):
        words = part.strip()
        negated = words.startswith("not ")
        pattern = _pattern(words.removeprefix("not "))
        (unsaid if negated else said).append(pattern)
    if len(said) < _FEWEST:
        raise ValueError(f"`{row}` needs {_FEWEST} parts at least, with `&` between them")
    return Way(tuple(said), tuple(unsaid))


def _pattern(part: str) -> re.Pattern[str]:
    ways = []
    for words in part.split("|"):
        if not words.strip(" *"):
            raise ValueError(f"`{part.strip()}` has an empty alternative")
        each = (re.escape(word).replace(r"\*", r"\w*") for word in words.split())
        ways.append(_BETWEEN.join(each).replace(_GAP, _FEW_WORDS))
    # Scripts without spaces between words have no letters of ours beside them.
    return re.compile(rf"(?<![a-z\d])(?:{'|'.join(ways)})(?![a-z\d])", re.IGNORECASE)


def asks(text: str, ways: Sequence[Way], *, in_a_question: bool = False) -> bool:
    """Whether a post's words ask in one of these ways.

    Args:
        text: the words around its code, the title as the first line.
        ways: those of an article; none is no way.
        in_a_question: the title alone has to ask so, or a place with a question in it. Where a
            post tells what it does, its words are those of many articles.
    """
    if not ways:
        return False
    whole, places = _places(text)
    if in_a_question:
        title = places[0].partition(_JOINED)[0] if places else ""
        places = (title, *(place for place in places if "?" in place))
    return any(way.is_in(whole, places) for way in ways)


@lru_cache(maxsize=4)  # one post is held against every article
def _places(text: str) -> tuple[str, tuple[str, ...]]:
    whole = text[:_LONGEST].replace("’", "'")
    sentences = [s for s in _SENTENCE_END.split(whole) if s.strip()]
    title = sentences[0] if sentences else ""
    places = (
        _JOINED.join([title, *sentences[n : n + _SENTENCES]])
        for n in range(max(1, len(sentences) - _SENTENCES + 1))
    )
    return whole, tuple(places)
