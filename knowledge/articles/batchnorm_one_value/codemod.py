"""Evaluate where nothing is trained, and leave out a last batch of one where something is."""

import re

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrites
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.flow import held_as, in_loop, walked
from knowledge.repair.toolkit.keeps import computed
from knowledge.repair.toolkit.sites import argument, calls, scope_of, with_argument
from knowledge.repair.toolkit.statements import told_inserted

ERRORS = ("batchnorm_one_value", "instancenorm_one_element")
KEEPS = (computed(),)
_IN_EVALUATION = ("eval_mode_training", "stays_in_eval")  # what the probes see of training so
_TRAINS = re.compile(r"\.backward\(|\.step\(|\boptim\b|\.train\(|autograd\.grad")


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """`model.eval()` before the call, or `drop_last=True` for the loader."""
    if "InstanceNorm" in (result.layer.type if result.layer else ""):
        return
    if _TRAINS.search(program.module.code) and not _predicts(program, result):
        yield from _without_the_last(program, result)
    else:
        yield from _evaluated(program, result)


def _predicts(program: Failed, result: JobResult) -> bool:
    """Whether it happened without gradients, at the top of the program, after what is trained."""
    block = program.up(program.outermost, cst.With) if program.outermost is not None else None
    if block is None or in_loop(program, block) or scope_of(program, block) is not program.module:
        return False
    rest = program.module.code.splitlines()[program.end_line(block) :]
    trains_later = any(_TRAINS.search(line) for line in rest)
    return not trains_later and any("no_grad" in program.text(i) for i in block.items)


def _without_the_last(program: Failed, result: JobResult) -> Rewrites:
    """Of the loader whose batches are walked through there: others may be what is evaluated."""
    loaders = list(calls(program, r"(^|\.)DataLoader$"))
    if len(loaders) > 1:
        names = walked(program, result.frames[0].line) if result.frames else []
        loaders = [loader for loader in loaders if held_as(program, loader) in names]
    if len(loaders) != 1 or argument(loaders[0], 9, "drop_last") is not None:
        return
    size = argument(loaders[0], 1, "batch_size")
    if size is None or program.text(size.value) in ("1", "None"):
        return
    new = with_argument(loaders[0], 99, "drop_last", cst.Name("True"))
    yield program.edit({loaders[0]: new}, "the loader leaves out a last batch that is too small")


def _evaluated(program: Failed, result: JobResult) -> Rewrites:
    if (statement := program.outermost) is None:
        return
    if any(earlier.line == result.frames[0].line for earlier in result.calls):
        return  # it has run in training mode before: only this batch has a single value
    known = result.frames[0].locals or program.seen
    called = [
        c.func.value
        for c in program.inside(statement, cst.Call)
        if isinstance(c.func, cst.Name) and c.func.value in known
    ]
    if len(called) != 1:
        return
    told = f"nothing is trained here, so `{called[0]}` is put into evaluation mode first"
    yield told_inserted(program, statement, f"{called[0]}.eval()", told)


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """What is trained stays in training mode."""
    fine = not any(f.kind in _IN_EVALUATION for f in after.findings)
    detail = "the model trains in evaluation mode" if not fine else "the mode suits what is done"
    kept = "track_running_stats=False" not in proposal.code
    return [Check(name="mode", passed=fine and kept, detail=detail)]
