"""bot/platforms/card.py and the console's card: how a how-to question's answer is shown."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from bot.models import Answer, AnswerError, FunctionShown, PostedReading, Proof, Why
from bot.platforms.card import advice_title, article_advice, seen_where, sheet
from bot.platforms.console.card import card
from bot.platforms.discord.card import draw
from bot.service import manners
from bot.service.seam import Answered
from executor.errors.reading import OFTEN
from executor.protocol import ErrorSeen
from knowledge.repair.fix import Fix
from tests.built import found, ran

TOPK = FunctionShown(
    name="torch.topk",
    signature="(input, k) -> (Tensor, LongTensor)",
    summary="Returns the `k` largest elements.",
    library="torch 2.13.0",
    example=">>> torch.topk(x, 1)\n5 @everyone",
    score=0.8,
)
SORT = TOPK.model_copy(update={"name": "torch.sort", "summary": "Sorts.", "example": ""})
WHY = Why(
    text="Because.",
    remedy="Do that.",
    article="a",
    title="An article",
    url=None,
    score=0.6,
    proof=Proof(torch="2.13.0", device="cpu", date="2026-11-23", holds=True),
)
ANSWER = Answer(
    status="advice", headline="Use `torch.topk`: Returns.", functions=(TOPK, SORT), why=WHY
)


def test_the_parts_are_function_others_article():
    """Signature and example in one box, what else may be meant, and the article; no remedy."""
    made = sheet(Answered(ANSWER))

    assert made.headline == "● Use `torch.topk`: Returns."  # not "nothing was run": it was
    assert [(part.kind, part.title) for part in made.parts] == [
        ("use", "torch.topk"),
        ("use", "Or"),
        ("why", "Related: An article"),
    ]
    first, others, _ = made.parts
    assert first.code.startswith("torch.topk(input, k) -> (Tensor, LongTensor)\n\n>>> torch.topk")
    assert first.text == "From the documentation of torch 2.13.0; its example ran here."
    assert others.text == "• `torch.sort`: Sorts."
    assert "@everyone" not in first.code


@pytest.mark.parametrize(
    ("by_text", "error", "head"),
    [
        ((False,), None, "No exception. Seen while it ran"),
        ((True, True), None, "No exception. Seen in the code"),
        ((True, False), None, "No exception. Seen while it ran and in the code"),
        ((False,), ErrorSeen(type="E", message="m"), "Seen while it ran"),
    ],
)
def test_what_only_the_text_shows_was_not_seen_while_it_ran(
    by_text: tuple[bool, ...], error: ErrorSeen | None, head: str
):
    """The heading says where, on every platform."""
    findings = tuple(found("a").model_copy(update={"by_text": b}) for b in by_text)
    answer = Answer(
        status="reproduced",
        headline="h",
        findings=findings,
        error=AnswerError.of(error) if error is not None else None,
    )
    out = io.StringIO()
    Console(file=out, width=200).print(card(answer))

    assert [p.title for p in sheet(Answered(answer)).parts if p.kind == "seen"] == [head]
    assert head in [line.strip() for line in out.getvalue().splitlines()]


def test_of_a_run_that_was_stopped_it_is_not_said_that_nothing_was_raised():
    """What stands for their values ended it, with the edit and without."""
    edit = Fix(
        codemod="as-told", diff="", code="", verified=False, shown="partly", stops="at line 6",
        checks=(), result=None,
    )  # fmt: skip
    seen = (found("a").model_copy(update={"by_text": True}),)
    answer = Answer(status="reproduced", headline="h", findings=seen, alternatives=(edit,))

    assert seen_where(answer) == "Seen in the code"


def test_an_example_that_was_not_run_is_not_claimed():
    """Nothing is said of code that was not run."""
    made = sheet(Answered(ANSWER.model_copy(update={"functions": (SORT,)})))

    assert made.parts[0].text.endswith("; no example of it was run.")
    assert made.parts[0].code == "torch.sort(input, k) -> (Tensor, LongTensor)"


def test_the_console_shows_the_same():
    """The word at the left says what a line is."""
    out = io.StringIO()
    Console(file=out, width=100).print(card(ANSWER))
    text = out.getvalue()

    for line in (
        "Use      torch.topk(input, k)",
        ">>> torch.topk(x, 1)",
        "its example ran here",
        "Or       torch.sort: Sorts.",
        "Related  Because.",
    ):
        assert line in text
    assert "Do that." not in text


def test_discord_has_room_for_it():
    """A part of an unknown kind would break the drawing."""
    assert "torch.topk" in str(draw(Answered(ANSWER), "q1"))


def test_an_unasked_answer_is_as_sure_as_its_function():
    """Not as the article beside it."""
    assert manners.sureness(ANSWER) == 0.8
    assert manners.sureness(ANSWER.model_copy(update={"functions": ()})) == 0.6


ASKED_FOR = WHY.model_copy(update={"asked": True, "remedy": "Do that."})
MAY_BE_IT = ASKED_FOR.model_copy(update={"resembles": True})
READ = PostedReading(type="RuntimeError", message="x", means="It means x", remedy="Do this")


@pytest.mark.parametrize(
    ("facts", "advice", "title"),
    [
        # A run of this very code showed the error.
        ({"status": "reproduced"}, "Do that.", "Try"),
        # It may have another cause: it was not shown here, or with what we added.
        ({"status": "reproduced", "assumptions": ("`x`: stands for y",)}, "Do that.", "Perhaps"),
        ({"status": "advice"}, "Do that.", "Perhaps"),
        ({"status": "unsure", "posted": READ.model_copy(update={"remedy": ""})}, "Do that.",
         "Perhaps"),
        # One piece of advice is enough, and code that runs needs none.
        ({"status": "not_run", "posted": READ}, "", "Perhaps"),
        ({"status": "runs"}, "", "Perhaps"),
        # But where the words ask for just that article, its advice is what they want.
        ({"status": "runs", "why": ASKED_FOR}, ASKED_FOR.remedy, "Perhaps"),
        ({"status": "runs", "why": MAY_BE_IT}, "", "Perhaps"),
        ({"status": "runs", "why": ASKED_FOR, "run": ran(trained=True)}, "", "Perhaps"),
        ({"status": "runs", "why": ASKED_FOR, "run": ran()}, ASKED_FOR.remedy, "Perhaps"),
        ({"status": "advice", "functions": (TOPK,)}, "", "Perhaps"),
        ({"status": "reproduced", "why": None}, "", "Try"),
    ],
)  # fmt: skip
def test_advice_is_as_sure_as_the_run_made_it(facts: dict[str, object], advice: str, title: str):
    """Advice that no run tried, for a cause that no run showed, is no more than perhaps right."""
    answer = ANSWER.model_copy(update={"functions": (), **facts})

    assert (article_advice(answer), advice_title(answer)) == (advice, title)
    shown = [part.title for part in sheet(Answered(answer)).parts if part.kind == "try"]
    posted = answer.posted is not None and answer.posted.remedy
    assert shown == ([title] if advice else ["Perhaps"] if posted else [])
    text = _console(answer)
    assert ("Do that." in text) is bool(advice) and ("Do this." in text) is bool(posted)


def test_one_hedge_is_enough():
    """Below "Perhaps" a remedy does not say "What often helps" as well; its words stay."""
    often = READ.model_copy(update={"remedy": f"{OFTEN}move `x` to the device of `y`"})
    for facts in ({"posted": often}, {"remedy": often.remedy}):
        answer = ANSWER.model_copy(update={"functions": (), "why": None, **facts})

        (shown,) = [p for p in sheet(Answered(answer)).parts if p.kind == "try"]
        assert (shown.title, shown.text) == ("Perhaps", "Move `x` to the device of `y`.")
        assert OFTEN.strip() not in _console(answer)
        assert "Move `x` to the device of `y`." in _console(answer)


def _console(answer: Answer) -> str:
    out = io.StringIO()
    Console(file=out, width=100).print(card(answer))
    return out.getvalue()
