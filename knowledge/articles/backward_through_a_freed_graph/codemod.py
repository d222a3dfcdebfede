"""Let no second backward need a graph that the first one freed.

A state carried from step to step is cut at the step; two losses of one forward are added; only the
same loss differentiated twice, with nothing changed in between, keeps its graph.
"""

import re
from collections.abc import Sequence

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrite, Rewrites
from knowledge.repair.computed import backwards
from knowledge.repair.toolkit.carried import carried, has_graph
from knowledge.repair.toolkit.edits import Edits, method
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.flow import in_loop, siblings
from knowledge.repair.toolkit.keeps import backwards as all_reach
from knowledge.repair.toolkit.keeps import tensors
from knowledge.repair.toolkit.sites import argument, assignment, seen_error, with_argument
from knowledge.repair.toolkit.statements import call_alone, line_of, receiver

ERRORS = ("freed_graph",)
KEEPS = (all_reach, tensors)
_SECOND = re.compile(r"second[- _]?(order|deriv)|hessian|grad_?grad|higher[- ]order|d2", re.I)
_BETWEEN = re.compile(r"\.(step|zero_grad)\(")


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """The state detached, the losses added, or the first backward told to keep its graph."""
    node, line = program.node, program.statement
    if len(result.frames) > 1:  # a custom Function's backward asks for what it had saved
        line = program.outermost or line
        node = call_alone(line, "backward") or node
    if not isinstance(node, cst.Call) or line is None or not isinstance(node.func, cst.Attribute):
        return
    body, at = siblings(program, line)
    earlier = [s for s in body[:at] if call_alone(s, "backward") is not None]
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
        yield from carried(program, line, node.func.value)


def _kept(program: Failed, backward: cst.Call, told: str, meant: str = "") -> Rewrite:
    new = with_argument(backward, 99, "retain_graph", cst.Name("True"))
    what = f"the graph is kept for the {told}"
    return program.edit({backward: new}, what, meant, supposes=bool(meant))


def _taken_as_a_value(program: Failed, first: cst.Call, second: cst.Call) -> cst.Name | None:
    """The result of one model in the loss of another, which has a result of its own there."""
    one, two = (assignment(program, receiver(program, c), c) for c in (first, second))
    if one is None or two is None:
        return None
    names = [program.inside(made.value, cst.Name) for made in (one, two)]
    graphs = {n for n, facts in program.seen.items() if has_graph(facts)}
    of_one, of_two = ({n.value for n in few} & graphs for few in names)
    places = [n for n in names[1] if n.value in of_one & of_two]
    return places[0] if len(places) == 1 and of_two - of_one - {receiver(program, first)} else None


def _straight(program: Failed, first: cst.BaseStatement, line: cst.SimpleStatementLine) -> Rewrites:
    body, at = siblings(program, line)
    between = body[body.index(first) + 1 : at]
    one, two = call_alone(first, "backward"), call_alone(line, "backward")
    if one is None or two is None or not isinstance(first, cst.SimpleStatementLine):
        return
    a, b = receiver(program, one), receiver(program, two)
    if any(_BETWEEN.search(program.text(s)) for s in between):  # adding up would be another thing
        if a != b and not one.args and assignment(program, b, first) is not None:
            yield _kept(program, one, f"other loss, `{b}`", f"`{a}` and `{b}` are of one forward")
        return
    plain = a.isidentifier() and b.isidentifier() and not one.args and not two.args
    if a != b and plain and not between and first.trailing_whitespace.comment is None:
        added = cst.ensure_type(cst.parse_expression(f"({a} + {b}).backward()"), cst.Call)
        kept = line.with_changes(leading_lines=[*first.leading_lines, *line.leading_lines])
        edits: Edits = {line: kept.with_deep_changes(two, func=added.func)}
        edits[first] = cst.RemoveFromParent()
        cut = _taken_as_a_value(program, one, two)
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
    heard = [(s, c) for s in earlier if (c := call_alone(s, "backward")) is not None]
    same = [h for h in heard if receiver(program, h[1]) == program.text(outputs.value)]
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
    each = program.text(loop.target)
    if call_alone(line, "backward") is not node or receiver(program, node) != each:
        return None
    ends = (t.comment for t in (loop.body.header, line.trailing_whitespace))
    comments = [cst.EmptyLine(comment=comment) for comment in ends if comment is not None]
    kept = [e for e in (*line.leading_lines, *loop.body.footer) if e.comment is not None]
    summed = line_of(f"sum({loop.iter.value}).backward()\n")
    summed = summed.with_changes(leading_lines=[*loop.leading_lines, *comments, *kept])
    told = f"one backward of the sum of `{loop.iter.value}` gives the same gradients, and goes once"
    return program.edit({loop: summed}, f"{told} through what they share", subjects=(each,))


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
