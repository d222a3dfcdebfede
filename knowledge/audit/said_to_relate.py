"""Find how a document says that printed values stand to each other."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from knowledge.audit.model import Claim, ClaimKind
from knowledge.audit.relations import Relation, values_said
from knowledge.audit.wording import HEDGED, LATER, OF_CASES, THIS, clauses, is_code, main_clause

_THING = (
    r"(?:results?|outputs?|values?|tensors?|weights?|biases|gradients?|loss(?:es)?|sums?|shapes?"
    r"|elements?|numbers?|predictions?|parameters?|probabilit\w+|arrays?|data|ids|`[^`]+`)"
)
_MOVING = r"\b(?:loss(?:es)?|errors?|norms?|gradients?|accuracy|memory|values?)\b[^,;.]{0,40}?\b"
_GIVES = (
    r"\b(?:produc|yield|giv|return|lead|result|achiev|obtain|get|see|print|show|generat)\w*\b"
    r".{0,30}?"
)
_IS = r"\b(?:is|are|be|being|remain\w*|stay\w*|were|was)\b(?: \w+){0,2}? "
_WORDS = {
    Relation.FALLS: (
        rf"{_MOVING}(?:decreas\w+|falls?|drops?|goes down|converges|shrinks?|declin\w+|reduces)\b",
        r"\b(?:decreasing|falling|shrinking|vanishing) (?:loss(?:es)?|errors?|norms?|gradients?)\b",
    ),
    Relation.GROWS: (
        rf"{_MOVING}(?:increas\w+|grows?|rises?|explod\w+|goes up|diverg\w+)\b",
        r"\b(?:increasing|growing|exploding) (?:loss(?:es)?|errors?|(?:gradient )?norms?"
        r"|gradients?)\b",
    ),
    Relation.SUMS_TO_ONE: (
        r"\bsum(?:s|ming)? (?:up )?to (?:1|one|unity)\b",
        r"\bvalid probability distribution\b",
        r"\b(?:outputs?|results?|values?|which|these)\b.{0,40}\b(?:is|are|be|represents?"
        r"|contains?)\b"
        r".{0,30}\bprobabilit(?:y|ies)\b",
    ),
    Relation.WITHIN_ONE: (
        r"\b(?:outputs?|results?|values?|probabilit\w+)\b.{0,60}\b(?:between|within)\b.{0,20}?"
        r"(?:\b0 and 1\b|[\[(]0, ?1(?:\.0)?[\])])",
    ),
    Relation.FINITE: (
        r"\b(?:no longer|not|preventing|prevents?|avoids|avoiding|eliminates|eliminating|without)\b"
        r".{0,50}?\b(?:nans?|overflow|underflow|infinit\w+)\b",
        r"\bnow produces valid\b",
    ),
    Relation.CLOSE: (
        rf"{_IS}(?:close|similar|near)\b.{{0,3}}\bto\b",
        rf"\bsimilar {_THING}|\bvery (?:close|similar)\b",
        r"\b(?:nearly|almost|approximately) (?:identical|equal|the same)\b",
        r"\breconstruct(?:s|ed|ion|ing)? (?:\w+ ){0,3}(?:match\w*|original|initial)\b",
    ),
    Relation.CHANGED: (
        rf"{_THING}.{{0,40}}?\b(?:is|are|has|have) (?:been )?(?:changed|modified|altered)\b",
        r"\b(?:modif|chang|alter|affect)\w* (?:also )?(?:the |its )?"
        r"(?:original|underlying|source|base|`\w+`)",
        r"\breflected\b",
    ),
    Relation.UNCHANGED: (
        rf"{_IS}(?:unchanged|unaffected|unmodified|untouched)\b",
        r"\bunchanged\b",
        r"\b(?:does|do|will|did) not (?:affect|change|modify|alter)\b",
        r"\bare not (?:affected|changed|modified|altered)\b|\bno longer reflect",
    ),
    Relation.DIFFERENT: (
        rf"{_THING}.{{0,40}}?\b(?:differs?|(?:is|are|be|was|were) (?:now )?different)\b",
        rf"{_GIVES}\b(?:different|distinct) (?:\w+ )?{_THING}",
        rf"\bdifferences? (?:in|between) (?:\w+ ){{0,2}}?{_THING}",
    ),
    Relation.SAME: (
        rf"{_IS}(?:the )?(?:exact )?(?:same|identical|equal|equivalent|consistent)\b",
        rf"{_GIVES}\b(?:same|identical|equivalent|equal|consistent|reproducible) (?:\w+ )?{_THING}",
        rf"{_THING}.{{0,30}}?\bmatch(?:es)?\b",
    ),
}
_RELATIONS = {relation: re.compile("|".join(words), re.I) for relation, words in _WORDS.items()}
_NOT = re.compile(r"\b(?:not|never)\b|n['’]t\b", re.I)
_ADVICE = re.compile(
    r"\b(?:should|must|need\w*|in order to|often|typically|usually|generally|assum\w+|experiment\w*"
    r"|to (?:make|get|see|ensure|check|avoid|prevent|achieve|keep|obtain))\b",
    re.I,
)
_PRINTS = re.compile(r"\b(?:print|display|log\w*\.\w+)\(", re.I)


_IF = re.compile(r"\b(?:if|unless|otherwise)\b", re.I)


# What should be so is expected here, and advice elsewhere.
_EXPECTED = re.compile(r"\bshould be(?= (?:the same|equal|identical|unchanged)\b)", re.I)


def relations(told: Sequence[str], code: str) -> Iterator[Claim]:
    """`Both give the same result`, `the loss decreases`: borne out by what was printed."""
    if not _PRINTS.search(code):
        return
    for sentence in told:
        said = _EXPECTED.sub("is", main_clause(sentence).replace("can ", ""))
        if LATER.search(said) or _IF.search(said) or is_code(said):
            continue
        found = {r for clause in clauses(said) if (r := _relation(clause))}
        for relation in found or {r for r in (_relation(said),) if r}:
            certain = (
                relation in (Relation.FALLS, Relation.GROWS)
                or (relation is Relation.CLOSE and values_said(said))
                or (relation is Relation.DIFFERENT and THIS.search(said))
            )
            yield Claim(
                kind=ClaimKind.RELATION, text=sentence, relation=relation, pointed=bool(certain)
            )


def _relation(clause: str) -> Relation | None:
    if HEDGED.search(clause) or OF_CASES.search(clause) or _ADVICE.search(clause):
        return None
    relation = next((r for r, words in _RELATIONS.items() if words.search(clause)), None)
    if _NOT.search(clause) and relation not in (Relation.FINITE, Relation.UNCHANGED):
        return None  # the opposite, and who knows of what
    return relation
