"""What happens to a value before and after a place in a snippet, and blocks put around statements.

Beside `knowledge/repair/toolkit/sites.py`, which finds the place itself.
"""

import re
from collections.abc import Mapping, Sequence
from itertools import takewhile

import libcst as cst

from knowledge.repair.toolkit.edits import Edits, Program
from knowledge.repair.toolkit.sites import assigned_above, scope_of


def root(target: cst.BaseExpression) -> cst.Name | cst.Attribute | None:
    """What `x[i][j]`, `x` and `self.w[0]` write into: `x`, `x`, `self.w`."""
    while isinstance(target, cst.Subscript):
        target = target.value
    return target if isinstance(target, (cst.Name, cst.Attribute)) else None


def reads(program: Program, name: str, scope: cst.CSTNode) -> list[cst.Name]:
    """Where a variable is read inside some code: not as attribute, keyword or target."""
    found = []
    for node in program.inside(scope, cst.Name):
        if node.value != name or scope_of(program, node) is not _scope(program, scope):
            continue
        parent = program.parent(node)
        if program.is_label(node):
            continue
        if isinstance(parent, (cst.AssignTarget, cst.Param, cst.For, cst.NamedExpr)) and (
            getattr(parent, "target", getattr(parent, "name", None)) is node
        ):
            continue
        found.append(node)
    return found


def _scope(program: Program, node: cst.CSTNode) -> cst.CSTNode:
    if isinstance(node, (cst.FunctionDef, cst.ClassDef, cst.Module)):
        return node
    return scope_of(program, node)


def is_attribute(program: Program, node: cst.CSTNode, *names: str) -> bool:
    """Whether a name stands before `.grad` or another attribute."""
    parent = program.parent(node)
    return isinstance(parent, cst.Attribute) and parent.value is node and parent.attr.value in names


def is_added_up(program: Program, node: cst.CSTNode) -> bool:
    """Whether a value goes into a sum that begins with a number."""
    added = program.up(node, cst.AugAssign)
    if added is None or not isinstance(added.operator, cst.AddAssign):
        return False
    begun = assigned_above(program, program.text(added.target), program.line(added))
    return begun is not None and isinstance(begun.value, (cst.Integer, cst.Float))


def later(program: Program, name: str, after: cst.CSTNode) -> list[cst.Name]:
    """The reads of a variable below a statement, in the statement's scope."""
    end = program.end_line(after)
    found = reads(program, name, scope_of(program, after))
    return [n for n in found if program.line(n) > end]


def loops_around(program: Program, node: cst.CSTNode) -> list[cst.For | cst.While]:
    """The loops of its own scope that a node stands in, the innermost first."""
    scope = scope_of(program, node)
    here = takewhile(lambda around: around is not scope, program.above(node))
    return [around for around in here if isinstance(around, (cst.For, cst.While))]


def loop_over(program: Program, node: cst.CSTNode, name: str) -> cst.For | None:
    """The innermost loop around a node whose one variable has this name."""
    loops = (loop for loop in loops_around(program, node) if isinstance(loop, cst.For))
    variables = ((loop, loop.target) for loop in loops)
    return next((f for f, t in variables if isinstance(t, cst.Name) and t.value == name), None)


def in_loop(program: Program, node: cst.CSTNode) -> bool:
    """Whether the node is inside a loop of its own scope."""
    return bool(loops_around(program, node))


def walked(program: Program, line: int) -> list[str]:
    """The names in what the loops go through that stand on a line or around it."""
    loops = [f for f in program.all(cst.For) if program.line(f) <= line <= program.end_line(f)]
    return [n.value for f in loops for n in program.inside(f.iter, cst.Name)]


def held_as(program: Program, made: cst.Call) -> str:
    """The variable that a call's result is assigned to; empty if it is to none, or to several."""
    assign = program.parent(made)
    if not isinstance(assign, cst.Assign) or len(assign.targets) != 1:
        return ""
    return program.text(assign.targets[0].target)


def outermost_loop(program: Program, node: cst.CSTNode) -> cst.For | cst.While | None:
    """The outermost loop around the node in its own scope."""
    return next(reversed(loops_around(program, node)), None)


def siblings(
    program: Program, statement: cst.BaseStatement
) -> tuple[Sequence[cst.BaseStatement], int]:
    """The statements of the same block, and this one's place among them."""
    block = program.parent(statement)
    body: Sequence[cst.BaseStatement] = [statement]
    if isinstance(block, (cst.Module, cst.IndentedBlock)):
        body = [s for s in block.body if isinstance(s, cst.BaseStatement)]
    return body, next(i for i, s in enumerate(body) if s is statement)


def earlier_in_loop(program: Program, statement: cst.BaseStatement, pattern: str) -> bool:
    """Whether a loop around the statement has a line that matches before it comes here."""
    above = (s for loop in loops_around(program, statement) for s in loop.body.body)
    line = program.line(statement)
    return any(program.line(s) < line and re.search(pattern, program.text(s)) for s in above)


def parameters(program: Program, node: cst.CSTNode) -> set[str]:
    """The parameters of the function around a node; empty at the module's level."""
    function = scope_of(program, node)
    if not isinstance(function, cst.FunctionDef):
        return set()
    given = function.params
    every = [*given.posonly_params, *given.params, *given.kwonly_params]
    return {p.name.value for p in every}


def under(lines: Mapping[cst.SimpleStatementLine, cst.SimpleStatementLine], context: str) -> Edits:
    """Edits that put neighbouring statements, as they are to be then, into `with context:`."""
    first, *others = lines
    inner = [lines[first].with_changes(leading_lines=()), *(lines[s] for s in others)]
    block = cst.With(
        [cst.WithItem(cst.parse_expression(context))],
        cst.IndentedBlock(inner),
        leading_lines=first.leading_lines,
    )
    edits: Edits = {first: block}
    return edits | {s: cst.RemoveFromParent() for s in others}


def without_with(program: Program, block: cst.With) -> Edits | None:
    """Edits that take `with …:` away and keep its statements; None for a one-line body."""
    if not isinstance(block.body, cst.IndentedBlock):
        return None
    body = [s for s in block.body.body if isinstance(s, cst.BaseStatement)]
    if not body:
        return None
    first = body[0]
    lead = [
        *block.leading_lines,
        *_comment(block.body.header),
        *getattr(first, "leading_lines", ()),
    ]
    body[0] = first.with_changes(leading_lines=lead)
    # Comments below the last statement belong to the block's footer.
    footer = [e for e in block.body.footer if e.comment is not None]
    if not footer:
        return {block: cst.FlattenSentinel(body)}
    return None


def _comment(header: cst.TrailingWhitespace) -> list[cst.EmptyLine]:
    return [cst.EmptyLine(comment=header.comment)] if header.comment is not None else []


def free_name(program: Program, wanted: str) -> str:
    """The name, or the name with a number, that the snippet does not use yet."""
    taken = {n.value for n in program.all(cst.Name)}
    candidates = [wanted, *(f"{wanted}_{i}" for i in range(2, 99))]
    return next(c for c in candidates if c not in taken)


def is_free(program: Program, name: str) -> bool:
    """Whether no variable has this name; a keyword `device=` is none."""
    named = (node for node in program.all(cst.Name) if node.value == name)
    return all(program.is_label(node) for node in named)
