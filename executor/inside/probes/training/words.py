"""Words that several findings on training share."""

from __future__ import annotations


def every(steps: int) -> str:
    return "the only step" if steps == 1 else f"all {steps} steps"


def no_path(what: str) -> str:
    """Why there is no gradient; the loss may still depend on the value, through detach()."""
    return f"no path of the graph leads from the loss to {what} (unused, or cut off as by detach())"


def times(n: int, what: str = "time") -> str:
    return f"{n} {what}{'s' if n > 1 else ''}" if what != "time" or n > 1 else "once"
