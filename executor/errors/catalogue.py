"""Find the family of an error among all of them."""

from __future__ import annotations

import importlib
import pkgutil
from functools import cache, lru_cache
from typing import Protocol

from executor.errors import families as folder
from executor.errors.family import ErrorFamily, SeenError


class HasMessage(Protocol):
    """Anything that has an exception's type and message: an ErrorSeen, a pasted traceback."""

    @property
    def type(self) -> str:
        """The exception's class, perhaps with its module; empty if it is not known."""

    @property
    def message(self) -> str:
        """The exception's text."""


_KEPT = 1024  # messages whose families are remembered: every part of an answer asks for the same


@cache
def all_families() -> tuple[ErrorFamily, ...]:
    """All families, the most specific ones first, those of one breadth by their id."""
    found: list[ErrorFamily] = []
    for module in pkgutil.iter_modules(folder.__path__):
        found += importlib.import_module(f"{folder.__name__}.{module.name}").FAMILIES
    return tuple(sorted(found, key=lambda f: (f.breadth, f.id)))


@lru_cache(_KEPT)
def families_of(type: str, message: str) -> tuple[SeenError, ...]:
    """Every family that an error is of, the most specific one first.

    A broad family holds what is left over by others: `sparse` is any error that speaks of sparse
    tensors. Two families of one breadth never share a message; a test holds that.

    Args:
        type: the exception's class, perhaps with its module; empty if it is not known.
        message: the exception's text; a stranger's, so any.
    """
    return tuple(seen for f in all_families() if (seen := f.read(type, message)) is not None)


def family_of(type: str, message: str) -> SeenError | None:
    """The most specific family that an error is of; None if the catalogue does not know it."""
    return next(iter(families_of(type, message)), None)


def read(error: HasMessage, *ids: str) -> SeenError | None:
    """What an error says as one of these families, the first that it is of; None if of none."""
    return next((s for s in families_of(error.type, error.message) if s.id in ids), None)


def is_a(error: HasMessage, *ids: str) -> bool:
    """Whether an error is of one of these families, however much more specific its own is."""
    return read(error, *ids) is not None


def is_written(error: HasMessage) -> bool:
    """Whether an error is raised where somebody wrote `x[i]` or `if x` (`ErrorFamily.written`)."""
    ids = {seen.id for seen in families_of(error.type, error.message)[:1]}
    return any(family.written for family in all_families() if family.id in ids)


def prepare() -> None:
    """Load every family and compile its patterns: once, in the process that forks the runs."""
    families_of("", "")
