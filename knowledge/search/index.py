"""Store passages with their vectors on disk, and find the nearest to a query in meaning.

    folder/
        manifest.json            the format, the model, every source; names the generation in use
        kept-<model>.vectors     vectors of a build that has not come to its end
        <generation>/
            vectors.npy          unit vectors, one row a passage; mapped into memory, not read
            nearest.faiss        only where there are too many to compare with each: see `nearest`
            passages.jsonl       line n is row n
            code.jsonl           documents' code, searched by its words, one block a line

A new generation is written beside the old one and replacing manifest.json puts it in use, so a
crash at any moment leaves the old index whole. The previous generation stays until the next build:
whoever read the old manifest can still open what it names.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import json
import os
import shutil
import tempfile
import time
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np

from knowledge.articles.article import Article
from knowledge.documents.document import Document
from knowledge.errors import (
    DimensionMismatchError,
    IndexDamagedError,
    IndexMissingError,
    StaleIndexError,
)
from knowledge.search.nearest import Kind, Nearest, load_nearest, make_nearest
from knowledge.search.passages import Passage, digest, passages
from knowledge.search.vector_journal import KeptVectors
from knowledge.signature import find_signatures

FORMAT = 4
_ROUGH = "\0rough\0"  # before a text whose vector is computed in another way than an article's
_EXACT = ("title", "opening")  # kinds of a document's passages that represent it as a whole
_CHUNK = 32  # passages embedded between two progress reports; a kill loses at most these
_ABANDONED_AFTER_S = 3600  # a half-written generation this old is abandoned


class Embeds(Protocol):
    """What an index needs of an embedding model."""

    @property
    def identity(self) -> str: ...

    def encode(self, texts: Sequence[str]) -> np.ndarray: ...


@dataclass(frozen=True)
class IndexedSource:
    """An article or document in the index, without its passages."""

    id: str
    kind: Literal["article", "document"]
    title: str
    path: str
    errors: tuple[str, ...]  # messages as written there: "Type: message", or only the message
    digest: str


@dataclass(frozen=True)
class Entry:
    """Everything in the index about one source."""

    source: IndexedSource
    passages: tuple[Passage, ...]
    code: tuple[str, ...] = ()


class Known(NamedTuple):
    """A source whose content is known without reading it."""

    id: str
    digest: str


@dataclass(frozen=True)
class BuildReport:
    """The counts of a build."""

    sources: int
    passages: int
    embedded: int  # passages that had to be embedded; the others were there already
    kind: Kind = "flat"
    recall: float = 1.0  # of the ten nearest, those that a search by `kind` finds


class Index:
    """An opened index. Row n of the vectors is passage n."""

    def __init__(
        self,
        folder: Path,
        model: str,
        sources: Mapping[str, IndexedSource],
        found: Sequence[Passage],
        nearest: Nearest,
        code: Sequence[tuple[str, str]] = (),
    ) -> None:
        self.folder = folder
        self.model = model  # the identity of the embedding model
        self.sources = sources
        self.passages = found
        self.code = code  # (source, block), the blocks of a source together
        self._nearest = nearest

    @property
    def dim(self) -> int:
        return int(self._nearest.vectors.shape[1])

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
        """
        if queries.shape[1] != self.dim:
            # faiss itself stops here with an AssertionError that has no text.
            raise DimensionMismatchError(expected=self.dim, got=queries.shape[1])
        return self._nearest.search(queries, k)

    def vectors(self, rows: Sequence[int] | np.ndarray) -> np.ndarray:
        """The unit vectors of some passages, float32, shape (len(rows), dim)."""
        stored: np.ndarray = self._nearest.vectors[np.asarray(rows, dtype=np.int64)]
        return np.asarray(stored)

    def entries(self) -> dict[str, Entry]:
        """Everything it holds, by source."""
        found = {name: tuple(pieces) for name, pieces in groupby(self.passages, lambda p: p.source)}
        code = {
            name: tuple(b for _, b in blocks)
            for name, blocks in groupby(self.code, lambda block: block[0])
        }
        return {
            name: Entry(source, found.get(name, ()), code.get(name, ()))
            for name, source in self.sources.items()
        }


