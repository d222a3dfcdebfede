"""Find claims in the exact form that code gives them: output beside a print, an assertion."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from knowledge.audit.model import Claim, ClaimKind
from knowledge.audit.text import Comment

LITERAL = (
    r"[tT]orch\.Size\(\[[\d, ]*\]\)|torch\.[a-z]+\d+"
    r"|(?:(?:torch\.)?tensor|(?:np\.|numpy\.)?array)\((?:[^()]|\([^()]*\)){0,2000}\)"
    r"|\((?:None|-?\d+)(?:, *-?\d+)*,?\)|\[[\d\[\]., eE+-]+\]"
    r"|\{[^{}\n]{1,300}\}|\[(?:'[^'\n]*'(?:, *)?)+\]|True|False|None"
    r"|(?:true|false)(?=\W*$)|device\([^)]*\)"
    r"|\bcpu\b|\bcuda(?::\d+)?|(?<![\w.])-?\d+(?:\.\d+)?(?:e-?\d+)?(?![\w.]*\w)"
)
# `Output: 2`, `prints 2`, `-> 2`, and a value alone.
_SAYS_OUTPUT = re.compile(
    r"^\W*(?:expected |example )?(?:outputs?|prints?|printed|expected|expects?|result"
    r"|(?:produces|displays|shows|gives|yields)(?=:)|(?:this )?(?:will|should) (?:print|output|be))"
    r"\b(?: (?:will|should|to) be| shape(?: is| will be)?)?\s*[:=]?\s*(.*)$"
    r"|^\W*(?:→|=>|->|>>>)\s*(.*)$",
    re.I | re.S,
)
_VARIES = re.compile(
    r"\b(?:var(?:y|ies)|e\.g|approx\w*|similar|something|like|depend\w*|or|random\w*|some|may|might"
    r"|if|about|around|roughly)\b|~|…|\.\.\.",
    re.I,
)
_GOES_ON = re.compile(r"[\s\[\](){}\d.,eE+-]|tensor")
_AT_THE_MARGIN = re.compile(r"(?:assert\b|(?:\w+\.)*assert_(?:close|allclose|equal|array_equal)\()")
_PRINT = re.compile(r"\s*print\(")
_LONGEST = 2_000  # letters of an output
_NEAR = 5  # lines between a print and what a comment below it shows
# Words for an exception; what is only called wrong, or a mistake, need not raise any.
FAILS = re.compile(
    r"\b(?:\w*errors?|exceptions?|fail\w*|rais\w+|throw\w*|crash\w*|break\w*)\b", re.I
)
INCORRECT = re.compile(r"\W*(?:incorrect|wrong)\b|.*\((?:incorrect|wrong)\b", re.I)
# What a print asks the machine, another one answers otherwise.
_OF_THE_MACHINE = re.compile(r"is_available|_count\(|t_device|__version__|version\.|memory_")
# Where random numbers, weights or the clock decide what is printed, shapes, dtypes and words stay.
_RANDOM = re.compile(
    r"\brand|[dD]ropout|shuffle|normal_|uniform_|seed|init\.|\btime\.|\.sample\(|empty\(|noise"
    r"|data_ptr|\bid\(|nn\.(?:Linear|Bilinear|Conv|Embedding|LSTM|GRU|RNN|Transformer|Multihead)"
    r"|models\.|load|open\("
)
_STAYS = re.compile(r"\D*$|torch\.|cpu|cuda|device\(|<class|[\[(]\d+,[\d, ]*[\])]$")


def asserted(code: str) -> Iterator[Claim]:
    """An assertion says that it holds."""
    for n, line in enumerate(code.split("\n"), 1):
        if _AT_THE_MARGIN.match(line):
            yield Claim(kind=ClaimKind.RUNS, text=line.strip(), line=n, end_line=n)


def only_called_wrong(claim: Claim) -> bool:
    """Whether it is said to be wrong in no word of an error: then it need not raise one."""
    names = claim.type or claim.message or FAILS.search(claim.text)
    return claim.kind is ClaimKind.ERROR and not names


def called_wrong(noted: Sequence[Comment]) -> Iterator[Claim]:
    """What a comment calls incorrect: of a `try` it says that its error comes."""
    for c in noted:
        if INCORRECT.match(c.text):
            line, last = c.first or c.line, c.last or c.line
            yield Claim(kind=ClaimKind.ERROR, text=c.text, line=line, end_line=last)


def printed_beside(noted: Sequence[Comment], code: str) -> Iterator[Claim]:
    """What a comment beside, below or above a print says that it prints."""
    lines = code.split("\n")
    for n, comment in enumerate(noted):
        if len(comment.text) > _LONGEST:
            continue
        says = _SAYS_OUTPUT.match(comment.text)
        text = next((g for g in says.groups() if g), "").strip() if says else comment.text
        alone = comment.alone or not re.fullmatch(rf"\W*(?:{LITERAL})\W*", text)
        if alone and not says:
            continue
        below = _lines_below(noted[n + 1 :], replace(comment, text=text))
        text = "\n".join([text, *(c.text for c in below)]).strip()
        line = print_for(lines, comment, below[-1].line if below else comment.line)
        value = _value(text) if line else ""
        if not value:
            continue
        rest = f"{comment.text}\n{text}".replace(value, "")
        may_differ = _VARIES.search(rest) or "xample" in rest or "cuda" in value or "..." in value
        by_chance = _RANDOM.search(code) is not None and not _STAYS.match(value)
        asked = _OF_THE_MACHINE.search(lines[line - 1])
        yield Claim(
            kind=ClaimKind.PRINTS, text=comment.text, printed=value, end_line=line,
            line=1 if comment.alone else line,  # it may show what several prints write
            pointed=not (may_differ or by_chance or asked),
        )  # fmt: skip


def _value(text: str) -> str:
    """The value that a comment shows; empty if there is none, as in `2 because there are two`."""
    first = re.match(rf"[^\w(\[-]*({LITERAL})", text)
    if first and not re.fullmatch(r"-?[\d.]+", first[1]):
        return first[1]
    if labelled := re.match(rf"[^\n]{{1,60}}?[:=]\s*(?:\n\s*)?({LITERAL})", text):
        return labelled[1]
    goes_on = first is not None and re.match(r"[\w`]", text[first.end() :].strip(" .)"))
    return first[1] if first and not goes_on else ""


def print_for(lines: Sequence[str], comment: Comment, last: int) -> int:
    """The print that a comment is about: on its line, above it, or right below; 0 if none is.

    `last`: the last line of what the comment shows.
    """
    if not comment.alone:
        return comment.line if _PRINT.match(lines[comment.line - 1]) else 0
    near = range(comment.line - 1, max(0, comment.line - 1 - _NEAR), -1)
    above = next((n for n in near if _PRINT.match(lines[n - 1])), 0)
    below = last < len(lines) and _PRINT.match(lines[last])
    return last + 1 if below and not (above and lines[comment.line - 2].strip()) else above


def _lines_below(noted: Sequence[Comment], above: Comment) -> list[Comment]:
    """The comments that go on with a value over several lines."""
    found: list[Comment] = []
    whole, line = above.text, above.line
    for comment in noted if above.alone or whole.count("[") > whole.count("]") else ():
        # A tensor of three dimensions is printed with a blank line between its matrices.
        if not comment.alone or comment.line > line + 2 or not _GOES_ON.match(comment.text):
            break
        found.append(comment)
        whole, line = whole + comment.text, comment.line
    return found
