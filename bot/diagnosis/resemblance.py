"""Say whether an article is about a long post, or only resembles it as everything in a field does.

A long text is near to some article whatever it is about: of 80 posts of people whose words were
looked up alone, the nearest article was about the post in ten. So the post has to say what the
article is called, and to use words that few articles have.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache

from knowledge.articles.article import Article
from knowledge.search.bm25 import tokenize

_LONG = 30  # words; a question of fewer is one sentence, and about one thing
_TITLE_SAID = 0.4  # of the title's words, each by its rarity
_RARE = 6  # articles at most that share a rare word
_FEWEST_RARE = 2


def is_about(text: str, article: Article, articles: Mapping[str, Article]) -> bool:
    """Whether a post without an error says what this article is about.

    Args:
        text: its words.
        article: the article that resembles it.
        articles: all of them, which tell the rare words from the common ones.
    """
    if len(re.findall(r"\w+", text)) <= _LONG:
        return True
    counts = _counts(tuple(_wording(one) for one in articles.values()))
    said = set(tokenize(text))
    title = set(tokenize(article.title))
    weight = {word: math.log(1 + len(articles) / (1 + counts[word])) for word in title}
    share = sum(weight[word] for word in title & said) / (sum(weight.values()) or 1.0)
    rare = [w for w in said & set(tokenize(_wording(article))) if counts[w] <= _RARE]
    return share >= _TITLE_SAID and len(rare) >= _FEWEST_RARE


def _wording(article: Article) -> str:
    return " ".join((article.title, *article.also_asked_as))


@lru_cache(maxsize=2)
def _counts(wordings: tuple[str, ...]) -> Counter[str]:
    """In how many articles each word is."""
    return Counter(word for wording in wordings for word in set(tokenize(wording)))
