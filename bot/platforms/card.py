"""The platform-independent part of a card: an Answer's parts in order, cut to fit, harmless."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Literal, get_args

from bot.models import (
    Answer,
    AnswerError,
    FunctionShown,
    ModelExample,
    PostedReading,
    Proof,
    Status,
    Why,
)
from bot.service.seam import Answered, Upload, Verb
from bot.service.uploads import full_output
from bot.words import (
    ADVICE,
    ANOTHER_ERROR,
    FROM_THE_TEXT,
    STATUS,
    UNSURE_ADVICE,
    harmless,
    listed,
)
from executor.protocol import Remark
from knowledge.repair.check import tally
from knowledge.repair.fix import Fix

OUTPUT_LINES = 12  # lines of output on a card; all of it is attached as a file
_MESSAGE_LINES = 8
_ALTERNATIVES = 4
_ALERTS = re.compile(r"@(?=everyone|here|channel)|(?<=<)(?=[!@#])")
_FENCE = re.compile("`(?=``)")
_MOST = 20_000  # characters: no platform shows as many in one message
_TITLE = 200
_GAP = "\u200b"  # zero width space: a mention with it looks the same and pings nobody

# How conclusions begin that say the status themselves.
_SAYS_IT: dict[Status, tuple[str, ...]] = {
    "fixed": ("Fixed",),
    "reproduced": ("Reproduced", "As posted", "It runs, but", "Shown on purpose"),
    "runs": ("Runs here", "Ran here"),
    "advice": ("Use `", "About `"),
    "unsure": ("Not sure",),
    "not_run": ("Not run", "Could not run"),
}

Keep = Literal["start", "middle", "end"]  # the part that a cut leaves
Kind = Literal["error", "seen", "printed", "assumed", "use", "why", "try", "fix"]

BUTTONS: dict[Verb, str] = {
    "solved": "Solved",
    "wrong": "Wrong",
    "again": "Run again…",
    "human": "Ask a human",
    "output": "Full output",
    "fixed": "Fixed file (.py)",
    "delete": "Delete",
}


@dataclass(frozen=True)
class CardPart:
    """One part of a card: a title, prose, and code to show in a box, all made harmless."""

    kind: Kind
    title: str
    text: str = ""
    code: str = ""
    language: Literal["", "py", "diff"] = ""
    keep: Keep = "middle"  # of the code


@dataclass(frozen=True)
class Sheet:
    """An Answer as texts in order, before a platform draws it."""

    headline: str  # symbol, status in words, conclusion: one line
    conclusion: str  # the same without the status
    parts: tuple[CardPart, ...]
    evidence: str
    sources: tuple[tuple[str, str], ...]  # (what and when checked, address or "")
    verbs: tuple[Verb, ...]
    pictures: tuple[Upload, ...]
    files: tuple[Upload, ...]  # what a card shows only the end of


def sheet(answered: Answered) -> Sheet:
    """All texts of a card, in order."""
    answer = answered.answer
    symbol, words = STATUS[answer.status]
    conclusion = one_line(neutral(answer.headline))
    if answer.status == "not_run" and answer.needed:
        words = FROM_THE_TEXT
    elif answer.status == "unsure" and answer.error is not None and answer.posted is not None:
        words = ANOTHER_ERROR
    said = conclusion.startswith(_SAYS_IT.get(answer.status, ()))
    headline = f"{symbol} {conclusion}" if said else f"{symbol} {words}: {conclusion}"
    if answered.solved:
        headline += " (solved)"
    return Sheet(
        headline=headline,
        conclusion=conclusion,
        parts=tuple(_parts(answer)),
        evidence=_evidence(answer),
        sources=_sources(answer),
        verbs=_verbs(answer, solved=answered.solved),
        pictures=_pictures(answer),
        files=_files(answer),
    )


def _parts(answer: Answer) -> list[CardPart]:
    parts: list[CardPart] = []
    posted = answer.posted
    if posted is not None:
        parts += _posted(posted)
    if remarks := remark_lines(answer):
        text = "\n".join(f"• {r}" for r in remarks)
        parts.append(CardPart("seen", "Read in the code, not run", text=neutral(text)))
    if answer.error is not None:
        parts.append(_error(answer.error))
    if (culprit := answer.culprit) is not None:
        ends = [
            f"{word:8} line {line}   {one_line(code or '')}"
            for word, line, code in (
                ("saved", culprit.saved_line, culprit.saved_code),
                ("changed", culprit.modified_line, culprit.modified_code),
            )
            if line
        ]
        ends += [f"tensor   {culprit.tensor}"] if culprit.tensor else []
        parts.append(CardPart("seen", "Both ends", code=neutral("\n".join(ends))))
    if answer.findings:
        head = "Seen while it ran" if answer.error else "No exception. Seen while it ran"
        seen = [f"line {f.line}: {f.message}" if f.line else f.message for f in answer.findings]
        parts.append(CardPart("seen", head, text=neutral("\n".join(f"• {s}" for s in seen))))
    if (
        answer.run is not None
        and answer.status in ("runs", "not_run")
        and answer.run.stdout.strip()
        and not answer.run.stand_ins  # numbers computed from placeholders say nothing
        and not answer.needed
    ):
        text = neutral(last_lines(answer.run.stdout.rstrip(), OUTPUT_LINES), "end")
        parts.append(CardPart("printed", "Printed", code=text, keep="end"))
    if answer.assumptions and not answer.needed:
        parts.append(CardPart("assumed", "Assumed", text=neutral(" · ".join(answer.assumptions))))
    parts += _functions(answer.functions)
    if answer.model_example is not None:
        parts.append(_model_example(answer.model_example))
    fixes = [answer.fix] if answer.fix is not None else list(answer.alternatives)
    if answer.why is not None:
        parts.append(_why(answer.why, related=bool(answer.functions)))
        if not fixes and (advice := article_advice(answer)):
            parts += _remedy(advice, advice_title(answer))
    if answer.remedy:
        parts.append(CardPart("try", UNSURE_ADVICE, neutral(answer.remedy) + "."))
    parts += [_fix(fix) for fix in fixes[:_ALTERNATIVES]]
    if answer.needed:
        parts.append(CardPart("assumed", "To run it", text=neutral(answer.needed)))
    return parts


def _posted(posted: PostedReading) -> list[CardPart]:
    """What a posted error says by itself: its wording today, the lines that fit, the remedy."""
    parts: list[CardPart] = []
    if posted.now:
        parts.append(CardPart("seen", "In today's torch", code=neutral(posted.now)))
    if lines := posted_lines(posted):
        text = "\n".join(
            f"{place}   {code}{f'   # {says}' if says else ''}" for place, code, says in lines
        )
        title = "In the posted code"
        parts.append(CardPart("seen", title, code=neutral(text), language="py", keep="start"))
    if posted.remedy:
        parts.append(CardPart("try", UNSURE_ADVICE, neutral(posted.remedy) + "."))
    return parts


def says_who(said: ModelExample) -> str:
    """Whose words these are, what they lean on, and what of them was run."""
    ran = "its code ran here" if said.code else "nothing of it was run"
    return f"Said by the model {said.model}, not checked; {ran}. Leans on: {listed(said.sources)}."


def _model_example(said: ModelExample) -> CardPart:
    """What a model says, called so, with its code as it ran."""
    code = f"{said.code}\n\n# printed here:\n{commented(said.output)}" if said.code else ""
    text = neutral(f"{said.text}\n_{says_who(said)}_")
    return CardPart("use", "From the model", text, neutral(code), language="py")


def commented(output: str) -> str:
    """What a program printed, as comments below it."""
    return "\n".join(f"# {line}".rstrip() for line in output.rstrip().splitlines())


def article_advice(answer: Answer) -> str:
    """What the article advises, where it is to be shown: not beside a function or other advice."""
    if answer.why is None or answer.functions or answer.status == "runs":
        return ""
    other = answer.posted is not None and answer.posted.remedy
    return "" if other else answer.why.remedy


def advice_title(answer: Answer) -> str:
    """What an article's advice is called: sure of an error that a run of this very code showed.

    One message has several causes, and the text of a post does not tell which.
    """
    shown = answer.status == "reproduced" and answer.posted is None and not answer.assumptions
    return ADVICE if shown else UNSURE_ADVICE


def posted_lines(posted: PostedReading) -> list[tuple[str, str, str]]:
    """The posted lines that matter: where each is, its code, and why it is shown."""
    lines = (*posted.raised_at, *posted.fitting)
    places = [f"line {p.line}{f' of {p.file}' if p.file else ''}" for p in lines]
    return [(at, one_line(p.code), p.says) for at, p in zip(places, lines, strict=True)]


def remark_lines(answer: Answer) -> list[str]:
    """What the posted text shows by itself, each kind once, but what the headline says already."""
    kinds: dict[str, list[Remark]] = {}
    for seen in answer.remarks:
        kinds.setdefault(seen.kind, []).append(seen)
    told = []
    for first, *others in kinds.values():
        more = listed([str(r.line) for r in others]) if others else ""
        also = f" (also line{'s' if len(others) > 1 else ''} {more})" if more else ""
        if first.message.rstrip(".").lower() not in answer.headline.lower():
            at = f"line {first.line}{also}: {first.code}\n" if first.line else ""
            told.append(f"{at}{first.message}.")
        elif also:
            told.append(f"The same in line{'s' if len(others) > 1 else ''} {more}.")
    return told


def _error(error: AnswerError) -> CardPart:
    where = f" at line {error.line}" if error.line else ""
    caught = " (raised, and caught by your own except)" if error.caught else ""
    lines = neutral(error.message).splitlines()
    shown = lines[:_MESSAGE_LINES] + (["…"] if len(lines) > _MESSAGE_LINES else [])
    code = [one_line(neutral(error.code))] if error.code else []
    title = one_line(neutral(f"{error.type}{where}{caught}"))
    return CardPart("error", title, code="\n".join([*code, *shown]), keep="start")


def _functions(shown: Sequence[FunctionShown]) -> list[CardPart]:
    """The first function with its signature and example, and the names of the others."""
    parts: list[CardPart] = []
    for first in shown[:1]:
        code = f"{first.name}{first.signature}"
        if first.example:
            code += f"\n\n{first.example}"
        text, code = neutral(documented(first)), neutral(code, "start")
        parts.append(CardPart("use", one_line(neutral(first.name)), text, code, "py", "start"))
    if others := [f"• `{other.name}`: {other.summary}" for other in shown[1:]]:
        parts.append(CardPart("use", "Or", text=neutral("\n".join(others))))
    return parts


def documented(shown: FunctionShown) -> str:
    """Where a function's description comes from, and whether its example was run."""
    ran = "its example ran here" if shown.example else "no example of it was run"
    return f"From the documentation of {shown.library}; {ran}."


