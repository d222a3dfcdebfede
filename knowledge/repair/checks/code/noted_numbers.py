"""A number that a line's own comment repeats stays in the line: `32)  # 32 is the right batch`."""

import ast
import re
from collections.abc import Iterator

from knowledge.repair.check import refusing
from knowledge.repair.checks.code import Change
from knowledge.repair.toolkit.comments import (
    OF_A_MISTAKE,
    OF_A_SUM,
    OF_AN_ASSUMPTION,
    about,
    commented,
)
from knowledge.repair.toolkit.comparison import expressions

_LEAST = 2  # everybody writes 0 and 1
_NUMBER = re.compile(r"(?:(?<=\dx)|(?<![\w.]))\d{1,9}(?!\.?\d)(?=x\d|\b)")  # both of "7x7"


@refusing("noted numbers", "every number that a comment names is still there")
def check(change: Change) -> Iterator[str]:
    """No whole number goes from a statement whose comment, beside it or above, names it."""
    comments = commented(change.original)
    for old, new in change.compared.changed:
        beside = about(old, comments, change.original)
        open_ = [OF_A_MISTAKE, OF_AN_ASSUMPTION, *[OF_A_SUM] * _makes_a_linear(old)]
        said = " ".join(text for text in beside if not any(p.search(text) for p in open_))
        noted = {int(n) for n in _NUMBER.findall(said)}
        for n in sorted((_numbers(old) - _numbers(new)) & noted):
            yield f"line {old.lineno} loses the {n} that its comment names"


def _makes_a_linear(statement: ast.stmt) -> bool:
    """Whether it makes a layer whose size is worked out from the layers before it."""
    calls = (node.func for node in expressions(statement) if isinstance(node, ast.Call))
    return any(ast.unparse(function).endswith("Linear") for function in calls)


def _numbers(statement: ast.stmt) -> set[int]:
    return {
        node.value
        for node in expressions(statement)
        if isinstance(node, ast.Constant) and type(node.value) is int and node.value >= _LEAST
    }
