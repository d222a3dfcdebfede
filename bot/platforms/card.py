"""The platform-independent part of a card: an Answer's parts in order, cut to fit, harmless."""

from __future__ import annotations

import base64
import re
from collections.abc import Sequence
from dataclasses import dataclass

from bot.models import (
    Answer,
    AnswerError,
    FunctionShown,
    ModelExample,
    PostedReading,
    Proof,
    Reply,
    RunWith,
    Status,
    Why,
)
from bot.platforms.parts import CardPart, file_name, last_lines, neutral, one_line
from bot.service.seam import Answered, Upload, Verb
from bot.service.uploads import full_output
from bot.words import (
    ADVICE,
    ANOTHER_ERROR,
    FROM_THE_TEXT,
    STATUS,
    UNSURE_ADVICE,
    listed,
)
from executor.errors.reading import OFTEN
from executor.protocol import GLUED, Remark
from knowledge.repair.check import tally
from knowledge.repair.fix import Fix

NOT_TRIED = " (not tried on your code)"  # said behind an article's advice
OUTPUT_LINES = 12  # lines of output on a card; all of it is attached as a file
_MESSAGE_LINES = 8
_ALTERNATIVES = 4
WHOLE_LINES = 40  # of a fixed program that is shown whole
_LINE = 600  # characters: a longer line of output goes along as a file

# How conclusions begin that say the status themselves.
_SAYS_IT: dict[Status, tuple[str, ...]] = {
    "fixed": ("Fixed",),
    "reproduced": ("Reproduced", "Rebuilt", "As posted", "It runs, but", "Shown on purpose"),
    "runs": ("Runs here", "Ran here"),
    "advice": ("Use `", "About `"),
    "unsure": ("Not sure",),
    "not_run": ("Not run", "Could not run"),
}


@dataclass(frozen=True)
class Sheet:
    """An Answer as texts in order, before a platform draws it."""

    headline: str  # symbol, status in words, conclusion: one line
    conclusion: str  # the same without the status
    parts: tuple[CardPart, ...]
    evidence: str
    buttons: tuple[Verb, ...]
    menu: tuple[Verb, ...]  # what is wanted less often
    prompts: bool  # questions that one click asks
    pictures: tuple[Upload, ...]
    files: tuple[Upload, ...]  # what a card shows only the end of
    is_reply: bool = False  # only words: its headline is no conclusion


def seen_where(answer: Answer) -> str:
    """The heading of the findings: what only the text shows was not seen while it ran."""
    by_text = {f.by_text for f in answer.findings}
    where = {
        frozenset({False}): "while it ran",
        frozenset({True}): "in the code",
        frozenset({False, True}): "while it ran and in the code",
    }[frozenset(by_text)]
    # A run that what stands for their values stopped had one, and it is none of theirs.
    stopped = answer.error is not None or any(fix.stops for fix in answer.alternatives)
    return f"{'' if stopped else 'No exception. '}Seen {where}"


def sheet(answered: Answered) -> Sheet:
    """All texts of a card, in order."""
    answer = answered.answer
    if answer.reply is not None:
        return _reply(answer.reply)
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
        evidence=_evidence(answer, answered.run_with),
        buttons=_buttons(answered),
        menu=_menu(answer),
        prompts=False,
        pictures=_pictures(answer),
        files=_files(answer),
    )


def _reply(reply: Reply) -> Sheet:
    """A card that is only words, with code in boxes where it has any."""
    first, *rest = re.split(r"```\w*\n?", reply.text)
    parts = []
    for i in range(0, len(rest), 2):
        after = rest[i + 1].strip() if i + 1 < len(rest) else ""
        parts.append(CardPart("seen", "", text=neutral(after), code=neutral(rest[i]).rstrip("\n")))
    lead, _, more = neutral(first.strip()).partition("\n\n")
    if more:
        parts.insert(0, CardPart("seen", "", text=more))
    return Sheet(
        headline=lead,
        conclusion=lead,
        parts=tuple(parts),
        evidence="",
        buttons=(),
        menu=(),
        prompts=reply.offers_prompts,
        pictures=(),
        files=(),
        is_reply=True,
    )


