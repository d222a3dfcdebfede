"""Group questions that nobody answered, and name each group."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from math import log
from typing import Literal

import numpy as np

from knowledge.search.bm25 import tokenize
from knowledge.search.index import Embeds
from knowledge.signature import find_signatures, signature

# The largest distance between two questions of a group, half by meaning and half by words.
# On the on-topic questions of benchmarks/questions, written to be unlike each other, 29 % of the
# pairs it puts together belong to one article (1.4 % of all pairs do), and it finds 14 % of those.
# Meaning alone, or the average of a group, is worse at any distance.
_APART = 0.7
_TERMS = 3  # words that name a group
_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]{2,}")
_NO_SLUG = re.compile(r"[^a-z0-9]+")

Reason = Literal["unanswered", "marked wrong", "sent to a human"]


@dataclass(frozen=True)
class UnansweredQuestion:
    """A question that ended without an answer, or with one that its asker called wrong."""

    text: str  # the prose
    reason: Reason
    asked_at: float  # seconds since 1970
    code: str = ""
    error: tuple[str, str] | None = None  # type and message that its run raised
    line: int | None = None  # of the code, where it was raised
    said: str = ""  # what its asker found wrong with the answer


@dataclass(frozen=True)
class Gap:
    """Questions on one subject that no article covers, the most typical first."""

    name: str
    questions: tuple[UnansweredQuestion, ...]
    terms: tuple[str, ...] = ()  # words of this group alone; empty: it shares an error
    errors: tuple[tuple[str, str], ...] = field(default=())

    @property
    def slug(self) -> str:
        """A folder's name, from the gap's error or terms."""
        words = _NO_SLUG.sub("-", self.name.lower()).strip("-").split("-")
        return "-".join(words[:8]) or "unnamed"


def find_gaps(questions: Sequence[UnansweredQuestion], model: Embeds) -> list[Gap]:
    """Group questions by their error, the others by meaning; the largest group first.

    Args:
        questions: any number, in any order; one without code, error and prose is left out.
        model: embeds the prose of those without an error.
    """
    by_error: dict[str, list[UnansweredQuestion]] = defaultdict(list)
    prose = []
    for question in questions:
        key = _signature(question)
        if key:
            by_error[key].append(question)
        elif question.text.strip():
            prose.append(question)
    gaps = [_of_one_error(key, group) for key, group in by_error.items()]
    gaps += _of_one_meaning(prose, model)
    return sorted(gaps, key=lambda g: (-len(g.questions), -max(q.asked_at for q in g.questions)))


def _signature(question: UnansweredQuestion) -> str:
    if question.error is not None:
        return signature(*question.error)
    quoted = find_signatures(question.text)
    return quoted[0] if quoted else ""


def _of_one_error(key: str, group: list[UnansweredQuestion]) -> Gap:
    latest = sorted(group, key=lambda q: -q.asked_at)
    errors = tuple(dict.fromkeys(q.error for q in latest if q.error is not None))
    return Gap(name=key, questions=tuple(latest), errors=errors)


def _of_one_meaning(questions: Sequence[UnansweredQuestion], model: Embeds) -> list[Gap]:
    if not questions:
        return []
    vectors = model.encode([q.text for q in questions])  # (n, dim), of length 1
    groups: dict[int, list[int]] = defaultdict(list)
    for number, label in enumerate(_labels([q.text for q in questions], vectors)):
        groups[label].append(number)
    words = [set(_words(q.text)) for q in questions]
    used_by = Counter(word for mine in words for word in mine)
    gaps = []
    for members in groups.values():
        middle = vectors[members].mean(axis=0)
        typical = sorted(members, key=lambda n: -float(vectors[n] @ middle))
        terms = _terms([words[n] for n in members], used_by, len(questions), questions, typical)
        name = " ".join(terms) or first_sentence(questions[typical[0]].text)
        gaps.append(Gap(name, tuple(questions[n] for n in typical), terms))
    return gaps


def _labels(texts: Sequence[str], vectors: np.ndarray) -> list[int]:
    """Which group each text belongs to."""
    if len(texts) < 2:
        return [0] * len(texts)
    # Slow to import, and needed here alone.
    from sklearn.cluster import AgglomerativeClustering
    from sklearn.feature_extraction.text import TfidfVectorizer

    alike = vectors @ vectors.T  # (n, n), cosines
    if any(tokenize(text) for text in texts):
        words = TfidfVectorizer(analyzer=tokenize, sublinear_tf=True).fit_transform(texts)
        alike = (alike + (words @ words.T).toarray()) / 2
    found = AgglomerativeClustering(
        n_clusters=None, metric="precomputed", linkage="complete", distance_threshold=_APART
    ).fit_predict(np.clip(1 - alike, 0, None))
    return [int(label) for label in found]


def _words(text: str) -> dict[str, str]:
    """The words of a text by their stems, each as it was first written."""
    found: dict[str, str] = {}
    for word in _WORD.findall(text):
        stems = tokenize(word)
        if stems:
            found.setdefault(stems[-1], word.lower())
    return found


def _terms(
    members: Sequence[set[str]],
    used_by: Counter[str],
    n: int,
    questions: Sequence[UnansweredQuestion],
    typical: Sequence[int],
) -> tuple[str, ...]:
    """The words that most questions of a group use and few others, as the most typical one does."""
    counts = Counter(word for words in members for word in words)
    # A word's share in the group, times how rare it is among all the questions.
    weight = {w: c / len(members) * log(1 + n / used_by[w]) for w, c in counts.items()}
    best = sorted(weight, key=lambda word: (-weight[word], word))[:_TERMS]
    written: dict[str, str] = {}
    for number in reversed(typical):
        written |= _words(questions[number].text)
    return tuple(written[word] for word in best)


def first_sentence(text: str) -> str:
    """The first sentence of the first line that holds any."""
    line = next((line.strip() for line in text.splitlines() if line.strip()), "")
    return re.split(r"(?<=[.!?])\s", line, maxsplit=1)[0][:200]
