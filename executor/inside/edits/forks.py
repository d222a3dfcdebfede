"""Do something in a fork of this process, which may hang or die, and read what it writes."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import time
from collections.abc import Callable, Iterator

_MOST_BYTES = 8 * 1024 * 1024  # from one fork


def in_fork(do: Callable[[], bytes], longest_s: float) -> bytes | None:
    """What it gives back; None where it died, took too long by the clock, or wrote too much."""
    parts = list(lines_of_fork(lambda say: say(do().hex().encode()), longest_s))
    return bytes.fromhex(parts[0].decode()) if parts else None


def lines_of_fork(
    do: Callable[[Callable[[bytes], None]], None],
    longest_s: float,
    each_s: float | None = None,
) -> Iterator[bytes]:
    """The lines that it says, as they come; they end where it ends, dies or has no time left.

    Args:
        do: is given a function that says one line, which holds no line break.
        longest_s: by the clock.
        each_s: the longest wait for one line, if it is shorter.
    """
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.close(reading)
            do(lambda line: _write(writing, line + b"\n"))
        finally:
            os._exit(0)
    os.close(writing)
    try:
        yield from _lines(reading, time.monotonic() + longest_s, each_s or longest_s)
    finally:
        os.close(reading)
        with contextlib.suppress(ProcessLookupError):
            os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)


def _write(pipe: int, data: bytes) -> None:
    while data:
        data = data[os.write(pipe, data) :]


def _lines(pipe: int, until: float, each_s: float) -> Iterator[bytes]:
    rest, read = b"", 0
    while (left := until - time.monotonic()) > 0 and read < _MOST_BYTES:
        if not select.select([pipe], [], [], min(left, each_s))[0]:
            return
        part = os.read(pipe, 65536)
        if not part:
            return
        read += len(part)
        *whole, rest = (rest + part).split(b"\n")
        yield from whole
