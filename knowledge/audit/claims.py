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
    INCORRECT,
    asserted,
    called_wrong,
    only_called_wrong,
    printed_beside,
)
from knowledge.audit.features import SHAPE, TYPE, Statement, statements
from knowledge.audit.model import ANY, Claim, ClaimKind
from knowledge.audit.reading import OPEN, SURE, Read
from knowledge.audit.text import Block
from knowledge.signature import find_signatures

_CODE = re.compile(r"[=(]\w*[=)]|^\w+\(|^\w+\.\w+")  # quoted, and no message
_NAME = re.compile(r"`([A-Za-z_][\w.\[\]]*)(?:\([^`]*\))?`")
_SIZES = re.compile(rf"{SHAPE}|\b\d{{1,6}}(?:[x×]\d{{1,6}})+\b")
_ASSIGNED = re.compile(r"^\s*((?:\w+\s*,\s*)*\w+)\s*(?::[^=\n]+)?=(?!=)", re.M)
_NUMBER = re.compile(r"^(\w+) *= *(\d{1,8}) *(?:#.*)?$", re.M)
_MOST = 300  # statements of one block that are read
# What is denied is not said.
_DENIED = re.compile(
    r"\b(?:no|without|never|avoid\w*|prevent\w*) (?:\w+ ){0,2}\w*(?:error|exception|rais|throw)"
    r"|(?:\bnot|n't) (?:\w+ )?(?:rais|throw|fail|crash|caus|trigger|result|lead|produc)",
    re.I,
)


def claims_of(block: Block, read: Read) -> list[Claim]:
    """Everything that is claimed about a block, each thing once."""
    told = statements(block)[:_MOST]
    noted = [s.comment for s in told if s.comment is not None and not s.is_code]
    found = [
        *asserted(block.code),
        *printed_beside(noted, block.code),
        *(c for c in called_wrong(noted) if not OPEN.search(c.text)),
    ]
    tried = all(not s.is_code for s in told)  # else what is spoken of may be what was taken out
    for statement, kinds in zip(told, read(told), strict=True):
        for kind, likely in kinds.items():
            is_wrong = kind != "raises" and INCORRECT.match(statement.text)  # it should be so
            if kind in _BY_KIND and not is_wrong:
                sure = likely >= SURE and (tried or kind != "raises")
                found += _BY_KIND[kind](statement, sure)
    # Who speaks of an error that may come may call the result wrong.
    may_come = any(FAILS.search(s.text) and OPEN.search(s.text) for s in told if s.where != "lead")
    kept: dict[Claim, Claim] = {}
    for claim in sorted(found, key=lambda c: not c.pointed):
        pointed = claim.pointed and not (may_come and only_called_wrong(claim))
        same = claim.model_copy(update={"text": "", "pointed": True})
        kept.setdefault(same, claim.model_copy(update={"pointed": pointed}))
    return list(kept.values())


def _raises(told: Statement, sure: bool) -> Iterator[Claim]:
    type_, message = error_named(told.text)
    if not _DENIED.search(told.text):
        yield _of_code(ClaimKind.ERROR, told, type=type_, message=message, pointed=sure)


def _works(told: Statement, sure: bool) -> Iterator[Claim]:
    if sure:  # else any block that runs would bear it out
        yield _of_code(ClaimKind.RUNS, told)


def _of_code(kind: ClaimKind, told: Statement, **more: Any) -> Claim:
    about = told.comment
    first, last = (about.first, about.last) if about else (None, None)
    if about and first is None:  # below all of the code
        above = enumerate(told.code.split("\n")[: about.line - 1], 1)
        last = max((n for n, line in above if line.partition("#")[0].strip()), default=None)
    return Claim(kind=kind, text=told.text, line=first, end_line=last, **more)


def _shape(told: Statement, sure: bool) -> Iterator[Claim]:
    sizes = ((m, _sizes(m[0], told.code)) for m in _SIZES.finditer(told.text))
    found = [(m, shape) for m, shape in sizes if shape is not None]
    if len(found) != 1:
        return  # of two tensors nobody knows which is meant
    match, shape = found[0]
    about = told.comment
    assigned = {n for m in _ASSIGNED.finditer(told.code) for n in re.findall(r"\w+", m[1])}
    names = r"\b[A-Za-z_]\w*\b" if about is not None else _NAME
    said = ["", *(n for n in re.findall(names, told.text[: match.start()]) if n in assigned)]
    if said[-1] or (about is not None and not about.alone):  # else any tensor would do
        line = about.line if about is not None else None
        exact = ANY not in shape and re.match(r"[(\[t]", match[0]) is not None
        yield Claim(
            kind=ClaimKind.SHAPE, text=told.text, line=line, end_line=line, name=said[-1],
            shape=shape, pointed=sure and exact,
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


# How values relate is read, and decided by no run; what one is, by what stands at a print alone.
_BY_KIND: dict[str, Callable[[Statement, bool], Iterator[Claim]]] = {
    "raises": _raises,
    "works": _works,
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
