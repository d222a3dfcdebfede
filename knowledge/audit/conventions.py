"""Find claims in the exact form that code gives them: output beside a print, an assertion."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from knowledge.audit.bindings import tries
from knowledge.audit.chance import left_to_chance
from knowledge.audit.features import TYPE
from knowledge.audit.model import Claim, ClaimKind
from knowledge.audit.prints import is_carried_out, place_of
from knowledge.audit.symbols import constants, shape_of
from knowledge.audit.text import Comment

LITERAL = (
    r"[tT]orch\.Size\(\[[\d, ]*\]\)|torch\.[a-z]+\d+"
    r"|(?:(?:torch\.)?tensor|(?:np\.|numpy\.)?array)\((?:[^()]|\([^()]*\)){0,2000}\)"
    r"|\((?:None|-?\d+)(?:, *-?\d+)*,?\)|\[[\d\[\]., eE+-]+\]"
    r"|\[(?:'[^'\n]*'(?:, *)?)+\]|True|False|None|(?:true|false)(?=\W*$)|device\([^)]*\)"
    r"|\bcpu\b|\bcuda(?::\d+)?|(?<![\w.])-?\d+(?:\.\d+)?(?:e-?\d+)?(?![\w.]*\w)"
)
# `Output: 2`, `prints 2`, `-> 2`, and a value alone.
_SAYS_OUTPUT = re.compile(
    r"^\W*(?:expected |example )?(?:outputs?|prints?|printed|expected|expects?|result"
    r"|(?:produces|displays|shows|gives|yields)(?=:)|(?:this )?(?:will|should) (?:print|output|be))"
    r"\b(?: (?:will|should) be| shape(?: is| will be)?)?\s*[:=]?\s*(.*)$"
    r"|^\W*(?:→|=>|->|>>>)\s*(.*)$",
    re.I | re.S,
)
_VARIES = re.compile(
    r"\b(?:var(?:y|ies)|e\.g|approx\w*|similar|something|like|depend\w*|or|random\w*|some|may|might"
    r"|if|about|around|roughly)\b|~|…|\.\.\.",
    re.I,
)
_AT_THE_MARGIN = re.compile(r"(?:assert\b|(?:\w+\.)*assert_(?:close|allclose|equal|array_equal)\()")
_LONGEST = 2_000  # letters of an output
_INCORRECT = re.compile(r"\W*(?:incorrect|wrong)\b|.*\((?:incorrect|wrong)\b", re.I)
# Whose absence a block provides for, rather than provokes.
_PROVIDED_FOR = re.compile(r"\b(?:Import|ModuleNotFound|FileNotFound|Permission|Keyboard)\w*")
_SIZES = re.compile(r"[(\[]((?=[^()\[\]]*[A-Za-z_])[\w*/+ -]+(?:,[\w*/+ -]+)+),?[)\]]")


def asserted(code: str) -> Iterator[Claim]:
    """An assertion says that it holds."""
    for n, line in enumerate(code.split("\n"), 1):
        if _AT_THE_MARGIN.match(line):
            yield Claim(kind=ClaimKind.RUNS, text=line.strip(), line=n, end_line=n)


def provoked(noted: Sequence[Comment], code: str) -> Iterator[Claim]:
    """Whoever tries what a comment calls incorrect, and prints the error, says that one comes."""
    told = [t for t in tries(code) if t.tells and not _PROVIDED_FOR.search(t.handles)]
    for one in told:
        near = [c for c in noted if one.first - 2 <= c.line < one.handler]
        near += noted if len(told) == 1 else []
        wrong = next((c.text for c in near if _INCORRECT.match(c.text)), "")
        if wrong and not one.in_function:
            yield Claim(kind=ClaimKind.ERROR, text=wrong, line=one.first, end_line=one.last)


def shown_output(shown: str, code: str) -> Iterator[Claim]:
    """The output that stands in a fence below the block."""
    text = shown.strip()
    if not text or _VARIES.search(text):
        return
    last = text.splitlines()[-1]
    if re.match(rf"{TYPE}: ", last):
        type_, _, message = last.partition(": ")
        type_ = type_.rpartition(".")[2]
        yield Claim(kind=ClaimKind.ERROR, text=last, type=type_, message=message, pointed=False)
    elif len(text) <= _LONGEST:
        certain = not left_to_chance(text, code, "")
        yield Claim(kind=ClaimKind.PRINTS, text=text, printed=text, pointed=certain)


def printed_beside(noted: Sequence[Comment], code: str) -> Iterator[Claim]:
    """What a comment beside, below or above a print says that it prints."""
    lines = code.split("\n")
    known = constants(code)
    taken: set[int] = set()
    for n, comment in enumerate(noted):
        if comment.line in taken or len(comment.text) > _LONGEST:
            continue
        spelled = _SIZES.sub(lambda m: _in_numbers(m, known), comment.text)
        says = _SAYS_OUTPUT.match(spelled)
        text = next((g for g in says.groups() if g), "").strip() if says else spelled
        if not says and not re.fullmatch(rf"\W*(?:{LITERAL})\W*", text):
            continue
        below = _lines_below(noted[n + 1 :], replace(comment, text=text))
        line = print_for(lines, comment, below[-1].line if below else comment.line)
        if not line or (comment.alone and not says):
            continue
        if not text and not below:
            yield from _label_by_label(noted[n + 1 :], comment, code, line)
            continue
        taken |= {c.line for c in below}
        told = _claim(comment, "\n".join([text, *(c.text for c in below)]).strip(), code, line)
        if told is not None:
            yield told


def _claim(comment: Comment, text: str, code: str, line: int) -> Claim | None:
    """The claim that a print writes a value; none if the text holds no value."""
    value = _value(text, code)
    if not value:
        return None
    rest = f"{comment.text}\n{text}".replace(value, "")
    may_differ = _VARIES.search(rest) or "xample" in rest or "cuda" in value or "..." in value
    return Claim(
        kind=ClaimKind.PRINTS,
        text=comment.text,
        line=line,
        end_line=line,
        printed=value,
        pointed=not may_differ
        and is_carried_out(code, line)
        and not left_to_chance(value, code, code.split("\n")[line - 1]),
        place=None if comment.alone else place_of(code, line),
    )


def _value(text: str, code: str) -> str:
    """The value that a comment shows; empty if there is none, as in `2 because there are two`."""
    first = re.match(rf"[^\w(\[-]*({LITERAL})", text)
    if re.fullmatch(r"-?\d[\d.]*(?:[ ,]+-?\d[\d.]*)+", text):
        return text
    if first and not re.fullmatch(r"-?[\d.]+", first[1]):
        return first[1]
    if labelled := re.match(rf"[^\n]{{1,60}}?[:=]\s*(?:\n\s*)?({LITERAL})", text):
        return labelled[1]
    if first:
        return "" if re.match(r"[\w`]", text[first.end() :].strip(" .)")) else first[1]
    label = re.match(r"([^:\n]{3,60}:) ", text)
    bare = "\n".join(line.split("#", 1)[0] for line in code.split("\n"))
    return text if label is not None and label[1] in bare else ""


def _label_by_label(
    noted: Sequence[Comment], above: Comment, code: str, line: int
) -> Iterator[Claim]:
    """`# Output:` with one line for each print, which begins with the label that is printed."""
    bare = "\n".join(line for line in code.split("\n") if not line.lstrip().startswith("#"))
    for count, comment in enumerate(noted, 1):
        label = re.match(r"([^:\n]{3,60}:)", comment.text)
        if comment.line != above.line + count or not label or label[1] not in bare:
            return
        told = _claim(comment, comment.text, bare, line) if line <= len(code) else None
        if told is not None:
            yield told.model_copy(update={"pointed": told.pointed and "xample" not in above.text})


def print_for(lines: Sequence[str], comment: Comment, last: int) -> int:
    """The print that a comment is about: on its line, above it, or right below; 0 if none is.

    `last`: the last line of what the comment shows.
    """
    if not comment.alone:
        return comment.line if _is_print(lines[comment.line - 1]) else 0
    above = seen = 0
    for n in range(comment.line - 1, 0, -1):
        text = lines[n - 1]
        if _is_print(text):
            above = n
            break
        seen += bool(text.strip()) and not text.lstrip().startswith("#")
        if seen > 3 or (not text.strip() and seen) or re.match(r"\s*(?:def|class)\b", text):
            break
    below = last < len(lines) and _is_print(lines[last])
    return last + 1 if below and not (above and lines[comment.line - 2].strip()) else above


def _is_print(line: str) -> bool:
    return re.match(r"\s*print\(", line) is not None


def _lines_below(noted: Sequence[Comment], above: Comment) -> list[Comment]:
    """The comments that go on with a value over several lines."""
    found: list[Comment] = []
    whole, line = above.text, above.line
    if not above.alone and whole.count("[") <= whole.count("]"):
        return []
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


def _in_numbers(sizes: re.Match[str], known: dict[str, int]) -> str:
    """`(batch, 10)` as `(32, 10)`, if the block says what batch is."""
    shape = shape_of(sizes[1], known)
    return str(shape) if shape is not None else sizes[0]
