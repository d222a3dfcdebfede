"""Find what a document says the optimizer changes, or never does."""

from __future__ import annotations

import re
from collections.abc import Iterator

from knowledge.audit.model import Claim, ClaimKind
from knowledge.audit.wording import HEDGED, NO_ERROR

_UPDATES = re.compile(
    r"\b(?:optimi[sz]er|optimi[sz]ation|training|step)\b[^.]{0,40}\b(?:updates?|"
    r"adjusts?|changes|learns)\b (it|`[\w.]+`)",
    re.I,
)
_STILL = re.compile(
    r"`([\w.]+)`[^.]{0,30}\b(?:will not be|is not|is never|never|won['’]t be)"
    r" (?:updated|trained|optimi[sz]ed|learned)",
    re.I,
)


def training(told: tuple[str, ...]) -> Iterator[Claim]:
    """The optimizer updates `alpha`; `alpha` is never updated."""
    for sentence in told:
        if HEDGED.search(sentence):
            continue
        named = re.findall(r"`([\w.]+)`", sentence)
        if match := _UPDATES.search(sentence):
            name = match[1].strip("`") if match[1] != "it" else (named[-1] if named else "")
            if name and not NO_ERROR.search(sentence):
                yield Claim(kind=ClaimKind.TRAINS, text=sentence, name=name.rpartition(".")[2])
        elif match := _STILL.search(sentence):
            yield Claim(
                kind=ClaimKind.NEVER_TRAINS,
                text=sentence,
                name=match[1].rpartition(".")[2],
                pointed=False,
            )
