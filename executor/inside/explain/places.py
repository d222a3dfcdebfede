"""Find the line of the snippet that made a name, an attribute or a layer, from its text alone."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

_SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
_BRANCHES = (ast.If, ast.For, ast.While, ast.Try, ast.ExceptHandler, ast.Match)
_HEADS = ("target", "iter", "test")
_RECORDER = "__torchmedic_caught__"

Span = tuple[int, int | None, int | None, int | None]


@dataclass
class Binding:
    """One statement that gives a name a value; `node` is the value's expression, if there is."""

    name: str
    line: int
    statement: ast.AST
    node: ast.expr | None = None
    branches: frozenset[tuple[int, str]] = frozenset()
    loops: frozenset[int] = frozenset()


@dataclass
class Places:
    """Finds lines in the snippet's syntax tree; answers None where two lines are possible."""

    tree: ast.Module
    _parents: dict[int, tuple[ast.AST, str]] = field(default_factory=dict)
    _bindings: dict[int, dict[str, list[Binding]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for parent in ast.walk(self.tree):
            for name, value in ast.iter_fields(parent):
                for child in value if isinstance(value, list) else [value]:
                    if isinstance(child, ast.AST):
                        self._parents[id(child)] = parent, name

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """Every node that has a line, except those inserted by the probes."""
        ours = {id(p) for n in ast.walk(self.tree) if _ours(n) for p in ast.walk(n)}
        return [n for n in ast.walk(self.tree) if hasattr(n, "lineno") and id(n) not in ours]

    def find(
        self, line: int, end_line: int | None, col: int | None, end_col: int | None
    ) -> ast.AST | None:
        """The expression or statement with this span; the nearest one where none has exactly it."""
        exact: ast.AST | None = None
        best: ast.AST | None = None
        for n in self.nodes:  # outside in: a statement may have the span of its expression
            if getattr(n, "end_lineno", None) != end_line or n.end_col_offset != end_col:  # type: ignore[attr-defined]
                continue
            if n.lineno == line and n.col_offset == col:  # type: ignore[attr-defined]
                exact = n
            # Of a call chained over several lines, Python gives only the last link's start.
            if best is None and isinstance(n, ast.Call):
                best = n
        return exact or best or self.statement(line)

    def statement(self, line: int) -> ast.stmt | None:
        """The innermost statement on a line."""
        found = [
            n
            for n in self.nodes
            if isinstance(n, ast.stmt) and n.lineno <= line <= (n.end_lineno or n.lineno)
        ]
        return max(found, key=lambda n: (n.lineno, n.col_offset), default=None)

    def ancestors(self, node: ast.AST) -> Iterator[tuple[ast.AST, str]]:
        """(parent, the field of the parent that holds the child), inside out."""
        while id(node) in self._parents:
            node, name = self._parents[id(node)]
            yield node, name

    def statement_of(self, node: ast.AST) -> ast.AST:
        """The statement that an expression belongs to."""
        if isinstance(node, ast.stmt):
            return node
        return next((p for p, _ in self.ancestors(node) if isinstance(p, ast.stmt)), node)

    def scope(self, line: int, function: str) -> ast.AST:
        """The function (or the module) that a frame runs, by its name and a line in it."""
        if function == "<module>":
            return self.tree
        around = [
            n
            for n in self.nodes
            if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))
            and n.lineno <= line <= (n.end_lineno or n.lineno)
        ]
        named = [n for n in around if n.name == function] or around
        return max(named, key=lambda n: n.lineno, default=self.tree)

    def bindings(self, scope: ast.AST) -> dict[str, list[Binding]]:
        """Name → everything that binds it in a scope, in the order of the text."""
        if id(scope) not in self._bindings:
            self._bindings[id(scope)] = self._bindings_of(scope)
        return self._bindings[id(scope)]

    def _bindings_of(self, scope: ast.AST) -> dict[str, list[Binding]]:
        found: dict[str, list[Binding]] = {}
        if isinstance(scope, (ast.FunctionDef, ast.AsyncFunctionDef)):
            a = scope.args
            for arg in [*a.posonlyargs, *a.args, *a.kwonlyargs, a.vararg, a.kwarg]:
                if arg is not None:
                    found[arg.arg] = [Binding(arg.arg, scope.lineno, scope)]
        for node in _inside(scope):
            for name, value in _bound(node):
                branches, loops = self._around(node, scope)
                line = node.lineno  # type: ignore[attr-defined]
                statement = self.statement_of(node)
                found.setdefault(name, []).append(
                    Binding(name, line, statement, value, branches, loops)
                )
        for several in found.values():
            several.sort(key=lambda b: b.line)
        return found

    def made(self, name: str, scope: ast.AST, line: int) -> Binding | None:
        """The statement that gave a name its value at a line; None if that is uncertain."""
        if name in self._declared:
            return None  # another function may have bound it
        sites = self.bindings(scope).get(name, [])
        if not sites:
            if scope is self.tree:
                return None
            sites = self.bindings(self.tree).get(name, [])
            return sites[0] if len(sites) == 1 else None
        earlier = [s for s in sites if s.line < line]
        later = [s for s in sites if s.line >= line]
        if not earlier:
            return None
        last = earlier[-1]
        if last.statement is scope:
            return None  # an argument: the caller made it
        here = self.statement(line)
        if here is None:
            return None
        branches, loops = self._around(here, scope)
        if any(s.loops & loops for s in later):
            return None  # an earlier turn of the loop may have made it
        if len(sites) > 1 and not last.branches <= branches:
            return None
        return last

    @cached_property
    def _declared(self) -> frozenset[str]:
        """Names that a function declares to be another scope's."""
        found = (n for n in self.nodes if isinstance(n, (ast.Global, ast.Nonlocal)))
        return frozenset(name for node in found for name in node.names)

    @cached_property
    def deleted_attributes(self) -> frozenset[str]:
        """Attributes that the snippet deletes."""
        found = (n for n in self.nodes if isinstance(n, ast.Attribute))
        return frozenset(n.attr for n in found if isinstance(n.ctx, ast.Del))

    def is_of_a_comprehension(self, name: ast.Name) -> bool:
        """Whether a comprehension around a name binds it."""
        return any(
            isinstance(n, ast.Name) and n.id == name.id
            for parent, _ in self.ancestors(name)
            if isinstance(parent, (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp))
            for generator in parent.generators
            for n in ast.walk(generator.target)
        )

    def has_items_set(self, container: ast.AST) -> bool:
        """Whether the snippet sets an entry of a container that it calls by this expression."""
        text = ast.dump(container)
        return any(
            isinstance(n, ast.Subscript)
            and isinstance(n.ctx, ast.Store)
            and ast.dump(n.value) == text
            for n in self.nodes
        )

    def bound_since(self, node: ast.AST) -> frozenset[str]:
        """The names that the end of a `try` binds, if the failing expression stands in its body."""
        found: set[str] = set()
        for parent, name in self.ancestors(node):
            if isinstance(parent, _SCOPES):
                break
            if isinstance(parent, ast.Try):
                after = [*parent.finalbody] if name != "finalbody" else []
                after += [s for h in parent.handlers for s in h.body] if name == "body" else []
                inside = (n for statement in after for n in ast.walk(statement))
                found |= {bound for n in inside for bound, _ in _bound(n)}
        return frozenset(found)

    def _around(
        self, node: ast.AST, scope: ast.AST
    ) -> tuple[frozenset[tuple[int, str]], frozenset[int]]:
        branches, loops = set(), set()
        for parent, name in self.ancestors(node):
            if parent is scope:
                break
            if isinstance(parent, (ast.For, ast.While, ast.AsyncFor)) and name == "body":
                loops.add(id(parent))
            if isinstance(parent, _BRANCHES) and name not in _HEADS:
                branches.add((id(parent), name))
        if isinstance(node, (ast.For, ast.AsyncFor)):
            loops.add(id(node))
        return frozenset(branches), frozenset(loops)

    def class_named(self, name: str) -> ast.ClassDef | None:
        """The snippet's class of a name, if there is exactly one."""
        found = [n for n in self.nodes if isinstance(n, ast.ClassDef) and n.name == name]
        return found[0] if len(found) == 1 else None

    def function_named(self, name: str, cls: str | None = None) -> ast.FunctionDef | None:
        """The snippet's function (or a class's method), if there is exactly one."""
        holder = self.class_named(cls) if cls else None
        if cls and holder is None:
            return None
        inside = ast.walk(holder) if holder is not None else self.nodes
        found = [n for n in inside if isinstance(n, ast.FunctionDef) and n.name == name]
        return found[0] if len(found) == 1 else None

    def assigned(self, cls: str, attribute: str) -> ast.expr | None:
        """The value of the only `self.attribute = …` in a class; None if there is not just one."""
        holder = self.class_named(cls)
        found = []
        for node in ast.walk(holder) if holder else ():
            targets = node.targets if isinstance(node, ast.Assign) else []
            targets = [node.target] if isinstance(node, ast.AnnAssign) else targets
            for t in targets:
                if isinstance(t, ast.Attribute) and isinstance(t.value, ast.Name):
                    value = getattr(node, "value", None)
                    if t.value.id == "self" and t.attr == attribute and value is not None:
                        found.append(value)
        if any(_sets_from_outside(node, attribute) for node in self.nodes):
            return None
        return found[0] if len(found) == 1 else None

    @staticmethod
    def part(node: ast.expr, path: list[str]) -> ast.expr:
        """The argument of a `Sequential(…)` or `ModuleList([…])` that a path leads to."""
        for step in path:
            if not isinstance(node, ast.Call) or not step.isdigit():
                return node
            parts: list[ast.expr] = node.args
            if len(parts) == 1 and isinstance(parts[0], ast.List):
                parts = parts[0].elts
            if any(isinstance(p, ast.Starred) for p in parts) or int(step) >= len(parts):
                return node
            node = parts[int(step)]
        return node


