"""How a snippet computes a loss: the call, its operands and their live shapes, its reduction."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import libcst as cst

from executor.errors import SeenError
from executor.protocol import Caught, ErrorSeen, JobResult
from knowledge.repair.codemod import Check, Rewrites
from knowledge.repair.toolkit.edits import Program, method
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.shapes import Shape, shape_of
from knowledge.repair.toolkit.sites import argument, failing, given_to, integer

_REDUCE = frozenset({"sum", "mean", "norm", "item"})  # to one number, if no dimension is given


@dataclass(frozen=True)
class LossCall:
    """A call with a prediction and a target; a shape is None where the run did not show it."""

    call: cst.Call
    input: cst.BaseExpression
    target: cst.BaseExpression
    input_shape: Shape | None
    target_shape: Shape | None


def loss_call(
    program: Program, result: JobResult, error: ErrorSeen | Caught | None
) -> LossCall | None:
    """The failing call, if it has a prediction and a target."""
    node = failing(program, error)
    if not isinstance(node, cst.Call):
        return None
    found = _of_call(program, result, node)
    layer = result.layer
    if found is None or layer is None or layer.input is None or not layer.type.endswith("Loss"):
        return found
    shape = found.input_shape or layer.input
    return LossCall(found.call, found.input, found.target, shape, found.target_shape)


def _of_call(program: Program, result: JobResult, call: cst.Call) -> LossCall | None:
    if len(call.args) < 2 or any(a.star for a in call.args):
        return None
    given = {a.keyword.value: a.value for a in call.args if a.keyword is not None}
    plain = [a.value for a in call.args if a.keyword is None]
    prediction = given.get("input") or (plain[0] if plain else None)
    target = given.get("target") or (plain[1] if len(plain) > 1 else None)
    if prediction is None or target is None:
        return None
    return LossCall(
        call, prediction, target, shape_of(result, prediction), shape_of(result, target)
    )


def resized_target(program: Program, loss: LossCall, seen: SeenError) -> Rewrites:
    """unsqueeze or squeeze the target, where a dimension of size 1 is all that differs.

    Args:
        seen: PyTorch's message, of the family loss_sizes, which names both sizes.
    """
    if "target" not in seen.values:
        return
    target, given = seen.sizes("target"), seen.sizes("input")
    change = _change(target, given)
    if change is None:
        return
    new = method(loss.target, change[0], cst.Arg(integer(change[1])))
    told = f"the target {list(target)} gets the prediction's shape {list(given)}"
    yield program.edit({loss.target: new}, told, at=loss.call)


def _change(target: Shape, given: Shape) -> tuple[str, int] | None:
    """The one dimension of size 1 to add to the target or to take from it; None if it is not one.

    [8] and [8, 1] differ so; [1, 8] and [8, 1] do not, and which is right nobody can tell.
    """
    if len(given) == len(target) + 1:
        places = [i for i, n in enumerate(given) if n == 1 and given[:i] + given[i + 1 :] == target]
        return ("unsqueeze", places[-1]) if places else None
    if len(target) == len(given) + 1:
        places = [
            i for i, n in enumerate(target) if n == 1 and target[:i] + target[i + 1 :] == given
        ]
        return ("squeeze", places[-1]) if places else None
    return None


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


def made_from(program: Program, expression: cst.BaseExpression) -> str:
    """The code that an expression's value comes from: its own, or its variable's assignment."""
    found = given_to(program, expression)
    return program.text(found.value if found is not None else expression)


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
