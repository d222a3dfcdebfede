"""Call what a training loop forgot: backward, step, zero_grad, or train after an evaluation."""

import re
from collections.abc import Sequence

import libcst as cst

from executor.protocol import Finding
from knowledge.repair.codemod import Rewrites
from knowledge.repair.findings.cuts import collected
from knowledge.repair.toolkit.edits import Program
from knowledge.repair.toolkit.flow import loops_around
from knowledge.repair.toolkit.sites import calls
from knowledge.repair.toolkit.statements import (
    block,
    calls_of,
    inserted,
    last_name,
    receiver,
    told_inserted,
    told_moved,
)

OF_ARTICLES = frozenset({"gradients_accumulate"})
_LOSS = re.compile(r"(?i)loss|criterion|cross_entropy|objective|error")
_OPTIMIZER = re.compile(r"(?i)sched|scaler")


def _step(program: Program, finding: Finding) -> Rewrites:
    """`optimizer.step()` behind the only backward, and behind the clipping that follows it."""
    backwards = list(calls_of(program, "backward"))
    if len(backwards) != 1:
        return
    statement, call = backwards[0]
    here = block(program, statement)
    name = _spelt(program, finding.name, here)
    scaled = call.func.value if isinstance(call.func, cst.Attribute) else None
    if name is None or (
        isinstance(scaled, cst.Call) and last_name(program, scaled.func) == "scale"
    ):
        return  # a scaler has to make the step
    at = here.index(statement)
    while at + 1 < len(here) and re.search(r"clip_grad|\.unscale_\(", program.text(here[at + 1])):
        at += 1
    told = f"`{name}.step()` after backward(): the weights move"
    yield told_inserted(program, here[at], f"{name}.step()", told, after=True, at=statement)


def _spelt(program: Program, name: str, here: Sequence[cst.CSTNode]) -> str | None:
    """How this block calls the optimizer, which another scope may know by another name."""
    reset = [
        receiver(program, c)
        for s, c in calls_of(program, "zero_grad")
        if any(s is other for other in here)
    ]
    if len(set(reset)) == 1 and reset[0].rpartition(".")[2] == name:
        return reset[0]
    made = [
        program.text(a.targets[0].target)
        for a in program.all(cst.Assign)
        if program.text(a.targets[0].target).rpartition(".")[2] == name
    ]
    return made[0] if len(made) == 1 else None


def _backward(program: Program, finding: Finding) -> Rewrites:
    """`loss.backward()` before the step; or the reset that came between the two above both.

    Or the losses themselves, where new tensors were made of their numbers.
    """
    yield from collected(program, finding)
    steps = [s for s in calls_of(program, "step") if not _OPTIMIZER.search(receiver(program, s[1]))]
    for step, _ in steps:
        here = block(program, step)
        before = here[: here.index(step)]
        heard = [s for s, _ in calls_of(program, "backward") if s in before]
        if heard:
            for reset, _ in calls_of(program, "zero_grad"):
                if reset in before and before.index(reset) > before.index(heard[0]):
                    told = "the gradients are reset before backward(), and not between backward()"
                    yield from told_moved(program, reset, heard[0], f"{told} and the step")
            continue
        losses = [a for a in before if isinstance(a, cst.Assign) and _is_loss(program, a)]
        if losses:
            call = f"{program.text(losses[-1].targets[0].target)}.backward()"
            told = f"`{call}` before the step, which needs its gradients"
            yield told_inserted(program, step, call, told)


def _is_loss(program: Program, assign: cst.Assign) -> bool:
    target, value = assign.targets[0].target, assign.value
    if not isinstance(target, (cst.Name, cst.Attribute)) or len(assign.targets) != 1:
        return False
    called = isinstance(value, cst.Call) and _LOSS.search(program.text(value.func))
    return bool(_LOSS.search(program.text(target)) or called)