def _why(why: Why, *, related: bool) -> CardPart:
    title = f"Related: {one_line(neutral(why.title))}" if related else "Why"
    return CardPart("why", title, text=neutral(" ".join(why.text.split())) + " [1]")


def paragraphs(markdown: str) -> list[str]:
    """Prose with each paragraph, and each item of a list, on one line."""
    return [" ".join(p.split()) for p in re.split(r"\n\n|\n(?=- )", markdown) if p.strip()]


def _remedy(markdown: str, title: str) -> list[CardPart]:
    """An article's advice as parts: prose, and code in boxes."""
    parts: list[CardPart] = []
    pieces = re.split(r"```\w*\n?", markdown)
    for i in range(0, len(pieces), 2):
        prose = "\n".join(paragraphs(pieces[i]))
        code = pieces[i + 1].rstrip() if i + 1 < len(pieces) else ""
        if prose or code:
            parts.append(
                CardPart("try", "" if parts else title, neutral(prose), neutral(code), "py")
            )
    return parts


def _fix(fix: Fix) -> CardPart:
    # Only a run may say this: `verified` is the executor's word.
    verdict = "ran, and it passes" if fix.verified else "ran, and does not pass"
    if fix.shown_in_part:
        verdict = neutral(f"partly shown: {fix.shown_in_part}")
    verdict += f": {tally(fix.checks)}"
    title = f"Fix if {one_line(neutral(fix.intent))}" if fix.intent else "Fix"
    text = f"{verdict}. {neutral(fix.title)}"
    return CardPart(
        "fix", title, text=text, code=neutral(fix.diff, "middle").rstrip(), language="diff"
    )


