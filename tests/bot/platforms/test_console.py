"""bot/platforms/console/card.py: what a person reads, and that nothing in it can do harm."""

from __future__ import annotations

import io
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from bot.models import Answer, AnswerError, Evidence, Why
from bot.platforms.card import paragraphs
from bot.platforms.console.card import ConsoleCard, card
from bot.words import STATUS, harmless
from executor.protocol import Finding, JobResult, Outcome
from knowledge.repair.codemod import Check
from knowledge.repair.fix import Fix
from tests.conftest import Ask

HOSTILE = "\x1b[2J\x1b]0;owned\x07 \u202eesrever @everyone ``` <!channel> [bold]x[/bold] \x9b31m"


def drawn(answer: Answer, *, explain: bool = False) -> str:
    """The card as plain text."""
    out = io.StringIO()
    Console(file=out, width=100, highlight=False).print(card(answer, explain=explain))
    return out.getvalue()


def full(text: str) -> Answer:
    """An Answer with a stranger's text in every place that can hold one."""
    fix = Fix(
        codemod="c",
        title=text,
        intent=text,
        diff=f"-{text}\n+{text}",
        code=text,
        verified=False,
        checks=(Check(name="n", passed=False, detail=text),),
        result=None,
    )
    return Answer(
        status="reproduced",
        headline=text,
        error=AnswerError(type="E", message=text, line=1, code=text, caught=False, traceback=text),
        explanation="Seen: " + text,
        findings=(Finding(kind="k", line=1, name=text, message=text),),
        assumptions=(text,),
        why=Why(text=text, remedy=text, article="a", title=text, url=None, score=1, proof=None),
        alternatives=(fix,),
        refused=(fix,),
        problems=(text,),
        run=JobResult(outcome=Outcome.OK, stdout=text),
        evidence=Evidence(
            torch=text,
            python="3",
            device="CPU",
            isolation=text,
            seconds_before=1,
            seconds_after=None,
            peak_memory_bytes=1,
        ),
    )


def test_every_status_has_a_word():
    """Never a colour or a symbol alone."""
    assert set(STATUS) == {"fixed", "reproduced", "runs", "advice", "unsure", "not_run"}
    assert all(symbol and len(words) > 5 for symbol, words in STATUS.values())


def test_a_list_in_the_advice_stays_a_list():
    """Each item begins a line of its own; what was wrapped is one line."""
    advice = "Move\nboth.\n\n- The batch:\n  move it.\n- The model.\n\n```python\nx\n```"

    assert paragraphs(advice.partition("```")[0]) == [
        "Move both.", "- The batch: move it.", "- The model."
    ]  # fmt: skip
    why = Why(text="y", remedy=advice, article="a", title="t", url=None, score=1, proof=None)
    lines = drawn(Answer(status="advice", headline="h", why=why)).splitlines()
    assert [" ".join(line.split()).removeprefix("Try ") for line in lines if "- The" in line] == [
        "- The batch: move it.", "- The model."
    ]  # fmt: skip


def test_a_strangers_text_moves_no_cursor():
    """Escape sequences, bells and direction marks come out as visible harmlessness."""
    text = drawn(full(HOSTILE), explain=True)

    assert not any(unicodedata.category(c) == "Cc" and c not in "\n" for c in text)
    assert not any(c in text for c in "\u202e\u2066\u200f")
    assert "[bold]x[/bold]" in text  # markup is shown, not obeyed


@given(st.text(max_size=300))
def test_any_text_can_be_drawn(text: str):
    """No stranger's text breaks the card, and none gets a control character through."""
    shown = drawn(full(text), explain=True)

    assert not any(unicodedata.category(c) == "Cc" and c not in "\n" for c in shown)
    assert harmless(harmless(text)) == harmless(text)


def test_a_codemod_that_raised_is_named_to_who_asks_for_reasons():
    """It is ours to mend, so an asker need not read it; `ask --explain` shows it."""
    problem = "the codemod cat-sizes raised in rewrite(): KeyError: 'size'"
    answer = Answer(status="reproduced", headline="It fails.", problems=(problem,))

    assert problem in drawn(answer, explain=True)
    assert problem not in drawn(answer)


async def test_the_conclusion_comes_first(ask: Ask):
    """Line one says in words what is wrong; then error, both ends, why, fix, evidence."""
    answer = await ask(
        "```python\nimport torch\nx = torch.ones(2, requires_grad=True)\ny = x.exp()\ny += 1\n"
        "y.sum().backward()\n```"
    )
    text = drawn(answer)
    order = ["Fixed: line 4 overwrites", "\nRuntimeError at line 5", "  saved", "  changed",
             "\nWhy", "\nFix", "+y = y + 1", "\ntorch 2.", "\n[1]"]  # fmt: skip
    places = [text.index(part) for part in order]

    assert places == sorted(places)
    assert text.splitlines()[0].startswith("✔ Fixed")


async def test_without_a_fix_the_advice_is_marked_as_such(ask: Ask):
    """What an article advises is under Perhaps; only a run says that a fix passes."""
    text = drawn(await ask("relu_ says unknown parameter type"))

    assert "Perhaps" in text and "Fix " not in text and "passes" not in text


@pytest.mark.parametrize("terminal", [True, False])
async def test_steps_show_on_a_terminal_only(ask: Ask, terminal: bool):
    """Elsewhere the output holds the answer and no trace of the spinner."""
    from bot.models import Progress

    out = io.StringIO()
    console = Console(file=out, width=80, force_terminal=terminal, highlight=False)
    shown = ConsoleCard(console)
    await shown.step(Progress(step="reproducing", text="running your snippet"))
    await shown.finish(Answer(status="unsure", headline="Not sure."))

    assert ("running your snippet" in out.getvalue()) is terminal
    assert "Not sure." in out.getvalue()


def test_checks_that_could_not_be_tried_are_counted_apart():
    """They are not passed, and nothing is told of them."""
    checks = (
        Check(name="values", passed=True, detail="every value is as it was"),
        Check(name="samples", passed=True, detail="no sample was tried", tried=False),
    )
    fix = Fix(
        codemod="c", title="t", diff="-a\n+b", code="b", verified=True, checks=checks, result=None
    )
    text = drawn(Answer(status="fixed", headline="Fixed.", fix=fix))

    assert "ran, and it passes: 1 check, 1 could not be tried here" in text
    assert "every value is as it was" in text and "no sample was tried" not in text
