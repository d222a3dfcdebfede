"""The console: the card as text, coloured on a terminal and plain everywhere else."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.status import Status as Spinner
from rich.table import Table
from rich.text import Text

from bot.messages.chat_markup import PLAIN
from bot.models import (
    Answer,
    AnswerError,
    FunctionShown,
    ModelExample,
    PostedReading,
    Progress,
    Why,
)
from bot.platforms.card import (
    advice_title,
    also_near,
    article_advice,
    commented,
    documented,
    hedged_once,
    paragraphs,
    posted_lines,
    proof_in_words,
    remark_lines,
    says_who,
    seen_where,
    verdict_of,
    why_title,
)
from bot.service.seam import (
    Above,
    Answered,
    Attached,
    CardRef,
    Case,
    Person,
    Place,
    Upload,
    View,
    Waiting,
)
from bot.words import STATUS, UNSURE_ADVICE, harmless
from knowledge.repair.check import tally
from knowledge.repair.fix import Fix

_STYLE = {
    "fixed": "green",
    "reproduced": "red",
    "runs": "blue",
    "advice": "cyan",
    "unsure": "yellow",
    "not_run": "yellow",
}
_LABEL = 8  # columns of the word at the left
_OUTPUT_LINES = 12
_MESSAGE_LINES = 8


class ConsoleCard:
    """Shows the steps as a spinner on a terminal (nothing elsewhere), then the answer."""

    def __init__(self, console: Console, *, explain: bool = False) -> None:
        self._console = console
        self._explain = explain
        self._spinner: Spinner | None = None

    async def step(self, progress: Progress) -> None:
        """Show the present step."""
        if not self._console.is_terminal:
            return
        if self._spinner is None:
            self._spinner = self._console.status(progress.text + " …")
            self._spinner.start()
        self._spinner.update(progress.text + " …")

    async def finish(self, answer: Answer) -> None:
        """Show the answer."""
        self.clear()
        self._console.print(card(answer, explain=self._explain))

    def clear(self) -> None:
        """Remove the spinner, also after an error."""
        if self._spinner is not None:
            self._spinner.stop()
            self._spinner = None


class ConsolePlatform:
    """The console as a platform: one person, one place, and attachments read from disk."""

    name = "console"
    markup = PLAIN

    def __init__(self, console: Console, *, explain: bool = False) -> None:
        self._console = console
        self._card = ConsoleCard(console, explain=explain)

    async def show(
        self, question: str, place: Place, view: View, card: CardRef | None
    ) -> CardRef | None:
        """Show steps as a spinner, the answer as lines."""
        if isinstance(view, Answered):
            await self._card.finish(view.answer)
        else:
            text = "waiting" if isinstance(view, Waiting) else view.text
            await self._card.step(Progress(step="reading", text=text))
        return None

    async def find(self, question: str, place: Place) -> CardRef | None:
        """Nothing to find: what was printed cannot be changed."""
        return None

    async def tell(self, place: Place, person: Person, text: str) -> None:
        """Print the text: nobody else reads the console."""
        self.say(text)

    def say(self, text: str) -> None:
        """Print a text that is not a card."""
        self._console.print(Text(harmless(text)))

    def clear(self) -> None:
        """Remove a spinner whose question will not be finished."""
        self._card.clear()

    async def hand(self, place: Place, person: Person, upload: Upload, *, private: bool) -> None:
        """Print a file's text."""
        self.say(upload.data.decode("utf-8", "replace"))

    async def refer(self, where: str, case: Case) -> None:
        """Do nothing: there is nobody else to ask."""

    async def link(self, place: Place) -> str:
        """Nothing: nobody can go there."""
        return ""

    async def remark(self, place: Place, text: str) -> None:
        """Do nothing: nobody else reads the console."""

    async def write(self, person: Person, text: str) -> None:
        """Print the text: who asks is who reads."""
        self.say(text)

    async def above(self, place: Place) -> Above:
        """Nothing: what a message is about is kept with its thread."""
        return Above()

    async def delete(self, card: CardRef) -> None:
        """Do nothing: what was printed stays."""

    async def read(self, attached: Attached) -> bytes:
        """Read a file by its path."""
        return await asyncio.to_thread(Path(attached.url).read_bytes)


