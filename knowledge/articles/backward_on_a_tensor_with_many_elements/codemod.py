"""Make one number of what backward() starts from: the mean, the sum, or both to choose from.

The default of torch's own losses is known (`reduction="none"` left the mean out); what a formula
written by hand means is not, so both are run.
"""

from __future__ import annotations

import re

import libcst as cst

from executor.errors import is_a
from executor.protocol import Backward, JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrite, Rewrites
from knowledge.repair.computed import backwards, reaches_leaves
from knowledge.repair.toolkit.dataflow import values_of
from knowledge.repair.toolkit.edits import call, keyword, method, operand
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.flow import later
from knowledge.repair.toolkit.sites import argument, assignment, seen_error, variables

_SEVERAL, _COMPLEX = "grad_of_many", "grad_of_complex"  # error families
ERRORS = (_SEVERAL, _COMPLEX)
_MEAN, _SUM = "every element counts by its share", "every element counts fully"
_LOSS = re.compile(r"loss|cost|error|objective|penalty", re.IGNORECASE)
_SAID_MEAN = r"\b(mean|average|batch loss|per.sample loss)\b"
_SAID_SUM = r"\b(sum|derivative (at|of) (each|every)|element.?wise (derivative|gradient))\b"
_REDUCE = frozenset({"sum", "mean", "norm", "item"})  # to one number, if no dimension is given
_JACOBIAN = re.compile(r"jacobian|hessian|jvp|vjp", re.IGNORECASE)


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """The mean, the sum, or `grad_outputs=torch.ones_like(…)` for grad()."""
    if _JACOBIAN.search(program.module.code):
        return  # then every row of it is wanted, and neither a sum nor a mean has them
    node = program.node
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return
    if node.func.attr.value == "grad":
        yield from _of_grad(program, node)
    elif node.func.attr.value == "backward":
        root = node.func.value
        if program.text(root) in {"torch.autograd", "autograd"}:
            return
        if is_a(program.error, _COMPLEX):
            yield from _of_complex(program, root)
            return
        yield from _of_backward(program, node, root)


def _of_complex(program: Failed, root: cst.BaseExpression) -> Rewrites:
    """A complex loss has no order: what of it is to go down, only words about it can say."""
    name = program.text(root)
    real = cst.Attribute(operand(root), cst.Name("real"))
    for new, what, intent, said in (
        (real, "the real part", "the real part goes down", r"\breal part\b"),
        (method(root, "abs"), "the magnitude", "the magnitude goes down", r"\bmagnitude\b"),
    ):
        if not re.search(said, program.module.code, re.IGNORECASE):
            continue
        told = f"backward starts from {what} of `{name}`"
        yield program.edit({root: new}, told, intent, said=said)


def _of_backward(program: Failed, backward: cst.Call, root: cst.BaseExpression) -> Rewrites:
    """The reduction where the value is made if it is only the loss, else at backward()."""
    name = program.text(root)
    made = assignment(program, name, backward) if isinstance(root, cst.Name) else None
    value = made.value if made is not None else root
    alone = made is not None and _is_only_the_loss(program, name, made, backward)
    where: cst.BaseExpression = _with_many(program, value) if alone else root
    at = f"line {program.line(where)}"
    term = (program.text(where),) if alone and where is not value else ()
    what = f"`{term[0]}`, and from the number beside it" if term else f"`{name}`"
    if _reduction_left_out(program, value):
        yield Rewrite(
            program.replace({where: method(where, "mean")}),
            f"{at}: the mean of the losses is one number, as without reduction='none'",
        )
        return
    yield Rewrite(
        program.replace({where: method(where, "mean")}),
        f"{at}: backward starts from the mean of {what}",
        _MEAN,
        subjects=term,
        said=_SAID_MEAN,
    )
    yield Rewrite(
        program.replace({where: method(where, "sum")}),
        f"{at}: backward starts from the sum of {what}; where it is computed element by element, "
        "each element's own derivative comes out",
        _SUM,
        subjects=term,
        said=_SAID_SUM,
    )


def _with_many(program: Failed, value: cst.BaseExpression) -> cst.BaseExpression:
    """The term of a sum that has many elements: a number beside it is not to count for each."""
    while isinstance(value, cst.BinaryOperation) and isinstance(
        value.operator, cst.Add | cst.Subtract
    ):
        if _is_one_number(program, value.right):
            value = value.left
        elif _is_one_number(program, value.left):
            value = value.right
        else:
            break
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


