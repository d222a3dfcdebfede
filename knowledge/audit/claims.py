"""Find what a document claims about a block: in the prose around it and in its comments.

Precision comes first. A sentence that hedges, that speaks of what would happen otherwise, or that
does not say that it is about this block, is no claim; at most a run can bear it out (`pointed`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from knowledge.audit.model import Claim, Kind
from knowledge.audit.text import Block, Comment, comments

_TYPE = r"(?:\w+\.)*[A-Z]\w*(?:Error|Exception|Interrupt|Iteration)"
_NAMED_TYPE = re.compile(rf"\b({_TYPE})\b")
# An error that is said to come.
_RAISES = re.compile(
    r"\b(?:raises?|throws?|triggers?|produces?|causes?|generates?|results? in|lead(?:s|ing)? to"
    r"|fails? with|gives?|yields?|crash(?:es)? with|ends? (?:in|with)|resulting in|causing)"
    rf"\s+(?:[\w`'\"‘’“”:/-]+\s+){{0,7}}?[`'\"“]*(?:{_TYPE}|(?:\w+-)?errors?|exceptions?)\b"
    r"|\b(?:will|would) (?:fail|error|crash|error out|not work|break|raise|throw)\b"
    rf"|\b(?:error|exception|{_TYPE})[`'\"”]?\s+(?:\w+\s+){{0,2}}(?:will be|would be|is|gets) "
    r"(?:raised|thrown|generated|triggered|produced)"
    r"|\bthrows?\b.{0,20}\berror|\b(?:raises|throws)\b|^\W*(?:raises?|throws?|fails)\b",
    re.I,
)  # fmt: skip
_NO_ERROR = re.compile(
    r"\b(?:no|any|without|avoid\w*|prevent\w*|resolv\w*|fix\w*|eliminat\w*|circumvent\w*|bypass\w*"
    r"|suppress\w*|mitigat\w*|solv\w*|handl\w*)\b[^.;]{0,60}\b(?:errors?|exceptions?|\w+Error)\b"
    r"|\b(?:does|do|did|will|would|should|is|are)(?: not|n['’]t)\b"
    r"|\bnot (?:raise|throw|cause|fail)"
    r"|\b(?:cannot|never|no longer|error[- ](?:handling|checking|message|prone|rate)"
    r"|mean[- ]squared|squared error|reconstruction error|error bars?|loss of)\b",
    re.I,
)  # fmt: skip
# What would happen otherwise, or might: no claim about this run.
_HEDGED = re.compile(
    r"\b(?:if|unless|without|otherwise|omit\w*|omission|forget\w*|failing to|failure to|fails to"
    r"|had (?:we|you|it|i)|were (?:to|not)|not using|not doing|remov\w+|instead of|rather than|may"
    r"|might|could|can|cannot|potential\w*|sometimes|possib\w+|perhaps|depend\w*|would have|whether"
    r"|trying to|in case|else|either|for instance|any (?:attempt|other|mismatch|discrepanc\w+)"
    r"|mismatch(?:es|ed)? (?:in|between|will)|incompatible|larger|older|newer|earlier versions?"
    r"|raise or|uncomment\w*|optional\w*|try changing|changing)\b",
    re.I,
)  # fmt: skip
_WEAK = re.compile(
    r"\b(?:when|likely|catch(?:es)?|caught|typically|usually|often|should|commonly|generally"
    r"|frequently|attempt(?:ing|s)?|probably|simulat\w+|expect\w*)\b",
    re.I,
)
_THIS = re.compile(
    r"\bthis (?:first |second |third |initial |last |simple |minimal |particular )?(?:\w+ )?(?:code"
    r"|example|snippet|script|line|call|operation|program|block|execution|implementation|version"
    r"|function|loop|approach|attempt|will|would|raises|throws|triggers|causes|results|produces"
    r"|generates|fails|case|scenario|works|runs)\b"
    r"|\bthe (?:above|preceding|previous|provided|given|first|second|third)(?: \w+)? (?:code"
    r"|example|snippet|script|approach|attempt|implementation|program)\b"
    r"|\bthe (?:code|example|snippet"
    r"|script|program)\b(?: \w+)? (?:above|will|would|raises|throws|runs|works|executes)"
    r"|\b(?:code|example|snippet) \d\b"
    r"|\brunning (?:this|the|it)\b|^(?:here|as (?:seen|shown|demonstrated))\b"
    r"|\bin this (?:\w+ )?(?:code|example|snippet|case|scenario)|\bwhen (?:run|executed)\b",
    re.I,
)
_LATER = re.compile(r"\b(?:following|next|below|later|subsequent|second|third|another)\b", re.I)


def claims_of(block: Block) -> list[Claim]:
    """Everything that is claimed about a block, each thing once."""
    code = block.code.split("\n")
    noted = comments(block.code)
    found = [
        *_errors_in_comments(noted, code),
        *_works_in_comments(noted, code),
        *_printed(noted, code),
        *_shapes_in_comments(noted, code),
        *_errors_in_prose(block.follow, after=True),
        *_errors_in_prose(block.lead, after=False),
        *_works_in_prose(block.follow, after=True),
        *_works_in_prose(block.lead, after=False),
        *_outputs(block.follow),
        *_shapes_in_prose(block.follow),
        *_training(block.follow),
        *_shown(block.shown, block.code),
    ]
    found += _provoked(block, noted, code, found)
    return _told_apart(_each_once(found), block.code)


def _each_once(found: Iterable[Claim]) -> list[Claim]:
    kept: dict[tuple[object, ...], Claim] = {}
    for claim in found:
        key = (
            claim.kind, claim.line, claim.type, claim.message, claim.printed, claim.name,
            claim.shape,
        )  # fmt: skip
        if key not in kept or (claim.pointed and not kept[key].pointed):
            kept[key] = claim
    return list(kept.values())


def _told_apart(found: list[Claim], code: str) -> list[Claim]:
    """A block that shows both the mistake and its cure is not said to work as a whole."""
    errors = [c for c in found if c.kind is Kind.ERROR]
    kept = []
    for claim in found:
        if claim.kind is Kind.RUNS and errors:
            if claim.line is None:
                continue
            claim = claim.model_copy(update={"depends": True})
        kept.append(claim)
    return kept


# -- errors ------------------------------------------------------------------------------------


_LABEL = re.compile(rf"^(?:\W*)({_TYPE})\b(?: ?[:(-].*|$)")
_SAYS_ERROR = re.compile(r"^\W*(?:error|exception|bad|wrong)\s*[:!]", re.I)


def _errors_in_comments(noted: list[Comment], code: list[str]) -> Iterator[Claim]:
    for comment in noted:
        text = comment.text
        is_label = bool(_LABEL.match(text))
        if comment.first is None or not (is_label or _RAISES.search(text)
                                         or _SAYS_ERROR.match(text)):  # fmt: skip
            continue
        if _NO_ERROR.search(text) or _HEDGED.search(text) or _is_code(text):
            continue
        if re.search(r"\berrors\b", text) and not re.search(r"\b(?:this|will)\b", text, re.I):
            continue  # `wrong sizes lead to errors`: of sizes in general
        anchor = code[comment.first - 1].strip()
        if re.match(r"(?:except|raise|def|class|import|from|else|elif|return None|print\(f?[\"'])",
                    anchor):  # fmt: skip
            continue
        assert comment.last is not None
        reached = not any(_in_function(code, n) for n in range(comment.first, comment.last + 1))
        weak = _WEAK.search(text) is not None and not re.search(r"^\W*attempt", text, re.I)
        # `# Error: the sizes differ` may also explain what is wrong without a word on a run.
        said = is_label or (_RAISES.search(text) is not None)
        type_, message = _what(text)
        yield Claim(
            kind=Kind.ERROR, text=text, line=comment.first, end_line=comment.last, type=type_,
            message=message, pointed=said and reached and not weak,
        )  # fmt: skip


_CODE = re.compile(r"^[\w.\[\]]+\s*(?:=(?!=)|\()|^(?:raise|return|import|from|print|try:|except)\b")


def _is_code(text: str) -> bool:
    """A line of code that was taken out, perhaps with a comment of its own."""
    return bool(_CODE.match(text)) and not re.match(rf"{_TYPE}\b", text)


def _in_function(code: list[str], line: int) -> bool:
    """Whether a line stands in a function or class, and is not carried out where it stands."""
    indent = _indent(code[line - 1])
    for above in reversed(code[: line - 1]):
        if above.strip() and _indent(above) < indent:
            indent = _indent(above)
            if re.match(r"\s*(?:async )?(?:def|class)\b", above):
                return True
    return False


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _errors_in_prose(told: tuple[str, ...], *, after: bool) -> Iterator[Claim]:
    for n, sentence in enumerate(told):
        if not _RAISES.search(sentence) or _NO_ERROR.search(sentence) or _HEDGED.search(sentence):
            continue
        before = told[n - 1] if n else ""
        if re.match(r"(?:This|That|It)\b", sentence) and _HEDGED.search(before):
            continue
        pointed = _THIS.search(sentence) is not None
        if not after:
            # Before the block only what introduces it is about it.
            pointed = bool(
                re.search(r"\b(?:following|below|this) (?:\w+ )?(?:code|example|snippet)", sentence)
                and n == len(told) - 1
            )
        elif _LATER.search(sentence) and not re.search(r"\b(?:this|above)\b", sentence, re.I):
            continue
        type_, message = _what(sentence)
        yield Claim(
            kind=Kind.ERROR, text=sentence, type=type_, message=message,
            pointed=pointed and not _WEAK.search(sentence.split(",")[0]),
        )  # fmt: skip


_QUOTED = re.compile(
    r"`([^`\n]{8,300})`|[\"“]([^\"”\n]{8,300})[\"”]|(?<!\w)['‘]([^'’\n]{8,300})['’](?!\w)"
)
_TYPED = re.compile(rf"\b{_TYPE}: ([^`\n]{{8,300}}?)(?:[`\"”]|$)")


def _what(text: str) -> tuple[str, str]:
    """The exception's type and the message that a sentence names, as far as it does."""
    named = _NAMED_TYPE.search(text)
    type_ = named[1].rpartition(".")[2] if named else ""
    if typed := _TYPED.search(text):
        return type_, typed[1].strip()
    for match in _QUOTED.finditer(text):
        quoted = next(g for g in match.groups() if g is not None)
        words = re.findall(r"[A-Za-z]{2,}", quoted)
        if len(words) >= 3 and not re.search(r"[=(]\w*[=)]|^\w+\(|^\w+\.\w+", quoted):
            return type_, quoted.removeprefix(f"{type_}:").strip()
    return type_, ""