def build_index(
    folder: Path,
    sources: Sequence[Article | Document | Entry] | Sequence[Article | Entry],
    model: Embeds,
    progress: Callable[[int, int], None] | None = None,
    kind: Kind | None = None,
) -> BuildReport:
    """Write an index over these sources, embedding only the passages the old one does not hold.

    Vectors are stored as they are made: a killed build continues where it stopped. A second
    build of the same folder waits for the first.

    Args:
        folder: where it goes; made if missing.
        sources: everything that shall be found; what is not among them is no longer found.
        model: embeds the passages.
        progress: called with the number of new passages embedded so far, and of all new ones.
        kind: how the nearest passages are looked for; None chooses by how many there are.

    Raises:
        EmbeddingModelError: the model cannot be loaded.
    """
    folder.mkdir(parents=True, exist_ok=True)
    entries = [source if isinstance(source, Entry) else cut(source) for source in sources]
    found = [piece for entry in entries for piece in entry.passages]
    documents = {entry.source.id for entry in entries if entry.source.kind == "document"}
    with _alone(folder):
        vectors, embedded = _vectors(folder, found, documents, model, progress)
        nearest = make_nearest(vectors, kind)
        _write(folder, model.identity, entries, found, nearest)
        for path in folder.glob("kept-*.vectors"):  # the index has them now
            path.unlink(missing_ok=True)
    return BuildReport(
        sources=len(entries),
        passages=len(found),
        embedded=embedded,
        kind=nearest.kind,
        recall=nearest.recall,
    )


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Lock the folder; the kernel releases the lock however the process ends."""
    with (folder / ".lock").open("w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield


def _vectors(
    folder: Path,
    found: Sequence[Passage],
    documents: set[str],
    model: Embeds,
    progress: Callable[[int, int], None] | None,
) -> tuple[np.ndarray, int]:
    """Every passage's vector, shape (len(found), dim), and how many had to be embedded."""
    if not found:
        return model.encode([]), 0  # no passage at all is an index too: it opens, and finds nothing
    old = _usable(folder, model.identity)
    rows = {} if old is None else _rows_of(old)
    dim = model.encode([]).shape[1] if old is None else old.dim
    name = hashlib.sha256(model.identity.encode()).hexdigest()[:16]
    kept = KeptVectors(folder / f"kept-{name}.vectors", dim)

    # Only documents' paragraphs come by the ten thousand. Articles are few, and how sure to be of
    # one was fitted to exact vectors, so theirs and the questions' are exact.
    bulk = getattr(model, "encode_bulk", model.encode)
    names = [_name(piece, documents) for piece in found]
    texts = {name: piece.text for name, piece in zip(names, found, strict=True)}
    new = [name for name in texts if name not in rows and kept.get(name) is None]
    for start in range(0, len(new), _CHUNK):
        chunk = new[start : start + _CHUNK]
        for encode, of_kind in (
            (model.encode, [name for name in chunk if not name.startswith(_ROUGH)]),
            (bulk, [name for name in chunk if name.startswith(_ROUGH)]),
        ):
            if of_kind:
                kept.keep(of_kind, encode([texts[name] for name in of_kind]))
        if progress is not None:
            progress(start + len(chunk), len(new))

    vectors = np.empty((len(found), dim), dtype=np.float32)
    from_old = [(number, rows[name]) for number, name in enumerate(names) if name in rows]
    if old is not None and from_old:
        here, there = zip(*from_old, strict=True)
        vectors[list(here)] = old.vectors(there)
    for number, name in enumerate(names):
        if name not in rows:
            vectors[number] = kept.get(name)
    return vectors, sum(name in embedded for name in names) if (embedded := set(new)) else 0


def _name(piece: Passage, documents: Collection[str]) -> str:
    """The key under which a vector is stored: the text, and how it was computed."""
    rough = piece.source in documents and piece.kind not in _EXACT
    return f"{_ROUGH if rough else ''}{piece.text}"


def _rows_of(old: Index) -> dict[str, int]:
    documents = {name for name, source in old.sources.items() if source.kind == "document"}
    return {_name(piece, documents): row for row, piece in enumerate(old.passages)}


def open_index(
    folder: Path,
    sources: Sequence[Article | Document | Entry | Known] | None = None,
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
        nearest=load_nearest(generation, manifest["nearest"], manifest["dim"]),
        code=_read_code(generation / "code.jsonl"),
    )


