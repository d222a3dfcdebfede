"""Flatten all but the batch, where a view made rows of another number, or one row of the batch."""

import re

import libcst as cst

from executor.protocol import Caught, ErrorSeen, JobResult, ModuleCall
from knowledge.repair.codemod import Check, Proposal, Rewrites
from knowledge.repair.toolkit.edits import Program, method
from knowledge.repair.toolkit.shapes import same_layers, still_computed
from knowledge.repair.toolkit.sites import calls, integer, scope_of, seen_error, setting, variables

_LOSSES = ("broadcast_sizes", "loss_batch_sizes", "loss_sizes")  # error families
_LINEAR = "matmul_shapes"


def applies(result: JobResult) -> bool:
    """A model gave several rows a sample, or a Linear got a part of one."""
    if _of_a_loss(result):
        return _folded(result) is not None
    return seen_error(result, _LINEAR) is not None and _is_a_part(result)


def _of_a_loss(result: JobResult) -> bool:
    """Whether two numbers of rows were compared, by a loss or by the person's own assert."""
    own = result.error is not None and result.error.type == "AssertionError"
    return own or seen_error(result, *_LOSSES) is not None


def _error(result: JobResult) -> ErrorSeen | Caught | None:
    if result.error is not None and result.error.type == "AssertionError":
        return result.error
    return seen_error(result, *_LOSSES, _LINEAR)


def _folded(result: JobResult) -> ModuleCall | None:
    for call in reversed(result.calls):
        if len(call.inputs) > 1 and call.outputs and call.inputs[0] != call.outputs[0]:
            return call
    return None


def _is_a_part(result: JobResult) -> bool:
    """Several rows together are what the Linear was made for; or one row is the whole batch."""
    layer = result.layer
    if layer is None or layer.type != "Linear" or not layer.input or len(layer.input) > 2:
        return False
    *rows, width = layer.input
    wanted = setting(layer, "in_features") or 0
    if not rows or rows == [1]:
        samples = width // wanted if wanted and width % wanted == 0 else 1
        alive = variables(result).values()
        return samples > 1 and any((v.shape or ())[:1] == (samples,) for v in alive)
    return wanted > width > 0 and wanted % width == 0 and rows[0] % (wanted // width) == 0


def rewrite(program: Program, result: JobResult) -> Rewrites:
    """`flatten(1)` for the one `view(-1, n)` of the model, or its one `torch.flatten(x)`."""
    views = [c for c in calls(program, r"\.(view|reshape|flatten)$") if _is_by_rows(program, c)]
    if len(views) != 1:
        return
    function = scope_of(program, views[0])
    if not isinstance(function, cst.FunctionDef) or function.name.value != "forward":
        return
    assert isinstance(views[0].func, cst.Attribute)
    of = views[0].func.value
    if program.text(of) == "torch":
        of = views[0].args[0].value
    new = method(of, "flatten", cst.Arg(integer(1)))
    call = _folded(result)
    told = f"{list(call.inputs)} became {list(call.outputs)}" if call else "a sample became rows"
    yield program.edit({views[0]: new}, f"flatten all but the batch, since {told}")


def _is_by_rows(program: Program, call: cst.Call) -> bool:
    """`x.view(-1, n)`; and `x.view(-1)`, `x.view(1, -1)`, `x.flatten()` and `torch.flatten(x)`."""
    given = [program.text(a.value) for a in call.args]
    if program.text(call.func).endswith("flatten"):
        return len(given) == (program.text(call.func) == "torch.flatten")
    return given in (["-1"], ["1", "-1"]) or (given[:1] == ["-1"] and given[1:] not in ([], ["1"]))


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """As many results as samples."""
    folded = _folded(after)
    detail = f"{folded.module} gives {folded.outputs[0]} rows" if folded else "the view is gone"
    by_rows = re.search(r"\.(view|reshape)\(-1, ", proposal.code) is not None
    rows = Check(name="rows", passed=folded is None and not by_rows, detail=detail)
    return [still_computed(_error(before), proposal.code), rows, same_layers(before, after)]