def _parts(answer: Answer) -> list[CardPart]:
    parts: list[CardPart] = []
    if answer.asked_before:
        text = "a question like this was solved there"
        parts.append(
            CardPart("seen", "Asked before in this channel", text=text, url=answer.asked_before)
        )
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
        seen = [f"line {f.line}: {f.message}" if f.line else f.message for f in answer.findings]
        parts.append(
            CardPart("seen", seen_where(answer), text=neutral("\n".join(f"• {s}" for s in seen)))
        )
    if (
        answer.run is not None
        and answer.status in ("runs", "not_run")
        and answer.run.stdout.strip()
        and not answer.run.stand_ins  # numbers computed from placeholders say nothing
        and not answer.needed
    ):
        shown = last_lines(answer.run.stdout.rstrip(), OUTPUT_LINES, answer.run.stdout_lines)
        text = neutral(shown, "end")
        parts.append(CardPart("printed", "Printed", code=text, keep="end"))
    if answer.assumptions and not answer.needed:
        parts.append(CardPart("assumed", "Assumed", text=neutral(" · ".join(answer.assumptions))))
    parts += _functions(answer.functions)
    if answer.model_example is not None:
        parts.append(_model_example(answer.model_example))
    fixes = [answer.fix] if answer.fix is not None else list(answer.alternatives)
    # First what can be copied, then why.
    whole = len(fixes) == 1
    parts += [_fix(fix, answer.headline, whole=whole) for fix in fixes[:_ALTERNATIVES]]
    if answer.why is not None:
        parts.append(_why(answer.why, related=bool(answer.functions)))
        if not fixes and (advice := article_advice(answer)):
            parts += _remedy(advice, advice_title(answer))
    if also := also_near(answer):
        parts.append(CardPart("why", "Also near to your words", neutral(also)))
    if answer.remedy:
        parts.append(CardPart("try", UNSURE_ADVICE, neutral(hedged_once(answer.remedy)) + "."))
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
        parts.append(CardPart("try", UNSURE_ADVICE, neutral(hedged_once(posted.remedy)) + "."))
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
    """What the article advises, where it is to be shown: not beside a function or other advice.

    Nor of code that runs, unless the words surely ask for just that article, and nothing is trained
    in it: of a training that may be right, other code seems to say that it is not.
    """
    if answer.why is None or answer.functions:
        return ""
    trains = answer.run is not None and answer.run.trained
    if answer.status == "runs" and (trains or not answer.why.asked or answer.why.resembles):
        return ""
    other = answer.posted is not None and answer.posted.remedy
    return "" if other else answer.why.remedy


def hedged_once(remedy: str) -> str:
    """A remedy below "Perhaps", which need not say "what often helps" too."""
    rest = remedy.removeprefix(OFTEN)
    return rest if rest == remedy else f"{rest[:1].upper()}{rest[1:]}"


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


def why_title(why: Why, *, related: bool) -> str:
    """What an explanation is called: of what only resembles the question nobody saw that it is."""
    if related:
        return "Related"
    return "If so" if why.resembles else "Why"


def _why(why: Why, *, related: bool) -> CardPart:
    title = one_line(neutral(why.title))
    url = why.url if why.url and re.fullmatch(r"https?://[^\s<>|()]{1,1000}", why.url) else ""
    text = neutral(" ".join(why.text.split()))
    return CardPart("why", f"{why_title(why, related=related)}: {title}", text=text, url=url)


def also_near(answer: Answer) -> str:
    """The articles near to a question besides the one that the headline tells, each on a line."""
    told = 0 if answer.status == "runs" else 1  # of code that runs the headline says that
    return "\n".join(f"• {one.says}" for one in answer.near[told:])


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


def _fix(fix: Fix, headline: str, *, whole: bool) -> CardPart:
    """The fixed program, to be copied in one go; of a long one the lines that it changes."""
    verdict = f"{neutral(verdict_of(fix))}: {tally(fix.checks)}"
    title = f"Fix if {one_line(neutral(fix.intent))}" if fix.intent else "Fix"
    text = verdict if fix.title in headline else f"{verdict}. {neutral(fix.title)}"
    code = fix.code.rstrip()
    if not whole or code.count("\n") + 1 > WHOLE_LINES:
        code = changed_lines(fix.diff)
    return CardPart("fix", title, text=text, code=neutral(code, "middle"), language="py")


