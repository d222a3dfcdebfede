"""How a snippet computes a loss: its reduction, and what of it has many elements."""

import re
from typing import Any

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Check
from knowledge.repair.toolkit.edits import Program
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.sites import argument

_REDUCE = frozenset({"sum", "mean", "norm", "item"})  # to one number, if no dimension is given


def reduction_left_out(program: Program, value: cst.BaseExpression) -> bool:
    """Whether a value is directly a loss of torch's with reduction="none"."""
    if not isinstance(value, cst.Call):
        return False
    # `nn.MSELoss(reduction="none")(a, b)`, or where the layer of this name was made.
    called = program.text(value.func).rpartition(".")[2]
    makers = [a.value for a in program.all(cst.Assign)
              if program.text(a.targets[0].target).rpartition(".")[2] == called]  # fmt: skip
    return any(_says_none(program, made) for made in (value, value.func, *makers[:1]))


def _says_none(program: Program, made: cst.BaseExpression) -> bool:
    if not isinstance(made, cst.Call) or (given := argument(made, 99, "reduction")) is None:
        return False
    named = re.search(r"(Loss|_loss|cross_entropy\w*)$", program.text(made.func))
    return named is not None and program.text(given.value)[1:-1] == "none"


def with_many(program: Failed, value: cst.BaseExpression) -> cst.BaseExpression:
    """The term of a sum that has many elements: a number beside it is not to count for each."""
    if isinstance(value, cst.BinaryOperation) and isinstance(
        value.operator, cst.Add | cst.Subtract
    ):
        for one, other in ((value.right, value.left), (value.left, value.right)):
            if _is_one_number(program, one):
                return with_many(program, other)
    return value


def _is_one_number(program: Failed, term: cst.BaseExpression) -> bool:
    """Whether a term is computed from numbers and from what was reduced to one, as far as seen."""
    if isinstance(term, cst.BinaryOperation):
        return all(_is_one_number(program, side) for side in (term.left, term.right))
    if isinstance(term, cst.Integer | cst.Float):
        return True
    if isinstance(term, cst.Name):
        facts = program.seen.get(term.value)
        return facts is not None and (facts.type in ("int", "float") or facts.shape == ())
    if not isinstance(term, cst.Call) or not isinstance(term.func, cst.Attribute):
        return False
    owner = program.text(term.func.value)
    given = len(term.args) - (owner in ("torch", "torch.linalg", "LA"))
    return term.func.attr.value in _REDUCE and given == 0


def is_one_hot(rows: Any) -> bool:
    """Whether each row of a tensor is a class, as a 1 among zeros."""
    if rows.dim() != 2 or rows.shape[1] < 2 or not len(rows):
        return False
    return bool(((rows == 0) | (rows == 1)).all()) and bool((rows.sum(1) == 1).all())


def loss_alive(after: JobResult) -> Check:
    """No loss of the run is stuck at exactly zero, as it is with a single class."""
    losses = [b.loss for b in after.values.backwards if b.loss] if after.values is not None else []
    dead = bool(losses) and all(loss.norm == 0 for loss in losses)
    return Check.of("loss", not dead, "the loss is not stuck at zero", "every loss is exactly 0")
