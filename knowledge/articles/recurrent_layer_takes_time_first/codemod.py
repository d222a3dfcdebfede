"""Tell a recurrent layer that the batch comes first, where its model gives a result a step."""

import re

import libcst as cst

from executor.protocol import Caught, ErrorSeen, JobResult, ModuleCall
from knowledge.repair.codemod import Check, Proposal, Rewrites
from knowledge.repair.toolkit.edits import Edits
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.shapes import same_layers, still_computed
from knowledge.repair.toolkit.sites import argument, calls, seen_error, with_argument

_FAMILIES = ("broadcast_sizes", "loss_batch_sizes", "loss_sizes")
_TIME = 1  # the dimension that is the time where the batch comes first


def applies(result: JobResult) -> bool:
    """Two sizes differ after a model turned [batch, time, …] into [time, …]."""
    return _error(result) is not None and _mixed_up(result) is not None


def _error(result: JobResult) -> ErrorSeen | Caught | None:
    error = seen_error(result)
    # The person's own `assert x.shape == y.shape` says the same.
    own = error is not None and error.type == "AssertionError"
    return error if own else seen_error(result, *_FAMILIES)


def _mixed_up(result: JobResult) -> ModuleCall | None:
    """The last call of a model whose results are as many as its input has steps."""
    for call in reversed(result.calls):
        if len(call.inputs) == 3 and call.outputs and call.inputs[0] != call.outputs[0]:
            return call if call.outputs[0] == call.inputs[_TIME] else None
    return None


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """batch_first=True, and `out[:, -1]` where the last step was `out[-1]`."""
    found = list(calls(program, r"(^|\.)(LSTM|GRU|RNN)$"))
    call = _mixed_up(result)
    if len(found) != 1 or call is None or argument(found[0], 4, "batch_first") is not None:
        return
    if any(a.star for a in found[0].args):
        return
    edits: Edits = {found[0]: with_argument(found[0], 99, "batch_first", cst.Name("True"))}
    steps = _last_steps(program, found[0])
    if steps is None:
        return
    edits |= steps
    told = ", and its last step is taken from dimension 1" if steps else ""
    what = f"{list(call.inputs)} has the batch first, and the layer is told so{told}"
    yield program.edit(edits, what, at=found[0], as_one=True)


def _last_steps(program: Failed, made: cst.Call) -> Edits | None:
    """`out[-1]` → `out[:, -1]` for what the layer gives; None where it is used otherwise."""
    assign = program.up(made, cst.Assign)
    if assign is None or assign.value is not made:
        return None
    layer = program.text(assign.targets[0].target)
    edits: Edits = {}
    for statement in program.all(cst.Assign):
        value, target = statement.value, statement.targets[0].target
        if not isinstance(value, cst.Call) or program.text(value.func) != layer:
            continue
        if not isinstance(target, (cst.Tuple, cst.List)) or len(value.args) > 1:
            return None  # a first state is given as well: its batch is counted elsewhere
        out = program.text(target.elements[0].value)
        for node in program.all(cst.Subscript):
            if program.text(node.value) != out or out == "_":
                continue
            first = program.text(node.slice[0].slice)
            if first == "-1":
                rest = node.slice[2:] if len(node.slice) > 2 else ()
                index = ", ".join([":", "-1", *(program.text(e.slice) for e in rest)])
                edits[node] = cst.parse_expression(f"{out}[{index}]")
            elif first != ":":
                return None
    return edits


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """One result for each sample, and the layers as they were."""
    mixed = _mixed_up(after)
    detail = f"{mixed.module} still gives one result a step" if mixed else "one for each sample"
    # The shape alone says little: `out[:, -1]` of a layer that takes the time first has it too.
    told = re.search(r"batch_first=True|\.transpose\(0, 1\)", proposal.code) is not None
    samples = Check(name="samples", passed=mixed is None and told, detail=detail)
    return [still_computed(_error(before), proposal.code), samples, same_layers(before, after)]