def verdict_of(fix: Fix) -> str:
    """What a run has shown of an edit; with values that were made up, that it had those."""
    if fix.shown_in_part:
        return f"partly shown: {fix.shown_in_part}"
    made_up = fix.result is not None and any(s.kind == GLUED for s in fix.result.stand_ins)
    ran = "ran with what is assumed" if made_up else "ran"
    # Only a run may say this: `verified` is the executor's word.
    return f"{ran}, and it passes" if fix.verified else f"{ran}, and does not pass"


def changed_lines(diff: str) -> str:
    """The lines that a diff puts in place, each run of them with its first line's number."""
    shown: list[str] = []
    line, running = 0, False
    for row in diff.splitlines():
        if found := re.match(r"@@ -\d+(?:,\d+)? \+(\d+)", row):
            line, running = int(found[1]), False
        elif row.startswith(("---", "+++")):
            continue
        elif row.startswith("+"):
            if not running:
                shown += [*([""] if shown else []), f"# line {line}"]
            shown.append(row[1:])
            line, running = line + 1, True
        elif not row.startswith("-"):
            line, running = line + 1, False
    return "\n".join(shown)


def _evidence(answer: Answer, run_with: RunWith) -> str:
    e = answer.evidence
    if e is None:
        return ""
    bits = [f"torch {e.torch.partition('+')[0]}", e.device, *chosen_options(run_with)]
    if e.seconds_before is not None:
        bits.append(f"ran in {e.seconds_before:.2f} s")
    if e.seconds_after is not None:
        bits.append(f"fixed in {e.seconds_after:.2f} s")
    bits.append(f"answered in {answer.timings_ms.total / 1000:.2f} s")
    if answer.why is not None:
        bits.append(f"explanation {proof_in_words(answer.why.proof)}")
    return one_line(neutral(" · ".join(bits)))


def chosen_options(run_with: RunWith) -> list[str]:
    """What was chosen for a run, where it is not what every run has."""
    chosen = []
    if run_with.seed != RunWith().seed:
        chosen.append("a seed of its own" if run_with.seed is None else f"seed {run_with.seed}")
    return chosen + (["a fresh interpreter"] if run_with.cold else [])


def proof_in_words(proof: Proof | None) -> str:
    """When a source was last run, and whether it held."""
    if proof is None or proof.holds is None:
        return "not checked here"
    held = "holds" if proof.holds else "does not hold"
    if not proof.torch:
        return (
            f"its example, which is plain Python, {held}; it shows nothing of PyTorch or a device"
        )
    where = " (simulated device)" if proof.device.startswith("simulated") else ""
    return f"checked on torch {proof.torch}{where}, {held}"


def _buttons(answered: Answered) -> tuple[Verb, ...]:
    verbs: list[Verb] = [] if answered.solved else ["solved"]
    verbs.append("wrong")
    if answered.answer.fix is not None:
        verbs.append("fixed")
    return (*verbs, "share") if answered.private else tuple(verbs)


def _menu(answer: Answer) -> tuple[Verb, ...]:
    """What is asked for less often; Slack's menu holds five."""
    verbs: list[Verb] = []
    if answer.run is not None or answer.status == "not_run":
        verbs.append("again")
    verbs.append("human")
    if answer.run is not None and (answer.run.stdout or answer.run.stderr):
        verbs.append("output")
    if answer.evidence is not None:
        verbs.append("details")
    return (*verbs, "delete")


def _files(answer: Answer) -> tuple[Upload, ...]:
    """The files sent with a card: output that it shows only in part."""
    files: list[Upload] = []
    output = full_output(answer)
    shown = answer.status in ("runs", "not_run")
    if shown and output is not None:
        lines = output.data.splitlines()
        if len(lines) > OUTPUT_LINES or max(map(len, lines), default=0) > _LINE:
            files.append(output)
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
