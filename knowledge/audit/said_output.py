"""Find what a block's comments say it prints."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from knowledge.audit.chance import FIXED, RANDOM, left_to_chance
from knowledge.audit.model import Claim, ClaimKind
from knowledge.audit.prints import place_of
from knowledge.audit.symbols import constants, shape_of
from knowledge.audit.text import Comment
from knowledge.audit.wording import OF_CASES, VARIES, is_carried_out

_LITERAL = (
    r"[tT]orch\.Size\(\[[\d, ]*\]\)|torch\.[a-z]+\d+"
    r"|(?:(?:torch\.)?tensor|(?:np\.|numpy\.)?array)\((?:[^()]|\([^()]*\))*\)"
    r"|\([\d, ]+\)|\((?:None|-?\d+)(?:, *-?\d+)+,?\)|\[[\d\[\]., eE+-]+\]"
    r"|\[(?:'[^'\n]*'(?:, *)?)+\]|True|False|None|(?:true|false)(?=\W*$)|device\([^)]*\)"
    r"|cpu\b|cuda(?::\d+)?|(?<!\w)-?\d+(?:\.\d+)?"
)
_SAYS_OUTPUT = re.compile(
    r"^\W*(?:expected |example )?(?:output|outputs|prints?|printed|expected|expects?|result"
    r"|(?:produces|displays|shows|gives|yields)(?=:)"
    r"|(?:this )?(?:will|should) (?:print|output|be))\b(?: (?:will|should) be| shape(?: is| will be"
    r"| should be)?)?\s*[:=]?\s*(.*)$|^\W*(?:→|=>|->|>>>)\s*(.*)$",
    re.I,
)


# `grad is now None`, `the shape will be (2, 3)`: not at the start of the comment.
_SAYS_VALUE = re.compile(
    rf"^[\w.()`'\[\]:, -]{{1,40}}?\b(?:is|are|be|becomes|remains|has|have|prints|shows|gives"
    rf"|returns)(?: (?:now|still|also|again|a|the|of|shape|size|as))*[: ]+`?({_LITERAL})`?"
    r"(?=\s*(?:$|[.,;!(]|but\b|and\b|here\b|after\b|not\b|instead\b))",
    re.I,
)


# `cuda:0 (or similar)`: the value may be another.
_OR_SO = re.compile(
    rf"({_LITERAL})\W+(?:or (?:similar|some)|example\b|may vary|will vary|e\.g)", re.I
)
# `None because no gradient reaches it`: the reason is no part of the value.
_BECAUSE = re.compile(
    r"(?:(?<=[\])])|(?<=None)|(?<=True)|(?<=False))[\s,;–—-]+(?:because|since|as (?:it|the|we|they)"
    r"|due to|so|which)\b.*$",
    re.I,
)


def printed_texts(noted: list[Comment], code: list[str]) -> Iterator[Claim]:
    """Comments that say what a print beside or above them prints."""
    whole = "\n".join(code)
    known = constants(whole)
    taken: set[int] = set()
    for n, comment in enumerate(noted):
        if comment.line in taken:
            continue
        spelled = _SIZES.sub(lambda m: _in_numbers(m, known), _BECAUSE.sub("", comment.text))
        comment = replace(comment, text=spelled)
        says = _SAYS_OUTPUT.match(comment.text) or _SAYS_VALUE.match(comment.text)
        text = comment.text
        if says:
            text = next((group for group in says.groups() if group), "").strip()
        elif not (re.match(rf"\W*(?:{_LITERAL})\s*$", text) or _labelled(text, code, comment)):
            continue
        line = comment.line
        if comment.alone:
            # An output below its print, or right above it: what follows directly belongs to it.
            more = _lines_below(noted[n + 1 :], comment.line, text)
            line = print_for(code, comment.line, more[-1].line if more else line) if says else 0
            if not line:
                continue
            if not text and not more:
                yield from _labelled_below(noted[n + 1 :], comment, code, line)
                continue
            taken |= {c.line for c in more}
            text = "\n".join([text, *(c.text for c in more)]).strip()
        elif not re.match(r"\s*print\(", code[comment.line - 1]):
            continue
        elif text.count("[") > text.count("]"):
            # An array whose rows go on below the print, in comments of their own.
            more = _lines_below(noted[n + 1 :], comment.line, text)
            taken |= {c.line for c in more}
            text = "\n".join([text, *(c.text for c in more)])
        if (
            re.match(r"\W*(?:output|prints?)\b (?:shows?|will)\b", comment.text, re.I)
            and not re.search(_LITERAL, text)
            and not OF_CASES.search(comment.text)
            and is_carried_out(code, line)
        ):
            yield Claim(kind=ClaimKind.OUTPUT, text=comment.text, line=line, end_line=line)
            continue
        # `Example output: …` may be another's: a run can bear it out, no more.
        is_example = re.match(r"\W*example output\b", comment.text, re.I) is not None
        only_like_it = _OR_SO.match(text)
        if only_like_it:
            text = only_like_it[1]
        elif not text or VARIES.search(text) or (VARIES.search(comment.text) and not is_example):
            continue
        printed, told = _literal(text, whole)
        if not printed:
            continue
        certain = told and is_carried_out(code, line)
        if left_to_chance(printed, whole, code[line - 1]):
            certain = False
        if is_example or only_like_it or "cuda" in printed:
            certain = False  # where there is no GPU it may rightly be another device
        yield Claim(
            kind=ClaimKind.PRINTS,
            text=comment.text,
            line=line,
            end_line=line,
            printed=printed,
            pointed=certain,
            place=None if comment.alone else place_of(whole, line),
        )


def _literal(text: str, code: str) -> tuple[str, bool]:
    """The printed value in a comment, and whether it is surely one; empty if there is none."""
    first = re.match(rf"[^\w(\[-]*({_LITERAL})", text)
    labelled = re.match(rf"[^\n]{{1,60}}?[:=]\s*(?:\n\s*)?({_LITERAL})", text)
    if re.fullmatch(r"-?\d[\d.]*(?:[ ,]+-?\d[\d.]*)+", text):
        return text, True
    is_number = bool(first) and re.fullmatch(r"-?[\d.]+", first[1] if first else "") is not None
    if first and not is_number:
        return first[1], True
    if labelled:
        return labelled[1], True
    if first:
        rest = text[first.end() :].strip(" .)")
        # `2 because there are two` is a number in a sentence.
        return ("", False) if re.match(r"[\w`]", rest) else (first[1], True)
    # `Error converting: …`: a label that the code itself prints.
    label = re.match(r"([^:\n]{3,60}:) ", text)
    return text, label is not None and label[1] in code


def _labelled_below(
    noted: list[Comment], above: Comment, code: list[str], line: int
) -> Iterator[Claim]:
    """`# Output:` with one line for each print, which begins with the label that is printed."""
    whole = "\n".join(line for line in code if not line.lstrip().startswith("#"))
    random = RANDOM.search(whole)
    for count, comment in enumerate(noted, 1):
        label = re.match(r"([^:\n]{3,60}:)", comment.text)
        if comment.line != above.line + count or not label or label[1] not in whole:
            return
        printed, told = _literal(comment.text, whole)
        if printed and not VARIES.search(printed):
            yield Claim(
                kind=ClaimKind.PRINTS,
                text=comment.text,
                line=line,
                end_line=line,
                printed=printed,
                pointed=told
                and is_carried_out(code, line)
                and "xample" not in above.text
                and (not random or bool(FIXED.match(printed))),
            )


def _labelled(text: str, code: list[str], comment: Comment) -> bool:
    """`Rows: 3`, where the print itself writes the label."""
    label = re.match(rf"([^:]{{3,60}}: ?)(?:{_LITERAL})\s*$", text)
    return label is not None and label[1].strip() in code[comment.line - 1].split("#")[0]


_SIZES = re.compile(r"[(\[]((?=[^()\[\]]*[A-Za-z_])[\w*/+ -]+(?:,[\w*/+ -]+)+),?[)\]]")


def _in_numbers(sizes: re.Match[str], known: dict[str, int]) -> str:
    """`(batch, 10)` as `(32, 10)`, if the block says what batch is."""
    shape = shape_of(sizes[1], known)
    return str(shape) if shape is not None else sizes[0]


def print_for(code: list[str], line: int, last: int) -> int:
    """The print that a comment of its own is about: right above it, right below, or further up."""
    above = _print_above(code, line)
    below = code[last] if last < len(code) else ""
    if not re.match(r"\s*print\(", below) or (above and code[line - 2].strip()):
        return above
    return last + 1


def _print_above(code: list[str], line: int) -> int:
    """The print that a comment below it is about: the nearest one of the statement above."""
    seen = 0
    for n in range(line - 1, 0, -1):
        text = code[n - 1]
        if re.match(r"\s*print\(", text):
            return n
        seen += bool(text.strip()) and not text.lstrip().startswith("#")
        if seen > 3 or (not text.strip() and seen) or re.match(r"\s*(?:def|class)\b", text):
            return 0
    return 0


def _lines_below(noted: list[Comment], line: int, first: str) -> list[Comment]:
    found: list[Comment] = []
    whole = first
    for comment in noted:
        # A tensor of three dimensions is printed with a blank line between its matrices.
        gap = 2 if whole.count("[") > whole.count("]") else 1
        whole += comment.text
        if not comment.alone or comment.line > line + gap or _SAYS_OUTPUT.match(comment.text):
            break
        if not re.match(r"[\s\[\](){}\d.,eE+-]|tensor", comment.text):
            break
        found.append(comment)
        line = comment.line
    return found
