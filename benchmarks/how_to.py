"""Count how-to questions whose right function is named first, and questions off the field answered.

Both as an answer has it: a function that an article goes before is not named first, and a question
off the field is answered if a function or an article is. Articles alone are indexed beside the
functions.

    python -m benchmarks.how_to [--cache DIR] [--fit]

`benchmarks/questions/how_to.tsv` has 60 questions with the functions that answer them, written
before any search was tried on them; `off_field.tsv` has 60 that nothing of PyTorch answers. Half of
each, by a hash of the text, may be tuned on; the other half is only counted. `how_to_plain.tsv` has
80 more, asked in beginners' words; some are answered by an article (`article:slug`). A third of
them is only counted. `--fit` also fits the constants of `knowledge/search/functions.py` to what may
be tuned on, to `how_to_tuning.tsv` and to `off_topic.tsv`, and prints them. An off-field question
that is answered weighs as much as four how-to questions that are refused.
"""

from __future__ import annotations

import argparse
import asyncio
import hashlib
import tempfile
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.fit_search import Choice, curve, weights
from benchmarks.kept import Kept
from bot.diagnosis.assemble import open_executor
from bot.diagnosis.how_to import is_near_enough, least_confidence
from bot.models import Question
from bot.settings import Settings
from knowledge.articles.reading import load_articles
from knowledge.reference.collect import collecting_job, read_collected
from knowledge.reference.model import Reference
from knowledge.search.embedding import EmbeddingModel
from knowledge.search.functions import (
    THRESHOLD,
    FunctionSearch,
    FunctionsFound,
    build_functions,
    open_functions,
)
from knowledge.search.index import build_index, open_index
from knowledge.search.search import Search, SearchResult

QUESTIONS = Path(__file__).parent / "questions"
_ARTICLE = "article:"
_PLAIN_HELD = 85  # of 256: how many hashes of plain questions are set aside
_FOLDS = 5
_ORDER = "_MEANING, _WORDS, _ASKED_WORDS, _NAME, _NAMED, _ABOUT"
_SIXTY, _PLAIN = "the sixty", "plain words"
# Of off_topic.tsv, what is of the field here: functions answer it, or might.
_OF_THE_FIELD = ("api", "data", "train", "gpu", "export", "arch")


@dataclass(frozen=True)
class HowTo:
    """A question, the functions that answer it (none: off the field), and whether it may tune."""

    text: str
    right: frozenset[str]
    tunes: bool
    of: str  # "the sixty", "plain words"; empty if it is for tuning only

    @property
    def functions(self) -> frozenset[str]:
        """The functions that answer it, without the articles that do."""
        return frozenset(name for name in self.right if not name.startswith(_ARTICLE))

    @property
    def articles(self) -> frozenset[str]:
        """The slugs of the articles that answer it."""
        return frozenset(
            name.removeprefix(_ARTICLE) for name in self.right if name.startswith(_ARTICLE)
        )


def read(name: str) -> list[tuple[str, str]]:
    """Lines of names or a subject, a tab, and a question."""
    lines = (QUESTIONS / name).read_text(encoding="utf-8").splitlines()
    return [(first, text) for first, _, text in (line.partition("\t") for line in lines)]


def questions() -> list[HowTo]:
    """All questions, those that are counted first."""
    asked = [
        HowTo(text, frozenset(right.split()), _hash(text) % 2 == 0, _SIXTY)
        for right, text in read("how_to.tsv")
    ]
    asked += [
        HowTo(text, frozenset(), _hash(text) % 2 == 0, _SIXTY) for _, text in read("off_field.tsv")
    ]
    asked += [
        HowTo(text, frozenset(right.split()), _hash(text) >= _PLAIN_HELD, _PLAIN)
        for right, text in read("how_to_plain.tsv")
    ]
    asked += [
        HowTo(text, frozenset(right.split()), True, "") for right, text in read("how_to_tuning.tsv")
    ]
    asked += [
        HowTo(text, frozenset(), True, "")
        for subject, text in read("off_topic.tsv")
        if subject not in _OF_THE_FIELD
    ]
    return asked


def _hash(text: str) -> int:
    return hashlib.sha256(text.encode()).digest()[0]


@dataclass(frozen=True)
class Found:
    """What both searches found for a question, and which of them answers it."""

    question: Question
    functions: FunctionsFound
    articles: SearchResult
    least: float | None

    @property
    def by_function(self) -> bool:
        """Whether the answer names a function first."""
        least = self.least
        return least is not None and self.functions.confidence >= max(THRESHOLD, least)

    @property
    def answered(self) -> bool:
        """Whether there is an answer at all."""
        near = (is_near_enough(self.question, hit, self.articles) for hit in self.articles.hits)
        return self.by_function or any(near)


def is_right(name: str, search: FunctionSearch, right: frozenset[str]) -> bool:
    """Whether a function is one of those that answer, under any of its names."""
    numbers = {number for one in right if (number := search.number(one)) is not None}
    return search.number(name) in numbers