def _evidence(answer: Answer) -> str:
    e = answer.evidence
    if e is None:
        return ""
    bits = [f"torch {e.torch.partition('+')[0]}", e.device, e.isolation]
    if e.seconds_before is not None:
        bits.append(f"ran in {e.seconds_before:.2f} s")
    if e.seconds_after is not None:
        bits.append(f"fixed in {e.seconds_after:.2f} s")
    if e.peak_memory_bytes:
        bits.append(f"peak memory {e.peak_memory_bytes / 2**20:.0f} MiB")
    bits.append(f"answered in {answer.timings_ms.total / 1000:.2f} s")
    return one_line(neutral(" · ".join(bits)))


def _sources(answer: Answer) -> tuple[tuple[str, str], ...]:
    if answer.why is None:
        return ()
    why = answer.why
    url = why.url or ""
    told = f"[1] {one_line(neutral(why.title))} — {proof_in_words(why.proof)}"
    return ((told, url if re.fullmatch(r"https?://[^\s<>|]+", url) else ""),)


def proof_in_words(proof: Proof | None) -> str:
    """When a source was last run, and whether it held."""
    if proof is None or proof.holds is None:
        return "not checked here"
    held = "holds" if proof.holds else "does not hold"
    where = " (simulated device)" if proof.device.startswith("simulated") else ""
    return f"checked on torch {proof.torch}{where}, {held}"


