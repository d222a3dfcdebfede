"""Find the article or document that answers a question, or abstain if none does."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
from threadpoolctl import ThreadpoolController

from knowledge.documents.verdict import Verdict
from knowledge.search.bm25 import Words, near_pairs, pairs, tokenize
from knowledge.search.error_index import NONE, QUOTED, REAL, KnownErrors, particulars
from knowledge.search.index import Embeds, Index
from knowledge.search.off_topic import OFF_TOPIC
from knowledge.search.passages import Passage

THRESHOLD = 0.5

# Fitted and printed by benchmarks/fit_search.py; what comes of it where nothing was fitted,
# retrieval.py and abstention.py print. What sources are put in order by, for prose and for errors:
_MEANING, _OPENING = 22.6, 14.4
_WORDS, _PAIRS, _FIRST_SENTENCE = 7.5, 6.2, 7.2
_COMPANY = 17.1
_ARTICLE_WORDS = 55.7  # an article is short and lists how it is asked, so its words say more
_ERROR_MEANING, _ERROR_WORDS, _ERROR_CODE = 3.6, 3.4, 10.3
# The logistic curve that turns what was measured at the first source into a confidence. Its bias
# puts the cut where THRESHOLD is.
_SURE_MEANING, _SURE_WORDS = 9.1, 10.8
_SURE_ELSEWHERE, _SURE_FIELD, _SURE_LENGTH = -19.9, 23.3, 9.9
_SURE_BIAS = -29.0
_PER_ORDER = 0.20  # the same curve against the order's own scale: how fast the next ones fall off
_FIELD = 5  # sources whose mean nearness tells whether the question is of our field at all
LONG = 8  # words; a longer question is no surer

NO_ERROR_CEILING = 0.9  # of the score that meaning and words can give; above it an error is known

# Why a source is considered, and the scores that leaves room for.
_SCORES = {REAL: (0.95, 1.0), QUOTED: (0.9, 0.95), NONE: (0.0, NO_ERROR_CEILING)}
_ERRORS: dict[int, Literal["", "real", "quoted"]] = {REAL: "real", QUOTED: "quoted", NONE: ""}
_JUST_BELOW = 0.05
_SAME_PARTICULAR = 5.0  # for naming the same operation, added before the logistic curve

_MAX_SENTENCES = 8
_MIN_SENTENCE_WORDS = 5
_SENTENCE_HANDICAP = 0.5  # a sentence alone says less than the question, on the logistic scale
_MAX_QUERY_CHARS = 1_500  # about what the model reads of a text
_NEAREST = 200  # passages whose sources are looked at closely
_WORDIEST = 100  # sources that are looked at closely for their words, and for those of their code
_TOP = 3

# Says nothing where everything is about it, and makes every question resemble every other one.
_OUR_SUBJECT = re.compile(r"\s*(?:\b(?:in|of|with|using)\s+)?\bpytorch(?:'s)?\b", re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|\n+")
_BY = re.compile(r"(?<=\d)x(?=\d)")
_ASKED = ("title", "also_asked_as")

_LETTERS = re.compile(r"[^\W\d_]")
_LATIN = "\u024f"  # the last letter of those that English, French or Polish are written in
_ANOTHER = 0.3  # of the letters


def in_another_script(text: str) -> bool:
    """Whether a text is written in Chinese, Russian or the like, which the model cannot read.

    in_another_script("训练时内存越来越多 (epoch)")  # True
    """
    letters: list[str] = _LETTERS.findall(text)
    return sum(letter > _LATIN for letter in letters) > _ANOTHER * len(letters)


Why = Literal["signature", "meaning", "words"]


@dataclass(frozen=True)
class SourceMatch:
    """One source's scores, for the part of the question that fits it best.

    Ranks are among all sources that were measured closely, from 1.
    """

    meaning: float  # how near its passages are, a cosine
    meaning_rank: int
    words: float  # the share of the question that its words account for
    words_rank: int
    code: float = 0.0  # the same of the error message, in its code blocks
    error: Literal["", "real", "quoted"] = ""  # it knows the error that was run, or one named


@dataclass(frozen=True)
class Hit:
    """A source that may answer, with its passage nearest to the question."""

    source: str  # an article's slug or a document's id
    kind: Literal["article", "document"]
    title: str
    passage: str
    score: float  # in [0, 1]
    why: Why
    evidence: SourceMatch
    verdict: Verdict | None = None  # of an audit that ran its code; None: not audited


@dataclass(frozen=True)
class Surroundings:
    """A question's nearness to the whole field; with the first hit it gives the confidence."""

    elsewhere: float  # subjects that are not ours
    field: float  # the nearest few sources, whichever they are
    words: int
    articles: float = 0.0  # the nearest few articles, which is what the curve was fitted to


