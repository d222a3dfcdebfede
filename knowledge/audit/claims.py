"""Find what a document claims about a block: in the prose around it and in its comments.

Which kind of claim a statement makes is read by its meaning (`reading.py`); which error, value,
shape, name and line it speaks of, by Python's own forms. What is read with less certainty, or names
too little, can be borne out by a run and never refuted (`pointed`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

from knowledge.audit.bindings import at_line, tries
from knowledge.audit.bindings import statements as code_statements
from knowledge.audit.chance import left_to_chance
from knowledge.audit.conventions import (
    LITERAL,
    asserted,
    print_for,
    printed_beside,
    provoked,
    shown_output,
)
from knowledge.audit.features import SHAPE, TYPE, Statement, statements
from knowledge.audit.model import Claim, ClaimKind
from knowledge.audit.prints import is_carried_out, needs_gpu, place_of
from knowledge.audit.reading import SURE, Reads
from knowledge.audit.relations import Relation, relation_in, values_said
from knowledge.audit.symbols import ANY, bound_once, constants, in_loop, shape_of
from knowledge.audit.text import Block, comments

_QUOTED = re.compile(
    r"`([^`\n]*)`|[\"“]([^\"”\n]{8,300})[\"”]|(?<!\w)['‘]([^'’\n]{8,300})['’](?!\w)"
)
_TYPED = re.compile(rf"({TYPE})\b[`'\"]?: ([^`\n]{{8,300}}?)(?:[`\"”]|$)")
_NAME = re.compile(r"`([A-Za-z_][\w.\[\]]*)(?:\([^`]*\))?`")
_DIMS = re.compile(r"\b(\d|one|two|three|four|five)-?d(?:im(?:ension(?:s|al)?)?)?\b", re.I)
_COUNTS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
_ROUGH = re.compile(r"\b(?:approx\w*|roughly|about|around|close to|nearly|almost)\b|[~≈]", re.I)
_NOT_NONE = re.compile(r"\b(?:not|non-)\W{0,2}None\b", re.I)
_NO_WORD = re.compile(
    r"\b(?:shapes?|sizes?|output|of|is|has|now|the|becomes?|be|will|it|an?)\b", re.I
)
_SIZES = re.compile(rf"{SHAPE}|\b\d{{1,6}}(?:[x×]\d{{1,6}})+\b")
_DTYPE = re.compile(r"\btorch\.[a-z]+\d+|\b(?i:cpu|cuda)\b")
_NUMBERED = re.compile(r"^\W*\d{1,2}[.)](?:\s|$)")  # an entry of a list, or a heading
_MOST = 300  # statements of one block that are read


def claims_of(block: Block, reader: Reads) -> list[Claim]:
    """Everything that is claimed about a block, each thing once."""
    told = statements(block)[:_MOST]
    noted = comments(block.code)
    found = [
        *asserted(block.code),
        *printed_beside(noted, block.code),
        *provoked(noted, block.code),
        *shown_output(block.shown, block.code),
    ]
    beside = {c.text for c in found}
    to_the_letter = {c.line for c in noted if c.text in beside}
    for statement, kinds in zip(told, reader.read(told), strict=True):
        line = statement.comment.line if statement.comment is not None else None
        for kind, likely in kinds.items():
            if line not in to_the_letter or kind not in ("equals", "shape"):
                found += _BY_KIND[kind](statement, likely >= SURE, line)
    return _told_apart(_on_gpu(_each_once(found), block.code))


def _raises(told: Statement, sure: bool, line: int | None) -> Iterator[Claim]:
    type_, message = error_named(told.text)
    first, last = line, line
    if told.comment is not None:
        first, last = told.comment.first or line, told.comment.last or line
        assert line is not None
        where = at_line(told.code, first or line)
        sure = sure and not (where is not None and where.in_function)
        if (tried := _try_around(told.code, line)) is not None:
            first, last = tried
    elif told.where == "lead":
        sure = sure and "last" in told.place  # only what introduces a block is about it
    yield Claim(
        kind=ClaimKind.ERROR, text=told.text, line=first, end_line=last,
        type=type_, message=message, pointed=sure,
    )  # fmt: skip


def _works(told: Statement, sure: bool, line: int | None) -> Iterator[Claim]:
    first = last = None
    if told.comment is not None and told.comment.first is not None:
        where = at_line(told.code, told.comment.first)
        # What is right in a definition shows where it is used.
        if where is not None and not where.in_function:
            first, last = told.comment.first, told.comment.last
    if sure:  # else any block that runs would bear it out
        yield Claim(kind=ClaimKind.RUNS, text=told.text, line=first, end_line=last)


def _equals(told: Statement, sure: bool, line: int | None) -> Iterator[Claim]:
    lines = told.code.split("\n")
    prints = _print_of(told, lines)
    bare = _NUMBERED.sub("", re.sub(r"`([^`]*)`", r"\1", told.text))
    values = list(dict.fromkeys(m[0] for m in re.finditer(LITERAL + r"|\b(?i:nan|inf)\b", bare)))
    # A number that stands in the code as well may be said of it.
    if told.comment is None:
        values = [v for v in values if not (v[-1].isdigit() and _stands_in(v, told.code))]
    if not values:
        yield from _effect(told, sure)
        return
    rough, absent = bool(_ROUGH.search(bare)), bool(_NOT_NONE.search(bare))
    value = " ".join(values) if rough else values[0]
    certain = (
        sure and prints > 0 and (len(values) == 1 or rough) and is_carried_out(told.code, prints)
        and not left_to_chance(value, told.code, lines[prints - 1])
        and "cuda" not in value and place_of(told.code, prints) is not None
    )  # fmt: skip
    yield Claim(
        kind=ClaimKind.PRINTS, text=told.text, line=prints or None, end_line=prints or None,
        printed=value, rough=rough, absent=absent, pointed=certain,
        place=place_of(told.code, prints) if prints else None,
    )  # fmt: skip
    if not certain and told.comment is None:
        yield from _effect(told, sure)


def _stands_in(value: str, code: str) -> bool:
    return re.search(rf"(?<![\w.]){re.escape(value)}(?![\w.])", code) is not None


def _print_of(told: Statement, lines: Sequence[str]) -> int:
    """The print that a statement is about: the comment's, or the only one of what it names."""
    if told.comment is not None:
        return print_for(lines, told.comment, told.comment.line)
    for name in _NAME.findall(told.text):
        shows = re.compile(rf"\s*print\((?:.*[\s,{{(])?{re.escape(name)}[}},)]")
        found = [n for n, text in enumerate(lines, 1) if shows.match(text)]
        if len(found) == 1:
            return found[0]
    return 0


