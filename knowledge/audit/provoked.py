"""Find where a block tries what its document says must fail: `try: … except …: print(e)`."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from knowledge.audit.model import Claim, ClaimKind
from knowledge.audit.text import Block, Comment
from knowledge.audit.wording import (
    HEDGED,
    NO_ERROR,
    RAISES,
    heads,
    in_function,
    is_code,
    main_clause,
    margin,
)

_UNREACHED = re.compile(
    r"\b(?:not|never|n['’]t)(?: be)? (?:reach|execut|get here|get printed|printed"
    r"|run\b|happen)",
    re.I,
)


def unreached(noted: list[Comment], code: list[str]) -> Iterator[Claim]:
    """`print("done")  # this line is never reached`: something in the `try` above it raises."""
    for comment in noted:
        if comment.alone or not _UNREACHED.search(comment.text) or HEDGED.search(comment.text):
            continue
        first = next(heads(code, comment.line), 0)
        if first and code[first - 1].strip().startswith("try"):
            yield Claim(
                kind=ClaimKind.ERROR,
                text=comment.text,
                line=first,
                end_line=comment.line,
                pointed=not in_function(code, first),
            )


_UNPRINTED = re.compile(
    r"\b(?:should|will|does|must)(?: not|n['’]t) (?:be )?(?:print\w*|happen\w*|occur\w*|reach\w*"
    r"|raise\w*)"
    r"|\bnever (?:printed|reached|happens)",
    re.I,
)


def unprinted(noted: list[Comment], code: list[str]) -> Iterator[Claim]:
    """`except …: print(e)  # this should not print`: what is tried above it works."""
    for comment in noted:
        first = tried(code, comment.line) if _UNPRINTED.search(comment.text) else None
        if first and not comment.alone and not in_function(code, first):
            yield Claim(kind=ClaimKind.RUNS, text=comment.text, line=first, end_line=comment.line)


def tried(code: list[str], line: int) -> int | None:
    """The `try` whose handler prints on this line what it caught."""
    if not re.match(r"\s*(?:print|log\w*\.\w+)\(.*\be\b", code[line - 1]):
        return None
    above = next(heads(code, line), 0)
    if not above or not code[above - 1].strip().startswith("except"):
        return None
    return next(
        (
            n
            for n in range(above - 1, 0, -1)
            if code[n - 1].strip().startswith("try")
            and margin(code[n - 1]) == margin(code[above - 1])
        ),
        None,
    )


_TELLS = re.compile(r"(?:print|log\w*\.\w+)\(")
# Whose absence a block provides for, rather than provokes.
_PROVIDED_FOR = re.compile(r"\b(?:Import|ModuleNotFound|FileNotFound|Permission|Keyboard)\w*")
_WRONG = re.compile(
    r"\b(?:incorrect\w*|wrong\w*|invalid|mismatch\w*|incompatible|inconsistent|unsupported"
    r"|fails?|failure|raises?|throws?|crash\w*|not work|problematic"
    r"|(?:an|the|this|[a-z]+) error)\b",
    re.I,
)
_PROVIDES = re.compile(
    r"\b(?:handl\w*|catch\w*|check\w*|in case|if|unless|robust\w*|graceful\w*|to avoid|prevent\w*"
    r"|potential\w*|may|might|could|correct(?:ed|ly)?|fix\w*|valid|no error|without|possible"
    r"|safe\w*|assum\w*|real|reality|later|(?:be|is|are|gives?) incorrect"
    r"|incorrect (?:results?|outputs?|class\w+|values?|gradients?|predictions?|comput\w+)"
    r"|not (?:raise|throw|fail))\b|n['’]t\b",
    re.I,
)


_LABEL = re.compile(r"\W*incorrect|.*\(incorrect\b", re.I)


def provoked(
    block: Block, noted: list[Comment], code: list[str], found: Sequence[Claim]
) -> Iterator[Claim]:
    """Whoever tries what is called wrong, and prints what comes of it, says that an error comes.

    Called so by a comment at the `try`, or in the prose if the block tries one thing only.
    """
    tries = [span for n in range(1, len(code) + 1) if (span := _told_of(code, n))]
    said = {(c.line, c.end_line) for c in found if c.kind is ClaimKind.ERROR and c.pointed}
    for first, last in tries:
        if in_function(code, first) or any(a and first <= a <= last for a, _ in said):
            continue
        near = [c for c in noted if first - 2 <= c.line < last]
        if any(c.alone and c.line > first and is_code(c.text) for c in near):
            continue  # what was to fail there is taken out
        wrong = next((c.text for c in near if _calls_wrong(c.text)), "")
        if not wrong and len(tries) == 1:
            wrong = next(
                (c.text for c in noted if _LABEL.match(c.text) and _calls_wrong(c.text)), ""
            )
        if not wrong and len(tries) == 1 and (None, None) not in said:
            wrong = next((s for s in (*block.follow, *block.lead) if _announces(s)), "")
        if not wrong and re.search(r"(?<!un)\bexpected\b", code[last]):
            wrong = code[last].strip()  # its handler says so
        if wrong:
            yield Claim(kind=ClaimKind.ERROR, text=wrong, line=first, end_line=last)


def _told_of(code: list[str], line: int) -> tuple[int, int] | None:
    """A `try` at this line with the line where its handler tells of the error."""
    if not re.match(r"\s*try\s*:", code[line - 1]):
        return None
    for n in range(line + 1, len(code) + 1):
        text = code[n - 1]
        if not text.strip() or margin(text) != margin(code[line - 1]):
            continue
        tells = n < len(code) and _TELLS.match(code[n].strip())
        if not text.strip().startswith("except") or _PROVIDED_FOR.search(text) or not tells:
            return None
        return line, n
    return None


def _calls_wrong(comment: str) -> bool:
    return bool(_WRONG.search(comment)) and not _PROVIDES.search(comment)


_HEADING = re.compile(
    r"\W*(?:code )?(?:example|scenario|case|step)\b[^.]*\b(?:incorrect|wrong)\b", re.I
)


def _announces(sentence: str) -> bool:
    said = main_clause(sentence)
    if NO_ERROR.search(said) or HEDGED.search(said) or re.search(r"\bwould\b", said, re.I):
        return False
    return bool(_HEADING.match(said) or RAISES.search(said))