def _ours(node: ast.AST) -> bool:
    if isinstance(node, ast.Expr):
        node = node.value
    if isinstance(node, ast.Call):
        node = node.func
    return isinstance(node, ast.Name) and node.id == _RECORDER


def _sets_from_outside(node: ast.AST, attribute: str) -> bool:
    """`net.fc = …`: of whatever `net` is, its own class no longer says what `fc` is."""
    return (
        isinstance(node, ast.Attribute)
        and isinstance(node.ctx, ast.Store)
        and node.attr == attribute
        and not (isinstance(node.value, ast.Name) and node.value.id == "self")
    )


def _inside(scope: ast.AST) -> Iterator[ast.AST]:
    """The nodes of a scope, without those of the scopes in it."""
    todo = list(getattr(scope, "body", []))
    while todo:
        node = todo.pop(0)
        yield node
        if not isinstance(node, _SCOPES):
            todo += list(ast.iter_child_nodes(node))


def _bound(node: ast.AST) -> Iterator[tuple[str, ast.expr | None]]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name, None
        return
    targets: list[ast.expr] = []
    value: ast.expr | None = None
    if isinstance(node, ast.Assign):
        targets, value = node.targets, node.value
    elif isinstance(node, (ast.AnnAssign, ast.AugAssign, ast.NamedExpr)):
        targets = [node.target]
        value = node.value if not isinstance(node, ast.AugAssign) else None
    elif isinstance(node, (ast.For, ast.AsyncFor)):
        targets = [node.target]
    elif isinstance(node, (ast.With, ast.AsyncWith)):
        targets = [i.optional_vars for i in node.items if i.optional_vars is not None]
    elif isinstance(node, (ast.Import, ast.ImportFrom)):
        for alias in node.names:
            yield (alias.asname or alias.name).split(".")[0], None
    for target in targets:
        whole = isinstance(target, ast.Name)
        for t in ast.walk(target):
            if isinstance(t, ast.Name) and isinstance(t.ctx, ast.Store):
                yield t.id, value if whole else None