@dataclass(frozen=True)
class SearchResult:
    """The hits, best first; `abstained` if none is good enough to answer with."""

    hits: tuple[Hit, ...]
    confidence: float  # in [0, 1], the best hit's score
    threshold: float
    surroundings: Surroundings = Surroundings(0.0, 0.0, 0)

    @property
    def abstained(self) -> bool:
        return self.confidence < self.threshold


@dataclass(frozen=True)
class QueryPart:
    """A text to search for: the whole question, one sentence of it, or an error message."""

    text: str
    handicap: float = 0.0
    error: bool = False


@dataclass(frozen=True)
class Measured:
    """The scores of one part at each source measured closely.

    All arrays have the shape (len(numbers),).
    """

    numbers: np.ndarray  # the sources, in order
    article: np.ndarray  # which of them are articles
    meaning: np.ndarray
    opening: np.ndarray
    words: np.ndarray
    pairs: np.ndarray  # the same share, of words that stand side by side
    first_sentence: np.ndarray  # the same share, of words that stand near in the first sentence
    company: np.ndarray  # how near a document opens to what most are about; 0 for articles
    code: np.ndarray
    rows: np.ndarray  # each one's passage that is nearest
    surroundings: Surroundings

    def at(self, place: int) -> tuple[float, int, float, int, float]:
        """One source's meaning, words and code, with their ranks."""
        return (
            float(self.meaning[place]),
            1 + int((self.meaning > self.meaning[place]).sum()),
            float(self.words[place]),
            1 + int((self.words > self.words[place]).sum()),
            float(self.code[place]),
        )


