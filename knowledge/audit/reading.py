"""Read which kinds of claims a statement makes, by a head that was trained on labelled ones.

`python -m benchmarks.fit_audit --corpus DIR` trains it anew and writes `reading.npz`: plain
numbers, with the name of the embedding model and a hash of the labels that they come from.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from knowledge.audit.features import BUCKETS, Statement, hashed, parts
from knowledge.search.embedding import EmbeddingModel

FILE = Path(__file__).with_name("reading.npz")
KINDS = ("raises", "works", "equals", "shape", "relates", "trains", "notrain")
READ, SURE = 0.35, 0.85  # from where on a run may bear a claim out, and may refute it
WORDS_WEIGH, _BEFORE_WEIGHS = 2.5, 0.3  # beside a statement's meaning, which weighs 1


# What may be so, or is so on a condition, is refuted by no run.
HEDGED = re.compile(
    r"\b(?:may|might|could|if|unless|perhaps|likely|potential(?:ly)?|possibl[ey]|as if|treated as"
    r"|simulat\w+|hypothetical\w*)\b",
    re.I,
)


class Reads(Protocol):
    """Reads statements."""

    def read(self, told: Sequence[Statement], /) -> list[dict[str, float]]:
        """How likely each statement makes each kind of claim; the likely kinds only."""


@dataclass(frozen=True)
class Head:
    """One linear score a kind, over a statement's words, place and meaning."""

    words: np.ndarray  # float32, (BUCKETS, kinds)
    meaning: np.ndarray  # float32, (2 * dim, kinds): the statement's, and of the one before
    bias: np.ndarray  # float32, (kinds,)
    made_from: str  # the embedding model's identity and the labels' hash

    def save(self, path: Path = FILE) -> None:
        """Write it, without the buckets that say nothing."""
        used = np.flatnonzero(np.abs(self.words).max(axis=1) > 1e-3).astype(np.int32)
        np.savez_compressed(
            path,
            used=used,
            words=self.words[used].astype(np.float16),
            meaning=self.meaning.astype(np.float16),
            bias=self.bias.astype(np.float32),
            made_from=np.array(self.made_from),
        )


def load(path: Path = FILE) -> Head:
    """Read a head that was saved."""
    with np.load(path, allow_pickle=False) as kept:
        words = np.zeros((BUCKETS, len(KINDS)), np.float32)
        words[kept["used"]] = kept["words"]
        return Head(words, kept["meaning"].astype(np.float32), kept["bias"], str(kept["made_from"]))


class Reader:
    """Reads statements; the head and the model are loaded with the first of them."""

    def __init__(self, model: EmbeddingModel, head: Head | None = None) -> None:
        """`head`: another one than that in the file."""
        self._model = model
        self._head = head

    def read(self, told: Sequence[Statement]) -> list[dict[str, float]]:
        """How likely each statement makes each kind of claim; the likely kinds only."""
        if not told:
            return []
        if self._head is None:
            self._head = load()
        head = self._head
        each = [part for statement in told for part in parts(statement)]
        scores = meanings(each, self._model) @ head.meaning + head.bias  # (parts, kinds)
        for n, part in enumerate(each):
            buckets = hashed(part)
            values = np.fromiter(buckets.values(), np.float32, len(buckets)) * WORDS_WEIGH
            scores[n] += values @ head.words[list(buckets)]
        of = np.repeat(np.arange(len(told)), [len(parts(statement)) for statement in told])
        sure = np.zeros((len(told), len(KINDS)))
        np.maximum.at(sure, of, 1 / (1 + np.exp(-scores)))
        for n, statement in enumerate(told):
            if statement.is_code:
                sure[n] = 0
            elif HEDGED.search(statement.text):
                sure[n] = np.minimum(sure[n], SURE - 0.01)
        return [{k: float(p) for k, p in zip(KINDS, row, strict=True) if p >= READ} for row in sure]


def meanings(told: Sequence[Statement], model: EmbeddingModel) -> np.ndarray:
    """What a statement and the one before it mean, float32, shape (len(told), 2 * dim)."""
    texts = [s.text for s in told] + [s.before for s in told]
    each = list(dict.fromkeys(texts))
    rows = {text: n for n, text in enumerate(each)}
    vectors = model.encode_bulk([text or " " for text in each])[[rows[text] for text in texts]]
    return np.hstack([vectors[: len(told)], vectors[len(told) :] * _BEFORE_WEIGHS])
