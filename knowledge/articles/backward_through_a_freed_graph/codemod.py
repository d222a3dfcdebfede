"""Let no second backward need a graph that the first one freed.

A state carried from step to step is cut at the step; two losses of one forward are added; only the
same loss differentiated twice, with nothing changed in between, keeps its graph.
"""

from __future__ import annotations

import re

import libcst as cst

from executor.protocol import JobResult, Variable
from knowledge.repair.codemod import Check, Proposal, Rewrite, Rewrites
from knowledge.repair.computed import backwards, reaches_leaves, same_tensors
from knowledge.repair.toolkit.edits import Beside, Edits, method
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.flow import in_loop, reads, siblings
from knowledge.repair.toolkit.sites import (
    argument,
    assignment,
    names_in,
    scope_of,
    seen_error,
    with_argument,
)

ERRORS = ("freed_graph",)
_SECOND = re.compile(r"second[- _]?(order|deriv)|hessian|grad_?grad|higher[- ]order|d2", re.I)
_BETWEEN = re.compile(r"\.(step|zero_grad)\(")


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """The state detached, the losses added, or the first backward told to keep its graph."""
    node = program.node
    line = program.statement
    if len(result.frames) > 1:  # a custom Function's backward asks for what it had saved
        line = program.statement_on(result.frames[0].line) or line
        node = (_backward_of(program, line) if line is not None else None) or node
    if not isinstance(node, cst.Call) or line is None or not isinstance(node.func, cst.Attribute):
        return
    if node.func.attr.value == "grad":
        yield from _asked_again(program, line, node)
        return
    if node.func.attr.value != "backward":
        return
    if (added := _one_by_one(program, line, node)) is not None:
        yield added
        return
    body, at = siblings(program, line)
    if any(_backward_of(program, s) is not None for s in body[:at]):
        if not _SECOND.search(program.module.code):
            yield from _straight(program, line, in_loop(program, line))
    elif in_loop(program, line):
        yield from _carried(program, line, node)


# -- in a loop: a state that remembers the step before ---------------------------------------


def _carried(program: Failed, line: cst.SimpleStatementLine, node: cst.Call) -> Rewrites:
    loop = program.up(line, cst.For) or program.up(line, cst.While)
    if loop is None or not isinstance(node.func, cst.Attribute):
        return
    losses = {n.value for n in program.inside(node.func.value, cst.Name)}
    found: list[tuple[str, cst.SimpleStatementLine]] = []
    bound: set[str] = set()
    for statement in loop.body.body:
        used = _first_reads(program, statement)
        for name in sorted(used - bound - losses):
            if _rebound(program, loop, name) and _has_graph(program.seen.get(name)):
                if not isinstance(statement, cst.SimpleStatementLine):
                    return
                found.append((name, statement))
        bound |= _bound(program, statement)
    if not found:
        yield from _outlived(program, loop, losses)
    if len(found) != 1:
        return
    name, statement = found[0]
    facts = program.seen[name]
    cut = f"{name} = {name}.detach()"
    if facts.dtype is None:
        cut = f"{name} = tuple(part.detach() for part in {name})"
    first = assignment(program, name, loop)
    if first is not None and program.text(first.value) == "None":  # there is nothing to cut yet
        statement = [s for s in loop.body.body if name in _bound(program, s)][-1]
        if not isinstance(statement, cst.SimpleStatementLine):
            return
        made = cst.parse_statement(cut)
        edited = program.replace({}, beside={statement: Beside(made, after=True)})
    else:
        edited = program.replace({}, before={statement: cut + "\n"})
    yield Rewrite(
        edited,
        f"line {program.line(statement)}: `{name}` goes on into the next step as a value, without "
        "the step that made it",
        subjects=(name,),
    )


