"""Read losses in the order in which they are printed: whether they rise, end in NaN or stand.

Those of the post are read; of a run only whether they rise where the post says so. They say what
the loss does, and which causes that leaves open.
"""

from __future__ import annotations

import math
import re
from itertools import pairwise

from bot.models import Question
from executor.protocol import Remark

_VALUE = r"(?:\d{1,12}(?:\.\d{1,20})?(?:[eE][-+]?\d{1,3})?|nan\b|NaN\b|inf\b)"
# "loss: 0.5", "Loss = tensor(2.3, …", "train_loss=0.4"; and not "loss=0.5 (lr 1e-3)" as two.
_LABELLED = re.compile(
    rf"(?<!\w)(?P<label>\w{{0,20}}?loss\w{{0,12}})\b[\s:=|\[('\"]{{1,6}}"
    rf"(?:is |of |tensor\()?(?P<value>{_VALUE})(?![\w%])",
    re.IGNORECASE,
)
# "644 → 1e7 → 1e38", "from 644 to 1e7 to nan"
_ARROWS = re.compile(rf"(?<![\w.])(?P<first>{_VALUE})(?:\s?(?:→|->|=>|-->)\s?{_VALUE}){{2,20}}")
_FROM_ARROW = re.compile(_VALUE)
_LOSS = re.compile(r"(?<![a-z])loss", re.IGNORECASE)
_FEWEST = 3  # values that make a course
_RUNS_AWAY = 100.0  # times as large as at first, and never smaller on the way but for little
_RISES = 1.5  # times as large as at first, and larger each time, where the post speaks of it
_FEWEST_RISING = 5
_MOST = 200  # values that are read
_LONG = 8  # characters of a value that is told as it is written
_SAYS_THAT_IT_RISES = re.compile(
    r"\b(?:diverg\w*|explod\w*|blow(?:s|ing)? up|(?:increas|ris|grow|go)\w*(?: \w+){0,3} (?:instead"
    r"|up|larger|higher|bigger)|loss\b[^.?!\n]{0,40}\b(?:increas|ris|grow)\w*"
    r"|(?:increas|ris|grow)ing\b[^.?!\n]{0,20}\bloss)",
    re.IGNORECASE,
)
_STANDS = 1e-4  # relative spread of a loss that does not move
_DIGITS = 3  # decimals at least that such a loss is printed with


def loss_course(question: Question, printed: str = "") -> Remark | None:
    """What the losses do, with what can cause that; None if they do nothing telling.

    Args:
        question: what was posted.
        printed: what a run of its code printed, with nothing made up.
    """
    written = losses_written(question.text)
    if _SAYS_THAT_IT_RISES.search(question.text):
        for whose, series in (("posted", written), ("printed", losses_written(printed))):
            if _rises(series):
                return _remark(
                    f"the {whose} losses rise each time ({_told(series)}): the steps go too far, "
                    "or the wrong way. Divide the learning rate by 10, and again, until they fall; "
                    "inputs and targets that are scaled to about mean 0 and deviation 1 bear "
                    "larger ones. If they rise with any rate, see that the loss is not turned "
                    "round (a sign, a score in its place) and not a sum over all rounds"
                )
    if len(written) < _FEWEST:
        return None
    values = [float(text.lower()) for text in written]
    told = _told(written)
    finite = [v for v in values if math.isfinite(v)]
    if len(finite) >= 2 and _grows(finite):
        return _remark(
            f"the posted losses run away ({told}): each step goes too far. Divide the learning "
            "rate by 10, and again; look at the size of inputs and targets (scale them to about "
            "mean 0 and deviation 1) and at a loss that is summed and not averaged; "
            "`torch.nn.utils.clip_grad_norm_` bounds a single step"
        )
    began = len(finite) >= 2 and math.isfinite(values[0])
    if began and not math.isfinite(values[-1]):
        return _remark(
            f"the posted losses are finite and then NaN or infinite ({told}), without growing "
            "before: look at that step. `torch.isfinite(x).all()` of its inputs and targets tells "
            "whether they bring it; if not, log or sqrt of 0, a division by 0 or an overflow (exp, "
            "half precision) does: `torch.autograd.set_detect_anomaly(True)` names the operation"
        )
    if len(finite) == len(values) and _stands(written, finite):
        return _remark(
            f"the posted loss does not move at all ({told}): the weights do not change, or the "
            "output does not depend on them. After backward print `p.grad` of the first and the "
            "last layer: None is a cut graph (a new tensor, detach, numpy), 0 a saturated or dead "
            "activation; with gradients, compare a weight before and after `optimizer.step()`: "
            "does the optimizer hold these parameters, and is its learning rate far from 0?"
        )
    return None


def losses_written(text: str) -> list[str]:
    """The losses of a post as they are written, in order: of one series, labelled or in arrows.

    Of several losses, as those of a detector or of training and validation, the longest series.
    """
    if not _LOSS.search(text):
        return []
    arrows = _ARROWS.search(text)
    if arrows is not None:
        return _FROM_ARROW.findall(arrows[0])
    series: dict[str, list[str]] = {}
    for found in _LABELLED.finditer(text):
        series.setdefault(found["label"].lower(), []).append(found["value"])
    return max(series.values(), key=len, default=[])[:_MOST]


def _grows(values: list[float]) -> bool:
    first, last = values[0], values[-1]
    rises = all(b >= a * 0.8 for a, b in pairwise(values))
    return first > 0 and last >= first * _RUNS_AWAY and rises


def _rises(written: list[str]) -> bool:
    values = [float(text.lower()) for text in written]
    if len(values) < _FEWEST_RISING or not all(map(math.isfinite, values)) or values[0] <= 0:
        return False
    return all(b > a for a, b in pairwise(values)) and values[-1] >= _RISES * values[0]


def _stands(written: list[str], values: list[float]) -> bool:
    exact = all(len(text.partition(".")[2]) >= _DIGITS for text in written)
    low, high = min(values), max(values)
    return exact and low > 0 and high - low <= _STANDS * high


def _told(written: list[str]) -> str:
    short = [text if len(text) <= _LONG else f"{float(text):.5g}" for text in written]
    shown = short if len(short) <= 4 else [*short[:2], "…", short[-1]]
    return " → ".join(shown)


def _remark(message: str) -> Remark:
    return Remark(kind="loss_course", line=0, code="", message=message)
