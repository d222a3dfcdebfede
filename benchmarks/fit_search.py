"""Fit the weights of search's ranking and of its confidence, and print them as constants.

    python -m benchmarks.fit_search --corpus DIR --runs FILE [--share 0.4] [--cache DIR]

Three conditional logits, each of which finds the weights that make the right source the likeliest
of those measured: for documents by their titles, for documents by their blocks' real errors (both
without the fifth that benchmarks/retrieval.py holds out), and for articles by half of
`benchmarks/questions/`. Then a logistic curve over the same half, on topic against off topic.
An off-topic question that is answered weighs as much as four on-topic ones that are refused.
"""

from __future__ import annotations

import argparse
import math
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import track

from benchmarks.abstention import ask
from benchmarks.kept import Kept
from benchmarks.retrieval import Query, errors, open_untitled, read, titles
from knowledge.articles.reading import load_articles
from knowledge.search.embedding import EmbeddingModel
from knowledge.search.index import Index, build_index, open_index
from knowledge.search.search import (
    LONG,
    NO_ERROR_CEILING,
    THRESHOLD,
    Measured,
    QueryPart,
    Search,
    message_part,
)

ANSWERED_WEIGHS = 4.0
_PENALTY = 1e-4  # on squared weights, each in units of its standard deviation
_STEPS, _CLOSE = 30, 1e-8
_REGULAR = 10.0  # scikit-learn's C of the curve: larger is less regularised

_DRAWN = 300  # sources drawn of those that a search does not measure closely
_AT_ONCE = 100  # questions that share a draw

# What sources were measured at (n, m), which is the right one, and how many each stands for (n,).
Choice = tuple[np.ndarray, int, np.ndarray]


def weights(choices: Sequence[Choice]) -> np.ndarray:
    """The weights, shape (m,), that make the right sources likeliest.

    Source:
        McFadden's conditional logit, https://eml.berkeley.edu/reprints/mcfadden/zarembka.pdf
    """
    spread = np.concatenate([of - of.mean(axis=0) for of, _, _ in choices]).std(axis=0)  # (m,)
    scaled = [(of / spread, right, stands_for) for of, right, stands_for in choices]
    w = np.zeros(len(spread))
    before, slope, bend = _loss(w, scaled)
    for _ in range(_STEPS):  # Newton's: the loss is convex, with one bend for each weight
        step = np.linalg.solve(bend, slope)
        if float(slope @ step) < _CLOSE:
            break
        while _loss(w - step, scaled)[0] > before:
            step = step / 2
        w = w - step
        before, slope, bend = _loss(w, scaled)
    fitted: np.ndarray = w / spread
    return fitted


def _loss(w: np.ndarray, choices: Sequence[Choice]) -> tuple[float, np.ndarray, np.ndarray]:
    """How unlikely the right sources are, with its first and second derivatives by the weights."""
    n = len(choices)
    total = _PENALTY * float(w @ w)
    slope, bend = 2 * _PENALTY * w, 2 * _PENALTY * np.eye(len(w))
    for of, right, stands_for in choices:
        strength = of @ w + np.log(stands_for)
        log_likely = strength - np.logaddexp.reduce(strength)  # (n_sources,)
        likely = np.exp(log_likely)
        mean = likely @ of
        total -= float(log_likely[right]) / n
        slope = slope + (mean - of[right]) / n
        bend = bend + (of.T @ (likely[:, None] * of) - np.outer(mean, mean)) / n
    return total, slope, bend


def choices(
    search: Search,
    numbers: dict[str, int],
    asked: Sequence[tuple[QueryPart, str]],
    of: Callable[[Measured], list[np.ndarray]],
    console: Console,
) -> list[Choice]:
    """The scores of the candidates for each question.

    The sources that a search measures closely were chosen by the same scores, so weights fitted
    among them alone would be biased. So some of the others are drawn, and weighted for all others.
    """
    draw = np.random.default_rng(0)
    found = []
    for start in track(range(0, len(asked), _AT_ONCE), "measuring", console=console):
        some = asked[start : start + _AT_ONCE]
        parts, rights = [part for part, _ in some], [numbers[right] for _, right in some]
        drawn = draw.permutation(len(numbers))[:_DRAWN]
        looked_at = [one.numbers for one in search.measure(parts)]
        measured = search.measure(parts, [*drawn.tolist(), *rights])
        for one, near, right in zip(measured, looked_at, rights, strict=True):
            close = np.isin(one.numbers, near) | (one.numbers == right)
            other = np.isin(one.numbers, drawn) & ~close
            of_each = (len(numbers) - close.sum()) / max(other.sum(), 1)
            kept = close | other  # and not what is right for another question
            place = int((one.numbers[kept] == right).argmax())
            stands_for = np.where(close, 1.0, of_each)[kept]
            found.append((np.stack(of(one), axis=1)[kept], place, stands_for))
    return found


def tuned(queries: Sequence[Query]) -> list[tuple[QueryPart, str]]:
    """The queries that are not held out, as query parts of search."""
    return [
        (QueryPart(q.text) if q.error is None else message_part(q.error), q.document)
        for q in queries
        if not q.held_out
    ]


def numbered(index: Index) -> dict[str, int]:
    """The sources' numbers, as `Search` counts them."""
    order = dict.fromkeys(piece.source for piece in index.passages)
    return {source: number for number, source in enumerate(order)}


