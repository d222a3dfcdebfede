"""Find the shapes and the dimensions that sentences give a block's tensors."""

from __future__ import annotations

import re
from collections.abc import Iterator

from knowledge.audit.model import Claim, ClaimKind
from knowledge.audit.symbols import ANY, SIZES, bound_once, constants, shape_of
from knowledge.audit.wording import HEDGED, VARIES

_SHAPE = rf"`?(?:torch\.Size\()?[\[(]({SIZES}),?[\])]"
_NUMBERS = r"`?(?:torch\.Size\()?[\[(](\d+(?:, ?\d+)*),?[\])]"
_BY = r"`?(\d+(?:x\d+)+)\b"
_SHAPE_TOLD = re.compile(
    r"`(\w+)`(?: tensor)?,? (?:(?:which |now )?(?:will have|will be of|has|is of|is now of|with|of)"
    r"(?: a| the)? (?:\w+ )?(?:shape|size|dimensions?)(?: of)?|becomes|is reshaped to) "
    rf"{_SHAPE}"
    r"|\b(?:shape|size|dimensions) of (?:the )?(?:\w+ )?`?(\w+)`?(?: tensor)?"
    rf"(?: here| in this \w+)? (?:will be|is|are|becomes)(?: now)? {_SHAPE}"
    r"|\b`?(\w+)`?(?: tensors?)? (?:is|are|to be|will be|becomes|ha(?:s|ve) (?:the )?(?:shape"
    rf"|dimensions)(?: of)?|of shape) (?:created as )?(?:now )?(?:a |an |of (?:shape|size) )?{_BY}"
    r"|`(\w+)`,? (?:is|will be|now) (?:\w+,? )?(?:shaped|of shape|reshaped)(?: to(?: be)?| as)? "
    rf"{_SHAPE}",
    re.I,
)
_RESULTING = re.compile(
    r"\b(?:result\w*|output|produc\w+|yield\w*|becom\w+|reshape[sd]?|final|return\w*|giv\w+"
    r"|print\w*"
    r"|creat\w+)\b[^.;]{0,60}?\b(?:shape|size|dimensions?|tensor|output|original|back)\b"
    rf"[^.;(\[]{{0,20}}`?(?:torch\.Size\()?[\[(]((?!\d+[\])]){SIZES}),?[\])]"
    rf"|\b(?:has|have|having|with) (?:a |the )?(?:shape|dimensions?)(?: of)? {_SHAPE}"
    r"|\b(?:an?|the|our|one|each|final|random|new) (\d+(?:x\d+)+) (?:(?!kernel|filter|conv|window"
    r"|pool|patch)\w+ ){0,2}?(?:tensor|matrix|array|input|output|image|grid)\b"
    rf"|\b(?:making|mak\w+ it|into|becom\w+) an? {_SHAPE}`? (?:tensor|matrix|array)\b"
    rf"|\b(?:is|be) (?:\w+,? )?shaped (?:(?:to be|as|to) )?{_SHAPE}"
    r"|\b(?:chang|transform|reshap|reduc|permut|expand|convert|transpos|flatten|downsampl"
    r"|upsampl)\w*"
    rf"\b[^.;]{{0,80}}?\b(?:in)?to (?:an? |the )?(?:shape |size )?(?:of )?(?:{_SHAPE}|{_BY})",
    re.I,
)
_EXAMPLE = re.compile(r"\b(?:this|the|our) (?:\w+ )?example\b", re.I)  # one that is at hand
_WORDS = {
    "scalar": 0,
    "flattened": 1,
    "zero": 0,
    "one": 1,
    "two": 2,
    "three": 3,
    "four": 4,
    "five": 5,
}
_COUNT = r"\d|zero|one|two|three|four|five"
_DIMENSIONS = re.compile(
    rf"`(\w+)`(?: tensor)? (?:has|will (?:also )?have) ({_COUNT}) dimensions\b"
    r"|`(\w+)`(?: tensor| variable)? (?:is|will be|becomes|remains|has become)"
    rf" (?:now |still |therefore )?(?:a |an )?(?:(?:\w+ )?({_COUNT})[- ]?"
    r"d(?:im(?:ension(?:al)?)?)?\b|(scalar)\b"
    r"(?= tensor| because|,|\W*$))",
    re.I,
)
_INTO = re.compile(
    r"\b(?:convert|transform|reshap|turn|flatten|rearrange|stack|produc|form|becom|result)\w*\b"
    rf"[^.;]{{0,60}}?\b(?:into|in|to|as|produc\w+|forming|becomes?) an? (?:\w+ )?({_COUNT})"
    r"[- ]?d(?:im\w*)? (?:tensor|vector|matrix|array)\b"
    r"|\b(?:output|result)(?: tensor)? (?:\w+ )?(?:is|remains|stays|becomes|will be) an? (?:\w+ )?"
    rf"({_COUNT})[- ]?d(?:im\w*)?\b"
    r"|\b(?:result|produc|return|giv|yield)\w*\b[^.;]{0,40}?\b(flattened)(?: \w+)? "
    r"(?:output|vector|tensor|array)\b",
    re.I,
)


def shapes_in_prose(told: tuple[str, ...], code: str) -> Iterator[Claim]:
    """`x` has the shape (2, 3); it is a 2D tensor; the result is one of the shape (2, 3)."""
    known = constants(code)
    for sentence in told:
        if HEDGED.search(sentence):
            continue
        yield from _shapes(sentence, known, code.split("\n"))
        yield from _dimensions(sentence, code.split("\n"))


def _shapes(sentence: str, known: dict[str, int], code: list[str]) -> Iterator[Claim]:
    named = list(_SHAPE_TOLD.finditer(sentence))
    for match in named:
        name, sizes = (group for group in match.groups() if group)
        if shape := _read(sizes, known):
            # `28x28` may leave out batch and channels, and a name may come to mean another tensor.
            exact = re.fullmatch(r"[\d, ]+", sizes) and f"`{name}`" in sentence
            certain = bool(exact) and bound_once(code, name) and not VARIES.search(sentence)
            yield Claim(
                kind=ClaimKind.SHAPE, text=sentence, name=name, shape=shape, pointed=certain
            )
    for match in [] if named else _RESULTING.finditer(sentence):
        shape = _read(next(group for group in match.groups() if group), known)
        if shape and ANY not in shape:  # else any tensor would do
            yield Claim(kind=ClaimKind.SHAPE, text=sentence, shape=shape, pointed=False)


def _read(sizes: str, known: dict[str, int]) -> tuple[int, ...] | None:
    if re.fullmatch(r"\d+(?:x\d+)+", sizes):
        sizes = sizes.replace("x", ",")
    return shape_of(sizes, known, partly=True)


def _dimensions(sentence: str, code: list[str]) -> Iterator[Claim]:
    for match in _DIMENSIONS.finditer(sentence):
        name, count = (group for group in match.groups() if group)
        if bound_once(code, name):
            yield Claim(
                kind=ClaimKind.DIMENSIONS,
                text=sentence,
                name=name,
                dimensions=_count(count),
                pointed=not VARIES.search(_EXAMPLE.sub("", sentence)),
            )
    for match in _INTO.finditer(sentence):
        count = _count(next(group for group in match.groups() if group))
        yield Claim(kind=ClaimKind.DIMENSIONS, text=sentence, dimensions=count, pointed=False)


def _count(word: str) -> int:
    return int(word) if word.isdecimal() else _WORDS[word.lower()]