_WRONG = re.compile(r"\b(?:incorrect(?:ly)?|wrong|erroneous|faulty|problematic|bad|intentional"
                    r"|error|fails?)\b", re.I)  # fmt: skip
_SHOWN_ERROR = re.compile(r"^\s*except\b[^\n]*:\s*\n\s*(?:print|logging\.\w+|logger\.\w+)\(", re.M)


def _provoked(
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
                    and _indent(code[m - 1]) == _indent(code[n - 1])), None)  # fmt: skip
        if end is None or _in_function(code, n):
            continue
        within = [c for c in noted if n - 2 <= c.line < end]
        if len(tries) == 1:
            within = noted
        wrong = next(
            (c for c in within if re.match(r"\W*incorrect|.*\(incorrect\)", c.text, re.I)), None
        )
        if (
            wrong is not None
            and not _HEDGED.search(wrong.text)
            and not _WEAK.search(re.sub(r"attempt\w*", "", wrong.text, flags=re.I))
        ):
            yield Claim(kind=Kind.ERROR, text=wrong.text, line=n, end_line=end)


# -- it works ----------------------------------------------------------------------------------


_WORKS = re.compile(
    r"\b(?:works|runs|executes|functions|passes|will (?:now )?(?:work|run|execute|succeed)"
    r"|completes|operates|succeeds)\b(?: \w+)?(?: (?:correctly|fine|properly|successfully"
    r"|as (?:expected|intended)|perfectly|now|without (?:\w+ )?(?:errors?|issues?|problems?|failure"
    r"|throwing|raising)))"
    r"|\b(?:correctly|successfully) (?:works|runs|executes|completes)\b"
    r"|\bno (?:longer )?(?:\w+ )?(?:error|exception)s? (?:will be|is|are|would be|occurs?)"
    r"|\bwithout (?:any )?(?:\w+ )?(?:errors?|exceptions?)\b",
    re.I,
)
_CORRECT = re.compile(
    r"^\W*(?:\d[.)]\s*)?(?:correct(?:ed)?|fixed|valid|works?|working|this (?:now )?works|now works"
    r"|works now|proper)"
    r"(?: (?:[\w-]+ ){0,3}?(?:way|approach|usage|use|version|method|implementation|code|example"
    r"|call|solution|update|operation)(?: \d+)?| (?:now|because|as|since|fine|correctly))?"
    r"\s*(?:[:.!,(–-]|$|because|as |with |of |using |to )",
    re.I,
)
_CORRECT_WAY = re.compile(
    r"\b(?:correct(?:ed)?|proper|right|fixed|working) (?:way|approach|version|code|implementation"
    r"|usage|method|solution|example|snippet)\b",
    re.I,
)


