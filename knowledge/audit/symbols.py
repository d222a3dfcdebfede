"""Work out the shapes that a document writes with the block's own constants."""

from __future__ import annotations

import re

from knowledge.audit.bindings import at_line, bound_at

ANY = -1  # a size that is told by a name which is no constant of the block
_SET = re.compile(r"^(\w+(?:, *\w+)*) *= *(\d+(?:, *\d+)*) *(?:#.*)?$", re.M)
_LISTED = re.compile(r"^(\w+) *= *[\[(](\d+(?:, *\d+)*),?[\])] *(?:#.*)?$", re.M)
_FACTOR = r"(?:\d+|[A-Za-z_]\w*(?:\[-?\d\])?)"
_TERM = re.compile(rf"{_FACTOR}(?: *(?:\*|//|\+|-) *{_FACTOR}){{0,4}}")
_MOST = 10_000_000
# What may stand between the brackets of a shape that is written with names.
SIZES = r"[\w*/+, -]+(?:\[-?\d\][\w*/+, -]*)*?"


def constants(code: str) -> dict[str, int]:
    """The names that are bound to a whole number, at the margin and only once.

    The members of a list of numbers are among them, as `sizes[0]` and `sizes[-1]`.
    """
    found: dict[str, int] = {}
    for match in _SET.finditer(code):
        names, numbers = re.findall(r"\w+", match[1]), re.findall(r"\d+", match[2])
        if len(names) == len(numbers) and all(len(n) < 10 for n in numbers):
            found |= {name: int(n) for name, n in zip(names, numbers, strict=True)}
    for match in _LISTED.finditer(code):
        members = [int(n) for n in re.findall(r"\d+", match[2]) if len(n) < 10]
        found |= {f"{match[1]}[{n}]": size for n, size in enumerate(members)}
        found |= {f"{match[1]}[{n - len(members)}]": size for n, size in enumerate(members)}
    return {
        name: number
        for name, number in found.items()
        if len(bound_at(code, name.partition("[")[0])) == 1
    }


def bound_once(code: list[str], name: str, line: int | None = None) -> bool:
    """Whether a name keeps its first value to the end, as far as one can see.

    Args:
        code: the block's lines.
        name: as written there.
        line: where it is spoken of; in a function the names of the whole block are counted.
    """
    whole = "\n".join(code)
    where = at_line(whole, line) if line else None
    inside = where is not None and where.in_function
    return len(bound_at(whole, name, in_function=inside)) == 1


def settled(code: list[str], name: str, line: int) -> bool:
    """Whether a name that is spoken of on a line keeps the value that it has there."""
    whole = "\n".join(code)
    where = at_line(whole, line)
    binds = bound_at(whole, name)
    if not binds or (where is not None and where.in_function):
        return False
    indent = len(code[line - 1]) - len(code[line - 1].lstrip())
    return all(s.last < line and (indent == 0 or not s.in_loop) for s in binds)


def in_loop(code: list[str], name: str) -> bool:
    """Whether a name is bound again and again: what is said of it may be said of another time."""
    return any(s.in_loop for s in bound_at("\n".join(code), name, in_function=True))


def shape_of(text: str, known: dict[str, int], *, partly: bool = False) -> tuple[int, ...] | None:
    """`batch, 2 * hidden` as numbers; none if a name is no constant of the block.

    Args:
        text: what stands between the brackets.
        known: as `constants` gives them.
        partly: whether such a name stands for `ANY` size instead, if at least one size is known.
    """
    sizes = []
    for part in text.strip(" ,").split(","):
        if not _TERM.fullmatch(part.strip()):
            return None
        size = _worked_out(part, known)
        if size is None and not partly:
            return None
        sizes.append(ANY if size is None else size)
    return tuple(sizes) if len(sizes) > sizes.count(ANY) else None


def _worked_out(term: str, known: dict[str, int]) -> int | None:
    """`2 * layers + 1`; products before sums."""
    total, sign = 0, 1
    for part in re.split(r"([+-](?!\d\]))", term):
        if part in "+-":
            sign = 1 if part == "+" else -1
            continue
        product, by = 1, "*"
        for factor in re.split(r"(\*|//)", part):
            if factor in ("*", "//"):
                by = factor
                continue
            size = _number(factor.strip(), known)
            if size is None or size > _MOST or (by == "//" and not size):
                return None
            product = product * size if by == "*" else product // size
        total += sign * product
    return total if 0 <= total <= _MOST else None


def _number(word: str, known: dict[str, int]) -> int | None:
    return int(word) if word.isdecimal() and len(word) < 10 else known.get(word)
