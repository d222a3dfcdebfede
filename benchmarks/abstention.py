"""How sure a search of the articles may be: fits the curve, and counts what it then gets wrong.

    python -m benchmarks.abstention [--cache DIR]

The questions stand in `benchmarks/questions/`, on topic (each with its article) and off topic. Half
of them, by a hash of their text, and what tests/knowledge/questions.py has from before, fit the
logistic curve and its cut; the other half is only counted. An off-topic question that is answered
weighs as much as 2.5 on-topic ones that are refused.
"""

from __future__ import annotations

import argparse
import hashlib
import math
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table
from sklearn.linear_model import LogisticRegression

from benchmarks.kept import Kept
from knowledge.article import load_articles
from knowledge.embedding import EmbeddingModel
from knowledge.index import build_index, open_index
from knowledge.search import LONG, NO_ERROR_CEILING, Search, SearchResult
from tests.knowledge import questions

QUESTIONS = Path(__file__).parent / "questions"
ANSWERED_WEIGHS = 2.5
_NAMES = ("meaning", "words", "elsewhere", "field", "length")


@dataclass(frozen=True)
class Asked:
    """A question, its article (none: off topic), whether it fits the curve, and what was found."""

    text: str
    article: str
    fits: bool
    counted: bool  # one of the four hundred
    found: SearchResult

    @property
    def by_signature(self) -> bool:
        """Whether it names an error that an article knows, which no curve decides."""
        return bool(self.found.hits) and self.found.hits[0].why == "signature"

    @property
    def measured(self) -> list[float]:
        """What the curve goes by."""
        first, around = self.found.hits[0].evidence, self.found.surroundings
        length = math.log1p(min(around.words, LONG))
        return [first.meaning, first.words, around.elsewhere, around.field, length]


def read(name: str) -> list[tuple[str, str]]:
    """Lines of an article or a subject, a tab, and a question."""
    lines = (QUESTIONS / name).read_text(encoding="utf-8").splitlines()
    return [(first, text) for first, _, text in (line.partition("\t") for line in lines)]


def ask(search: Search) -> list[Asked]:
    """Every question, with what is found for it."""
    asked = [(slug, text, _is_even(text), True) for slug, text in read("on_topic.tsv")]
    asked += [("", text, _is_even(text), True) for _, text in read("off_topic.tsv")]
    for known in (questions.PARAPHRASES, questions.LOOKED_AT):
        asked += [(slug, text, True, False) for slug, texts in known.items() for text in texts]
    asked += [(slug, text, True, False) for slug, text in questions.TITLES.items()]
    asked += [(min(slugs), text, True, False) for text, slugs in questions.COVERED_SINCE.items()]
    off = questions.OFF_TOPIC + questions.LOOKED_AT_OFF_TOPIC
    asked += [("", text, True, False) for text in off]
    return [
        Asked(text, slug, fits, counted, search.search(text)) for slug, text, fits, counted in asked
    ]


def _is_even(text: str) -> bool:
    return hashlib.sha256(text.encode()).digest()[0] % 2 == 0


def fit(asked: list[Asked], console: Console) -> None:
    """Fit the curve and its cut; print what knowledge/search.py holds as constants."""
    chosen = [a for a in asked if a.fits and not a.by_signature and a.found.hits]
    measured = np.array([a.measured for a in chosen])  # (n, 5)
    ours = np.array([bool(a.article) for a in chosen])
    spread = measured.std(axis=0)
    curve = LogisticRegression(C=2, max_iter=5000).fit(measured / spread, ours)
    weights, bias = curve.coef_[0] / spread, float(curve.intercept_[0])
    sure = measured @ weights + bias
    wrong = {
        cut: ANSWERED_WEIGHS * ((sure > cut) & ~ours).sum() + ((sure <= cut) & ours).sum()
        for cut in np.linspace(-4, 4, 161).tolist()
    }
    # The middle of the cuts that are best: a cut at the edge of a question fits that question.
    least = [cut for cut, cost in wrong.items() if cost == min(wrong.values())]
    cut = float(np.median(least))
    at_threshold = -math.log(NO_ERROR_CEILING / 0.5 - 1)  # where a score is THRESHOLD
    told = ", ".join(f"{name} {w:.1f}" for name, w in zip(_NAMES, weights, strict=True))
    console.print(f"fitted: {told}, bias {bias - cut + at_threshold:.1f} (cut at {cut:.2f})")


def tell(asked: list[Asked], console: Console) -> None:
    """Count what the constants in use get wrong."""
    table = Table(
        "questions", "on topic", "refused", "other article first", "off topic", "answered"
    )
    for name, fits in (
        ("all", {True, False}),
        ("that fitted the curve", {True}),
        ("held out", {False}),
    ):
        part = [a for a in asked if a.counted and a.fits in fits]
        on, off = [a for a in part if a.article], [a for a in part if not a.article]
        refused = sum(a.found.abstained for a in on)
        other = sum(not a.found.hits or a.found.hits[0].source != a.article for a in on)
        answered = sum(not a.found.abstained for a in off)
        table.add_row(name, *map(str, (len(on), refused, other, len(off), answered)))
    console.print(table)
    for a in asked:
        if a.counted and a.found.abstained == bool(a.article):
            first = a.found.hits[0] if a.found.hits else None
            console.print(
                f"{'refused' if a.article else 'answered'} at {a.found.confidence:.2f}: {a.text} "
                f"→ {first.source if first else 'nothing'} ({first.why if first else ''})",
                markup=False, soft_wrap=True,
            )  # fmt: skip


def main() -> None:
    """Fit, count and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, help="keep embedded texts here")
    args = parser.parse_args()
    console = Console(width=100)
    model = EmbeddingModel()
    kept = Kept(model, model.dim, args.cache)
    articles = load_articles()
    with tempfile.TemporaryDirectory() as folder:
        build_index(Path(folder), articles, kept)
        asked = ask(Search(open_index(Path(folder)), kept))
    fit(asked, console)
    tell(asked, console)


if __name__ == "__main__":
    main()
