"""Find the article or document that answers a question, and know when none does."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np

from knowledge.elsewhere import ELSEWHERE
from knowledge.index import Embeds, Index, Source
from knowledge.passages import Passage
from knowledge.signature import find_signatures, generalise, matches, mentions, signature
from knowledge.words import Words, tokenize

THRESHOLD = 0.5

# How sources are put in order: a conditional logit over four fifths of a corpus of documents, with
# titles as the questions; for error messages, with the errors of the documents' own code.
# benchmarks/retrieval.py prints what comes of it on the fifth that was held out.
_MEANING, _OPENING, _WORDS = 19.6, 17.0, 10.6
_ARTICLE_WORDS = 18.8  # an article is short and lists how it is asked, so its words say more
_ERROR_MEANING, _ERROR_WORDS, _ERROR_CODE = 4.2, 3.5, 5.0

# The logistic curve that turns what was measured at the first source into a confidence: fitted and
# printed by benchmarks/abstention.py. Its bias puts the cut where THRESHOLD is.
_SURE_MEANING, _SURE_WORDS = 3.9, 11.2
_SURE_ELSEWHERE, _SURE_FIELD, _SURE_LENGTH = -14.5, 21.0, 7.0
_SURE_BIAS = -20.6
_PER_ORDER = 0.4  # the same curve against the order's own scale: how fast the next ones fall off
_FIELD = 5  # sources whose mean nearness tells whether the question is of our field at all
LONG = 8  # words; a longer question is no surer

NO_ERROR_CEILING = 0.9  # of the score that meaning and words can give; above it an error is known

# Why a source is considered, and the scores that leaves room for.
_REAL_ERROR, _QUOTED_ERROR, _NO_ERROR = 2, 1, 0
_SCORES = {_REAL_ERROR: (0.95, 1.0), _QUOTED_ERROR: (0.9, 0.95), _NO_ERROR: (0.0, NO_ERROR_CEILING)}
_ERRORS: dict[int, Literal["", "real", "quoted"]] = {
    _REAL_ERROR: "real", _QUOTED_ERROR: "quoted", _NO_ERROR: "",
}  # fmt: skip
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
_BY = re.compile(r"(?<=\d)x(?=\d)")
# The signature of every missing attribute: without the names in it, it says nothing.
_ANY_ATTRIBUTE = "<q> object has no attribute <q>"
_ASKED = ("title", "also_asked_as")
_PARTICULAR = re.compile(r"[A-Za-z_]{3,}")
_TENSOR_TYPES = {"torch", "cuda", "FloatTensor", "DoubleTensor", "HalfTensor", "BFloat16Tensor"}

Why = Literal["signature", "meaning", "words"]


@dataclass(frozen=True)
class Evidence:
    """What one source was measured at, for the part of the question that fits it best.

    Ranks are among all that were looked at closely, from 1.
    """

    meaning: float  # how near its passages are, a cosine
    meaning_rank: int
    words: float  # the share of the question that its words account for
    words_rank: int
    code: float = 0.0  # the same of the error message, in its code blocks
    error: Literal["", "real", "quoted"] = ""  # it knows the error that was run, or one named


@dataclass(frozen=True)
class Hit:
    """A source that may answer, with its passage that is nearest to the question."""

    source: str  # an article's slug or a document's id
    kind: Literal["article", "document"]
    title: str
    passage: str
    score: float  # in [0, 1]
    why: Why
    evidence: Evidence


@dataclass(frozen=True)
class Surroundings:
    """What a question is near to as a whole; with the first hit it says how sure to be."""

    elsewhere: float  # subjects that are not ours
    field: float  # the nearest few sources, whichever they are
    words: int


@dataclass(frozen=True)
class SearchResult:
    """What was found, best first; `abstained`: nothing good enough to answer with."""

    hits: tuple[Hit, ...]
    confidence: float  # in [0, 1], the best hit's score
    threshold: float
    surroundings: Surroundings = Surroundings(0.0, 0.0, 0)

    @property
    def abstained(self) -> bool:
        return self.confidence < self.threshold


@dataclass(frozen=True)
class _Part:
    """A text to search for: the whole question, one sentence of it, or an error message."""

    text: str
    handicap: float = 0.0
    error: bool = False


@dataclass(frozen=True)
class _Weighed:
    """What was measured of one part, at each of the sources looked at closely."""

    numbers: list[int]
    strength: np.ndarray  # on the logistic scale, (len(numbers),)
    meaning: np.ndarray
    words: np.ndarray
    code: np.ndarray
    rows: np.ndarray  # each one's passage that is nearest
    surroundings: Surroundings

    def at(self, place: int) -> Evidence:
        """One source's evidence, with its ranks."""
        return Evidence(
            meaning=float(self.meaning[place]),
            meaning_rank=1 + int((self.meaning > self.meaning[place]).sum()),
            words=float(self.words[place]),
            words_rank=1 + int((self.words > self.words[place]).sum()),
            code=float(self.code[place]),
        )


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
        self._ends = np.append(self._starts[1:], len(names))
        self._openings = _openings(index.passages, self._source_of)
        self._words = Words([piece.text for piece in index.passages], self._starts)
        self._code = _code_words(index, numbers)
        self._patterns = [
            [signature(None, error) for error in source.errors] for source in self._sources
        ]

    def search(self, text: str, error: tuple[str, str] | None = None, k: int = 5) -> SearchResult:
        """Rank the sources that may answer a question.

        A source with the signature of the real error comes first, then one with a message that
        the text quotes, then the others by meaning and words; the real error's own words are also
        looked for in documents' code. If no source knows the real error, one that only resembles
        the text stays below the threshold: the run has shown that something else is wrong.

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
        parts = _parts(text)
        if error is not None:
            parts.append(_Part(_apart(f"{error[0]}: {error[1]}")[:_MAX_QUERY_CHARS], error=True))
        weighed = self._weigh(parts, tiers)
        error_is_known = error is None or _REAL_ERROR in tiers.values()

        ranked = []
        for number, (strength, part, place) in _best(parts, weighed).items():
            source, tier = self._sources[number], tiers.get(number, _NO_ERROR)
            if tier == _REAL_ERROR and error is not None:
                strength += _SAME_PARTICULAR * _share_particulars(source, error[1])
            score = _score(strength, tier)
            if not error_is_known and tier == _NO_ERROR:
                score = min(score, self._threshold - _JUST_BELOW)
            evidence = replace(part.at(place), error=_ERRORS[tier])
            by_words = _WORDS * evidence.words > _MEANING * evidence.meaning
            hit = Hit(
                source=source.id,
                kind=source.kind,
                title=source.title,
                passage=self._index.passages[int(part.rows[place])].text,
                score=score,
                why="signature" if tier else "words" if by_words else "meaning",
                evidence=evidence,
            )
            # Of two that know the error, an article goes before a document: it proves itself.
            ranked.append((tier, bool(tier) and source.kind == "article", strength, hit))

        ranked.sort(key=lambda row: row[:3], reverse=True)
        hits = tuple(hit for *_, hit in ranked[:k])
        return SearchResult(
            hits, hits[0].score if hits else 0.0, self._threshold, weighed[0].surroundings
        )

    def _tiers(self, text: str, error: tuple[str, str] | None) -> dict[int, int]:
        """Which sources know the real error, or a message that the text quotes or mentions."""
        real = signature(*error) if error else None
        quoted = find_signatures(text)
        prose = generalise(text)
        said = f"{text}\n{error[1]}" if error else text
        tiers = {}
        for number, source in enumerate(self._sources):
            if source.kind == "document" and real is None and not quoted:
                continue
            for p in self._patterns[number]:
                if p.endswith(_ANY_ATTRIBUTE) and not _share_particulars(source, said):
                    continue
                if real is not None and _same(p, real, source):
                    tiers[number] = _REAL_ERROR
                    break
                in_quotes = any(_same(p, q, source) or _same(q, p, source) for q in quoted)
                if in_quotes or (source.kind == "article" and mentions(prose, p)):
                    tiers[number] = _QUOTED_ERROR
        return tiers

    def _weigh(self, parts: Sequence[_Part], always: Iterable[int]) -> list[_Weighed]:
        """Weigh the promising sources of each part, and those in `always`."""
        texts = [_OUR_SUBJECT.sub("", part.text) for part in parts]
        queries = self._model.encode(texts)  # (len(parts), dim)
        nearest, _ = self._index.nearest(queries, min(_NEAREST, len(self._source_of)))
        elsewhere = _nearness(queries @ self._elsewhere.T)  # (len(parts),)

        weighed = []
        for part, query, rows, other in zip(parts, queries, nearest, elsewhere, strict=True):
            words = self._words.coverage(part.text)  # (n_sources,)
            code = np.zeros_like(words)
            if part.error and self._code is not None:
                owners, blocks = self._code
                code[owners] = blocks.coverage(part.text)
            near = self._source_of[rows].tolist()  # -1 cannot be: no more were asked for
            wordy = [
                np.argsort(-share, kind="stable")[:_NEAREST].tolist() for share in (words, code)
            ]
            numbers = list(dict.fromkeys([*near, *wordy[0], *wordy[1], *always]))
            weighed.append(self._weigh_one(part, query, numbers, words, code, float(other)))
        return weighed

    def _weigh_one(
        self,
        part: _Part,
        query: np.ndarray,
        numbers: list[int],
        words: np.ndarray,
        code: np.ndarray,
        elsewhere: float,
    ) -> _Weighed:
        meaning, opening, rows = self._nearness_of(numbers, query)
        words, code = words[numbers], code[numbers]
        around = Surroundings(
            elsewhere=elsewhere,
            field=float(np.sort(meaning)[-_FIELD:].mean()),
            words=len(tokenize(part.text)),
        )
        if part.error:
            strength = _ERROR_MEANING * meaning + _ERROR_WORDS * words + _ERROR_CODE * code
        else:
            articles = np.array([self._sources[number].kind == "article" for number in numbers])
            weight = np.where(articles, _ARTICLE_WORDS, _WORDS)
            order = _MEANING * meaning + _OPENING * opening + weight * words
            first = int(order.argmax())
            sure = sureness(float(meaning[first]), float(words[first]), around)
            strength = sure - _PER_ORDER * (order[first] - order) - part.handicap
        return _Weighed(numbers, strength, meaning, words, code, rows, around)

    def _nearness_of(
        self, numbers: list[int], query: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """How near each source's passages are, how near its opening is, and its nearest row."""
        starts, ends = self._starts[numbers], self._ends[numbers]
        everything = np.concatenate(
            [np.arange(*ends_at) for ends_at in zip(starts, ends, strict=True)]
        )
        cosines = self._index.vectors(everything) @ query
        meaning, opening, rows = (np.zeros(len(numbers)) for _ in range(3))
        offset = 0
        for place, number in enumerate(numbers):
            start, count = int(starts[place]), int(ends[place] - starts[place])
            of_source = cosines[offset : offset + count]  # (count,)
            offset += count
            meaning[place] = _nearness(of_source)
            rows[place] = start + of_source.argmax()
            # An article opens with what one sees, which its titles say better; only a document's
            # opening stands for the whole.
            document = self._sources[number].kind == "document"
            opening[place] = (
                of_source[self._openings[number] - start] if document else meaning[place]
            )
        return meaning, opening, rows.astype(np.int64)

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