def _verbs(answer: Answer, *, solved: bool) -> tuple[Verb, ...]:
    verbs: list[Verb] = [] if solved else ["solved"]
    if answer.run is not None or answer.status == "not_run":
        verbs.append("again")
    verbs += ["wrong", "human"]
    if answer.run is not None and (answer.run.stdout or answer.run.stderr):
        verbs.append("output")
    if answer.fix is not None:
        verbs.append("fixed")
    return (*verbs, "delete")


def _files(answer: Answer) -> tuple[Upload, ...]:
    """The files sent with a card: output that it shows only in part, a long diff."""
    files: list[Upload] = []
    output = full_output(answer)
    shown = answer.status in ("runs", "not_run")
    if shown and output is not None and len(output.data.splitlines()) > OUTPUT_LINES:
        files.append(output)
    for fix in [answer.fix] if answer.fix is not None else answer.alternatives:
        if len(fix.diff) > 2500:
            files.append(Upload("fix.diff", fix.diff.encode("utf-8", "replace"), "text/x-diff"))
            break
    return tuple(files)


def _pictures(answer: Answer) -> tuple[Upload, ...]:
    run = answer.run
    if run is None:
        return ()
    figures = [f for f in run.files if f.mime.startswith("image/")]
    return tuple(
        Upload(
            name=file_name(f.name),
            data=base64.b64decode(f.base64),
            mime=f.mime,
            alt=f"Figure {i} of {len(figures)} that the snippet drew ({file_name(f.name)})",
        )
        for i, f in enumerate(figures, 1)
    )


# -- buttons ---------------------------------------------------------------------------------


def button_id(verb: Verb, question: str) -> str:
    """A button's id: `tm:solved:1f2e…`."""
    return f"tm:{verb}:{question}"


def parse_button(text: str) -> tuple[Verb, str] | None:
    """The verb and the question's id; None if it is no button of ours."""
    match = re.fullmatch(r"tm:([a-z]+):([0-9a-f]{1,32})", text)
    for verb in get_args(Verb):
        if match is not None and match[1] == verb:
            return verb, match[2]
    return None


