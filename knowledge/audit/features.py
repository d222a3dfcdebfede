"""Describe a statement about a block by its words, its place and the code beside it."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from knowledge.audit.text import Block, Comment, comments

BUCKETS = 1 << 16  # of hashed features; the head has one weight a bucket and kind
_USUAL = 7.0  # the length of a usual statement's features
LONGEST = 600  # letters of a statement that are read
_SIZE = r"(?:-?\d+|[A-Za-z_]\w*)(?: ?(?:[*+/-]|//) ?\w+)?"
SHAPE = rf"torch\.Size\([^)]{{0,100}}\)?|(?<![\w.])[(\[]{_SIZE}(?:, ?{_SIZE}){{0,6}},?[)\]]"
TYPE = r"\b(?:\w{1,40}\.){0,4}[A-Z]\w{0,60}(?:Error|Exception|Interrupt|Iteration)\b"
# What is code in a sentence is told by its kind alone, in this order.
_KINDS = tuple(
    (word, re.compile(pattern))
    for word, pattern in (
        ("ERROR", TYPE),
        ("SHAPE", SHAPE),
        ("TENSOR", r"\b(?:torch\.)?(?:tensor|array)\((?:[^()]|\([^()]*\)){0,200}\)?"),
        ("ARRAY", r"\[\[?[-\d., \[\]e]{3,200}\]"),
        ("BY", r"\b\d{1,9}(?: ?[x×] ?\d{1,9})+\b"),
        ("DIMS", r"(?i)\b(?:\d|zero|one|two|three|four|five)-?(?:d|dim(?:ension(?:s|al)?)?)\b"),
        ("DTYPE", r"\b(?:torch\.)?(?:u?int|b?float|complex)(?:8|16|32|64|128)\b|\btorch\.bool\b"),
        ("DEVICE", r"\bcuda(?::\d)?\b|\b[CG]PU\b|\bcpu\b"),
    )
)
_NUMBER = re.compile(r"(?<![\w.])-?\d{1,20}(?:\.\d{1,20})?(?:e-?\d{1,4})?(?!\w)%?")
_QUOTED = re.compile(r"`([^`]{1,200})`")
_VALUE = re.compile(r"-?[\d.]+|None|True|False|nan|inf|NaN|[A-Z]+")
_WORD = re.compile(r"[A-Za-z][\w']*|[^\w\s]")
_ENDING = re.compile(r"(?<=\w{3})(?:ing|ed|es|s|ly|e)$")
_IS_CODE = re.compile(
    r"(?!\S*(?:[tT]ensor|array|Size)\()(?:[\w.\[\]]+(?:(?<!shape) *=(?!=)|\()"
    r"|(?:raise|return|import|from|print|try:|except)\b)"
)
_CLAUSE = re.compile(
    r"(?<=\w{3}[\w`)])(?:[;,:—–] "
    r"| (?=(?:but|while|which|because|although|since|whereas|so that|hence|thus)\b))"
)
_GOES_ON = re.compile(r"[:=,]$|^\W*(?:expected )?(?:output|result)$", re.I)
_OPENERS = re.compile(
    r"(?:print|try|except|def|class|for|while|if|elif|else|with|return|import|from|raise|assert)\b"
)


@dataclass(frozen=True)
class Statement:
    """A sentence or comment near a block."""

    text: str
    where: str  # "lead", "follow" or "comment"
    code: str  # the block's
    before: str = ""  # what was said just before it
    comment: Comment | None = None
    place: tuple[str, ...] = ()  # where it stands, in words of our own
    is_code: bool = False  # code that was taken out, or a word on such code


def statements(block: Block) -> list[Statement]:
    """Everything that is said about a block: what introduces it, what follows, its comments."""
    found = []
    for where, told in (("lead", block.lead), ("follow", block.follow)):
        for n, text in enumerate(told):
            spot = (f"{where}{min(n, 3)}", "last" if n == len(told) - 1 else "inner")
            before = told[n - 1][:LONGEST] if n else ""
            found.append(Statement(text[:LONGEST], where, block.code, before, place=spot))
    lines = block.code.split("\n")
    noted = comments(block.code)
    at = {c.line: c.text[:LONGEST] for c in noted}
    for comment in noted:
        text, near = at[comment.line], at.get(comment.line + 1, "")
        before = at.get(comment.line - 1, "")
        code = is_code(text) or (comment.alone and is_code(near))
        if near and _GOES_ON.search(text):
            text = f"{text} {near}"  # `# Output:` over what comes out
        place = tuple(_place(comment, lines, bool(before)))
        found.append(Statement(text, "comment", block.code, before, comment, place, code))
    return found


def parts(statement: Statement) -> list[Statement]:
    """A statement, and the clauses of a long one: what one of them claims, the others drown."""
    text = statement.text
    clauses = [c for c in _CLAUSE.split(text) if len(c) > 15] if len(text) > 60 else []
    return [statement, *(replace(statement, text=c) for c in clauses if len(clauses) > 1)]


def is_code(text: str) -> bool:
    """Whether a comment is a line of code that was taken out."""
    return _IS_CODE.match(text) is not None and not re.match(TYPE, text)


def _place(comment: Comment, lines: Sequence[str], follows: bool) -> Iterator[str]:
    yield "alone" if comment.alone else "beside"
    anchor = anchor_of(comment, lines)
    opener = _OPENERS.match(anchor)
    binds = re.match(r"[\w., ()\[\]]+=(?!=)", anchor)
    yield "at " + (opener[0] if opener else "=" if binds else "call" if "(" in anchor else "-")
    yield "prints" if "print(" in anchor else "no print"
    if follows:
        yield "goes on"
    if comment.alone and comment.first is None:
        yield "below all"
    above = lines[comment.line - 2] if comment.line > 1 else ""
    if comment.alone and "print(" in above:
        yield "below print"


def anchor_of(comment: Comment, lines: Sequence[str]) -> str:
    """The line of code that a comment is about."""
    if comment.first is None:
        return ""
    line = lines[comment.first - 1]
    return (line if comment.alone else line.split("#", 1)[0]).strip()


def words(statement: Statement) -> list[str]:
    """A statement's words, with what is code in it replaced by its kind."""
    text = statement.text
    for word, pattern in _KINDS:
        text = pattern.sub(f" {word} ", text)
    names = frozenset(re.findall(r"[A-Za-z_]\w*", statement.code))

    def told(quoted: re.Match[str]) -> str:
        inner = quoted[1].strip()
        if _VALUE.fullmatch(inner):
            return f" {inner} "
        kind = "CALL" if "(" in inner else "NAME" if re.fullmatch(r"[\w.]+", inner) else "CODE"
        name = re.findall(r"[A-Za-z_]\w*", inner.split("(")[0])
        return f" {kind}{'' if name and name[-1] in names else 'ELSEWHERE'} "

    text = _NUMBER.sub(" NUMBER ", _QUOTED.sub(told, text))
    return [w if w.isupper() else w.lower() for w in _WORD.findall(text)]


