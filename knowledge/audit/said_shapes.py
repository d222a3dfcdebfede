"""Find the shapes that a document gives its tensors, and what it says is trained."""

from __future__ import annotations

import re
from collections.abc import Iterator

from knowledge.audit.model import Claim, Kind
from knowledge.audit.symbols import bound_once, constants, shape_of
from knowledge.audit.text import Comment
from knowledge.audit.wording import HEDGED, NO_ERROR, VARIES

_TUPLE = r"(?:torch\.Size\()?(?P<open>[\[(])(?P<sizes>[\w*/+, -]+?),?[\])]\)?"
_SHAPE_NOTE = re.compile(
    r"^\W*(?P<told>(?P<what>(?:[\w.'`]+ ){0,4}?)(?:\w+\.)?(?:shape|size|dimensions?)\b"
    r"\s*(?:(?:of|is|are|now|will|be|has|becomes|still)\b\s*|[:=]\s*)*)?"
    rf"(?:{_TUPLE}(?=\s*(?:[.!]?$|[.,;] ))|(?P<by>\d+(?:x\d+)+)\b)",
    re.I,
)
_OF_ANOTHER = re.compile(
    r"\b(?:kernel|weights?|bias|filter|expects?|expected|original|old|previous|target|image|assum\w+"
    r"|incorrect|wrong|not|from|mask|patch|window|hidden|per)\b", re.I
)  # fmt: skip
_INPUT = re.compile(r"in|x|data|batch|sample|im(?:g|age)|tensor", re.I)
_NAMED = re.compile(
    rf"^\W*(?:the )?(?:shape of `?(?P<after>\w+)`?|`?(?P<before>\w+)`?(?:\.| tensor | )shape)\b"
    rf"\s*(?:is|now|will be|becomes|[:=]|\s)*{_TUPLE}\s*[.!]?$",
    re.I,
)
_ASSIGNED = re.compile(r"^(\w+)\s*=(?!=)")
_NUMBERS = r"`?(?:torch\.Size\()?[\[(](\d+(?:, ?\d+)*),?[\])]"
_SHAPE_TOLD = re.compile(
    r"`(\w+)`(?: tensor)?,? (?:(?:which |now )?(?:will have|will be of|has|is of|is now of|with|of)"
    r"(?: a| the)? (?:shape|size|dimensions?)(?: of)?|has dimensions|becomes|is reshaped to) "
    rf"{_NUMBERS}"
    rf"|\bshape of `?(\w+)`?(?: here)? (?:will be|is|becomes)(?: now)? {_NUMBERS}"
    r"|\b`?(\w+)`? (?:is|to be|will be|becomes|has shape|of shape) (?:a |an |of (?:shape|size) )?"
    r"`?(\d+(?:x\d+)+)\b",
    re.I,
)
_RESULTING = re.compile(
    r"\b(?:result\w*|output|produc\w+|yield\w*|becom\w+|reshape[sd]?|final|return\w*|giv\w+|print\w*"
    r"|creat\w+)\b[^.;]{0,60}?\b(?:shape|size|dimensions?|tensor|output)\b[^.;(\[]{0,20}"
    r"`?(?:torch\.Size\()?[\[(](\d+(?:, ?\d+)+),?[\])]"
    rf"|\b(?:has|have|having|with) (?:a |the )?(?:shape|dimensions?)(?: of)? {_NUMBERS}",
    re.I,
)
_EXAMPLE = re.compile(r"\b(?:this|the|our) (?:\w+ )?example\b", re.I)  # one that is at hand
_WORDS = {"zero": 0, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5}
_DIMENSIONS = re.compile(
    rf"`(\w+)`(?: tensor)? (?:has|will (?:also )?have) ({'|'.join(_WORDS)}|\d) dimensions\b"
    r"|`(\w+)`(?: tensor)? (?:is|will be|becomes|remains|has become) (?:now |still |therefore )?"
    rf"(?:a |an )?(?:\w+ )?(\d|{'|'.join(_WORDS)})[- ]?d(?:im(?:ension(?:al)?)?)?\b",
    re.I,
)


