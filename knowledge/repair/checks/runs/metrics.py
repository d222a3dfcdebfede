"""A metric that the code prints stays in its range: an accuracy of 640 % is none."""

import re
from collections.abc import Iterator

from knowledge.repair.check import refusing
from knowledge.repair.checks.runs import Tried

_METRIC = re.compile(
    r"\b(acc|accuracy|precision|recall|f1|iou|dice|auc|top-?[15])\b"
    r"(?:[ _](?:score|accuracy|acc))?\s*(?:is|=|:)?\s*(-?\d+(?:\.\d+)?(?:e[+-]?\d+)?)\b",
    re.IGNORECASE,
)


@refusing("metrics", "no metric is out of its range")
def check(tried: Tried) -> Iterator[str]:
    """No accuracy, precision, recall, F1, IoU, Dice or AUC below 0 or above 100 %."""
    known = {m.group() for m in _METRIC.finditer(tried.before.stdout)}
    for m in _METRIC.finditer(tried.after.stdout):
        if m.group() not in known and not 0 <= float(m[2]) <= 100:
            yield f"it prints `{m.group()}`, which no {m[1]} can be"
