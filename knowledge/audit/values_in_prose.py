"""Find what sentences say of printed values in words: on which device, of which class, not None."""

from __future__ import annotations

import re
from collections.abc import Iterator

from knowledge.audit.model import Claim, ClaimKind
from knowledge.audit.printed import ONE_DEVICE
from knowledge.audit.wording import HEDGED, LATER, NO_ERROR, WEAK

_IS = (
    r"\b(?:is|are|be|becomes?|remains?|stays?|resides?|lives?)\b"
    r"(?: (?:now|also|still|both|all|\w+ly))*"
)
_RETURNS = rf"(?:{_IS}|\b(?:returns?|yields?|gives?|produces?|prints?|outputs?)\b)(?: an?)?"
# What is said, and what the code must print so that a run can tell.
_TOLD: tuple[tuple[str, re.Pattern[str], str], ...] = tuple(
    (look, re.compile(said, re.I), printing)
    for look, said, printing in (
        ("cpu", rf"{_IS}(?: \w+)? (?:on|in) (?:the )?`?cpu\b", r"\.device\b|get_device\("),
        ("cuda", rf"{_IS}(?: \w+)? (?:on|in) (?:the |a )?`?(?:gpu|cuda)\b", r"\.device\b"),
        (ONE_DEVICE, rf"{_IS}(?: \w+)? on the same device\b", r"\.device\b"),
        (
            "complex",
            rf"{_RETURNS} complex(?:-valued)? (?:\w+ )?(?:tensor|number|value|array)s?\b",
            "",
        ),
        ("boolean", rf"{_RETURNS} bool(?:ean)?(?: (?:tensor|mask|value|array)s?)?\b(?! index)", ""),
        ("array", rf"{_RETURNS} `?(?:numpy(?:\.| )(?:nd)?array|(?:np\.)?ndarray)", r"\btype\("),
        ("tensor", rf"{_RETURNS} (?:pytorch |`?torch\.|`)tensor\b", r"\btype\("),
        ("list", rf"{_RETURNS} (?:python )?`?list\b", r"\btype\("),
        ("int", rf"{_RETURNS} (?:python )?`?int(?:eger)?\b", r"\btype\("),
        ("float", rf"{_RETURNS} (?:python )?`?float\b", r"\btype\("),
        (
            "graph",
            r"\b(?:has|have|having|with) an? (?:\w+ )?`?(?:[\w.]+\.)?grad_fn\b",
            r"\bgrad_fn",
        ),
    )
)
_NO_GRADIENT = re.compile(
    r"\bgradients?\b[^.;`]{0,40}?\b(?:is|are|be|being|remains?|stays?)"
    r" (?:still |also |therefore )?`?None\b",
    re.I,
)


def values_told(told: tuple[str, ...], code: str) -> Iterator[Claim]:
    """`The result is still on the CPU`: borne out if a print shows it, and no more than that."""
    prints = "\n".join(line for line in code.split("\n") if "print(" in line)
    if not prints:
        return
    for sentence in told:
        if any(none.search(sentence) for none in (HEDGED, LATER, WEAK, NO_ERROR)):
            continue
        for look, said, printing in _TOLD:
            if said.search(sentence) and re.search(printing, prints):
                yield Claim(kind=ClaimKind.PRINTS, text=sentence, look=look, pointed=False)
        if _NO_GRADIENT.search(sentence) and ".grad" in prints:
            yield Claim(kind=ClaimKind.PRINTS, text=sentence, printed="None", pointed=False)
