"""Move a statement to where it works: an optimizer, or the step of a scheduler."""

import re

import libcst as cst

from executor.protocol import Finding
from knowledge.repair.codemod import Rewrites
from knowledge.repair.toolkit.edits import Program
from knowledge.repair.toolkit.flow import loops_around
from knowledge.repair.toolkit.sites import OPTIMIZERS
from knowledge.repair.toolkit.statements import block, calls_of, receiver, told_moved


def _held(program: Program, finding: Finding) -> Rewrites:
    """The optimizer made where, or of what, it holds the parameter."""
    yield from _below_what_is_made(program, finding)
    yield from _of_the_whole(program, finding)


def _of_the_whole(program: Program, finding: Finding) -> Rewrites:
    """`model.parameters()` for `model.head.parameters()`."""
    owner = finding.name.partition(".")[0]
    for made in _made(program):
        for call in program.inside(made.value, cst.Call):
            whole = re.fullmatch(
                rf"((self\.)?{re.escape(owner)})\.[\w.]+\.parameters", program.text(call.func)
            )
            if whole and not call.args and isinstance(call.func, cst.Attribute):
                of = call.func.with_changes(value=cst.parse_expression(whole[1]))
                told = f"the optimizer holds all of `{whole[1]}`"
                yield program.edit({call.func: of}, told, "all of it is to be trained", at=made)


def _made(program: Program) -> list[cst.Assign]:
    """Assignments that make an optimizer."""
    found = [
        a
        for a in program.all(cst.Assign)
        if isinstance(a.value, cst.Call) and re.search(OPTIMIZERS, program.text(a.value.func))
    ]
    return sorted(found, key=program.line)


def _below_what_is_made(program: Program, finding: Finding) -> Rewrites:
    """The optimizer made below a layer that was exchanged after it had been made."""
    owner = finding.name.partition(".")[0]
    for made in _made(program):
        if not re.search(rf"\b{re.escape(owner)}\.\w*param", program.text(made.value)):
            continue
        here = block(program, made)
        late = [
            s
            for s in here[here.index(made) + 1 :]
            if isinstance(s, cst.Assign)
            and (target := program.text(s.targets[0].target)).startswith(f"{owner}.")
            and finding.name.startswith(f"{target}.")
        ]
        name = program.text(made.targets[0].target)
        if not late:
            continue
        between = here[here.index(made) + 1 : here.index(late[-1])]
        if any(re.search(rf"\b{re.escape(name)}\b", program.text(s)) for s in between):
            continue
        below = program.text(late[-1].targets[0].target)
        told = f"`{name}` is made below `{below}`, so that it holds the new layer"
        yield from told_moved(program, made, late[-1], told, after=True)


def _behind_the_step(program: Program, finding: Finding) -> Rewrites:
    """The scheduler's step right behind the optimizer's, or at the end of the epoch."""
    statement = program.statement_on(finding.line)
    found = [s for s, _ in calls_of(program, "step") if program.parent(s) is statement]
    if not found:
        return
    scheduler = found[0]
    here = block(program, scheduler)
    below = here[here.index(scheduler) + 1 :]
    steps = [s for s, c in calls_of(program, "step") if s is not scheduler]
    last = next((s for s in below if s in steps), below[-1] if below else None)
    if last is None:
        return
    told = "the scheduler is stepped after the optimizer"
    yield from told_moved(program, scheduler, last, told, after=True)


def _once_an_epoch(program: Program, finding: Finding) -> Rewrites:
    """A scheduler's step behind the loop over the batches, where that stands in one of epochs."""
    for step, call in calls_of(program, "step"):
        loops = loops_around(program, step)
        if len(loops) != 2 or not re.search(r"(?i)sched", receiver(program, call)):
            continue
        told = "the scheduler counts epochs and is stepped once in each"
        yield from told_moved(program, step, loops[0], told, after=True)


def _above_the_loop(program: Program, finding: Finding) -> Rewrites:
    """An optimizer that each round makes anew, made once above the loop."""
    for made in _made(program):
        loops = loops_around(program, made)
        if not loops:
            continue
        bound = {n.value for loop in loops[:1] for n in program.inside(_head(loop), cst.Name)}
        if bound & {n.value for n in program.inside(made.value, cst.Name)}:
            continue
        told = "the optimizer is made once, before the loop, and keeps its averages"
        yield from told_moved(program, made, loops[0], told)


def _head(loop: cst.For | cst.While) -> cst.BaseExpression:
    return loop.target if isinstance(loop, cst.For) else loop.test


EDITS = {
    "not_in_optimizer": _held,
    "scheduler_first": _behind_the_step,
    "optimizer_made_anew": _above_the_loop,
    "rate_died": _once_an_epoch,
}
