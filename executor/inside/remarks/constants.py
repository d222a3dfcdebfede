"""Find terms of a loss that have no graph: they change its value and train nothing."""

from __future__ import annotations

import ast
import re

from executor.inside.remarks.edits import Told, put, way
from executor.inside.remarks.syntax import (
    Found,
    assigned,
    dotted,
    factors,
    functions,
    grown,
    inside,
    is_without,
    method_calls,
    tail,
    terms,
    trained_losses,
    trained_names,
    walk,
    without_gradients,
    words,
)


def term_without_graph(tree: ast.Module) -> Found:
    """`loss = mse + 0.01 * sum(p.data.abs().sum() for p in model.parameters())`."""
    names, own = trained_names(tree), functions(tree)
    for scope in (tree, *own.values()):
        below = set(inside(scope))
        cut = _made_without(scope)
        backs = [c.lineno for c in method_calls(tree, "backward") if c in below]
        sums = [(n, v) for n, name, v in trained_losses(tree) if n in below and name]
        sums += [
            (n, v) for name, v, n in grown(below)
            if name in names and any(n.lineno < line for line in backs)
        ]  # fmt: skip
        without = without_gradients(scope)
        for node, value in ((n, v) for n, v in sums if n not in without):
            parts = [t for _, t in terms(value)]
            if len(parts) < 2 and not isinstance(node, ast.AugAssign):
                continue
            for term in parts:
                found = _without_graph(term, scope, cut, own)
                if found is None:
                    continue
                place, how = found
                inner = place.func if isinstance(place, ast.Call) else place
                held = inner.value if isinstance(inner, ast.Attribute) else None
                yield Told(
                    "term_without_graph",
                    term,
                    f"`{ast.unparse(term)}` has no graph ({how}): it makes the loss larger and "
                    "has no gradient, so that nothing is trained by it",
                    (way("the term has a gradient", put(place, held)),) if held is not None else (),
                )
                return


def _made_without(scope: ast.AST) -> set[str]:
    """The variables that are assigned once, in a block without gradients."""
    given = [name for _, name, _ in assigned(scope)]
    without = without_gradients(scope)
    return {n for node, n, _ in assigned(scope) if node in without and given.count(n) == 1}


def _without_graph(
    term: ast.expr, scope: ast.AST, cut: set[str], own: dict[str, ast.FunctionDef]
) -> tuple[ast.expr, str] | None:
    """The place that cuts a term off, and in which words, where nothing else in it has a graph."""
    found = None
    for part in factors(term):
        given = [v for _, name, v in assigned(scope) if name and name == dotted(part)]
        value = given[0] if len(given) == 1 else part
        place = part if dotted(part) in cut else _cut(value) or _cut_within(value, own)
        place = place or _cut_each(dotted(part), given, scope)
        if place is None and not _is_number(part, given):
            return None
        found = found if place is None else (place, _how(place))
    return found


def _how(place: ast.expr) -> str:
    if isinstance(place, ast.Call) and _cuts(place):
        told = f"`.{tail(place)}()`" if isinstance(place.func, ast.Attribute) else "`float(…)`"
        return f"{told} cuts it off"
    cuts = isinstance(place, ast.Attribute) and place.attr == "data"
    return "`.data` cuts it off" if cuts else "it is computed under no_grad"


def _cut(value: ast.expr) -> ast.expr | None:
    """`x.item()` as a whole, or `p.data` of each parameter in a sum."""
    if _cuts(value):
        through = any(isinstance(n, ast.Sub) for n in walk(value))  # straight through
        return None if through else value
    match value:
        case ast.Call(args=[ast.GeneratorExp() | ast.ListComp() as each]) if tail(value) == "sum":
            if "parameters" in words(each.generators[0].iter):
                return next((n for n in walk(each.elt) if _cuts(n)), None)  # type: ignore[return-value]
    return None


def _cut_within(value: ast.expr, own: dict[str, ast.FunctionDef]) -> ast.expr | None:
    """Where a function adds up what it returns, and cuts off all of it: `total += p.data.abs()`."""
    function = own.get(tail(value)) if isinstance(value, ast.Call) else None
    if function is None:
        return None
    values = [n.value for n in inside(function) if isinstance(n, ast.Return) and n.value]
    without = without_gradients(function)
    if values and (
        any(map(is_without, function.decorator_list)) or all(v in without for v in values)
    ):
        return value
    if len(values) == 1 and (cut := _cut(values[0])) is not None:
        return cut
    returned = [dotted(v) for v in values]
    added = [(v, n) for name, v, n in grown(inside(function)) if [name] == returned]
    statements = {n for _, n in added}
    begun = [v for n, name, v in assigned(function) if [name] == returned and n not in statements]
    if not added or not begun or not all(map(_is_nothing, begun)):
        return None
    cuts = [next((n for n in walk(v) if _cuts(n)), None) for v, _ in added]
    return cuts[0] if all(cuts) and isinstance(cuts[0], ast.expr) else None


def _cut_each(name: str, given: list[ast.expr], scope: ast.AST) -> ast.expr | None:
    """Where what is added up from nothing is cut off, each time: `reg += p.norm().item()`."""
    added = [v for n, v, _ in grown(inside(scope)) if n == name != ""]
    begun = [v for v in given if name not in words(v)]
    if not added or not begun or not all(map(_is_nothing, begun)):
        return None
    cuts = [next((n for n in walk(v) if _cuts(n)), None) for v in added if _is_cut_off(v)]
    whole = len(cuts) == len(added) and all(cuts)
    return cuts[0] if whole and isinstance(cuts[0], ast.expr) else None


def _is_cut_off(value: ast.expr) -> bool:
    """Whether nothing in it is left with a graph: `(p - p.data) ** 2` has one of `p`."""
    cut = {m for n in walk(value) if _cuts(n) for m in walk(n)}
    names = {n.id for n in walk(value) if isinstance(n, ast.Name) and n not in cut}
    return all(name in ("torch", "F", "np") or _FACTOR.search(name) for name in names)


def _is_nothing(value: ast.expr) -> bool:
    """`0`, `0.0`, `torch.zeros(1)`, `torch.tensor(0.)`."""
    zero = isinstance(value, ast.Call) and tail(value) in ("zeros", "tensor")
    return zero or isinstance(value, ast.Constant)


_FACTOR = re.compile(r"(?i)lam|alpha|beta|coef|weight_?decay|^wd$|^l[12]_?|strength|^reg_")


def _is_number(part: ast.expr, given: list[ast.expr]) -> bool:
    constants = bool(given) and all(isinstance(v, ast.Constant) for v in given)
    named = _FACTOR.search(dotted(part).rpartition(".")[2]) is not None and not given
    return isinstance(part, ast.Constant) or constants or named


def _cuts(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        as_number = isinstance(node.func, ast.Name) and node.func.id == "float"
        is_method = tail(node) in ("item", "detach") and not node.args
        return is_method or (as_number and not all(isinstance(a, ast.Constant) for a in node.args))
    return isinstance(node, ast.Attribute) and node.attr == "data"


RULES = (term_without_graph,)
