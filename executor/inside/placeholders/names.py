"""Find the undefined names of a snippet: those that it reads and nowhere binds."""

from __future__ import annotations

import ast
import builtins
import symtable
from collections.abc import Iterator
from functools import lru_cache


@lru_cache(maxsize=2)  # asked for a snippet's imports and for its placeholders
def undefined_names(code: str, filename: str) -> frozenset[str]:
    """Names that the code reads as globals and nowhere binds; empty if it does not parse."""
    try:
        top = symtable.symtable(code, filename, "exec")
    except (SyntaxError, ValueError, RecursionError):
        return frozenset()
    bound = {s.get_name() for s in _symbols(top) if s.is_assigned() or s.is_imported()}
    bound -= _only_deleted(code)
    if any("import *" in line for line in code.splitlines()):
        return frozenset()
    read: set[str] = set()
    for table in _tables(top):
        for symbol in _symbols(table):
            is_global = symbol.is_global() or table is top
            if is_global and (symbol.is_declared_global() and symbol.is_assigned()):
                bound.add(symbol.get_name())
            if is_global and symbol.is_referenced():
                read.add(symbol.get_name())
    left_out = _rebound_first(code)
    names = (read - bound) | left_out
    return frozenset(n for n in names if not hasattr(builtins, n) and not n.startswith("__"))


def _only_deleted(code: str) -> set[str]:
    """Names that nothing but a `del` touches: symtable calls that an assignment too."""
    if "del " not in code:
        return set()
    names = [n for n in ast.walk(ast.parse(code)) if isinstance(n, ast.Name)]
    deleted = {n.id for n in names if isinstance(n.ctx, ast.Del)}
    stored = {n.id for n in names if isinstance(n.ctx, ast.Store)}
    return deleted - stored - _bound_otherwise(code)


def _bound_otherwise(code: str) -> set[str]:
    """Names of definitions, imports and parameters."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(code)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {a.asname or a.name.partition(".")[0] for a in node.names}
        elif isinstance(node, ast.ExceptHandler) and node.name:
            found.add(node.name)
    return found


def _rebound_first(code: str) -> set[str]:
    """Names that are first bound in `x = x.to(device)`, `x += 1` or `del x`: they were there."""
    seen: set[str] = set()
    found: set[str] = set()
    for statement in _at_the_top(ast.parse(code).body):
        names = [n for n in ast.walk(statement) if isinstance(n, ast.Name)]
        if isinstance(statement, ast.Delete):
            found |= {n.id for n in names if isinstance(n.ctx, ast.Del)} - seen
            continue
        if isinstance(statement, ast.AugAssign) and isinstance(statement.target, ast.Name):
            found |= {statement.target.id} - seen
        if isinstance(statement, ast.Assign):
            targets = [n for target in statement.targets for n in ast.walk(target)]
            stored = {
                n.id for n in targets if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)
            }
            found |= {n.id for n in names if isinstance(n.ctx, ast.Load)} & stored - seen
        is_defined = isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef))
        seen |= {n.id for n in names if is_defined or isinstance(n.ctx, ast.Store)}
        seen |= {getattr(n, "name", "") or "" for n in ast.walk(statement)}
        seen |= {
            a.asname or a.name.split(".")[0]
            for n in ast.walk(statement)
            if isinstance(n, (ast.Import, ast.ImportFrom))
            for a in n.names
        }
    return found


def _at_the_top(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """The statements outside functions and classes in order, those inside `if`, `for` … too."""
    for statement in body:
        inner = [getattr(statement, part, []) for part in ("body", "orelse", "finalbody")]
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) or not any(
            inner
        ):
            yield statement
            continue
        yield from _headers(statement)
        for part in inner:
            yield from _at_the_top(part)
        for handler in getattr(statement, "handlers", []):
            yield from _at_the_top(handler.body)


def _headers(statement: ast.stmt) -> Iterator[ast.stmt]:
    """The header of a compound statement (`for x in y:`) as statements, without its body."""
    names = [
        part
        for field in ("target", "iter", "test", "items", "subject")
        if (part := getattr(statement, field, None)) is not None
    ]
    flat = [n for part in names for n in (part if isinstance(part, list) else [part])]
    for node in flat:
        for name in ast.walk(node):
            if isinstance(name, ast.Name):
                yield ast.Expr(name)


def _symbols(table: symtable.SymbolTable) -> Iterator[symtable.Symbol]:
    """Its symbols, without the namespaces that they name.

    `get_symbols` looks for these, for each symbol among all children: a megabyte of functions would
    take minutes.
    """
    at_the_top = table.get_type() == "module"
    for name, flags in vars(table)["_table"].symbols.items():  # it has no public name
        yield symtable.Symbol(name, flags, None, module_scope=at_the_top)


def _tables(top: symtable.SymbolTable) -> Iterator[symtable.SymbolTable]:
    todo = [top]
    while todo:
        table = todo.pop()
        yield table
        todo += table.get_children()