def card(answer: Answer, *, explain: bool = False) -> RenderableType:
    """An answer as lines, the conclusion first."""
    if answer.reply is not None:
        return Text(harmless(answer.reply.text))
    symbol, _ = STATUS[answer.status]
    parts: list[RenderableType] = [
        Text(f"{symbol} {harmless(answer.headline)}", style=f"bold {_STYLE[answer.status]}")
    ]
    posted = answer.posted
    if posted is not None:
        parts += _posted(posted)
    if remarks := remark_lines(answer):
        parts += ["", _row("Read", Text(harmless("\n".join(remarks))))]
    if answer.error is not None:
        parts += ["", _error(answer.error)]
        if answer.explanation and answer.explanation not in answer.headline:
            parts.append(Padding(Text(harmless(answer.explanation)), (0, 0, 0, 2)))
    if answer.culprit is not None:
        parts.append(_culprit(answer))
    elif answer.error is not None and not answer.error.caught and (values := _values(answer)):
        parts.append(values)
    if answer.findings:
        parts += ["", _findings(answer)]
    unrun = bool(answer.needed)
    if not unrun:
        parts += _printed(answer)
    if answer.assumptions and not unrun:
        parts += ["", _row("Assumed", Text(harmless(" · ".join(answer.assumptions))))]
    parts += _functions(answer.functions)
    if answer.model_example is not None:
        parts += ["", _model_example(answer.model_example)]
    fixes = [answer.fix] if answer.fix is not None else list(answer.alternatives)
    if answer.why is not None:
        label = why_title(answer.why, related=bool(answer.functions))
        parts += ["", _why(answer.why, label)]
        if not fixes and (advice := article_advice(answer)):
            parts += ["", _row(advice_title(answer), Text(harmless(_plain(advice))))]
    if also := also_near(answer):
        parts += ["", _row("Also", Text(harmless(also)))]
    if answer.remedy:
        parts += ["", _row(UNSURE_ADVICE, Text(harmless(hedged_once(answer.remedy)) + "."))]
    for fix in fixes:
        parts += ["", _fix(fix)]
    if explain:
        for refused in answer.refused:
            parts += ["", _refused(refused)]
        parts += [_row("Problem", Text(harmless(p), style="yellow")) for p in answer.problems]
    if answer.needed:
        parts += ["", Text(harmless(answer.needed), style="dim")]
    parts += ["", *_footer(answer)]
    return Group(*parts)


def _posted(posted: PostedReading) -> list[RenderableType]:
    """What a posted error says by itself: the error, the lines that fit, the remedy."""
    named = ": ".join(part for part in (posted.type, posted.message) if part)
    parts: list[RenderableType] = ["", Text(harmless(named), style="dim")]
    if posted.now:
        parts.append(Text(harmless(f"Today's torch words it: {posted.now}"), style="dim"))
    if lines := posted_lines(posted):
        told = Text()
        for at, code, says in lines:
            told.append(harmless(f"{at}: "), style="dim").append(harmless(code))
            told.append(harmless(f"  ({says})" if says else ""), style="dim").append("\n")
        told.rstrip()
        parts += ["", _row("Lines", told)]
    if posted.remedy:
        parts += ["", _row(UNSURE_ADVICE, Text(harmless(hedged_once(posted.remedy)) + "."))]
    return parts


def _row(label: str, content: RenderableType) -> RenderableType:
    table = Table.grid(padding=(0, 1))
    table.add_column(width=_LABEL, no_wrap=True)
    table.add_column(overflow="fold")
    table.add_row(Text(label, style="bold"), content)
    return table


def _error(error: AnswerError) -> RenderableType:
    where = f" at line {error.line}" if error.line else ""
    caught = " (raised, and caught by your own except)" if error.caught else ""
    head = Text(harmless(f"{error.type}{where}{caught}"), style="bold")
    if error.code:
        head.append(f"   {_one_line(error.code)}", style="dim")
    lines = harmless(error.message).splitlines()
    shown = lines[:_MESSAGE_LINES] + (["…"] if len(lines) > _MESSAGE_LINES else [])
    return Group(head, Padding(Text("\n".join(shown)), (0, 0, 0, 2)))


def _culprit(answer: Answer) -> RenderableType:
    c = answer.culprit
    assert c is not None
    table = Table.grid(padding=(0, 2))
    for word, line, code in (
        ("saved", c.saved_line, c.saved_code),
        ("changed", c.modified_line, c.modified_code),
    ):
        place = f"line {line}" if line else "not known: outside your code"
        table.add_row(f"  {word}", place, Text(_one_line(code or "")))
    if c.needed_line:
        table.add_row("  needed", f"line {c.needed_line}")
    if c.tensor:
        table.add_row("  tensor", "", Text(harmless(c.tensor)))
    if c.note:
        table.add_row("  note", "", Text(harmless(c.note)))
    return table


def _values(answer: Answer) -> RenderableType | None:
    """The values of the tensors in the failing line."""
    run, error = answer.run, answer.error
    if run is None or error is None or not run.frames:
        return None
    table = Table.grid(padding=(0, 2))
    for name, v in run.frames[-1].locals.items():
        if v.shape is not None and re.search(rf"\b{re.escape(name)}\b", error.code):
            grad = ", requires grad" if v.requires_grad else ""
            facts = f"{v.type} {v.dtype} {list(v.shape)}{grad}"
            table.add_row(Text(f"  {harmless(name)}"), Text(harmless(facts)))
    return table if table.row_count else None


def _findings(answer: Answer) -> RenderableType:
    table = Table.grid(padding=(0, 2))
    for f in answer.findings:
        table.add_row(f"  line {f.line}" if f.line else "", Text(harmless(f.message)))
    return Group(Text(seen_where(answer), style="bold"), table)


