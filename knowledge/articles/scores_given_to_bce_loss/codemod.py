"""The loss that applies the sigmoid itself, where nothing else in the snippet does.

Where the snippet takes the output for a probability, as `output > 0.5` does, nothing is offered:
the model would have to change, not the loss.
"""

from __future__ import annotations

import re

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrite, Rewrites
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.keeps import alive, computed, layers, leaves
from knowledge.repair.toolkit.losses import loss_call, made_from

ERRORS, SAYS = ("loss_range",), {"which": "input"}
KEEPS = (computed(may_go=("binary_cross_entropy", "BCELoss")), layers, leaves, alive)
_LABELS = re.compile(
    r"^torch\.(randint\(0, ?2,|zeros\(|ones\(|rand\(|zeros_like\(|ones_like\(|bernoulli\()"
    r"|^torch\.(tensor|FloatTensor)\([\[\](), 01.]*(, ?dtype=[\w.]+)?\)"
)
_PROBABILITY = re.compile(r"[<>]=? ?0?\.\d|\bround\(|[sS]igmoid|[sS]oftmax")


def applies(result: JobResult) -> bool:
    """Binary cross entropy got values that are no probabilities."""
    told = result.explanation.text if result.explanation is not None else ""
    return "holds NaN" not in told  # else no sigmoid is missing: something before has no value


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """`BCEWithLogitsLoss` where the loss is made, or the function of that name."""
    loss = loss_call(program, result, program.error)
    code = re.sub(r"#.*", "", program.module.code)
    if loss is None or _PROBABILITY.search(code):
        return
    if not _LABELS.search(made_from(program, loss.target)):
        return  # labels outside would be taken without a word
    function = loss.call.func
    if isinstance(function, cst.Attribute) and function.attr.value == "binary_cross_entropy":
        new = function.with_changes(attr=cst.Name("binary_cross_entropy_with_logits"))
        yield _logits(program, function, new)
        return
    made: list[cst.BaseExpression] = [
        a.value
        for a in program.all(cst.Assign)
        if program.text(a.targets[0].target) == program.text(function)
    ]
    maker = function if isinstance(function, cst.Call) else made[0] if len(made) == 1 else None
    if isinstance(maker, cst.Call) and program.text(maker.func).rpartition(".")[2] == "BCELoss":
        name = cst.parse_expression(program.name_of("torch.nn", "BCEWithLogitsLoss"))
        yield _logits(program, maker.func, name)


def _logits(program: Failed, old: cst.BaseExpression, new: cst.BaseExpression) -> Rewrite:
    told = "the model gives scores; with logits the loss makes probabilities of them"
    return program.edit({old: new}, told)


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The loss of the same scores and labels, and every gradient arrives."""
    outside = [f for f in after.findings if f.kind == "bce_targets"]
    told = outside[0].message if outside else "the targets are between 0 and 1"
    return [Check(name="targets", passed=not outside, detail=told)]
