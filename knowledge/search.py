"""Find the article or document that answers a question, and know when none does."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from knowledge.elsewhere import ELSEWHERE
from knowledge.index import Embeds, Index, Source
from knowledge.signature import find_signatures, generalise, matches, mentions, signature
from knowledge.words import Words

THRESHOLD = 0.5

# The logistic curve that turns what a search measured into a confidence: logistic regression on the
# questions of tests/knowledge/questions.py (without the held-out ones) and on 1,500 titles of
# PyTorch questions that no article answers.
_MEANING_WEIGHT = 35.6
_WORDS_WEIGHT = 18.8
_ELSEWHERE_WEIGHT = -27.0
_BIAS = -7.9

# Why a source is considered, and the scores that leaves room for.
_REAL_ERROR, _QUOTED_ERROR, _NO_ERROR = 2, 1, 0
_SCORES = {_REAL_ERROR: (0.95, 1.0), _QUOTED_ERROR: (0.9, 0.95), _NO_ERROR: (0.0, 0.9)}
_JUST_BELOW = 0.05
_SAME_PARTICULAR = 5.0  # for naming the same operation, added before the logistic curve
_DOCUMENT_MIN_WORDS = 4  # shorter "messages" in a document are mostly not messages

_MAX_SENTENCES = 8
_MIN_SENTENCE_WORDS = 5
_SENTENCE_HANDICAP = 0.5  # a sentence alone says less than the question, on the logistic scale
_MAX_QUERY_CHARS = 1_500  # about what the model reads of a text
_NEAREST = 200  # passages whose sources are looked at closely
_TOP = 3

# Says nothing where everything is about it, and makes every question resemble every other one.
_OUR_SUBJECT = re.compile(r"\s*(?:\b(?:in|of|with|using)\s+)?\bpytorch(?:'s)?\b", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
_PARTICULAR = re.compile(r"[A-Za-z_]{3,}")
_TENSOR_TYPES = {"torch", "cuda", "FloatTensor", "DoubleTensor", "HalfTensor", "BFloat16Tensor"}

Why = Literal["signature", "meaning", "words"]


@dataclass(frozen=True)
class Hit:
    """A source that may answer, with its passage that is nearest to the question."""

    source: str  # an article's slug or a document's id
    kind: Literal["article", "document"]
    title: str
    passage: str
    score: float  # in [0, 1]
    why: Why


@dataclass(frozen=True)
class SearchResult:
    """What was found, best first; `abstained`: nothing good enough to answer with."""

    hits: tuple[Hit, ...]
    confidence: float  # in [0, 1], the best hit's score
    threshold: float

    @property
    def abstained(self) -> bool:
        return self.confidence < self.threshold


@dataclass(frozen=True)
class _Evidence:
    """What speaks for one source: its strength on the logistic scale, and where it comes from."""

    strength: float
    row: int  # the passage nearest in meaning
    why: Why


@dataclass(frozen=True)
class _Part:
    """A text to search for: the whole question, one sentence of it, or an error message."""

    text: str
    handicap: float = 0.0


class Search:
    """Search one index: signatures first, then meaning and words together."""

    def __init__(self, index: Index, model: Embeds, *, threshold: float = THRESHOLD) -> None:
        self._index = index
        self._model = model
        self._threshold = threshold
        # The passages of a source stand together, so a source is a range of rows.
        names = [piece.source for piece in index.passages]
        self._sources = [index.sources[name] for name in dict.fromkeys(names)]
        numbers = {source.id: number for number, source in enumerate(self._sources)}
        self._source_of = np.array([numbers[name] for name in names], dtype=np.int64)
        self._starts = np.searchsorted(self._source_of, np.arange(len(self._sources)))
        self._words = Words([piece.text for piece in index.passages], self._starts)
        self._patterns = [
            [signature(None, error) for error in source.errors] for source in self._sources
        ]

    def search(self, text: str, error: tuple[str, str] | None = None, k: int = 5) -> SearchResult:
        """Rank the sources that may answer a question.

        A source with the signature of the real error comes first, then one with a message that
        the text quotes, then the others by meaning and words. If no source knows the real error,
        one that only resembles the text stays below the threshold: the run has shown that
        something else is wrong.

        Args:
            text: the question's prose, without its code.
            error: type and message of the error that the run really raised; None if there was
                none, or if it was ours and not the asker's (a missing module, no GPU).
            k: sources wanted.

        Returns:
            at most k hits, each source once, and the confidence in the first.
        """
        text = text.strip()
        if not self._sources or not (text or error):
            return SearchResult((), 0.0, self._threshold)

        tiers = self._tiers(text, error)
        prose = self._weigh(_parts(text), tiers)
        message = self._weigh([_Part(f"{error[0]}: {error[1]}")] if error else [], tiers)
        error_is_known = error is None or _REAL_ERROR in tiers.values()

        ranked = []
        for number in sorted({*prose, *message}):
            source, tier = self._sources[number], tiers.get(number, _NO_ERROR)
            found = [weighed[number] for weighed in (prose, message) if number in weighed]
            best = max(found, key=lambda evidence: evidence.strength)
            strength = best.strength
            if tier == _REAL_ERROR and error is not None:
                strength += _SAME_PARTICULAR * _share_particulars(source, error[1])
            score = _score(strength, tier)
            if not error_is_known and tier == _NO_ERROR:
                score = min(score, self._threshold - _JUST_BELOW)
            hit = Hit(
                source=source.id,
                kind=source.kind,
                title=source.title,
                passage=self._index.passages[best.row].text,
                score=score,
                why="signature" if tier else best.why,
            )
            # Of two that know the error, an article goes before a document: it proves itself.
            ranked.append((tier, bool(tier) and source.kind == "article", score, hit))

        ranked.sort(key=lambda row: row[:3], reverse=True)
        hits = tuple(hit for *_, hit in ranked[:k])
        return SearchResult(hits, hits[0].score if hits else 0.0, self._threshold)

    def _tiers(self, text: str, error: tuple[str, str] | None) -> dict[int, int]:
        """Which sources know the real error, or a message that the text quotes or mentions."""
        real = signature(*error) if error else None
        quoted = find_signatures(text)
        prose = generalise(text)
        tiers = {}
        for number, source in enumerate(self._sources):
            for p in self._patterns[number]:
                if real is not None and _same(p, real, source):
                    tiers[number] = _REAL_ERROR
                    break
                in_quotes = any(_same(p, q, source) or _same(q, p, source) for q in quoted)
                if in_quotes or (source.kind == "article" and mentions(prose, p)):
                    tiers[number] = _QUOTED_ERROR
        return tiers

    def _weigh(self, parts: Sequence[_Part], always: Iterable[int]) -> dict[int, _Evidence]:
        """Weigh the promising sources, and those in `always`; each by the part that fits best."""
        if not parts:
            return {}
        texts = [_OUR_SUBJECT.sub("", part.text) for part in parts]
        queries = self._model.encode(texts)  # (len(parts), dim)
        nearest, _ = self._index.nearest(queries, min(_NEAREST, len(self._source_of)))
        elsewhere = _nearness(queries @ self._elsewhere.T)  # (len(parts),)

        best: dict[int, _Evidence] = {}
        for part, query, rows, other in zip(parts, queries, nearest, elsewhere, strict=True):
            words = self._words.coverage(part.text)  # (n_sources,)
            near = self._source_of[rows].tolist()  # -1 cannot be: no more were asked for
            wordy = np.argsort(-words, kind="stable")[:_NEAREST].tolist()
            for number in dict.fromkeys([*near, *wordy, *always]):
                found = self._evidence(number, query, float(words[number]), float(other))
                if number not in best or found.strength - part.handicap > best[number].strength:
                    best[number] = replace(found, strength=found.strength - part.handicap)
        return best

    def _evidence(self, number: int, query: np.ndarray, words: float, other: float) -> _Evidence:
        start = int(self._starts[number])
        end = int(np.searchsorted(self._source_of, number, side="right"))
        cosines = self._index.vectors(range(start, end)) @ query  # (end - start,)
        by_meaning = _MEANING_WEIGHT * float(_nearness(cosines))
        by_words = _WORDS_WEIGHT * words
        return _Evidence(
            strength=by_meaning + by_words + _ELSEWHERE_WEIGHT * other + _BIAS,
            row=start + int(cosines.argmax()),
            why="words" if by_words > by_meaning else "meaning",
        )

    @cached_property
    def _elsewhere(self) -> np.ndarray:
        return self._model.encode(ELSEWHERE)  # (len(ELSEWHERE), dim)


def _parts(text: str) -> list[_Part]:
    """The whole question and, if it has several, its sentences: one of them may be the question."""
    parts = [_Part(text[:_MAX_QUERY_CHARS])] if text else []
    sentences = [s for s in _SENTENCE_END.split(text) if len(s.split()) >= _MIN_SENTENCE_WORDS]
    if len(sentences) > 1:
        cut = (sentence[:_MAX_QUERY_CHARS] for sentence in sentences[:_MAX_SENTENCES])
        parts += [_Part(sentence, _SENTENCE_HANDICAP) for sentence in cut]
    return parts


def _nearness(cosines: np.ndarray) -> np.ndarray:
    """Between the best cosine and the mean of the best three: one may be near by chance."""
    best = np.sort(cosines, axis=-1)[..., ::-1]
    near: np.ndarray = (best[..., 0] + best[..., :_TOP].mean(axis=-1)) / 2
    return near


def _same(pattern: str, actual: str, source: Source) -> bool:
    if source.kind == "document" and len(pattern.split()) < _DOCUMENT_MIN_WORDS:
        return False  # documents quote names as well as messages
    return matches(pattern, actual)


def _share_particulars(source: Source, message: str) -> bool:
    """Tell whether a source's own example names what the message names, e.g. the operation.

    Only what the signature leaves out counts: two articles may answer one signature, and it is
    the particulars that tell which.
    """
    common = set(_PARTICULAR.findall(generalise(message)))
    particular = set(_PARTICULAR.findall(message.partition("Hint:")[0])) - common - _TENSOR_TYPES
    return any(particular & set(_PARTICULAR.findall(error)) for error in source.errors)


def _score(strength: float, tier: int) -> float:
    low, high = _SCORES[tier]
    return low + (high - low) / (1 + math.exp(-max(-50.0, min(50.0, strength))))