def _zero_grad(program: Program, finding: Finding) -> Rewrites:
    """The reset of this very optimizer, which is the only one, or others are reset."""
    stepping = [(s, by) for s, c in calls_of(program, "step")
                if not _OPTIMIZER.search(by := receiver(program, c))]  # fmt: skip
    name = finding.name.rpartition(".")[2]
    steps = [(s, by) for s, by in stepping if by.rpartition(".")[2] == name]
    if len(steps) != 1:
        return
    ((step, by),) = steps
    here = block(program, step)
    resets = [(s, receiver(program, c)) for s, c in calls_of(program, "zero_grad")]
    mine = [s for s, whose in resets if whose == by]
    if any(s in here for s in mine) or (len(stepping) > 1 and (mine or not resets)):
        return
    heard = [s for s, _ in calls_of(program, "backward") if s in here]
    if len(heard) == 1 and here.index(heard[0]) < here.index(step):  # several may add up on purpose
        told = f"every step of `{by}` starts from gradients of its own"
        yield told_inserted(program, heard[0], f"{by}.zero_grad()", told)


def _train(program: Program, finding: Finding) -> Rewrites:
    """`model.train()` before the loop over the batches, or at the beginning of each round."""
    statement = program.statement_on(finding.line)
    called = (
        re.search(rf"((?:\b\w+\.)*)\b{re.escape(finding.name)}\(", program.text(statement))
        if statement is not None
        else None
    )
    if statement is None or called is None:
        return
    model = f"{called[1]}{finding.name}"  # `self.model` in a method: another scope may have `model`
    loops = loops_around(program, statement)
    if not loops:
        return
    first: cst.CSTNode = loops[0] if len(loops) > 1 else loops[0].body.body[0]
    if isinstance(first, cst.SimpleStatementLine):
        first = first.body[0]
    assert isinstance(first, (cst.BaseSmallStatement, cst.BaseCompoundStatement))
    told = f"`{model}.train()` before each round of training"
    yield told_inserted(program, first, f"{model}.train()", told)


def _schedule(program: Program, finding: Finding) -> Rewrites:
    """`scheduler.step()` at the end of each epoch, where loops over batches stand in epochs."""
    line = program.statement_on(finding.line)
    if line is None or "Plateau" in program.text(line):
        return  # this one has to be told a loss
    for step, stepping in calls_of(program, "step"):
        loops = loops_around(program, step)
        if len(loops) != 2 or _OPTIMIZER.search(receiver(program, stepping)):
            continue
        last = loops[1].body.body[-1]
        if isinstance(last, cst.SimpleStatementLine):
            last = last.body[-1]
        assert isinstance(last, (cst.BaseSmallStatement, cst.BaseCompoundStatement))
        call = f"{finding.name}.step()"
        yield told_inserted(program, last, call, f"`{call}` at the end of each epoch", after=True)
        return


def _scaled(program: Program, finding: Finding) -> Rewrites:
    """`scaler.step(optimizer)` and `scaler.update()` in the place of the optimizer's own step."""
    scaler = str(finding.facts.get("scaler", ""))
    scaled = [receiver(program, c) for c in calls(program, rf"(^|\.){re.escape(scaler)}\.scale$")]
    steps = [
        (s, c) for s, c in calls_of(program, "step") if not _OPTIMIZER.search(receiver(program, c))
    ]
    if len(set(scaled)) != 1 or len(steps) != 1:
        return
    statement, call = steps[0]
    name, optimizer = scaled[0], receiver(program, call)
    new = cst.parse_expression(f"{name}.step({optimizer})")
    update = inserted(program, statement, f"{name}.update()", after=True)
    told = f"`{name}` divides the gradients again and makes the step"
    yield program.edit({call: new}, told, at=statement, beside=update, as_one=True)


EDITS = {
    "never_stepped": _step,
    "step_without_gradients": _backward,
    "gradients_accumulate": _zero_grad,
    "stays_in_eval": _train,
    "scheduler_never_stepped": _schedule,
    "scaler_left_out": _scaled,
}
