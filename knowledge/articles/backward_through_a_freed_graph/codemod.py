"""Let no second backward need a graph that the first one freed.

A state carried from step to step is cut at the step; two losses of one forward are added; only the
same loss differentiated twice, with nothing changed in between, keeps its graph.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import libcst as cst

from executor.protocol import JobResult, Variable
from knowledge.repair.codemod import Check, Proposal, Rewrite, Rewrites
from knowledge.repair.computed import backwards
from knowledge.repair.toolkit.edits import Edits, method, same
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.flow import in_loop, reads, siblings
from knowledge.repair.toolkit.keeps import backwards as all_reach
from knowledge.repair.toolkit.keeps import tensors
from knowledge.repair.toolkit.sites import (
    argument,
    assignment,
    given_to,
    names_in,
    seen_error,
    with_argument,
)
from knowledge.repair.toolkit.statements import line_of, told_inserted

ERRORS = ("freed_graph",)
KEEPS = (all_reach, tensors)
_SECOND = re.compile(r"second[- _]?(order|deriv)|hessian|grad_?grad|higher[- ]order|d2", re.I)
_BETWEEN = re.compile(r"\.(step|zero_grad)\(")


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """The state detached, the losses added, or the first backward told to keep its graph."""
    node, line = program.node, program.statement
    if len(result.frames) > 1:  # a custom Function's backward asks for what it had saved
        line = program.outermost or line
        node = _backward_of(line) or node
    if not isinstance(node, cst.Call) or line is None or not isinstance(node.func, cst.Attribute):
        return
    body, at = siblings(program, line)
    earlier = [s for s in body[:at] if _backward_of(s) is not None]
    second = _SECOND.search(program.module.code)
    if node.func.attr.value == "grad" and not second:
        yield from _asked_again(program, line, node, earlier)
    if node.func.attr.value != "backward":
        return
    if (added := _one_by_one(program, line, node)) is not None:
        yield added
    elif earlier and not second:
        yield from _straight(program, earlier[-1], line)
    elif not earlier and in_loop(program, line):
        yield from _carried(program, line, node.func.value)


def _backward_of(statement: cst.CSTNode | None) -> cst.Call | None:
    """The `x.backward(…)` that a statement is."""
    if not isinstance(statement, cst.SimpleStatementLine) or len(statement.body) != 1:
        return None
    small = statement.body[0]
    call = small.value if isinstance(small, cst.Expr) else None
    if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute):
        return None
    return call if call.func.attr.value == "backward" else None


def _start(backward: cst.Call) -> cst.BaseExpression:
    """What it starts from."""
    assert isinstance(backward.func, cst.Attribute)
    return backward.func.value


def _kept(program: Failed, backward: cst.Call, told: str) -> Rewrite:
    new = with_argument(backward, 99, "retain_graph", cst.Name("True"))
    return program.edit({backward: new}, f"the graph is kept for the {told}")


# -- in a loop: a state that remembers the step before ---------------------------------------


def _carried(program: Failed, line: cst.SimpleStatementLine, loss: cst.BaseExpression) -> Rewrites:
    loop = program.up(line, cst.For) or program.up(line, cst.While)
    if loop is None:
        return
    losses = {n.value for n in program.inside(loss, cst.Name)}
    found: list[tuple[str, cst.CSTNode]] = []
    bound: set[str] = set()
    for statement in loop.body.body:
        for name in sorted(_first_reads(program, statement) - bound - losses):
            if name in _bound(program, loop) and _has_graph(program.seen.get(name)):
                found.append((name, statement))
        bound |= _bound(program, statement)
    if not found:
        yield from _outlived(program, loop, losses)
    if len(found) != 1:
        return
    name, by = found[0]
    plain = program.seen[name].dtype is not None
    cut = f"{name}.detach()" if plain else f"tuple(part.detach() for part in {name})"
    first = assignment(program, name, loop)
    # Where it starts from None there is nothing to cut yet.
    after = first is not None and program.text(first.value) == "None"
    by = [s for s in loop.body.body if name in _bound(program, s)][-1] if after else by
    told = f"`{name}` goes on into the next step as a value, without the step that made it"
    if isinstance(by, cst.SimpleStatementLine):
        cut = f"{name} = {cut}"
        yield told_inserted(program, by, cut, told, after=after, subjects=(name,))


def _outlived(program: Failed, loop: cst.For | cst.While, losses: set[str]) -> Rewrites:
    """A value computed once above the loop: a constant for it, or to be computed in every step."""
    used = {n.value for n in program.inside(loop.body, cst.Name)} - losses - _bound(program, loop)
    names = [n for n in used if (facts := program.seen.get(n)) and facts.grad_fn is not None]
    made = assignment(program, names[0], loop) if len(names) == 1 else None
    above = program.up(made, cst.SimpleStatementLine) if made is not None else None
    if made is None or above is None or len(above.body) != 1:
        return
    if not isinstance(loop.body, cst.IndentedBlock) or in_loop(program, above):
        return
    name, both = names[0], (names[0],)
    told = f"`{name}` is a value that the loop does not change"
    meant, new = "it stays as it is computed above the loop", method(made.value, "detach")
    yield program.edit({made.value: new}, told, meant, at=made, subjects=both)
    inside = loop.body.with_changes(body=[above, *loop.body.body])
    moved: Edits = {above: cst.RemoveFromParent(), loop.body: inside}
    told = f"`{name}` is computed anew in every step of the loop"
    meant = "it is computed in every step"
    yield program.edit(moved, told, meant, at=made, subjects=both, new_name=name)


def _first_reads(program: Failed, statement: cst.CSTNode) -> set[str]:
    """The names that a statement reads, not those that it only writes into."""
    found = set()
    for name in {n.value for n in program.inside(statement, cst.Name)}:
        places = reads(program, name, statement)
        others = [n for n in places if program.up(n, cst.AssignTarget) is None]
        if others or (places and name not in _bound(program, statement)):
            found.add(name)
    return found


def _bound(program: Failed, statement: cst.CSTNode) -> set[str]:
    targets = program.inside(statement, cst.AssignTarget)
    return {name for target in targets for name in names_in(target.target)}


def _has_graph(facts: Variable | None) -> bool:
    """A tensor with a history, or a tuple such as an LSTM's state."""
    if facts is None:
        return False
    return facts.type == "tuple" if facts.dtype is None else facts.grad_fn is not None


