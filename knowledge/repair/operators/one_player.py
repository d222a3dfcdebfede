"""Let the loss of one of two models teach that one alone: `D(fake.detach())`.

A discriminator's loss goes back through the pictures into the generator, and frees the graph that
the generator's own loss needs. Whose parameters an optimizer holds, and whose a tensor was made
of, is read from the live objects.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.check import Check
from knowledge.repair.codemod import Proposal, Rewrite
from knowledge.repair.computed import backwards, reaches_leaves
from knowledge.repair.operator import COST, Failure
from knowledge.repair.toolkit.edits import Beside, method
from knowledge.repair.toolkit.sites import assignment, scope_of
from knowledge.repair.toolkit.statements import calls_of, inserted

ERRORS = ("freed_graph", "modified_in_place")

_MOST_NODES = 20_000  # of a graph


def edits(failure: Failure) -> Iterable[Rewrite]:
    """What the first player's loss is computed from, detached from the other player."""
    program, last = failure.program, failure.node
    if not isinstance(last, cst.Call) or not isinstance(last.func, cst.Attribute):
        return
    scope = scope_of(program, last)
    first = [
        call
        for _, call in calls_of(program, "backward")
        if scope_of(program, call) is scope and program.line(call) < program.line(last)
    ]
    owned = _stepped_after(failure, first[-1], last) if first else []
    if not owned:
        return
    for call in program.all(cst.Call):
        if scope_of(program, call) is not scope or program.line(call) >= program.line(first[-1]):
            continue
        if len(call.args) == 1 and _is_of(failure.value(call.func), owned):
            yield from _cut(failure, call, owned, last)


def _stepped_after(failure: Failure, first: cst.Call, last: cst.Call) -> list[Any]:
    """The parameters of the one optimizer that steps between the two backwards."""
    import torch

    program = failure.program
    for _, call in calls_of(program, "step"):
        if program.line(first) <= program.line(call) <= program.line(last):
            assert isinstance(call.func, cst.Attribute)
            optimizer = failure.value(call.func.value)
            if isinstance(optimizer, torch.optim.Optimizer):
                return [p for group in optimizer.param_groups for p in group["params"]]
    return []


def _is_of(module: Any, owned: list[Any]) -> bool:
    """Whether a module is the player whose parameters these are."""
    import torch

    mine = {id(p) for p in owned}
    own = list(module.parameters()) if isinstance(module, torch.nn.Module) else []
    return bool(own) and all(id(p) in mine for p in own)


def _cut(failure: Failure, call: cst.Call, owned: list[Any], last: cst.Call) -> Iterator[Rewrite]:
    program, given = failure.program, call.args[0].value
    if not isinstance(given, cst.Name) or not _is_made_by_another(failure.value(given), owned):
        return
    changes: dict[cst.CSTNode, cst.CSTNode] = {given: method(given, "detach")}
    again = dict(_asked_anew(failure, call, last))
    beside: dict[cst.CSTNode, Beside] = {}
    if len(again) > 1:  # its result keeps its name
        line = program.small_statement(next(iter(again)))
        held = program.parent(call)
        assert line is not None and isinstance(held, cst.Assign)
        beside = inserted(program, line, program.text(held))
    else:
        changes |= again
    player = program.text(call.func)
    what = f"the first loss teaches `{player}` alone"
    title = f"line {program.line(call)}: {what}, and goes no further back than `{given.value}`"
    if again:
        title += f"; the second asks `{player}` anew"
    new = program.replace(changes, beside=beside)
    yield Rewrite(new, title, what, as_one=True, cost=COST.SURE)


def _asked_anew(
    failure: Failure, call: cst.Call, last: cst.Call
) -> Iterator[tuple[cst.CSTNode, cst.CSTNode]]:
    """`D(fake)` for its result, where the second loss is computed from that."""
    program, held = failure.program, failure.program.parent(call)
    assert isinstance(last.func, cst.Attribute)
    loss = last.func.value
    made = assignment(program, loss.value, last) if isinstance(loss, cst.Name) else None
    if not isinstance(held, cst.Assign) or made is None:
        return
    name = program.text(held.targets[0].target)
    for used in program.inside(made.value, cst.Name):
        if used.value == name:
            yield used, call.deep_clone()


def _is_made_by_another(value: Any, owned: list[Any]) -> bool:
    """Whether the way back from a tensor ends in a parameter that is none of these."""
    mine = {id(p) for p in owned}
    queue = [getattr(value, "grad_fn", None)]
    seen: set[Any] = set()
    while queue and len(seen) < _MOST_NODES:
        node = queue.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        leaf = getattr(node, "variable", None)
        if leaf is not None and id(leaf) not in mine:
            return True
        queue += [n for n, _ in node.next_functions]
    return False


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """Every backward reaches leaves, and the one that failed reaches both players."""
    first, now = backwards(before), backwards(after)
    both = max((len(b.grads) for b in first), default=0)
    second = now[len(first) :] or now[1:]  # one that failed midway is among the first already
    reaches = len(now) > 1 and any(len(b.grads) >= both for b in second)
    detail = "the second loss reaches both players" if reaches else "one of them learns nothing"
    return [reaches_leaves(after), Check(name="players", passed=reaches, detail=detail)]