def curve(measured: np.ndarray, ours: np.ndarray) -> tuple[np.ndarray, float]:
    """The logistic curve's weights, and its bias with the cut at THRESHOLD.

    Args:
        measured: shape (n, m).
        ours: which of the questions are on topic, shape (n,).
    """
    from sklearn.linear_model import LogisticRegression  # it takes longer than what others import

    spread = measured.std(axis=0)
    fitted = LogisticRegression(C=_REGULAR, max_iter=5000).fit(measured / spread, ours)
    slopes, bias = fitted.coef_[0] / spread, float(fitted.intercept_[0])
    sure = measured @ slopes + bias
    wrong = {
        cut: ANSWERED_WEIGHS * ((sure > cut) & ~ours).sum() + ((sure <= cut) & ours).sum()
        for cut in np.linspace(-4, 4, 161).tolist()
    }
    # The middle of the cuts that are best: a cut at the edge of a question fits that question.
    cut = float(np.median([cut for cut, cost in wrong.items() if cost == min(wrong.values())]))
    at_threshold = -math.log(NO_ERROR_CEILING / THRESHOLD - 1)  # where a score is THRESHOLD
    return slopes, bias - cut + at_threshold


def documents(args: argparse.Namespace, kept: Kept, console: Console) -> tuple[float, float]:
    """Fit and print the weights of documents; returns those of nearness."""
    drawn = read(args.corpus, args.share)
    with tempfile.TemporaryDirectory() as folder:
        index = open_untitled(drawn, kept, Path(folder))
        search, numbers = Search(index, kept), numbered(index)
        by_title = choices(
            search,
            numbers,
            tuned(titles(drawn)),
            lambda m: [m.meaning, m.opening, m.words, m.pairs, m.first_sentence, m.company],
            console,
        )
        by_error = choices(
            search,
            numbers,
            tuned(errors(drawn, args.corpus, args.runs)),
            lambda m: [m.meaning, m.words, m.code],
            console,
        )
    meaning, opening, *words, company = weights(by_title).tolist()
    in_error = weights(by_error).tolist()
    console.print(f"{len(by_title)} titles, {len(by_error)} errors of {len(drawn)} documents")
    console.print(f"_MEANING, _OPENING = {meaning:.1f}, {opening:.1f}")
    listed = ", ".join(f"{w:.1f}" for w in words)
    console.print(f"_WORDS, _PAIRS, _FIRST_SENTENCE = {listed}")
    console.print(f"_COMPANY = {company:.1f}")
    listed = ", ".join(f"{w:.1f}" for w in in_error)
    console.print(f"_ERROR_MEANING, _ERROR_WORDS, _ERROR_CODE = {listed}")
    return meaning, opening


def articles(kept: Kept, nearness: float, console: Console) -> None:
    """Fit and print the weight of articles' words, and the curve.

    Args:
        nearness: what meaning and opening weigh together.
    """
    with tempfile.TemporaryDirectory() as folder:
        build_index(Path(folder), load_articles(), kept)
        index = open_index(Path(folder))
        search, numbers = Search(index, kept), numbered(index)
        asked = [a for a in ask(search) if a.fits]
        whole = [search.measure([QueryPart(a.text)])[0] for a in asked]
    found = [
        (np.stack([m.meaning, m.words], axis=1), numbers[a.article], np.ones(len(m.numbers)))
        for a, m in zip(asked, whole, strict=True)
        if a.article
    ]
    in_meaning, in_words = weights(found).tolist()
    words = nearness * in_words / in_meaning
    console.print(f"{len(asked)} questions, {len(found)} with an article")
    console.print(f"_ARTICLE_WORDS = {words:.1f}")

    fitting, ours, order = [], [], []
    for a, m in zip(asked, whole, strict=True):
        if a.by_signature:
            continue  # no curve decides on it
        strength = nearness * m.meaning + words * m.words
        first, around = int(strength.argmax()), m.surroundings
        length = math.log1p(min(around.words, LONG))
        fitting.append([m.meaning[first], m.words[first], around.elsewhere, around.field, length])
        ours.append(bool(a.article))
        order.append(strength[first])
    slopes, bias = curve(np.array(fitting), np.array(ours))
    listed = [f"{slope:.1f}" for slope in slopes.tolist()]
    console.print(f"_SURE_MEANING, _SURE_WORDS = {', '.join(listed[:2])}")
    console.print(f"_SURE_ELSEWHERE, _SURE_FIELD, _SURE_LENGTH = {', '.join(listed[2:])}")
    console.print(f"_SURE_BIAS = {bias:.1f}")
    slopes, _ = curve(np.column_stack([order, np.array(fitting)[:, 2:]]), np.array(ours))
    console.print(f"_PER_ORDER = {slopes[0]:.2f}")


def main() -> None:
    """Fit and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", type=Path, required=True, help="folder of Markdown documents")
    parser.add_argument("--runs", type=Path, required=True, help="what each block did alone")
    parser.add_argument("--share", type=float, default=0.4, help="of the documents (0 to 1)")
    parser.add_argument("--cache", type=Path, help="keep embedded texts here")
    args = parser.parse_args()
    console = Console(width=100)
    model = EmbeddingModel()
    kept = Kept(model, model.dim, args.cache)
    meaning, opening = documents(args, kept, console)
    articles(kept, meaning + opening, console)


if __name__ == "__main__":
    main()
