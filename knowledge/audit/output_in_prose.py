"""Find what a document's prose says its code prints."""

from __future__ import annotations

import re
from collections.abc import Iterator

from knowledge.audit.chance import RANDOM
from knowledge.audit.model import Claim, ClaimKind
from knowledge.audit.prints import place_of
from knowledge.audit.wording import HEDGED, LATER, NO_ERROR, TYPE, VARIES, WEAK, what

# What nobody writes into a sentence by accident.
_VALUE = (
    r"torch\.Size\(\[[\d, ]*\]\)|(?:torch\.)?tensor\((?:[^()]|\([^()]*\))*\)"
    r"|\(\d+(?:, ?\d+)+,?\)|\[+-?\d[\d.]*(?:[\[\], eE+-]+-?\d[\d.]*)+\]+|torch\.[a-z]+\d+"
)
_RESULT = re.compile(
    r"\b(?:result\w*|outputs?|prints?|printed|displays?|returns?|yields?|produces?|gives?"
    rf"|elements?|values?|contains?|containing|is|be|becomes"
    rf"|remains)\b[^.;]{{0,40}}?`?({_VALUE})`?",
    re.I,
)
_IN_GENERAL = re.compile(
    r"\b(?:range|between|interval|axis|indices|index|within|normali[sz]ed?)\b", re.I
)
_EXPRESSION = re.compile(
    r"`([\w.\[\]()]+)`(?:'s value)? (?:will be|would be|is|becomes|remains|being|returns"
    r"|will return|evaluates to|equals|will equal)(?: still| now| also| therefore)? "
    r"(not |non-)?`?(None|True|False|-?\d+(?:\.\d+)?|torch\.[a-z]+\d+)`?(?![-\w]|\.\d)"
)
_NAN = re.compile(
    r"\b(?:produc\w+|result\w* in|lead\w* to|becom\w+|contain\w*|yield\w*|show\w*|will be|is|are"
    r"|return\w*|prints?|generat\w+|approach\w*)\b[^.;]{0,40}?\b(nan|inf)\b",
    re.I,
)


_SURELY_NAN = re.compile(
    r"\b(?:loss|loss value|losses|outputs?|results?|gradients?|weights?) will\b|\bresulting in\b",
    re.I,
)
_CURE = re.compile(
    r"\beps|epsilon|clamp|clip_|nan_to_num|isnan|where\(|isfinite|autocast|GradScaler"
    r"|\b(?:avoid|prevent|replac|mitigat|handl|stab[il]|fix|no longer)\w*",
    re.I,
)


def outputs(told: tuple[str, ...], code: str) -> Iterator[Claim]:
    """`The output will show that …`; a value that is said to come out; `x.grad` is `None`."""
    for sentence in told:
        if not _IN_GENERAL.search(sentence) and not NO_ERROR.search(sentence):
            # That a value comes out does not say that it is printed: a run bears it out, no more.
            for match in _RESULT.finditer(sentence):
                yield Claim(kind=ClaimKind.PRINTS, text=sentence, printed=match[1], pointed=False)
        if HEDGED.search(sentence.replace("can ", "")) or LATER.search(sentence):
            continue
        nan = _NAN.search(sentence)
        if nan and not _CURE.search(sentence):
            # `the loss will soon be NaN`, where losses are printed. The cure tells of NaN as well.
            certain = _SURELY_NAN.search(sentence) and "print(" in code and not _CURE.search(code)
            yield Claim(
                kind=ClaimKind.PRINTS,
                text=sentence,
                printed=nan[1].lower(),
                pointed=bool(certain) and not WEAK.search(sentence),
            )
        yield from _expressions(sentence, code)
        yield from _numbers(sentence, code)


_GIVES = re.compile(
    r"\b(?:returns?|results?|resulting|yields?|gives?|produces?|outputs?|prints?|contains?"
    r"|equals?|is|are"
    r"|has|have|length|total|count|number|value|seen|case)\b",
    re.I,
)
_NUMBER = re.compile(r"(?<![\w.`(])-?\d+(?:\.\d+)?(?!\w|[.:-]\d|%)")


def _numbers(sentence: str, code: str) -> Iterator[Claim]:
    """`… returns 11 batches`: a number that the code does not hold, and that may come out."""
    bare = re.sub(r"`[^`]*`|\[[^\]]*\]|\([^)]*\)", "", sentence)
    if not _GIVES.search(bare) or VARIES.search(_EXAMPLE.sub("", bare)):
        return
    for number in dict.fromkeys(_NUMBER.findall(bare)):
        in_code = re.search(rf"(?<![\w.]){re.escape(number)}(?![\w.])", code)
        if not in_code and number not in ("0", "1", "2", "3"):
            yield Claim(kind=ClaimKind.PRINTS, text=sentence, printed=number, pointed=False)


_EXAMPLE = re.compile(r"\b(?:this|the|our|first|second|third|above) (?:\w+ )?example\b", re.I)


def _expressions(sentence: str, code: str) -> Iterator[Claim]:
    """``y.grad` is `None``, where the block prints just that."""
    for name, negated, value in _EXPRESSION.findall(sentence):
        prints = re.compile(rf"print\((?:.*[\s,{{(])?{re.escape(name)}[}},)]")
        lines = [n for n, text in enumerate(code.split("\n"), 1) if prints.match(text)]
        if lines:
            certain = not re.search(r"\d", value) and not VARIES.search(sentence)
            yield Claim(
                kind=ClaimKind.PRINTS,
                text=sentence,
                line=lines[0],
                end_line=lines[0],
                printed=value,
                pointed=certain and not (negated and len(lines) > 1),
                absent=bool(negated),
                # Printed twice, it may be spoken of the second time.
                place=place_of(code, lines[0]) if len(lines) == 1 else None,
            )


def shown_output(shown: str, code: str) -> Iterator[Claim]:
    """The output that stands in a fence below the block."""
    text = shown.strip()
    if not text or VARIES.search(text):
        return
    last = text.splitlines()[-1]
    if re.match(rf"{TYPE}: ", last):
        type_, message = what(last)
        yield Claim(kind=ClaimKind.ERROR, text=last, type=type_, message=message, pointed=False)
    elif len(text) < 2000:
        yield Claim(kind=ClaimKind.PRINTS, text=text, printed=text, pointed=not RANDOM.search(code))
