"""Decide whether an error comes from a placeholder, and which names are computed from one.

An error caused by a placeholder must never be reported as the asker's. In doubt it is the
placeholder's.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from executor.errors import is_a
from executor.inside.placeholders.program import SAME, arguments, last_name
from executor.protocol import ErrorSeen, Finding

_CALLED_WRONGLY = ("unexpected_keyword", "missing_arguments")  # error families
_OF_WHAT_IS_GIVEN = "state_dict_type"  # whatever it is given to

_Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)


def dependents(tree: ast.Module, sources: Iterable[str]) -> frozenset[str]:
    """Find the names and attributes that may be computed from the sources.

    Identifiers are compared without their scopes: rather a name too many than one too few.
    """
    tainted = set(sources)
    functions = [n for n in ast.walk(tree) if isinstance(n, _FUNCTIONS)]
    classes = {n.name: n for n in ast.walk(tree) if isinstance(n, ast.ClassDef)}
    called = {id(n.func) for n in ast.walk(tree) if isinstance(n, ast.Call)}
    handed = {n.id for n in ast.walk(tree) if isinstance(n, ast.Name) and id(n) not in called}
    # What a call may reach that names none of them: forward(), hooks, map(f, …), lambdas.
    unnamed = [f for f in functions if isinstance(f, ast.Lambda) or _is_unnamed(f.name, handed)]
    while True:
        before = len(tainted)
        for node in ast.walk(tree):
            _spread(node, tainted)
            if isinstance(node, ast.Call) and any(
                touches(a, tainted) for a in (*node.args, *(k.value for k in node.keywords))
            ):
                tainted |= _parameters(node, functions, unnamed, classes)
                if isinstance(node.func, ast.Attribute):  # losses.append(loss)
                    tainted |= set(_stored(node.func.value))
        for function in functions:
            defaults = [d for d in (*function.args.defaults, *function.args.kw_defaults) if d]
            if any(touches(d, tainted) for d in defaults):
                tainted |= {a.arg for a in arguments(function)}
            if not isinstance(function, ast.Lambda) and any(
                isinstance(n, (ast.Return, ast.Yield))
                and n.value is not None
                and touches(n.value, tainted)
                for n in ast.walk(function)
            ):
                tainted.add(function.name)
        tainted -= {"self", "torch", "nn", "F", "np"}
        if len(tainted) == before:
            return frozenset(tainted)


def _is_unnamed(name: str, handed: set[str]) -> bool:
    special = name.startswith("__") and name != "__init__"
    return special or name == "forward" or name in handed


def _spread(node: ast.AST, tainted: set[str]) -> None:
    if isinstance(node, ast.Assign) and touches(node.value, tainted):
        for target in node.targets:
            tainted |= set(_stored(target))
    elif isinstance(node, (ast.AugAssign, ast.AnnAssign, ast.NamedExpr)):
        if node.value is not None and touches(node.value, tainted):
            tainted |= set(_stored(node.target))
    elif isinstance(node, (ast.For, ast.AsyncFor, ast.comprehension)):
        if touches(node.iter, tainted):
            tainted |= set(_stored(node.target))
    elif (
        isinstance(node, ast.withitem)
        and node.optional_vars is not None
        and touches(node.context_expr, tainted)
    ):
        tainted |= set(_stored(node.optional_vars))


def touches(node: ast.AST, tainted: AbstractSet[str]) -> bool:
    """Whether an expression names one of them."""
    return any(
        (isinstance(n, ast.Name) and n.id in tainted)
        or (isinstance(n, ast.Attribute) and n.attr in tainted)
        for n in ast.walk(node)
    )


def _stored(target: ast.AST) -> Iterator[str]:
    if isinstance(target, ast.Name):
        yield target.id
    elif isinstance(target, ast.Attribute):
        yield target.attr
    elif isinstance(target, (ast.Subscript, ast.Starred)):
        yield from _stored(target.value)
    elif isinstance(target, (ast.Tuple, ast.List)):
        for element in target.elts:
            yield from _stored(element)


def _parameters(
    call: ast.Call,
    functions: Sequence[_Function],
    unnamed: Sequence[_Function],
    classes: Mapping[str, ast.ClassDef],
) -> set[str]:
    """The parameters that may receive a call's arguments."""
    name = last_name(call.func)
    if isinstance(call.func, ast.Name) and name in classes:
        body = classes[name].body
        inits = [n for n in body if isinstance(n, ast.FunctionDef) and n.name == "__init__"]
        fields = {
            n.target.id
            for n in body
            if isinstance(n, ast.AnnAssign) and isinstance(n.target, ast.Name)
        }
        return fields | {a.arg for n in inits for a in arguments(n)}
    named = [f for f in functions if not isinstance(f, ast.Lambda) and f.name == name]
    return {a.arg for f in named or unnamed for a in arguments(f)}


