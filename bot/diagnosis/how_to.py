"""Say whether a question without code asks how something is done, so that a function may answer."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from bot.models import FunctionShown, Question
from knowledge.articles.article import Article
from knowledge.search.off_field import is_foreign
from knowledge.search.search import Hit, SearchResult

# An article that is as sure as this is about what they ask, whatever a function does.
_SURE = 0.8
_ASKS_HOW = re.compile(
    r"\bhow (?:do|can|to|would|should|could|does|is|are)\b|\bwhat (?:is|does|do|are)\b|\bwhat's\b"
    r"|\bwhich\b|\bis there\b|\bdifferences?\b|\bwhen (?:do|should|to)\b|\bway to\b"
    r"|\bi (?:want|need|would like) (?:to|a|an)\b"
    r"|^\w+ (?:a|an|the|my|all|every|each|two|several|only|to|up|into)\b",
    re.IGNORECASE,
)
_ASKS_WHY = re.compile(r"\b(?:why|help|can't|cannot|fix|problems?)\b", re.IGNORECASE)
_GOES_WRONG = re.compile(
    r"(?<!squared )(?<!absolute )(?<!percentage )\berrors?\b|\bexceptions?\b|\bwarnings?\b"
    r"|\b(?:fail|rais|crash|throw|complain|refus|reject|wrong|broken|break|bug"
    r"|doesn't|does not|won't)",
    re.IGNORECASE,
)


def least_confidence(question: Question, found: SearchResult) -> float | None:
    """How sure of a function search must be for it to answer before an article; None: never.

    A function answers a question without code and without an error. Where an article is about the
    question, it knows more of what goes wrong: then only a question that asks how something is
    done gets a function, or one that the article merely resembles.

    Args:
        question: one message understood.
        found: the articles and documents for it.
    """
    if question.code.strip() or question.traceback is not None:
        return None
    best = next(iter(found.hits), None)
    if best is None or best.score < found.threshold:
        return 0.0
    if best.evidence.error or _GOES_WRONG.search(question.text):
        return None
    if _ASKS_HOW.search(question.text) and not _ASKS_WHY.search(question.text):
        return 0.0
    return best.score if best.score < _SURE else None


def is_near_enough(question: Question, hit: Hit, found: SearchResult) -> bool:
    """Whether a hit may answer a question without code and without an error.

    Of one that names another tool and nothing of PyTorch it has to be surer: it resembles much.
    """
    elsewhere = is_foreign(question.text) and not hit.evidence.error
    return hit.score >= (max(found.threshold, _SURE) if elsewhere else found.threshold)


def related(
    shown: Sequence[FunctionShown], found: SearchResult, articles: Mapping[str, Article]
) -> Iterator[Hit]:
    """The hits that are articles on one of these functions: their title names it, or they use it
    and are about the question. A team's own document only has to be about the question."""
    names = {function.name.rpartition(".")[2] for function in shown}
    called = re.compile(rf"[.`](?:{'|'.join(map(re.escape, sorted(names)))})\b")
    for hit in found.hits:
        article = articles.get(hit.source)
        if article is None:
            if hit.kind == "document" and hit.score >= found.threshold:
                yield hit
            continue
        uses = (article.why, article.fix, article.broken, article.fixed)
        if called.search(article.title) or (
            hit.score >= found.threshold and any(called.search(text) for text in uses)
        ):
            yield hit
