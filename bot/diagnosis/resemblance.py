"""Say whether an article is about a long post, or only resembles it as everything in a field does.

A long text is near to some article whatever it is about: of 80 posts of people whose words were
looked up alone, the nearest article was about the post in ten. So the post has to say what the
article is called, and to use words that few articles have.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from functools import lru_cache

from bot.diagnosis.loss_course import losses_written
from knowledge.articles.article import Article
from knowledge.search.bm25 import tokenize

_LONG = 30  # words; a question of fewer is one sentence, and about one thing
_TITLE_SAID = 0.4  # of the title's words, each by its rarity
_RARE = 6  # articles at most that share a rare word
_FEWEST_RARE = 2
_WORD = re.compile(r"[a-z_]{2,}")
_NEAR = 0.02  # of a loss to the one in a title
_PHRASE = 3  # words in a row
_FEW = 2  # articles at most whose errors share a phrase
_EMPTY = frozenset(
    {"the", "to", "of", "in", "is", "it", "as", "an", "and", "or", "but", "for", "with", "that"}
    | {"this", "on", "be", "by", "at", "not"}
)


def is_about(
    text: str, article: Article, articles: Mapping[str, Article], *, is_nearest: bool
) -> bool:
    """Whether a post without an error says what this article is about.

    Args:
        text: its words.
        article: an article that resembles it.
        is_nearest: no other one resembles it more; of a long post only that one can be it.
        articles: all of them, which tell the rare words from the common ones.
    """
    if _is_contradicted(text, article):
        return False
    if len(re.findall(r"\w+", text)) <= _LONG:
        return True
    if not is_nearest:
        return False
    counts = _counts(tuple(_wording(one) for one in articles.values()))
    said = set(tokenize(text))
    title = set(tokenize(article.title))
    weight = {word: math.log(1 + len(articles) / (1 + counts[word])) for word in title}
    if _quotes_its_error(text, article, articles):
        return True
    share = sum(weight[word] for word in title & said) / (sum(weight.values()) or 1.0)
    rare = [w for w in said & set(tokenize(_wording(article))) if counts[w] <= _RARE]
    return share >= _TITLE_SAID and len(rare) >= _FEWEST_RARE


def _is_contradicted(text: str, article: Article) -> bool:
    """Whether the losses that a post prints end elsewhere than at what the title calls them."""
    losses = [float(one.lower()) for one in losses_written(text)[-1:]]
    titled = [float(number) for number in re.findall(r"\b\d\.\d{2,}\b", article.title)]
    return bool(losses and titled) and all(abs(losses[0] - n) > _NEAR for n in titled)


def _quotes_its_error(text: str, article: Article, articles: Mapping[str, Article]) -> bool:
    """Whether the post says a phrase of an error that few articles but this one answer."""
    shared = _phrase_counts(tuple(_errors(one) for one in articles.values()))
    said = set(_phrases(text))
    return any(shared[phrase] <= _FEW for phrase in said & set(_phrases(_errors(article))))


def _errors(article: Article) -> str:
    return "\n".join(error.partition(": ")[2] for error in article.errors)


def _phrases(text: str) -> Iterator[str]:
    """Every few words in a row of a line that neither begin nor end with a word such as "the"."""
    for line in text.lower().split("\n"):
        words = _WORD.findall(line)
        for n in range(len(words) - _PHRASE + 1):
            phrase = words[n : n + _PHRASE]
            if phrase[0] not in _EMPTY and phrase[-1] not in _EMPTY:
                yield " ".join(phrase)


@lru_cache(maxsize=2)
def _phrase_counts(errors: tuple[str, ...]) -> Counter[str]:
    """In the errors of how many articles each phrase is."""
    return Counter(phrase for text in errors for phrase in set(_phrases(text)))


def _wording(article: Article) -> str:
    return " ".join((article.title, *article.also_asked_as))


@lru_cache(maxsize=2)
def _counts(wordings: tuple[str, ...]) -> Counter[str]:
    """In how many articles each word is."""
    return Counter(word for wording in wordings for word in set(tokenize(wording)))
