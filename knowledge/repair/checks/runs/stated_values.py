"""A tensor that a comment says is printed is printed: `print(y)  # tensor([2, 2, 2])`."""

import re
from collections.abc import Iterator

from knowledge.repair.check import refusing
from knowledge.repair.checks.runs import Tried
from knowledge.repair.stated import is_printed, stated_lists

# What gives other values each time, or on another machine.
_OPEN = re.compile(
    r"rand|dropout|shuffle|normal_|uniform_|init\.|seed|nn\.[A-Z]\w+\(|time|load|e\.g"
)


@refusing("stated values", "values are as the comments say")
def check(tried: Tried) -> Iterator[str]:
    """Whole numbers that comments state beside a print are printed, where nothing is left open."""
    if not _OPEN.search(tried.original):
        known, after = tried.before.stdout, tried.after.stdout
        for value in stated_lists(tried.original):
            if not any(is_printed(_bare(value), _bare(text)) for text in (after, known)):
                yield f"a comment says that {value[:60]} is printed, and it is not"


def _bare(text: str) -> str:
    """The numbers in their brackets: a list of tensors may be printed as lists, and the reverse."""
    return re.sub(r"tensor\((\[[^()]*\])(?:, dtype=[\w.]+)?\)", r"\1", text)
