"""What leaves a run: bytes from its pipes, counted and cut; files, never by following a link."""

from __future__ import annotations

import base64
import mimetypes
import os
import stat
from dataclasses import dataclass, field
from pathlib import Path

from executor.job import File
from executor.limits import Limits


@dataclass
class Stream:
    """One stream's bytes: the first part and the last part, with a count of what lay between."""

    limits: Limits
    total: int = 0
    _head: bytearray = field(default_factory=bytearray)
    _tail: bytearray = field(default_factory=bytearray)

    def add(self, data: bytes) -> None:
        """Take what came through the pipe."""
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
        return self.total - len(self._head) - len(self._tail[-self.limits.tail_bytes :])

    def text(self) -> str:
        """Both parts, decoded once, at the very end; what is missing is named between them."""
        tail = self._tail[-self.limits.tail_bytes :]
        if not self.dropped:
            return bytes(self._head + tail).decode("utf-8", "replace")
        gap = f"\n… {self.dropped} bytes left out …\n"
        return self._head.decode("utf-8", "replace") + gap + tail.decode("utf-8", "replace")


def read_capped(path: Path, most: int) -> bytes | None:
    """A regular, singly linked file's bytes; None for anything else, or for one that is larger.

    Its name may have been chosen by a stranger: links are not followed and nothing blocks.
    """
    try:
        fd = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        facts = os.fstat(fd)
        if not stat.S_ISREG(facts.st_mode) or facts.st_nlink != 1:
            return None
        data = b""
        while len(data) <= most:  # st_size is not asked: a sparse file lies about it
            chunk = os.read(fd, min(1 << 20, most + 1 - len(data)))
            if not chunk:
                return data
            data += chunk
        return None
    finally:
        os.close(fd)


def collect(folder: Path, leave_out: set[str], limits: Limits) -> tuple[File, ...]:
    """The files that a run left at the top of its working folder, within the caps."""
    found: list[File] = []
    with os.scandir(folder) as entries:
        names = sorted(e.name for e in entries if e.name not in leave_out)
    for name in names:
        if len(found) >= limits.returned_files or not name.isprintable() or len(name) > 200:
            continue
        data = read_capped(folder / name, limits.returned_file_bytes)
        if data is not None:
            mime = mimetypes.guess_type(name)[0] or "application/octet-stream"
            found.append(File(name=name, base64=base64.b64encode(data).decode(), mime=mime))
    return tuple(found)
