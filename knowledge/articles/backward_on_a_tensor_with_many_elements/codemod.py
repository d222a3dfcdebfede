"""Make one number of what backward() starts from: the mean, the sum, or both to choose from.

The default of torch's own losses is known (`reduction="none"` left the mean out); what a formula
written by hand means is not, so both are run.
"""

import re

import libcst as cst

from executor.errors import is_a
from executor.protocol import JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrites
from knowledge.repair.computed import backwards
from knowledge.repair.toolkit import keeps
from knowledge.repair.toolkit.dataflow import values_of
from knowledge.repair.toolkit.edits import call, keyword, method, operand
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.flow import is_added_up, is_attribute, later
from knowledge.repair.toolkit.losses import reduction_left_out, with_many
from knowledge.repair.toolkit.sites import argument, given_to, seen_error, variables

_SEVERAL, _COMPLEX = "grad_of_many", "grad_of_complex"  # error families
ERRORS = (_SEVERAL, _COMPLEX)
KEEPS = (keeps.backwards,)
_MEAN, _SUM = "every element counts by its share", "every element counts fully"
_LOSS = re.compile(r"loss|cost|error|objective|penalty", re.IGNORECASE)
_SAID_MEAN = r"\b(mean|average|batch loss|per.sample loss)\b"
_SAID_SUM = r"\b(sum|derivative (at|of) (each|every)|element.?wise (derivative|gradient))\b"
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
        if program.text(node.func.value) in {"torch.autograd", "autograd"}:
            return
        if is_a(program.error, _COMPLEX):
            yield from _of_complex(program, node.func.value)
            return
        yield from _of_backward(program, node, node.func.value)


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
    name, made = program.text(root), given_to(program, root)
    value = made.value if made is not None else root
    alone = made is not None and _is_only_the_loss(program, name, made, backward)
    where: cst.BaseExpression = with_many(program, value) if alone else root
    mean, total = method(where, "mean"), method(where, "sum")
    if reduction_left_out(program, value):
        told = "the mean of the losses is one number, as without reduction='none'"
        yield program.edit({where: mean}, told)
        return
    term = (program.text(where),) if alone and where is not value else ()
    what = f"`{term[0]}`, and from the number beside it" if term else f"`{name}`"
    told = f"backward starts from the mean of {what}"
    yield program.edit({where: mean}, told, _MEAN, subjects=term, said=_SAID_MEAN)
    told = f"backward starts from the sum of {what}; where it is computed element by element, each"
    told = f"{told} element's own derivative comes out"
    yield program.edit({where: total}, told, _SUM, subjects=term, said=_SAID_SUM)


def _is_only_the_loss(program: Failed, name: str, made: cst.Assign, backward: cst.Call) -> bool:
    """Whether what else the value is used for, such as `.item()`, wants one number of it too."""
    if not _LOSS.search(name):
        return False
    others = (n for n in later(program, name, made) if program.up(n, cst.Call) is not backward)
    one = ("item", "backward")
    return all(is_attribute(program, n, *one) or is_added_up(program, n) for n in others)


def _of_grad(program: Failed, grad: cst.Call) -> Rewrites:
    """The derivative at every point of an input, for one output a point."""
    outputs, inputs = argument(grad, 0, "outputs"), argument(grad, 1, "inputs")
    if outputs is None or argument(grad, 2, "grad_outputs") is not None:
        return
    root = outputs.value
    if not isinstance(root, cst.Name):
        told = "the derivative of the sum is each element's own, where each is computed by itself"
        meant = "each element depends on its own input alone"
        yield program.edit({root: method(root, "sum")}, told, meant, at=grad, supposes=True)
        return
    y = program.seen.get(root.value)
    x = program.seen.get(program.text(inputs.value)) if inputs is not None else None
    if y is None or y.shape is None:
        return
    if len(y.shape) != 1 and y.shape[-1] != 1 and (x is None or x.shape != y.shape):
        return  # there are several to a point
    given = keyword("grad_outputs", call(program.name_of("torch", "ones_like"), cst.Arg(root)))
    others = [i for i, a in enumerate(grad.args) if a.keyword and a not in (outputs, inputs)]
    place = others[0] if others else len(grad.args)
    new = grad.with_changes(args=[*grad.args[:place], given, *grad.args[place:]])
    told = f"every element of `{root.value}` counts once, which gives its derivative at every point"
    yield program.edit({grad: new}, told)


# -- checks ----------------------------------------------------------------------------------


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """backward starts from the mean or the sum of the elements, where the run could tell them.

    Where a number stands beside the term that was reduced, nobody knows its part in them.
    """
    error, ran = seen_error(before, *ERRORS), backwards(after)
    done = len(before.values.backwards) if before.values else 0
    passed, detail = False, "it starts from another number"
    if error is None or len(ran) <= done:
        return [Check(name="start", passed=False, detail="backward did not run there")]
    loss = ran[done].loss
    name = re.match(r"(?:torch\.)?(?:autograd\.grad\((?:outputs=)?)?(\w+)", error.code)
    elements = values_of(variables(before).get(name[1])) if name is not None else None
    if loss is None or elements is None or (proposal.subjects and not loss.shape):
        passed, detail = loss is not None, "backward ran there"
    elif loss.shape:
        passed = len(elements) > 1 and "grad" in error.code
        detail = f"it starts from all {len(elements)}"
    else:
        total = sum(elements)
        for what, value in (("sum", total), ("mean", total / len(elements))):
            if abs(abs(value) - loss.norm) <= 1e-4 * max(1.0, abs(value)):
                passed, detail = True, f"it starts from their {what}"
    return [Check(name="start", passed=passed, detail=detail)]
