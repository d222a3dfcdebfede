"""What a loop carries from step to step with its graph, and how it goes on as a value."""

import libcst as cst

from executor.protocol import Variable
from knowledge.repair.codemod import Rewrites
from knowledge.repair.toolkit.edits import Edits, method
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.flow import in_loop, reads
from knowledge.repair.toolkit.sites import assignment, names_in
from knowledge.repair.toolkit.statements import told_inserted


def carried(program: Failed, line: cst.SimpleStatementLine, loss: cst.BaseExpression) -> Rewrites:
    """The state cut where a step begins; what was made above the loop as a value, or made anew.

    Args:
        line: in the loop, the statement whose backward needs the graph of another step.
        loss: what it starts from.
    """
    loop = program.up(line, cst.For) or program.up(line, cst.While)
    if loop is None:
        return
    losses = {n.value for n in program.inside(loss, cst.Name)}
    found: list[tuple[str, cst.CSTNode]] = []
    bound: set[str] = set()
    for statement in loop.body.body:
        for name in sorted(_first_reads(program, statement) - bound - losses):
            if name in _bound(program, loop) and has_graph(program.seen.get(name)):
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


def has_graph(facts: Variable | None) -> bool:
    """A tensor with a history, or a tuple such as an LSTM's state."""
    if facts is None:
        return False
    return facts.type == "tuple" if facts.dtype is None else facts.grad_fn is not None


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