def shapes_in_comments(noted: list[Comment], code: list[str]) -> Iterator[Claim]:
    """`x = f(y)  # (batch, 3)`, and `# y.shape: (2, 3)` wherever it stands."""
    known = constants("\n".join(code))
    for comment in noted:
        note = _NAMED.match(comment.text)
        if note and (shape := shape_of(note["sizes"], known)):
            name = note["after"] or note["before"]
            if bound_once(code, name):
                yield Claim(
                    kind=Kind.SHAPE, text=comment.text, line=comment.line, name=name, shape=shape,
                    end_line=comment.line,
                )  # fmt: skip
                continue
        note = _SHAPE_NOTE.match(comment.text)
        assigned = _ASSIGNED.match(code[comment.line - 1])
        if comment.alone or not (note and assigned and bound_once(code, assigned[1])):
            continue
        what = note["what"] or ""
        if _OF_ANOTHER.search(what) or ("input" in what.lower() and not _INPUT.search(assigned[1])):
            continue
        shape = shape_of(note["by"].replace("x", ",") if note["by"] else note["sizes"], known)
        if shape is None or (len(shape) == 1 and not note["told"]):
            continue
        # `28x28` may leave out batch and channels, and `[2, 3]` may be the values.
        certain = not note["by"] and (bool(note["told"]) or note["open"] == "(")
        yield Claim(
            kind=Kind.SHAPE, text=comment.text, line=comment.line, end_line=comment.line,
            name=assigned[1], shape=shape, pointed=certain,
        )  # fmt: skip


def shapes_in_prose(told: tuple[str, ...], code: str) -> Iterator[Claim]:
    """`x` has the shape (2, 3); it is a 2D tensor; the result is one of the shape (2, 3)."""
    lines = code.split("\n")
    for sentence in told:
        if HEDGED.search(sentence):
            continue
        named = list(_SHAPE_TOLD.finditer(sentence))
        for match in named:
            name, numbers = (group for group in match.groups() if group)
            yield Claim(
                kind=Kind.SHAPE, text=sentence, name=name, shape=_numbers(numbers), pointed=False
            )
        for match in [] if named else _RESULTING.finditer(sentence):
            yield Claim(
                kind=Kind.SHAPE, text=sentence, shape=_numbers(match[1] or match[2]), pointed=False
            )
        for match in _DIMENSIONS.finditer(sentence):
            name, count = (group for group in match.groups() if group)
            if bound_once(lines, name):
                yield Claim(
                    kind=Kind.DIMENSIONS, text=sentence, name=name,
                    pointed=not VARIES.search(_EXAMPLE.sub("", sentence)),
                    dimensions=_WORDS.get(count.lower(), int(count) if count.isdigit() else 0),
                )  # fmt: skip


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(n) for n in re.findall(r"\d+", text))


_UPDATES = re.compile(r"\b(?:optimi[sz]er|optimi[sz]ation|training|step)\b[^.]{0,40}\b(?:updates?|"
                      r"adjusts?|changes|learns)\b (it|`[\w.]+`)", re.I)  # fmt: skip
_STILL = re.compile(r"`([\w.]+)`[^.]{0,30}\b(?:will not be|is not|is never|never|won['’]t be)"
                    r" (?:updated|trained|optimi[sz]ed|learned)", re.I)  # fmt: skip


def training(told: tuple[str, ...]) -> Iterator[Claim]:
    """The optimizer updates `alpha`; `alpha` is never updated."""
    for sentence in told:
        if HEDGED.search(sentence):
            continue
        named = re.findall(r"`([\w.]+)`", sentence)
        if match := _UPDATES.search(sentence):
            name = match[1].strip("`") if match[1] != "it" else (named[-1] if named else "")
            if name and not NO_ERROR.search(sentence):
                yield Claim(kind=Kind.TRAINS, text=sentence, name=name.rpartition(".")[2])
        elif match := _STILL.search(sentence):
            yield Claim(
                kind=Kind.NEVER_TRAINS, text=sentence, name=match[1].rpartition(".")[2],
                pointed=False,
            )  # fmt: skip
