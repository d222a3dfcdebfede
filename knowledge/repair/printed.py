"""Whether a changed program prints what the one that failed had printed before its error."""

import re
from itertools import pairwise

from executor.errors import is_a, shapes_named
from executor.protocol import Caught, ErrorSeen

_AS_BEFORE = "what was printed before the error is unchanged"
_LAYERS = re.compile(r"\((?:\n +[()][^\n]{0,400})+\n\)|(?<=\w)\(\)")
_SIZE = re.compile(r"torch\.Size\(\[[\d, ]{0,80}\]\)")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:e[+-]?\d+)?")


def kept(before: str, after: str, error: ErrorSeen | Caught | None) -> str:
    """How the output is as before; empty where it is not.

    A layer that is changed is listed otherwise by its model, and a schedule of another length has
    other rates from its first step on: so has every loss that is printed. A shape that was printed,
    and that the error then named, is the one that is wrong.

    Args:
        before: what was printed before the error.
        after: what the changed program prints.
        error: what it failed with.
    """
    if after.startswith(before):
        return _AS_BEFORE
    if _LAYERS.sub("", after).startswith(_LAYERS.sub("", before)):
        return f"{_AS_BEFORE}, but for the layers of a model"
    paced = error is not None and is_a(error, "scheduler_steps")
    if paced and _worded(after).startswith(_worded(before)):
        return f"{_AS_BEFORE}, but for what other rates give"
    wrong = error is not None and {f"torch.Size({list(s)})" for s in shapes_named(error.message)}
    if wrong and _of_any_size(before, wrong).match(after):
        return f"{_AS_BEFORE}, but for the shape that the error names"
    return ""


def _of_any_size(before: str, wrong: set[str]) -> re.Pattern[str]:
    """The text with any shape in the place of those that were wrong."""
    parts = [_SIZE.pattern if s in wrong else re.escape(s) for s in _split(before)]
    return re.compile("".join(parts))


def _split(text: str) -> list[str]:
    """A text cut before and behind each shape that stands in it."""
    cuts = [0, *(at for m in _SIZE.finditer(text) for at in m.span()), len(text)]
    return [text[a:b] for a, b in pairwise(cuts)]


def _worded(text: str) -> str:
    """A text without its numbers, but for those that count."""
    return _NUMBER.sub(lambda m: m[0] if m[0].isdigit() else "#", text)