def _is_only_the_loss(program: Failed, name: str, made: cst.Assign, backward: cst.Call) -> bool:
    """Whether the value is used for nothing but backward() and `.item()`, so that it may shrink."""
    if not _LOSS.search(name):
        return False
    for node in later(program, name, made):
        parent = program.parent(node)
        if program.up(node, cst.Call) is backward:
            continue
        if not (isinstance(parent, cst.Attribute) and parent.attr.value in {"item", "backward"}):
            return False
    return True


def _reduction_left_out(program: Failed, value: cst.BaseExpression) -> bool:
    """Whether the value is directly a loss of torch's with reduction="none"."""
    if not isinstance(value, cst.Call):
        return False
    if _says_none(program, value):
        return True
    function = value.func
    if isinstance(function, cst.Call):  # nn.MSELoss(reduction="none")(a, b)
        return _says_none(program, function)
    attribute = program.text(function).rpartition(".")[2]
    for assign in program.all(cst.Assign):
        target = program.text(assign.targets[0].target).rpartition(".")[2]
        if target == attribute and isinstance(assign.value, cst.Call):
            return _says_none(program, assign.value)
    return False


def _says_none(program: Failed, made: cst.Call) -> bool:
    given = argument(made, 99, "reduction")
    named = re.search(r"(Loss|_loss|cross_entropy\w*)$", program.text(made.func))
    return given is not None and named is not None and program.text(given.value)[1:-1] == "none"


def _of_grad(program: Failed, grad: cst.Call) -> Rewrites:
    """The derivative at every point of an input, for one output a point."""
    outputs = argument(grad, 0, "outputs")
    inputs = argument(grad, 1, "inputs")
    if outputs is None or argument(grad, 2, "grad_outputs") is not None:
        return
    if not isinstance(outputs.value, cst.Name):
        yield Rewrite(
            program.replace({outputs.value: method(outputs.value, "sum")}),
            f"line {program.line(grad)}: the derivative of the sum is each element's own, where "
            "each is computed by itself",
            "each element depends on its own input alone",
            supposes=True,
        )
        return
    y = program.seen.get(program.text(outputs.value))
    x = program.seen.get(program.text(inputs.value)) if inputs is not None else None
    if not isinstance(outputs.value, cst.Name) or y is None or y.shape is None:
        return
    one_a_point = len(y.shape) == 1 or y.shape[-1] == 1 or (x is not None and x.shape == y.shape)
    if not one_a_point:
        return
    ones = call(program.name_of("torch", "ones_like"), cst.Arg(outputs.value))
    given = keyword("grad_outputs", ones)
    place = next(
        (
            i
            for i, a in enumerate(grad.args)
            if a.keyword is not None and a not in (outputs, inputs)
        ),
        len(grad.args),
    )
    arguments = [*grad.args[:place], given, *grad.args[place:]]
    yield Rewrite(
        program.replace({grad: grad.with_changes(args=arguments)}),
        f"line {program.line(grad)}: every element of `{outputs.value.value}` counts once, which "
        "gives its derivative at every point",
    )


# -- checks ----------------------------------------------------------------------------------


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """backward starts from the mean or the sum of what was there, and reaches leaves."""
    return [reaches_leaves(after), _starts(before, backwards(after), proposal.subjects)]


def _starts(before: JobResult, ran: tuple[Backward, ...], term: tuple[str, ...]) -> Check:
    """The number it starts from, compared with the elements where the run could tell them.

    Where a number stands beside the term that was reduced, nobody knows its part in them.
    """
    error = seen_error(before, *ERRORS)
    done = len(before.values.backwards) if before.values else 0
    if error is None or len(ran) <= done:
        return Check(name="start", passed=False, detail="backward did not run there")
    loss = ran[done].loss
    name = re.match(r"(?:torch\.)?(?:autograd\.grad\((?:outputs=)?)?(\w+)", error.code)
    elements = values_of(variables(before).get(name[1])) if name is not None else None
    if loss is None or elements is None or (term and not loss.shape):
        return Check(name="start", passed=loss is not None, detail="backward ran there")
    if loss.shape:
        same = len(elements) > 1 and "grad" in error.code
        return Check(name="start", passed=same, detail=f"it starts from all {len(elements)}")
    total = sum(elements)
    for what, value in (("mean", total / len(elements)), ("sum", total)):
        if abs(abs(value) - loss.norm) <= 1e-4 * max(1.0, abs(value)):
            return Check(name="start", passed=True, detail=f"it starts from their {what}")
    return Check(name="start", passed=False, detail="it starts from another number")
