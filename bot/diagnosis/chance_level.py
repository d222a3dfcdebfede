"""Recognise a loss that is what guesses give: the logarithm of the number of classes."""

from __future__ import annotations

import math
import re

from bot.diagnosis.loss_course import losses_written
from bot.models import Question
from executor.protocol import Remark

_CLASSES = (2, 3, 10, 100, 1000)
_NUMBER = re.compile(r"(?<![\d.])\d\.\d{2,8}(?![\d.])")
_LOSS = re.compile(r"\bloss", re.IGNORECASE)
_CLASSIFIES = re.compile(
    r"cross.?entropy|\bBCE|nll|logit|softmax|accuracy|classif|\bacc\b", re.IGNORECASE
)


def chance_level(question: Question) -> Remark | None:
    """That a loss in the text is what cross entropy gives to guesses; None if there is none."""
    whole = f"{question.text}\n{question.code}"
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
