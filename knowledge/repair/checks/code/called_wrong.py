"""Where the code calls a part of it wrong, that part is mended, or the place that fails."""

import ast
import re
from collections.abc import Iterator

from knowledge.repair.check import refusing
from knowledge.repair.checks.code import Change
from knowledge.repair.toolkit.comments import commented
from knowledge.repair.toolkit.comparison import statements

_WRONG = r"(?:incorrect|wrong|bad|broken|faulty|buggy|flawed|improper|erroneous|invalid)(?:ly)?"
# At the head of a comment, or in brackets: a label, not a word in a sentence.
_LABEL = re.compile(
    rf"^\W*(?:\w+\W+){{0,2}}?{_WRONG}\b|\((?:\w+\W+)?{_WRONG}\b[^)]*\)|[-–:]\s*{_WRONG}\W*$"
    r"|\b(?:out[- ]of|outside(?: of)?|beyond)[- ](?:the\s+)?(?:\w+\s+)?"
    r"(?:vocab\w*|range|bounds?|limits?|size)\b",
    re.IGNORECASE,
)
_NAMED = re.compile(rf"(?i:(?:^|_){_WRONG}(?:_|$))|^(?i:{_WRONG})(?=[A-Z])")


def calls_wrong(comment: str) -> bool:
    """Whether a comment says of its line that it is wrong."""
    return _LABEL.search(comment) is not None


@refusing("called wrong", "nothing else is fitted to what is called wrong")
def check(change: Change) -> Iterator[str]:
    """An edit somewhere else would make the rest fit what the code itself calls wrong."""
    error = change.result.error
    labelled = set(_called_wrong(change)) if error is not None and error.demonstrated else set()
    if error is not None and labelled:
        failing = {error.line, *(frame.line for frame in change.result.frames)}
        labelled -= _not_run(change, failing)
        labelled -= _further_down(change, failing)
        labelled -= _of_other_classes(change, failing)
    if error is not None and labelled:
        edited = [*(old for old, _ in change.compared.changed), *change.compared.gone]
        touched = {n for s in edited for n in range(s.lineno, (s.end_lineno or s.lineno) + 1)}
        if edited and not touched & (labelled | failing):
            yield f"line {min(labelled)} is called wrong, and another line is changed"


def _not_run(change: Change, failing: set[int | None]) -> set[int]:
    """The lines below the failing ones in their own functions: what they do did not come about."""
    functions = [s for s in statements(change.compared.old) if isinstance(s, ast.FunctionDef)]
    found: set[int] = set()
    for line in failing:
        holding = [f for f in functions if line and f.lineno <= line <= (f.end_lineno or line)]
        if holding and line:
            innermost = max(holding, key=lambda f: f.lineno)
            found |= set(range(line + 1, (innermost.end_lineno or line) + 1))
    return found


def _further_down(change: Change, failing: set[int | None]) -> set[int]:
    """The lines below the module's own statement that failed: nothing had run them yet."""
    body = [(s.lineno, s.end_lineno or s.lineno) for s in change.compared.old.body]
    ran = [end for first, end in body if any(n and first <= n <= end for n in failing)]
    last = change.original.count("\n") + 1
    return set(range(max(ran, default=last) + 1, last + 1))


def _of_other_classes(change: Change, failing: set[int | None]) -> set[int]:
    """The lines of classes that the failure did not pass through, where it did through another."""
    classes = [s for s in statements(change.compared.old) if isinstance(s, ast.ClassDef)]
    lines = [set(range(c.lineno, (c.end_lineno or c.lineno) + 1)) for c in classes]
    through = [own for own in lines if own & failing]
    return set().union(*(own for own in lines if own not in through)) if through else set()


def _called_wrong(change: Change) -> Iterator[int]:
    """The lines that a comment beside them or above their section calls wrong, or a name.

    The error's own words in a comment ("error: index out of range") tell what came, and no more.
    """
    message = change.result.error.message.partition("\n")[0] if change.result.error else ""
    found = commented(change.original)
    comments = {n: said.replace(message, "") if message else said for n, said in found.items()}
    below = False
    for n, line in enumerate(change.original.splitlines(), start=1):
        here = n in comments and _LABEL.search(comments[n]) is not None
        alone = line.lstrip().startswith("#")
        below = bool(line.strip()) and (below or (here and alone))
        if (here or below) and not alone:
            yield n
    for statement in statements(change.compared.old):
        if any(_NAMED.search(name) for name in _made(statement)):
            yield from range(statement.lineno, (statement.end_lineno or statement.lineno) + 1)


def _made(statement: ast.stmt) -> list[str]:
    """The names that a statement gives to something."""
    if isinstance(statement, ast.FunctionDef | ast.ClassDef):
        return [statement.name]
    if isinstance(statement, ast.Assign):
        return [t.id for t in statement.targets if isinstance(t, ast.Name)]
    return []
