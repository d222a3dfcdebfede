"""Name the articles nearest to a question of understanding that nothing is known to answer.

Of 31 such posts that got no help, the article that answers was among the nearest three for some
24 by its author's reading; of 38 that tell of a symptom for 12. So only the first get them, and as
what is near, not as the answer. Beside code what resembles the words is about something else: of
five that were read by others one helped, and four led away. So it is beside what else a post shows
in a block (a log, what was printed): of two of the newest posts both led away, and of two without
it both helped.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from bot.diagnosis.diagnosis import Diagnosis
from bot.diagnosis.next_step import next_step
from bot.diagnosis.own_error import names_no_error, tells_of_a_symptom
from bot.diagnosis.wording import searched
from bot.models import Near
from knowledge.articles.article import Article
from knowledge.search.off_field import is_foreign
from knowledge.search.search import SearchResult

LOOKED_AT = 12  # hits: what raises an error is left out of them
_MOST = 3
_SHOWS = "```"  # what it asks about is seen there
_NEAR = 0.8
_ASKS = re.compile(
    r"\?|\bwhy\b|\bhow (?:do|can|to|does|should|is|are)\b|\bexplain|\bunderst(?:and|ood)\b"
    r"|\bwonder\w*\b|\bconfus\w+|\bpurpose of\b|\bdifference between\b",
    re.IGNORECASE,
)


def wants_near(known: Diagnosis) -> bool:
    """Whether a post asks to understand something, and neither a run nor an article answers it."""
    question = known.question
    if question.code.strip() or _SHOWS in question.text or not names_no_error(question):
        return False
    if tells_of_a_symptom(question) or next_step(question) is not None:
        return False
    if known.functions or known.asked or (known.told.is_there and not known.missing):
        return False
    return _ASKS.search(question.text) is not None and not is_foreign(question.text)


def near(found: SearchResult, articles: Mapping[str, Article]) -> tuple[Near, ...]:
    """The nearest articles on how something is or is done; those on errors are left out."""
    told = (
        articles[hit.source] for hit in found.hits if hit.score >= _NEAR and hit.source in articles
    )
    fitting = [article for article in told if article.is_recipe or article.is_silent]
    return tuple(
        Near(
            article=article.slug,
            says=_says(article),
            url=article.sources[0] if article.sources else None,
        )
        for article in fitting[:_MOST]
    )


def _says(article: Article) -> str:
    rule = searched.rule_of(article.reason())
    return rule if article.names_a_mistake else f"{article.title.rstrip('.')}. {rule}"
