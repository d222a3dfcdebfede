"""Collect a run's output: bytes from its pipes, counted and cut; files, never through a link.

The files are opened by the run's own user after its last process is gone (`offers`), and reach the
supervisor as open descriptors: no other user ever opens a path that a stranger chose.
"""

from __future__ import annotations

import base64
import itertools
import mimetypes
import os
import stat
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from executor.jail.limits import Limits
from executor.protocol import FIGURES, REPORT, SNIPPET, File

_PNG = b"\x89PNG\r\n\x1a\n"
_SKIPS = 20  # names of skipped files in a result


@dataclass
class Stream:
    """One stream's first and last bytes, and how many were dropped between them."""

    limits: Limits
    total: int = 0
    _head: bytearray = field(default_factory=bytearray)
    _tail: bytearray = field(default_factory=bytearray)

    def add(self, data: bytes) -> None:
        """Add bytes from the pipe."""
        self.total += len(data)
        room = self.limits.head_bytes - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        if data:
            self._tail += data
            if len(self._tail) > 2 * self.limits.tail_bytes:
                del self._tail[: -self.limits.tail_bytes]

    @property
    def dropped(self) -> int:
        """How many bytes are missing between the two parts."""
        return self.total - len(self._head) - len(self._kept_tail())

    def text(self) -> str:
        """Both parts as text, with a note between them about what is missing."""
        tail = self._kept_tail()
        if not self.dropped:
            return bytes(self._head + tail).decode("utf-8", "replace")
        gap = f"\n… {self.dropped} bytes left out …\n"
        return self._head.decode("utf-8", "replace") + gap + tail.decode("utf-8", "replace")

    def _kept_tail(self) -> bytearray:
        return self._tail[max(0, len(self._tail) - self.limits.tail_bytes) :]


# -- in the run's process: with its own rights -----------------------------------------------


def furnish(work: Path, files: list[dict[str, str]]) -> None:
    """Put the attachments into the working folder.

    Raises:
        OSError: one is too large, or its name is taken.
        ValueError: one is not base64.
    """
    for file in files:
        with (work / file["name"]).open("xb") as f:
            f.write(base64.b64decode(file["base64"], validate=True))


def offers(work: Path, report: Path, limits: Limits) -> Iterator[tuple[dict[str, Any], int | None]]:
    """Offer the run's files as (description, open descriptor); a skipped file has no descriptor."""
    fd = _open_plain(report / REPORT)
    if isinstance(fd, int):
        yield {"file": REPORT, "kind": "report"}, fd
    figures = report / FIGURES
    names = [f"figure-{n}.png" for n in range(1, limits.returned_figures + 1)]
    for name in names:
        if isinstance(fd := _open_plain(figures / name), int):
            yield {"file": name, "kind": "figure"}, fd
    given = skipped = 0
    for entry in _entries(work):
        name = entry.name
        why = _unfit(name)
        if name in {SNIPPET, "__pycache__"}:
            continue
        if why is None and given >= limits.returned_files:
            why = f"only {limits.returned_files} files come back"
        found = why or _open_plain(Path(entry.path))
        if isinstance(found, int):
            given += 1
            yield {"file": name, "kind": "file"}, found
        elif skipped < _SKIPS:
            skipped += 1
            yield {"skipped": f"{_escaped(name)}: {found}"}, None


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(itertools.islice(entries, 10_000), key=lambda e: e.name)
    except OSError:
        return []  # the run removed its own right to read the folder


def _unfit(name: str) -> str | None:
    if not name.isprintable():
        return "a name that cannot be shown safely"
    return "too long a name" if len(name.encode()) > 200 else None


def _escaped(name: str) -> str:
    shown = name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    plain = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in shown)
    return plain if len(plain) <= 80 else plain[:77] + "…"


