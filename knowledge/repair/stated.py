"""What a snippet's comments say that it prints: `print(x.shape)  # torch.Size([4, 5])`."""

from __future__ import annotations

import re
from collections.abc import Iterator

# At the module's own level: what a function prints, and whether it is called, is another matter.
_PRINTED = re.compile(r"^print\([^#\n]*\)[ \t]*#[ \t]*(.+)$", re.MULTILINE)
_LEAD = re.compile(
    r"(?i)^((expected|correct|the|new|output|result|prints?|shape|value|size|is|of|->|=>|[:=])\s*)*"
)
_NUMBER = r"[-+]?\d+(?:\.\d*)?(?:e[-+]?\d+)?"
_VALUE = re.compile(
    rf"(?:tensor\(|torch\.Size\(|[\[(])[-+\d\s.,e()\[\]]*[\])]|(?:{_NUMBER}|True|False|None)(?![\w.])"
)


def stated(code: str) -> Iterator[str]:
    """Each shape, tensor or number that a comment beside a `print` says comes out."""
    for comment in _PRINTED.findall(code):
        found = _VALUE.match(_LEAD.sub("", comment))
        value = _closed(found[0]) if found is not None else ""
        if value:
            yield value


def stated_shapes(code: str) -> Iterator[str]:
    """Those that are said of a shape: the line prints one, or the comment calls it so."""
    for line in re.findall(r"^print\(.*$", code, re.MULTILINE):
        if re.search(r"\.shape\b|\.size\(|torch\.Size", line):
            yield from (v for v in stated(line) if re.fullmatch(r"\[[\d,]*\]", _plain(v)))


def prints_as_stated(code: str, stdout: str) -> bool | None:
    """Whether all that the comments say is printed, white space aside; None if they say nothing.

    A shape may be written as a list or a tuple, `[4, 5]`, `(4, 5)` or `torch.Size([4, 5])`.
    """
    said = list(stated(code))
    return all(is_printed(value, stdout) for value in said) if said else None


def is_printed(value: str, stdout: str) -> bool:
    """Whether a value stands in what was printed, in one of the ways to write it."""
    return _plain(value) in _plain(stdout)


def _closed(text: str) -> str:
    """The text up to the bracket that closes its first one; empty if none does."""
    depth = 0
    for i, c in enumerate(text):
        depth += (c in "([") - (c in ")]")
        if depth == 0 and c in ")]":
            return text[: i + 1]
    return "" if depth else text


def _plain(text: str) -> str:
    text = re.sub(r"\s+", "", text)
    text = re.sub(r"torch\.Size\((\[[\d,]*\])\)", r"\1", text)
    return re.sub(r"\((\d+(?:,\d+)*),?\)", r"[\1]", text)
