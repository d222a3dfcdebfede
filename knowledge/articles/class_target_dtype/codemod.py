"""Give cross entropy indices as whole numbers and one-hot rows as probabilities."""

from __future__ import annotations

import re

import libcst as cst

from executor.errors import is_a, read
from executor.protocol import Caught, ErrorSeen, JobResult, Variable
from knowledge.repair.codemod import Rewrites
from knowledge.repair.toolkit.dataflow import is_whole, values_of
from knowledge.repair.toolkit.edits import Edits, method
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.keeps import alive, computed, layers, numbers
from knowledge.repair.toolkit.losses import LossCall, loss_call, made_from
from knowledge.repair.toolkit.sites import variables

_ROWS, _INDICES = "loss_class_probabilities", "loss_index_dtype"  # error families
ERRORS = (_ROWS, _INDICES)
KEEPS = (computed(), layers, numbers, alive)
_OF_TWO = re.compile(r"torch\.randint\((?:low=)?(?:0, *)?(?:high=)?2, *(?:size=)?[(\[]")
_WHOLE = re.compile(r"^torch\.(randint|arange)\(|\.(argmax|round|floor)\(|^torch\.LongTensor\(")


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """`.float()` where rows are one-hot, `.long()` where every index is a whole number."""
    loss = loss_call(program, result, program.error)
    if loss is None:
        return
    source = made_from(program, loss.target)
    if is_a(program.error, _ROWS):
        if loss.input_shape is not None and len(loss.input_shape) == 1:
            yield from _two_classes(program, result, loss)
            return
        made = re.search(r"\bone_hot\(|torch\.eye\(", source) is not None
        given = _given(program, loss.target) or _of_several(program, loss.call.func)
        if not given and (made or _one_hot(result, loss)):
            told = "the one-hot rows become probabilities"
            yield program.edit({loss.target: method(loss.target, "float")}, told, at=loss.call)
    elif _dtype(program.error) in ("Int", "Short", "Char") or (
        _WHOLE.search(source) or is_whole(_facts(result, loss.target))
    ):
        told = "the class indices become whole numbers of type torch.long"
        yield program.edit({loss.target: method(loss.target, "long")}, told, at=loss.call)


def _dtype(error: ErrorSeen | Caught) -> str:
    """What the target is, in PyTorch's short form."""
    seen = read(error, _INDICES)
    return seen["dtype"] if seen is not None else ""


def _two_classes(program: Failed, result: JobResult, loss: LossCall) -> Rewrites:
    """One score a sample and labels 0 and 1: that is the binary cross entropy of the scores."""
    made = [
        a.value
        for a in program.all(cst.Assign)
        if program.text(a.targets[0].target) == program.text(loss.call.func)
    ]
    used = [
        c for c in program.all(cst.Call) if program.text(c.func) == program.text(loss.call.func)
    ]
    if len(made) != 1 or len(used) != 1 or not isinstance(made[0], cst.Call) or made[0].args:
        return
    of_two = _OF_TWO.match(made_from(program, loss.target)) is not None
    if loss.target_shape != loss.input_shape or not (
        of_two or set(_values(result, loss.target)) == {0, 1}
    ):
        return
    edits: Edits = {
        made[0].func: cst.parse_expression(program.name_of("torch.nn", "BCEWithLogitsLoss")),
        loss.target: method(loss.target, "float"),
    }
    told = "one score a sample and labels 0 and 1 are a binary decision, and BCEWithLogitsLoss is"
    # The loss and its target go together: floats alone would be taken for probabilities.
    name = program.text(loss.call.func).rpartition(".")[2]
    yield program.edit(edits, f"{told} its cross entropy", new_name=name)


def _given(program: Failed, target: cst.BaseExpression) -> bool:
    """Whether a function takes the target as an argument: another call may give it others."""
    function = program.up(target, cst.FunctionDef)
    names = [p.name.value for p in function.params.params] if function is not None else []
    return isinstance(target, cst.Name) and target.value in names


def _of_several(program: Failed, loss: cst.BaseExpression) -> bool:
    """Whether a loop goes over losses: the others get targets of another kind."""
    loops = (around for around in program.above(loss) if isinstance(around, cst.For))
    names = {name for f in loops for name in re.findall(r"\w+", program.text(f.target))}
    return program.text(loss) in names or _given(program, loss)


def _values(result: JobResult, target: cst.BaseExpression) -> list[float]:
    return values_of(_facts(result, target)) or []


def _facts(result: JobResult, target: cst.BaseExpression) -> Variable | None:
    return variables(result).get(target.value) if isinstance(target, cst.Name) else None


def _one_hot(result: JobResult, loss: LossCall) -> bool:
    values, columns = _values(result, loss.target), (loss.target_shape or (1,))[-1]
    rows = [values[i : i + columns] for i in range(0, len(values), columns)]
    return bool(rows) and all(sorted(r)[-1:] == [1] and sum(r) == 1 for r in rows)