def tell(asked: list[HowTo], search: FunctionSearch, articles: Search, console: Console) -> None:
    """Print how many are answered, and by the right function."""
    found = {}
    recipes = {article.slug for article in load_articles() if article.is_recipe}
    for one in asked:
        of_articles = articles.search(one.text)
        question = Question(text=one.text)
        least = least_confidence(question, of_articles, recipes=recipes)
        found[one.text] = Found(question, search.search(one.text), of_articles, least)
    first = {one.text: _first(one, found[one.text], search) for one in asked}
    named = {one.text: _named(one, found[one.text], search) for one in asked}
    table = Table("questions", "how to", "right first", "named first", "off the field", "answered")
    for name, of_part in (
        ("the sixty", lambda one: one.of == _SIXTY),
        ("· tuned on", lambda one: one.of == _SIXTY and one.tunes),
        ("· set aside", lambda one: one.of == _SIXTY and not one.tunes),
        ("plain words", lambda one: one.of == _PLAIN),
        ("· tuned on", lambda one: one.of == _PLAIN and one.tunes),
        ("· set aside", lambda one: one.of == _PLAIN and not one.tunes),
        ("tuning only", lambda one: not one.of),
    ):
        part = [one for one in asked if of_part(one)]
        on, off = [o for o in part if o.right], [o for o in part if not o.right]
        row = (
            len(on),
            sum(first[o.text] for o in on),
            sum(named[o.text] for o in on),
            len(off),
            sum(found[o.text].answered for o in off),
        )
        table.add_row(name, *map(str, row))
    console.print(table)
    for one in asked:
        f = found[one.text]
        wrong = not named[one.text] if one.right else f.answered
        if wrong and one.tunes:  # of what is set aside only the counts are shown
            hits = ", ".join(hit.function.name for hit in f.functions.hits[:3])
            kind = "how to" if one.right else "off"
            by = "function" if f.by_function else "article" if f.answered else "none"
            best = next(iter(f.articles.hits), None)
            article = f"; {best.source} {best.score:.2f}" if best is not None else ""
            console.print(
                f"{kind} {by} {f.functions.confidence:.2f}: {one.text} → {hits}{article}",
                markup=False,
                soft_wrap=True,
            )


def _first(one: HowTo, found: Found, search: FunctionSearch) -> bool:
    """Whether the function search alone puts a right one first."""
    hits = found.functions.hits
    return bool(hits) and is_right(hits[0].function.name, search, one.functions)


def _named(one: HowTo, found: Found, search: FunctionSearch) -> bool:
    """Whether the answer names a right function, or a right article, first."""
    if found.by_function:
        return _first(one, found, search)
    return found.answered and found.articles.hits[0].source in one.articles


def fit(asked: list[HowTo], search: FunctionSearch, console: Console) -> None:
    """Fit the order, then the confidence, and print both as constants."""
    tuning = [one for one in asked if one.tunes and (one.functions or not one.right)]
    measured = search.measure([one.text for one in tuning])
    choices: list[Choice] = []
    for one, m in zip(tuning, measured, strict=True):
        if one.functions:
            features = m.features()
            right = {n for name in one.functions if (n := search.number(name)) is not None}
            best = max(right, key=lambda n: float(features[n, 0]))
            kept = np.array([n == best or n not in right for n in range(len(features))])
            place = int(np.flatnonzero(kept).searchsorted(best))
            choices.append((features[kept], place, np.ones(int(kept.sum()))))
    order = weights(choices)
    right_first = 0
    for fold in range(_FOLDS):  # as weights do that were not fitted to the question
        others = weights([c for n, c in enumerate(choices) if n % _FOLDS != fold])
        for of, place, _ in choices[fold::_FOLDS]:
            right_first += int((of @ others).argmax()) == place
    console.print(f"right first across folds: {right_first} of {len(choices)}")
    console.print(f"{_ORDER} = {', '.join(f'{w:.1f}' for w in order)}")
    around = np.array([[float((m.features() @ order).max()), *m.around()] for m in measured])
    slopes, bias = curve(around, np.array([bool(one.right) for one in tuning]))
    names = ("_SURE_ORDER", "_SURE_ELSEWHERE", "_SURE_FIELD", "_SURE_FOREIGN", "_SURE_LENGTH")
    console.print(f"{', '.join(names)} = {', '.join(f'{s:.2f}' for s in slopes)}")
    console.print(f"_SURE_BIAS = {bias:.1f}")


async def collected() -> Reference:
    """The documentation of the installed libraries, as the bot collects it."""
    async with open_executor(Settings().executor) as executor:
        reference = read_collected(await executor.run(collecting_job()))
    assert reference is not None, "the executor could not collect the docstrings"
    return reference


def main() -> None:
    """Count and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cache", type=Path, help="keep embedded texts here")
    parser.add_argument("--fit", action="store_true", help="fit the constants too")
    args = parser.parse_args()
    console = Console(width=100)
    model = EmbeddingModel()
    kept = Kept(model, model.dim, args.cache)
    reference = asyncio.run(collected())
    with tempfile.TemporaryDirectory() as folder:
        build_functions(Path(folder), reference, kept)
        search = open_functions(Path(folder), reference, kept)
        console.print(f"{len(search.functions)} functions of {reference.libraries}")
        asked = questions()
        if args.fit:
            fit(asked, search, console)
        build_index(Path(folder) / "articles", load_articles(), kept)
        articles = Search(open_index(Path(folder) / "articles"), kept)
        tell(asked, search, articles, console)


if __name__ == "__main__":
    main()
