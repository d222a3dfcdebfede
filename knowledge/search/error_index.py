"""Find the sources that know an error: an article promises its message, a document quotes it."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence

from executor.errors import missing_names
from knowledge.search.index import IndexedSource
from knowledge.signature import (
    find_signatures,
    first_piece,
    generalise,
    matches,
    mentions,
    signature,
)

REAL, QUOTED, NONE = 2, 1, 0  # knows the error of the run; one quoted in the text; neither

_KEY_CHARS = 4  # enough of a message's beginning to look it up by
_DOCUMENT_MIN_WORDS = 4  # shorter "messages" in a document are mostly not messages
_PARTICULAR = re.compile(r"[A-Za-z_]{3,}")
_TENSOR_TYPES = {"torch", "cuda", "FloatTensor", "DoubleTensor", "HalfTensor", "BFloat16Tensor"}

# The signatures of every missing attribute and of every missing key: without the names in them,
# they say nothing.
_ANY_ATTRIBUTE = "<q> object has no attribute <q>"
_ANY_KEY = "KeyError: <q>"
# `'list' object has no attribute 'split'` is a mistake with Python's own strings, however well an
# article knows lists that stand where a tensor is wanted.
_OF_PYTHON = {name for kind in (str, bytes, list, dict, set, int, float) for name in dir(kind)}


class KnownErrors:
    """The messages of all sources, indexed by their first characters."""

    def __init__(self, sources: Sequence[IndexedSource]) -> None:
        self._sources = sources
        self._by_start: dict[str, list[tuple[int, str]]] = defaultdict(list)
        self._of_articles: list[tuple[str, int, str]] = []
        for number, source in enumerate(sources):
            for error in source.errors:
                pattern = signature(None, error)
                first = first_piece(pattern)
                self._by_start[_key(first)].append((number, pattern))
                if source.kind == "article":
                    self._of_articles.append((first, number, pattern))

    def knowing(self, text: str, error: tuple[str, str] | None) -> dict[int, int]:
        """Which sources know the real error (REAL), or a message that the text names (QUOTED).

        The text must quote a document's message; an article's may be part of its prose.
        """
        said = f"{text}\n{error[1]}" if error else text
        names, missing = particulars(said), missing_names(said)
        known: dict[int, int] = {}
        prose = generalise(text)
        folded = prose.casefold()
        for first, number, pattern in self._of_articles:
            in_prose = first in folded and mentions(prose, pattern)
            if in_prose and self._names_what_is_missing(number, pattern, names, missing):
                known[number] = QUOTED
        for quoted in find_signatures(text):
            for number, pattern in self._starting_like(quoted):
                same = self._same(number, pattern, quoted) or self._same(number, quoted, pattern)
                if same and self._names_what_is_missing(number, pattern, names, missing):
                    known[number] = QUOTED
        if error is not None:
            real = signature(*error)
            for number, pattern in self._starting_like(real):
                if self._same(number, pattern, real) and self._names_what_is_missing(
                    number, pattern, names, missing
                ):
                    known[number] = REAL
        return known

    def shares(self, number: int, names: set[str]) -> bool:
        """Whether a source's own example contains one of these names, e.g. the operation."""
        return any(names & set(_PARTICULAR.findall(e)) for e in self._sources[number].errors)

    def _starting_like(self, message: str) -> Iterable[tuple[int, str]]:
        key = _key(first_piece(message))
        if key:
            yield from self._by_start.get(key, ())
            yield from self._by_start.get("", ())
        else:  # too short for the index: compared with every message
            for patterns in self._by_start.values():
                yield from patterns

    def _same(self, number: int, pattern: str, actual: str) -> bool:
        document = self._sources[number].kind == "document"
        if document and len(pattern.split()) < _DOCUMENT_MIN_WORDS:
            return False  # documents quote names as well as messages
        return matches(pattern, actual)

    def _names_what_is_missing(
        self, number: int, pattern: str, names: set[str], missing: set[str]
    ) -> bool:
        """Whether the missing attribute or key of a message is one that this source names."""
        if pattern != _ANY_KEY and not pattern.endswith(_ANY_ATTRIBUTE):
            return True
        if missing and missing <= _OF_PYTHON:
            return self.shares(number, missing)
        return self.shares(number, names)


def particulars(message: str) -> set[str]:
    """The names that a signature leaves out; they distinguish articles with the same signature."""
    common = set(_PARTICULAR.findall(generalise(message)))
    return set(_PARTICULAR.findall(message.partition("Hint:")[0])) - common - _TENSOR_TYPES


def _key(first: str) -> str:
    """The index key of a message; empty if its beginning is too short."""
    return first[:_KEY_CHARS] if len(first) >= _KEY_CHARS else ""
