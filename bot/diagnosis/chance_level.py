"""Recognise a loss that is what guesses give: the logarithm of the number of classes."""

from __future__ import annotations

import math
import re

from bot.diagnosis.loss_course import losses_written
from bot.models import Question
from executor.protocol import Remark

_CLASSES = (2, 3, 10, 100, 1000)
_EXACT = 4  # digits that decide which number it is the logarithm of
_OFTEN = 3  # times that a loss is printed without moving
_BY_CHANCE = 0.01
_BELOW = 0.01  # by which a loss was lower before
_NUMBER = re.compile(r"(?<![\d.])\d\.\d{2,8}(?![\d.])")
_LOSS = re.compile(r"\bloss", re.IGNORECASE)
_CLASSIFIES = re.compile(
    r"cross.?entropy|\bBCE|nll|logit|softmax|accuracy|classif|\bacc\b", re.IGNORECASE
)


def _stuck(text: str) -> Remark | None:
    """That the posted losses end up at one value, to all its digits the logarithm of a number."""
    written = losses_written(text)
    if not written:
        return None
    value = max(written, key=written.count)
    places = len(value.partition(".")[2])
    classes = round(math.exp(min(float(value.lower()), 10.0))) if places >= _EXACT else 0
    times = written.count(value)
    spread = 2 * classes * 10.0**-places  # of all such values, the share that is near a logarithm
    if (
        times < _OFTEN
        or classes < 2
        or spread > _BY_CHANCE
        or abs(float(value) - math.log(classes)) > 10.0**-places
    ):
        return None
    before = [float(one.lower()) for one in written[: written.index(value)]]
    learned = any(one < float(value) - _BELOW for one in before if math.isfinite(one))
    told = (
        "It was lower before, so it had begun to learn and then collapsed, as a learning rate that "
        "is too large does it (all ReLUs of a layer give 0 from then on, and no gradient comes "
        "back). Such a network does not recover: start anew with a rate ten times smaller"
        if learned
        else "Either nothing that the input decides reaches the output (a layer of ReLUs that all "
        "give 0 after a first step that was too large: start anew with a rate ten times smaller), "
        "or no step changes the weights (see that the optimizer holds them, and that `p.grad` is "
        "neither None nor 0)"
    )
    return Remark(
        kind="chance_level",
        line=0,
        code="",
        message=(
            f"a loss of {value}, {times} times over, is ln {classes} to its last digit, "
            f"which cross entropy gives where all {classes} classes get the same share, whatever "
            f"comes in. {told}"
        ),
    )


def chance_level(question: Question) -> Remark | None:
    """That a loss in the text is what cross entropy gives to guesses; None if there is none."""
    whole = f"{question.text}\n{question.code}"
    if (stuck := _stuck(question.text)) is not None:
        return stuck
    if not _LOSS.search(question.text) or not _CLASSIFIES.search(whole):
        return None
    last = losses_written(question.text)[-1:]
    for found in _NUMBER.finditer(question.text):
        written = found[0]
        if last and last != [written]:
            continue  # where a series began says nothing of what was learned
        places = len(written.partition(".")[2])
        for classes in _CLASSES:
            # As exact as it is written, but for the last digits that training moves a little.
            if abs(float(written) - math.log(classes)) <= max(10.0**-places, 0.0015):
                return Remark(
                    kind="chance_level",
                    line=0,
                    code="",
                    message=(
                        f"a loss of {written} is ln {classes}, which cross entropy gives to "
                        f"guesses among {classes} classes: nothing has been learned yet. First "
                        "let the model learn 8 samples by heart (Adam, lr=1e-3). If it cannot, "
                        "look for a softmax or ReLU before the loss, for labels that do not belong "
                        "to their inputs, an optimizer that holds other parameters, or a learning "
                        "rate far off; scale the inputs to about mean 0 and deviation 1"
                    ),
                )
    return None
