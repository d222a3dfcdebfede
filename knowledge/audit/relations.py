"""Say whether printed values stand to each other as a document says."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from enum import StrEnum
from itertools import pairwise

from knowledge.audit.labelled import Printed, printed


class Relation(StrEnum):
    """How printed values are said to stand to each other."""

    SAME = "the same"
    CLOSE = "close"
    UNCHANGED = "unchanged"
    CHANGED = "changed"
    DIFFERENT = "different"
    FALLS = "falling"
    GROWS = "growing"
    SUMS_TO_ONE = "summing to 1"
    WITHIN_ONE = "between 0 and 1"
    FINITE = "finite"


# By the words that name them, the plainer after those that qualify them.
_NAMED = tuple(
    (relation, re.compile(words, re.I))
    for relation, words in (
        (Relation.SUMS_TO_ONE, r"\bsum\w* (?:up )?to (?:1|one|unity)\b|\bprobability distribution"),
        (Relation.WITHIN_ONE, r"\b(?:between|within|range|to)\b.{0,20}(?:\b0 and 1\b|[\[(]0, ?1)"),
        (Relation.FINITE, r"\b(?:no|not|without|no longer)\b.{0,30}\b(?:nans?|inf\w*)\b"),
        (Relation.CLOSE, r"\b(?:close|similar|near(?:ly)?|almost|approximately)\b"),
        (Relation.UNCHANGED, r"\b(?:unchanged|unaffected|unmodified|untouched|intact|keeps?)\b"),
        (Relation.FALLS, r"\b(?:decreas|fall|drop|shrink|declin|converg|goes down)\w*"),
        (Relation.GROWS, r"\b(?:increas|grow|rise|explod|diverg|goes up)\w*"),
        (Relation.CHANGED, r"\b(?:modif|chang|alter|affect|reflect)\w*"),
        (Relation.DIFFERENT, r"\b(?:differ|distinct)\w*"),
        (Relation.SAME, r"\b(?:same|identical|equal|equivalent|consistent|match(?:es)?)\b"),
    )
)
_NOT = re.compile(r"\b(?:not|never|no longer)\b|n['’]t\b", re.I)
_OPPOSITE = {
    Relation.SAME: Relation.DIFFERENT,
    Relation.DIFFERENT: Relation.SAME,
    Relation.CHANGED: Relation.UNCHANGED,
}


def relation_in(text: str) -> Relation | None:
    """Which relation a sentence speaks of that is known to speak of one."""
    named = next((relation for relation, words in _NAMED if words.search(text)), None)
    if named in (None, Relation.FINITE) or not _NOT.search(text):
        return named
    return _OPPOSITE.get(named)


_CLOSE = 0.05  # of the larger: what people call close
_MOVES = 0.02  # of the first: less is no fall and no growth
_ENOUGH = 3  # points that make a series


def holds(relation: Relation, sentence: str, stdout: str) -> tuple[bool, str] | None:
    """Whether it is so, with what shows it; none if what was printed does not tell."""
    there = printed(stdout)
    match relation:
        case Relation.SAME:
            return _alike(there, 1e-4)
        case Relation.CLOSE:
            said = values_said(sentence)
            return _near(there, said) if said else _alike(there, _CLOSE)
        case Relation.UNCHANGED | Relation.CHANGED:
            return _before_and_after(there, changed=relation is Relation.CHANGED)
        case Relation.DIFFERENT:
            return _different(there)
        case Relation.FALLS | Relation.GROWS:
            return _series(there, sentence, grows=relation is Relation.GROWS)
        case Relation.SUMS_TO_ONE:
            return _sums(there)
        case Relation.WITHIN_ONE:
            return _within(there)
        case Relation.FINITE:
            return _finite(there)


_SAID = re.compile(
    r"\b(?:close to|approximately|about|around|roughly)((?:,? (?:and )?-?\d+(?:\.\d+)?(?![\w%]))+)",
    re.I,
)


def values_said(sentence: str) -> tuple[float, ...]:
    """The values that something is said to be close to."""
    said = _SAID.search(sentence)
    return tuple(float(n) for n in re.findall(r"-?\d+(?:\.\d+)?", said[1])) if said else ()


def _near(there: Sequence[Printed], said: tuple[float, ...]) -> tuple[bool, str] | None:
    numbers = [n for p in there for n in p.numbers]
    if not numbers or len(numbers) > _FEW:
        return None
    near = all(any(abs(n - s) <= 0.1 * abs(s) + 0.05 for n in numbers) for s in said)
    return near, "it printed " + _short(next(p for p in reversed(there) if p.numbers))


_FEW = 200  # among more, something is close to anything


def _alike(there: Sequence[Printed], within: float) -> tuple[bool, str] | None:
    for p in there:
        if len(p.rows) > 1 and len(p.rows[0]) > 1 and len(set(p.rows)) == 1:
            return True, f"it printed {_short(p)}"
    for a, b in _neighbours(there):
        if len(a.numbers) == len(b.numbers) and all(
            math.isclose(x, y, rel_tol=within, abs_tol=within * 1e-2)
            for x, y in zip(a.numbers, b.numbers, strict=True)
        ):
            return True, f"it printed {_short(a)} and {_short(b)}"
    true = next((p for p in there if p.text in ("True", "tensor(True)")), None)
    return (True, f"it printed {_short(true)}") if true else None


def _different(there: Sequence[Printed]) -> tuple[bool, str] | None:
    for a, b in _neighbours(there):
        alike = len(a.numbers) == len(b.numbers) and (len(a.numbers) > 1 or a.label == b.label)
        if alike and a.numbers != b.numbers:
            return True, f"it printed {_short(a)} and {_short(b)}"
    false = next((p for p in there if p.text in ("False", "tensor(False)")), None)
    if false:
        return True, f"it printed {_short(false)}"
    # Two values, and they are the same.
    values = [p for p in there if p.numbers]
    if len(values) == 2 and values[0].numbers == values[1].numbers:
        return False, f"it printed {_short(values[0])} and {_short(values[1])}"
    return None


_WHEN = re.compile(
    r"\b(?:before|after|original|initial|modified|updated|new|still|now|then|modification"
    r"|changed?)\b"
)


def _before_and_after(there: Sequence[Printed], *, changed: bool) -> tuple[bool, str] | None:
    """Two prints of one thing, told apart by when they were made."""
    by_name: dict[str, list[Printed]] = {}
    for p in there:
        if p.numbers:
            by_name.setdefault(" ".join(_WHEN.sub("", p.label).split()), []).append(p)
    for name, (first, *rest) in by_name.items():
        last = rest[-1] if rest and name and not _COUNTER.match(name) else None
        if last and (last.numbers != first.numbers) is changed:
            return True, f"it printed {_short(first)} and {_short(last)}"
    return None


_COUNTER = re.compile(r"^(?:epoch|step|iteration|batch)(?: #)?$")


def _neighbours(there: Sequence[Printed]) -> list[tuple[Printed, Printed]]:
    """Values printed one after the other, and those with the same label; counters aside."""
    values = [p for p in there if p.numbers and not _COUNTER.match(p.label)]
    by_label: dict[str, list[Printed]] = {}
    for p in values:
        by_label.setdefault(p.label, []).append(p)
    return [*pairwise(values), *(pair for same in by_label.values() for pair in pairwise(same))]


_MOVING = re.compile(r"\b(?:loss|error|norm|gradient|accuracy|memory|grad)", re.I)


def _series(there: Sequence[Printed], sentence: str, *, grows: bool) -> tuple[bool, str] | None:
    """Whether all that is printed again and again of what is named goes that way, or none."""
    named = {word.casefold() for word in _MOVING.findall(sentence)} or {"loss"}
    by_label: dict[str, list[float]] = {}
    for p in there:
        if len(p.numbers) == 1 and any(word in p.label for word in named):
            by_label.setdefault(p.label, []).append(p.numbers[0])
    ways, told = set(), ""
    for label, values in by_label.items():
        first, last = values[0], values[-1]
        if len(values) < _ENOUGH or not all(map(math.isfinite, values)):
            continue
        if abs(last - first) > _MOVES * abs(first):
            ways.add((last > first) is grows)
            told = told or f"it printed `{label}` from {first:g} to {last:g}"
    return (ways.pop(), told) if len(ways) == 1 else None


def _sums(there: Sequence[Printed]) -> tuple[bool, str] | None:
    for p in there:
        rows = p.rows or (p.numbers,)
        parts = any(len(r) > 1 and min(r) >= 0 and _is_one(sum(r)) for r in rows)
        sums = ("sum" in p.label or len(p.numbers) > 1) and all(map(_is_one, p.numbers))
        if p.numbers and (parts or sums):
            return True, f"it printed {_short(p)}"
    return None


def _is_one(number: float) -> bool:
    return abs(number - 1) < 5e-3


def _within(there: Sequence[Printed]) -> tuple[bool, str] | None:
    for p in there:
        fractions = [n for n in p.numbers if n != int(n)] if _are_finite(p) else []
        if fractions and all(0 <= n <= 1 for n in p.numbers):
            return True, f"it printed {_short(p)}"
    return None


def _finite(there: Sequence[Printed]) -> tuple[bool, str] | None:
    """The last one decides: what was not finite is shown before it."""
    last = next((p for p in reversed(there) if p.numbers), None)
    return (True, f"it printed {_short(last)}") if last and _are_finite(last) else None


def _are_finite(p: Printed) -> bool:
    return all(map(math.isfinite, p.numbers))


def _short(p: Printed) -> str:
    text = " ".join(f"{p.label}: {p.text}".split()) if p.label else " ".join(p.text.split())
    return f"`{text if len(text) <= 60 else text[:59] + '…'}`"
