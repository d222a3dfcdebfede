"""Find what a document claims about a block: in the prose around it and in its comments.

Which kind of claim a statement makes is read by its meaning (`reading.py`); which error, value,
shape, name and line it speaks of, by Python's own forms. What is read with less certainty, or names
too little, can be borne out by a run and never refuted (`pointed`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from functools import lru_cache, partial
from typing import Any

from knowledge.audit.conventions import (
    FAILS,
    LITERAL,
    VARIES,
    asserted,
    called_wrong,
    left_to_chance,
    only_called_wrong,
    print_for,
    printed_beside,
)
from knowledge.audit.features import SHAPE, TYPE, Statement, statements
from knowledge.audit.model import ANY, Claim, ClaimKind
from knowledge.audit.reading import SURE, Read
from knowledge.audit.text import Block
from knowledge.signature import find_signatures

_CODE = re.compile(r"[=(]\w*[=)]|^\w+\(|^\w+\.\w+")  # quoted, and no message
_NAME = re.compile(r"`([A-Za-z_][\w.\[\]]*)(?:\([^`]*\))?`")
_CATCHES_ALL = re.compile(r"\bexcept(?: (?:Base)?Exception\b[^:\n]*)?:")
_SIZES = re.compile(rf"{SHAPE}|\b\d{{1,6}}(?:[x×]\d{{1,6}})+\b")
# What is denied is not said: `without raising an error`, `non-None`.
_NO_ERROR = re.compile(
    r"\b(?:no|without|never|avoid\w*|prevent\w*) (?:\w+ ){0,2}"
    r"\w*(?:error|exception|rais|throw|fail)"
    r"|(?:\bnot|n't) (?:\w+ )?(?:rais|throw|fail|crash|caus|trigger|result|lead|produc)",
    re.I,
)
# What a print asks the machine, another one answers otherwise.
_OF_THE_MACHINE = re.compile(
    r"is_available|device_count|get_device|current_device|__version__|version\.|memory_|cpu_count"
)
_NO_VALUE = re.compile(r"\b(?:not?|non|never|cannot|than|instead)\b|n't\b", re.I)
_NUMBERED = re.compile(r"^\W*\d{1,2}[.)](?:\s|$)")  # an entry of a list, or a heading
_ASSIGNED = re.compile(r"^\s*((?:\w+\s*,\s*)*\w+)\s*(?::[^=\n]+)?=(?!=)", re.M)
_NUMBER = re.compile(r"^(\w+) *= *(\d{1,8}) *(?:#.*)?$", re.M)
_MOST = 300  # statements of one block that are read
# What may be so, or is so on a condition, is decided by no single run.
HEDGED = re.compile(
    r"\b(?:may|might|could|if|unless|perhaps|likely|potential(?:ly)?|possibl[ey]|as if|treated as"
    r"|simulat\w+|hypothetical\w*)\b",
    re.I,
)


def claims_of(block: Block, read: Read) -> list[Claim]:
    """Everything that is claimed about a block, each thing once."""
    told = statements(block)[:_MOST]
    noted = [s.comment for s in told if s.comment is not None and not s.is_code]
    found = [
        *asserted(block.code),
        *printed_beside(noted, block.code),
        *(c for c in called_wrong(noted) if not HEDGED.search(c.text)),
    ]
    beside = {c.text for c in found}
    to_the_letter = {c.line for c in noted if c.text in beside}
    tried = all(not s.is_code for s in told)  # else what is spoken of may be what was taken out
    for statement, kinds in zip(told, read(told), strict=True):
        line = statement.comment.line if statement.comment is not None else None
        if HEDGED.search(statement.text):
            continue
        for kind, likely in kinds.items():
            spelled = line in to_the_letter and kind in ("equals", "shape")
            if kind in _BY_KIND and not spelled:
                sure = likely >= SURE and (tried or kind != "raises")
                found += _BY_KIND[kind](statement, sure)
    # Who catches whatever comes and speaks of no error, or of one that may come, may call the
    # result wrong.
    fails = [s for s in (*block.follow, *(c.text for c in noted)) if FAILS.search(s)]
    if (_CATCHES_ALL.search(block.code) and not fails) or any(map(HEDGED.search, fails)):
        found = [
            c.model_copy(update={"pointed": c.pointed and not only_called_wrong(c)}) for c in found
        ]
    lines = block.code.split("\n")
    kept: dict[Claim, Claim] = {}
    for claim in sorted(found, key=lambda c: not c.pointed):
        prints = claim.kind is ClaimKind.PRINTS and claim.end_line
        if not (prints and _OF_THE_MACHINE.search(lines[prints - 1])):
            kept.setdefault(claim.model_copy(update={"text": "", "pointed": True}), claim)
    return list(kept.values())


def _raises(told: Statement, sure: bool) -> Iterator[Claim]:
    type_, message = error_named(told.text)
    if not _NO_ERROR.search(told.text):
        yield _of_code(ClaimKind.ERROR, told, type=type_, message=message, pointed=sure)


def _works(told: Statement, sure: bool) -> Iterator[Claim]:
    if sure:  # else any block that runs would bear it out
        yield _of_code(ClaimKind.RUNS, told)


def _of_code(kind: ClaimKind, told: Statement, **more: Any) -> Claim:
    first, last = (told.comment.first, told.comment.last) if told.comment else (None, None)
    return Claim(kind=kind, text=told.text, line=first, end_line=last, **more)


def _equals(told: Statement, sure: bool) -> Iterator[Claim]:
    about = told.comment
    line = print_for(told.code.split("\n"), about, about.line) if about is not None else 0
    bare = _NUMBERED.sub("", told.text.replace("`", ""))
    values = dict.fromkeys(m[0] for m in re.finditer(LITERAL + r"|\b(?i:nan|inf)\b", bare))
    if about is not None and line and values and not _NO_VALUE.search(bare):
        value = next(iter(values))
        yield Claim(
            kind=ClaimKind.PRINTS, text=told.text, printed=value, end_line=line,
            line=1 if about.alone else line,  # it may show what several prints write
            pointed=sure and len(values) == 1 and "cuda" not in value
            and not VARIES.search(bare) and not left_to_chance(value, told.code),
        )  # fmt: skip


def _shape(told: Statement, sure: bool) -> Iterator[Claim]:
    line = told.comment.line if told.comment is not None else None
    assigned = {n for m in _ASSIGNED.finditer(told.code) for n in re.findall(r"\w+", m[1])}
    names = r"\b[A-Za-z_]\w*\b" if told.comment is not None else _NAME
    sizes = ((m, _sizes(m[0], told.code)) for m in _SIZES.finditer(told.text))
    found = [(m, shape) for m, shape in sizes if shape is not None]
    before = told.text[: found[0][0].start() if found else None]
    said = [n for n in re.findall(names, before) if n in assigned]
    # Of two tensors beside each other nobody knows which is meant.
    name = said[-1] if len(set(said)) == 1 or (said and found) else ""
    name = name if len(found) < 2 else ""
    if not name and (line is None or told.comment is None or told.comment.alone):
        return  # else any tensor would do
    if len(found) == 1:
        match, shape = found[0]
        exact = ANY not in shape and re.match(r"[(\[t]", match[0]) is not None
        yield Claim(
            kind=ClaimKind.SHAPE, text=told.text, line=line, end_line=line, name=name, shape=shape,
            pointed=sure and exact,
        )  # fmt: skip


def _sizes(text: str, code: str) -> tuple[int, ...] | None:
    """`(batch, 10)` in numbers, where the block says once what `batch` is; else it is any size."""
    told = re.findall(r"(?<!\d)[A-Za-z_]\w*|[^\s,x×()\[\]]+", text.removeprefix("torch.Size"))
    sizes = [int(t) if t.isdecimal() else _constants(code).get(t, ANY) for t in told]
    readable = all(re.fullmatch(r"\d{1,8}|[A-Za-z_]\w*", t) for t in told)
    return tuple(sizes) if readable and set(sizes) - {ANY} else None


@lru_cache(maxsize=8)
def _constants(code: str) -> dict[str, int]:
    """The names that the block binds once, and to a whole number."""
    bound = Counter(n for m in _ASSIGNED.finditer(code) for n in re.findall(r"\w+", m[1]))
    return {m[1]: int(m[2]) for m in _NUMBER.finditer(code) if bound[m[1]] == 1}


def _trains(told: Statement, sure: bool, kind: ClaimKind = ClaimKind.TRAINS) -> Iterator[Claim]:
    names = {n.removesuffix(".grad").rpartition(".")[2] for n in _NAME.findall(told.text)}
    names = {n for n in names if re.search(rf"\b{re.escape(n)}\b", told.code)}
    if len(names) < 2:
        yield Claim(kind=kind, text=told.text, name="".join(names), pointed=sure)


# How values relate to each other is read, and decided by no run.
_BY_KIND: dict[str, Callable[[Statement, bool], Iterator[Claim]]] = {
    "raises": _raises,
    "works": _works,
    "equals": _equals,
    "shape": _shape,
    "trains": _trains,
    "notrain": partial(_trains, kind=ClaimKind.NEVER_TRAINS),
}


def error_named(text: str) -> tuple[str, str]:
    """The exception's type and the message that a statement names, as far as it does."""
    quoted = find_signatures(text)
    for typed in quoted:
        if re.match(rf"{TYPE}: ", typed):
            type_, _, message = typed.partition(": ")
            return type_, message.rstrip("`'\". ")
    named = {name.rpartition(".")[2] for name in re.findall(TYPE, text)}
    said = [q for q in quoted if not re.match(r"Errors?:", q)]  # in the author's own words
    message = next((q for q in said if re.search(r"\w \w", q) and not _CODE.search(q)), "")
    return (named.pop() if len(named) == 1 else ""), message