class Blame:
    """Decides for the errors of one run whether a placeholder caused them."""

    def __init__(
        self,
        tree: ast.Module,
        placeholders: Iterable[str],
        harmless: Iterable[str],
        source_of: Callable[[object], str],
        trains: bool,
    ) -> None:
        """Prepare for one snippet.

        Args:
            tree: its syntax tree.
            placeholders: the names that have one.
            harmless: those of them whose value cannot cause an error (the device).
            source_of: object → the placeholder that is it or returned it; empty if none.
            trains: a placeholder is the optimizer, so it decides what is trained.
        """
        self._names = frozenset(placeholders) - frozenset(harmless)
        self._source_of = source_of
        self._tree = tree
        self._trains = trains
        self._dependents = dependents(tree, self._names)

    def at_fault(self, error: BaseException, seen: ErrorSeen, scope: Mapping[str, object]) -> str:
        """The name of the placeholder that caused an error; empty if none did.

        Args:
            scope: the failing frame's variables.
        """
        if source := self._source_of(getattr(error, "obj", None)):
            return source
        if type(error).__name__ == "PlaceholderError":
            return next(iter(sorted(self._names)), "a placeholder")
        expression = self._expression(seen)
        if expression is None:
            return next(iter(sorted(self._names)), "")
        if isinstance(error, TypeError) and is_a(seen, *_CALLED_WRONGLY):
            expression = expression.func if isinstance(expression, ast.Call) else expression
        elif isinstance(expression, ast.Call) and is_a(seen, _OF_WHAT_IS_GIVEN):
            given = [*expression.args, *(k.value for k in expression.keywords)]
            expression = ast.Tuple(given, ast.Load())
        elif isinstance(expression, ast.Call) and self._failed_further_in(error):
            expression = expression.func
        if isinstance(error, AttributeError) and isinstance(expression, ast.Attribute):
            # Of `f(model).missing` only the result of f counts, and `source_of` was asked about it.
            return (
                ""
                if not isinstance(expression.value, ast.Name)
                else self._named(expression.value, scope)
            )
        for node in self._operands(expression):
            if source := self._named(node, scope):
                return source
        return ""

    def _operands(self, expression: ast.AST, *, inside: bool = False) -> Iterator[ast.Name]:
        """The names whose objects the failing operation itself works on.

        In `loss_of(h, y).backward()` the inner call has succeeded, so its arguments do not count.
        What a placeholder returned, and `x.to(device)`, count like the name itself.
        """
        if isinstance(expression, ast.Name):
            yield expression
        elif inside and isinstance(expression, ast.Call):
            if isinstance(expression.func, ast.Name) and expression.func.id not in {
                "list",
                "tuple",
            }:
                yield expression.func
            elif isinstance(expression.func, ast.Attribute) and expression.func.attr in SAME:
                yield from self._operands(expression.func, inside=True)
            elif isinstance(expression.func, ast.Name):
                for argument in expression.args:
                    yield from self._operands(argument, inside=True)
        else:
            for part in ast.iter_child_nodes(expression):
                yield from self._operands(part, inside=True)

    def _failed_further_in(self, error: BaseException) -> bool:
        """Whether the failing layer of torch.nn had an input that no placeholder returned.

        In `net(x)` with a Sequential the placeholder `x` enters the first layer; a later one fails.
        """
        tb = error.__traceback__
        layer_input: object = None
        while tb is not None:
            names = tb.tb_frame.f_locals
            kind = type(names.get("self"))
            if kind.__module__.startswith("torch.nn.modules") and "input" in names:
                layer_input = names["input"]
            tb = tb.tb_next
        return layer_input is not None and not self._source_of(layer_input)

    def _named(self, node: ast.Name, scope: Mapping[str, object]) -> str:
        if node.id in self._names:
            return node.id
        return self._source_of(scope[node.id]) if node.id in scope else ""

    def depends(self, seen: ErrorSeen) -> bool:
        """Whether anything in the failing expression may come from a placeholder."""
        expression = self._expression(seen)
        if expression is None:
            return True
        if isinstance(expression, ast.Attribute) and seen.type == "AttributeError":
            expression = expression.value
        return touches(expression, self._dependents)

    def concerns(self, finding: Finding) -> bool:
        """Whether a finding may be about a placeholder: it names one, or one is the optimizer."""
        if self._trains:
            return True
        named = set(re.findall(r"\w+", f"{finding.name} {finding.message}"))
        return bool(named & self._names)

    def _expression(self, seen: ErrorSeen) -> ast.expr | ast.stmt | None:
        return expression_at(self._tree, seen)


def expression_at(tree: ast.Module, seen: ErrorSeen) -> ast.expr | ast.stmt | None:
    """The syntax tree's node of the failing expression, or its statement if columns are unknown."""
    if seen.line is None:
        return None
    best: ast.stmt | None = None
    for node in ast.walk(tree):
        if not isinstance(node, (ast.expr, ast.stmt)) or node.lineno > seen.line:
            continue
        if isinstance(node, ast.expr) and (
            (node.lineno, node.col_offset, node.end_col_offset)
            == (seen.line, seen.col, seen.end_col)
        ):
            return node
        if isinstance(node, ast.stmt) and (node.end_lineno or node.lineno) >= seen.line:
            inside = best is None or node.lineno >= best.lineno
            best = node if inside else best
    return best