class Search:
    """Search one index: signatures first, then meaning and words together."""

    def __init__(
        self,
        index: Index,
        model: Embeds,
        *,
        threshold: float = THRESHOLD,
        verdicts: Mapping[str, Verdict] | None = None,
    ) -> None:
        """`verdicts`: the audit's verdicts on documents, by their ids."""
        self._verdicts = verdicts or {}
        self._index = index
        self._model = model
        self._threshold = threshold
        # Products of a few hundred rows are done before a second thread has woken. It would then
        # spin for longer than the search takes, on a core that a run could have.
        self._libraries = ThreadpoolController()
        # The passages of a source stand together, so a source is a range of rows.
        names = [piece.source for piece in index.passages]
        self._sources = [index.sources[name] for name in dict.fromkeys(names)]
        numbers = {source.id: number for number, source in enumerate(self._sources)}
        self._source_of = np.array([numbers[name] for name in names], dtype=np.int64)
        self._starts = np.searchsorted(self._source_of, np.arange(len(self._sources)))
        self._counts = np.diff(np.append(self._starts, len(names)))
        self._is_article = np.array([s.kind == "article" for s in self._sources], dtype=bool)
        self._articles = np.flatnonzero(self._is_article)
        self._openings = _openings(index.passages, self._source_of, len(self._sources))
        texts, owners = _wordings(index.passages, self._source_of, self._is_article)
        of_article = self._is_article[owners]

        def words(rows: np.ndarray, cut: Callable[[str], list[str]] | None = None) -> Words:
            return Words([texts[row] for row in rows], owners[rows], len(self._sources), cut)

        # Each kind by itself: among documents every title of an article would count as short.
        self._words_of_articles = words(np.flatnonzero(of_article))
        self._words = words(np.flatnonzero(~of_article))
        self._pairs = words(np.flatnonzero(~of_article), pairs)
        documents = np.flatnonzero(~self._is_article)
        opened = (index.passages[row].text for row in self._openings[documents].tolist())
        first = [_SENTENCE_END.split(text.strip(), maxsplit=1)[0] for text in opened]
        self._first_sentences = Words(first, documents, len(self._sources), near_pairs)
        self._company = self._companies(documents)
        code = [(numbers[owner], code) for owner, code in index.code if owner in numbers]
        owners = np.array([number for number, _ in code], dtype=np.int64)
        self._code = Words([text for _, text in code], owners, len(self._sources))
        self._known = KnownErrors(self._sources)

    def search(self, text: str, error: tuple[str, str] | None = None, k: int = 5) -> SearchResult:
        """Rank the sources that may answer a question.

        A source with the signature of the real error comes first, then one with a message that
        the text quotes, then the others by meaning and words; the real error's own words are also
        looked for in documents' code. If no source knows the real error, one that only resembles
        the text stays below the threshold: the run has shown that something else is wrong.
        A document that an audit refuted goes behind all that hold and could answer.

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

        known = self._known.knowing(text, error)
        parts = _parts(text, error)
        with self._libraries.limit(limits=1):
            measured = self.measure(parts, known)
        numbers, strength, part_of = _merged(parts, measured)
        tiers = np.zeros(len(numbers), dtype=np.int64)
        for number, tier in known.items():
            tiers[np.searchsorted(numbers, number)] = tier
        if error is not None:
            names = particulars(error[1])
            for place in np.flatnonzero(tiers == REAL).tolist():
                if self._known.shares(int(numbers[place]), names):
                    strength[place] += _SAME_PARTICULAR
        # Of two that know the error, an article goes before a document: it proves itself.
        proven = (tiers > NONE) & self._is_article[numbers]
        ceiling = 1.0
        if error is not None and not (tiers == REAL).any():
            ceiling = self._threshold - _JUST_BELOW  # for what only resembles the text
        elif in_another_script(text):
            ceiling = self._threshold - _JUST_BELOW  # whose meaning the model does not know

        scored = []
        order = np.lexsort((-strength, ~proven, -tiers))
        for place in (order if self._verdicts else order[:k]).tolist():
            tier = int(tiers[place])
            score = _score(float(strength[place]), tier)
            scored.append((place, tier, min(score, ceiling) if tier == NONE else score))
        if self._verdicts:
            scored = self._refuted_behind(scored, numbers)
        hits = [
            self._hit(int(numbers[place]), tier, score, measured[part_of[place]])
            for place, tier, score in scored[:k]
        ]
        return SearchResult(tuple(hits), hits[0].score, self._threshold, measured[0].surroundings)

    def _refuted_behind(
        self, scored: list[tuple[int, int, float]], numbers: np.ndarray
    ) -> list[tuple[int, int, float]]:
        """Move refuted documents behind sources that hold and could answer, as articles do."""
        refuted, others, last = [], [], 0
        for one in scored:
            source = self._sources[int(numbers[one[0]])]
            verdict = self._verdicts.get(source.id)
            if source.kind == "document" and verdict is Verdict.REFUTED:
                refuted.append(one)
                continue
            others.append(one)
            if one[2] >= self._threshold and (source.kind == "article" or verdict == "holds"):
                last = len(others)
        if not refuted:
            return scored
        ceiling = others[last - 1][2] if last else 1.0
        lowered = [(place, tier, min(score, ceiling)) for place, tier, score in refuted]
        behind = sorted([*lowered, *others[last:]], key=lambda one: (-one[2], -one[1]))
        return [*others[:last], *behind]

    def measure(self, parts: Sequence[QueryPart], always: Iterable[int] = ()) -> list[Measured]:
        """Measure the promising sources of each part, and those in `always`."""
        texts = [_OUR_SUBJECT.sub("", part.text) for part in parts]
        queries = self._model.encode(texts)  # (len(parts), dim)
        nearest, _ = self._index.nearest(queries, min(_NEAREST, len(self._source_of)))
        elsewhere = _best_few(queries @ self._off_topic.T)  # (len(parts),)
        always = np.fromiter(always, dtype=np.int64)

        measured = []
        for part, query, rows, other in zip(parts, queries, nearest, elsewhere, strict=True):
            words = self._words.coverage(part.text) + self._words_of_articles.coverage(part.text)
            code = self._code.coverage(part.text) if part.error else np.zeros_like(words)
            if len(self._sources) <= _WORDIEST:
                numbers = np.arange(len(self._sources))
            else:
                near = self._source_of[rows[rows >= 0]]
                looked_at = (near, _most(words), _most(code), always, self._articles)
                numbers = np.unique(np.concatenate(looked_at))
            article = self._is_article[numbers]
            meaning, opening, nearest_rows = self._nearness_of(numbers, query)
            around = Surroundings(
                elsewhere=float(other),
                field=float(np.sort(meaning)[-_FIELD:].mean()),
                words=len(tokenize(part.text)),
                articles=float(np.sort(meaning[article])[-_FIELD:].mean())
                if article.any()
                else 0.0,
            )
            measured.append(
                Measured(
                    numbers,
                    article,
                    meaning,
                    opening,
                    words[numbers],
                    self._pairs.coverage(part.text)[numbers],
                    self._first_sentences.coverage(part.text)[numbers],
                    self._company[numbers],
                    code[numbers],
                    nearest_rows,
                    around,
                )
            )
        return measured

    def _nearness_of(
        self, numbers: np.ndarray, query: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Each source's nearness by its passages and by its opening, and its nearest row."""
        starts, counts = self._starts[numbers], self._counts[numbers]
        first = np.cumsum(counts) - counts  # of each source, among the rows that are looked at
        rows = np.repeat(starts - first, counts) + np.arange(int(counts.sum()))
        cosines = self._index.vectors(rows) @ query
        # One line a source, empty places lowest.
        table = np.full((len(numbers), int(counts.max())), -2.0, dtype=np.float32)
        line = np.repeat(np.arange(len(numbers)), counts)
        table[line, rows - np.repeat(starts, counts)] = cosines
        meaning = _best_few(table, counts)
        # An article opens with what one sees, which its titles say better; only a document's
        # opening stands for the whole.
        opening = cosines[first + self._openings[numbers] - starts]
        opening = np.where(self._is_article[numbers], meaning, opening)
        return meaning, opening, starts + table.argmax(axis=1)

    def _companies(self, documents: np.ndarray) -> np.ndarray:
        """Each document's mean nearness to all others, less the overall mean, shape (n_sources,).

        A subject of many documents is asked about more often.
        """
        company = np.zeros(len(self._sources), dtype=np.float32)
        if len(documents):
            openings = self._index.vectors(self._openings[documents])  # (n_documents, dim)
            nearness = openings @ openings.mean(axis=0)
            company[documents] = nearness - nearness.mean()
        return company

    def _hit(self, number: int, tier: int, score: float, measured: Measured) -> Hit:
        source = self._sources[number]
        place = int(np.searchsorted(measured.numbers, number))
        evidence = SourceMatch(*measured.at(place), error=_ERRORS[tier])
        by_words = _WORDS * evidence.words > _MEANING * evidence.meaning
        return Hit(
            source=source.id,
            kind=source.kind,
            title=source.title,
            passage=self._index.passages[int(measured.rows[place])].text,
            score=score,
            why="signature" if tier else "words" if by_words else "meaning",
            evidence=evidence,
            verdict=self._verdicts.get(source.id) if source.kind == "document" else None,
        )

    @cached_property
    def _off_topic(self) -> np.ndarray:
        return self._model.encode(OFF_TOPIC)  # (len(OFF_TOPIC), dim)


