"""Understand a follow-up by plain rules: a small edit of the code at hand, or a question about it.

The code is only searched and replaced as text, never parsed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from bot.models import Answer, Reply, RunWith
from bot.service import small_edits
from bot.service.small_edits import DTYPES, GIVEN, NUMBER, Edit, NoEditError
from executor.protocol import File

HINT = (
    "With a follow-up I can change a value (“batch size 1”, “use 5 instead of 4”) or a line, run "
    "it on another device, seed or dtype, say why, or read a new error. For anything else, post "
    "the code as it is now."
)
UNKNOWN = Reply(text=f"I do not know what to change for that. {HINT}")

_DTYPE = rf"(?:torch\.)?(?:{DTYPES})"
_WORD = r"[A-Za-z_][\w.]*"
_VALUE = rf"(?:{NUMBER}|{_DTYPE}|True|False|None|'[^']*'|\"[^\"]*\"|{_WORD})"
_LEAD = (
    r"(?:(?:and|ok(?:ay)?|but|now|then|so|please|again|hm+|no|thanks|thank you)[\s,!.]+)*"
    r"(?:(?:can|could|would) you[\s]+|i(?:'d like| would like| want| need)(?: to)?\s+|let'?s\s+)?"
    r"(?:(?:(?:does|do|will|would|did|is) )?(?:it |that |this )?(?:also |still |even )?(?:be )?"
    r"(?:work|fail|run|happen|break|the same|same|like)(?: (?:too|as well))?"
    r"(?=\s+(?:with|for|if|when|on|in|using|at|as)\b)\s+)?"
    r"(?:(?:try|run|test|do|check|set|put)(?:\s+(?:it|that|this))?(?:\s+again)?\s+)?"
)
_WHERE = (
    r"(?:\s+(?:in|on|at) line (?P<line>\d{1,4})|"
    r"\s+(?P<all>everywhere|in (?:both|all)(?: lines| places)?))?"
)
_END = r"(?:\s+(?:instead|please|then|again|now))*\s*[?.!]*"

_WHY = re.compile(
    r"(?:but |and |ok |hm+ )*(?:"
    r"why(?: (?:is|does|did|was|do|are) (?:that|this|it|they)(?: .{0,30})?| not)?|how come|"
    r"what does (?:that|this|it) mean|what do you mean|what(?:'s| is) the (?:reason|cause)|"
    r"i (?:don'?t|never) (?:get|understand)(?: (?:it|that|this|why))*|"
    r"(?:(?:can|could) you )?explain(?: (?:that|this|it|the (?:fix|error|answer)))?(?: more)?)"
    r"\s*[?.!]*",
    re.IGNORECASE,
)
_PRINTED = re.compile(
    r"(?:and |so |but )*what(?: (?:does|did|is|was|will|has|gets?))*(?: (?:it|that|this))?"
    r"(?: been)? (?:print(?:s|ed)?|output)\s*\??",
    re.IGNORECASE,
)
_DEVICE = re.compile(
    rf"{_LEAD}(?:(?:what about|how about|and|same)\s+)?(?:it\s+)?(?:on|with|using|to)?\s*"
    rf"(?:a |the |my )?(gpu|cuda|cpu){_END}",
    re.IGNORECASE,
)
_SEED = re.compile(
    rf"{_LEAD}(?:(?:what about|how about|with|using|use)\s+)?(?:a |the |another )?(?:random )?"
    rf"seed(?:\s*(?:=|of|to))?\s*(\d{{1,9}}){_END}",
    re.IGNORECASE,
)
_AGAIN = re.compile(
    r"(?:please |can you |could you )*(?:try|run|do|test)?\s*(?:it |that |this )?"
    r"(?:again|once more|rerun(?: it)?)\s*[?.!]*",
    re.IGNORECASE,
)
_OTHER = re.compile(
    r"(?:and |now |please |can you )*(?:(?:fix|show|try|use|take|what about|do) )?(?:me )?the"
    r" (first|second|third|fourth|other) (?:one|fix|way|option|version|error|bug|problem)s?"
    r"(?: too| as well| instead| please)*\s*[?.!]*",
    re.IGNORECASE,
)
_INSTEAD_OF = re.compile(
    rf"{_LEAD}(?:(?:use|with|take|what about|how about|what if i use)\s+)?({_VALUE})\s+"
    rf"(?:instead of|rather than|in place of|for)\s+({_VALUE}){_WHERE}{_END}",
    re.IGNORECASE,
)
_REPLACE = re.compile(
    rf"{_LEAD}(?:replace|change|swap|turn)\s+(?:the\s+)?({_VALUE})\s*"
    rf"(?:by|with|to|into|for|->|→)\s*(?:an? )?({_VALUE}){_WHERE}{_END}",
    re.IGNORECASE,
)
_IN_DTYPE = re.compile(
    rf"{_LEAD}(?:(?:what about|how about|use|in|with|as|using|to)\s+)*"
    rf"(?:dtype\s*=?\s*|a )?({_DTYPE}){_END}",
    re.IGNORECASE,
)
_NAMED = re.compile(
    rf"{_LEAD}(?:(?:what about|how about|what if|what happens if|what happens (?:with|for|when|if)|"
    rf"and if|if|when|use|"
    rf"with|using|take|for|change|increase|decrease|reduce|lower|raise|set)\s+)*(?:i |we |you )?"
    rf"(?:(?:use|set|make|change|increase|decrease|reduce)\s+)?"
    rf"(?:a |an |the |my )?([A-Za-z_]\w*(?:[ -][A-Za-z_]\w*){{0,2}}?)"
    rf"(?:\s+from\s+{GIVEN})?(?:\s*==?\s*|\s+(?:(?:of|to|is|was|were|at|as|by)\s+)?)"
    rf"({GIVEN}){_END}",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    rf"{_LEAD}(?:(?:what about|how about|what if|use|with|using|take|for)\s+)*({NUMBER})\s+"
    rf"([A-Za-z_]\w*(?:[ -][A-Za-z_]\w*){{0,2}}){_END}",
    re.IGNORECASE,
)
_JUST = re.compile(
    rf"{_LEAD}(?:(?:what about|how about|what if it is|what if it'?s|use|with|take|and|make it)\s+)"
    rf"({NUMBER}){_END}",
    re.IGNORECASE,
)
_VERB = re.compile(
    r"\b(?:use|try|set|with|change|make|what (?:about|if|happens)|how about|instead|increase|"
    r"decrease|reduce|lower|raise)\b",
    re.IGNORECASE,
)
_WITHOUT_LINE = re.compile(
    rf"{_LEAD}(?:remove|delete|drop|skip|leave out|without)\s+line\s+(\d{{1,4}}){_END}",
    re.IGNORECASE,
)
_OTHER_LINE = re.compile(
    r"(?:and |now |please )*(?:replace|change|make)\s+line\s+(\d{1,4})"
    r"\s*(?:by|with|to|into|->|→|:)\s*`?([^`]+?)`?\s*",
    re.IGNORECASE,
)
_STILL = re.compile(
    r"(?:(?:but|no|nope|hm+|sorry|and)[\s,]+)*(?:(?:it|that|this)(?:'s|'?ll)? )?"
    r"(?:(?:is )?still (?:fails?|failing|crash(?:es|ing)?|broken|there|wrong|"
    r"does(?: not|n'?t) work|(?:not )?working|the same(?: error| problem)?|(?:the|an) error)|"
    r"(?:the )?same (?:error|problem|thing|issue)(?: again| as before)?|"
    r"(?:does|did|do)(?: not|n'?t) (?:work|help|fix (?:it|that))|not (?:working|fixed|solved))"
    r"(?: here| for me| on my (?:machine|computer|side))?\s*[.!]*",
    re.IGNORECASE,
)
_SHOW = re.compile(
    r"(?:and |so |ok |please )*(?:what (?:has |was |(?:have|did) you )?changed?|"
    r"(?:show|give)(?: me)? the (?:diff|change|changes)|what is (?:different|the difference))"
    r"\s*[?.!]*",
    re.IGNORECASE,
)
_ABOUT_WHY = re.compile(
    r"\s*(?:and |but |so |ok |hm+ )*(?:why|(?:(?:can|could) you )?explain|what(?:'s| is) the "
    r"(?:reason|cause)|where does (?:it|that) come from)\b",
    re.IGNORECASE,
)
_HOW_TO = re.compile(r"\s*(?:and |but |ok |so )*how (?:do|can|to|should|would)\b", re.IGNORECASE)
# Words that cannot be understood without the code.
_ABOUT_CODE = re.compile(
    r"\b(?:this|that|these|those|it|its|here|above|same|also|still|my|"
    r"the (?:code|snippet|script|program|fix|error|result|output|answer))\b",
    re.IGNORECASE,
)
_FROM_NOW_ON = re.compile(
    r"\b(?:now|then|again|still|next|this time|after (?:that|this|it)|instead|"
    r"(?:another|new|different|next|other) (?:error|one|problem))\b",
    re.IGNORECASE,
)
_ORDINALS = {"first": 0, "second": 1, "third": 2, "fourth": 3, "other": 1}
_LONGEST = 160  # characters of a follow-up that may be an edit
_LINES = 12  # of what was printed, or changed, that are shown


@dataclass(frozen=True)
class Earlier:
    """What a follow-up is about."""

    code: str
    answer: Answer | None
    fixed: bool = False  # the code has our fix in it
    files: tuple[File, ...] = ()  # what lay beside it


@dataclass(frozen=True)
class FollowUp:
    """What a follow-up wants: another run, a reply, or an answer to its words alone."""

    code: str = ""  # run this instead
    said: str = ""  # what was changed, to be shown
    run_with: RunWith | None = None
    reply: Reply | None = None
    alone: bool = False  # its words are a question by themselves
    otherwise: Reply | None = None  # alone: said where nothing is known of them


def understand(words: str, earlier: Earlier, *, has_gpu: bool) -> FollowUp:
    """What these words want of the code before."""
    plain = " ".join(words.split())
    if len(plain) <= _LONGEST:
        if _HOW_TO.match(plain):
            return FollowUp(alone=True)
        if found := _asked(plain, earlier) or _run_otherwise(plain, earlier, has_gpu=has_gpu):
            return found
        try:
            if edit := _edited(plain, earlier):
                return FollowUp(code=edit.code, said=edit.said)
        except NoEditError as e:
            return FollowUp(reply=Reply(text=str(e)))
    # What no rule knows changes nothing of the code, so running that again would show nothing new.
    about_why = _ABOUT_WHY.match(plain) and earlier.answer is not None
    reply = _explained(earlier.answer) if about_why else UNKNOWN
    if _ABOUT_CODE.search(plain):
        return FollowUp(reply=reply)
    return FollowUp(alone=True, otherwise=reply)


def goes_on(words: str) -> bool:
    """Whether words beside a new error say that it came after what was said before."""
    return _FROM_NOW_ON.search(words) is not None


def is_same(answer: Answer, before: Answer) -> bool:
    """Whether two answers would be the same card."""
    return _told(answer) == _told(before)


def _told(answer: Answer) -> tuple[object, ...]:
    error = answer.error
    return (
        answer.status,
        answer.headline,
        error and (error.type, error.line, error.message),
        answer.fix and answer.fix.diff,
        # Other words find other articles; what the run showed is the same.
        None if error else answer.why and answer.why.article,
        None if error else [f.name for f in answer.functions],
        answer.run and answer.run.stdout,
    )


def same_as_before(answer: Answer, changed: str = "") -> Reply:
    """Said instead of the same card once more."""
    with_it = f" ({changed})" if changed else ""
    told = answer.headline
    if answer.status == "runs":
        told = "it runs and prints the same." if answer.run and answer.run.stdout else "it runs."
    return Reply(text=f"It is the same as above{with_it}: {told}")


# -- questions about it ----------------------------------------------------------------------


def _asked(plain: str, earlier: Earlier) -> FollowUp | None:
    """A question that the answer before holds the answer to."""
    answer = earlier.answer
    if _WHY.fullmatch(plain):
        return FollowUp(reply=_explained(answer))
    if _PRINTED.fullmatch(plain):
        return FollowUp(reply=_printed(answer))
    if _SHOW.fullmatch(plain):
        return FollowUp(reply=_shown_change(answer))
    if _STILL.fullmatch(plain):
        return FollowUp(reply=_still(earlier))
    if found := _OTHER.fullmatch(plain):
        return _other(answer, found[1].lower())
    return None


def _explained(answer: Answer | None) -> Reply:
    if answer is None:
        return Reply(text=HINT)
    told = [answer.explanation or ""]
    if answer.why is not None:
        told.append(" ".join(answer.why.text.split()))
        told.append(answer.why.url or "")
    if answer.posted is not None:
        told.append(answer.posted.means)
    told = [t for t in dict.fromkeys(told) if t]
    if not told:
        return Reply(text=f"I know no more about it than this: {answer.headline}")
    return Reply(text="\n\n".join(told))


def _printed(answer: Answer | None) -> Reply:
    if answer is None or answer.run is None:
        return Reply(text="It was not run, so I do not know what it prints.")
    lines = answer.run.stdout.rstrip().splitlines()
    if not lines:
        return Reply(text="As posted, it printed nothing.")
    above = f"… {len(lines) - _LINES} lines above\n" if len(lines) > _LINES else ""
    last = "\n".join(lines[-_LINES:])
    return Reply(text=f"As posted, it printed:\n```\n{above}{last}\n```")


def _shown_change(answer: Answer | None) -> Reply:
    if answer is None or answer.fix is None:
        return Reply(text="I changed nothing of your code.")
    lines = [x for x in answer.fix.diff.splitlines() if not x.startswith(("---", "+++"))]
    return Reply(text="I changed:\n```diff\n" + "\n".join(lines[: 3 * _LINES]) + "\n```")


def _still(earlier: Earlier) -> Reply:
    if earlier.fixed:
        return Reply(
            text="With the fix above your code runs to its end here. Post it as it is now, or the "
            "error that you get, and I run that."
        )
    said = f"What I saw is this: {earlier.answer.headline} " if earlier.answer is not None else ""
    return Reply(text=f"{said}Post the code as it is now, or the error that you get.")


def _other(answer: Answer | None, which: str) -> FollowUp:
    fixes = answer.alternatives if answer is not None else ()
    n = _ORDINALS[which]
    if len(fixes) <= max(n, 1):
        return FollowUp(reply=Reply(text="I have no other fix than what is above."))
    intent = fixes[n].intent
    return FollowUp(
        code=fixes[n].code, said=f"with the fix if {intent}" if intent else fixes[n].title
    )


# -- runs with other options -----------------------------------------------------------------


def _run_otherwise(plain: str, earlier: Earlier, *, has_gpu: bool) -> FollowUp | None:
    """The same code on another device, with another seed, or once more."""
    if found := _DEVICE.fullmatch(plain):
        if found[1].lower() == "cpu":
            return FollowUp(run_with=RunWith(device="cpu"), said="on the CPU")
        if has_gpu:
            return FollowUp(run_with=RunWith(device="cuda"), said="on the GPU")
        missing = "There is no GPU where I run code, so I cannot show what it does on one."
        return FollowUp(reply=Reply(text=missing))
    if found := _SEED.fullmatch(plain):
        return FollowUp(run_with=RunWith(seed=int(found[1])), said=f"with seed {int(found[1])}")
    return FollowUp(code=earlier.code) if _AGAIN.fullmatch(plain) else None


# -- small edits -----------------------------------------------------------------------------


def _edited(plain: str, earlier: Earlier) -> Edit | None:
    """The code with what these words change; None if they change nothing that a rule knows.

    Raises:
        NoEditError: they do, and it cannot be done.
    """
    code, answer = earlier.code, earlier.answer
    if found := _WITHOUT_LINE.fullmatch(plain):
        return small_edits.line_changed(code, int(found[1]), "")
    if found := _OTHER_LINE.fullmatch(plain):
        return small_edits.line_changed(code, int(found[1]), found[2])
    if found := _INSTEAD_OF.fullmatch(plain):
        return small_edits.replaced(code, found[2], found[1], _wanted(found, answer))
    if found := _REPLACE.fullmatch(plain):
        return small_edits.replaced(code, found[1], found[2], _wanted(found, answer))
    if found := _IN_DTYPE.fullmatch(plain):
        return small_edits.in_dtype(code, found[1])
    if found := _JUST.fullmatch(plain):
        return small_edits.bare(code, found[1], answer)
    for rule, name, value in ((_NAMED, 1, 2), (_COUNTED, 2, 1)):
        if found := rule.fullmatch(plain):
            try:
                return small_edits.named(code, found[name], found[value])
            except NoEditError:
                if _VERB.search(plain):
                    raise
    return None


def _wanted(found: re.Match[str], answer: Answer | None) -> int | None:
    """Of a number that stands in several lines the one that is meant; 0: all, None: not said."""
    if found["all"]:
        return 0
    if found["line"]:
        return int(found["line"])
    return answer.error.line if answer is not None and answer.error is not None else None
