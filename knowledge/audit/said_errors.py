"""Find the errors that a document says its code raises."""

from __future__ import annotations

import re
from collections.abc import Iterator

from knowledge.audit.model import Claim, Kind
from knowledge.audit.text import Block, Comment
from knowledge.audit.wording import (
    HEDGED,
    LATER,
    NO_ERROR,
    RAISES,
    SHOWS_ERROR,
    THIS,
    TYPE,
    WEAK,
    in_function,
    is_code,
    margin,
    what,
)

_LABEL = re.compile(
    rf"^(?:\W*)({TYPE})\b(?: ?[:(-].*|$)|^\W*(?i:runtime|value|type|index|key|attribute|shape"
    r"|dimension|size|dtype|device|oom|memory)(?i: mismatch)?(?i: errors?)\b(?! (?:handling|check))"
)
_SAYS_ERROR = re.compile(
    r"^\W*(?:error|exception|bad|wrong)\s*[:!–-]|^\W*(?:shape|size|dimension|type|dtype|device)"
    r" mismatch\b", re.I,
)  # fmt: skip


_IS_CAUGHT = re.compile(
    rf"\b(?:will|should) (?:\w+ ){{0,3}}?(?:an?|the|this)\b.{{0,40}}?\b(?:error|exception|{TYPE})\b"
    rf"|^(?:the )?(?:error|{TYPE}) will\b|^error message\b"
    r"|\bprints (?:an?|the) (?:\w+ )?error\b", re.I,
)  # fmt: skip


def errors_in_comments(noted: list[Comment], code: list[str]) -> Iterator[Claim]:
    """`# this will fail`, `# RuntimeError: …`, beside a line or above it."""
    for comment in noted:
        text = comment.text
        is_label = bool(_LABEL.match(text))
        tried = _tried(code, comment.line)
        raises = RAISES.search(text) or (tried and _IS_CAUGHT.search(text))
        if comment.first is None or not (is_label or raises or _SAYS_ERROR.match(text)):
            continue
        # A message may say `cannot` or `trying to` itself.
        told = re.sub(rf"({TYPE}): .*", r"\1", text)
        hedged = HEDGED.search(told) or re.search(r"\b(?:if|unless|may|might|could)\b", text)
        if NO_ERROR.search(told) or hedged or is_code(text):
            continue
        if re.search(r"\berrors\b", text) and not re.search(r"\b(?:this|will)\b", text, re.I):
            continue  # `wrong sizes lead to errors`: of sizes in general
        first, last = comment.first, comment.last
        assert last is not None
        if tried:
            # `print(e)  # will print an error`: of what was tried above.
            first, last = tried, comment.line
        anchor = code[first - 1].strip()
        if re.match(r"(?:except|raise|def|class|import|from|else|elif|return None|print\(f?[\"'])",
                    anchor):  # fmt: skip
            continue
        reached = not any(in_function(code, n) for n in range(first, last + 1))
        weak = WEAK.search(re.sub(r"^\W*attempt\w*|\bwill catch\b", "", text, flags=re.I))
        # `# Error: the sizes differ` may also explain what is wrong without a word on a run.
        said = is_label or bool(raises) or text.startswith("ERROR")
        type_, message = what(text)
        yield Claim(
            kind=Kind.ERROR, text=text, line=first, end_line=last, type=type_,
            message=message, pointed=said and reached and weak is None,
        )  # fmt: skip


_UNREACHED = re.compile(
    r"\b(?:not|never|n['’]t)(?: be)? (?:reach|execut|get here|get printed|printed"
    r"|run\b|happen)", re.I
)  # fmt: skip


def unreached(noted: list[Comment], code: list[str]) -> Iterator[Claim]:
    """`print("done")  # this line is never reached`: something in the `try` above it raises."""
    for comment in noted:
        if comment.alone or not _UNREACHED.search(comment.text) or HEDGED.search(comment.text):
            continue
        first = _opener(code, comment.line)
        if first and code[first - 1].strip().startswith("try"):
            yield Claim(
                kind=Kind.ERROR, text=comment.text, line=first, end_line=comment.line,
                pointed=not in_function(code, first),
            )  # fmt: skip


