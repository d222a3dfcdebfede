"""Say whether a question without code asks how something is done, so that a function may answer."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence

from bot.diagnosis.next_step import next_step
from bot.diagnosis.own_error import posted
from bot.models import FunctionShown, Question
from knowledge.articles.article import Article
from knowledge.search.off_field import is_foreign
from knowledge.search.search import Hit, SearchResult

# An article that is as sure as this is about what they ask, whatever a function does.
_SURE = 0.8
# What may answer a question beside code that could not be run: the code may tell of more.
_SURE_BESIDE_CODE = 0.7
# A recipe says how several functions are put together, so it goes before any one of them.
_SURE_RECIPE = 0.85
_MOST_WORDS = 25  # of a question that names what it wants in any form
_MOST_WORDS_BESIDE_CODE = 60  # a longer post tells of more than a function does
_MOST_WORDS_WITHOUT_CODE = 40  # longer posts that got a function got a wrong one, three of three
_ASKS_HOW = re.compile(
    r"\bhow (?:do|can|to|would|should|could|does|is|are)\b|\bwhat (?:is|does|do|are)\b|\bwhat's\b"
    r"|\bwhich\b|\bis there\b|\bdifferences?\b|\bwhen (?:do|should|to)\b|\bway to\b"
    r"|\bi (?:want|need|would like) (?:to|a|an)\b"
    r"|^\w+ (?:a|an|the|my|all|every|each|two|several|only|to|up|into)\b",
    re.IGNORECASE,
)
_ASKS = re.compile(r"\?|\bwhy\b|\bhow (?:do|can|to|does|should)\b|\bexplain", re.IGNORECASE)
# Beside code "what does this do" is about the code.
_WANTS_A_WAY = re.compile(
    r"\bhow (?:(?:do|can|would|should|could) (?:i|we|you|one)|to)\b|\bis there (?:a|an|any)\b",
    re.IGNORECASE,
)
_NAMED = re.compile(r"\b(?:torch|nn|np|numpy|tf)\.\w")
_ASKS_WHY = re.compile(r"\b(?:why|help|can't|cannot|fix|problems?)\b", re.IGNORECASE)
_GOES_WRONG = re.compile(
    r"(?<!squared )(?<!absolute )(?<!percentage )\berrors?\b|\bexceptions?\b|\bwarnings?\b"
    r"|\b(?:fail|rais|crash|throw|complain|refus|reject|wrong|broken|break|bug"
    r"|doesn't|does not|won't)",
    re.IGNORECASE,
)


def asks_beside_code(question: Question, missing: str) -> bool:
    """Whether the words around code ask something, and the code could not be run to answer it.

    Args:
        question: one message understood.
        missing: what was missing to run its code; empty if nothing was.
    """
    asks = _ASKS.search(question.text) is not None
    return bool(question.code.strip() and missing) and posted(question) is None and asks


def least_confidence(
    question: Question,
    found: SearchResult,
    missing: str = "",
    recipes: Collection[str] = (),
) -> float | None:
    """How sure of a function search must be for it to answer before an article; None: never.

    A function answers a question without code and without an error, or beside code that could not
    be run. Where an article is about the question, it knows more of what goes wrong, and of why:
    then only another question gets a function, and a surer one if it does not ask how something is
    done. A recipe goes before functions where it is about the question.

    Args:
        question: one message understood.
        found: the articles and documents for it.
        missing: what was missing to run its code; empty if nothing was.
        recipes: the articles that say how something is done.
    """
    title = next((line for line in question.text.splitlines() if line.strip()), "")
    if is_foreign(question.text) and _NAMED.search(title) is None:
        return None  # what it asks for is another library's
    if asks_beside_code(question, missing):
        how = _WANTS_A_WAY.search(question.text) and not _GOES_WRONG.search(question.text)
        short = len(question.text.split()) <= _MOST_WORDS_BESIDE_CODE
        return _SURE if how and short and next_step(question) is None else None
    if question.code.strip() or question.traceback is not None:
        return None
    words = len(question.text.split())
    if words > _MOST_WORDS and not _ASKS_HOW.search(question.text):
        return None  # a post that tells of something asks for no function
    if words > _MOST_WORDS_WITHOUT_CODE and _NAMED.search(title) is None:
        return None
    best = next(iter(found.hits), None)
    if best is None or best.score < found.threshold:
        return 0.0
    if best.evidence.error or _GOES_WRONG.search(question.text):
        return None
    if best.source in recipes and best.score >= _SURE_RECIPE:
        return None
    why = _ASKS_WHY.search(question.text) is not None
    if _ASKS_HOW.search(question.text) and not why:
        return 0.0
    return None if why and best.score >= _SURE else best.score


def asks_plainly(text: str) -> bool:
    """Whether a text asks how something is, and tells of nothing that goes wrong."""
    return _ASKS_HOW.search(text) is not None and _GOES_WRONG.search(text) is None


def asks_for_a_way(text: str) -> bool:
    """Whether a text asks how something is done, and tells of nothing that goes wrong."""
    return _WANTS_A_WAY.search(text) is not None and _GOES_WRONG.search(text) is None


def is_surely_wanted(question: Question, recipe: Hit) -> bool:
    """Whether words beside code ask how something is done, and a recipe is surely about that."""
    return recipe.score >= _SURE_RECIPE and _WANTS_A_WAY.search(question.text) is not None


def is_near_enough(question: Question, hit: Hit, found: SearchResult) -> bool:
    """Whether a hit may answer a question without an error, of which no code was run.

    Of one that names another tool and nothing of PyTorch it has to be surer: it resembles much.
    And so it has beside code, which may show something that the words do not tell.
    """
    elsewhere = is_foreign(question.text) and not hit.evidence.error
    beside = _SURE_BESIDE_CODE if question.code.strip() else 0.0
    return hit.score >= max(found.threshold, _SURE if elsewhere else 0.0, beside)


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
