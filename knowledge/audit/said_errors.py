"""Find the errors that a document says its code raises."""

from __future__ import annotations

import re
from collections.abc import Iterator

from knowledge.audit.model import Claim, ClaimKind
from knowledge.audit.provoked import tried
from knowledge.audit.text import Comment
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
    main_clause,
    what,
)

_LABEL = re.compile(
    rf"^(?:\W*)({TYPE})\b(?: ?[:(-].*|$)|^\W*(?i:runtime|value|type|index|key|attribute|shape"
    r"|dimension|size|dtype|device|oom|memory)(?i: mismatch)?(?i: errors?)\b(?! (?:handling|check))"
)
_SAYS_ERROR = re.compile(
    r"^\W*(?:error|exception|bad|wrong)\s*[:!–-]|^\W*(?:shape|size|dimension|type|dtype|device)"
    r" mismatch\b",
    re.I,
)


_IS_CAUGHT = re.compile(
    rf"\b(?:will|should) (?:\w+ ){{0,3}}?(?:an?|the|this)\b.{{0,40}}?\b(?:error|exception|{TYPE})\b"
    rf"|^(?:the )?(?:error|{TYPE}) will\b|^error message\b"
    r"|\bprints (?:an?|the) (?:\w+ )?error\b",
    re.I,
)


_OR_ANOTHER = re.compile(r"\bor (?:an)?other (?:\w+ )?(?:errors?|exceptions?)\b", re.I)
_HERE = re.compile(
    r"^\W*attempt\w*|\bwill catch\b|\bwhen (?:passed|called|run|executed|applied|used)\b", re.I
)


def errors_in_comments(noted: list[Comment], code: list[str]) -> Iterator[Claim]:
    """`# this will fail`, `# RuntimeError: …`, beside a line or above it."""
    for comment in noted:
        text = comment.text
        is_label = bool(_LABEL.match(text))
        attempt = tried(code, comment.line)
        raises = RAISES.search(text) or (attempt and _IS_CAUGHT.search(text))
        if comment.first is None or not (is_label or raises or _SAYS_ERROR.match(text)):
            continue
        # A message may say `cannot` or `trying to` itself.
        told = re.sub(rf"({TYPE}): .*", r"\1", main_clause(text))
        hedged = HEDGED.search(told) or re.search(r"\b(?:if|unless|may|might|could)\b", text)
        if NO_ERROR.search(told) or hedged or is_code(text):
            continue
        if re.search(r"\berrors\b", text) and not re.search(r"\b(?:this|will)\b", text, re.I):
            continue  # `wrong sizes lead to errors`: of sizes in general
        first, last = comment.first, comment.last
        assert last is not None
        if attempt:
            # `print(e)  # will print an error`: of what was tried above.
            first, last = attempt, comment.line
        anchor = code[first - 1].strip()
        if re.match(
            r"(?:except|raise|def|class|import|from|else|elif|return None|print\(f?[\"'])", anchor
        ):
            continue
        reached = not any(in_function(code, n) for n in range(first, last + 1))
        weak = WEAK.search(_HERE.sub("", text))
        # `# Error: the sizes differ` may also explain what is wrong without a word on a run.
        said = is_label or bool(raises) or text.startswith("ERROR")
        type_, message = what(text)
        if _OR_ANOTHER.search(text):
            type_ = ""
        yield Claim(
            kind=ClaimKind.ERROR,
            text=text,
            line=first,
            end_line=last,
            type=type_,
            message=message,
            pointed=said and reached and weak is None,
        )


def errors_in_prose(told: tuple[str, ...], code: str, *, after: bool) -> Iterator[Claim]:
    """`This raises a ValueError.`, after the block or before it."""
    for n, sentence in enumerate(told):
        raises = RAISES.search(sentence) is not None
        shows = SHOWS_ERROR.search(sentence) is not None
        if not (raises or shows):
            continue
        said = main_clause(sentence)
        if raises and not RAISES.search(said):
            said = sentence  # it is the reason that speaks of an error
        if NO_ERROR.search(said) or HEDGED.search(said):
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
            kind=ClaimKind.ERROR,
            text=sentence,
            type=type_,
            message=message,
            pointed=pointed and not WEAK.search(said.split(",")[0]),
            of_this=after and (of_this or shows or _calls_a_part(sentence, code)),
        )


_SUBJECT = re.compile(
    r"`([\w.]+)(?:\(.*?\))?`,?[^`]{0,120}?\b(?:will (?:raise|throw|fail)|raises|throws|fails"
    r"|resulting in|results in|causing|causes|triggers|triggering)\b"
)


def _names_a_part(sentence: str, code: str) -> bool:
    """``bad_input` throws the error`: a name that this block gives to something of its own."""
    subject = _SUBJECT.search(sentence)
    name = re.escape(subject[1]) if subject else ""
    return bool(name) and re.search(rf"^\s*(?:def )?{name}\s*(?:=(?!=)|\()", code, re.M) is not None


def _calls_a_part(sentence: str, code: str) -> bool:
    """``torch.cat` fails`, where the block calls it."""
    named = re.findall(r"`([\w.]+)(?:\(.*?\))?`", sentence)
    return any(re.search(rf"(?<![\w.]){re.escape(name)}\(", code) for name in named)