# -- straight on: two losses, or one loss twice ----------------------------------------------


def _taken_as_a_value(program: Failed, first: cst.CSTNode, second: cst.CSTNode) -> cst.Name | None:
    """The result of one model in the loss of another, which has a result of its own there."""
    one, two = given_to(program, first), given_to(program, second)
    if one is None or two is None:
        return None
    names = [program.inside(made.value, cst.Name) for made in (one, two)]
    of_one, of_two = ({n.value for n in few if _has_graph(program.seen.get(n.value))}
                      for few in names)  # fmt: skip
    places = [n for n in names[1] if n.value in of_one & of_two]
    own = of_two - of_one - {program.text(first)}
    return places[0] if len(places) == 1 and own else None


def _straight(program: Failed, first: cst.BaseStatement, line: cst.SimpleStatementLine) -> Rewrites:
    body, at = siblings(program, line)
    between = body[body.index(first) + 1 : at]
    if any(_BETWEEN.search(program.text(s)) for s in between):
        return  # the weights moved, or the gradients were taken: adding up would be another thing
    one, two = _backward_of(first), _backward_of(line)
    if one is None or two is None or not isinstance(first, cst.SimpleStatementLine):
        return
    a, b = program.text(_start(one)), program.text(_start(two))
    plain = a.isidentifier() and b.isidentifier() and not one.args and not two.args
    if a != b and plain and not between and first.trailing_whitespace.comment is None:
        added = cst.ensure_type(cst.parse_expression(f"({a} + {b}).backward()"), cst.Call)
        kept = line.with_changes(leading_lines=[*first.leading_lines, *line.leading_lines])
        edits: Edits = {line: kept.with_deep_changes(two, func=added.func)}
        edits[first] = cst.RemoveFromParent()
        cut = _taken_as_a_value(program, _start(one), _start(two))
        told = f"`{a}` and `{b}` share their forward; one backward of the sum gives the same"
        meant = f"`{b}` trains what made `{cut.value}` too" if cut is not None else ""
        yield program.edit(edits, f"{told} gradients", meant)
        if cut is not None:
            told = f"`{cut.value}` goes into `{b}` as a value"
            meant = f"only `{a}` trains what made `{cut.value}`"
            yield program.edit({cut: method(cut, "detach")}, told, meant, subjects=(b,))
    elif not (in_loop(program, line) and a == b) and not any(a.keyword for a in one.args):
        yield _kept(program, one, f"backward at line {program.line(line)}")


def _asked_again(
    program: Failed,
    line: cst.SimpleStatementLine,
    grad: cst.Call,
    earlier: Sequence[cst.BaseStatement],
) -> Rewrites:
    """A graph that `autograd.grad` needs after a backward: the backward keeps it."""
    outputs, (body, at) = argument(grad, 0, "outputs"), siblings(program, line)
    if outputs is None:
        return
    heard = [(s, c) for s in earlier if (c := _backward_of(s)) is not None]
    same = [h for h in heard if program.text(_start(h[1])) == program.text(outputs.value)]
    if len(same or heard) != 1:
        return
    statement, first = (same or heard)[0]
    between = body[body.index(statement) + 1 : at]
    if not any(re.search(r"\.step\(", program.text(s)) for s in between) and not first.args:
        yield _kept(program, first, f"gradients asked for at line {program.line(line)}")


def _one_by_one(program: Failed, line: cst.SimpleStatementLine, node: cst.Call) -> Rewrite | None:
    """`for loss in losses: loss.backward()` as one backward of their sum."""
    loop = program.up(line, cst.For)
    if loop is None or not isinstance(loop.body, cst.IndentedBlock) or loop.orelse is not None:
        return None
    if [*loop.body.body] != [line] or not isinstance(loop.iter, cst.Name) or node.args:
        return None
    if _backward_of(line) is not node or not same(_start(node), loop.target):
        return None
    ends = (t.comment for t in (loop.body.header, line.trailing_whitespace))
    comments = [cst.EmptyLine(comment=comment) for comment in ends if comment is not None]
    kept = [e for e in (*line.leading_lines, *loop.body.footer) if e.comment is not None]
    summed = line_of(f"sum({loop.iter.value}).backward()\n")
    summed = summed.with_changes(leading_lines=[*loop.leading_lines, *comments, *kept])
    told = f"one backward of the sum of `{loop.iter.value}` gives the same gradients, and goes once"
    subjects = (program.text(loop.target),)
    return program.edit({loop: summed}, f"{told} through what they share", subjects=subjects)


# -- checks ----------------------------------------------------------------------------------


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """No graph is kept from step to step of a loop, and no backward is gone."""
    error = seen_error(before, *ERRORS)
    repeated = error is not None and any(b.line == error.line for b in backwards(before))
    grows = repeated and "retain_graph=True" in proposal.code
    told = "no graph is kept longer than needed", "the graph grows with every step"
    ran, detail = len(backwards(after)), f"{len(backwards(after))} backwards ran"
    enough = Check(name="backwards", passed=ran >= len(backwards(before)), detail=detail)
    return [Check.of("graph", not grows, *told), enough]
