"""A run's folders: furnished before it, its files offered and all wiped after it.

The files are opened by the run's own user after its last process is gone (`offers`), and reach the
supervisor as open descriptors: a name that a stranger chose is never a path to anyone else.
"""

from __future__ import annotations

import base64
import itertools
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from executor.jail.limits import Limits
from executor.protocol import FIGURES, REPORT, SNIPPET

_SKIPS = 20  # names of skipped files that are told


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
    """What the run left, as (words, open descriptor); what is skipped comes without one."""
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
        return []  # the run took its own rights away


def _unfit(name: str) -> str | None:
    if not name.isprintable():
        return "a name that cannot be shown safely"
    return "too long a name" if len(name.encode()) > 200 else None


def _escaped(name: str) -> str:
    shown = name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
    plain = "".join(c if c.isprintable() else ascii(c)[1:-1] for c in shown)
    return plain if len(plain) <= 80 else plain[:77] + "…"


def _open_plain(path: Path) -> int | str:
    """A regular, singly linked file, opened; else why not. Links are not followed, no open blocks.

    Raises: never for what a stranger can put there.
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
    kinds = {
        stat.S_IFLNK: "a link",
        stat.S_IFDIR: "a folder",
        stat.S_IFIFO: "a pipe",
        stat.S_IFSOCK: "a socket",
        stat.S_IFREG: "it cannot be read",
    }
    return kinds.get(stat.S_IFMT(mode), "a device")


def wipe_all(folders: tuple[Path, ...], shared: tuple[Path, ...], uid: int | None) -> None:
    """Remove the run's folders and, where it has a user of its own, what it left in shared ones."""
    for folder in folders:
        wipe(folder)
    if uid is None:
        return  # nobody could tell whose it is
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
