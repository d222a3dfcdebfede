"""Draw the app's home in Slack: the welcome, somebody's last questions, the settings."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

from bot.platforms.parts import cut, neutral, one_line
from bot.platforms.slack.card import plain, prompts, units
from bot.service.store.stored import Stored
from bot.service.welcome import WELCOME
from bot.words import STATUS

Block = dict[str, Any]


def home(questions: Sequence[Stored], settings: Sequence[str]) -> dict[str, Any]:
    """The view for `views.publish`.

    Args:
        questions: the person's last ones, the latest first.
        settings: sentences about what holds here.
    """
    blocks: list[Block] = [_section(WELCOME), prompts(), _header("Your last questions")]
    blocks += [_question(q) for q in questions] or [_section("None yet.")]
    blocks += [_header("Here"), _section("\n".join(settings))]
    return {"type": "home", "blocks": blocks}


def _question(asked: Stored) -> Block:
    when = datetime.fromtimestamp(asked.asked_at, UTC).strftime("%d %b %H:%M UTC")
    answer = asked.answer
    if answer is None:
        told = "in work"
    elif answer.reply is not None:
        told = one_line(answer.reply.text)
    else:
        told = f"{STATUS[answer.status][0]} {one_line(answer.headline)}"
    if asked.solved:
        told += " (solved)"
    words = one_line(asked.text.replace("```", " ")) or "(files only)"
    shown = f"{when}   {cut(neutral(words), 100, 'start')}\n{cut(neutral(told), 300, 'start')}"
    return _section(shown)


def _section(text: str) -> Block:
    return {"type": "section", "text": plain(cut(text, 2900, "start", units))}


def _header(text: str) -> Block:
    return {"type": "header", "text": plain(text)}
