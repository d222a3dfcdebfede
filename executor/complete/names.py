"""Which names a snippet reads and nowhere binds."""

from __future__ import annotations

import builtins
import symtable
from collections.abc import Iterator


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
