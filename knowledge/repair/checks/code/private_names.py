"""A rewrite must not reach into what a library keeps to itself: `loss._backward_hooks`."""

import ast
from collections.abc import Iterator

from knowledge.repair.check import refusing
from knowledge.repair.checks.code import Change
from knowledge.repair.toolkit.comparison import text


@refusing("private names", "it uses nothing private")
def check(change: Change) -> Iterator[str]:
    """No name with a leading underscore that the code did not use before, unless it makes it."""
    known = _used(change.compared.old)
    for name in sorted(_used(change.compared.new) - known - _made(change.compared.new)):
        yield f"it uses `{name}`, which is not meant to be used from outside"


def _used(tree: ast.Module) -> set[str]:
    """Attributes, keywords and imports with a leading underscore; `__init__` of super() aside."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            found.add(node.attr)
        elif isinstance(node, ast.keyword):
            found.add(node.arg or "")
        elif isinstance(node, ast.ImportFrom):
            found |= {a.name for a in node.names} | set((node.module or "").split("."))
        elif isinstance(node, ast.Import):
            found |= {part for a in node.names for part in a.name.split(".")}
        elif isinstance(node, ast.Call) and text(node.func) in ("getattr", "setattr", "delattr"):
            found |= {str(a.value) for a in node.args[1:2] if isinstance(a, ast.Constant)}
    return {n for n in found if n.startswith("_") and n not in _OPEN}


_OPEN = frozenset({"__init__", "__name__", "__version__", "__len__", "__getitem__", "__future__"})


def _made(tree: ast.Module) -> set[str]:
    """Private names that the code itself gives a value: attributes, methods, parameters."""
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            if isinstance(node.value, ast.Name) and node.value.id == "self":
                found.add(node.attr)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, ast.arg):
            found.add(node.arg)
    return {n for n in found if not n.startswith("__")}
