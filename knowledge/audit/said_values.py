"""Find what is said of a printed value in words: about how much, not None, on which device."""

from __future__ import annotations

import re
from collections.abc import Iterator

from knowledge.audit.chance import RANDOM
from knowledge.audit.model import Claim, ClaimKind
from knowledge.audit.prints import place_of
from knowledge.audit.said_output import print_for
from knowledge.audit.text import Comment
from knowledge.audit.wording import HEDGED, WEAK, is_carried_out

_NUMBER = r"-?\d+(?:\.\d+)?(?:e-?\d+)?(?![\w.]*\w)"
_ROUGH = re.compile(
    r"(?:\b(?:approx(?:imately|\.)?|roughly|about|around|(?:very )?close to|nearly|almost)|[~≈])"
    rf"\s*(?:equal to )?((?:tensor|array)\([^()]*\)|\[[\d\[\]., e+-]+\]|{_NUMBER}"
    rf"(?:(?:, and|,| and)? ~?{_NUMBER})*)",
    re.I,
)
_NOT_NONE = re.compile(
    r"\b(?:is|be|are|stays?|remains?)\b(?: now| also| still)? (?:not `?None`?|non-None)(?!\w)"
    r"|^\W*(?:now )?(?:not None|non-None)\b"
    r"|\bgradient (?:now )?exists\b|\bgradient is (?:now )?(?:available|present|there)\b",
    re.I,
)
_ON = re.compile(r"\b(?:on|in) (?:the |a )?(cpu|gpu|cuda)\b|^\W*(cpu|cuda)\b(?!:)", re.I)
_CLASS = re.compile(
    r"(?:\b(?:is|are|be|becomes)\b(?: \w+){0,3}? |^\W*(?:output:?\s*)?)(?:an? |still |now )*`?"
    r"(?:standard )?(?:(?P<tensor>(?:torch\.|pytorch )?tensor)"
    r"|(?P<array>(?:numpy )?(?:nd)?array|np\.ndarray)"
    r"|(?P<list>(?:python )?list)|(?P<int>(?:python )?int(?:eger)?)|(?P<float>(?:python )?float)"
    r"|(?P<number>python (?:scalar|number)))\b",
    re.I,
)
_GRADIENT = re.compile(r"^\W*(?:output|prints?)\b.*\b(?:gradients?|tensor)\b", re.I)
_A_TENSOR = re.compile(r"^\W*output:\s*(?:an? )?(?:\w+ )?tensor\b(?!\s*\()", re.I)
_NO_GRADIENT = re.compile(r"\b(?:none|no|not|without|zeros?|accumul\w+|n['’]t)\b", re.I)
_SAYS_IT_IS = re.compile(r"\b(?:is|are|still|now|remains?|stays?|output)\b", re.I)
_PRINTS_DEVICE = re.compile(r"\.device\b|get_device\(")
_PRINTS_CLASS = re.compile(r"\btype\((?:[^()]|\([^()]*\))+\)")
_PRINTS_GRADIENT = re.compile(r"print\([^()]*\.grad\s*[,)}]")


def told_of_prints(noted: list[Comment], code: list[str]) -> Iterator[Claim]:
    """Comments beside, above or below a print that tell its value in words."""
    whole = "\n".join(code)
    for comment in noted:
        line = comment.line
        if comment.alone:
            line = print_for(code, comment.line, comment.line)
        if not line or not re.match(r"\s*print\(", code[line - 1]):
            continue
        told = _told(comment.text, code[line - 1].split("#")[0])
        if told is None or HEDGED.search(comment.text):
            continue
        if told.look and comment.alone and not _SAYS_IT_IS.search(comment.text):
            continue  # `# Compute it on the CPU`: what is done
        place = None if comment.alone else place_of(whole, line)
        certain = told.pointed and place is not None and is_carried_out(code, line)
        if told.rough and RANDOM.search(whole):
            certain = False
        yield told.model_copy(
            update={"line": line, "end_line": line, "place": place, "pointed": certain}
        )


def _told(text: str, printing: str) -> Claim | None:
    claim = Claim(kind=ClaimKind.PRINTS, text=text)
    if match := _ROUGH.search(text):
        return claim.model_copy(update={"printed": match[1], "rough": True})
    if WEAK.search(text):
        return None
    if _NOT_NONE.search(text):
        return claim.model_copy(update={"printed": "None", "absent": True})
    look = ""
    if _PRINTS_DEVICE.search(printing) and (match := _ON.search(text)):
        look = (match[1] or match[2]).lower().replace("gpu", "cuda")
    elif _PRINTS_CLASS.search(printing) and (match := _CLASS.search(text)):
        look = match.lastgroup or ""
    elif _PRINTS_GRADIENT.search(printing) and _GRADIENT.search(text):
        look = "" if _NO_GRADIENT.search(text) else "tensor"
    elif _A_TENSOR.search(text):
        look = "tensor"
    if not look:
        return None
    # `the gradient of x` beside a None is a label; where there is no GPU, none is printed.
    return claim.model_copy(update={"look": look, "pointed": look not in ("tensor", "cuda")})