def features(statement: Statement) -> Iterator[tuple[str, float]]:
    """A statement's features by name, each with its weight."""
    found = words(statement)
    marked = ["^", *(_ENDING.sub("", word) for word in found), "$"]
    about = "comment" if statement.comment is not None else "prose"
    yield about, 0.7
    for word in marked:
        yield f"1 {word}", 1.0
        yield f"{about} {word}", 0.7
    yield from ((f"2 {a} {b}", 1.0) for a, b in pairwise(marked))
    yield from (
        (f"3 {a} {b} {c}", 0.7) for a, b, c in zip(marked, marked[1:], marked[2:], strict=False)
    )
    for gap in (2, 3, 4, 5):  # `without throwing an error`
        yield from ((f"near {a} {b}", 0.5) for a, b in zip(marked, marked[gap:], strict=False))
    yield from ((f"as is {word}", 0.5) for word in found)
    yield from ((f"place {place}", 0.7) for place in statement.place)
    if statement.comment is not None:
        anchor = anchor_of(statement.comment, statement.code.split("\n"))
        yield from ((f"anchor {name}", 0.3) for name in re.findall(r"\w+", anchor)[:12])
        if len(found) <= 3:
            yield "short", 0.7
    if statement.is_code:
        yield "is code", 1.0
    if statement.text.rstrip("* ").endswith(":"):
        yield "introduces", 0.7
    if statement.text.lstrip().startswith(("**", "#")):
        yield "title", 0.7


def hashed(statement: Statement) -> dict[int, float]:
    """The features as numbered buckets; of a long statement each weighs somewhat less."""
    found: dict[int, float] = {}
    for name, weight in features(statement):
        found[zlib.crc32(name.encode("utf-8", "surrogatepass")) % BUCKETS] = weight
    length = sum(value * value for value in found.values()) ** 0.25 * _USUAL**0.5
    return {bucket: value / length for bucket, value in found.items()}
