"""Do what an error asks for in its own words: the mode of a module, an activity of the profiler."""

import re

import libcst as cst

from knowledge.repair.codemod import Rewrites
from knowledge.repair.operator import COST, Failure
from knowledge.repair.toolkit.edits import Edits
from knowledge.repair.toolkit.keeps import still_called
from knowledge.repair.toolkit.lazily import torch
from knowledge.repair.toolkit.live import operands
from knowledge.repair.toolkit.statements import inserted

_ASKS = r"(?i:(?<!not )\b(?:only|must|should|needs?|requires?|expects?)\b.*"
_EVAL, _NO_ACTIVITY = rf"{_ASKS}\beval(?:uation)?\b)", r"(?i:no activities specified)"
KEEPS = (still_called,)
SPEAKS = rf"{_EVAL}|{_ASKS}\btrain(?:ing)?\b mode)|{_NO_ACTIVITY}"


def edits(failure: Failure) -> Rewrites:
    """The mode set above the failing statement; the CPU among the profiler's activities."""
    if re.search(_NO_ACTIVITY, failure.error.message):
        yield from _with_cpu(failure)
        return
    wants_eval = re.search(_EVAL, failure.error.message) is not None
    for place in failure.places:
        for operand in operands(failure, place):
            yield from _in_mode(failure, operand.node, operand.value, wants_eval)


def _in_mode(
    failure: Failure, node: cst.BaseExpression, value: object, wants_eval: bool
) -> Rewrites:
    statement = failure.small_statement(node)
    if not isinstance(value, torch.nn.Module) or value.training != wants_eval or statement is None:
        return
    name, mode = failure.text(node), "eval" if wants_eval else "train"
    if not re.fullmatch(r"[\w.]+", name):
        return
    code = f"{name}.{mode}()"
    told, meant = f"`{code}` comes before it, as the error asks", f"`{name}` is in {mode} mode here"
    before = inserted(failure, statement, code)
    yield failure.edit({}, told, meant, at=statement, beside=before, cost=COST.SAID)


def _with_cpu(failure: Failure) -> Rewrites:
    """`[ProfilerActivity.CPU, ProfilerActivity.CUDA]`: without a GPU the CPU's part is left."""
    for given in failure.all(cst.Arg):
        if given.keyword is None or given.keyword.value != "activities":
            continue
        if not isinstance(given.value, (cst.List, cst.Tuple)) or not given.value.elements:
            continue
        first = given.value.elements[0]
        text = failure.text(first.value)
        if not text.endswith("ProfilerActivity.CUDA"):
            continue
        cpu = cst.parse_expression(text.removesuffix("CUDA") + "CPU")
        elements = [cst.Element(cpu), *given.value.elements]
        both: Edits = {given.value: given.value.with_changes(elements=elements)}
        told = "what the CPU does is recorded too"
        yield failure.edit(both, told, "the CPU's part is recorded too", at=given)
