"""bot/service/welcome.py: who only greets is welcomed; who asks is answered."""

from __future__ import annotations

import pytest

from bot.messages.question import read_message
from bot.service.welcome import PROMPTS, is_greeting


@pytest.mark.parametrize(
    ("text", "greets"),
    [
        ("", True),
        ("hi", True),
        ("Hello there!", True),
        ("help", True),
        ("what can you do?", True),
        ("how does this work?", True),
        ("hey 👋", True),
        ("hi, why does my loss not fall", False),
        ("help me with my dataloader", False),
        ("how do I stack tensors?", False),
        ("print(1)", False),
        ("test_loss is nan", False),
    ],
)
def test_a_greeting(text: str, greets: bool):
    """Whatever is more than that is a question."""
    assert is_greeting(text) is greets


def test_the_prompts_are_a_snippet_an_error_and_a_how_to():
    """One of each, so that a newcomer sees all three kinds of answers."""
    snippet, error, how_to = (read_message(p.text) for p in PROMPTS)

    assert snippet.code and not snippet.traceback
    assert error.traceback and not error.code
    assert not how_to.code and not how_to.traceback
