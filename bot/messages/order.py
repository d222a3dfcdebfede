"""Put code that was posted after its use before it: "EDIT: here are the parameters".

Only whole snippets are moved, only those that do nothing but define, and only where no other order
can be meant: an earlier snippet uses, outermost, a name that nothing before it binds and that a
later one binds; and the later one needs nothing that comes between.
"""

from __future__ import annotations

import builtins
import re
from collections.abc import Sequence
from typing import NamedTuple

from bot.messages.indentation import statements_of
from bot.messages.python_lines import KEYWORDS, walk
from bot.models import Snippet

_MOST = 40  # snippets that are compared with each other
_BUILTIN = frozenset(dir(builtins)) | {"__name__", "__file__", "_"}
_NAME = re.compile(r"(?<![\w.])[^\W\d]\w*+")
_KEYWORD_ARGUMENT = re.compile(r"[(,]\s*([^\W\d]\w*+)\s*=(?!=)")
_DEFINED = re.compile(r"\s*(?:async\s+)?(def|class)\s+([^\W\d]\w*+)")
_IMPORTED = re.compile(r"\s*(?:from\s+\S+\s+)?import\b(.*)")
# `x, (y, z): int = `, and what follows is the value.
_ASSIGNED = re.compile(
    r"\s*([([*]*[^\W\d][\w\s,*()\[\].]{0,200}?)(?::[^=:]{0,100})?(?<![-+*/%&|^@<>=!])=(?!=)"
)
_DEFAULT = re.compile(r"=(?!=)\s*([^,()]{1,100})")
_LOOPED = re.compile(r"\b(?:for|as|lambda)\s+([^:=]{0,100}?)(?=\s+in\b|:|,?\s*$|\))")


_QUIET = re.compile(r"\s*(?:@|if\b|elif\b|else\b|try\b|except\b|pass\b|\"\"|\.\.\.)")


class Names(NamedTuple):
    """What a snippet does with names, outside its functions."""

    needed: frozenset[str]  # used before it binds them, if it does so at all
    bound: frozenset[str]
    defines: bool  # it does nothing but define: it neither loops nor calls for effect
    imported: frozenset[str] = frozenset()  # of these, what imports alone bind
    of_files: frozenset[str] = frozenset()  # … by their name, out of a module: `from a import b`


def in_order_of_use(snippets: Sequence[Snippet], *, unless: str = "") -> tuple[list[Snippet], bool]:
    """Move each snippet that an earlier one needs before that one.

    Args:
        snippets: as they were posted.
        unless: a name that the posted error calls undefined: then the order is what is asked about.

    Returns:
        snippets: with their new first lines.
        moved: whether the order is another one now.
    """
    if not 1 < len(snippets) <= _MOST:
        return list(snippets), False
    names = [names_of(snippet.code.split("\n")) for snippet in snippets]
    order = list(range(len(snippets)))
    for later in range(1, len(snippets)):
        target = _place(order, names, later, unless)
        if target is not None:
            order.remove(later)
            order.insert(target, later)
    if order == sorted(order):
        return list(snippets), False
    return _numbered([snippets[n] for n in order]), True


def _place(order: Sequence[int], names: Sequence[Names], later: int, unless: str) -> int | None:
    """The position of the first snippet that needs `later`; None if it stays where it is."""
    position = order.index(later)
    known: set[str] = set()
    for target, earlier in enumerate(order[:position]):
        # What the earlier one binds itself, too late, is a mistake of its own.
        made = names[later].bound - names[later].imported
        wanted = (names[earlier].needed - names[earlier].bound - known) & names[later].bound
        wanted |= names[earlier].of_files & made  # posted as two files
        between = order[target:position]
        others = frozenset[str]().union(*(names[n].bound for n in between))
        # A name that is bound in both was used first in the earlier one, or it is another version.
        rival = (others & names[later].bound) - names[earlier].needed - wanted
        rival -= names[later].imported & frozenset[str]().union(
            *(names[n].imported for n in between)
        )
        fits = names[later].defines and not rival and not names[later].needed & others
        if fits and wanted and unless not in wanted:
            return target
        known |= names[earlier].bound
    return None


def _numbered(snippets: Sequence[Snippet]) -> list[Snippet]:
    first_line, numbered = 1, []
    for snippet in snippets:
        numbered.append(snippet.model_copy(update={"first_line": first_line}))
        first_line += snippet.code.count("\n") + 1
    return numbered


def names_of(lines: Sequence[str]) -> Names:
    """Read which names some code needs and binds where it begins to run."""
    masked = [mask for _, _, mask in walk(lines)]
    needed: set[str] = set()
    bound: set[str] = set()
    imported: set[str] = set()
    made: set[str] = set()
    of_files: set[str] = set()
    defines = True
    inside: int | None = None  # the column of the function or class whose body this is
    for statement in statements_of(lines):
        if inside is not None and statement.column > inside:
            continue
        inside = None
        text = " ".join(masked[statement.start : statement.end])
        if defined := _DEFINED.match(text):
            inside = statement.column
            bound.add(defined[2])
            made.add(defined[2])
            head = text[defined.end() :]
            made_now = head if defined[1] == "class" else " ".join(_DEFAULT.findall(head))
            needed |= _used(made_now) - bound
            continue
        if names_of_it := _IMPORTED.match(text):
            names = {part.split()[-1].partition(".")[0] for part in _parts(names_of_it[1])}
            bound |= names
            imported |= names
            if names_of_it[0].lstrip().startswith("from"):
                of_files |= names
            continue
        looped = {n for m in _LOOPED.finditer(text) for n in _NAME.findall(m[1])}
        assigned = _ASSIGNED.match(text)
        defines = defines and bool(assigned or _QUIET.match(text))
        places, value = (assigned[1], text[assigned.end() :]) if assigned else ("", text)
        is_plain = places.count("(") == places.count(")") and "." not in places
        if not is_plain or "[" in places.strip("[ ]"):
            places, value = "", text  # `f(x=1)` binds nothing; `x[0] = 1` and `x.y = 1` need x
        needed |= _used(value) - looped - bound
        bound |= looped | set(_NAME.findall(places))
        made |= looped | set(_NAME.findall(places))
    return Names(
        frozenset(needed - _BUILTIN - KEYWORDS),
        frozenset(bound - KEYWORDS),
        defines,
        frozenset(imported - made),
        frozenset(of_files - made),
    )


def _parts(imported: str) -> list[str]:
    return [part for part in re.split(r"[,()\\]", imported) if part.split()]


def _used(text: str) -> set[str]:
    keywords = {m.start(1) for m in _KEYWORD_ARGUMENT.finditer(text)}
    return {m.group() for m in _NAME.finditer(text) if m.start() not in keywords}