_IN_GENERAL = re.compile(r"\b(?:key|essential|always)\b", re.I)


def _works_in_comments(noted: list[Comment], code: list[str]) -> Iterator[Claim]:
    for comment in noted:
        text = comment.text
        works = re.search(r"\b(?:this (?:now )?works|(?:will|should) (?:now )?work|now works"
                          r"|^works)\b", text, re.I)  # fmt: skip
        if comment.first is None or not (works or _CORRECT.match(text) or _WORKS.search(text)):
            continue
        if re.search(r"\b(?:not|n['’]t|if|unless|only|incorrect|should be|may|might|could)\b", text,
                     re.I) or _is_code(text):  # fmt: skip
            continue
        assert comment.last is not None
        reached = not _in_function(code, comment.first)
        if re.match(r"\s*(?:async )?(?:def|class)\b", code[comment.first - 1]):
            continue  # what is right in a definition shows where it is used
        yield Claim(
            kind=Kind.RUNS, text=text, line=comment.first if reached else None,
            end_line=comment.last if reached else None,
        )  # fmt: skip


def _works_in_prose(told: tuple[str, ...], *, after: bool) -> Iterator[Claim]:
    for n, sentence in enumerate(told):
        if re.search(r"\b(?:not|n['’]t|if|unless|ensur\w+|should|incorrect\w*|may|might|could|can"
                     r"|to (?:make|see|verify|check)|would|crucial|important|until|before|provided"
                     r" that|assuming|silently|appear\w*|seem\w*|despite|although|while|but)\b",
                     sentence, re.I):  # fmt: skip
            continue
        if after:
            says = _WORKS.search(sentence) and _THIS.search(sentence)
            if says and not _LATER.search(sentence):
                yield Claim(kind=Kind.RUNS, text=sentence)
        elif n < len(told) - 2 or _IN_GENERAL.search(sentence):
            continue
        elif _CORRECT_WAY.search(sentence):
            introduces = sentence.rstrip("*_ ").endswith(":") or re.search(
                r"\b(?:following|below|here)\b|^\W*(?:the )?(?:correct|proper|fixed)",
                sentence,
                re.I,
            )
            if introduces:
                yield Claim(kind=Kind.RUNS, text=sentence)


