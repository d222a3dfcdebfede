"""Find the versions of torch, Python and CUDA that a person mentions."""

from __future__ import annotations

import re

_NOT_IN_A_PATH = r"(?<![\w./\\-])"
_GAP = r"[ \t'\"|]{0,40}+"  # `pip list` aligns its columns
_LINK = rf"(?:\.__version__)?(?: version| is)?{_GAP}(?:[:=]{{1,2}}|-)?{_GAP}v?"
_RELEASE = r"(\d{1,3}\.\d{1,3}(?:\.\d{1,3})?(?:(?:a|b|rc)\d+)?(?:\.dev\d+)?(?:\+\w+(?:\.\w+)*)?)"
_PYTHON = r"([23]\.\d{1,2}(?:\.\d{1,2})?)"
_CUDA = r"((?:[89]|1\d)\.\d{1,2}|1\d(?![\w.]))"  # `cuda:0` is a device

_PATTERNS = {
    name: re.compile(_NOT_IN_A_PATH + pattern, re.IGNORECASE)
    for name, pattern in {
        "torch": rf"(?:py)?torch{_LINK}{_RELEASE}",
        "python": rf"python{_LINK}{_PYTHON}",
        "cuda": rf"cuda(?: toolkit| runtime| used to build pytorch)?{_LINK}{_CUDA}",
    }.items()
}


# `>>> torch.__version__` and its output, which are not in the prose.
_PRINTED = re.compile(rf"torch\.__version__\)?[ \t\n:=#>]{{0,20}}+['\"]?{_RELEASE}")


def versions_in(prose: str, message: str = "") -> dict[str, str]:
    """The first version mentioned of each: {"torch": "2.0.1+cu118", "python": "3.10"}.

    Args:
        prose: the message without code.
        message: the whole message, in which torch's version may have been printed.
    """
    found = {name: pattern.search(prose) for name, pattern in _PATTERNS.items()}
    found["torch"] = found["torch"] or _PRINTED.search(message)
    return {name: match[1] for name, match in found.items() if match}