def _best(
    parts: Sequence[_Part], weighed: Sequence[_Weighed]
) -> dict[int, tuple[float, _Weighed, int]]:
    """Each source by the part of the text that fits it best; what speaks for it in the error is
    added, where there is one."""
    best: dict[int, tuple[float, _Weighed, int]] = {}
    prose = [one for part, one in zip(parts, weighed, strict=True) if not part.error]
    for one in prose:
        for place, (number, strength) in enumerate(zip(one.numbers, one.strength, strict=True)):
            if number not in best or strength > best[number][0]:
                best[number] = (float(strength), one, place)
    if len(prose) == len(parts):
        return best

    message = weighed[-1]
    worst = min((strength for strength, *_ in best.values()), default=0.0)
    for place, (number, strength) in enumerate(zip(message.numbers, message.strength, strict=True)):
        before, one, where = best.get(number, (worst, message, place))
        best[number] = (before + float(strength), one, where)
    return best


def sureness(meaning: float, words: float, around: Surroundings) -> float:
    """How sure to be of the first source, on the logistic scale."""
    return (
        _SURE_MEANING * meaning
        + _SURE_WORDS * words
        + _SURE_ELSEWHERE * around.elsewhere
        + _SURE_FIELD * around.field
        + _SURE_LENGTH * math.log1p(min(around.words, LONG))
        + _SURE_BIAS
    )


def _openings(found: Sequence[Passage], source_of: np.ndarray) -> dict[int, int]:
    """The row at which each source's explanation opens: its first that is no title."""
    openings: dict[int, int] = {}
    for row, (piece, number) in enumerate(zip(found, source_of.tolist(), strict=True)):
        known = openings.get(number)
        if known is None or (found[known].kind in _ASKED and piece.kind not in _ASKED):
            openings[number] = row
    return openings


def _code_words(index: Index, numbers: Mapping[str, int]) -> tuple[np.ndarray, Words] | None:
    """The sources that have code, and the words of it; None where none has."""
    blocks = [(numbers[owner], code) for owner, code in index.code if owner in numbers]
    if not blocks:
        return None
    owner_of = np.array([number for number, _ in blocks], dtype=np.int64)
    owners, starts = np.unique(owner_of, return_index=True)
    return owners, Words([code for _, code in blocks], starts)


def _apart(message: str) -> str:
    """`(64x784 and 512x10)` with its numbers apart, as they stand in code."""
    return _BY.sub(" ", message)


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
