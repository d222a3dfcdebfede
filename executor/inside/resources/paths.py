"""Functions that take a path: a file that is missing is made, and other folders are moved.

A run may write in its working folder alone. At home `../../data` and `/content/drive` can be
written too, so here each of them is a folder in the run's temporary one.
"""

from __future__ import annotations

import builtins
import contextlib
import functools
import io
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_SYSTEM = ("/usr", "/lib", "/lib64", "/bin", "/sbin", "/etc", "/proc", "/sys", "/dev", "/opt")
_HERE = str(Path(__file__).parents[3])
_MADE = 400  # files and folders of one run at most
_MAKING = frozenset("wax+")  # modes that make a file

# Which functions take a path, and which of their arguments it is.
_PATHS: tuple[tuple[Any, str, tuple[int, ...]], ...] = (
    (builtins, "open", (0,)),
    (io, "open", (0,)),
    *((os, name, (0,)) for name in ("open", "stat", "lstat", "listdir", "scandir", "mkdir",
                                    "access", "remove", "unlink", "rmdir", "chmod", "utime",
                                    "truncate")),
    *((os, name, (0, 1)) for name in ("rename", "replace")),
)  # fmt: skip
_LIST = ("listdir", "scandir")


@dataclass(frozen=True)
class Promise:
    """A folder of whose files the form is known; each is made when it is opened."""

    folder: str
    size: tuple[int, int]
    channels: int
    classes: int


Supply = Callable[[str, str, str, Promise | None], bool]