# -- what is printed ---------------------------------------------------------------------------


_LITERAL = (
    r"torch\.Size\(\[[\d, ]*\]\)|(?:torch\.)?tensor\((?:[^()]|\([^()]*\))*\)|torch\.[a-z]+\d+"
    r"|\([\d, ]+\)|\[[\d\[\]., eE+-]+\]|True|False|None|-?\d+(?:\.\d+)?"
)
_SAYS_OUTPUT = re.compile(
    r"^\W*(?:expected |example )?(?:output|outputs|prints?|printed|expected|result"
    r"|(?:this )?(?:will|should) (?:print|output|be))\b(?: (?:will|should) be| shape(?: is| will be"
    r"| should be)?)?\s*[:=]?\s*(.*)$|^\W*(?:→|=>|->|>>>)\s*(.*)$",
    re.I,
)
_VARIES = re.compile(
    r"\b(?:var(?:y|ies)|example|e\.g|approx\w*|similar|something|like|depend\w*|or|random\w*|some"
    r"|may|might|assuming|if|about|around|roughly|simplified)\b|~|…|\.\.\.",
    re.I,
)
_RANDOM = re.compile(
    r"rand|[dD]ropout|shuffle|normal_|uniform_|seed|init\.|\btime\.|\.sample\(|empty\(|noise"
    r"|data_ptr|\bid\(|nn\.(?:Linear|Bilinear|Conv|Embedding|LSTM|GRU|RNN|Transformer|Multihead)"
    r"|models\.|load|open\("
)


