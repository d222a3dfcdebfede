"""A wrong step is left out, and not undone by its opposite right behind it."""

import ast
from collections.abc import Iterator

from knowledge.repair.check import refusing
from knowledge.repair.checks.code import Change
from knowledge.repair.toolkit.comparison import Replaced, called, statements, text

_TURNS = frozenset({"transpose", "t", "T", "mT", "permute", "swapaxes", "swapdims"})
_OPPOSITES = {
    "squeeze": frozenset({"unsqueeze"}),
    "unsqueeze": frozenset({"squeeze"}),
    **dict.fromkeys(_TURNS, _TURNS),
}


@refusing("undoing", "no step is undone by the next one")
def check(change: Change) -> Iterator[str]:
    """No change only takes back what the line above, or the expression itself, has just done."""
    for part in change.compared.replaced:
        added, inner = _added(part)
        step = _last_step(inner, part, change) if inner is not None else ""
        if step in _OPPOSITES.get(added, ()):
            yield f"line {part.line} takes back with `{added}` what `{step}` has just done"


def _added(part: Replaced) -> tuple[str, ast.expr | None]:
    """The step that a change puts behind an expression, and that expression: `x` of `x.t()`."""
    if part.old is None or part.new is None:
        return "", None
    name, inner = _step(part.new)
    same = inner is not None and text(inner) == text(part.old)
    return (name, part.old) if same else ("", None)


def _step(value: ast.expr) -> tuple[str, ast.expr | None]:
    """The last method or property of an expression, and what it is taken of."""
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute):
        return called(value), value.func.value
    if isinstance(value, ast.Attribute):
        return value.attr, value.value
    return "", None


def _last_step(value: ast.expr, part: Replaced, change: Change) -> str:
    """The step that made a value: its own last one, or that of the assignment right above."""
    if not isinstance(value, ast.Name):
        return _step(value)[0]
    here = next((n for n in part.within if isinstance(n, ast.stmt)), None)
    above: ast.stmt | None = None
    for statement in statements(change.compared.old):
        if statement is here:
            break
        above = statement
    made = isinstance(above, ast.Assign) and [text(t) for t in above.targets] == [value.id]
    return _step(above.value)[0] if made and isinstance(above, ast.Assign) else ""