def _shape(told: Statement, sure: bool, line: int | None) -> Iterator[Claim]:
    known, lines = constants(told.code), told.code.split("\n")
    found = list(_SIZES.finditer(told.text))
    shapes = [(m, shape) for m in found if (shape := _sizes(m[0], known)) is not None]
    name = _named(told, shapes[0][0].start() if shapes else len(told.text))
    if len(shapes) > 1:
        name = ""
    settled = bool(name) and bound_once(lines, name, line) and not in_loop(lines, name)
    for match, shape in shapes[:3]:
        exact = ANY not in shape and re.match(r"[(\[t]", match[0]) is not None
        if not name and (not exact or line is not None):
            continue  # else any tensor would do
        alone = told.comment is None or not _words_beside(told.text, match[0], name)
        yield Claim(
            kind=ClaimKind.SHAPE, text=told.text, line=line, end_line=line, name=name, shape=shape,
            pointed=sure and settled and exact and alone,
        )  # fmt: skip
    if shapes:
        return
    if (dims := _DIMS.search(told.text)) and name:
        word = dims[1].lower()
        yield Claim(
            kind=ClaimKind.DIMENSIONS, text=told.text, name=name,
            dimensions=int(word) if word.isdecimal() else _COUNTS[word],
            pointed=sure and settled and told.comment is None,
        )  # fmt: skip
    elif (kept := _DTYPE.search(told.text)) and "print(" in told.code:
        printed = kept[0].lower()
        yield Claim(kind=ClaimKind.PRINTS, text=told.text, printed=printed, pointed=False)
    elif told.comment is None:
        yield from _effect(told, sure)


def _sizes(text: str, known: dict[str, int]) -> tuple[int, ...] | None:
    inner = re.sub(r"torch\.Size|[()\[\]]", "", text).strip(" ,")
    if re.fullmatch(r"\d+(?:[x×]\d+)+", inner):
        inner = re.sub(r"[x×]", ",", inner)
    return shape_of(inner, known, partly=True)


def _named(told: Statement, before: int) -> str:
    """The tensor that a shape is said of: one that is named before it, or assigned beside it."""
    names = {name for s in code_statements(told.code) for name in s.binds}
    if told.comment is None:
        said = [n for n in _NAME.findall(told.text[:before]) if n in names]
        return said[-1] if said else ""
    said = [n for n in re.findall(r"\b[A-Za-z_]\w*\b", told.text[:before]) if n in names]
    statement = at_line(told.code, told.comment.line)
    if said or told.comment.alone or statement is None or statement.last != told.comment.line:
        return said[-1] if said else ""
    assigned = re.match(r"\s*(\w+)\s*=(?!=)", told.code.split("\n")[statement.first - 1])
    return assigned[1] if assigned else ""


