"""Class indices stay class indices: a loss takes floats of a target's shape for probabilities."""

import ast
import re
from collections.abc import Iterator

from executor.protocol import Variable
from knowledge.repair.check import refusing
from knowledge.repair.checks.code import Change
from knowledge.repair.toolkit.comparison import Replaced, called, names, statements, text
from knowledge.repair.toolkit.dataflow import INTEGERS, values_of
from knowledge.repair.toolkit.sites import variables

_TO_FLOATS = frozenset({"float", "double", "half", "FloatTensor"})
_FLOAT = re.compile(r"^(torch\.)?(float\w*|double|half)$")
_LOSS = re.compile(r"cross_?entropy|nll|multi_?margin|bce", re.IGNORECASE)
_BINARY = re.compile(r"binary|bce", re.IGNORECASE)
_RANDOM = re.compile(r"\brandint\((?:low=)?(?:0, *)?(?:high=)?(\w+)")
_INDICES = re.compile(r"\bargmax\(|\brandint\(|\barange\(|\bLongTensor\(")
_PROBABILITIES = re.compile(
    r"one_?hot|probab|\bprobs?\b|soft_?(label|target)|distribution|smooth|\bscatter_?\(|\beye\(",
    re.IGNORECASE,
)


@refusing("classes", "class indices stay class indices")
def check(change: Change) -> Iterator[str]:
    """No target of class indices becomes floats, unless the code says that it is probabilities."""
    live = variables(change.result)
    for part in change.compared.replaced:
        value = _made_floats(part)
        if value is None:
            continue
        for loss in _losses_of(value, part, change.compared.new):
            made = " ".join([text(value), *_made(names(value), change.compared.old)])
            if _are_indices(value, made, live, loss) and not _PROBABILITIES.search(made):
                yield f"line {part.line} makes floats of class indices: `{text(value)[:60]}`"


def _made_floats(part: Replaced) -> ast.expr | None:
    """The value that a change makes floats of; None where it does no such thing."""
    if part.keyword == "dtype" and _FLOAT.match(text(part.new)):
        call = part.within[-1]
        return call if isinstance(call, ast.Call) else None
    function = part.new.func if isinstance(part.new, ast.Call) else None
    if not isinstance(part.new, ast.Call) or not isinstance(function, ast.Attribute):
        return None
    casts = called(part.new) in ("to", "type") and any(_FLOAT.match(text(a)) for a in part.new.args)
    return function.value if casts or called(part.new) in _TO_FLOATS else None


def _losses_of(value: ast.expr, part: Replaced, tree: ast.Module) -> Iterator[str]:
    """The classification losses of the rewrite that take a value, or what is made of it."""
    mine = names(value)
    for node in part.within:
        if isinstance(node, ast.Assign):
            mine |= {n for t in node.targets for n in names(t)}
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        loss = " ".join([text(node.func), *_made({text(node.func)}, tree)])
        given = [*node.args[1:2], *(k.value for k in node.keywords if k.arg == "target")]
        if _LOSS.search(loss) and any(names(g) & mine or _holds(g, part.new) for g in given):
            yield loss


def _holds(given: ast.expr, wanted: ast.expr | None) -> bool:
    return any(node is wanted for node in ast.walk(given))


def _made(wanted: set[str], tree: ast.Module) -> Iterator[str]:
    """The code of what is assigned to some names."""
    for statement in statements(tree):
        if isinstance(statement, ast.Assign) and wanted & {text(t) for t in statement.targets}:
            yield text(statement.value)


def _are_indices(value: ast.expr, made: str, live: dict[str, Variable], loss: str) -> bool:
    """Whether it holds class indices; a binary loss wants the floats of 0 and 1."""
    facts = live.get(value.id) if isinstance(value, ast.Name) else None
    if facts is not None and (facts.dtype not in INTEGERS or _is_one_hot(facts)):
        return False
    if _BINARY.search(loss):
        numbers = values_of(facts)
        drawn = _RANDOM.search(made)
        return max(numbers) > 1 if numbers else drawn is not None and drawn[1] not in ("1", "2")
    return facts is not None or _INDICES.search(made) is not None


def _is_one_hot(facts: Variable) -> bool:
    """Whether every row is made of zeros and one 1."""
    numbers, shape = values_of(facts), facts.shape or ()
    if not numbers or len(shape) < 2:
        return False
    rows = [numbers[i : i + shape[-1]] for i in range(0, len(numbers), shape[-1])]
    return all(sorted(row)[-1] == sum(row) == 1 and min(row) == 0 for row in rows)
