"""benchmarks/kept.py: nothing is embedded twice, whatever interrupted the run before."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from benchmarks.kept import Kept


class Lengths:
    """A model whose vectors are the texts' lengths, and which counts what it embeds."""

    identity = "lengths"

    def __init__(self) -> None:
        self.embedded = 0

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        self.embedded += len(texts)
        return np.array([[len(text), 1] for text in texts], dtype=np.float32)


def test_a_second_run_embeds_what_is_new(tmp_path: Path):
    """Also where the first one ended between its two files."""
    Kept(Lengths(), 2, tmp_path).encode(["a", "bb"])
    vectors = next(tmp_path.glob("*/vectors"))
    vectors.write_bytes(vectors.read_bytes() + b"half a row")
    model = Lengths()

    assert Kept(model, 2, tmp_path).encode(["bb", "ccc", "bb"]).tolist() == [[2, 1], [3, 1], [2, 1]]
    assert model.embedded == 1
    assert Kept(model, 2, tmp_path).encode(["a", "ccc"]).tolist() == [[1, 1], [3, 1]]
    assert model.embedded == 1