def _printed(answer: Answer) -> list[RenderableType]:
    run = answer.run
    if run is None or answer.status not in ("runs", "not_run") or not run.stdout.strip():
        return []
    if run.stand_ins:
        return []  # numbers computed from placeholders say nothing
    lines = harmless(run.stdout).rstrip().splitlines()
    cut = [f"… {len(lines) - _OUTPUT_LINES} lines above"] if len(lines) > _OUTPUT_LINES else []
    return ["", _row("Printed", Text("\n".join(cut + lines[-_OUTPUT_LINES:])))]


def _functions(shown: Sequence[FunctionShown]) -> list[RenderableType]:
    """The first function with its signature and example, and the names of the others."""
    parts: list[RenderableType] = []
    for first in shown[:1]:
        call = Text(harmless(f"{first.name}{first.signature}"), style="bold")
        lines: list[RenderableType] = [call]
        if first.example:
            lines.append(Text(harmless(first.example)))
        lines.append(Text(harmless(documented(first)), style="dim"))
        parts += ["", _row("Use", Group(*lines))]
    if others := [f"{other.name}: {other.summary}" for other in shown[1:]]:
        parts += ["", _row("Or", Text(harmless("\n".join(others))))]
    return parts


def _model_example(said: ModelExample) -> RenderableType:
    """What a model says, called so, with its code as it ran and what it leans on."""
    parts: list[RenderableType] = [Text(harmless(said.text))]
    if said.code:
        ran = f"{said.code}\n\n# printed here:\n{commented(said.output)}"
        parts.append(Padding(Text(harmless(ran)), (0, 0, 0, 4)))
    parts.append(Text(harmless(says_who(said)), style="dim"))
    return _row("Model", Group(*parts))


def _why(why: Why, label: str) -> RenderableType:
    text = Text(harmless(" ".join(why.text.split())))
    text.append("  [1]", style="dim")
    return _row(label, text)


def _plain(markdown: str) -> str:
    """Markdown as plain text: each paragraph and item one line, code indented."""
    blocks: list[str] = []
    for i, part in enumerate(re.split(r"```\w*\n?", markdown)):
        if i % 2:
            blocks.append("\n".join("    " + line for line in part.rstrip().splitlines()))
        else:
            blocks += paragraphs(part)
    return "\n".join(blocks)


def _fix(fix: Fix) -> RenderableType:
    style = "yellow" if fix.shown_in_part else "green" if fix.verified else "red"
    head = Text(f"{harmless(verdict_of(fix))}: ", style=style)
    head.append(tally(fix.checks), style="dim")
    if fix.intent:
        head = Text(harmless(f"if {fix.intent}"), style="bold").append(" · ").append_text(head)
    titles = [f"{n}. {step}" for n, step in enumerate(fix.steps, start=1)] or [fix.title]
    told = Group(head, Text(harmless("\n".join(titles))), _diff(fix.diff), _checks(fix))
    return _row("Fix", told)


def _diff(diff: str) -> RenderableType:
    text = Text()
    for line in harmless(diff).splitlines():
        style = {"+": "green", "-": "red", "@": "dim"}.get(line[:1], "")
        text.append(line + "\n", style=style)
    text.rstrip()
    return text


def _checks(fix: Fix) -> RenderableType:
    """The checks that say something about this code, in short; not those every fix passes."""
    routine = {"no error", "nothing new", "batch", "silent mistakes"}
    said = [
        c for c in fix.checks if (c.tried and not (c.routine or c.name in routine)) or not c.passed
    ]
    told = [c.detail or c.name for c in said]
    return Text(harmless(" · ".join(["no error", *told] if fix.verified else told)), style="dim")


def _refused(fix: Fix) -> RenderableType:
    failed = "; ".join(f"{c.name}: {c.detail}" for c in fix.checks if not c.passed)
    return _row(
        "Refused",
        Group(Text(harmless(fix.title)), _diff(fix.diff), Text(harmless(failed), style="yellow")),
    )


def _footer(answer: Answer) -> list[RenderableType]:
    lines: list[RenderableType] = []
    e = answer.evidence
    if e is not None:
        bits = [f"torch {e.torch.partition('+')[0]}", e.device, e.isolation]
        if e.seconds_before is not None:
            bits.append(f"ran in {e.seconds_before:.2f} s")
        if e.seconds_after is not None:
            bits.append(f"fixed in {e.seconds_after:.2f} s")
        bits.append(f"answered in {answer.timings_ms.total / 1000:.2f} s")
        lines.append(Text(harmless(" · ".join(bits)), style="dim"))
    if answer.why is not None:
        source = f"[1] {answer.why.title} — {proof_in_words(answer.why.proof)}"
        if answer.why.url:
            source += f" — {answer.why.url}"
        lines.append(Text(harmless(source), style="dim"))
    return lines


def _one_line(code: str) -> str:
    first, *more = harmless(code).splitlines() or [""]
    return first.strip() + (" …" if more else "")
