"""Checks of what two runs show. Each module here defines `check(tried: Tried) -> Check`."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from executor.protocol import JobResult
from knowledge.repair.check import Check
from knowledge.repair.mistake import Mistake


@dataclass(frozen=True)
class Tried:
    """A candidate that was run, and what it is compared with.

    Args:
        original: the snippet.
        fixed: the candidate.
        before: the snippet's run.
        after: the candidate's run, with its gradients, under the same seed.
        reference: the snippet's run with gradients, if it could be made.
        wrong: what the snippet's run shows to be wrong.
        asked: the person's own words.
    """

    original: str
    fixed: str
    before: JobResult
    after: JobResult
    reference: JobResult | None
    wrong: Mistake
    asked: str = ""


@cache
def _all() -> tuple[Callable[[Tried], Check], ...]:
    names = [f"{__name__}.{m.name}" for m in pkgutil.iter_modules(__path__)]
    return tuple(importlib.import_module(name).check for name in names)


def checks_of_runs(tried: Tried) -> list[Check]:
    """What each of them says, in the order of their names."""
    return [check(tried) for check in _all()]
