"""Complete a fragment as far as can be done honestly: the imports that everyone leaves out.

Nothing is written into the snippet: the names are put into its namespace before it runs, and each
is listed as an assumption.
"""

from __future__ import annotations

import builtins
import importlib
import symtable
from collections.abc import Iterator
from typing import Any

# name: (module, attribute or None)
_KNOWN: dict[str, tuple[str, str | None]] = {
    "torch": ("torch", None),
    "nn": ("torch.nn", None),
    "F": ("torch.nn.functional", None),
    "optim": ("torch.optim", None),
    "Variable": ("torch.autograd", "Variable"),
    "Dataset": ("torch.utils.data", "Dataset"),
    "DataLoader": ("torch.utils.data", "DataLoader"),
    "TensorDataset": ("torch.utils.data", "TensorDataset"),
    "random_split": ("torch.utils.data", "random_split"),
    "np": ("numpy", None),
    "numpy": ("numpy", None),
    "plt": ("matplotlib.pyplot", None),
    "math": ("math", None),
    "os": ("os", None),
    "sys": ("sys", None),
    "random": ("random", None),
    "time": ("time", None),
    "copy": ("copy", None),
    "Path": ("pathlib", "Path"),
    "partial": ("functools", "partial"),
    "defaultdict": ("collections", "defaultdict"),
    "OrderedDict": ("collections", "OrderedDict"),
    "Counter": ("collections", "Counter"),
}


def undefined_names(code: str, filename: str) -> set[str]:
    """Names that the code reads as globals and nowhere binds; empty if it does not parse."""
    try:
        top = symtable.symtable(code, filename, "exec")
    except (SyntaxError, ValueError, RecursionError):
        return set()
    bound = {s.get_name() for s in top.get_symbols() if s.is_assigned() or s.is_imported()}
    if any("import *" in line for line in code.splitlines()):
        return set()
    read: set[str] = set()
    for table in _tables(top):
        for symbol in table.get_symbols():
            is_global = symbol.is_global() or table is top
            if is_global and (symbol.is_declared_global() and symbol.is_assigned()):
                bound.add(symbol.get_name())
            if is_global and symbol.is_referenced():
                read.add(symbol.get_name())
    return {n for n in read - bound if not hasattr(builtins, n) and not n.startswith("__")}


def _tables(top: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    todo = [top]
    while todo:
        table = todo.pop()
        yield table
        todo += table.get_children()


def supply(code: str, filename: str) -> tuple[dict[str, Any], tuple[str, ...]]:
    """What is missing and well known.

    Returns:
        names: to put into the snippet's namespace.
        assumptions: the import statements this amounts to.
    """
    names: dict[str, Any] = {}
    assumptions: list[str] = []
    for name in sorted(undefined_names(code, filename) & _KNOWN.keys()):
        module, attribute = _KNOWN[name]
        try:
            found = importlib.import_module(module)
        except ImportError:
            continue
        names[name] = getattr(found, attribute) if attribute else found
        if attribute:
            assumptions.append(f"from {module} import {attribute}")
        elif name == module:
            assumptions.append(f"import {module}")
        else:
            assumptions.append(f"import {module} as {name}")
    return names, tuple(assumptions)
