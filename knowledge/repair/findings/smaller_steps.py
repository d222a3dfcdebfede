"""Take smaller steps, where a loss rose with every step until it was no number."""

import re
from collections.abc import Iterator

import libcst as cst

from executor.protocol import Finding, JobResult
from knowledge.repair.check import Check
from knowledge.repair.codemod import Rewrites
from knowledge.repair.toolkit.edits import Edits, Program
from knowledge.repair.toolkit.sites import OPTIMIZERS, argument, calls

_RATE = re.compile(r"(?i)^(lr|learning_?rate|eta)$")
_POWERS = range(1, 8)  # of ten that the rate is divided by


def _smaller(program: Program, finding: Finding) -> Rewrites:
    """Each rate of the program, ten times smaller, a hundred times, and so on."""
    if not finding.facts.get("ran_away"):
        return
    rates = list(_rates(program))
    above = [(rate, value) for rate, value in rates if program.line(rate) <= (finding.line or 0)]
    rates = above or rates  # those below belong to another training
    for power in _POWERS if rates else ():
        smaller: Edits = {rate: cst.Float(_written(value / 10**power)) for rate, value in rates}
        told = f"steps that are {10**power} times smaller, so that the loss falls"
        meant = "inputs and targets keep their scale"
        yield program.edit(smaller, told, meant, as_one=True, supposes=True)


def checks(before: JobResult, after: JobResult) -> list[Check]:
    """The loss falls: that it stays finite is not what anybody trains for."""
    rose = {loss.line for loss in before.losses}
    left = [loss for loss in after.losses if loss.line in rose and not loss.last < loss.first]
    told = ", ".join(f"{loss.first:.4g} to {loss.last:.4g}" for loss in after.losses[:2])
    falls = bool(after.losses) and not left
    return [Check(name="the loss falls", passed=falls, detail=told or "no loss was seen")]


def _rates(program: Program) -> Iterator[tuple[cst.BaseNumber, float]]:
    """The numbers that say how far a step goes."""
    arguments = (argument(call, 1, "lr") for call in calls(program, OPTIMIZERS))
    given = [
        *(a.value for a in arguments if a is not None),
        *(
            assign.value
            for assign in program.all(cst.Assign)
            if len(assign.targets) == 1 and _RATE.match(program.text(assign.targets[0].target))
        ),
    ]
    for node in given:
        if isinstance(node, (cst.Float, cst.Integer)) and float(node.evaluated_value) > 0:
            yield node, float(node.evaluated_value)


def _written(value: float) -> str:
    text = f"{value:.6g}"
    return text if re.search(r"[.e]", text) else f"{text}.0"


EDITS = {"loss_not_finite": _smaller, "loss_ran_away": _smaller}
