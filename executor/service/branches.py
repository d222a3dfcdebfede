"""Choose the warm server of a run: the first one, or a branch that has its libraries imported.

A snippet's text says which libraries it imports. Where that takes a while, the first server forks a
branch of itself, which imports them and forks the runs from then on: what is imported is not
imported again by each run. A branch never has more than the snippet asks for, so that what runs in
it sees nothing that it would not see at home.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from executor.exceptions import StartError
from executor.service.warm import Server


@dataclass(frozen=True)
class _Library:
    """A library that takes a while to import."""

    seconds: float  # of processor time, on the machine where they were measured
    modules: tuple[str, ...]  # what of it is imported before the fork


# The name in an import statement → what is imported (benchmarks/libraries.py --costs measures it).
_HEAVY = {
    "torchvision": _Library(0.2, ("torchvision",)),
    "torchaudio": _Library(0.2, ("torchaudio",)),
    "matplotlib": _Library(0.5, ("matplotlib.pyplot",)),
    "pandas": _Library(0.4, ("pandas",)),
    "sklearn": _Library(1.8, ("sklearn.datasets", "sklearn.model_selection", "sklearn.metrics")),
    "seaborn": _Library(2.0, ("seaborn",)),
    "transformers": _Library(2.5, ("transformers.modeling_utils",)),
    "datasets": _Library(1.0, ("datasets",)),
    "lightning": _Library(3.9, ("lightning",)),
    "pytorch_lightning": _Library(4.7, ("pytorch_lightning",)),
    "torchmetrics": _Library(4.5, ("torchmetrics",)),
    "torch_geometric": _Library(2.0, ("torch_geometric.nn",)),
    "timm": _Library(1.1, ("timm",)),
}
_IN_A_RUN_S = 0.15  # of imports for which no branch is made: the run imports them itself
_IMPORT = re.compile(r"^[ \t]*(?:from[ \t]+(\w+)|import[ \t]+([\w., \t]+))", re.MULTILINE)

Libraries = frozenset[str]


def libraries_of(code: str, installed: Callable[[str], bool] = lambda _: True) -> Libraries:
    """The libraries that a snippet's import statements name and that take a while.

    Args:
        code: the snippet, as text: it is not parsed here.
        installed: whether a library is there.
    """
    named: set[str] = set()
    for source, names in _IMPORT.findall(code):
        parts = [source] if source else names.split(",")
        named |= {part.split(".")[0].split()[0] for part in parts if part.strip(" \t.")}
    return frozenset(name for name in named & _HEAVY.keys() if installed(name))


class Branches:
    """The branches of one warm server, those used last; the others are stopped."""

    def __init__(self, most: int, orders: int, try_walls: Callable[[Server], object]) -> None:
        """Have none yet.

        Args:
            most: branches at the same time.
            orders: runs after which a branch is replaced, as they all share an address layout.
            try_walls: attacks a branch's jail; raises StartError where it does not hold.
        """
        self.starts = 0
        self._most, self._orders, self._try_walls = most, orders, try_walls
        self._first: Server | None = None
        self._branches: dict[Libraries, Server] = {}  # the one used last comes last
        self._refused: set[Libraries] = set()
        self._stopped: list[int] = []  # processes that may have become ours to reap
        self._lock = threading.Lock()
        self._starting = threading.Lock()

    def server_for(self, first: Server, wanted: Libraries) -> Server:
        """The server whose forks have the most of what is wanted, and nothing else.

        A missing branch is started, which takes as long as the run's own imports would; where that
        fails, the run imports for itself.
        """
        if not self._most or not wanted:
            return first
        found, there = self._nearest(first, wanted)
        if not self._is_worth_it(wanted, there):
            return found
        with self._starting:
            found, there = self._nearest(first, wanted)
            if not self._is_worth_it(wanted, there):
                return found
            branch = self._started(found, wanted - there)
            if branch is None:
                with self._lock:
                    self._refused.add(wanted)
                return found
            self._keep(first, wanted, branch)
            return branch

    def _started(self, server: Server, libraries: Libraries) -> Server | None:
        """A branch whose walls hold; None where there is none to be had."""
        try:
            branch = server.branch(_modules(libraries))
        except StartError:
            return None
        try:
            self._try_walls(branch)
        except (StartError, OSError):
            branch.stop()
            return None
        return branch

    def stop(self) -> None:
        """Stop them all; the runs that they forked go on."""
        with self._lock:
            self._stop_all()

    def _nearest(self, first: Server, wanted: Libraries) -> tuple[Server, Libraries]:
        with self._lock:
            if first is not self._first:  # a fresh one: its branches are to be fresh too
                self._stop_all()
                self._first = first
            for there, branch in list(self._branches.items()):
                if not branch.alive() or branch.orders >= self._orders:
                    self._stop(there)
            fitting = [there for there in self._branches if there <= wanted]
            there = max(fitting, key=_seconds, default=frozenset())
            if there not in self._branches:
                return first, frozenset()
            branch = self._branches.pop(there)
            self._branches[there] = branch
            return branch, there

    def _is_worth_it(self, wanted: Libraries, there: Libraries) -> bool:
        return wanted not in self._refused and _seconds(wanted - there) > _IN_A_RUN_S

    def _keep(self, first: Server, libraries: Libraries, branch: Server) -> None:
        with self._lock:
            self.starts += 1
            if first is not self._first:
                return  # it was replaced meanwhile: this branch is for one run
            self._branches[libraries] = branch
            while len(self._branches) > self._most:
                self._stop(next(iter(self._branches)))

    def _stop_all(self) -> None:
        for libraries in list(self._branches):
            self._stop(libraries)
        self._refused.clear()

    def _stop(self, libraries: Libraries) -> None:
        branch = self._branches.pop(libraries)
        branch.stop()
        # Who forked it reaps it; if that one ended first, its orphans are ours.
        self._stopped = [pid for pid in [*self._stopped, branch.ready.pid] if _may_be_left(pid)]


def _may_be_left(pid: int) -> bool:
    """Whether a process is still there, after reaping it if it is ours and has ended."""
    try:
        return os.waitpid(pid, os.WNOHANG)[0] == 0
    except ChildProcessError:
        return Path(f"/proc/{pid}").exists()


def _seconds(libraries: Iterable[str]) -> float:
    return sum(_HEAVY[name].seconds for name in libraries)


def _modules(libraries: Iterable[str]) -> list[str]:
    return [module for name in sorted(libraries) for module in _HEAVY[name].modules]


def is_installed(site: Path) -> Callable[[str], bool]:
    """Whether a library is among the packages of a folder."""
    return lambda name: (site / name).is_dir()
