"""How often a search of the articles is silent where it should not be, and speaks where it should.

    python -m benchmarks.abstention [--cache DIR]

The questions stand in `benchmarks/questions/`: on topic, each with its article, and off topic. They
are counted in two halves, by a hash of their text, so that one can be used for fitting and the
other left alone.
"""

from __future__ import annotations

import argparse
import hashlib
import tempfile
from pathlib import Path

from rich.console import Console
from rich.table import Table

from benchmarks.kept import Kept
from knowledge.article import load_articles
from knowledge.embedding import EmbeddingModel
from knowledge.index import build_index, open_index
from knowledge.search import Search, SearchResult

QUESTIONS = Path(__file__).parent / "questions"
TARGETS = {"refused": 10, "answered": 4}  # of two hundred each


def read(name: str) -> list[tuple[str, str]]:
    """Lines of an article or a subject, a tab, and a question."""
    lines = (QUESTIONS / name).read_text(encoding="utf-8").splitlines()
    return [(first, text) for first, _, text in (line.partition("\t") for line in lines)]


def main() -> None:
    """Ask them all, count and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, help="keep embedded texts here")
    args = parser.parse_args()
    model = EmbeddingModel()
    kept = Kept(model, model.dim, args.cache)
    with tempfile.TemporaryDirectory() as folder:
        build_index(Path(folder), load_articles(), kept)
        search = Search(open_index(Path(folder)), kept)
        on = [(slug, text, search.search(text)) for slug, text in read("on_topic.tsv")]
        off = [(text, search.search(text)) for _, text in read("off_topic.tsv")]
    _tell(on, off)


def _tell(on: list[tuple[str, str, SearchResult]], off: list[tuple[str, SearchResult]]) -> None:
    console = Console(width=100)
    table = Table("half", "on topic", "refused", "other article first", "off topic", "answered")
    for half in ("both", "even", "odd"):
        mine = [x for x in on if _is_in(half, x[1])]
        others = [x for x in off if _is_in(half, x[0])]
        refused = sum(found.abstained for _, _, found in mine)
        first = sum(not f.hits or f.hits[0].source != slug for slug, _, f in mine)
        answered = sum(not found.abstained for _, found in others)
        table.add_row(half, *map(str, (len(mine), refused, first, len(others), answered)))
    console.print(table)
    console.print(f"targets: at most {TARGETS['refused']} refused, {TARGETS['answered']} answered")
    for text, found in off:
        if not found.abstained:
            line = f"answered at {found.confidence:.2f}: {text} → {found.hits[0].source}"
            console.print(line, markup=False, soft_wrap=True)


def _is_in(half: str, text: str) -> bool:
    return half == "both" or _is_even(text) == (half == "even")


def _is_even(text: str) -> bool:
    return hashlib.sha256(text.encode()).digest()[0] % 2 == 0


if __name__ == "__main__":
    main()
