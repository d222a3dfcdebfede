"""Understand a follow-up by plain rules: a small edit of the code at hand, or a question about it.

The code is only searched and replaced as text, never parsed.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import dataclass

from bot.models import Answer, Reply, RunWith
from bot.words import listed
from executor.protocol import File

HINT = (
    "With a follow-up I can change a value (“batch size 1”, “use 5 instead of 4”), run it on "
    "another device, seed or dtype, say why, or read a new error. Anything else: ask it anew."
)

_NUMBER = r"-?\d+(?:_\d+)*(?:\.\d+)?(?:e[+-]?\d+)?"
_DTYPES = "float16|float32|float64|bfloat16|half|double|int8|int16|int32|int64"
_DTYPE = rf"(?:torch\.)?(?:{_DTYPES})"
_WORD = r"[A-Za-z_][\w.]*"
_VALUE = rf"(?:{_NUMBER}|{_DTYPE}|True|False|None|'[^']*'|\"[^\"]*\"|{_WORD})"
_LEAD = (
    r"(?:(?:and|ok(?:ay)?|but|now|then|so|please|again|hm+|no)[\s,]+)*"
    r"(?:(?:can|could|would) you[\s]+)?"
    r"(?:(?:try|run|test|do|check|set|put)(?:\s+(?:it|that|this))?(?:\s+again)?\s+)?"
)
_END = r"(?:\s+(?:instead|please|then|again|now))*\s*[?.!]*"

_WHY = re.compile(
    r"(?:but |and |ok |hm+ )*(?:"
    r"why(?: (?:is|does|did|was|do|are) (?:that|this|it|they)(?: .{0,30})?| not)?|how come|"
    r"what does (?:that|this|it) mean|what do you mean|explain(?: (?:that|this|it))?(?: more)?|"
    r"i (?:don'?t|do ?n[o]t) (?:get|understand)(?: (?:it|that|this|why))*|"
    r"(?:can|could) you explain(?: (?:that|this|it))?(?: more)?)\s*[?.!]*",
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
    r"(?:and |now |please |can you )*(?:(?:fix|show|try|use|what about|do) )?(?:me )?the other"
    r" (?:one|fix|way|option|version|error|bug|problem)s?"
    r"(?: too| as well| instead| please)*\s*[?.!]*",
    re.IGNORECASE,
)
_INSTEAD_OF = re.compile(
    rf"{_LEAD}(?:(?:use|with|take|what about|how about|what if i use)\s+)?({_VALUE})\s+"
    rf"(?:instead of|rather than|in place of|for)\s+({_VALUE}){_END}",
    re.IGNORECASE,
)
_REPLACE = re.compile(
    rf"{_LEAD}(?:replace|change|swap|turn)\s+(?:the\s+)?({_VALUE})\s*"
    rf"(?:by|with|to|into|for|->|→)\s*(?:an? )?({_VALUE}){_END}",
    re.IGNORECASE,
)
_IN_DTYPE = re.compile(
    rf"{_LEAD}(?:(?:what about|how about|use|in|with|as|using|to)\s+)*"
    rf"(?:dtype\s*=?\s*|a )?({_DTYPE}){_END}",
    re.IGNORECASE,
)
_NAMED = re.compile(
    rf"{_LEAD}(?:(?:what about|how about|what if|what happens if|what happens with|and if|if|use|"
    rf"with|using|take|for|change|increase|decrease|reduce|lower|raise|set)\s+)*(?:i |we |you )?"
    rf"(?:(?:use|set|make|change|increase|decrease|reduce)\s+)?"
    rf"(?:a |an |the |my )?([A-Za-z_]\w*(?:[ -][A-Za-z_]\w*){{0,2}}?)\s*"
    rf"(?:=|==|of|to|is|was|were|at|as|by)?\s*({_NUMBER}|True|False|None){_END}",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    rf"{_LEAD}(?:(?:what about|how about|what if|use|with|using|take|for)\s+)*({_NUMBER})\s+"
    rf"([A-Za-z_]\w*(?:[ -][A-Za-z_]\w*){{0,2}}){_END}",
    re.IGNORECASE,
)
_JUST = re.compile(
    rf"{_LEAD}(?:(?:what about|how about|what if it is|what if it'?s|use|with|take|and|make it)\s+)"
    rf"({_NUMBER}){_END}",
    re.IGNORECASE,
)
_ASSIGNED = re.compile(rf"(?<![\w.])([A-Za-z_]\w*)(\s*=\s*)({_NUMBER}|True|False|None)(?![\w.])")
_VERB = re.compile(
    r"\b(?:use|try|set|with|change|make|what (?:about|if|happens)|how about|instead|increase|"
    r"decrease|reduce|lower|raise)\b",
    re.IGNORECASE,
)
_HOW_TO = re.compile(r"\s*(?:and |but |ok |so )*how (?:do|can|to|should|would)\b", re.IGNORECASE)
_SHORT = {"lr": "learningrate", "bs": "batchsize", "dim": "dimension", "hid": "hidden"}
_LONGEST = 160  # characters of a follow-up that may be an edit


@dataclass(frozen=True)
class Earlier:
    """What a follow-up is about."""

    code: str
    answer: Answer | None
    fixed: bool = False  # the code has our fix in it
    files: tuple[File, ...] = ()  # what lay beside it

    @property
    def as_posted(self) -> Earlier:
        """The same without our fix."""
        if not self.fixed or self.answer is None:
            return self
        return Earlier(self.answer.code, self.answer, files=self.files)


@dataclass(frozen=True)
class FollowUp:
    """What a follow-up wants; one of these, or nothing that a rule knows."""

    code: str = ""  # run this instead
    said: str = ""  # what was changed, to be shown
    run_with: RunWith | None = None
    reply: Reply | None = None
    alone: bool = False  # a question of its own, not about the code


def understand(words: str, earlier: Earlier, *, has_gpu: bool) -> FollowUp | None:
    """What these words want of the code before; None if no rule knows them."""
    plain = " ".join(words.split())
    if len(plain) > _LONGEST:
        return None
    if _HOW_TO.match(plain):
        return FollowUp(alone=True)
    if _WHY.fullmatch(plain):
        return FollowUp(reply=_explained(earlier.answer))
    if _PRINTED.fullmatch(plain):
        return FollowUp(reply=_printed(earlier.answer))
    if _OTHER.fullmatch(plain):
        return _other(earlier.answer)
    if found := _DEVICE.fullmatch(plain):
        return _on_device(found[1].lower(), has_gpu=has_gpu)
    if found := _SEED.fullmatch(plain):
        return FollowUp(code=earlier.code, run_with=RunWith(seed=int(found[1])))
    if _AGAIN.fullmatch(plain):
        return FollowUp(code=earlier.code)
    for rule, new, old in ((_INSTEAD_OF, 1, 2), (_REPLACE, 2, 1)):
        if found := rule.fullmatch(plain):
            return _replaced(earlier, found[old], found[new])
    if found := _IN_DTYPE.fullmatch(plain):
        return _in_dtype(earlier.code, found[1])
    if found := _JUST.fullmatch(plain):
        return _just(earlier, found[1])
    for rule, name, value in ((_NAMED, 1, 2), (_COUNTED, 2, 1)):
        if found := rule.fullmatch(plain):
            edit = _named(earlier.code, found[name], found[value])
            if edit.code or _VERB.search(plain):
                return edit
    return None


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
    if changed:
        return Reply(text=f"With {changed} it is the same as above: {answer.headline}")
    return Reply(text=f"It is the same as above: {answer.headline}\n\n{HINT}")


# -- questions about it ----------------------------------------------------------------------


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


def _printed(answer: Answer | None) -> Reply | None:
    if answer is None or answer.run is None:
        return Reply(text=HINT)
    lines = answer.run.stdout.rstrip().splitlines()
    if not lines:
        return Reply(text="It printed nothing.")
    shown = lines[-12:]
    above = f"… {len(lines) - 12} lines above\n" if len(lines) > 12 else ""
    return Reply(text="It printed:\n```\n" + above + "\n".join(shown) + "\n```")


def _other(answer: Answer | None) -> FollowUp:
    fixes = answer.alternatives if answer is not None else ()
    if len(fixes) < 2:
        return FollowUp(reply=Reply(text=f"I have no other fix than what is above. {HINT}"))
    named = listed([f"“if {f.intent}”" if f.intent else f.title for f in fixes])
    code = fixes[1].code
    return FollowUp(code=code, said=f"with the second of {named}")


# -- runs with other options -----------------------------------------------------------------


def _on_device(name: str, *, has_gpu: bool) -> FollowUp:
    if name == "cpu":
        return FollowUp(run_with=RunWith(device="cpu"), said="on the CPU")
    if not has_gpu:
        return FollowUp(
            reply=Reply(
                text="There is no GPU where I run code, so I cannot show what it does on one."
            )
        )
    return FollowUp(run_with=RunWith(device="cuda"), said="on the GPU")


# -- small edits -----------------------------------------------------------------------------


def _edited(before: str, after: str) -> FollowUp:
    """The edit, with the lines that it changes."""
    old, new = before.split("\n"), after.split("\n")
    changed = [
        f"line {n}: `{b.strip()}` instead of `{a.strip()}`"
        for n, (a, b) in enumerate(zip(old, new, strict=True), 1)
        if a != b
    ]
    if not changed:
        return FollowUp(reply=Reply(text="It is like that already. " + HINT))
    more = f", and {len(changed) - 3} more" if len(changed) > 3 else ""
    return FollowUp(code=after, said="; ".join(changed[:3]) + more)


def _token(text: str) -> re.Pattern[str]:
    before = r"(?<!\w)" if text[:1].isalpha() else r"(?<![\w.])"
    return re.compile(rf"{before}{re.escape(text)}(?!\w|\.\d)")


def _replaced(earlier: Earlier, old: str, new: str) -> FollowUp:
    pattern = _token(old)
    lines = earlier.code.split("\n")
    at = [n for n, line in enumerate(lines) if pattern.search(line)]
    if not at:
        return FollowUp(reply=Reply(text=f"I find no `{old}` in the code. {HINT}"))
    if re.fullmatch(_NUMBER, old) and len(at) > 1:
        error = earlier.answer.error if earlier.answer is not None else None
        here = [n for n in at if error is not None and n + 1 == error.line]
        if not here:
            where = listed([str(n + 1) for n in at])
            said = f"`{old}` stands in lines {where}; say which, for instance with its name."
            return FollowUp(reply=Reply(text=said))
        at = here
    for n in at:
        lines[n] = pattern.sub(lambda _: new, lines[n])
    return _edited(earlier.code, "\n".join(lines))


def _in_dtype(code: str, named: str) -> FollowUp:
    short = {"half": "float16", "double": "float64"}
    name = named.lower().removeprefix("torch.")
    dtype = f"torch.{short.get(name, name)}"
    there = set(re.findall(rf"(?<![\w.])torch\.(?:{_DTYPES})\b", code))
    if len(there) == 1:
        (old,) = there
        return _edited(code, _token(old).sub(dtype, code))
    lines = code.split("\n")
    at = next(
        (n for n, line in enumerate(lines) if re.match(r"import torch\s*(?:#|$)", line)), None
    )
    if there or at is None or not name.startswith(("float", "bfloat", "half", "double")):
        names = f" ({', '.join(sorted(there))})" if there else ""
        said = f"I do not know which tensors to make {dtype}{names}; say “{dtype} instead of …”."
        return FollowUp(reply=Reply(text=said))
    lines[at] = f"import torch; torch.set_default_dtype({dtype})"  # no line moves
    return _edited(code, "\n".join(lines))


def _just(earlier: Earlier, new: str) -> FollowUp:
    """ "Use 5 instead": where the fix put a value, or the only number of the failing line."""
    answer = earlier.answer
    lines = earlier.code.split("\n")
    if answer is not None and answer.fix is not None and answer.error is not None:
        place = _put_by(answer.fix.diff)
        at = [n for n, line in enumerate(lines) if place is not None and line.strip() == place[0]]
        if place is not None and len(at) == 1:
            lines[at[0]] = _token(place[1]).sub(new, lines[at[0]], count=1)
            return _edited(earlier.code, "\n".join(lines))
    error = answer.error if answer is not None else None
    if error is not None and error.line and error.line <= len(lines):
        line = lines[error.line - 1]
        numbers = re.findall(rf"(?<![\w.]){_NUMBER}(?![\w.])", line)
        if len(numbers) == 1:
            lines[error.line - 1] = _token(numbers[0]).sub(new, line)
            return _edited(earlier.code, "\n".join(lines))
    said = f"I do not know what is to be {new}; say “{new} instead of …”, or its name."
    return FollowUp(reply=Reply(text=said))


def _put_by(diff: str) -> tuple[str, str] | None:
    """The line and the number that a fix of one number put there."""
    removed = [line[1:] for line in diff.splitlines() if re.match(r"-(?!--)", line)]
    added = [line[1:] for line in diff.splitlines() if re.match(r"\+(?!\+\+)", line)]
    if len(removed) != 1 or len(added) != 1:
        return None
    old, new = (re.findall(r"\w+(?:\.\d+)?|\S", line) for line in (removed[0], added[0]))
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    put = [p for tag, _, _, i, j in matcher.get_opcodes() if tag != "equal" for p in new[i:j]]
    numbers = [p for p in put if re.fullmatch(_NUMBER, p)]
    return (added[0].strip(), numbers[0]) if len(put) == len(numbers) == 1 else None


def _named(code: str, name: str, value: str) -> FollowUp:
    wanted = _key(name)
    found = [m for m in _ASSIGNED.finditer(code) if _key(m[1]) == wanted]
    if not found:
        found = [m for m in _ASSIGNED.finditer(code) if _tail(_key(m[1])) == _tail(wanted)]
    top = [m for m in found if m.start() == 0 or code[m.start() - 1] == "\n"]
    chosen = top or found
    if not chosen:
        known = list(dict.fromkeys(m[1] for m in _ASSIGNED.finditer(code)))[:6]
        have = f" It names {listed([f'`{k}`' for k in known])}." if known else ""
        said = f"I find no {name} in the code.{have} Say “{value} instead of …” for another value."
        return FollowUp(reply=Reply(text=said))
    if len({m[3] for m in chosen}) > 1:
        lines = listed([str(code.count("\n", 0, m.start()) + 1) for m in chosen])
        said = f"{name} stands in lines {lines} with different values; say which to change."
        return FollowUp(reply=Reply(text=said))
    after = code
    for match in reversed(chosen):
        after = after[: match.start(3)] + value + after[match.end(3) :]
    return _edited(code, after)


def _key(name: str) -> str:
    plain = re.sub(r"[\s_-]", "", name).lower()
    return _SHORT.get(plain, plain)


def _tail(key: str) -> str:
    """ "4 heads" is `num_heads`, `n_heads` or `nhead`."""
    return re.sub(r"^(?:num|number|n)(?:of)?(?=[a-z]{3})", "", key).rstrip("s")
