"""What PyTorch's warnings tell: a mistake, or a notice about itself; and never an error."""

from __future__ import annotations

import re

from executor.errors.family import MAX_CHARS

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


def is_a_warning(type: str) -> bool:
    """Whether a posted type is a warning's, such as UserWarning: the program went on after it."""
    return type.endswith("Warning")


def meaning_of_a_warning(type: str) -> str:
    """What every warning of a kind means, whatever it says."""
    name = type.rpartition(".")[2]
    if name in {"FutureWarning", "DeprecationWarning", "PendingDeprecationWarning"}:
        return (
            f"This is a {name} and no error: what you call works in your version and is to change "
            "or go in a later one; the message says what takes its place"
        )
    return (
        f"This is a {name} and no error: the program goes on after it. Look for what goes wrong, "
        "if anything does, where an error or a wrong number shows"
    )


_INSTEAD = re.compile(
    r"\b(?:[Uu]se|[Cc]all|switch to) [`'\"]?"
    r"(?P<today>(?:with )?[\w.]+(?:\([^()\n]{0,60}\))?:?)[`'\"]?"
    r"(?: \w+){0,4} instead\b"
)


def instead_of_what(message: str) -> str:
    """What a warning names to be written in place of what it is about, as an advice."""
    found = _INSTEAD.search(message[:MAX_CHARS])
    return f"Write `{found['today']}` in its place" if found is not None else ""
