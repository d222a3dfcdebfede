"""The words by which documents speak of errors, and those that make a claim none."""

from __future__ import annotations

import re
from collections.abc import Iterator

TYPE = r"(?:\w+\.)*[A-Z]\w*(?:Error|Exception|Interrupt|Iteration)"
NAMED_TYPE = re.compile(rf"\b({TYPE})\b")
# An error that is said to come.
RAISES = re.compile(
    r"\b(?:raises?|throws?|triggers?|produces?|causes?|generates?|results? (?:\w+ly )?in"
    r"|lead(?:s|ing)? (?:\w+ly )?to"
    r"|fails? with|gives?|yields?|crash(?:es)? with|ends? (?:in|with)|resulting in|causing)"
    rf"\s+(?:[\w`'\"‘’“”:/-]+\s+){{0,9}}?[`'\"“]*(?:{TYPE}|(?:\w+-)?errors?|exceptions?)\b"
    r"|\b(?:will|would) (?:likely |probably |then |also |now )?(?:fail|error|crash|error out"
    r"|not work|break|raise|throw)\b"
    rf"|\b(?:errors?|exceptions?|mismatch|{TYPE})[`'\"”]?\s+(?:(?:will|would|here|then|also)\s+)?"
    r"(?:occurs?|happens?|arises?|appears?|surfaces?|stems?|is encountered|encountered|here\b)"
    rf"|\b(?:encounters?|will see|will get|will receive|triggering|producing)\s+(?:an?|the)\s"
    rf"(?:[\w`'-]+\s+){{0,4}}?[`'\"]*(?:{TYPE}|errors?|exceptions?)\b"
    rf"|\b(?:error|exception|{TYPE})[`'\"”]?\s+(?:\w+\s+){{0,2}}(?:will be|would be|is|gets) "
    r"(?:raised|thrown|generated|triggered|produced)"
    r"|\b(?:operation|call|line|attempt|code|example|function|method|it|this|which|conversion"
    r"|`[^`]+`)"
    r" (?:then |also |now )?(?:fails|crashes)\b(?! to\b)"
    r"|\bthrows?\b.{0,20}\berror|\b(?:raises|throws)\b|^\W*(?:raises?|throws?|fails)\b",
    re.I,
)
# An error that is spoken of as there: a run that raises bears it out, another says nothing.
SHOWS_ERROR = re.compile(
    rf"\b(?:illustrat\w+|demonstrat\w+|shows?|exhibits?|highlights?|reproduces?|simulates?)\b"
    rf"[^.;]{{0,90}}?\b(?:{TYPE}|(?<!squared )errors?|exceptions?|mismatch)\b"
    rf"|\bthe (?:\w+ )?(?:error|exception|`?{TYPE}`?)[^.;]{{0,30}}?\b(?:arises|occurs|happens|stems"
    r"|comes|appears|results|is (?:due|caused|raised|thrown))\b",
    re.I,
)
NO_ERROR = re.compile(
    r"\b(?:no|any|without|avoid\w*|prevent\w*|resolv\w*|fix\w*|eliminat\w*|circumvent\w*|bypass\w*"
    r"|suppress\w*|mitigat\w*|solv\w*|handl\w*"
    r"|robust\w*|against|resilien\w*|less prone)\b[^.;]{0,60}\b(?:errors?|exceptions?|\w+Error)\b"
    r"|\b(?:does|do|did|will|would|should|is|are)(?: not|n['’]t)\b(?: (?!and\b)\w+){0,3}?"
    r" (?:raise|throw|cause|fail|error|exception|produc|trigger|lead|result|crash|generat|giv)"
    r"|\bnot (?:raise|throw|cause|fail)"
    r"|\b(?:cannot|never|no longer|error[- ](?:handling|checking|message|prone|rate)"
    r"|mean[- ]squared|squared error|reconstruction error|error bars?|loss of)\b",
    re.I,
)
# What would happen otherwise, or might: no claim about this run.
HEDGED = re.compile(
    r"\b(?:if|unless|without|otherwise|omit\w*|omission|forget\w*|failing to|failure to|fails to"
    r"|had (?:we|you|it|i)|were (?:to|not)|not using|not doing|remov\w+|instead of|rather than|may"
    r"|might|could|can|cannot|potential\w*|sometimes|possib\w+|perhaps|depend\w*|would have|whether"
    r"|trying to|in case|else|either|for instance|any (?:attempt|other|mismatch|discrepanc\w+)"
    r"|(?<!the )mismatch(?:es|ed)? (?:in|between|will)|incompatible|larger|older|newer"
    r"|earlier versions?|raise or|uncomment\w*|optional\w*|try changing|changing)\b",
    re.I,
)
WEAK = re.compile(
    r"\b(?:when|likely|catch(?:es)?|caught|typically|usually|often|should|commonly|generally"
    r"|frequently|(?<!initial )(?<!first )(?<!this )attempt(?:ing|s)?\b(?! that)|probably"
    r"|not work(?!\s*(?:$|[.,;!:-]|because|since|here))|simulat\w+|expect\w*)\b",
    re.I,
)
THIS = re.compile(
    r"\bthis (?:first |second |third |initial |last |simple |minimal |particular )?(?:\w+ )?(?:code"
    r"|example|snippet|script|line|call|operation|program|block|execution|implementation|version"
    r"|function|loop|approach|attempt|will|would|raises|throws|triggers|gives|causes|results"
    r"|produces"
    r"|generates|fails|case|scenario|works|runs)\b"
    r"|\bthe (?:above|preceding|previous|provided|given|initial|first|second|third|last)(?: \w+)?"
    r" (?:code|example|snippet|script|approach|attempt|implementation|program)\b"
    r"|\bthe (?:code|example|snippet) (?:illustrates|shows|demonstrates|highlights)\b"
    r"|\bthe (?:code|example|snippet"
    r"|script|program)\b(?: \w+)? (?:above|will|would|raises|throws|runs|works|executes)"
    r"|\b(?:code|example|snippet) \d\b"
    r"|\brunning (?:this|the|it)\b|^(?:here|as (?:seen|shown|demonstrated))\b"
    r"|\bin this (?:\w+ )?(?:code|example|snippet|case|scenario)|\bwhen (?:run|executed)\b",
    re.I,
)
# What follows is a reason, and says nothing of what comes.
_REASON = re.compile(
    r",?\s+(?:because|since|due to|owing to|as (?:the|it|they|we|a|an|this|these|there|its|`))\b.*$"
    r"|\s\([^()]{0,200}\)",
    re.I,
)
LATER = re.compile(r"\b(?:following|next|below|later|subsequent|second|third|another)\b", re.I)


