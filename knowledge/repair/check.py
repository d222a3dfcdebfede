"""A Check: one thing that must hold before a fix is called verified."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import NamedTuple, ParamSpec

from executor.protocol import Model

P = ParamSpec("P")


class Check(Model):
    """One thing that must hold before a fix is called verified."""

    name: str
    passed: bool
    detail: str = ""
    routine: bool = False  # asked of every fix: that it passed says little about this one
    tried: bool = True  # False: nothing here could be tried, so that it passed says nothing

    @classmethod
    def of(cls, name: str, passed: object, detail: str, otherwise: str) -> Check:
        """A check with what is said where it holds, and where it does not."""
        return cls(name=name, passed=bool(passed), detail=detail if passed else otherwise)


class Passes(NamedTuple):
    """What a `refusing` function yields where the check holds for a reason of its own."""

    detail: str
    tried: bool = True


Said = Iterable[str | Passes]


def refusing(name: str, otherwise: str) -> Callable[[Callable[P, Said]], Callable[P, Check]]:
    """Make a check of a function that yields what is wrong; the first of it is told.

    Args:
        name: the check's.
        otherwise: what is told where nothing is wrong.
    """

    def made(wrong: Callable[P, Said]) -> Callable[P, Check]:
        @wraps(wrong)
        def check(*args: P.args, **kwargs: P.kwargs) -> Check:
            why = next(iter(wrong(*args, **kwargs)), Passes(otherwise))
            if isinstance(why, str):
                return Check(name=name, passed=False, detail=why)
            return Check(name=name, passed=True, detail=why.detail, tried=why.tried)

        return check

    return made


def tally(checks: Sequence[Check]) -> str:
    """How many checks a fix passed, in words; those that could not be tried are counted apart."""
    tried = [c for c in checks if c.tried]
    passed = sum(c.passed for c in tried)
    said = "1 check" if passed == 1 else f"{passed} checks"
    if passed < len(tried):
        said = f"{passed} of {len(tried)} checks"
    untried = len(checks) - len(tried)
    return f"{said}, {untried} could not be tried here" if untried else said
