"""Put this process's memory into huge pages, so that a fork copies hundreds of entries.

Each run takes three forks of the warm server, and a fork copies the page tables of all private
memory: with torch imported, 60,000 entries of 4 KiB pages, which are freed again at the end of each
process. A huge page is one entry for 512 of them. What a run writes is copied in 4 KiB as before:
the kernel splits the one huge page that it writes to.
"""

from __future__ import annotations

import ctypes
import errno
from collections.abc import Iterator
from pathlib import Path

from executor.jail.syscalls import libc

_MADV_COLLAPSE = 25  # Linux 6.1
_SIZE = 2 << 20  # where pages have 4 KiB; a kernel with larger ones refuses
# A page that cannot become a huge one now, while others may: too much of it is not there, say.
_ONLY_THIS = (errno.EINVAL, errno.EAGAIN, errno.EBUSY)


def collapse() -> int:
    """Make huge pages of the memory that is private and no file's.

    Returns:
        how many there are now; 0 where the kernel makes none, and then all is as it was.
    """
    made = 0
    for start, end in list(_areas()):
        for page in range(-(-start // _SIZE) * _SIZE, end // _SIZE * _SIZE, _SIZE):
            result = libc.madvise(ctypes.c_void_p(page), ctypes.c_size_t(_SIZE), _MADV_COLLAPSE)
            if result == 0:
                made += 1
            elif ctypes.get_errno() not in _ONLY_THIS:  # no memory left for them
                return made
    return made


def _areas() -> Iterator[tuple[int, int]]:
    """The addresses of writable private memory that belongs to no file."""
    for line in Path("/proc/self/maps").read_text().splitlines():
        addresses, rights, _, _, _, *name = line.split(maxsplit=5)
        if rights == "rw-p" and (not name or name[0].startswith(("[heap]", "[anon"))):
            start, end = (int(n, 16) for n in addresses.split("-"))
            yield start, end
