"""Find what a document says its code prints."""

from __future__ import annotations

import re
from collections.abc import Iterator

from knowledge.audit.model import Claim, Kind
from knowledge.audit.text import Comment
from knowledge.audit.wording import HEDGED, LATER, TYPE, VARIES, is_carried_out, what

_LITERAL = (
    r"torch\.Size\(\[[\d, ]*\]\)|(?:torch\.)?tensor\((?:[^()]|\([^()]*\))*\)|torch\.[a-z]+\d+"
    r"|\([\d, ]+\)|\[[\d\[\]., eE+-]+\]|True|False|None|device\([^)]*\)"
    r"|cpu\b|cuda(?::\d+)?|-?\d+(?:\.\d+)?"
)
_SAYS_OUTPUT = re.compile(
    r"^\W*(?:expected |example )?(?:output|outputs|prints?|printed|expected|result"
    r"|(?:this )?(?:will|should) (?:print|output|be))\b(?: (?:will|should) be| shape(?: is| will be"
    r"| should be)?)?\s*[:=]?\s*(.*)$|^\W*(?:→|=>|->|>>>)\s*(.*)$",
    re.I,
)
_RANDOM = re.compile(
    r"\brand|[dD]ropout|shuffle|normal_|uniform_|seed|init\.|\btime\.|\.sample\(|empty\(|noise"
    r"|data_ptr|\bid\(|nn\.(?:Linear|Bilinear|Conv|Embedding|LSTM|GRU|RNN|Transformer|Multihead)"
    r"|models\.|load|open\("
)


def printed_texts(noted: list[Comment], code: list[str]) -> Iterator[Claim]:
    """Comments that say what a print beside or above them prints."""
    whole = "\n".join(code)
    taken: set[int] = set()
    for n, comment in enumerate(noted):
        if comment.line in taken:
            continue
        says = _SAYS_OUTPUT.match(comment.text)
        text = comment.text
        if says:
            text = (says[1] or says[2] or "").strip()
        elif not re.match(rf"\W*(?:{_LITERAL})\s*$", text):
            continue
        line = comment.line
        if comment.alone:
            # An output below its print: what follows directly belongs to it.
            line = _print_above(code, comment.line) if says else 0
            if not line:
                continue
            more = _lines_below(noted[n + 1 :], comment.line)
            taken |= {c.line for c in more}
            text = "\n".join([text, *(c.text for c in more)]).strip()
        elif not re.match(r"\s*print\(", code[comment.line - 1]):
            continue
        if (
            re.match(r"\W*(?:output|prints?)\b (?:shows?|will)\b", comment.text, re.I)
            and not re.search(_LITERAL, text)
            and is_carried_out(code, line)
        ):
            yield Claim(kind=Kind.OUTPUT, text=comment.text, line=line, end_line=line)
            continue
        # `Example output: …` may be another's: a run can bear it out, no more.
        is_example = re.match(r"\W*example output\b", comment.text, re.I) is not None
        if not text or VARIES.search(text) or (VARIES.search(comment.text) and not is_example):
            continue
        printed, told = _literal(text, whole)
        if not printed:
            continue
        certain = told and is_carried_out(code, line)
        if _RANDOM.search(whole) and not _FIXED.match(printed):
            certain = False
        if is_example or "cuda" in printed:
            certain = False  # where there is no GPU it may rightly be another device
        yield Claim(
            kind=Kind.PRINTS, text=comment.text, line=line, end_line=line, printed=printed,
            pointed=certain,
        )  # fmt: skip


# What random numbers leave as it is: shapes, dtypes, devices and classes.
_FIXED = re.compile(r"torch\.|cpu|cuda|device\(|<class|[\[(]\d+,[\d, ]*[\])]$")


def _literal(text: str, code: str) -> tuple[str, bool]:
    """The printed value in a comment, and whether it is surely one; empty if there is none."""
    first = re.match(rf"[^\w(\[-]*({_LITERAL})", text)
    labelled = re.match(rf"[^\n]{{1,60}}?[:=]\s*(?:\n\s*)?({_LITERAL})", text)
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


def _lines_below(noted: list[Comment], line: int) -> list[Comment]:
    found = []
    for comment in noted:
        if not comment.alone or comment.line != line + 1 or _SAYS_OUTPUT.match(comment.text):
            break
        if not re.match(r"[\s\[\](){}\d.,eE+-]|tensor", comment.text):
            break
        found.append(comment)
        line += 1
    return found


_RESULT = re.compile(
    r"\b(?:result\w*|output)\b[^.`]{0,40}`((?:torch\.)?(?:tensor|Size)\([^`]*\))`", re.I
)


def outputs(told: tuple[str, ...]) -> Iterator[Claim]:
    """`The output will show that …`: then something must be printed."""
    for sentence in told:
        if result := _RESULT.search(sentence):
            yield Claim(kind=Kind.PRINTS, text=sentence, printed=result[1], pointed=False)
        if HEDGED.search(sentence.replace("can ", "")) or LATER.search(sentence):
            continue
        if re.search(r"\b(?:the|this|its) (?:\w+ )?(?:output|behaviou?r observed|print statements?)"
                     r" (?:will|would) (?:still )?(?:show|display|print|reveal|be)\b", sentence,
                     re.I):  # fmt: skip
            yield Claim(kind=Kind.OUTPUT, text=sentence)


def shown_output(shown: str, code: str) -> Iterator[Claim]:
    """The output that stands in a fence below the block."""
    text = shown.strip()
    if not text or VARIES.search(text):
        return
    last = text.splitlines()[-1]
    if re.match(rf"{TYPE}: ", last):
        type_, message = what(last)
        yield Claim(kind=Kind.ERROR, text=last, type=type_, message=message, pointed=False)
    elif len(text) < 2000:
        yield Claim(kind=Kind.PRINTS, text=text, printed=text,
                    pointed=not _RANDOM.search(code))  # fmt: skip
