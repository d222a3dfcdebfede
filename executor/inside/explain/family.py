"""Who explains which family of errors: explanations are found by looking in their folder."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from executor.errors import SeenError, families_of
from executor.inside.explain import families

if TYPE_CHECKING:
    from executor.inside.explain.scene import Scene

Told = str | tuple[str, dict[str, Any]] | None
Explain = Callable[["Scene", SeenError], Told]


@dataclass(frozen=True)
class Explainer:
    """What explains some families of errors, or every error of some types."""

    name: str  # of the explanation, in a JobResult
    families: tuple[str, ...]  # ids in the catalogue
    types: tuple[str, ...]
    explain: Explain
    last: bool  # asked only after all others


_all: list[Explainer] = []


def explains(
    name: str, *families: str, types: tuple[str, ...] = (), last: bool = False
) -> Callable[[Explain], Explain]:
    """Register a function that explains errors of these families, or of these types.

    It gets the scene, and what the message says as one of the families. It returns the text (with
    facts, if it has some), or None when the live values add nothing; then the next one is asked.
    """

    def register(explain: Explain) -> Explain:
        _all.append(Explainer(name, families, types, explain, last))
        return explain

    return register


@cache
def known() -> tuple[Explainer, ...]:
    """Every explainer, found by importing the modules of `families` in alphabetical order."""
    for found in pkgutil.iter_modules(families.__path__):
        importlib.import_module(f"{families.__name__}.{found.name}")
    return tuple(sorted(_all, key=lambda e: e.last))


def explainers_for(kind: str, message: str) -> Iterator[tuple[Explainer, SeenError]]:
    """Who may explain an error, each with the message as the family that it explains."""
    seen = {s.id: s for s in families_of(kind, message)}
    for explainer in known():
        for family in explainer.families:
            if family in seen:
                yield explainer, seen[family]
        if kind in explainer.types:
            yield explainer, SeenError("", {})
