"""A size may not be concluded from a model of which a part was left out: `# … conv layers …`."""

import ast
import re
from collections.abc import Iterator

from executor.left_out import LEFT_OUT
from knowledge.repair.check import refusing
from knowledge.repair.checks.code import Change
from knowledge.repair.toolkit.comparison import text

_NUMBER = re.compile(r"\d")


@refusing("left out", "no size depends on code that is not shown")
def check(change: Change) -> Iterator[str]:
    """No number changes in a class that says that something of it is not shown."""
    lines = change.original.splitlines()
    for kind in ast.walk(change.compared.old):
        if not isinstance(kind, ast.ClassDef):
            continue
        span = range(kind.lineno, (kind.end_lineno or kind.lineno) + 1)
        missing = next((n for n in span if LEFT_OUT.search(lines[n - 1])), None)
        if missing is None:
            continue
        for old, new in change.compared.changed:
            if old.lineno in span and _numbers(old) != _numbers(new):
                yield f"line {missing} leaves a part of `{kind.name}` out: its sizes are open"


def _numbers(statement: ast.stmt) -> list[str]:
    """What a statement says about sizes: its expressions that hold a number."""
    parts = (n for n in ast.walk(statement) if isinstance(n, ast.Constant))
    return sorted(word for n in parts if _NUMBER.search(word := text(n)))