def _outlived(program: Failed, loop: cst.For | cst.While, losses: set[str]) -> Rewrites:
    """A value computed once above the loop: a constant for it, or to be computed in every step."""
    used = {n.value for n in program.inside(loop.body, cst.Name)} - losses
    names = [
        n
        for n in sorted(used)
        if not _rebound(program, loop, n)
        and (facts := program.seen.get(n)) is not None
        and facts.grad_fn is not None
    ]
    made = assignment(program, names[0], loop) if len(names) == 1 else None
    above = program.up(made, cst.SimpleStatementLine) if made is not None else None
    if made is None or above is None or len(above.body) != 1:
        return
    if not isinstance(loop.body, cst.IndentedBlock) or in_loop(program, above):
        return
    name = names[0]
    yield Rewrite(
        program.replace({made.value: method(made.value, "detach")}),
        f"line {program.line(made)}: `{name}` is a value that the loop does not change",
        "it stays as it is computed above the loop",
        subjects=(name,),
    )
    inside = loop.body.with_changes(body=[above, *loop.body.body])
    yield Rewrite(
        program.replace({above: cst.RemoveFromParent(), loop.body: inside}),
        f"line {program.line(made)}: `{name}` is computed anew in every step of the loop",
        "it is computed in every step",
        subjects=(name,),
        new_name=name,
    )


def _first_reads(program: Failed, statement: cst.CSTNode) -> set[str]:
    scope = scope_of(program, statement)
    names = {n.value for n in program.inside(statement, cst.Name)}
    targets = _bound(program, statement)
    found = set()
    for name in names:
        places = [n for n in reads(program, name, statement) if scope_of(program, n) is scope]
        in_target = [n for n in places if program.up(n, cst.AssignTarget) is not None]
        if len(places) > len(in_target) or (name not in targets and places):
            found.add(name)
    return found


def _bound(program: Failed, statement: cst.CSTNode) -> set[str]:
    return {
        name
        for assign in program.inside(statement, cst.Assign)
        for target in assign.targets
        for name in names_in(target.target)
    }


def _rebound(program: Failed, loop: cst.CSTNode, name: str) -> bool:
    return name in _bound(program, loop)


def _has_graph(facts: Variable | None) -> bool:
    """A tensor with a history, or a tuple such as an LSTM's state."""
    if facts is None:
        return False
    if facts.dtype is None:
        return facts.type == "tuple"
    return facts.grad_fn is not None


# -- straight on: two losses, or one loss twice ----------------------------------------------


def _taken_as_a_value(
    program: Failed, first: str, second: str, line: cst.SimpleStatementLine
) -> cst.Name | None:
    """The result of one model in the loss of another, which has a result of its own there."""
    made = [assignment(program, name, line) for name in (first, second)]
    if made[0] is None or made[1] is None:
        return None
    with_graph = [
        {
            n.value
            for n in program.inside(m.value, cst.Name)
            if _has_graph(program.seen.get(n.value))
        }
        for m in made
        if m is not None
    ]
    shared, own = with_graph[0] & with_graph[1], with_graph[1] - with_graph[0]
    places = [n for n in program.inside(made[1].value, cst.Name) if n.value in shared]
    return places[0] if len(places) == 1 and own - {first} else None


def _straight(program: Failed, line: cst.SimpleStatementLine, looped: bool) -> Rewrites:
    body, at = siblings(program, line)
    earlier = [s for s in body[:at] if _backward_of(program, s) is not None]
    if not earlier:
        return
    first = earlier[-1]
    between = body[body.index(first) + 1 : at]
    if any(_BETWEEN.search(program.text(s)) for s in between):
        return  # the weights moved, or the gradients were taken: adding up would be another thing
    one, two = _backward_of(program, first), _backward_of(program, line)
    if one is None or two is None or not isinstance(first, cst.SimpleStatementLine):
        return
    assert isinstance(one.func, cst.Attribute) and isinstance(two.func, cst.Attribute)
    a, b = program.text(one.func.value), program.text(two.func.value)
    plain = a.isidentifier() and b.isidentifier() and not one.args and not two.args
    if a != b and plain and not between and first.trailing_whitespace.comment is None:
        added = cst.parse_expression(f"({a} + {b}).backward()")
        kept = line.with_changes(leading_lines=[*first.leading_lines, *line.leading_lines])
        edits: Edits = {first: cst.RemoveFromParent()}
        edits[line] = kept.with_deep_changes(two, func=cst.ensure_type(added, cst.Call).func)
        cut = _taken_as_a_value(program, a, b, line)
        yield Rewrite(
            program.replace(edits),
            f"line {program.line(line)}: `{a}` and `{b}` share their forward; one backward of the "
            "sum gives the same gradients",
            f"`{b}` trains what made `{cut.value}` too" if cut is not None else "",
        )
        if cut is not None:
            yield Rewrite(
                program.replace({cut: method(cut, "detach")}),
                f"line {program.line(cut)}: `{cut.value}` goes into `{b}` as a value",
                f"only `{a}` trains what made `{cut.value}`",
                subjects=(b,),
            )
        return
    if looped and a == b:
        return
    if any(given.keyword is not None for given in one.args):
        return
    told = f"the graph is kept for the backward at line {program.line(line)}"
    yield program.edit({one: with_argument(one, 99, "retain_graph", cst.Name("True"))}, told)


