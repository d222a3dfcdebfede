"""Store vectors as they are made, so that an interruption loses only the last few.

An append-only file of records: the text's hash, its vector, a checksum of both. An incomplete
last record (after a kill, on a full disk) is cut off before the next one is written.
"""

from __future__ import annotations

import hashlib
import os
import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

_KEY_BYTES = 16
_SUM_BYTES = 4


class KeptVectors:
    """The vectors of one embedding model, by text."""

    def __init__(self, path: Path, dim: int) -> None:
        """Read the file if there is one; it is created at the first `keep`."""
        self._path = path
        self._dim = dim
        self._vectors: dict[bytes, np.ndarray] = {}
        self._good_bytes = self._read()

    def get(self, text: str) -> np.ndarray | None:
        """The vector of a text, float32, shape (dim,); None if it is not kept."""
        return self._vectors.get(_key(text))

    def keep(self, texts: Sequence[str], vectors: np.ndarray) -> None:
        """Append vectors, shape (len(texts), dim)."""
        keys = [_key(text) for text in texts]
        rows = [np.ascontiguousarray(row, dtype="<f4").tobytes() for row in vectors]
        records = [key + row for key, row in zip(keys, rows, strict=True)]
        content = b"".join(r + zlib.crc32(r).to_bytes(_SUM_BYTES, "little") for r in records)
        with self._path.open("ab") as file:
            if file.tell() != self._good_bytes:
                os.truncate(self._path, self._good_bytes)
            file.write(content)
        self._good_bytes += len(content)
        self._vectors.update(zip(keys, vectors, strict=True))

    def _read(self) -> int:
        """Read records up to the first incomplete one; return how many bytes are valid."""
        try:
            content = self._path.read_bytes()
        except FileNotFoundError:
            return 0
        size = _KEY_BYTES + 4 * self._dim
        good = 0
        while good + size + _SUM_BYTES <= len(content):
            record = content[good : good + size]
            checksum = content[good + size : good + size + _SUM_BYTES]
            if zlib.crc32(record) != int.from_bytes(checksum, "little"):
                break
            vector = np.frombuffer(record, dtype="<f4", offset=_KEY_BYTES)
            self._vectors[record[:_KEY_BYTES]] = vector.astype(np.float32)
            good += size + _SUM_BYTES
        return good


def _key(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=_KEY_BYTES).digest()
