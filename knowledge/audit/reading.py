"""Read which kinds of claims a statement makes, by a head that was trained on labelled ones.

`python -m benchmarks.fit_audit --corpus DIR` trains it anew and writes `reading.npz`: plain
numbers, with the name of the embedding model and a hash of the labels that they come from.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from knowledge.audit.features import BUCKETS, Statement, hashed, parts
from knowledge.search.embedding import EmbeddingModel

FILE = Path(__file__).with_name("reading.npz")
KINDS = ("raises", "works", "equals", "shape", "relates", "trains", "notrain")
READ, SURE = 0.35, 0.85  # from where on a run may bear a claim out, and may refute it
WORDS_WEIGH, _BEFORE_WEIGHS = 2.5, 0.3  # beside a statement's meaning, which weighs 1
# What is so on a condition, perhaps or at times claims nothing, nor does what bids us look: so the
# readers of the labels count, and no single run decides it.
OPEN = re.compile(
    r"\b(?:may|might|could|if|unless|perhaps|likely|probably|rarely|sometimes|often|usually"
    r"|potential(?:ly| error| issue)|possibl[ey]|assum\w+|as if|treated as|simulat\w+|hypothe\w+)\b"
    r"|^\W*(?:print|verify|check|compare|test)\b",
    re.I,
)

# How likely each statement makes each kind of claim; the likely kinds only.
Read = Callable[[Sequence[Statement]], list[dict[str, float]]]


@dataclass(frozen=True)
class Head:
    """One linear score a kind, over a statement's words, place and meaning."""

    words: np.ndarray  # float32, (BUCKETS, kinds)
    meaning: np.ndarray  # float32, (2 * dim, kinds): the statement's, and of the one before
    bias: np.ndarray  # float32, (kinds,)


def load(path: Path = FILE) -> Head:
    """Read a head that was saved."""
    with np.load(path, allow_pickle=False) as kept:
        words = np.zeros((BUCKETS, len(KINDS)), np.float32)
        words[kept["used"]] = kept["words"]
        return Head(words, kept["meaning"].astype(np.float32), kept["bias"])


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
        self._head = head = self._head or load()
        each = [(n, part) for n, statement in enumerate(told) for part in parts(statement)]
        scores = meanings([part for _, part in each], self._model) @ head.meaning + head.bias
        sure = np.zeros((len(told), len(KINDS)))
        for (n, part), score in zip(each, scores, strict=True):
            buckets = hashed(part)
            values = np.fromiter(buckets.values(), np.float32, len(buckets)) * WORDS_WEIGH
            score += values @ head.words[list(buckets)]
            sure[n] = np.maximum(sure[n], 1 / (1 + np.exp(-score)))
        says = [not (s.is_code or OPEN.search(s.text)) for s in told]
        return [
            {k: float(p) for k, p in zip(KINDS, row, strict=True) if said and p >= READ}
            for said, row in zip(says, sure, strict=True)
        ]


def meanings(told: Sequence[Statement], model: EmbeddingModel) -> np.ndarray:
    """What a statement and the one before it mean, float32, shape (len(told), 2 * dim)."""
    texts = [s.text for s in told] + [s.before for s in told]
    each = list(dict.fromkeys(texts))
    rows = {text: n for n, text in enumerate(each)}
    vectors = model.encode_bulk([text or " " for text in each])[[rows[text] for text in texts]]
    return np.hstack([vectors[: len(told)], vectors[len(told) :] * _BEFORE_WEIGHS])
