"""Count the questions that search wrongly refuses, and those that it wrongly answers.

    python -m benchmarks.abstention [--cache DIR]

The questions are in `benchmarks/questions/`, on topic (each with its article) and off topic. Half
of them, by a hash of their text, and the older ones of tests/knowledge/search/questions.py, fit
the curve in benchmarks/fit_search.py; the other half is only counted.
"""

from __future__ import annotations

import argparse
import hashlib
import tempfile
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.kept import Kept
from knowledge.articles.reading import load_articles
from knowledge.search.embedding import EmbeddingModel
from knowledge.search.index import build_index, open_index
from knowledge.search.search import Search, SearchResult
from tests.knowledge.search import questions

QUESTIONS = Path(__file__).parent / "questions"


@dataclass(frozen=True)
class Asked:
    """A question, its article (none: off topic), whether it fits the curve, and what was found."""

    text: str
    article: str
    fits: bool
    counted: bool  # it is in benchmarks/questions/
    found: SearchResult

    @property
    def by_signature(self) -> bool:
        """Whether it names an error that an article knows; then the curve does not decide."""
        return bool(self.found.hits) and self.found.hits[0].why == "signature"


def read(name: str) -> list[tuple[str, str]]:
    """Lines of an article or a subject, a tab, and a question."""
    lines = (QUESTIONS / name).read_text(encoding="utf-8").splitlines()
    return [(first, text) for first, _, text in (line.partition("\t") for line in lines)]


def known_before() -> list[tuple[str, str]]:
    """The tuning questions of tests/knowledge/search/questions.py: (article or "", text)."""
    known = [
        (slug, text)
        for questions_of in (questions.PARAPHRASES, questions.LOOKED_AT)
        for slug, texts in questions_of.items()
        for text in texts
    ]
    known += questions.TITLES.items()
    known += [(min(slugs), text) for text, slugs in questions.COVERED_SINCE.items()]
    known += [("", text) for text in questions.OFF_TOPIC + questions.LOOKED_AT_OFF_TOPIC]
    return known


def ask(search: Search) -> list[Asked]:
    """Search for every question."""
    asked = [(slug, text, _is_even(text), True) for slug, text in read("on_topic.tsv")]
    asked += [("", text, _is_even(text), True) for _, text in read("off_topic.tsv")]
    asked += [(slug, text, True, False) for slug, text in known_before()]
    return [
        Asked(text, slug, fits, counted, search.search(text)) for slug, text, fits, counted in asked
    ]


def _is_even(text: str) -> bool:
    return hashlib.sha256(text.encode()).digest()[0] % 2 == 0


def tell(asked: list[Asked], console: Console) -> None:
    """Print how many questions search gets wrong with its present constants."""
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
                markup=False,
                soft_wrap=True,
            )


def main() -> None:
    """Count and print."""
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
    tell(asked, console)


if __name__ == "__main__":
    main()
