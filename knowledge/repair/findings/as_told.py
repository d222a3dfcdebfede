"""Make the edits that a finding brings along: the places of the code that become another.

They come from the rule that read the text (executor/inside/remarks/edits.py), as places and parts.
"""

from typing import Any

import libcst as cst

from executor.protocol import Finding
from knowledge.repair.by_finding import ANY
from knowledge.repair.codemod import Rewrite, Rewrites
from knowledge.repair.toolkit.edits import Edits, Program, operand
from knowledge.repair.toolkit.imports import with_import
from knowledge.repair.toolkit.statements import Small, inserted, line_of, moved


def _as_told(program: Program, finding: Finding) -> Rewrites:
    """Each way that the finding names."""
    for way in finding.facts.get("ways", ()):
        module = _moved(program, way) if "moves" in way else _changed(program, way)
        if module is not None:
            told, intent = f"line {finding.line}: {way['told']}", way.get("intent", "")
            yield Rewrite(module, told, intent, as_one=True)


def _changed(program: Program, way: dict[str, Any]) -> cst.Module | None:
    """Other expressions in some places, and statements beside others."""
    new: Edits = {}
    needed = ""  # `import copy; …` begins so where the program lacks it
    for span, parts in way["places"]:
        node = program.at(*span)
        texts = [p if isinstance(p, str) else _text(program, p) for p in parts]
        if node is None or None in texts:
            return None
        code = "".join(map(str, texts))
        if code.startswith("import "):
            needed, _, code = code.partition("; ")
        whole = program.parent(node)
        node = whole if isinstance(whole, cst.Expr) else node  # it may become no expression
        if isinstance(node, cst.BaseSmallStatement):
            new[node] = line_of(code).body[0].with_changes(semicolon=node.semicolon)
        elif isinstance(node, cst.BaseExpression):
            made = cst.parse_expression(code)
            new[node] = operand(made) if node.lpar else made
    module = program.module
    for i, (code, span, after) in enumerate(way["add"] or [("", None, False)]):
        if code.startswith("import "):
            needed, _, code = code.partition("; ")
        now = program if i == 0 else Program(module.code)  # what comes first stands lower down
        by = _statement(now, span) if span else None
        if span and by is None:
            return None
        beside = inserted(now, by, code, after=after) if by is not None else {}
        module = now.replace(new if i == 0 else {}, beside=beside)
    return with_import(Program(module.code), needed) if needed else module


def _moved(program: Program, way: dict[str, Any]) -> cst.Module | None:
    """Statements before or behind another one, one after the other."""
    spans, by = [list(span) for span in way["moves"]], list(way["by"])
    for i, span in enumerate(spans):
        statement, place = _statement(program, span), _statement(program, by)
        if not isinstance(statement, cst.BaseSmallStatement) or place is None:
            return None
        module = moved(program, statement, place, after=way["after"])
        if module is None:
            return None
        before, after = (c.count("\n") for c in (program.module.code, module.code))
        lines, lost = span[2] - span[0] + 1, before - after  # blank ones above it go too
        first, last = sorted((span[0], by[0]))
        for other in (by, *spans[i + 1 :]):
            if other is by and first == by[0]:
                gone = -lines  # it stands above, and comes behind the statement
            else:
                gone = lost if other[0] > span[0] else 0
                gone += lines if first == span[0] and first < other[0] < last else 0
            other[0], other[2] = other[0] - gone, other[2] - gone
        program = Program(module.code)
    return program.module


def _text(program: Program, span: list[int]) -> str | None:
    node = program.at(*span)
    if isinstance(node, cst.BaseExpression):
        node = node.with_changes(lpar=[], rpar=[])
    return program.text(node) if node is not None else None


def _statement(program: Program, span: list[int]) -> Small | cst.BaseCompoundStatement | None:
    """The statement that is there: a small one, else the one that begins on the line."""
    node = program.at(*span)
    if node is not None:
        return program.small_statement(node)
    for statement in program.all(cst.BaseCompoundStatement):  # type: ignore[type-abstract]
        if program.line(statement) == span[0]:
            return statement
    return None


EDITS = {ANY: _as_told}
