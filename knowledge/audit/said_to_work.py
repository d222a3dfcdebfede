"""Find where a document says that its code works."""

from __future__ import annotations

import re
from collections.abc import Iterator

from knowledge.audit.done_well import is_done_well
from knowledge.audit.model import Claim, ClaimKind
from knowledge.audit.text import Comment
from knowledge.audit.wording import LATER, THIS, in_function, is_code

_WORKS = re.compile(
    r"\b(?:works|runs|executes|functions|passes|will (?:now )?(?:work|run|execute|succeed)"
    r"|completes|operates|succeeds)\b(?: \w+)?(?: (?:correctly|fine|properly|successfully"
    r"|as (?:expected|intended)|perfectly|now|without (?:\w+ )?(?:errors?|issues?|problems?|failure"
    r"|throwing|raising)))"
    r"|\b(?:correctly|successfully) (?:works|runs|executes|completes)\b"
    r"|\bsuccessfully \w+(?:s|ed)\b|\bcorrectly [a-z]+s\b"
    r"|\b(?:illustrates|shows|demonstrates|showcases|exemplifies|presents|uses) (?:the|a) "
    r"(?:correct|proper|right) (?:\w+ )?(?:way|approach|implementation|usage|use|method|handling)\b"
    r"|\bno (?:longer )?(?:\w+ )?(?:error|exception)s? (?:will be|is|are|would be|occurs?)"
    r"|\bwithout (?:an? |any )?(?:\w+ )?`?(?:\w*errors?|exceptions?)\b"
    r"|\b(?:resolves|fixes|eliminates|solves|rectifies|avoids|prevents|circumvents)"
    r" (?:the|this|that) (?:[\w`]+ ){0,3}?(?:errors?|exception|mismatch|crash|`?\w+Error)\b",
    re.I,
)
# Negations that say that it works.
_DOES_NOT_FAIL = re.compile(
    r"\b(?:(?:does|do|will)(?: not|n['’]t)|won['’]t|no longer)(?: \w+)? (?:fails?|raises?|throws?"
    r"|causes?|produces?|triggers?|generates?|encounters?|results? in)\b"
    r"(?: (?:an?|any|the|this)\b)?",
    re.I,
)
_CORRECT = re.compile(
    r"^\W*(?:\d[.)]\s*)?(?:this is (?:the |a )?)?(?:corrected \w+|correct(?:ed)?|fixed|valid"
    r"|works?|working"
    r"|this (?:now )?works|now works|works now|proper)"
    r"(?: (?:[\w-]+ ){0,3}?(?:way|approach|usage|use|version|method|implementation|code|example"
    r"|call|solution|update|operation)(?: \d+)?| (?:now|because|as|since|fine|correctly)"
    r"| \w+(?= ?:))?"
    r"\s*(?:[:.!,(–-]|$|because|as |with |of |using |to |for |where )",
    re.I,
)
_CORRECT_WAY = re.compile(
    r"\b(?:correct(?:ed)?|proper|right|fixed|working) (?:way|approach|version|code|implementation"
    r"|usage|method|solution|example|snippet|application|procedure|set-?up|handling)\b",
    re.I,
)
_TITLE = re.compile(
    r"^(?:\W*\*\*|\W*(?:code )?(?:example|scenario|case|step|method|approach)\b)[^.?!:]{0,40}"
    r"(?::[^.?!]{0,30})?\b(?:correct(?:ed)?(?: [\w`()-]+){1,5}|(?:fixed|working|proper) "
    r"(?:code|version|implementation|call|model|example|loop|approach|usage|solution))\W*$",
    re.I,
)


_IN_GENERAL = re.compile(r"\b(?:key|essential|always)\b", re.I)


_SAYS_SO = re.compile(
    r"\b(?:does(?: not|n['’]t) (?:fail|raise|throw)|this (?:now )?works"
    r"|(?:will|should) (?:now )?work|now works)\b|^works\b|^\W*correct(?:ed)?(?: \w+){1,3}:"
    r"|^(?:now )?no (?:\w+ )?error(?: here| now| anymore)?\b",
    re.I,
)
_NOT_SURE = re.compile(
    r"\b(?:(?:not|n['’]t)\b(?! (?:fail|raise|throw|optimal|ideal|efficient|recommended))"
    r"|if|unless|only|incorrect|should be|may|might|could)\b",
    re.I,
)


_INCORRECT = re.compile(r"\b(?:in(?=correct)|wrong|bad|fails?|errors?)\b|incorrect", re.I)


def works_in_comments(noted: list[Comment], code: list[str]) -> Iterator[Claim]:
    """`# this works`, `# Correct: …`."""
    for comment in noted:
        text = comment.text
        works = _SAYS_SO.search(text)
        if comment.first is None:
            if comment.alone and is_done_well(text):
                yield Claim(kind=ClaimKind.RUNS, text=text)
            continue
        if not (works or _CORRECT.match(text) or _WORKS.search(text) or is_done_well(text)):
            continue
        if _NOT_SURE.search(re.sub(r"\(.*?\)", "", text)) or is_code(text):
            continue
        assert comment.last is not None
        reached = not in_function(code, comment.first)
        if re.match(r"\s*(?:async )?(?:def|class)\b", code[comment.first - 1]):
            reached = False  # what is right in a definition shows where it is used
            if any(_INCORRECT.search(c.text) for c in noted):
                continue
        yield Claim(
            kind=ClaimKind.RUNS,
            text=text,
            line=comment.first if reached else None,
            end_line=comment.last if reached else None,
        )


def works_in_prose(told: tuple[str, ...], *, after: bool) -> Iterator[Claim]:
    """`This runs without an error.` after the block; `the correct way:` before it."""
    for n, whole in enumerate(told):
        if after and is_done_well(whole):
            yield Claim(kind=ClaimKind.RUNS, text=whole)
            continue
        sentence = _DOES_NOT_FAIL.sub("runs without", whole)
        if not after:
            sentence = re.sub(r"\bwould (?:then )?be:", "is:", sentence)
        if re.search(
            r"\b(?:not|n['’]t|if|unless|ensur\w+|should|incorrect\w*|may|might|could|can"
            r"|to (?:make|see|verify|check)|would|crucial|important|until|before|provided"
            r" that|assuming|silently|appear\w*|seem\w*|despite|although|while|but)\b",
            sentence,
            re.I,
        ):
            continue
        if after:
            works = _WORKS.search(sentence)
            about = THIS.search(sentence) and not LATER.search(sentence)
            # `the second backward() executes without error`: a call is a part of this block.
            call = re.search(r"`[\w.]+\(\)`[^`.]{0,30}(?:`\w+` )?(?:works|runs|executes)", sentence)
            none = re.search(r"\bno (?:error|exception)s? (?:is|are|will be) \w+ed\b", sentence)
            if works and (about or call or none):
                yield Claim(kind=ClaimKind.RUNS, text=whole)
        elif n < len(told) - 2 or _IN_GENERAL.search(sentence):
            continue
        elif _TITLE.match(sentence):
            yield Claim(kind=ClaimKind.RUNS, text=whole)
        elif _CORRECT_WAY.search(sentence):
            introduces = sentence.rstrip("*_ ").endswith(":") or re.search(
                r"\b(?:following|below|here)\b|^\W*(?:the )?(?:correct|proper|fixed)",
                sentence,
                re.I,
            )
            if introduces:
                yield Claim(kind=ClaimKind.RUNS, text=whole)