def _parts(text: str, error: tuple[str, str] | None) -> list[QueryPart]:
    """The whole question and, if it has several, each sentence: one of them may be the question.

    The error is the last part.
    """
    parts = [QueryPart(text[:_MAX_QUERY_CHARS])] if text else []
    sentences = [s for s in _SENTENCE_END.split(text) if len(s.split()) >= _MIN_SENTENCE_WORDS]
    if len(sentences) > 1:
        cut = (sentence[:_MAX_QUERY_CHARS] for sentence in sentences[:_MAX_SENTENCES])
        parts += [QueryPart(sentence, _SENTENCE_HANDICAP) for sentence in cut]
    if error is not None:
        parts.append(message_part(error))
    return parts


def message_part(error: tuple[str, str]) -> QueryPart:
    """An error to search for: `(64x784 and 512x10)` with its numbers apart, as code has them."""
    return QueryPart(_BY.sub(" ", f"{error[0]}: {error[1]}")[:_MAX_QUERY_CHARS], error=True)


def _merged(
    parts: Sequence[QueryPart], measured: Sequence[Measured]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Each source by the part of the text that fits it best; what speaks for it in the error is
    added, where there is one.

    Returns:
        the sources' numbers in order, their strengths on the logistic scale, and which part each
        is seen by.
    """
    numbers = np.unique(np.concatenate([one.numbers for one in measured]))
    strength = np.full(len(numbers), -np.inf)
    part_of = np.full(len(numbers), len(parts) - 1)
    for n, (part, one) in enumerate(zip(parts, measured, strict=True)):
        places = np.searchsorted(numbers, one.numbers)
        if part.error:
            worst = strength[np.isfinite(strength)].min(initial=np.inf)
            strength[np.isinf(strength)] = worst if np.isfinite(worst) else 0.0
            strength[places] += in_error(one)
            continue
        of_part = _in_prose(part, one)
        better = of_part > strength[places]
        strength[places[better]] = of_part[better]
        part_of[places[better]] = n
    return numbers, strength, part_of


def _in_prose(part: QueryPart, one: Measured) -> np.ndarray:
    """Each source's strength for a text: the first by its confidence, the others below it."""
    order = in_order(one)
    first = int(order.argmax())
    around = one.surroundings
    if one.article[first]:  # documents near by make no article more likely
        around = replace(around, field=around.articles)
    sure = sureness(float(one.meaning[first]), float(one.words[first]), around)
    strength: np.ndarray = sure - _PER_ORDER * (order[first] - order) - part.handicap
    return strength


def in_order(one: Measured) -> np.ndarray:
    """The values by which sources are ranked for a text."""
    in_document = _WORDS * one.words + _PAIRS * one.pairs
    in_document += _FIRST_SENTENCE * one.first_sentence + _COMPANY * one.company
    words = np.where(one.article, _ARTICLE_WORDS * one.words, in_document)
    order: np.ndarray = _MEANING * one.meaning + _OPENING * one.opening + words
    return order


def in_error(one: Measured) -> np.ndarray:
    """The values by which sources are ranked for an error message."""
    order: np.ndarray = (
        _ERROR_MEANING * one.meaning + _ERROR_WORDS * one.words + _ERROR_CODE * one.code
    )
    return order


def sureness(meaning: float, words: float, around: Surroundings) -> float:
    """The confidence in the first source, on the logistic scale."""
    return (
        _SURE_MEANING * meaning
        + _SURE_WORDS * words
        + _SURE_ELSEWHERE * around.elsewhere
        + _SURE_FIELD * around.field
        + _SURE_LENGTH * math.log1p(min(around.words, LONG))
        + _SURE_BIAS
    )


def _openings(found: Sequence[Passage], source_of: np.ndarray, n_sources: int) -> np.ndarray:
    """The first row of each source that is not a title."""
    openings = np.full(n_sources, -1)
    for row, (piece, number) in enumerate(zip(found, source_of.tolist(), strict=True)):
        known = openings[number]
        if known < 0 or (found[known].kind in _ASKED and piece.kind not in _ASKED):
            openings[number] = row
    return openings


def _wordings(
    found: Sequence[Passage], source_of: np.ndarray, is_article: np.ndarray
) -> tuple[list[str], np.ndarray]:
    """The texts for the word search: each passage of an article (its titles match best), and each
    document as a whole (it says a thing once and its subject everywhere).

    Returns:
        the texts, and each one's source.
    """
    texts: list[str] = []
    owners: list[int] = []
    for piece, number in zip(found, source_of.tolist(), strict=True):
        if piece.kind == "opening":
            continue  # its paragraphs say it again
        if owners and owners[-1] == number and not is_article[number]:
            texts[-1] += f"\n{piece.text}"
        else:
            texts.append(piece.text)
            owners.append(number)
    return texts, np.array(owners, dtype=np.int64)


def _most(shares: np.ndarray) -> np.ndarray:
    """The sources with the largest shares."""
    most = np.argpartition(-shares, _WORDIEST)[:_WORDIEST]
    return most[shares[most] > 0]


def _best_few(cosines: np.ndarray, counts: np.ndarray | int = _TOP) -> np.ndarray:
    """Between the best cosine and the mean of the best three: one may be near by chance.

    Args:
        cosines: a line for each source, shape (n, most).
        counts: how many of a line are its own; the others are lower than any cosine.
    """
    top = min(_TOP, cosines.shape[1])
    best = -np.partition(-cosines, top - 1, axis=1)[:, :top] if top else cosines
    best = -np.sort(-best, axis=1)  # (n, top)
    own = np.arange(top) < np.reshape(np.minimum(counts, top), (-1, 1))
    mean = (best * own).sum(axis=1) / own.sum(axis=1)
    near: np.ndarray = (best[:, 0] + mean) / 2
    return near


def _score(strength: float, tier: int) -> float:
    low, high = _SCORES[tier]
    return low + (high - low) / (1 + math.exp(-max(-50.0, min(50.0, strength))))