def _open_plain(path: Path) -> int | str:
    """Open a regular file with a single link, or return why not.

    Links are not followed and opening never blocks. No file that a stranger makes raises an error.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return _kind(path)
    facts = os.fstat(fd)
    if stat.S_ISREG(facts.st_mode) and facts.st_nlink == 1:
        return fd
    os.close(fd)
    return "a hard link" if stat.S_ISREG(facts.st_mode) else _kind(path)


def _kind(path: Path) -> str:
    try:
        mode = path.lstat().st_mode
    except OSError:
        return "it cannot be read"
    kinds = {stat.S_IFLNK: "a link", stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe",
             stat.S_IFSOCK: "a socket", stat.S_IFREG: "it cannot be read"}  # fmt: skip
    return kinds.get(stat.S_IFMT(mode), "a device")


def wipe_all(folders: tuple[Path, ...], shared: tuple[Path, ...], uid: int | None) -> None:
    """Remove the run's folders and, if it has its own user, that user's files in shared folders."""
    for folder in folders:
        wipe(folder)
    if uid is None:
        return  # without a user of its own, its files cannot be told from others'
    for entry in itertools.chain.from_iterable(map(_entries, shared)):
        try:
            if entry.stat(follow_symlinks=False).st_uid != uid:
                continue
            if entry.is_dir(follow_symlinks=False):
                wipe(Path(entry.path))
            else:
                Path(entry.path).unlink()
        except FileNotFoundError:
            continue


def wipe(folder: Path) -> None:
    """Remove a folder and all in it, without recursion: 1,000 nested folders break shutil.rmtree.

    Folders found inside are moved up to the top, so no path ever grows long.
    """
    number = itertools.count()
    try:
        folder.chmod(0o700)
    except FileNotFoundError:
        return
    while entries := _entries(folder):
        for entry in entries:
            path = Path(entry.path)
            if not entry.is_dir(follow_symlinks=False):
                path.unlink()
                continue
            path.chmod(0o700)
            for inner in _entries(path):
                if inner.is_dir(follow_symlinks=False):
                    Path(inner.path).chmod(0o700)  # its ".." changes, so it must be writable
                    Path(inner.path).rename(folder / f".wipe-{os.getpid()}-{next(number)}")
                else:
                    Path(inner.path).unlink()
            if not _entries(path):
                path.rmdir()
    folder.rmdir()


# -- in the supervisor -----------------------------------------------------------------------


class Collected:
    """The files that a run's parent offered, read within the limits."""

    def __init__(self, limits: Limits, given: dict[str, str]) -> None:
        """`given` are the attachments, name → base64: unchanged ones are not returned."""
        self.report: bytes | None = None
        self.files: list[File] = []
        self.skipped: list[str] = []
        self._limits = limits
        self._given = given
        self._room = limits.returned_bytes

    def take(self, words: dict[str, Any], fd: int) -> None:
        """Read one file and close it."""
        try:
            if words["kind"] == "report":
                self.report = read_capped(fd, self._limits.report_bytes)
                return
            name = str(words["file"])
            most = min(self._limits.returned_file_bytes, self._room)
            data = read_capped(fd, most)
            if data is None:
                self.skipped.append(f"{name}: larger than {most} bytes")
            elif (pixels := png_pixels(data)) and pixels > self._limits.returned_pixels:
                self.skipped.append(f"{name}: an image of {pixels} pixels")
            else:
                self._keep(name, data)
        finally:
            os.close(fd)

    def _keep(self, name: str, data: bytes) -> None:
        text = base64.b64encode(data).decode()
        if self._given.get(name) != text:
            self._room -= len(data)
            self.files.append(File(name=name, base64=text, mime=_mime(name, data)))


def _mime(name: str, data: bytes) -> str:
    """The MIME type: image/png only for a file with a PNG's header, no other image type ever."""
    if png_pixels(data) is not None:
        return "image/png"
    guess = mimetypes.guess_type(name)[0] or ""
    return guess if guess and not guess.startswith("image/") else "application/octet-stream"


def png_pixels(data: bytes) -> int | None:
    """Width times height from the PNG's header; None if it is no PNG."""
    if len(data) < 33 or data[:8] != _PNG or data[12:16] != b"IHDR":
        return None
    width, height = struct.unpack(">II", data[16:24])
    return int(width) * int(height)


def read_capped(fd: int, most: int) -> bytes | None:
    """A file's bytes; None if there are more than `most`. A sparse file's st_size would mislead."""
    data = bytearray()
    while len(data) <= most:
        chunk = os.read(fd, min(1 << 20, most + 1 - len(data)))
        if not chunk:
            return bytes(data)
        data += chunk
    return None
