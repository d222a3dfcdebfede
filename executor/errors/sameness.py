"""Compare two messages of one kind of error by what they name, whatever their wording."""

from __future__ import annotations

import re

from executor.errors.catalogue import HasMessage, families_of
from executor.errors.family import MAX_CHARS

_NUMBER = re.compile(r"\d+")
_SHAPE = re.compile(r"[\[(]\s*\d+(?:\s*[,x]\s*\d+)*\s*,?\s*[\])]")


def same_family(one: HasMessage, other: HasMessage) -> bool:
    """Whether two errors are of one family; of those that none knows, whether they read alike."""
    first, second = families_of(one.type, one.message), families_of(other.type, other.message)
    if first and second:
        return first[0].id == second[0].id
    if first or second:
        return False
    return _kind(one) == _kind(other) and _words(one.message) == _words(other.message)


def same_numbers(one: HasMessage, other: HasMessage) -> bool:
    """Whether two errors of one family name the same numbers.

    An old wording may name other things than today's: only what both name is compared. Where the
    catalogue names no value of theirs, the numbers of the first lines are.
    """
    first, second = families_of(one.type, one.message), families_of(other.type, other.message)
    if first and second:
        shared = [
            (first[0][name], second[0][name])
            for name in first[0].values
            if first[0][name] and second[0][name]
        ]
        numbered = [(a, b) for a, b in shared if _NUMBER.search(a) and _NUMBER.search(b)]
        if numbered:
            return all(_NUMBER.findall(a) == _NUMBER.findall(b) for a, b in numbered)
        if first[0].values or second[0].values:
            return True
    mine, others = (_NUMBER.findall(e.message.split("\n")[0]) for e in (one, other))
    return sorted(mine) == sorted(others)


def shapes_named(text: str) -> list[tuple[int, ...]]:
    """The shapes that a text writes as lists, in order: "[4, 3]", "(4, 3)", "[4 x 3]"."""
    found = []
    for match in _SHAPE.finditer(text[:MAX_CHARS]):
        shape = tuple(int(n[:9]) for n in _NUMBER.findall(match[0]))
        if shape not in found and len(shape) <= 6:
            found.append(shape)
    return found


def _kind(error: HasMessage) -> str:
    return error.type.rpartition(".")[2]


def _words(message: str) -> str:
    return _NUMBER.sub("#", message.split("\n")[0])[:120]