def _words_beside(text: str, shape: str, name: str) -> str:
    return _NO_WORD.sub("", text.replace(shape, "").replace(name, "")).strip(" .,:;`'-=→>()")


def _relates(told: Statement, sure: bool, line: int | None) -> Iterator[Claim]:
    relation = relation_in(told.text)
    if relation is None or "print(" not in told.code:
        if told.comment is None:
            yield from _effect(told, sure)
        return
    series = relation in (Relation.FALLS, Relation.GROWS)
    values = relation is Relation.CLOSE and values_said(told.text)
    yield Claim(
        kind=ClaimKind.RELATION, text=told.text, relation=relation,
        pointed=sure and bool(series or values),
    )  # fmt: skip


def _trains(told: Statement, sure: bool, line: int | None) -> Iterator[Claim]:
    yield from _training(told, sure, ClaimKind.TRAINS)


def _never_trains(told: Statement, sure: bool, line: int | None) -> Iterator[Claim]:
    yield from _training(told, sure, ClaimKind.NEVER_TRAINS)


def _training(told: Statement, sure: bool, kind: ClaimKind) -> Iterator[Claim]:
    names = [n.removesuffix(".grad").rpartition(".")[2] for n in _NAME.findall(told.text)]
    names = [n for n in dict.fromkeys(names) if re.search(rf"\b{re.escape(n)}\b", told.code)]
    for name in names[:2]:
        yield Claim(kind=kind, text=told.text, name=name, pointed=sure and len(names) == 1)
    yield from _effect(told, sure)


def _effect(told: Statement, sure: bool) -> Iterator[Claim]:
    if sure:
        yield Claim(kind=ClaimKind.EFFECT, text=told.text)


_BY_KIND = {
    "raises": _raises,
    "works": _works,
    "equals": _equals,
    "shape": _shape,
    "relates": _relates,
    "trains": _trains,
    "notrain": _never_trains,
}


def error_named(text: str) -> tuple[str, str]:
    """The exception's type and the message that a statement names, as far as it does."""
    if typed := _TYPED.search(text):
        return typed[1].rpartition(".")[2], typed[2].strip()
    named = re.findall(TYPE, text)
    type_ = named[0].rpartition(".")[2] if len(set(named)) == 1 else ""
    for match in _QUOTED.finditer(text):
        quoted = next(g for g in match.groups() if g is not None)
        words = re.findall(r"[A-Za-z]{2,}", quoted)
        if len(words) >= 3 and not re.search(r"[=(]\w*[=)]|^\w+\(|^\w+\.\w+", quoted):
            return type_, quoted.strip()
    return type_, ""


def _try_around(code: str, line: int) -> tuple[int, int] | None:
    """The innermost `try` that a line stands in, or whose handler it stands in: its lines."""
    around = [t for t in tries(code) if t.first < line <= t.last]
    return (around[-1].first, around[-1].last) if around else None


def _each_once(found: Iterable[Claim]) -> list[Claim]:
    kept: dict[tuple[object, ...], Claim] = {}
    for claim in found:
        key = (
            claim.kind, claim.line, claim.type, claim.message, claim.printed, claim.name,
            claim.shape, claim.dimensions, claim.relation, claim.absent,
            claim.text if claim.kind is ClaimKind.EFFECT else "",
        )  # fmt: skip
        if key not in kept or (claim.pointed and not kept[key].pointed):
            kept[key] = claim
    return list(kept.values())


def _on_gpu(found: list[Claim], code: str) -> list[Claim]:
    """What is printed behind `if torch.cuda.is_available()` says nothing of a run without one."""
    return [
        claim.model_copy(update={"on_gpu": True})
        if claim.kind is ClaimKind.PRINTS and claim.line and needs_gpu(code, claim.line)
        else claim
        for claim in found
    ]


def _told_apart(found: list[Claim]) -> list[Claim]:
    """A block that shows both the mistake and its cure is not said to work as a whole.

    Nor is anything said to come of one that is said to raise.
    """
    raises = any(c.kind is ClaimKind.ERROR and (c.pointed or c.type) for c in found)
    errors = any(c.kind is ClaimKind.ERROR and (c.pointed or c.line) for c in found)
    kept = []
    for claim in found:
        if claim.kind is ClaimKind.EFFECT and raises:
            continue
        if claim.kind is ClaimKind.RUNS and errors:
            if claim.line is None:
                continue
            claim = claim.model_copy(update={"depends": True})
        kept.append(claim)
    return kept
