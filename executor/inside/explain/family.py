"""The families of errors: what they look like, who explains them, and how they are found."""

from __future__ import annotations

import importlib
import pkgutil
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from executor.inside.explain import families

if TYPE_CHECKING:
    from executor.inside.explain.scene import Scene

Told = str | tuple[str, dict[str, Any]] | None
Explainer = Callable[["Scene", "re.Match[str]"], Told]


@dataclass(frozen=True)
class Family:
    """One kind of error: a pattern on "Type: message", and the function that explains it."""

    name: str
    pattern: re.Pattern[str]
    explain: Explainer
    last: bool  # asked only after all others


_all: list[Family] = []


def family(name: str, *patterns: str, last: bool = False) -> Callable[[Explainer], Explainer]:
    """Register an explainer for the errors whose "Type: message" one of the patterns is in.

    The explainer gets the scene and the match. It returns the text (with facts, if it has some),
    or None when the live values add nothing; then the next family is asked.
    """

    def register(explain: Explainer) -> Explainer:
        _all.extend(Family(name, re.compile(p, re.S), explain, last) for p in patterns)
        return explain

    return register


@cache
def known() -> tuple[Family, ...]:
    """Every family, found by importing the modules of `families` in alphabetical order."""
    for found in pkgutil.iter_modules(families.__path__):
        importlib.import_module(f"{families.__name__}.{found.name}")
    return tuple(sorted(_all, key=lambda f: f.last))
