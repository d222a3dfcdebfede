"""Give cross entropy indices as whole numbers and one-hot rows as probabilities."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

import libcst as cst

from executor.errors import is_a, read
from executor.protocol import Caught, ErrorSeen, JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrite
from knowledge.repair.toolkit.edits import Program, method
from knowledge.repair.toolkit.losses import LossCall, loss_alive, loss_call, made_from
from knowledge.repair.toolkit.shapes import same_layers, same_numbers, span_of, still_computed
from knowledge.repair.toolkit.sites import seen_error, variables

_ROWS, _INDICES = "loss_class_probabilities", "loss_index_dtype"  # error families
ERRORS = (_ROWS, _INDICES)
_WHOLE = re.compile(r"^torch\.(randint|arange)\(|\.(argmax|round|floor)\(|^torch\.LongTensor\(")


def rewrite(program: Program, result: JobResult) -> Iterable[Rewrite]:
    """`.float()` where rows are one-hot, `.long()` where every index is a whole number."""
    error = seen_error(result, *ERRORS)
    loss = loss_call(program, result, error)
    if error is None or loss is None:
        return
    line = f"line {program.line(loss.call)}"
    source = made_from(program, loss.target)
    if is_a(error, _ROWS):
        if loss.input_shape is not None and len(loss.input_shape) == 1:
            yield from _two_classes(program, result, loss)
            return
        made = re.search(r"\bone_hot\(|torch\.eye\(", source) is not None
        given = _given(program, loss.target) or _of_several(program, loss.call.func)
        if not given and (made or _one_hot(result, loss.target)):
            yield Rewrite(
                program.replace({loss.target: method(loss.target, "float")}),
                f"{line}: the one-hot rows become probabilities",
            )
    elif _dtype(error) in ("Int", "Short", "Char") or (
        _WHOLE.search(source) or _whole(result, loss.target)
    ):
        yield Rewrite(
            program.replace({loss.target: method(loss.target, "long")}),
            f"{line}: the class indices become whole numbers of type torch.long",
        )


def _dtype(error: ErrorSeen | Caught) -> str:
    """What the target is, in PyTorch's short form."""
    seen = read(error, _INDICES)
    return seen["dtype"] if seen is not None else ""


def _two_classes(program: Program, result: JobResult, loss: LossCall) -> Iterable[Rewrite]:
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
    if loss.target_shape != loss.input_shape or span_of(program, result, loss.target) != (0, 1):
        return
    edits: dict[cst.CSTNode, cst.CSTNode] = {
        made[0].func: cst.parse_expression(program.name_of("torch.nn", "BCEWithLogitsLoss")),
        loss.target: method(loss.target, "float"),
    }
    yield Rewrite(
        program.replace(edits),
        f"line {program.line(made[0])}: one score a sample and labels 0 and 1 are a binary "
        "decision, and BCEWithLogitsLoss is its cross entropy",
        # The loss and its target go together: floats alone would be taken for probabilities.
        new_name=program.text(loss.call.func).rpartition(".")[2],
    )


def _given(program: Program, target: cst.BaseExpression) -> bool:
    """Whether a function takes the target as an argument: another call may give it others."""
    function = program.up(target, cst.FunctionDef)
    names = [p.name.value for p in function.params.params] if function is not None else []
    return isinstance(target, cst.Name) and target.value in names


def _of_several(program: Program, loss: cst.BaseExpression) -> bool:
    """Whether a loop goes over losses: the others get targets of another kind."""
    around = program.parent(loss)
    while around is not None:
        if isinstance(around, cst.For) and (
            program.text(loss) in re.findall(r"\w+", program.text(around.target))
        ):
            return True
        around = program.parent(around)
    return _given(program, loss)


def _values(result: JobResult, target: cst.BaseExpression) -> object:
    facts = variables(result).get(target.value) if isinstance(target, cst.Name) else None
    try:
        return ast.literal_eval(facts.repr) if facts is not None and facts.repr else None
    except (ValueError, SyntaxError):
        return None


def _one_hot(result: JobResult, target: cst.BaseExpression) -> bool:
    rows = _values(result, target)
    return isinstance(rows, list) and all(
        isinstance(r, list) and sorted(r)[-1:] == [1] and sum(r) == 1 for r in rows
    )


def _whole(result: JobResult, target: cst.BaseExpression) -> bool:
    numbers = _values(result, target)
    return isinstance(numbers, list) and all(float(n).is_integer() for n in numbers)


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The loss of the same predictions and targets."""
    kept = still_computed(seen_error(before, *ERRORS), proposal.code)
    return [kept, same_layers(before, after), same_numbers(before, after), loss_alive(after)]
