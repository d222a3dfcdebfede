"""How much of a question a source's own words account for: BM25, as a share."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from functools import lru_cache

import bm25s
import numpy as np

_WORD = re.compile(r"[a-z0-9_]+")
_ENDINGS = ("ing", "ed", "es", "s")
_STOP_WORDS = """
a about after all also am an and any are as at be because been before but by can could did do does
down for from had has have he here how i if in into is it its just may me might must my no not of
on or our out shall she should so some than that the then there these they this those to too up us
very was we were what when where which who why will with would you your
pytorch torch python code error errors issue problem help fix resolve cause causes
"""
_STOPPED = frozenset(_STOP_WORDS.split())


class Words:
    """BM25 over the passages, as the share of a question that a source's passages account for."""

    def __init__(self, texts: Sequence[str], starts: np.ndarray) -> None:
        self._starts = starts
        self._n_passages = len(texts)
        tokens = [tokenize(text) for text in texts]
        self._n_with = Counter(token for passage in tokens for token in set(passage))
        self._bm25 = bm25s.BM25(method="lucene")
        if tokens:
            self._bm25.index(tokens, show_progress=False)

    def coverage(self, text: str) -> np.ndarray:
        """How much of the text each source accounts for, in [0, 1), shape (n_sources,).

        Every word counts as much as it is rare, words that nobody has included; a word's score
        in a source is the best that any of its passages gives it.
        """
        tokens = dict.fromkeys(tokenize(text))
        covered = np.zeros(len(self._starts), dtype=np.float64)
        for token in tokens:
            if self._n_with[token]:
                scores = self._bm25.get_scores([token])  # (n_passages,)
                covered += np.maximum.reduceat(scores, self._starts)
        whole = sum(self._rarity(token) for token in tokens)
        return covered / whole if whole else covered

    def _rarity(self, token: str) -> float:
        # Lucene's inverse document frequency, the most a token can score:
        # https://github.com/xhluca/bm25s/blob/main/bm25s/scoring.py
        count = self._n_with[token]
        return math.log(1 + (self._n_passages - count + 0.5) / (count + 0.5))


def tokenize(text: str) -> list[str]:
    """Words as BM25 sees them: lower case, endings cut, `snake_case` whole and in parts."""
    tokens = []
    for word in _WORD.findall(text.lower()):
        parts = [part for part in word.split("_") if part]
        tokens += [_stem(part) for part in parts if part not in _STOPPED]
        if len(parts) > 1:
            tokens.append(word)
    return tokens


@lru_cache(maxsize=100_000)
def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word.removesuffix(ending)
            break
    return word[:-1] if len(word) > 3 and word.endswith("e") else word
