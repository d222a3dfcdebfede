"""Facts about knowledge/search/nearest.py."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from knowledge.errors import IndexDamagedError
from knowledge.search.nearest import Kind, load_nearest, make_nearest


@pytest.fixture(scope="module")
def vectors() -> np.ndarray:
    """3,000 unit vectors around 100 subjects."""
    draw = np.random.default_rng(0)
    subjects = draw.normal(size=(100, 32))
    found = subjects[draw.integers(0, 100, 3_000)] + 0.4 * draw.normal(size=(3_000, 32))
    return (found / np.linalg.norm(found, axis=1, keepdims=True)).astype(np.float32)


@pytest.mark.parametrize("kind", ["flat", "hnsw", "ivf"])
def test_every_kind_finds_what_it_promises(kind: Kind, vectors: np.ndarray, tmp_path: Path):
    """The recall that is printed is that of the vectors, written and opened again."""
    made = make_nearest(vectors, kind)
    made.write(tmp_path)
    opened = load_nearest(tmp_path, made.metadata(), 32)
    queries = vectors[5:25]

    rows, scores = opened.search(queries, 10)

    exact = np.argsort(-(queries @ vectors.T), axis=1)[:, :10]
    shares = [len(set(a) & set(b)) / 10 for a, b in zip(rows.tolist(), exact.tolist(), strict=True)]
    assert opened.kind == kind and isinstance(opened.vectors, np.memmap)
    assert np.mean(shares) > made.recall - 0.1
    assert made.recall == 1 if kind == "flat" else 0.8 < made.recall <= 1
    best = (queries * vectors[rows[:, 0]]).sum(axis=1)
    assert np.allclose(scores[:, 0], best, atol=1e-5) and np.allclose(best, 1, atol=1e-5)


def test_few_are_searched_exactly_and_many_are_not(monkeypatch: pytest.MonkeyPatch):
    """The kind follows from how many there are."""
    monkeypatch.setattr("knowledge.search.nearest._FLAT_UP_TO", 50)
    monkeypatch.setattr("knowledge.search.nearest._HNSW_UP_TO", 60)
    draw = np.random.default_rng(0).normal(size=(60, 8)).astype(np.float32)

    assert [make_nearest(draw[:n]).kind for n in (0, 49, 50, 60)] == ["flat", "flat", "hnsw", "ivf"]


def test_a_cut_file_is_named(vectors: np.ndarray, tmp_path: Path):
    """Whatever numpy and faiss raise, it is our error that comes out."""
    made = make_nearest(vectors, "hnsw")
    made.write(tmp_path)
    for name in ("nearest.faiss", "vectors.npy"):
        path = tmp_path / name
        path.write_bytes(path.read_bytes()[:100])
        with pytest.raises(IndexDamagedError, match=name):
            load_nearest(tmp_path, made.metadata(), 32)
