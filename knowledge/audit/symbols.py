"""Work out the shapes that a block's comments write with its own constants."""

from __future__ import annotations

import re

_SET = re.compile(r"^(\w+(?:, *\w+)*) *= *(\d+(?:, *\d+)*) *(?:#.*)?$", re.M)
_TERM = re.compile(r"(\w+)(?: *(\*|//|\+|-) *(\w+))?")
_BOUND = r"(?<![\w.]){name}\s*(?:,[\w\s,()]*)?[-+*/@|&]?=(?!=)|\bfor [^:]*\b{name}\b"
_MOST = 10_000_000


def constants(code: str) -> dict[str, int]:
    """The names that are bound to a whole number, at the margin and only once."""
    found: dict[str, int] = {}
    for match in _SET.finditer(code):
        names, numbers = re.findall(r"\w+", match[1]), re.findall(r"\d+", match[2])
        if len(names) == len(numbers) and all(len(n) < 10 for n in numbers):
            found |= {name: int(n) for name, n in zip(names, numbers, strict=True)}
    lines = code.split("\n")
    return {name: number for name, number in found.items() if bound_once(lines, name)}


def bound_once(code: list[str], name: str) -> bool:
    """Whether a name keeps its first value to the end, as far as one can see."""
    binds = re.compile(_BOUND.format(name=re.escape(name)))
    return sum(bool(binds.search(line.split("#")[0])) for line in code) == 1


def shape_of(text: str, known: dict[str, int]) -> tuple[int, ...] | None:
    """`batch, 2 * hidden` as numbers; none if a name is no constant of the block."""
    sizes = []
    for part in text.strip(" ,").split(","):
        term = _TERM.fullmatch(part.strip())
        if term is None:
            return None
        left, right = _number(term[1], known), _number(term[3] or "1", known)
        if left is None or right is None or max(left, right) > _MOST:
            return None
        match term[2]:
            case "+":
                left += right
            case "-":
                left -= right
            case "//" if right:
                left //= right
            case _:
                left *= right
        sizes.append(left)
    return tuple(sizes)


def _number(word: str, known: dict[str, int]) -> int | None:
    return int(word) if word.isdecimal() and len(word) < 10 else known.get(word)
