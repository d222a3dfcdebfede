"""Keep embedded texts in a folder, so that a benchmark run again embeds nothing again."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from knowledge.search.embedding import EmbeddingModel
from knowledge.search.index import Embeds

_CHUNK = 256  # texts embedded between two writes: what an interruption loses
_KEY_BYTES = 16


class _Bulk:
    """A model whose `encode` is another model's `encode_bulk`."""

    def __init__(self, model: EmbeddingModel) -> None:
        self.identity = f"{model.identity} bulk"
        self.encode = model.encode_bulk


class Kept:
    """An embedding model with a cache in a folder.

    Two files grow side by side, line n of the one being row n of the other; a row without its
    line (an interruption between the two) is written anew.
    """

    def __init__(
        self,
        model: Embeds,
        dim: int,
        folder: Path | None,
        progress: Callable[[int, int], None] | None = None,
    ) -> None:
        """`folder`: None keeps nothing beyond this run."""
        self._model = model
        self._dim = dim
        self._progress = progress
        self._rows: dict[bytes, np.ndarray] = {}
        self._folder = None
        if folder is not None:
            self._folder = folder / hashlib.sha256(model.identity.encode()).hexdigest()[:16]
            self._folder.mkdir(parents=True, exist_ok=True)
            self._read(self._folder)

        self._bulk = (
            Kept(_Bulk(model), dim, folder, progress) if isinstance(model, EmbeddingModel) else self
        )

    def encode_bulk(self, texts: Sequence[str]) -> np.ndarray:
        """The same, as the model embeds texts by the thousand."""
        return self._bulk.encode(texts)

    @property
    def identity(self) -> str:
        return self._model.identity

    def encode(self, texts: Sequence[str]) -> np.ndarray:
        """Unit vectors, float32, shape (len(texts), dim)."""
        new = list(dict.fromkeys(text for text in texts if _key(text) not in self._rows))
        for start in range(0, len(new), _CHUNK):
            chunk = new[start : start + _CHUNK]
            self._keep(chunk, self._model.encode(chunk))
            if self._progress is not None and len(new) > _CHUNK:
                self._progress(start + len(chunk), len(new))
        if not texts:
            return np.zeros((0, self._dim), dtype=np.float32)
        return np.stack([self._rows[_key(text)] for text in texts])  # (len(texts), dim)

    def _read(self, folder: Path) -> None:
        keys, vectors = folder / "keys", folder / "vectors"
        if not keys.exists() or not vectors.exists():
            return
        known = keys.read_bytes()
        count = min(len(known) // _KEY_BYTES, vectors.stat().st_size // (4 * self._dim))
        rows = np.fromfile(vectors, dtype=np.float32, count=count * self._dim)
        for n, row in enumerate(rows.reshape(count, self._dim)):
            self._rows[known[n * _KEY_BYTES : (n + 1) * _KEY_BYTES]] = row
        with keys.open("r+b") as file:
            file.truncate(count * _KEY_BYTES)
        with vectors.open("r+b") as file:
            file.truncate(count * 4 * self._dim)

    def _keep(self, texts: Sequence[str], vectors: np.ndarray) -> None:
        names = [_key(text) for text in texts]
        self._rows.update(zip(names, vectors, strict=True))
        if self._folder is not None:
            with (self._folder / "vectors").open("ab") as file:
                file.write(np.ascontiguousarray(vectors, dtype=np.float32).tobytes())
            with (self._folder / "keys").open("ab") as file:
                file.write(b"".join(names))


def _key(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_KEY_BYTES).digest()