def _printed(noted: list[Comment], code: list[str]) -> Iterator[Claim]:
    """Comments that say what a print beside or above them prints."""
    whole = "\n".join(code)
    taken: set[int] = set()
    for n, comment in enumerate(noted):
        if comment.line in taken:
            continue
        says = _SAYS_OUTPUT.match(comment.text)
        text = comment.text
        if says:
            text = (says[1] or says[2] or "").strip()
        elif not re.match(rf"\W*(?:{_LITERAL})\s*$", text):
            continue
        line = comment.line
        if comment.alone:
            # An output below its print: what follows directly belongs to it.
            line = _print_above(code, comment.line) if says else 0
            if not line:
                continue
            more = _lines_below(noted[n + 1 :], comment.line)
            taken |= {c.line for c in more}
            text = "\n".join([text, *(c.text for c in more)]).strip()
        elif not re.match(r"\s*print\(", code[comment.line - 1]):
            continue
        if not text or _VARIES.search(text) or _VARIES.search(comment.text):
            continue
        first = re.match(rf"[^\w(\[-]*({_LITERAL})", text)
        shape = re.match(r"[^\w(\[]*(?:torch\.Size\()?[\[(]\d+,[\d, ]*[\])]", text)
        labelled = re.match(
            rf"[^\n]{{0,60}}[:=]\s*(?:\n\s*)?(?:{_LITERAL})|error: |{_TYPE}: ", text, re.I
        )
        told = bool(first or labelled)
        if first and not labelled:
            rest = text[first.end() :].strip(" .)")
            if rest and re.match(r"[\w`]", rest) and re.fullmatch(r"-?[\d.]+", first[1]):
                continue  # `2 because there are two`: a number in a sentence
        certain = told and _is_carried_out(code, line)
        if _RANDOM.search(whole) and not (shape or "torch.Size" in text or
                                          re.match(r"\W*torch\.[a-z]+\d+", text)):  # fmt: skip
            certain = False
        yield Claim(
            kind=Kind.PRINTS, text=comment.text, line=line, end_line=line,
            printed=first[1] if first else text, pointed=certain,
        )  # fmt: skip


def _print_above(code: list[str], line: int) -> int:
    """The print that a comment below it is about: the nearest one of the statement above."""
    seen = 0
    for n in range(line - 1, 0, -1):
        text = code[n - 1]
        if re.match(r"\s*print\(", text):
            return n
        seen += bool(text.strip()) and not text.lstrip().startswith("#")
        if seen > 3 or (not text.strip() and seen) or re.match(r"\s*(?:def|class)\b", text):
            return 0
    return 0


def _is_carried_out(code: list[str], line: int) -> bool:
    """Whether a line is surely reached: in no function, and behind no condition.

    A handler that prints the error counts: nothing printed is then what there is to tell.
    """
    indent = _indent(code[line - 1])
    for above in reversed(code[: line - 1]):
        if above.strip() and _indent(above) < indent:
            indent = _indent(above)
            if re.match(r"\s*(?:(?:async )?def|class|if|elif|else|while)\b", above):
                return False
    return True


def _lines_below(noted: list[Comment], line: int) -> list[Comment]:
    found = []
    for comment in noted:
        if not comment.alone or comment.line != line + 1 or _SAYS_OUTPUT.match(comment.text):
            break
        if not re.match(r"[\s\[\](){}\d.,eE+-]|tensor", comment.text):
            break
        found.append(comment)
        line += 1
    return found


def _outputs(told: tuple[str, ...]) -> Iterator[Claim]:
    """`The output will show that …`: then something must be printed."""
    for sentence in told:
        if _HEDGED.search(sentence.replace("can ", "")) or _LATER.search(sentence):
            continue
        if re.search(r"\b(?:the|this|its) (?:\w+ )?(?:output|behaviou?r observed|print statements?)"
                     r" (?:will|would) (?:still )?(?:show|display|print|reveal|be)\b", sentence,
                     re.I):  # fmt: skip
            yield Claim(kind=Kind.OUTPUT, text=sentence)


