"""Find the shapes that a block's comments give its tensors."""

from __future__ import annotations

import re
from collections.abc import Iterator

from knowledge.audit.bindings import at_line
from knowledge.audit.model import Claim, ClaimKind
from knowledge.audit.prints import place_of
from knowledge.audit.symbols import ANY, SIZES, bound_once, constants, in_loop, settled, shape_of
from knowledge.audit.text import Comment
from knowledge.audit.wording import VARIES, is_carried_out

_TUPLE = rf"(?:torch\.Size\()?(?P<open>[\[(])(?:e\.g\.,? ?)?(?P<sizes>{SIZES}),?[\])]\)?"
# What may come behind a shape: nothing, another sentence, or what it is good for.
_END = r"(?=\s*(?:[.!]?$|[.,;] |(?:for|suitable|because|as|since|so|after|due|which)\b))"
_SHAPE_NOTE = re.compile(
    r"^\W*(?P<before>[^()\[\]]{0,50}?[,:;.] )??"
    r"(?P<told>(?P<what>(?:[\w.'`]+ ){0,4}?)(?:\w+\.)?(?:shape|size|dimensions?)\b"
    r"\s*(?:(?:of|is|are|now|will|be|has|becomes|still)\b\s*|[:=]\s*)*)?"
    rf"(?:{_TUPLE}{_END}|(?P<by>\d+(?:x\d+)+)\b)",
    re.I,
)
_OF_ANOTHER = re.compile(
    r"\b(?:kernel|weights?|bias|filter|expects?|expected|original|old|previous|target|image"
    r"|assum\w+"
    r"|incorrect|wrong|not|from|mask|patch|window|hidden|per)\b",
    re.I,
)
_INPUT = re.compile(r"in|x|data|batch|sample|im(?:g|age)|tensor", re.I)
_NAMED = re.compile(
    r"^\W*(?:now,? |here,? )?(?:the )?(?:(?:shape|size)s? of `?(?P<after>\w+)`?"
    r"|`?(?P<before>\w+)`?(?:\.| tensor | (?:now |will |still )?(?:has|have) (?:an? |the )?"
    r"(?:\w+ )?| )(?:shape|size))\b"
    rf"\s*(?:is|now|of|will be|becomes|[:=]|\s)*{_TUPLE}{_END}",
    re.I,
)
_BARE = re.compile(rf"^\W*`?(?P<name>[A-Za-z_]\w*)`?\s*:\s*\((?P<sizes>{SIZES})\){_END}")
_TELLS = re.compile(
    rf"^\W*(?:[\w.'`]+ ){{0,5}}?(?:shape|size|dimensions?)\b\s*(?:of|is|now|will be|[:=]|\s)*"
    rf"{_TUPLE}{_END}",
    re.I,
)
_NOT_THIS = re.compile(
    r"\b(?:expects?|expected|assum\w+|incorrect|wrong|not|if|instead|before|would|old|previous"
    r"|should"
    r"|e\.g)\b",
    re.I,
)
_ASSIGNED = re.compile(r"^(\w+)\s*=(?!=)")
_PRINTS_SHAPE = re.compile(r"\b([A-Za-z_]\w*)(?:\[[^\[\]]*\])?(?:\.shape\b(?!\[)|\.size\(\))")


def shapes_in_comments(noted: list[Comment], code: list[str]) -> Iterator[Claim]:
    """`x = f(y)  # (batch, 3)`, and `# y.shape: (2, 3)` wherever it stands."""
    known = constants("\n".join(code))
    for comment in noted:
        yield from (
            _of_its_name(comment, code, known)
            or _of_what_is_printed(comment, code, known)
            or _of_what_is_assigned(comment, code, known)
        )


def _of_its_name(comment: Comment, code: list[str], known: dict[str, int]) -> list[Claim]:
    """`# y.shape: (2, 3)`, or `# y: (2, 3)`, which may be its value."""
    note, bare = _NAMED.match(comment.text), _BARE.match(comment.text)
    told = note or bare
    if told is None:
        return []
    name = (note["after"] or note["before"]) if note else told["name"]
    if not (bound_once(code, name, comment.line) or settled(code, name, comment.line)):
        return []
    shape = shape_of(told["sizes"], known, partly=True)
    if note is None and shape and len(shape) == 1:
        return []
    return _claim(comment, code, name, shape, certain=note is not None)


def _of_what_is_printed(comment: Comment, code: list[str], known: dict[str, int]) -> list[Claim]:
    """`# it has the shape (batch, n)` beside or above a print of one shape."""
    note = _TELLS.match(comment.text)
    line = comment.line if not comment.alone else comment.first
    if not note or line is None or _NOT_THIS.search(comment.text):
        return []
    printing = code[line - 1].split("#")[0]
    names = _PRINTS_SHAPE.findall(printing) if re.match(r"\s*print\(", printing) else []
    shape = shape_of(note["sizes"], known, partly=True)
    if len(names) != 1 or not shape:
        return []
    if ANY in shape:
        return _claim(comment, code, names[0], shape) if settled(code, names[0], line) else []
    whole = "\n".join(code)
    return [
        Claim(
            kind=ClaimKind.PRINTS,
            text=comment.text,
            line=line,
            end_line=line,
            printed=str(shape),
            pointed=is_carried_out(code, line) and not VARIES.search(comment.text),
            place=None if comment.alone else place_of(whole, line),
        )
    ]


def _of_what_is_assigned(comment: Comment, code: list[str], known: dict[str, int]) -> list[Claim]:
    """`x = f(y)  # (batch, 3)`, also behind the last of several lines."""
    note = _SHAPE_NOTE.match(comment.text)
    statement = at_line("\n".join(code), comment.line)
    first = statement.first if statement else comment.line
    inside = statement is not None and statement.in_function
    assigned = _ASSIGNED.match(code[first - 1] if inside else code[first - 1].lstrip())
    if comment.alone or not (note and assigned and bound_once(code, assigned[1], comment.line)):
        return []
    what = f"{note['before'] or ''} {note['what'] or ''}"
    if note["before"] and not (note["told"] or note["by"]):
        return []  # `# as before, (2, 3)`
    if _OF_ANOTHER.search(what) or ("input" in what.lower() and not _INPUT.search(assigned[1])):
        return []
    if first != comment.line and statement and comment.line != statement.last:
        return []  # beside one of its members
    shape = shape_of(note["by"].replace("x", ",") if note["by"] else note["sizes"], known)
    if shape is None or (len(shape) == 1 and not note["told"]):
        return []
    # `28x28` may leave out batch and channels, and `[2, 3]` may be the values.
    certain = not note["by"] and (bool(note["told"]) or note["open"] == "(")
    return _claim(comment, code, assigned[1], shape, certain=certain)


def _claim(
    comment: Comment,
    code: list[str],
    name: str,
    shape: tuple[int, ...] | None,
    *,
    certain: bool = True,
) -> list[Claim]:
    if shape is None:
        return []
    certain = certain and ANY not in shape and not in_loop(code, name)
    return [
        Claim(
            kind=ClaimKind.SHAPE,
            text=comment.text,
            line=comment.line,
            end_line=comment.line,
            name=name,
            shape=shape,
            pointed=certain and not VARIES.search(comment.text),
        )
    ]
