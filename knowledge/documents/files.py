"""Find the files of a team's documents, and detect changed ones without reading them."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from knowledge.errors import DocumentError

SUFFIXES = (".md", ".markdown", ".txt", ".ipynb")
MAX_BYTES = 32 * 1024 * 1024  # a notebook with its images; larger files are no documents
_RACY_NS = 2_000_000_000  # coarser than the clock of any file system in use (FAT counts 2 s)

OnError = Callable[[DocumentError], None]


class Stamp(NamedTuple):
    """A file's inode, size and times: at least one changes whenever the content is written.

    A tool that restores the modification time (`cp -p`, rsync, unpacking) still changes the
    inode or `changed_ns`, which no program can set.
    """

    size: int
    modified_ns: int
    changed_ns: int
    inode: int
    device: int

    def settled(self, seen_ns: int) -> bool:
        """Whether any write after `seen_ns` changes the stamp: within one clock tick it may not."""
        return max(self.modified_ns, self.changed_ns) + _RACY_NS < seen_ns


def stamp(path: Path) -> Stamp:
    """The stamp of a regular file; links are followed.

    Raises:
        DocumentError: it is not there, no regular file, or cannot be looked at.
    """
    try:
        found = path.stat()
    except OSError as error:
        raise DocumentError(f"{path}: cannot be read: {error.strerror}; check the path") from error
    if not stat.S_ISREG(found.st_mode):
        # Reading a pipe or a device would wait for ever.
        raise DocumentError(f"{path}: no regular file; remove it from the documents")
    return Stamp(found.st_size, found.st_mtime_ns, found.st_ctime_ns, found.st_ino, found.st_dev)


def read(path: Path) -> bytes:
    """A document's bytes.

    Raises:
        DocumentError: it cannot be read, is empty, or is too large to be one.
    """
    size = stamp(path).size
    if size <= MAX_BYTES:
        try:
            with path.open("rb") as file:
                content = file.read(MAX_BYTES + 1)
        except OSError as error:
            raise DocumentError(
                f"{path}: cannot be read: {error.strerror}; check the path and who may read it"
            ) from error
        size = max(size, len(content))
    if size > MAX_BYTES:
        raise DocumentError(
            f"{path}: {size:,} bytes, and a document has at most {MAX_BYTES:,}; split it"
        )
    if not content.strip():
        raise DocumentError(f"{path}: it is empty; write it or remove it")
    return content


def find(paths: Iterable[Path], on_error: OnError) -> Iterator[Path]:
    """Files, and all documents in folders and below them, each folder's sorted by name.

    Linked folders are followed, each real folder once: a link in a circle ends.
    """
    for path in paths:
        if path.is_dir():
            yield from _below(path, on_error, set())
        else:
            yield path


def _below(folder: Path, on_error: OnError, seen: set[tuple[int, int]]) -> Iterator[Path]:
    try:
        real = folder.stat()
        if (real.st_dev, real.st_ino) in seen:
            on_error(DocumentError(f"{folder}: a link to a folder that is read already; remove it"))
            return
        seen.add((real.st_dev, real.st_ino))
        with os.scandir(folder) as entries:
            found = sorted((entry.name, _is_folder(entry)) for entry in entries)
    except OSError as error:
        on_error(
            DocumentError(f"{folder}: cannot be read: {error.strerror}; check who may read it")
        )
        return
    for name, is_folder in found:
        if is_folder:
            yield from _below(folder / name, on_error, seen)
        elif name.lower().endswith(SUFFIXES):
            yield folder / name


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        return False  # a link in a circle: as a file it is reported by name
