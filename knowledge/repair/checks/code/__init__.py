"""Checks of what was rewritten. Each module here defines `check(change: Change) -> Check`.

They read syntax trees of a stranger's code: in the jail only.
"""

import ast
import importlib
import pkgutil
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from executor.protocol import JobResult
from knowledge.repair.check import Check
from knowledge.repair.toolkit.comparison import Comparison, compare


@dataclass(frozen=True)
class Change:
    """A rewrite that nobody has run yet.

    Args:
        original: the code that it was made from.
        fixed: the rewrite.
        result: what the original's run showed.
        asked: the person's own words.
        title: what was done, in words.
        intent: what the person then means, where the code leaves that open.
    """

    original: str
    fixed: str
    result: JobResult
    asked: str = ""
    title: str = ""
    intent: str = ""

    @property
    def said(self) -> str:
        """What a person is told of it."""
        return f"{self.title}; {self.intent}"

    @property
    def compared(self) -> Comparison:
        """The two codes side by side."""
        return compare(self.original, self.fixed)


@cache
def _all() -> tuple[Callable[[Change], Check], ...]:
    names = [f"{__name__}.{m.name}" for m in pkgutil.iter_modules(__path__)]
    return tuple(importlib.import_module(name).check for name in names)


def checks_of_code(change: Change) -> list[Check]:
    """What each of them says, in the order of their names; of what is no Python only that."""
    try:
        ast.parse(change.fixed)
    except SyntaxError as e:
        return [Check(name="syntax", passed=False, detail=f"line {e.lineno}: {e.msg}")]
    return [check(change).model_copy(update={"routine": True}) for check in _all()]
