"""bot/diagnosis/next_step.py: what to look at first where no error was raised."""

from __future__ import annotations

import pytest

from bot.diagnosis.next_step import next_step
from bot.models import PastedTraceback, Question


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Why does the forward pass use all my memory?", "memory_of_forward"),
        ("The GPU memory usage keeps growing.", "memory_grows"),
        ("Each epoch gets slower than the one before.", "memory_grows"),
        ("After 20 steps my loss is nan", "not_a_number"),
        ("The results with eval() are much worse", "modes_differ"),
        ("It predicts the same class for every image", "same_prediction"),
        ("Validation accuracy stays much lower than training", "validation_differs"),
        ("Each run gives other numbers although I set a seed", "not_reproducible"),
        ("The loss does not decrease", "does_not_learn"),
        ("My network is not learning", "does_not_learn"),
        ("optimizer.step() does not update the weights", "does_not_learn"),
        ("How do I join two tensors?", None),
        ("What does view do with a transposed tensor?", None),
    ],
)
def test_the_words_choose_the_look(text: str, kind: str | None):
    """Each symptom has its own; a question without one has none."""
    seen = next_step(Question(text=text))

    assert (seen.kind if seen is not None else None) == kind
    assert seen is None or seen.aside


def test_a_posted_error_is_no_symptom():
    """Then what it means comes first."""
    error = PastedTraceback(type="RuntimeError", message="it broke")

    assert next_step(Question(text="The loss does not decrease", traceback=error)) is None
