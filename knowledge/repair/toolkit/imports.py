"""Imports of a snippet: one more, or a name from another place."""

import libcst as cst

from knowledge.repair.toolkit.edits import Beside, Edits, Program
from knowledge.repair.toolkit.statements import line_of, removed


def with_import(program: Program, statement: str) -> cst.Module:
    """The module with one more import, behind the first ones that it has."""
    imports = [
        s
        for s in program.module.body
        if isinstance(s, cst.SimpleStatementLine)
        and isinstance(s.body[0], (cst.Import, cst.ImportFrom))
        and not _is_future(s.body[0])
    ]
    if not imports:
        body = [cst.parse_statement(statement + "\n"), *program.module.body]
        return program.module.with_changes(body=body)
    first = imports[0]
    here = cst.ensure_type(cst.parse_statement(statement + "\n"), cst.SimpleStatementLine)
    body = [n for s in program.module.body for n in ([s, here] if s is first else [s])]
    return program.module.with_changes(body=body)


def last_import(program: Program) -> cst.SimpleStatementLine | None:
    """The last import of those that the snippet begins with."""
    last = None
    for statement in program.module.body:
        plain = isinstance(statement, cst.SimpleStatementLine)
        parts = statement.body if isinstance(statement, cst.SimpleStatementLine) else ()
        if plain and all(isinstance(s, (cst.Import, cst.ImportFrom)) for s in parts):
            last = statement if isinstance(statement, cst.SimpleStatementLine) else last
        elif not (plain and all(isinstance(s, cst.Expr) for s in parts)):  # a docstring
            break
    return last


def _is_future(statement: cst.CSTNode) -> bool:
    return (
        isinstance(statement, cst.ImportFrom)
        and isinstance(statement.module, cst.Name)
        and statement.module.value == "__future__"
    )


def import_instead(
    program: Program, source: str, name: str, new_source: str, new_name: str
) -> cst.Module | None:
    """The module with `name` of one module imported from another, or as another of its names.

    The rest of the program keeps its word for it. None where no such import stands in it.
    """
    for statement in program.all(cst.SimpleStatementLine):
        node = statement.body[0]
        if not isinstance(node, cst.ImportFrom) or isinstance(node.names, cst.ImportStar):
            continue
        alias = next((a for a in node.names if program.text(a.name) == name), None)
        if alias is None or node.module is None or program.text(node.module) != source:
            continue
        return _moved(program, statement, node, alias, new_source, new_name)
    return None


def without_import(program: Program, source: str, name: str) -> cst.Module | None:
    """The module without the import of a name that it never uses; None if it does, or lists names.

    A star of the module's, or `__all__`, may hand it on.
    """
    for node in program.all(cst.ImportFrom):
        if isinstance(node.names, cst.ImportStar) or node.module is None:
            continue
        alias = next((a for a in node.names if program.text(a.name) == name), None)
        if alias is None or program.text(node.module) != source:
            continue
        word = program.text(alias.asname.name) if alias.asname else name
        own = (alias, alias.asname)
        used = [n for n in program.all(cst.Name) if n.value == word]
        if "__all__" in program.module.code or any(program.parent(n) not in own for n in used):
            return None
        kept = [a for a in node.names if a is not alias]
        if not kept:
            gone = removed(program, node)
            return program.replace(gone) if gone is not None else None
        kept[-1] = kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
        return program.replace({node: node.with_changes(names=kept)})
    return None


def _moved(
    program: Program,
    statement: cst.SimpleStatementLine,
    node: cst.ImportFrom,
    alias: cst.ImportAlias,
    source: str,
    name: str,
) -> cst.Module:
    assert not isinstance(node.names, cst.ImportStar) and node.module is not None
    used = program.text(alias.name)
    renames: Edits = {}
    if name != used and alias.asname is None:
        renames = {
            n: cst.Name(name)
            for n in program.all(cst.Name)
            if n.value == used and n is not alias.name and not program.is_label(n)
        }
    new_alias = alias.with_changes(name=cst.Name(name))
    if source == program.text(node.module):
        return program.replace({**renames, alias: new_alias})
    kept = [a for a in node.names if a is not alias]
    asname = f" as {program.text(alias.asname.name)}" if alias.asname else ""
    line = line_of(f"from {source} import {name}{asname}")
    if not kept:
        return program.replace({**renames, node: line.body[0]})
    kept[-1] = kept[-1].with_changes(comma=cst.MaybeSentinel.DEFAULT)
    less = node.with_changes(names=kept)
    return program.replace({**renames, node: less}, {statement: Beside(line)})
