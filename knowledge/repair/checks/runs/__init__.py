"""Checks of what two runs show. Each module here defines `check(tried: Tried) -> Check`."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from executor.protocol import Influence, JobResult, Operation
from knowledge.repair.check import Check
from knowledge.repair.mistake import Mistake


@dataclass(frozen=True)
class Tried:
    """A candidate that was run, and what it is compared with.

    Args:
        original: the snippet.
        fixed: the candidate.
        before: the snippet's run.
        after: the candidate's run, with its gradients and its influence, under the same seed.
        reference: the snippet's run with gradients and influence, if it could be made.
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


def influence(run: JobResult | None) -> Influence:
    """What a run shows about the meaning of its lines; nothing where it could not be looked at."""
    return run.influence if run is not None and run.influence is not None else Influence()


def operations(run: JobResult | None) -> tuple[Operation, ...]:
    """The calls of torch on the snippet's own lines."""
    return influence(run).operations


@cache
def _all() -> tuple[Callable[[Tried], Check], ...]:
    names = [f"{__name__}.{m.name}" for m in pkgutil.iter_modules(__path__)]
    return tuple(importlib.import_module(name).check for name in names)


def checks_of_runs(tried: Tried) -> list[Check]:
    """What each of them says, in the order of their names."""
    return [check(tried).model_copy(update={"routine": True}) for check in _all()]
