"""Let the loss of one of two models teach that one alone: `D(fake.detach())`.

A discriminator's loss goes back through the pictures into the generator, and frees the graph that
the generator's own loss needs; an actor's goes back through the advantage into the critic, whose
graph is freed. Whose parameters an optimizer holds, and whose a tensor was made of, is read from
the live objects.
"""

from collections.abc import Iterator
from typing import Any

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.check import Check
from knowledge.repair.codemod import Proposal, Rewrite, Rewrites
from knowledge.repair.computed import backwards, reaches_leaves
from knowledge.repair.operator import COST, Failure
from knowledge.repair.toolkit.edits import Beside, Edits, method
from knowledge.repair.toolkit.lazily import torch
from knowledge.repair.toolkit.sites import assignment, scope_of
from knowledge.repair.toolkit.statements import block, calls_of, inserted, receiver, removed

ERRORS = ("freed_graph", "modified_in_place")

_MOST_NODES = 20_000  # of a graph


def edits(failure: Failure) -> Rewrites:
    """What one player's loss is computed from, detached from the other player."""
    last = failure.node
    if not isinstance(last, cst.Call) or not isinstance(last.func, cst.Attribute):
        return
    scope = scope_of(failure, last)
    first = [
        call
        for _, call in calls_of(failure, "backward")
        if scope_of(failure, call) is scope and failure.line(call) < failure.line(last)
    ]
    step = _step_between(failure, first[-1], last) if first else None
    if step is None:
        return
    owned = _held(failure, step)
    yield from _second_alone(failure, step, last)
    for call in failure.all(cst.Call):
        if scope_of(failure, call) is not scope or failure.line(call) >= failure.line(first[-1]):
            continue
        if len(call.args) == 1 and _is_of(failure.value(call.func), owned):
            yield from _cut(failure, call, owned, step, last)


def _step_between(failure: Failure, first: cst.Call, last: cst.Call) -> cst.Expr | None:
    """Where the one optimizer steps between the two backwards."""
    for statement, call in calls_of(failure, "step"):
        between = failure.line(first) <= failure.line(call) <= failure.line(last)
        if between and _held(failure, statement):
            return statement
    return None


def _held(failure: Failure, step: cst.Expr) -> set[int]:
    """The identities of the parameters that the optimizer holds which steps there."""
    call = cst.ensure_type(step.value, cst.Call)
    optimizer = failure.value(cst.ensure_type(call.func, cst.Attribute).value)
    if not isinstance(optimizer, torch.optim.Optimizer):
        return set()
    return {id(p) for group in optimizer.param_groups for p in group["params"]}


def _is_of(module: Any, owned: set[int]) -> bool:
    """Whether a module is the player whose parameters these are."""
    own = list(module.parameters()) if isinstance(module, torch.nn.Module) else []
    return bool(own) and all(id(p) in owned for p in own)


def _cut(
    failure: Failure, call: cst.Call, owned: set[int], step: cst.Expr, last: cst.Call
) -> Rewrites:
    given = call.args[0].value
    if not isinstance(given, cst.Name) or not _behind(failure.value(given)) - owned:
        return
    changes: Edits = {given: method(given, "detach")}
    loss = _second_loss(failure, last)
    again = dict(_asked_anew(failure, call, loss))
    beside: dict[cst.CSTNode, Beside] = {}
    player, held = failure.text(call.func), failure.parent(call)
    what = f"the first loss teaches `{player}` alone"
    title = f"line {failure.line(call)}: {what}, and goes no further back than `{given.value}`"
    later = loss is not None and bool(again) and failure.line(loss) < failure.line(step)
    if later:
        assert loss is not None and isinstance(held, cst.Assign)
        gone = removed(failure, loss) if _waits(failure, loss, step) else None
        if gone is None or len(again) > 1:
            return
        new_loss = loss.deep_replace(*next(iter(again.items())))
        beside = inserted(failure, step, failure.text(new_loss), after=True)
        below = failure.small_statement(last)
        if below is not None and _waits(failure, held, step, but=loss):  # it is not the first's
            changes, what = removed(failure, held) or {}, f"`{player}` is asked after its step"
            title, again = f"line {failure.line(held)}: {what}, and the loss made of that", {}
            beside = inserted(failure, step, failure.text(held), after=True)
            beside |= inserted(failure, below, failure.text(loss))
        changes |= gone
    elif len(again) > 1:  # its result keeps its name
        line = failure.small_statement(next(iter(again)))
        assert line is not None and isinstance(held, cst.Assign)
        beside = inserted(failure, line, failure.text(held))
    else:
        changes |= again
    if again:
        title += f"; the second asks `{player}` anew" + (", after its step" if later else "")
    new = failure.replace(changes, beside=beside)
    yield Rewrite(new, title, what, as_one=True, cost=COST.SURE)


