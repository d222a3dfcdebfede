"""BM25 as a share: how much of a question the words of a source cover."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from itertools import pairwise

import bm25s
import numpy as np

_WORD = re.compile(r"[a-z0-9_]+")
_ENDINGS = ("ing", "ed", "es", "s")
_NEAR = 3  # the most words between the two of a near pair
_TRUNK = 5  # letters, so that `initialize` and `initialization` are one
_STOP_WORDS = """
a about after all also am an and any are as at be because been before but by can could did do does
down for from had has have he here how i if in into is it its just may me might must my no not of
on or our out shall she should so some than that the then there these they this those to too up us
very was we were what when where which who why will with would you your
pytorch torch python code error errors issue problem help fix resolve cause causes
"""
_STOPPED = frozenset(_STOP_WORDS.split())


class Words:
    """BM25 over the passages, as the share of a question that a source's passages cover.

    The best score of each word in each source is computed once, so that a question of ten words
    takes ten short additions, however many passages there are.
    """

    def __init__(
        self,
        texts: Sequence[str],
        source_of: np.ndarray,
        n_sources: int,
        cut: Callable[[str], list[str]] | None = None,
    ) -> None:
        """Index some texts.

        Args:
            texts: passages.
            source_of: each one's source, shape (len(texts),).
            n_sources: how many there are.
            cut: splits a text into tokens; into words if not given.
        """
        self._cut = cut or tokenize
        self._n_passages = len(texts)
        self._n_sources = n_sources
        self._columns: dict[str, int] = {}
        tokens = [self._cut(text) for text in texts]
        if not any(tokens):
            return
        bm25 = bm25s.BM25(method="lucene")
        bm25.index(tokens, show_progress=False)
        self._columns = bm25.vocab_dict
        ends = np.asarray(bm25.scores["indptr"], dtype=np.int64)  # (n_words + 1,)
        self._n_with = np.diff(ends)
        word_of = np.repeat(np.arange(len(self._n_with)), self._n_with)
        owners = source_of[bm25.scores["indices"]]
        pairs = word_of * n_sources + owners  # (n_scores,), one number a word in a source
        order = np.argsort(pairs, kind="stable")
        pairs = pairs[order]
        first = np.flatnonzero(np.append(True, pairs[1:] != pairs[:-1]))
        self._best = np.maximum.reduceat(bm25.scores["data"][order], first)
        self._owners = pairs[first] % n_sources
        self._starts = np.searchsorted(pairs[first], np.arange(len(ends)) * n_sources)

    def coverage(self, text: str) -> np.ndarray:
        """The share of the text that each source covers, in [0, 1), shape (n_sources,).

        Every word is weighted by its rarity, also words that no source has; a word's score in a
        source is the best one in any of its passages.
        """
        covered = np.zeros(self._n_sources, dtype=np.float64)
        whole = 0.0
        for token in dict.fromkeys(self._cut(text)):
            column = self._columns.get(token)
            if column is None:
                whole += self._rarity(0)
                continue
            whole += self._rarity(int(self._n_with[column]))
            had = slice(self._starts[column], self._starts[column + 1])
            covered[self._owners[had]] += self._best[had]  # each source once
        return covered / whole if whole else covered

    def _rarity(self, n_with: int) -> float:
        # Lucene's inverse document frequency, the most a token can score:
        # https://github.com/xhluca/bm25s/blob/main/bm25s/scoring.py
        return math.log(1 + (self._n_passages - n_with + 0.5) / (n_with + 0.5))


def tokenize(text: str) -> list[str]:
    """The tokens of a text: lower case, endings cut, `snake_case` whole and in parts."""
    tokens = []
    for word in _WORD.findall(text.lower()):
        parts = [part for part in word.split("_") if part]
        tokens += [_stem(part) for part in parts if part not in _STOPPED]
        if len(parts) > 1:
            tokens.append(word)
    return tokens


def pairs(text: str) -> list[str]:
    """Pairs of adjacent words, after stop words are removed."""
    tokens = tokenize(text)
    return [f"{one} {next_}" for one, next_ in pairwise(tokens)]


def near_pairs(text: str) -> list[str]:
    """Pairs of words near each other, in either order, each cut to its first letters."""
    trunks = [token if "_" in token else token[:_TRUNK] for token in tokenize(text)]
    return [
        " ".join(sorted(pair))
        for distance in range(1, _NEAR + 1)
        for pair in zip(trunks, trunks[distance:], strict=False)
    ]


@lru_cache(maxsize=100_000)
def _stem(word: str) -> str:
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word.removesuffix(ending)
            break
    return word[:-1] if len(word) > 3 and word.endswith("e") else word