def _shown(shown: str, code: str) -> Iterator[Claim]:
    """The output that stands in a fence below the block."""
    text = shown.strip()
    if not text or _VARIES.search(text):
        return
    last = text.splitlines()[-1]
    if re.match(rf"{_TYPE}: ", last):
        type_, message = _what(last)
        yield Claim(kind=Kind.ERROR, text=last, type=type_, message=message, pointed=False)
    elif len(text) < 2000:
        yield Claim(kind=Kind.PRINTS, text=text, printed=text,
                    pointed=not _RANDOM.search(code))  # fmt: skip


# -- shapes and training -----------------------------------------------------------------------


_SHAPE_NOTE = re.compile(
    r"^\W*(?:(?:output |resulting |input )?shape\s*(?:is|:|=|will be|of)?\s*)?"
    r"(?:(?:torch\.Size\()?[\[(](\d+(?:, ?\d+)*),?[\])]\)?\s*\.?$|(\d+(?:x\d+)+)\b)",
    re.I,
)
_ASSIGNED = re.compile(r"^(\w+)\s*=(?!=)")
_SHAPE_TOLD = re.compile(
    r"`(\w+)`(?: tensor)? (?:will (?:have|be of)|has|is of|with)(?: a| the)? shape(?: of)? "
    r"`?(?:torch\.Size\()?[\[(](\d+(?:, ?\d+)*),?[\])]"
    r"|\bshape of `(\w+)`(?: here)? (?:will be|is|becomes) `?(?:torch\.Size\()?"
    r"[\[(](\d+(?:, ?\d+)*),?[\])]"
    r"|\b`?(\w+)`? (?:is|to be|will be|becomes|has shape|of shape) (?:a |an |of (?:shape|size) )?"
    r"`?(\d+(?:x\d+)+)\b",
    re.I,
)


def _shapes_in_comments(noted: list[Comment], code: list[str]) -> Iterator[Claim]:
    for comment in noted:
        if comment.alone:
            continue
        note = _SHAPE_NOTE.match(comment.text)
        assigned = _ASSIGNED.match(code[comment.line - 1])
        if note and assigned and _bound_once(code, assigned[1]):
            yield Claim(
                kind=Kind.SHAPE, text=comment.text, line=comment.line, end_line=comment.line,
                name=assigned[1], shape=_numbers(note[1] or note[2]),
            )  # fmt: skip


def _bound_once(code: list[str], name: str) -> bool:
    binds = re.compile(rf"(?<![\w.]){name}\s*(?:,[\w\s,]*)?[-+*/@|&]?=(?!=)|\bfor [^:]*\b{name}\b")
    return sum(bool(binds.search(line.split("#")[0])) for line in code) == 1


def _shapes_in_prose(told: tuple[str, ...]) -> Iterator[Claim]:
    for sentence in told:
        if _HEDGED.search(sentence) or _VARIES.search(sentence):
            continue
        for match in _SHAPE_TOLD.finditer(sentence):
            name, numbers = (group for group in match.groups() if group)
            yield Claim(
                kind=Kind.SHAPE, text=sentence, name=name, shape=_numbers(numbers), pointed=False
            )


def _numbers(text: str) -> tuple[int, ...]:
    return tuple(int(n) for n in re.findall(r"\d+", text))


_UPDATES = re.compile(r"\b(?:optimi[sz]er|optimi[sz]ation|training|step)\b[^.]{0,40}\b(?:updates?|"
                      r"adjusts?|changes|learns)\b (it|`[\w.]+`)", re.I)  # fmt: skip
_STILL = re.compile(r"`([\w.]+)`[^.]{0,30}\b(?:will not be|is not|is never|never|won['’]t be)"
                    r" (?:updated|trained|optimi[sz]ed|learned)", re.I)  # fmt: skip


def _training(told: tuple[str, ...]) -> Iterator[Claim]:
    for sentence in told:
        if _HEDGED.search(sentence):
            continue
        named = re.findall(r"`([\w.]+)`", sentence)
        if match := _UPDATES.search(sentence):
            name = match[1].strip("`") if match[1] != "it" else (named[-1] if named else "")
            if name and not _NO_ERROR.search(sentence):
                yield Claim(kind=Kind.TRAINS, text=sentence, name=name.rpartition(".")[2])
        elif match := _STILL.search(sentence):
            yield Claim(
                kind=Kind.NEVER_TRAINS, text=sentence, name=match[1].rpartition(".")[2],
                pointed=False,
            )  # fmt: skip
