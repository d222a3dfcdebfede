"""bot/platforms/card.py and the console's card: how a how-to question's answer is shown."""

from __future__ import annotations

import io

from rich.console import Console

from bot.models import Answer, FunctionShown, Proof, Why
from bot.platforms.card import sheet
from bot.platforms.console.card import card
from bot.platforms.discord.card import draw
from bot.service import manners
from bot.service.seam import Answered

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