_CODE = re.compile(r"^[\w.\[\]]+\s*(?:=(?!=)|\()|^(?:raise|return|import|from|print|try:|except)\b")

VARIES = re.compile(
    r"\b(?:var(?:y|ies)|example|e\.g|approx\w*|similar|something|like|depend\w*|or|random\w*|some"
    r"|may|might|assuming|if|about|around|roughly|simplified)\b|~|…|\.\.\.",
    re.I,
)


# Of runs in general: what this one prints says nothing of them.
OF_CASES = re.compile(
    r"\b(?:vary|varies|depends?|differ(?:s|ent)? (?:across|between|from run))\b", re.I
)


def main_clause(text: str) -> str:
    """A sentence without its reasons, which say nothing of what comes."""
    return _REASON.sub("", text)


_CLAUSE = re.compile(r"[,;]\s+|\s+(?:but|while|whereas|although)\s+", re.I)


def clauses(text: str) -> list[str]:
    """The parts of a sentence that can hold or fail by themselves."""
    return _CLAUSE.split(text)


def is_code(text: str) -> bool:
    """A line of code that was taken out, perhaps with a comment of its own."""
    return bool(_CODE.match(text)) and not re.match(rf"{TYPE}\b", text)


def heads(code: list[str], line: int) -> Iterator[int]:
    """The lines that open the blocks in which a line stands, the nearest first."""
    indent = margin(code[line - 1])
    for n in range(line - 1, 0, -1):
        if code[n - 1].strip() and margin(code[n - 1]) < indent:
            indent = margin(code[n - 1])
            yield n


def in_function(code: list[str], line: int) -> bool:
    """Whether a line stands in a function or class, and is not carried out where it stands."""
    return any(re.match(r"\s*(?:async )?(?:def|class)\b", code[n - 1]) for n in heads(code, line))


def margin(line: str) -> int:
    """How far a line is indented."""
    return len(line) - len(line.lstrip())


def is_carried_out(code: list[str], line: int) -> bool:
    """Whether a line is surely reached: in no function, and behind no condition.

    A handler that prints the error counts: nothing printed is then what there is to tell.
    """
    may_not = re.compile(r"\s*(?:(?:async )?def|class|if|elif|else|while)\b")
    return not any(may_not.match(code[n - 1]) for n in heads(code, line))


_QUOTED = re.compile(
    r"`([^`\n]*)`|[\"“]([^\"”\n]{8,300})[\"”]|(?<!\w)['‘]([^'’\n]{8,300})['’](?!\w)"
)
_TYPED = re.compile(rf"\b{TYPE}: ([^`\n]{{8,300}}?)(?:[`\"”]|$)")


def what(text: str) -> tuple[str, str]:
    """The exception's type and the message that a sentence names, as far as it does."""
    named = NAMED_TYPE.search(text)
    type_ = named[1].rpartition(".")[2] if named else ""
    if typed := _TYPED.search(text):
        return type_, typed[1].strip()
    for match in _QUOTED.finditer(text):
        quoted = next(g for g in match.groups() if g is not None)
        words = re.findall(r"[A-Za-z]{2,}", quoted)
        if (
            len(words) >= 3
            and len(quoted) <= 300
            and not re.search(r"[=(]\w*[=)]|^\w+\(|^\w+\.\w+", quoted)
        ):
            return type_, quoted.removeprefix(f"{type_}:").strip()
    return type_, ""
