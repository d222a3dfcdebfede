"""What is computed with must stay: not `f(y, y)` for `f(x, y)`, no other tensor, no constant."""

import ast
from collections.abc import Iterator, Sequence

from knowledge.repair.check import refusing
from knowledge.repair.checks.code import Change
from knowledge.repair.toolkit.comparison import Replaced, called, same_code, text
from knowledge.repair.toolkit.sites import variables

_DATA = frozenset({"Tensor", "Parameter", "ndarray"})
_NUMBERS = frozenset({"int", "float", "bool", "str", "Size", "tuple", "dtype", "device"})

_CODE = frozenset({"module", "function", "type", "builtin_function_or_method", "method"})


@refusing("operands", "it computes with the same values")
def check(change: Change) -> Iterator[str]:
    """Two roles that two values had are not played by one, none by another tensor or a constant."""
    live = {n: v.type for n, v in variables(change.result).items()}
    for part in change.compared.replaced:
        if _is_computed_again(part, change.compared.old) or _is_joined(part, change.compared.old):
            continue
        for detail in (*_two_roles(part, live), *_another(part, live), *_constant(part, live)):
            yield f"line {part.line}: {detail}"


def _is_computed_again(part: Replaced, old: ast.Module) -> bool:
    """Whether a call stands for the one variable that held its result: `D(fake)` for `out`."""
    if not isinstance(part.old, ast.Name) or not isinstance(part.new, ast.Call):
        return False
    bound = [n for n in ast.walk(old) if isinstance(n, ast.Assign)
             and any(part.old.id in _variables(t) for t in n.targets)]  # fmt: skip
    return len(bound) == 1 and same_code(bound[0].value, part.new)


def _is_joined(part: Replaced, old: ast.Module) -> bool:
    """Whether what was cut from a variable stands for it, joined again: `cat([x, t], 1)`."""
    whole, cut = text(part.old), set()
    for node in ast.walk(old):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Subscript):
            cut |= {text(t) for t in node.targets if text(node.value.value) == whole}
    joined = part.new.args[0] if isinstance(part.new, ast.Call) and part.new.args else None
    return bool(cut) and called(part.new or old) == "cat" and _variables(joined) <= cut


def _two_roles(part: Replaced, live: dict[str, str]) -> Iterator[str]:
    """`TensorDataset(target, target)`, `loss(out, out)`, `y == y`."""
    if part.new is None or part.old is None or not part.within:
        return
    before, after = _given(part.within[-1]), _given(part.within_new[-1])
    if len(before) != len(after) or _is_size(part.new, live):
        return
    if called(part.within[-1])[:1].isupper() and not called(part.within[-1]).endswith("Dataset"):
        return  # `nn.Linear(hidden, hidden)` is a layer as good as any
    others = [(a, b) for a, b in zip(before, after, strict=True) if b is not part.new]
    for was, now in others:
        if same_code(now, part.new) and not same_code(was, part.old):
            yield f"`{text(part.new)}` now stands for `{text(part.old)}` too"


def _given(node: ast.AST) -> Sequence[ast.expr]:
    if isinstance(node, ast.Call):
        return (*node.args, *(k.value for k in node.keywords))
    if isinstance(node, ast.BinOp):
        return (node.left, node.right)
    if isinstance(node, ast.Compare):
        return (node.left, *node.comparators)
    return ()


def _is_size(value: ast.expr, live: dict[str, str]) -> bool:
    """Whether a value may well be a number: then two that are equal are no surprise."""
    found = _variables(value)
    return not found or any(live.get(n) in _NUMBERS for n in found)


def _another(part: Replaced, live: dict[str, str]) -> Iterator[str]:
    """`criterion(outputs, targets)` that became `criterion(outputs, inputs)`."""
    was = {n for n in _variables(part.old) if live.get(n) in _DATA}
    now = {n for n in _variables(part.new) if live.get(n) in _DATA}
    if not was or not now or was & now:
        return
    if part.within and _variables(part.within[-1]) == _variables(part.within_new[-1]):
        return  # they changed places
    yield f"`{text(part.new)}` stands where `{text(part.old)}` stood"


def _constant(part: Replaced, live: dict[str, str]) -> Iterator[str]:
    """`prices[name]` that became `2.0`; an integer may be a size, which another check reads."""
    if part.new is None or type(getattr(part.new, "value", None)) is int:
        return
    if any(isinstance(n, (ast.Name, ast.Lambda, ast.JoinedStr)) for n in ast.walk(part.new)):
        return
    if _is_none(part.new) and _is_reset(part.old):
        return
    given = _texts(part.within[-1]) if part.within else []
    if given and given == _texts(part.within_new[-1]):
        return  # they changed places
    if any(live.get(n, "int") not in _NUMBERS | _CODE for n in _variables(part.old)):
        yield f"the constant `{text(part.new)}` stands where `{text(part.old)}` was computed"


def _texts(node: ast.AST) -> list[str]:
    return sorted(text(value) for value in _given(node))


def _is_none(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and node.value is None


def _is_reset(node: ast.AST | None) -> bool:
    """Whether it is `w.grad.zero_()`: a gradient of None starts at nothing too."""
    match node:
        case ast.Call(func=ast.Attribute(attr="zero_", value=ast.Attribute(attr="grad"))):
            return True
    return False


def _variables(node: ast.AST | None) -> set[str]:
    return {n.id for n in ast.walk(node) if isinstance(n, ast.Name)} if node is not None else set()
