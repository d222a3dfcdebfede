"""What leaves a run: bytes from its pipes, counted and cut; files, read within their caps."""

from __future__ import annotations

import base64
import mimetypes
import os
import struct
from dataclasses import dataclass, field
from typing import Any

from executor.jail.limits import Limits
from executor.protocol import File

_PNG = b"\x89PNG\r\n\x1a\n"


@dataclass
class Stream:
    """One stream's first and last bytes, and how many were dropped between them."""

    limits: Limits
    total: int = 0
    _head: bytearray = field(default_factory=bytearray)
    _tail: bytearray = field(default_factory=bytearray)
    _line_ends: int = 0

    def add(self, data: bytes) -> None:
        """Add bytes from the pipe."""
        self.total += len(data)
        self._line_ends += data.count(b"\n")
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

    @property
    def lines(self) -> int:
        """How many lines came through, the dropped ones included."""
        ends = self._tail or self._head
        return self._line_ends + bool(ends and not ends.endswith(b"\n"))

    def text(self) -> str:
        """Both parts as text, with a note between them about what is missing."""
        tail = self._kept_tail()
        if not self.dropped:
            return bytes(self._head + tail).decode("utf-8", "replace")
        gap = f"\n… {self.dropped} bytes left out …\n"
        return self._head.decode("utf-8", "replace") + gap + tail.decode("utf-8", "replace")

    def _kept_tail(self) -> bytearray:
        return self._tail[max(0, len(self._tail) - self.limits.tail_bytes) :]


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