def _second_loss(failure: Failure, last: cst.Call) -> cst.Assign | None:
    """The statement that makes what the last backward starts from."""
    loss = cst.ensure_type(last.func, cst.Attribute).value
    return assignment(failure, loss.value, last) if isinstance(loss, cst.Name) else None


def _asked_anew(
    failure: Failure, call: cst.Call, made: cst.Assign | None
) -> Iterator[tuple[cst.CSTNode, cst.CSTNode]]:
    """`D(fake)` for its result, where the second loss is computed from that."""
    held = failure.parent(call)
    if not isinstance(held, cst.Assign) or made is None:
        return
    name = failure.text(held.targets[0].target)
    for used in failure.inside(made.value, cst.Name):
        if used.value == name:
            yield used, call.deep_clone()


def _waits(failure: Failure, made: cst.Assign, step: cst.Expr, but: object = None) -> bool:
    """Whether nothing between a statement and the step, both of one block, reads what it makes."""
    name = failure.text(made.targets[0].target)
    statements = block(failure, step)
    if made not in statements or step not in statements:
        return False
    between = statements[statements.index(made) + 1 : statements.index(step)]
    read = (u.value for s in between if s is not but for u in failure.inside(s, cst.Name))
    return name not in read


def _behind(value: Any) -> set[int]:
    """The identities of the leaves that the way back from a tensor ends in."""
    queue = [getattr(value, "grad_fn", None)]
    seen: set[Any] = set()
    leaves: set[int] = set()
    while queue and len(seen) < _MOST_NODES:
        node = queue.pop()
        if node is None or node in seen:
            continue
        seen.add(node)
        leaf = getattr(node, "variable", None)
        if leaf is not None:
            leaves.add(id(leaf))
        queue += [n for n, _ in node.next_functions]
    return leaves


# -- the second loss --------------------------------------------------------------------------


def _second_alone(failure: Failure, step: cst.Expr, last: cst.Call) -> Rewrites:
    """What only the first player made, detached in the loss of the second."""
    owned = _held(failure, step)
    later = _step_after(failure, last)
    made = _second_loss(failure, last)
    if later is None or made is None or _held(failure, later) & owned:
        return
    cut: Edits = {}
    for used in failure.inside(made.value, cst.Name):
        if set() < _behind(failure.value(used)) <= owned:
            cut[used] = method(used, "detach")
    if not cut:
        return
    names = tuple(dict.fromkeys(failure.text(used) for used in cut))
    optimizer = receiver(failure, cst.ensure_type(later.value, cst.Call))
    what = f"`{failure.text(made.targets[0].target)}` teaches what `{optimizer}` steps alone"
    through = " and ".join(f"`{name}`" for name in names)
    told = f"{what}, and goes no further back through {through}"
    yield failure.edit(cut, told, what, at=made, subjects=names, as_one=True)


def _step_after(failure: Failure, last: cst.Call) -> cst.Expr | None:
    """The first step below a backward, in its scope."""
    scope = scope_of(failure, last)
    for statement, call in calls_of(failure, "step"):
        if failure.line(call) >= failure.line(last) and scope_of(failure, call) is scope:
            return statement
    return None


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """Every backward reaches leaves, and a first player's the one that failed reaches both."""
    if proposal.subjects:
        return [reaches_leaves(after)]
    first, now = backwards(before), backwards(after)
    both = max((len(b.grads) for b in first), default=0)
    second = now[len(first) :] or now[1:]  # one that failed midway is among the first already
    reaches = len(now) > 1 and any(len(b.grads) >= both for b in second)
    return [reaches_leaves(after), Check.of("players", reaches, "both learn", "one learns nothing")]