class Paths:
    """The paths of one run."""

    def __init__(
        self,
        writable: tuple[Path, ...],
        supply: Supply,
        asked_for: Callable[[str], bool],
        moved: Callable[[str], None],
    ) -> None:
        """Prepare; nothing is changed before `install`.

        Args:
            writable: the folders in which the run may write.
            supply: makes what is missing: (path as given, or below
                its promise; where to make it, "open", "list" or the
                name of a library's function, promise of its folder) → whether it is there now.
            asked_for: path as given → whether the snippet asks for it, and does not handle that
                it is missing.
            moved: hears of a path outside of these folders that is written.
        """
        temp = os.path.realpath(tempfile.gettempdir())
        self._inside = tuple(f"{os.path.realpath(p)}/" for p in (*map(str, writable), temp))
        self.asked_for = asked_for
        self._told_moved = moved
        self._elsewhere = os.path.join(temp, "elsewhere")
        self._supply = supply
        self._promises: list[Promise] = []
        self._paused = 0
        self._made = 0
        self._real: dict[str, Any] = {}
        self._replaced: list[tuple[Any, str, Any]] = []

    def promise(self, folder: Path, size: tuple[int, int], channels: int, classes: int) -> None:
        """Say of which form the files of a folder are."""
        path = self._absolute(str(folder))
        self._promises.append(Promise(f"{path}/", size, channels, classes))

    @contextlib.contextmanager
    def without_supply(self) -> Iterator[None]:
        """Let what is missing be missing."""
        self._paused += 1
        try:
            yield
        finally:
            self._paused -= 1

    def install(self) -> None:
        """Let the functions of Python's library go through here."""
        for owner, name, positions in _PATHS:
            original = getattr(owner, name)
            self._real.setdefault(name, original)
            self._replaced.append((owner, name, original))
            setattr(owner, name, self._wrapped(original, name, positions))

    def wrap(self, owner: Any, name: str, *, reads: bool) -> None:
        """Let a library's function that opens files by itself go through here, too.

        Args:
            owner: its module.
            name: its name; its first argument is the path.
            reads: whether it reads the file, else it writes it.
        """
        original = getattr(owner, name)

        @functools.wraps(original)
        def moved(*args: Any, **named: Any) -> Any:
            if not args or not isinstance(args[0], (str, os.PathLike)):
                return original(*args, **named)
            at = self.at(os.fspath(args[0]), writes=not reads)
            if reads and not self._exists(at):
                self.missing(os.fspath(args[0]), at, "open")
            return original(at, *args[1:], **named)

        setattr(owner, name, moved)

    def stop(self) -> None:
        """Let them be what they were."""
        while self._replaced:
            owner, name, original = self._replaced.pop()
            setattr(owner, name, original)

    def _wrapped(
        self, original: Callable[..., Any], name: str, positions: tuple[int, ...]
    ) -> Callable[..., Any]:
        @functools.wraps(original)
        def moved(*args: Any, **named: Any) -> Any:
            given = list(args)
            for n in positions:
                if n < len(given) and isinstance(given[n], (str, os.PathLike)):
                    given[n] = self._place(given[n], name, given[1:], named)
                elif n < len(given) and isinstance(given[n], bytes):
                    text = os.fsdecode(given[n])
                    given[n] = os.fsencode(self._place(text, name, given[1:], named))
            return original(*given, **named)

        return moved

    def _place(self, given: Any, name: str, rest: list[Any], named: dict[str, Any]) -> Any:
        reads = name in _LIST or (name == "open" and _only_reads(rest, named))
        at = self.at(os.fspath(given), writes=not reads and name in ("open", "mkdir"))
        if reads and not self._exists(at):
            self.missing(os.fspath(given), at, "list" if name in _LIST else "open")
        return given if at == os.fspath(given) else at

    def at(self, path: Any, *, writes: bool = False) -> Any:
        """Where a path is: itself, or below the folder for all other folders."""
        if not isinstance(path, str) or not path:
            return path
        absolute = self._absolute(path)
        if f"{absolute}/".startswith(self._inside) or _of_the_system(absolute):
            return path
        moved = self._elsewhere + absolute
        if self._exists(absolute) and not self._exists(moved) and not writes:
            return path
        if writes:
            self._moved(path)
            with contextlib.suppress(OSError):
                self._make_folder(os.path.dirname(moved))
        return moved

    def _moved(self, path: str) -> None:
        if not self._paused:
            self._told_moved(path)

    def _absolute(self, path: str) -> str:
        return os.path.normpath(os.path.join(os.getcwd(), path))

    def _make_folder(self, path: str) -> None:
        made = []
        while not self._exists(path):
            made.append(path)
            path = os.path.dirname(path)
        for folder in reversed(made):
            self._real.get("mkdir", os.mkdir)(folder)

    def _exists(self, path: str) -> bool:
        try:
            self._real.get("stat", os.stat)(path)
        except (OSError, ValueError):
            return False
        return True

    def missing(self, path: str, at: str, how: str) -> bool:
        """Make what is missing, if it is something that the snippet asks for.

        Args:
            path: as it was given.
            at: where it belongs.
            how: "open", "list", or the name of a library's function that reads it.

        Returns:
            made: whether it is there now.
        """
        if self._paused or self._made >= _MADE or _importing():
            return False
        absolute = self._absolute(path)
        promised = [p for p in self._promises if absolute.startswith(p.folder)]
        promise = max(promised, key=lambda p: len(p.folder), default=None)
        if promise is None and not self.asked_for(path):
            return False
        with self.without_supply():
            self._made += 1
            with contextlib.suppress(OSError):
                self._make_folder(os.path.dirname(self._absolute(at)))
            below = absolute[len(promise.folder) :] if promise is not None else path
            return self._supply(below, at, how, promise)


def _only_reads(rest: list[Any], named: dict[str, Any]) -> bool:
    mode = rest[0] if rest else named.get("mode", named.get("flags", "r"))
    if isinstance(mode, int):
        return not mode & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
    return isinstance(mode, str) and not _MAKING & set(mode)


def _of_the_system(absolute: str) -> bool:
    own = (*_SYSTEM, sys.prefix, sys.base_prefix, _HERE)
    return any(absolute == place or absolute.startswith(f"{place}/") for place in own)


def _importing() -> bool:
    """Whether an import is what asks."""
    frame = sys._getframe(2)
    depth = 0
    while frame is not None and depth < 60:
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return True
        if frame.f_back is None:
            return False
        frame, depth = frame.f_back, depth + 1
    return False