def _opener(code: list[str], line: int) -> int:
    """The line that opens the block in which a line stands; 0 at the margin."""
    inside = margin(code[line - 1])
    return next((n for n in range(line - 1, 0, -1)
                 if code[n - 1].strip() and margin(code[n - 1]) < inside), 0)  # fmt: skip


def _tried(code: list[str], line: int) -> int | None:
    """The `try` whose handler prints on this line what it caught."""
    if not re.match(r"\s*(?:print|log\w*\.\w+)\(.*\be\b", code[line - 1]):
        return None
    above = _opener(code, line)
    if not above or not code[above - 1].strip().startswith("except"):
        return None
    return next((n for n in range(above - 1, 0, -1) if code[n - 1].strip().startswith("try")
                 and margin(code[n - 1]) == margin(code[above - 1])), None)  # fmt: skip


def errors_in_prose(told: tuple[str, ...], code: str, *, after: bool) -> Iterator[Claim]:
    """`This raises a ValueError.`, after the block or before it."""
    for n, sentence in enumerate(told):
        raises = RAISES.search(sentence) is not None
        shows = SHOWS_ERROR.search(sentence) is not None
        if not (raises or shows):
            continue
        if NO_ERROR.search(sentence) or HEDGED.search(sentence):
            continue
        before = told[n - 1] if n else ""
        if re.match(r"(?:This|That|It)\b", sentence) and HEDGED.search(before):
            continue
        of_this = THIS.search(sentence) is not None or _names_a_part(sentence, code)
        pointed = raises and of_this
        if not after:
            # Before the block only what introduces it is about it.
            pointed = bool(
                re.search(r"\b(?:following|below|this) (?:\w+ )?(?:code|example|snippet)", sentence)
                and n == len(told) - 1
            )
        elif LATER.search(sentence) and not re.search(r"\b(?:this|above)\b", sentence, re.I):
            continue
        type_, message = what(sentence)
        if raises and after and type_ and re.search(rf"except\b[^\n]*\b{type_}\b", code):
            pointed = True  # the block catches just that
        yield Claim(
            kind=Kind.ERROR, text=sentence, type=type_, message=message,
            pointed=pointed and not WEAK.search(sentence.split(",")[0]),
            of_this=after and (of_this or shows),
        )  # fmt: skip


_SHOWN_ERROR = re.compile(r"^\s*except\b[^\n]*:\s*\n\s*(?:print|logging\.\w+|logger\.\w+)\(", re.M)


_SUBJECT = re.compile(
    r"`([\w.]+)(?:\(.*?\))?`,?[^`]{0,120}?\b(?:will (?:raise|throw|fail)|raises|throws|fails"
    r"|resulting in|results in|causing|causes|triggers|triggering)\b"
)


def _names_a_part(sentence: str, code: str) -> bool:
    """``bad_input` throws the error`: a name that this block gives to something of its own."""
    subject = _SUBJECT.search(sentence)
    name = re.escape(subject[1]) if subject else ""
    return bool(name) and re.search(rf"^\s*(?:def )?{name}\s*(?:=(?!=)|\()", code, re.M) is not None


def provoked(
    block: Block, noted: list[Comment], code: list[str], found: list[Claim]
) -> Iterator[Claim]:
    """`try: # incorrect … except: print(e)`: whoever writes that expects an error there."""
    if not _SHOWN_ERROR.search(block.code) or any(
        c.kind is Kind.ERROR and c.pointed for c in found
    ):
        return
    tries = [n for n, line in enumerate(code, 1) if re.match(r"\s*try\s*:", line)]
    for n in tries:
        end = next((m for m in range(n + 1, len(code) + 1)
                    if code[m - 1].strip().startswith("except")
                    and margin(code[m - 1]) == margin(code[n - 1])), None)  # fmt: skip
        if end is None or in_function(code, n):
            continue
        within = [c for c in noted if n - 2 <= c.line < end]
        if len(tries) == 1:
            within = noted
        wrong = next(
            (c for c in within if re.match(r"\W*incorrect|.*\(incorrect\)", c.text, re.I)), None
        )
        if (
            wrong is not None
            and not HEDGED.search(wrong.text)
            and not WEAK.search(re.sub(r"attempt\w*", "", wrong.text, flags=re.I))
        ):
            yield Claim(kind=Kind.ERROR, text=wrong.text, line=n, end_line=end)
