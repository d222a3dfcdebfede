"""Temporary folders, removed by their owner, or at the next start if the owner was killed."""

from __future__ import annotations

import fcntl
import os
import tempfile
from pathlib import Path

from executor.jail.folders import wipe
from executor.service.users import acting_as

_PREFIX = "torchmedic-"
_LOCK = "lock"


class Scratch:
    """A folder of this process, marked as in use by a lock that the kernel drops when it dies."""

    def __init__(self, what: str) -> None:
        self.path = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{what}-"))
        self._lock = os.open(self.path / _LOCK, os.O_CREAT | os.O_RDWR | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX)

    def close(self) -> None:
        """Remove it."""
        _remove(self.path)
        os.close(self._lock)


def sweep_stale() -> list[Path]:
    """Remove the folders of owners that were killed; return the removed ones."""
    swept = []
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        try:
            if folder.is_symlink() or folder.stat().st_uid != os.getuid():
                continue
            lock = os.open(folder / _LOCK, os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC)
        except OSError:
            continue  # not one of ours, or its owner is just making it
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            _remove(folder)
            swept.append(folder)
        except OSError:
            pass  # its owner is alive, or a run's user has files there that we may not act for
        finally:
            os.close(lock)
    return swept


def _remove(path: Path) -> None:
    """Remove an owner's folder, and first what runs with users of their own left in their slots.

    A monitor wipes that itself, but not one that was killed; and without DAC_OVERRIDE and FOWNER
    root may neither list a stranger's folder nor change its mode.
    """
    for slot in _folders_in(path):
        for folder in _folders_in(slot):
            if (owner := folder.stat(follow_symlinks=False).st_uid) != os.geteuid():
                with acting_as(owner):
                    wipe(folder)
    wipe(path)


def _folders_in(path: Path) -> list[Path]:
    with os.scandir(path) as entries:
        return [Path(e.path) for e in entries if e.is_dir(follow_symlinks=False)]
