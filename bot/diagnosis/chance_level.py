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
_NEAR = 1e-4  # of a loss to what a formula gives
_FEW = 12  # classes up to which such losses are far apart
_ACCURACY = re.compile(
    r"\bacc(?:uracy)?\w{0,6}\b[^\n\d]{0,12}(?P<share>\d{1,3}(?:\.\d{1,8})?)(?![\d.])"
    r" ?(?P<percent>%?)",
    re.IGNORECASE,
)
_BY_CHANCE = 0.01
_BELOW = 0.01  # by which a loss was lower before
_NUMBER = re.compile(r"(?<![\d.])\d\.\d{2,8}(?![\d.])")
# "from 0.69 to 0.012", "0.69 -> 0.012", "0.69 in the first epoch, then 0.3"
_TO = re.compile(
    r"[^.?!\d\n]{0,40}?(?:\b(?:to|then|until|towards?)\b|→|->|=>|\.\.\.|…)[^.?!\d\n]{0,20}"
    r"(?P<later>\d\.\d{1,8})(?![\d.])"
)
_LOSS = re.compile(r"\bloss", re.IGNORECASE)
# What a number may be called, the nearest before it in its paragraph.
_CALLED = re.compile(
    r"(?P<loss>loss|entropy|\bBCE|\bCE\b|\bnll)|\b(?:acc(?:uracy)?|auc|auroc|f1|iou|dice|precision"
    r"|recall|score|r2|corr\w*|mae|mse|rmse)",
    re.IGNORECASE,
)
_PARAGRAPH = re.compile(r"\n\s*\n")
# Each output is judged for itself, so that the number of classes decides nothing.
_EACH_OUTPUT = re.compile(r"multi-?label|several labels", re.IGNORECASE)
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


def _softmax_twice(text: str) -> Remark | None:
    """That a loss that does not move is what probabilities of 0 and 1 give for the accuracy.

    Cross entropy of a probability vector with a single 1 is ln(e + classes - 1), less 1 where the
    1 is at the right class: so it is that logarithm less the share of right answers.
    """
    written = losses_written(text)
    still = [one for one in dict.fromkeys(written) if written.count(one) >= _OFTEN]
    shares = [float(m["share"]) / (100 if m["percent"] else 1) for m in _ACCURACY.finditer(text)]
    for value in still:
        if len(value.partition(".")[2]) < _EXACT:
            continue
        for share in dict.fromkeys(share for share in shares if 0 < share <= 1):
            classes = round(math.exp(min(float(value) + share, 10.0)) - math.e + 1)
            gap = abs(math.log(math.e + classes - 1) - share - float(value)) if classes > 1 else 1
            if gap <= _NEAR and classes <= _FEW:
                return Remark(
                    kind="chance_level",
                    line=0,
                    code="",
                    message=(
                        f"a loss of {value} that does not move, with {share:g} of the answers "
                        f"right, is what cross entropy gives of probabilities that are all 0 or 1 "
                        f"(ln(e + {classes - 1}) - {share:g}, {classes} classes): a softmax is "
                        "applied before a loss that applies it itself, and is saturated, so no "
                        "gradient is left. Hand the scores to the loss as they are, and start "
                        "anew, with a smaller learning rate"
                    ),
                )
    return None


# Where a loss is said to end, in one sentence with the word: "never goes below 1.46".
_ENDS_AT = re.compile(
    r"(?:(?:\b(?:never|not|doesnt|cannot|hardly)|n['’]t) (?:\w+ ){0,3}(?:below|under|lower than"
    r"|beyond|past)|\b(?:stuck|stays?|stops?|settles?|stagnates?|saturates?|plateaus?|flattens?"
    r"|converges?|floors?|minimum|lowest)(?: \w+){0,3}?)[^\n\d.?!]{0,30}"
    r"(?P<value>[0-3]\.\d{2,6})(?!\d|\.\d)",
    re.IGNORECASE,
)
_TELLING = 3  # digits that tell by themselves; with fewer a softmax has to be named
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n+")
# Whose loss is lower there is somebody else's, or that of another model.
_OTHERS = re.compile(
    r"\b(?:others?|people|paper|papers|tutorials?|keras|tensorflow|expect\w*|should|reported"
    r"|without|instead|baseline)\b",
    re.IGNORECASE,
)
_SOFTMAX = re.compile(r"(?<![a-z_])(?:F\.|nn\.)?softmax\b", re.IGNORECASE)
_NAMED_CLASSES = re.compile(r"\b(?P<n>\d{1,4})[- ](?:\w+ )?class(?:es)?\b", re.IGNORECASE)
_TWO = re.compile(r"\bbinary (?:class|cross)|\btwo classes\b", re.IGNORECASE)


def _least_of_probabilities(text: str, code: str) -> Remark | None:
    """That a loss ends at the least that cross entropy gives for probabilities.

    The best of them, a single 1 among zeros, is ln(e + classes - 1) - 1.
    """
    own = " ".join(one for one in _SENTENCE.split(text) if not _OTHERS.search(one))
    whole = f"{text}\n{code}"
    named = {int(found["n"]) for found in _NAMED_CLASSES.finditer(text)}
    named |= {2} if _TWO.search(text) else set()
    softmax = _SOFTMAX.search(whole) is not None
    if _LOSS.search(text) is None or not (softmax or named):
        return None
    for found in _ENDS_AT.finditer(own):
        written = found["value"]
        places = len(written.partition(".")[2])
        near = 10.0**-places
        if places < _TELLING and not softmax:
            continue
        for classes in sorted(named) if named else _CLASSES:
            least = math.log(math.e + classes - 1) - 1 if classes > 1 else 0.0
            lower = any(float(n) < least - near for n in _NUMBER.findall(own))
            if abs(float(written) - least) > near or lower:
                continue
            return Remark(
                kind="chance_level",
                line=0,
                code="",
                message=(
                    f"a loss of {written} is the least that cross entropy gives for probabilities "
                    f"of {classes} classes, ln(1 + {classes - 1}/e) = {least:.4f}, where each "
                    "answer is right and sure: a softmax stands before a loss that applies it "
                    "itself (`nn.CrossEntropyLoss`). Leave it out of the model, hand the scores to "
                    "the loss as they are, and train anew; the classes that it says stay the same, "
                    "and for probabilities take `scores.softmax(dim=1)` where they are shown"
                ),
            )
    return None


def _is_a_loss(text: str, at: int) -> bool:
    """Whether what stands there is called a loss, and no accuracy or other score."""
    paragraph = _PARAGRAPH.split(text[:at])[-1]
    called = [m["loss"] is not None for m in _CALLED.finditer(paragraph)]
    return called[-1] if called else True


def chance_level(question: Question) -> Remark | None:
    """That a loss in the text is what cross entropy gives to guesses; None if there is none."""
    whole = f"{question.text}\n{question.code}"
    for shown in (
        _stuck(question.text),
        _softmax_twice(question.text),
        _least_of_probabilities(question.text, question.code),
    ):
        if shown is not None:
            return shown
    if not _LOSS.search(question.text) or not _CLASSIFIES.search(whole):
        return None
    if _EACH_OUTPUT.search(question.text):
        return None
    last = losses_written(question.text)[-1:]
    for found in _NUMBER.finditer(question.text):
        written = found[0]
        if last and last != [written]:
            continue  # where a series began says nothing of what was learned
        if not _is_a_loss(question.text, found.start()):
            continue
        after = _TO.match(question.text, found.end())
        if after is not None and float(after["later"]) < float(written) - _BELOW:
            continue  # it fell from there
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
