"""Which of PyTorch's warnings tell of a mistake, as opposed to notices about itself."""

from __future__ import annotations

import re

# What it says of values that come out other than meant.
_MISTAKES = re.compile(
    r"Using a target size \(.*\) that is different to the input size"
    r"|None of the inputs have requires_grad=True"
)
# What it says of itself, or of the time that something takes.
_NOTICES = re.compile(r"\b(beta|prototype|experimental|deprecated|performance|slow\w*)\b", re.I)


def tells_of_a_mistake(message: str) -> bool:
    """Whether a warning says that values come out other than meant."""
    return _MISTAKES.search(message) is not None


def is_a_notice(message: str) -> bool:
    """Whether a warning is about PyTorch itself: beta, deprecated, slow."""
    return _NOTICES.search(message) is not None