def cut(source: Article | Document) -> Entry:
    """Make the index entry of an article or document."""
    pieces = tuple(passages(source))
    if isinstance(source, Article):
        return Entry(
            IndexedSource(
                id=source.slug,
                kind="article",
                title=source.title,
                path=str(source.folder),
                errors=source.errors,
                digest=digest(source, pieces),
            ),
            pieces,
        )
    text = "\n".join((source.title, *source.prose))
    return Entry(
        IndexedSource(
            id=source.id,
            kind="document",
            title=source.title,
            path=str(source.path),
            errors=tuple(find_signatures(text)),
            digest=digest(source, pieces),
        ),
        pieces,
        tuple(block.code for block in source.code),
    )


def _source(entry: dict[str, Any]) -> IndexedSource:
    return IndexedSource(**{**entry, "errors": tuple(entry["errors"])})


def _changes(
    manifest: dict[str, Any],
    sources: Sequence[Article | Document | Entry | Known] | None,
    model: Embeds | None,
) -> list[str]:
    changes = []
    if model is not None and model.identity != manifest["model"]:
        changes.append(f"the model changed from {manifest['model']} to {model.identity}")
    if sources is not None:
        built = {entry["id"]: entry["digest"] for entry in manifest["sources"]}
        now = dict(_known(source) for source in sources)
        changes += [f"{name} is new" for name in now if name not in built]
        changes += [f"{n} changed" for n, d in now.items() if n in built and built[n] != d]
        changes += [f"{name} is gone" for name in built if name not in now]
    return changes


def _known(source: Article | Document | Entry | Known) -> Known:
    if isinstance(source, Known):
        return source
    if isinstance(source, Entry):
        return Known(source.source.id, source.source.digest)
    name = source.slug if isinstance(source, Article) else source.id
    return Known(name, digest(source, passages(source)))


def _usable(folder: Path, model: str) -> Index | None:
    """The index of an earlier build; None if its vectors cannot be used."""
    try:
        index = open_index(folder)
    except (IndexMissingError, IndexDamagedError):
        return None
    return index if index.model == model and index.passages else None


def _write(
    folder: Path,
    model: str,
    entries: Sequence[Entry],
    found: Sequence[Passage],
    nearest: Nearest,
) -> None:
    half_written = Path(tempfile.mkdtemp(prefix=".new-", dir=folder))
    try:
        nearest.write(half_written)
        lines = (json.dumps(asdict(piece), ensure_ascii=False) + "\n" for piece in found)
        (half_written / "passages.jsonl").write_text("".join(lines), encoding="utf-8")
        code = ((entry.source.id, block) for entry in entries for block in entry.code)
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
        "dim": nearest.vectors.shape[1],
        "generation": generation,
        "nearest": nearest.metadata(),
        "files": files,
        "sources": [asdict(entry.source) for entry in entries],
    }
    replace_file(folder / "manifest.json", json.dumps(manifest, ensure_ascii=False, indent=1))
    _sweep(folder, keep={generation, previous})


def _seal(path: Path) -> dict[str, Any]:
    with path.open("rb") as file:
        os.fsync(file.fileno())
    return {"bytes": path.stat().st_size, "crc32": _crc32(path)}


def _crc32(path: Path) -> int:
    """A checksum that detects disk errors and is fast enough for every start."""
    found = 0
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            found = zlib.crc32(piece, found)
    return found


def replace_file(path: Path, text: str) -> None:
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
            if being_written or (path / "passages.jsonl").exists():
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
    if not {"model", "dim", "generation", "nearest", "files", "sources"} <= manifest.keys():
        raise IndexDamagedError(path, "parts of it are missing")
    return manifest


def _check_file(path: Path, expected: dict[str, Any]) -> None:
    try:
        size = path.stat().st_size
        if size != expected["bytes"]:
            raise IndexDamagedError(path, f"{size} bytes, {expected['bytes']} were written")
        crc32 = _crc32(path)
    except OSError as error:
        raise IndexDamagedError(path, f"cannot be read: {error.strerror}") from error
    if crc32 != expected["crc32"]:
        raise IndexDamagedError(path, "the content is not what was written")


def _read_passages(path: Path) -> list[Passage]:
    # Split at "\n" alone: a passage may hold U+2028, which splitlines() takes for a line's end.
    lines = path.read_text(encoding="utf-8").split("\n")
    return [Passage(**json.loads(line)) for line in lines if line]


def _read_code(path: Path) -> list[tuple[str, str]]:
    lines = path.read_text(encoding="utf-8").split("\n")
    return [(owner, code) for owner, code in (json.loads(line) for line in lines if line)]
