"""Find submodules that a snippet can use here only because this process has imported them.

Once any code has imported `torch.distributed.fsdp`, `import torch` is enough to reach it. In a
fresh interpreter a snippet that uses it without importing it fails.
"""

from __future__ import annotations

import ast
import sys
from collections.abc import Collection

_ROOT = "torch"
_brought: frozenset[str] = frozenset()


def remember() -> None:
    """Note which modules `import torch` loads; call it right after that import."""
    global _brought
    _brought = frozenset(sys.modules)


def warm_only(tree: ast.Module) -> tuple[str, ...]:
    """The submodules that a snippet uses without importing them and that `import torch` lacks."""
    if not _brought:
        return ()  # this interpreter is a fresh one itself
    aliases = {_ROOT: _ROOT}  # also where `import torch` itself was supplied by us
    imported: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for item in node.names:
                imported |= set(_prefixes(item.name))
                aliases[item.asname or item.name.split(".")[0]] = (
                    item.name if item.asname else item.name.split(".")[0]
                )
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            imported |= set(_prefixes(node.module))
            for item in node.names:
                imported.add(f"{node.module}.{item.name}")
                aliases[item.asname or item.name] = f"{node.module}.{item.name}"
    lazy = {f"{_ROOT}.{name}" for name in _lazy_modules()}
    found: set[str] = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.Attribute):
            continue
        path = _path(node)
        module = f"{aliases.get(path[0], '')}.{'.'.join(path[1:])}" if path else ""
        if (
            module.startswith(f"{_ROOT}.")
            and module in sys.modules
            and module not in _brought
            and module not in imported | lazy
        ):
            found.add(module)
    return tuple(sorted(found))[:5]


def _prefixes(module: str) -> list[str]:
    parts = module.split(".")
    return [".".join(parts[:n]) for n in range(1, len(parts) + 1)]


def _path(node: ast.expr) -> list[str]:
    """["torch", "distributed", "fsdp"] of `torch.distributed.fsdp`."""
    parts: list[str] = []
    while isinstance(node, ast.Attribute):
        parts.append(node.attr)
        node = node.value
    return [node.id, *reversed(parts)] if isinstance(node, ast.Name) else []


def _lazy_modules() -> Collection[str]:
    """What torch imports by itself at the first use; where it is not there yet, nothing is."""
    if _ROOT not in sys.modules:
        return ()
    from executor.inside import torch_private  # which imports torch

    return torch_private.lazy_modules()
