"""Keep passages with their vectors on disk, and find those that are nearest in meaning.

    folder/
        manifest.json            the format, the model, every source; names the generation in use
        <generation>/
            index.faiss          inner product of unit vectors, one row a passage
            passages.jsonl       line n is row n
            code.jsonl           documents' code, searched by its words, one block a line

A new generation is written beside the old one and replacing manifest.json puts it in use, so a
crash at any moment leaves the old index whole. The previous generation stays until the next build:
whoever read the old manifest can still open what it names.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal, Protocol

import faiss
import numpy as np

from knowledge.article import Article
from knowledge.document import Document
from knowledge.errors import (
    DimensionMismatchError,
    IndexDamagedError,
    IndexMissingError,
    StaleIndexError,
)
from knowledge.passages import Passage, digest, passages
from knowledge.signature import find_signatures

FORMAT = 2
_CHUNK = 256  # passages embedded between two progress reports
_ABANDONED_AFTER_S = 3600  # a half-written generation this old has nobody writing it


class Embeds(Protocol):
    """What an index needs of an embedding model."""

    @property
    def identity(self) -> str: ...

    def encode(self, texts: Sequence[str]) -> np.ndarray: ...


@dataclass(frozen=True)
class Source:
    """An article or document as the index knows it."""

    id: str
    kind: Literal["article", "document"]
    title: str
    path: str
    errors: tuple[str, ...]  # messages as written there: "Type: message", or only the message
    digest: str


@dataclass(frozen=True)
class BuildReport:
    """What a build did."""

    sources: int
    passages: int
    embedded: int  # passages that had to be embedded; the others were there already


class Index:
    """An opened index. Row n of the vectors is passage n."""

    def __init__(
        self,
        folder: Path,
        model: str,
        sources: Mapping[str, Source],
        found: Sequence[Passage],
        vectors: Any,
        code: Sequence[tuple[str, str]] = (),
    ) -> None:
        self.folder = folder
        self.model = model  # the identity of the embedding model
        self.sources = sources
        self.passages = found
        self.code = code  # (source, block), the blocks of a source together
        self._faiss = vectors

    @property
    def dim(self) -> int:
        return int(self._faiss.d)

    def nearest(self, queries: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
        """Find the k passages closest in meaning to each query.

        Args:
            queries: unit vectors, float32, shape (n_queries, dim).
            k: passages wanted per query.

        Returns:
            rows: passage numbers, best first, int64, shape (n_queries, k); -1 where the index ran
                out.
            scores: cosine similarity in [-1, 1], float32, same shape; no meaning where rows is -1.

        Raises:
            DimensionMismatchError: the queries come from another embedding model.

        Source:
            Inner product of unit vectors is their cosine:
            https://github.com/facebookresearch/faiss/wiki/MetricType-and-distances
        """
        if queries.shape[1] != self.dim:
            # faiss itself stops here with an AssertionError that has no text.
            raise DimensionMismatchError(expected=self.dim, got=queries.shape[1])

        scores, rows = self._faiss.search(queries, k)  # both (n_queries, k)
        return rows, scores

    def vectors(self, rows: Sequence[int] | np.ndarray) -> np.ndarray:
        """The unit vectors of some passages, float32, shape (len(rows), dim)."""
        stored: np.ndarray = self._faiss.reconstruct_batch(np.asarray(rows, dtype=np.int64))
        return stored


def build_index(
    folder: Path,
    sources: Sequence[Article | Document],
    model: Embeds,
    progress: Callable[[int, int], None] | None = None,
) -> BuildReport:
    """Write an index over these sources, embedding only the passages the old one does not hold.

    Args:
        folder: where it goes; made if missing.
        sources: everything that shall be found; what is not among them is no longer found.
        model: embeds the passages.
        progress: told how many of the new passages are embedded, and of how many.

    Raises:
        EmbeddingModelError: the model cannot be loaded.
    """
    cut = [(source, passages(source)) for source in sources]
    entries = [_entry(source, pieces) for source, pieces in cut]
    found = [piece for _, pieces in cut for piece in pieces]

    known = _known_vectors(folder, model.identity)
    new = list(dict.fromkeys(p.text for p in found if p.text not in known))
    for start in range(0, len(new), _CHUNK):
        chunk = new[start : start + _CHUNK]
        known.update(zip(chunk, model.encode(chunk), strict=True))
        if progress is not None:
            progress(start + len(chunk), len(new))

    # No passage at all is an index too: it opens, and finds nothing.
    vectors = (
        np.stack([known[p.text] for p in found]) if found else model.encode([])
    )  # (len(found), dim)
    code = [(s.id, b.code) for s in sources if isinstance(s, Document) for b in s.code]
    _write(folder, model.identity, entries, found, vectors, code)
    embedded = sum(1 for p in found if p.text in set(new)) if new else 0
    return BuildReport(sources=len(entries), passages=len(found), embedded=embedded)


def open_index(
    folder: Path,
    sources: Sequence[Article | Document] | None = None,
    model: Embeds | None = None,
) -> Index:
    """Open the index in a folder.

    Args:
        folder: where `build_index` wrote it.
        sources: what it should have been built from; not given, not compared.
        model: what it should have been built with; not given, not compared.

    Raises:
        IndexMissingError: nothing was built there.
        IndexDamagedError: a file is missing, cut short or of another format.
        StaleIndexError: sources or model are not those it was built from; says which.
    """
    manifest = _read_manifest(folder)
    changes = _changes(manifest, sources, model)
    if changes:
        raise StaleIndexError(folder, changes)

    generation = folder / manifest["generation"]
    for name, expected in manifest["files"].items():
        _check_file(generation / name, expected)
    return Index(
        folder=generation,
        model=manifest["model"],
        sources={entry["id"]: _source(entry) for entry in manifest["sources"]},
        found=_read_passages(generation / "passages.jsonl"),
        vectors=_read_faiss(generation / "index.faiss"),
        code=_read_code(generation / "code.jsonl"),
    )


def _entry(source: Article | Document, pieces: Sequence[Passage]) -> Source:
    if isinstance(source, Article):
        return Source(
            id=source.slug,
            kind="article",
            title=source.title,
            path=str(source.folder),
            errors=source.errors,
            digest=digest(source, pieces),
        )
    text = "\n".join((source.title, *source.prose))
    return Source(
        id=source.id,
        kind="document",
        title=source.title,
        path=str(source.path),
        errors=tuple(find_signatures(text)),
        digest=digest(source, pieces),
    )


def _source(entry: dict[str, Any]) -> Source:
    return Source(**{**entry, "errors": tuple(entry["errors"])})


def _changes(
    manifest: dict[str, Any],
    sources: Sequence[Article | Document] | None,
    model: Embeds | None,
) -> list[str]:
    changes = []
    if model is not None and model.identity != manifest["model"]:
        changes.append(f"the model changed from {manifest['model']} to {model.identity}")
    if sources is not None:
        built = {entry["id"]: entry["digest"] for entry in manifest["sources"]}
        now = {}
        for source in sources:
            name = source.slug if isinstance(source, Article) else source.id
            now[name] = digest(source, passages(source))
        changes += [f"{name} is new" for name in now if name not in built]
        changes += [f"{n} changed" for n, d in now.items() if n in built and built[n] != d]
        changes += [f"{name} is gone" for name in built if name not in now]
    return changes


def _known_vectors(folder: Path, model: str) -> dict[str, np.ndarray]:
    """The vectors an earlier build left, by their text; none if they cannot be used."""
    try:
        index = open_index(folder)
    except (IndexMissingError, IndexDamagedError):
        return {}
    if index.model != model or not index.passages:
        return {}
    vectors = index.vectors(range(len(index.passages)))
    return {piece.text: vector for piece, vector in zip(index.passages, vectors, strict=True)}


def _write(
    folder: Path,
    model: str,
    entries: Sequence[Source],
    found: Sequence[Passage],
    vectors: np.ndarray,
    code: Sequence[tuple[str, str]],
) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    flat = faiss.IndexFlatIP(vectors.shape[1])
    flat.add(np.ascontiguousarray(vectors, dtype=np.float32))

    half_written = Path(tempfile.mkdtemp(prefix=".new-", dir=folder))
    try:
        faiss.write_index(flat, str(half_written / "index.faiss"))
        lines = (json.dumps(asdict(piece), ensure_ascii=False) + "\n" for piece in found)
        (half_written / "passages.jsonl").write_text("".join(lines), encoding="utf-8")
        (half_written / "code.jsonl").write_text(
            "".join(json.dumps(block, ensure_ascii=False) + "\n" for block in code),
            encoding="utf-8",
        )
        files = {path.name: _seal(path) for path in sorted(half_written.iterdir())}
        generation = f"{time.strftime('%Y%m%dT%H%M%S')}-{half_written.name.removeprefix('.new-')}"
        half_written.rename(folder / generation)
    except BaseException:
        shutil.rmtree(half_written, ignore_errors=True)
        raise

    previous = _generation_in_use(folder)
    manifest = {
        "format": FORMAT,
        "model": model,
        "dim": vectors.shape[1],
        "generation": generation,
        "files": files,
        "sources": [asdict(entry) for entry in entries],
    }
    _replace(folder / "manifest.json", json.dumps(manifest, ensure_ascii=False, indent=1))
    _sweep(folder, keep={generation, previous})


def _seal(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        os.fsync(file.fileno())
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    return {"bytes": path.stat().st_size, "sha256": sha256}


def _replace(path: Path, text: str) -> None:
    """Replace a file in one step: a reader sees the old text or the new one, never half."""
    descriptor, name = tempfile.mkstemp(prefix=".new-", dir=path.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise


def _generation_in_use(folder: Path) -> str | None:
    try:
        return str(_read_manifest(folder)["generation"])
    except (IndexMissingError, IndexDamagedError):
        return None


def _sweep(folder: Path, keep: set[str | None]) -> None:
    """Remove older generations, and what crashed builds left behind."""
    for path in folder.iterdir():
        if path.name in keep or not path.is_dir():
            continue
        with contextlib.suppress(OSError):
            being_written = path.name.startswith(".new-")
            if being_written and time.time() - path.stat().st_mtime < _ABANDONED_AFTER_S:
                continue
            if being_written or (path / "index.faiss").exists():
                shutil.rmtree(path)


def _read_manifest(folder: Path) -> dict[str, Any]:
    path = folder / "manifest.json"
    try:
        manifest = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise IndexMissingError(folder) from error
    except (ValueError, RecursionError) as error:
        raise IndexDamagedError(path, "not the JSON that was written here") from error
    except OSError as error:
        raise IndexDamagedError(path, f"cannot be read: {error.strerror}") from error
    if not isinstance(manifest, dict) or manifest.get("format") != FORMAT:
        raise IndexDamagedError(path, f"not of format {FORMAT}, the one this version reads")
    if not {"model", "generation", "files", "sources"} <= manifest.keys():
        raise IndexDamagedError(path, "parts of it are missing")
    return manifest


def _check_file(path: Path, expected: dict[str, Any]) -> None:
    try:
        size = path.stat().st_size
        if size != expected["bytes"]:
            raise IndexDamagedError(path, f"{size} bytes, {expected['bytes']} were written")
        with path.open("rb") as file:
            sha256 = hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise IndexDamagedError(path, f"cannot be read: {error.strerror}") from error
    if sha256 != expected["sha256"]:
        raise IndexDamagedError(path, "the content is not what was written")


def _read_passages(path: Path) -> list[Passage]:
    # Split at "\n" alone: a passage may hold U+2028, which splitlines() takes for a line's end.
    lines = path.read_text(encoding="utf-8").split("\n")
    return [Passage(**json.loads(line)) for line in lines if line]


def _read_code(path: Path) -> list[tuple[str, str]]:
    lines = path.read_text(encoding="utf-8").split("\n")
    return [(owner, code) for owner, code in (json.loads(line) for line in lines if line)]


def _read_faiss(path: Path) -> Any:
    try:
        return faiss.read_index(str(path))
    except RuntimeError as error:
        raise IndexDamagedError(path, "no index that this version of faiss reads") from error
