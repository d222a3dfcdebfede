"""Find the nearest of many vectors: exactly, or by a FAISS index where that takes too long."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Literal, get_args

import faiss
import numpy as np

from knowledge.errors import IndexDamagedError

Kind = Literal["flat", "hnsw", "ivf"]

# A flat search is exact and takes about 15 ms over 100,000 vectors of 384 numbers, less than
# embedding the question. HNSW is the fastest up to what memory holds: it keeps its own copy of the
# vectors. IVF's lists stay on disk.
# https://github.com/facebookresearch/faiss/wiki/Guidelines-to-choose-an-index
_FLAT_UP_TO = 100_000
_HNSW_UP_TO = 1_000_000

_SAMPLE = 200  # vectors whose neighbours are looked up both ways
_TOP = 10
_MAPPED = faiss.IO_FLAG_MMAP | faiss.IO_FLAG_READ_ONLY


class Nearest:
    """Unit vectors, and how to search them."""

    def __init__(self, vectors: np.ndarray, kind: Kind, made: Any, recall: float) -> None:
        self.vectors = vectors  # float32, (n, dim)
        self.kind = kind
        self.recall = recall  # share of the exact ten nearest that is found
        self._made = made

    def metadata(self) -> dict[str, Any]:
        """What `load_nearest` needs to know."""
        return {"kind": self.kind, "recall": self.recall, "count": len(self.vectors)}

    def search(self, queries: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Rows and cosines of the k nearest, best first, (n_queries, k); row -1: no more vectors.

        Source:
            Inner product of unit vectors is their cosine:
            https://github.com/facebookresearch/faiss/wiki/MetricType-and-distances
        """
        if self._made is None:
            return _exact(self.vectors, queries, k)
        scores, rows = self._made.search(np.ascontiguousarray(queries, dtype=np.float32), k)
        return rows, scores

    def write(self, folder: Path) -> None:
        """Write it, for `load_nearest`."""
        np.save(folder / "vectors.npy", self.vectors)
        if self._made is not None:
            faiss.write_index(self._made, str(folder / "nearest.faiss"))


def make_nearest(vectors: np.ndarray, kind: Kind | None = None) -> Nearest:
    """Prepare vectors, float32, shape (n, dim), for searching.

    Args:
        kind: None chooses by how many there are.
    """
    count, dim = vectors.shape
    if kind is None:
        kind = "flat" if count < _FLAT_UP_TO else "hnsw" if count < _HNSW_UP_TO else "ivf"
    if kind == "flat" or not count:
        return Nearest(vectors, "flat", None, 1.0)
    if kind == "hnsw":
        made: Any = faiss.IndexHNSWFlat(dim, 32, faiss.METRIC_INNER_PRODUCT)
        made.hnsw.efConstruction = 100
        made.hnsw.efSearch = 128
    else:
        lists = max(1, int(4 * count**0.5))
        made = faiss.index_factory(dim, f"IVF{lists},Flat", faiss.METRIC_INNER_PRODUCT)
        made.nprobe = max(1, lists // 16)
        made.cp.min_points_per_centroid = 1  # or it warns on stderr
        made.train(vectors)
    made.add(vectors)
    return Nearest(vectors, kind, made, _recall(vectors, made))


def _recall(vectors: np.ndarray, made: Any) -> float:
    """The share of the ten nearest that is found, over a sample of the vectors themselves."""
    rows = np.linspace(0, len(vectors) - 1, min(_SAMPLE, len(vectors))).astype(np.int64)
    k = min(_TOP + 1, len(vectors))  # the nearest is the vector itself, which says little
    exact, _ = _exact(vectors, vectors[rows], k)
    _, found = made.search(np.ascontiguousarray(vectors[rows]), k)
    shares = [
        len(set(a[1:]) & set(b)) / max(1, k - 1)
        for a, b in zip(exact.tolist(), found.tolist(), strict=True)
    ]
    return float(np.mean(shares)) if k > 1 else 1.0


def _exact(vectors: np.ndarray, queries: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    count = len(vectors)
    rows = np.full((len(queries), k), -1, dtype=np.int64)
    scores = np.zeros((len(queries), k), dtype=np.float32)
    asked = min(k, count)
    if asked and len(queries):
        queries = np.ascontiguousarray(queries, dtype=np.float32)
        scores[:, :asked], rows[:, :asked] = faiss.knn(
            queries, vectors, asked, metric=faiss.METRIC_INNER_PRODUCT
        )
    return rows, scores


def load_nearest(folder: Path, metadata: dict[str, Any], dim: int) -> Nearest:
    """Open what `Nearest.write` wrote; vectors are mapped into memory and read where looked at.

    Raises:
        IndexDamagedError: not what this version wrote.
    """
    path = folder / "vectors.npy"
    if metadata.get("kind") not in get_args(Kind):
        raise IndexDamagedError(
            path, f"searched by {metadata.get('kind')!r}, which is not known here"
        )
    try:
        # A file without rows cannot be mapped.
        vectors = (
            np.load(path, mmap_mode="r") if metadata["count"] else np.zeros((0, dim), np.float32)
        )
    except (OSError, ValueError, EOFError) as error:
        raise IndexDamagedError(path, "no vectors that this version reads") from error
    if vectors.ndim != 2 or vectors.shape[1] != dim:
        raise IndexDamagedError(path, f"vectors of another shape than (n, {dim})")
    made = None
    if metadata["kind"] != "flat":
        try:
            made = faiss.read_index(str(folder / "nearest.faiss"), _MAPPED)
        except RuntimeError as error:
            raise IndexDamagedError(
                folder / "nearest.faiss", "no index that this version of faiss reads"
            ) from error
    return Nearest(vectors, metadata["kind"], made, float(metadata.get("recall", 1.0)))
