"""bot/service/asked_before.py: which questions are alike."""

from __future__ import annotations

import pytest

from bot.service.asked_before import _ALIKE, likeness

ONE = "why? x = torch.ones(2, requires_grad=True).exp(); x += 1; x.sum().backward()"


@pytest.mark.parametrize(
    ("other", "alike"),
    [
        (ONE.replace("2", "9"), True),
        (ONE.replace("why?", "what is wrong with backward here?"), True),
        ("model = GPT(config); loss = model(batch); loss.backward(); optimizer.step()", False),
        ("", False),
    ],
)
def test_questions_are_alike_by_their_words_and_names(other: str, alike: bool):
    """Numbers do not matter."""
    assert (likeness(ONE, other) >= _ALIKE) is alike
