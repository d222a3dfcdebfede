"""Checks of what two runs show. Each module here defines `check(tried: Tried) -> Check`."""

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
    """

    original: str
    fixed: str
    before: JobResult
    after: JobResult
    reference: JobResult | None
    wrong: Mistake


def influence(run: JobResult | None) -> Influence:
    """What a run shows about the meaning of its lines; nothing where it could not be looked at."""
    return run.influence if run is not None and run.influence is not None else Influence()


def operations(run: JobResult | None) -> tuple[Operation, ...]:
    """The calls of torch on the snippet's own lines."""
    return influence(run).operations


@cache
def _all() -> tuple[tuple[Callable[[Tried], Check], bool], ...]:
    """Each check, and whether it asks what the lines of the run mean."""
    names = [f"{__name__}.{m.name}" for m in pkgutil.iter_modules(__path__)]
    modules = [importlib.import_module(name) for name in names]
    return tuple((m.check, hasattr(m, "influence") or hasattr(m, "operations")) for m in modules)


def checks_of_runs(tried: Tried) -> list[Check]:
    """What each of them says, in the order of their names.

    Where the candidate's lines could not be looked at, those that ask for that are not tried.
    """
    return [_asked(check, tried, of_lines) for check, of_lines in _all()]


def _asked(check: Callable[[Tried], Check], tried: Tried, of_lines: bool) -> Check:
    found = check(tried).model_copy(update={"routine": True})
    if of_lines and found.passed and tried.after.influence is None:
        detail = "the lines of the run could not be looked at"
        return found.model_copy(update={"tried": False, "detail": detail})
    return found