def _asked_again(program: Failed, line: cst.SimpleStatementLine, grad: cst.Call) -> Rewrites:
    """A graph that `autograd.grad` needs after a backward: the backward keeps it."""
    outputs = argument(grad, 0, "outputs")
    if outputs is None or _SECOND.search(program.module.code):
        return
    body, at = siblings(program, line)
    earlier = [(s, c) for s in body[:at] if (c := _backward_of(program, s)) is not None]
    same = [
        (s, c)
        for s, c in earlier
        if isinstance(c.func, cst.Attribute)
        and program.text(c.func.value) == program.text(outputs.value)
    ]
    if same:
        earlier = same
    if len(earlier) != 1:
        return
    statement, first = earlier[0]
    between = body[body.index(statement) + 1 : at]
    if any(re.search(r"\.step\(", program.text(s)) for s in between) or first.args:
        return
    told = f"the graph is kept for the gradients asked for at line {program.line(line)}"
    yield program.edit({first: with_argument(first, 99, "retain_graph", cst.Name("True"))}, told)


def _one_by_one(program: Failed, line: cst.SimpleStatementLine, node: cst.Call) -> Rewrite | None:
    """`for loss in losses: loss.backward()` as one backward of their sum."""
    loop = program.up(line, cst.For)
    if loop is None or not isinstance(loop.body, cst.IndentedBlock) or loop.orelse is not None:
        return None
    if [*loop.body.body] != [line] or not isinstance(loop.iter, cst.Name) or node.args:
        return None
    if _backward_of(program, line) is not node or not isinstance(node.func, cst.Attribute):
        return None
    if program.text(node.func.value) != program.text(loop.target):
        return None
    summed = cst.parse_statement(f"sum({loop.iter.value}).backward()\n")
    assert isinstance(summed, cst.SimpleStatementLine)
    comments = [
        cst.EmptyLine(comment=t.comment)
        for t in (loop.body.header, line.trailing_whitespace)
        if t.comment is not None
    ]
    kept = [e for e in (*line.leading_lines, *loop.body.footer) if e.comment is not None]
    summed = summed.with_changes(leading_lines=[*loop.leading_lines, *comments, *kept])
    told = (
        f"one backward of the sum of `{loop.iter.value}` gives the same "
        "gradients, and goes once through what they share"
    )
    return program.edit({loop: summed}, told, subjects=(program.text(loop.target),))


def _backward_of(program: Failed, statement: cst.CSTNode) -> cst.Call | None:
    """The `x.backward(…)` that a statement is."""
    if not isinstance(statement, cst.SimpleStatementLine) or len(statement.body) != 1:
        return None
    small = statement.body[0]
    call = small.value if isinstance(small, cst.Expr) else None
    if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute):
        return None
    return call if call.func.attr.value == "backward" else None


# -- checks ----------------------------------------------------------------------------------


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """Gradients arrive, values stay, and no graph is kept from step to step of a loop."""
    found = [reaches_leaves(after), same_tensors(before, after, proposal.code, proposal.subjects)]
    error = seen_error(before, *ERRORS)
    repeated = error is not None and any(b.line == error.line for b in backwards(before))
    grows = repeated and "retain_graph=True" in proposal.code
    detail = "the graph grows with every step" if grows else "no graph is kept longer than needed"
    enough = len(backwards(after)) >= len(backwards(before))
    return [
        *found,
        Check(name="graph", passed=not grows, detail=detail),
        Check(name="backwards", passed=enough, detail=f"{len(backwards(after))} backwards ran"),
    ]
