"""Whether a changed program fails further down than the line that was mended."""

import difflib
import re

# The outermost line of the snippet that led to an error, and the one that raised it; 0: not known.
Lines = tuple[int, int]


def is_further_down(was: Lines, now: Lines, old: str, new: str) -> bool:
    """Whether an error comes from a later line than the one that was mended, insertions aside.

    Args:
        was: where the snippet failed.
        now: where the rewritten one did.
        old: the snippet's code.
        new: the rewritten one's.
    """
    return (
        _further_down(was, now, old, new)
        or _called_further_down(was, now, old, new)
        or _beside(was, now, old.splitlines(), new.splitlines())
    )


def _beside(was: Lines, now: Lines, old: list[str], new: list[str]) -> bool:
    """Whether just the line that failed was changed, and one above it in its function fails now.

    It had been run before, or is of another branch: either way this is another call.
    """
    differ = [n for n, lines in enumerate(zip(old, new, strict=False), 1) if lines[0] != lines[1]]
    if (
        len(old) != len(new)
        or differ != [was[1]]
        or was[0] in (0, was[1])
        or not 0 < now[1] < was[1]
    ):
        return False
    between = new[now[1] : was[1] - 1]
    return not any(re.match(r"\s*(?:def|class|for|while)\b", line) for line in between)


def _further_down(was: Lines, now: Lines, old: str, new: str) -> bool:
    """Whether the same expression failed on a line below the one that was mended."""
    at, failed = was[1] - 1, now[1] - 1
    if at < 0 or failed < 0:
        return False
    for tag, i1, i2, j1, j2 in matcher(old.splitlines(), new.splitlines()).get_opcodes():
        if i1 <= at < i2:
            return failed > (at - i1 + j1 if tag == "equal" else j2 - 1)
    return False


def _called_further_down(was: Lines, now: Lines, old: str, new: str) -> bool:
    """Whether what led to the error is a later line of the snippet now, insertions aside."""
    blocks = matcher(old.splitlines(), new.splitlines()).get_matching_blocks()
    same = {j + k + 1: i + k + 1 for i, j, n in blocks for k in range(n)}
    if now[1] and same.get(now[0], 0) > was[0] > 0:
        return True
    return all(line in same for line in now) and tuple(same[line] for line in now) > was


def matcher(old: list[str], new: list[str]) -> difflib.SequenceMatcher[str]:
    """What two codes have in common, by their lines."""
    # autojunk takes lines that are frequent in a long program for noise, and misses places.
    return difflib.SequenceMatcher(None, old, new, autojunk=False)
