"""Say whether a sentence praises what a block does: `the gradients flow correctly`."""

from __future__ import annotations

import re

from knowledge.audit.wording import RAISES, clauses, main_clause

# "correct" and its kind, said of what the block shows or does.
_WELL = re.compile(
    r"\b(?:illustrat|show|demonstrat|showcas|exemplif|present|highlight|us|employ|provid|offer)\w*"
    r" (?:the |a |an |how to )?(?:\w+ and )?(?:correct|proper|right|valid|viable|safe|working"
    r"|functional|robust)(?:ly)?\b"
    r"|\b(?:correctly|properly|successfully|gracefully|flawlessly|seamlessly)\b"
    r"|\b(?:correct|proper) (?:gradients?|propagation|computation|results?|outputs?|shapes?"
    r"|broadcasting|behaviou?r|application)\b"
    r"|\bfunctional(?:ly correct)?$|\b(?:is|are) (?:fully |perfectly )?"
    r"(?:functional|permissible)\b"
    r"|\b(?:viable|valid) (?:alternative|use case|solution|option)\b"
    r"|\b(?:works?|succeeds?|proceeds?|functions?|flows?)"
    r" (?:as (?:expected|intended)|well|fine|freely|smoothly)\b"
    r"|\bwill (?:now )?(?:succeed|work)\b|\bachiev\w+ the (?:desired|intended|expected)\b"
    r"|\bwithout (?:any )?(?:issues?|problems?|interruptions?|difficult\w+)\b"
    r"|\bnow (?:succeeds?|works?|runs?|proceeds?)\b|\bnow (?:\w+ ){0,2}?(?:possible|compatible)\b"
    r"|\bwe now be\b|\bthis works\b",
    re.I,
)
_NOT_OF_THIS = re.compile(
    r"\b(?:not|cannot|if|unless|should|must|needs?|needed|incorrect\w*|improper\w*|wrong\w*|may"
    r"|might|could|can|would|crucial\w*|important\w*|essential\w*|vital|until|before|provided that"
    r"|assum\w+|silently|appear\w*|seem\w*|requir\w+|recommend\w*|always|typically|often|usually"
    r"|generally|otherwise|fail\w*|instead of|rather than|production|practice|real-world|more \w+ly"
    r"|ensur\w+|enabl\w+|exceptions?|errors?|fall(?:s|ing)? back|document\w*|install\w*|configur\w+"
    r"|attention|importance|necessary|critical\w*|understanding|familiar\w*|interpret|dive|default"
    r"|how to \w+ly|to (?:make|see|verify|check|be|have|\w+ly|\w+ \w+ly))\b|n['’]t\b",
    re.I,
)


_ELSEWHERE = re.compile(r"\b(?:following|next|below|later|another|second example)\b", re.I)
_NO_ERROR = re.compile(
    r"\b(?:prevent|avoid|eliminat|circumvent|resolv)(?:s|es|ing) "
    r"(?:an? |any |the |this |that )(?:[\w`]+ ){0,2}?(?:error|exception|mismatch|`?\w+Error)\b"
    r"|\bnot (?:\w+ )?(?:throwing|raising|failing)(?: an?)? [\w`]+"
    r"|\bwithout (?:an? |any )?(?:\w+ )?(?:errors?|exceptions?)\b",
    re.I,
)
_WE_CAN = re.compile(r"\bwe can\b|\bcan (?=be used|now )", re.I)


_CONDITION = re.compile(
    r"\b(?:if|unless|otherwise|provided that|assuming|should|must|understanding|dive|resources?"
    r"|chances?|document\w*|recommend\w*|rel(?:y|ies) on)\b",
    re.I,
)


def is_done_well(sentence: str) -> bool:
    """Whether a clause praises what the block does, as it is and not as it should be."""
    said, times = _NO_ERROR.subn("flawlessly", main_clause(sentence))
    if times:
        said = re.sub(r"\bensur\w+", "", said, flags=re.I)
    said = _WE_CAN.sub("we", said)
    if _CONDITION.search(said) or _ELSEWHERE.search(said) or RAISES.search(said):
        return False
    return any(_WELL.search(c) and not _NOT_OF_THIS.search(c) for c in clauses(said))
