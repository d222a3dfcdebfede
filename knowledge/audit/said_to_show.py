"""Find what a document says its code shows or brings about, in words that no rule can measure."""

from __future__ import annotations

import re
from collections.abc import Iterator

from knowledge.audit.model import Claim, ClaimKind
from knowledge.audit.text import Block, Comment
from knowledge.audit.wording import HEDGED, LATER, NO_ERROR, OF_CASES, main_clause

# What is printed is said to show something.
_SHOWN = re.compile(
    r"\b(?:the|this|its|these) (?:\w+ ){0,2}?(?:outputs?|behaviou?r observed|print(?:ed)?"
    r"(?: \w+)?|printout|hooks?) (?:(?:will|would|should|here|then|above|now"
    r"|also|still) )*(?:\w+ly )?(?:shows?|displays?|prints?|reveals?|be|confirms?|demonstrates?"
    r"|verif(?:y|ies)|reflects?|illustrates?"
    r"|indicates?|provides?|fire)\b"
    r"|\b(?:(?:we|you|one|it) (?:can |will )?(?:now |also |clearly )?(?:be )?(?:seen?|notice"
    r"|observe|find)"
    r"|^\W*(?:notice|observe)) (?:that |how )?(?:the |each |all |both )?(?:\w+ ){0,2}?"
    r"(?:outputs?|loss(?:es)?|gradients?|values?|results?|weights?|shapes?|norms?|numbers?|mean"
    r"|differences? in the \w*\s?(?:output|loss|values?|results?|gradients?)|`\w+`)\b"
    r"|\bthis (?:will )?prints?\b",
    re.I,
)
# What is to come of it.
_COMES = re.compile(
    r"(?:\b(?:outputs?|results?|result is that|gradients?|loss(?:es)?|weights?|shape)\b"
    r"|`[\w.\[\]]+`)"
    r"(?: \w+){0,2}? (?:will|contains?|holds?|stores?|shows?|reflects?)\b"
    r"|\b(?:the|this) (?:\w+ )?(?:outputs?|results?)\b(?: \w+)? (?:is|are|represents?)\b"
    r"|\bcalling `[^`]+` (?:\w+ly )?(?:computes?|returns?|gives?|produces?)"
    r"|\b(?:ensur|enabl|guarante|allow)\w+ .{0,60}\b(?:correct|proper|valid|accurate)(?:ly)?\b"
    r"|\b(?:illustrates|demonstrates|showcases|shows|confirms|verifies) that\b"
    r"|\bas (?:expected|intended)\b|\bsuccessfully\b|\bcorrectly\b",
    re.I,
)
# A document that speaks of errors near a block has seen it fail.
_OF_ERRORS = re.compile(
    r"\b(?:errors?|exceptions?|fail\w*|incorrect\w*|wrong\w*|raises?|throws?|crash\w*|mismatch\w*"
    r"|incompatib\w+|problem\w*|issues?|invalid|break\w*|bugs?|pitfall\w*|flaw\w*|bad|broken"
    r"|conceptual|placeholder|pseudo\w*|hypothetical|fictional|\w+Error)\b",
    re.I,
)


_ADVICE = re.compile(
    r"\b(?:importan\w+|crucial\w*|essential\w*|critical\w*|should|must|needs?|recommend\w*"
    r"|understand\w*)\b",
    re.I,
)


_MEASURED = re.compile(
    r"\b(?:zeros?|non-zero|nan|none|inf|true|false|grow\w*|increas\w*|decreas\w*|higher|lower"
    r"|larger|smaller|faster|slower|much|same|identical|differ\w*|equal\w*|close|initiali[sz]\w+"
    r"|\d+)\b|`None`",
    re.I,
)


def shown(told: tuple[str, ...], noted: list[Comment]) -> Iterator[Claim]:
    """`The output shows that …`: it was printed, or the block ended before."""
    looked_at = (c.text for c in noted if re.match(r"\W*(?:observe|notice)\b", c.text, re.I))
    for sentence in (*told, *looked_at):
        said = main_clause(sentence).replace("can ", "")
        if _SHOWN.search(said) and not (
            HEDGED.search(said) or LATER.search(said) or OF_CASES.search(said)
        ):
            # Of what is measured, that something was printed says nothing.
            yield Claim(kind=ClaimKind.OUTPUT, text=sentence, of_this=not _MEASURED.search(said))


def effects(block: Block, noted: list[Comment]) -> Iterator[Claim]:
    """`x.grad holds the gradient`: not so in a block that ends in an error nobody speaks of."""
    if any(map(_tells_of_errors, (*block.lead, *block.follow, *(c.text for c in noted)))):
        return
    checked = [c.text for c in noted if _CHECKED.match(c.text)]
    for sentence in (*block.follow, *checked):
        said = main_clause(sentence)
        if sentence in checked or (
            _COMES.search(said) and not any(w.search(said) for w in (HEDGED, LATER, _ADVICE))
        ):
            yield Claim(kind=ClaimKind.EFFECT, text=sentence)


_CHECKED = re.compile(
    r"\W*(?:verify|confirm)\b.*\b(?:sums?|values?|shapes?|outputs?|results?|mean|gradients?"
    r"|tensors?)\b",
    re.I,
)


def _tells_of_errors(text: str) -> bool:
    """As of something there, not of what might be, or is avoided."""
    return bool(_OF_ERRORS.search(text)) and not (HEDGED.search(text) or NO_ERROR.search(text))
