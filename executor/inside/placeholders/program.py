"""Read a snippet's syntax tree for its names: their uses, values, aliases and sizes."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda
_COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
# Calls that return the tensor or module they are given, or one of the same size.
SAME = frozenset(
    [
        "to",
        "cuda",
        "cpu",
        "float",
        "double",
        "half",
        "long",
        "int",
        "clone",
        "detach",
        "contiguous",
        "requires_grad_",
        "eval",
        "train",
        "type",
        "pin_memory",
        "share_memory",
    ]
)
_WRAPPERS = frozenset({"Variable", "DataParallel", "DistributedDataParallel", "DDP", "compile",
                       "script", "as_tensor", "tqdm", "deepcopy"})  # fmt: skip


class ScopedName(NamedTuple):
    """A name in the function that binds it; None is the module itself."""

    scope: ast.AST | None
    name: str


Sizes = Mapping[str, int]  # names, and `self.name`, that are known integers


class SnippetTree:
    """A snippet's syntax tree, indexed."""

    def __init__(self, tree: ast.Module) -> None:
        self.tree = tree
        self.parents: dict[ast.AST, ast.AST] = {}
        self.classes: dict[str, ast.ClassDef] = {}
        self.functions: dict[str, ast.FunctionDef] = {}
        self._bound: dict[ast.AST, set[str]] = defaultdict(set)
        self._uses: dict[ScopedName, list[ast.Name]] = defaultdict(list)
        self._values: dict[ScopedName, list[ast.expr]] = defaultdict(list)
        names: list[ast.Name] = []
        for node in ast.walk(tree):
            for child in ast.iter_child_nodes(node):
                self.parents[child] = node
            if isinstance(node, ast.ClassDef):
                self.classes[node.name] = node
            elif isinstance(node, ast.FunctionDef):
                self.functions.setdefault(node.name, node)
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
                self._bound[node] |= {a.arg for a in arguments(node)}
            if isinstance(node, ast.Name):
                names.append(node)
        for name in names:
            scope = self.function_of(name)
            if isinstance(name.ctx, ast.Store) and scope is not None:
                self._bound[scope].add(name.id)
        for node in ast.walk(tree):
            if isinstance(node, ast.Global) and (scope := self.function_of(node)) is not None:
                self._bound[scope] -= set(node.names)
        for name in names:
            if isinstance(name.ctx, ast.Load):
                self._uses[self.variable(name)].append(name)
        for node in ast.walk(tree):
            if isinstance(node, ast.Assign) and len(node.targets) == 1:
                target = node.targets[0]
                if isinstance(target, ast.Name):
                    self._values[self.variable(target)].append(node.value)
        for uses in self._uses.values():
            uses.sort(key=lambda n: (n.lineno, n.col_offset))

    # -- names -------------------------------------------------------------------------------

    def function_of(self, node: ast.AST) -> ast.AST | None:
        """The function, lambda or comprehension around a node."""
        above = self.parents.get(node)
        while above is not None and not isinstance(
            above, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, *_COMPREHENSIONS)
        ):
            above = self.parents.get(above)
        return above

    def class_of(self, node: ast.AST) -> ast.ClassDef | None:
        """The class around a node."""
        above = self.parents.get(node)
        while above is not None and not isinstance(above, ast.ClassDef):
            above = self.parents.get(above)
        return above

    def variable(self, name: ast.Name) -> ScopedName:
        """Which variable a name means here."""
        scope = self.function_of(name)
        while scope is not None and name.id not in self._bound[scope]:
            scope = self.function_of(scope)
        return ScopedName(scope, name.id)

    def uses(self, variable: ScopedName) -> list[ast.Name]:
        """Where it is read, in the order of the lines."""
        return self._uses[variable]

    def values(self, variable: ScopedName) -> list[ast.expr]:
        """What is assigned to it."""
        return self._values[variable]

    def with_aliases(self, variable: ScopedName) -> list[ast.Name]:
        """Where it is read, under its own name and under those it is assigned or passed to."""
        seen, todo, uses = {variable}, [variable], []
        while todo:
            for use in self.uses(todo.pop()):
                uses.append(use)
                for other in self._handed_to(use):
                    if other not in seen and len(seen) < 30:
                        seen.add(other)
                        todo.append(other)
        return sorted(uses, key=lambda n: (n.lineno, n.col_offset))

    def _handed_to(self, use: ast.Name) -> Iterator[ScopedName]:
        node = self.through(use)
        above = self.parents.get(node)
        if isinstance(above, ast.Assign) and above.value is node and len(above.targets) == 1:
            target = above.targets[0]
            if isinstance(target, ast.Name):
                yield self.variable(target)
        if isinstance(above, ast.keyword):
            above = self.parents[above]
        if isinstance(above, ast.Call) and isinstance(above.func, ast.Name):
            function = self.functions.get(above.func.id)
            if function is not None and self.class_of(function) is None:
                name = argument_name(function, above, node)
                if name:
                    yield ScopedName(function, name)

    def through(self, node: ast.expr) -> ast.expr:
        """Climb from `x` to all of `Variable(x.to(device))`: the same tensor or module."""
        while True:
            above = self.parents.get(node)
            if isinstance(above, ast.Attribute) and above.attr in SAME:
                call = self.parents.get(above)
                if not (isinstance(call, ast.Call) and call.func is above):
                    return node
                node = call
            elif (
                isinstance(above, ast.Call)
                and above.args[:1] == [node]
                and last_name(above.func) in _WRAPPERS
            ):
                node = above
            else:
                return node

    def within(self, node: ast.expr) -> ast.expr:
        """Descend from `Net().to(device)` to `Net()`: the reverse of `through`."""
        while isinstance(node, ast.Call):
            if isinstance(node.func, ast.Attribute) and node.func.attr in SAME:
                node = node.func.value
            elif node.args and last_name(node.func) in _WRAPPERS:
                node = node.args[0]
            else:
                break
        return node

    def given(self, variable: ScopedName) -> list[ast.expr]:
        """The arguments that the snippet's calls pass for a parameter of its own function."""
        function = variable.scope
        if not isinstance(function, ast.FunctionDef) or self.class_of(function) is not None:
            return []
        return [
            value
            for call in ast.walk(self.tree)
            if isinstance(call, ast.Call) and last_name(call.func) == function.name
            for value in (*call.args, *(k.value for k in call.keywords))
            if argument_name(function, call, value) == variable.name
        ]

    # -- sizes -------------------------------------------------------------------------------

    def integer(self, node: ast.expr | None, sizes: Sizes) -> int | None:
        """The expression's value if it is a known integer, else None."""
        if isinstance(node, ast.Constant) and type(node.value) is int:
            return node.value
        if isinstance(node, ast.Name):
            if node.id in sizes:
                return sizes[node.id]
            values = self.values(ScopedName(None, node.id))
            return self.integer(values[0], {}) if len(values) == 1 else None
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            return sizes.get(f"{node.value.id}.{node.attr}")
        if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
            return sizes.get(f"{ast.unparse(node.value)}.{node.slice.value!s}")
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            value = self.integer(node.operand, sizes)
            return -value if value is not None else None
        if isinstance(node, ast.BinOp):
            left, right = self.integer(node.left, sizes), self.integer(node.right, sizes)
            if left is None or right is None:
                return None
            if isinstance(node.op, ast.Mult):
                return left * right
            if isinstance(node.op, ast.Add):
                return left + right
            if isinstance(node.op, ast.Sub):
                return left - right
            if isinstance(node.op, ast.FloorDiv) and right:
                return left // right
        return None

    def construction(self, cls: ast.ClassDef, call: ast.Call, sizes: Sizes) -> dict[str, int]:
        """The sizes known inside `__init__` when the class is constructed by this call."""
        known = dict(sizes)
        init = method(cls, "__init__")
        if init is None:
            return known
        names = [a.arg for a in init.args.args[1:]]
        for name, default in zip(reversed(names), reversed(init.args.defaults), strict=False):
            self._learn(known, name, default, sizes)
        for name, value in zip(names, call.args, strict=False):
            self._learn(known, name, value, sizes)
        for keyword in call.keywords:
            if keyword.arg:
                self._learn(known, keyword.arg, keyword.value, sizes)
        for node in ast.walk(init):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Attribute):
                target = node.targets[0]
                if isinstance(target.value, ast.Name):
                    self._learn(known, f"{target.value.id}.{target.attr}", node.value, known)
        return known

    def _learn(self, known: dict[str, int], name: str, value: ast.expr, sizes: Sizes) -> None:
        known.pop(name, None)
        if (number := self.integer(value, sizes)) is not None:
            known[name] = number

    def attribute(self, cls: ast.ClassDef, name: str) -> ast.expr | None:
        """The expression that a class first assigns to `self.name`."""
        for node in ast.walk(cls):
            if isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Attribute) and target.attr == name:
                        return node.value
        return None


def arguments(function: Any) -> list[ast.arg]:
    """All parameters of a function."""
    a = function.args
    rest = [x for x in (a.vararg, a.kwarg) if x is not None]
    return [*a.posonlyargs, *a.args, *a.kwonlyargs, *rest]


def argument_name(function: ast.FunctionDef, call: ast.Call, value: ast.AST) -> str:
    """The parameter that receives an argument of a call; empty if that is not certain."""
    names = [a.arg for a in function.args.args]
    for name, given in zip(names, call.args, strict=False):
        if given is value:
            return name
    return next((k.arg for k in call.keywords if k.value is value and k.arg), "")


def method(cls: ast.ClassDef, name: str) -> ast.FunctionDef | None:
    """A class's own method."""
    return next((n for n in cls.body if isinstance(n, ast.FunctionDef) and n.name == name), None)


def last_name(node: ast.expr) -> str:
    """`Linear` of `torch.nn.Linear`."""
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def argument(call: ast.Call, position: int, name: str) -> ast.expr | None:
    """An argument by position or keyword."""
    if len(call.args) > position:
        found = call.args[position]
        return None if isinstance(found, ast.Starred) else found
    return next((k.value for k in call.keywords if k.arg == name), None)
