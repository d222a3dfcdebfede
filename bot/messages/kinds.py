"""Tell what is no program from one: diffs, and pictures that did not come along."""

from __future__ import annotations

import re
from collections.abc import Sequence

_HUNK = re.compile(r"@@ -\d+(?:,\d+)? \+\d+(?:,\d+)? @@|diff --git |(?:---|\+\+\+) [ab]/")
_PICTURE = re.compile(
    r"!\[[^\]\n]{0,200}\]\(|<img\s|\bscreen ?shots?\b|\bscreen ?captures?\b"
    r"|\b(?:image|picture|photo)s? (?:below|above|attached)\b|截图",
    re.IGNORECASE,
)


def is_diff(lines: Sequence[str], tag: str) -> bool:
    """Whether a fence holds changes to a file."""
    return tag in ("diff", "patch") or any(_HUNK.match(line) for line in lines)


def mentions_picture(message: str) -> bool:
    """Whether a message shows or speaks of a picture, which it does not hold as text."""
    return bool(_PICTURE.search(message))