# -- text ------------------------------------------------------------------------------------


def neutral(text: str, keep: Keep = "start") -> str:
    """Harmless text that also pings nobody and closes no fence.

    Of a very long text only what a card could show is read: the start, the end, or both.
    """
    if len(text) > _MOST:
        text = _cut(text, _MOST, keep)
    calm = _ALERTS.sub(lambda m: m[0] + _GAP, harmless(text))
    return _FENCE.sub(f"`{_GAP}", calm)


def one_line(text: str) -> str:
    """The first line, with a mark if there are more."""
    first, *more = text.strip().splitlines() or [""]
    return first.strip() + (" …" if more else "")


def last_lines(text: str, lines: int) -> str:
    """The last lines of a text, where errors are."""
    above = text.count("\n") + 1 - lines
    if above <= 0:
        return text
    return "\n".join([f"… {above} lines above", *text.rsplit("\n", lines)[1:]])


def cut(text: str, limit: int, keep: Keep, measure: Callable[[str], int] = len) -> str:
    """A text of at most `limit`, as `measure` counts; a cut is marked with …

    The parts that stay are the start, the end, or both without the middle, in whole lines where
    there are several.
    """
    if measure(text) <= limit:
        return text
    low, high = 0, len(text)  # characters that stay
    while low < high:
        middle = (low + high + 1) // 2
        if measure(_cut(text, middle, keep)) <= limit:
            low = middle
        else:
            high = middle - 1
    made = _cut(text, low, keep)
    return made if measure(made) <= limit else ""


def _cut(text: str, stay: int, keep: Keep) -> str:
    """`stay` characters of the text and the mark of the cut."""
    head = {"start": stay, "end": 0, "middle": stay - stay // 2}[keep]
    tail = stay - head
    first, last = text[:head], text[len(text) - tail :] if tail else ""
    # Whole lines, unless one long line is nearly all there is.
    if (end := first.rfind("\n")) > head // 2:
        first = first[:end]
    if 0 <= (start := last.find("\n")) < tail // 2:
        last = last[start + 1 :]
    return "\n".join(x for x in (first, "…", last) if x) if "\n" in text else f"{first}…{last}"


def fit(
    parts: Sequence[CardPart],
    total: int,
    *,
    text_limit: int,
    code_limit: int,
    overhead: int = 0,
    measure: Callable[[str], int] = len,
) -> list[CardPart]:
    """Cut the parts so that together they fit: the longest first, none is dropped.

    Args:
        parts: in their order.
        total: what all of them may take, as `measure` counts.
        text_limit: what one prose may take.
        code_limit: what one box of code may take.
        overhead: what a platform adds around each text.
        measure: the length as the platform counts it (after its escapes, say).
    """
    parts = [replace(p, title=cut(p.title, _TITLE, "start", measure)) for p in parts]
    lengths = [min(measure(p.text), text_limit) for p in parts if p.text]
    lengths += [min(measure(p.code), code_limit) for p in parts if p.code]
    room = total - sum(measure(p.title) + overhead for p in parts)
    level = _level(lengths, room)
    return [
        replace(
            p,
            text=cut(p.text, min(text_limit, level), "start", measure),
            code=cut(p.code, min(code_limit, level), p.keep, measure),
        )
        for p in parts
    ]


def _level(lengths: Sequence[int], room: int) -> int:
    """The largest length to which all texts must be cut so that their sum fits into the room."""
    left, rest = room, sorted(lengths)
    for i, length in enumerate(rest):
        share = left // (len(rest) - i)
        if length > share:
            return max(0, share)
        left -= length
    return rest[-1] if rest else 0


def file_name(name: str) -> str:
    """A stranger's file name without folders and markup."""
    plain = re.sub(r"[^\w.+-]+", "_", harmless(name).rsplit("/", 1)[-1])[-80:]
    return plain.strip("._") or "file"
