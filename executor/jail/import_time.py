"""Tell the supervisor how much of a run's processor time went into importing libraries.

The run and the supervisor share a page of memory. The run writes there, and so can the snippet:
the supervisor believes it up to a bound (`Limits.imports_s`).
"""

from __future__ import annotations

import math
import mmap
import os
import struct
import time
from types import TracebackType

_WORDS = struct.Struct("dd")  # seconds that are not the snippet's; when that began, or -1
_NEVER_FREED: list[mmap.mmap] = []


def shared_page() -> int:
    """Make the page; its descriptor is the supervisor's, and a copy of it goes to the run."""
    page = os.memfd_create("import_time", os.MFD_CLOEXEC)
    os.pwrite(page, _WORDS.pack(0, -1), 0)
    return page


def not_counted_s(page: int, used_s: float, most_s: float) -> float:
    """Processor seconds that are not the snippet's, at most `most_s`, of `used_s` so far."""
    try:
        spent, since = _WORDS.unpack(os.pread(page, _WORDS.size, 0))
    except (OSError, struct.error):
        return 0.0
    if since >= 0:
        spent += max(0.0, used_s - since)
    return min(spent, most_s) if math.isfinite(spent) and spent > 0 else 0.0


class ImportTime:
    """The run's side. `with import_time:` around what is not the snippet's own time."""

    def __init__(self, page: int) -> None:
        """Take over the descriptor: nothing of it is left for the snippet to open.

        Python's mmap keeps a copy of the descriptor (until 3.13 there is no other way). It is the
        lowest that is free, and closing it leaves the memory mapped.
        """
        copy = os.dup(page)
        os.close(copy)
        self._page = mmap.mmap(page, _WORDS.size)
        _NEVER_FREED.append(self._page)  # it would close that number again, whose ever it is then
        self._spent = 0.0
        os.close(page)
        os.close(copy)
        self._write(0.0)  # what this process has done so far is ours

    def __enter__(self) -> None:
        self._since = time.process_time()
        self._write(self._since)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        tb: TracebackType | None,
    ) -> None:
        self._spent += time.process_time() - self._since
        self._write(-1)

    @property
    def spent_s(self) -> float:
        """Processor seconds that were not the snippet's, but for an import that goes on now."""
        return self._spent

    def snippet_begins(self) -> None:
        """What this process has done so far was no work of the snippet's."""
        self._spent = time.process_time()
        self._write(-1)

    def _write(self, since: float) -> None:
        self._page[: _WORDS.size] = _WORDS.pack(self._spent, since)
