"""Put statements beside others, or move them, also where several share a line."""

from collections.abc import Iterator
from typing import Unpack

import libcst as cst

from knowledge.repair.codemod import Rewrite, Rewrites, Settings
from knowledge.repair.toolkit.edits import Beside, Edits, Program

Small = cst.BaseSmallStatement
_Body = cst.Module | cst.IndentedBlock | cst.SimpleStatementSuite


def block(program: Program, node: cst.CSTNode) -> list[Small | cst.BaseCompoundStatement]:
    """The statements of the innermost block that a node stands in, those of one line apart."""
    body = _body(program, node)
    if isinstance(body, cst.SimpleStatementSuite):
        return list(body.body)
    found: list[Small | cst.BaseCompoundStatement] = []
    for statement in body.body:
        if isinstance(statement, cst.SimpleStatementLine):
            found += statement.body
        elif isinstance(statement, cst.BaseCompoundStatement):
            found.append(statement)
    return found


def _body(program: Program, node: cst.CSTNode) -> _Body:
    kinds = (cst.Module, cst.IndentedBlock, cst.SimpleStatementSuite)
    return next(n for n in program.above(node) if isinstance(n, kinds))


def calls_of(program: Program, method: str) -> Iterator[tuple[cst.Expr, cst.Call]]:
    """Statements that only call a method: `optimizer.step()`; in the order of their lines."""
    found = []
    for statement in program.all(cst.Expr):
        call = statement.value
        if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute):
            continue
        if call.func.attr.value == method:
            found.append((statement, call))
    yield from sorted(found, key=lambda pair: program.line(pair[0]))


def call_alone(line: cst.CSTNode | None, method: str) -> cst.Call | None:
    """The call of a method that a line is, and nothing else: `loss.backward()`."""
    if not isinstance(line, cst.SimpleStatementLine) or len(line.body) != 1:
        return None
    call = line.body[0].value if isinstance(line.body[0], cst.Expr) else None
    if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute):
        return None
    return call if call.func.attr.value == method else None


def receiver(program: Program, call: cst.Call) -> str:
    """What a method is called of: `self.optimizer` of `self.optimizer.step()`."""
    return program.text(call.func.value) if isinstance(call.func, cst.Attribute) else ""


def kept_result(program: Program, by: cst.CSTNode, name: cst.Name, *methods: str) -> Rewrites:
    """`x = x.view(-1, 9)` for `x.view(-1, 9)` above a node, whose result was kept nowhere."""
    for method in methods:
        for statement, call in calls_of(program, method):
            above = program.line(statement) < program.line(by)
            here = program.up(statement, cst.FunctionDef) is program.up(by, cst.FunctionDef)
            if above and here and receiver(program, call) == name.value:
                kept = cst.Assign([cst.AssignTarget(name)], call, statement.semicolon)
                told = f"`{name.value}` becomes what its `{method}` returns"
                yield program.edit({statement: kept}, told)


def inserted(
    program: Program, by: Small | cst.BaseStatement, code: str, *, after: bool = False
) -> dict[cst.CSTNode, Beside]:
    """The insertion of a statement before or behind another one, on its line if it shares one."""
    if not isinstance(by, cst.BaseSmallStatement):
        return {by: Beside(line_of(code), after)}
    line = program.parent(by)
    if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1:
        return {line: Beside(line_of(code), after)}
    return {by: Beside(line_of(code).body[0], after)}


def line_of(code: str) -> cst.SimpleStatementLine:
    """A line of small statements."""
    return cst.ensure_type(cst.parse_statement(code), cst.SimpleStatementLine)


def is_docstring(statement: cst.CSTNode) -> bool:
    """Whether a statement is a text alone."""
    first = statement.body[0] if isinstance(statement, cst.SimpleStatementLine) else None
    return isinstance(first, cst.Expr) and isinstance(first.value, cst.SimpleString)


def removed(program: Program, statement: Small) -> Edits | None:
    """The edit that takes a statement away; None if its block would be empty."""
    line = program.parent(statement)
    if len(block(program, statement)) < 2:
        return None
    if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1:
        return {line: cst.RemoveFromParent()}
    return {statement: cst.RemoveFromParent()}


def moved(
    program: Program,
    statement: Small,
    beside: Small | cst.BaseCompoundStatement,
    *,
    after: bool = False,
) -> cst.Module | None:
    """The module with one statement before or behind another one; None if that cannot be."""
    gone = removed(program, statement)
    if gone is None:
        return None
    code = program.text(statement.with_changes(semicolon=cst.MaybeSentinel.DEFAULT))
    line = program.parent(statement)
    if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1:
        note = line.trailing_whitespace.comment
        code += f"  {note.value}" if note is not None else ""
    come = inserted(program, beside, code, after=after)
    return program.replace(gone, beside=come) if not set(gone) & set(come) else None


def told_moved(
    program: Program,
    statement: Small,
    beside: Small | cst.BaseCompoundStatement,
    told: str,
    *,
    after: bool = False,
) -> Rewrites:
    """The rewrite that `moved` makes, told by the statement's line; none if that cannot be."""
    new = moved(program, statement, beside, after=after)
    if new is not None:
        yield Rewrite(new, f"line {program.line(statement)}: {told}", as_one=True)


def told_inserted(
    program: Program,
    by: Small | cst.BaseStatement,
    code: str,
    told: str,
    *,
    after: bool = False,
    at: cst.CSTNode | None = None,
    **more: Unpack[Settings],
) -> Rewrite:
    """The rewrite that `inserted` makes, told by the line of the other statement, or of `at`."""
    new = program.replace({}, beside=inserted(program, by, code, after=after))
    return Rewrite(new, f"line {program.line(at or by)}: {told}", **more)


def last_name(program: Program, function: cst.BaseExpression) -> str:
    """`step` of `self.optimizer.step`; empty where what is called is itself a call's result."""
    if isinstance(function, cst.Attribute):
        return function.attr.value
    return function.value if isinstance(function, cst.Name) else ""
