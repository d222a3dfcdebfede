"""Which tensors must ask for a gradient where they are made, because one is wanted of them."""

import libcst as cst

from knowledge.repair.codemod import Rewrite, Rewrites
from knowledge.repair.toolkit.dataflow import asking
from knowledge.repair.toolkit.edits import Edits
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.flow import in_loop
from knowledge.repair.toolkit.sites import (
    OPTIMIZERS,
    argument,
    assignment,
    calls,
    given_to,
    with_argument,
)


def asked(program: Failed, place: cst.Call) -> Rewrites:
    """requires_grad=True where the tensors are made whose gradients the snippet reads."""
    again = _second_derivative(program, place)
    if again is not None:
        yield again
        return
    names = _differentiated(program, place)
    edits: Edits = {}
    for name in names:
        facts = program.seen.get(name)
        if facts is None or facts.requires_grad is not False or not facts.is_leaf:
            continue
        made = assignment(program, name, place)
        floats = (facts.dtype or "").startswith(("float", "bfloat", "complex"))
        if made is None or not floats or in_loop(program, made):
            return
        edits[made.value] = asking(program, made.value)
    if edits:
        told = ", ".join(f"`{n}`" for n in names)
        told = f"{told} is differentiated, so it must ask for a gradient"
        yield program.edit(edits, told, at=[*edits], subjects=tuple(names))


def _differentiated(program: Failed, place: cst.Call) -> list[str]:
    """Variables whose `.grad` is read, that grad() is asked for, or that an optimizer gets."""
    if program.text(place.func).rpartition(".")[2] == "grad":
        inputs = argument(place, 1, "inputs")
        return [n.value for n in program.inside(inputs, cst.Name)][-1:] if inputs else []
    found = [n.value for n in program.all(cst.Attribute) if n.attr.value == "grad"]
    for made in calls(program, OPTIMIZERS):
        if made.args and isinstance(made.args[0].value, cst.List):
            found += [e.value for e in made.args[0].value.elements]
    return sorted({n.value for n in found if isinstance(n, cst.Name)})


def _second_derivative(program: Failed, place: cst.Call) -> Rewrite | None:
    """grad() of a grad(): the first must be recorded."""
    is_grad = program.text(place.func).rpartition(".")[2] == "grad"
    outputs = argument(place, 0, "outputs") if is_grad else None
    made = given_to(program, outputs.value) if outputs is not None else None
    first = next(calls(program, r"(^|\.)grad$", made.value), None) if made is not None else None
    if first is None:
        return None
    new = with_argument(first, 99, "create_graph", cst.Name("True"))
    told = "create_graph=True records the first derivative, so that it can be differentiated again"
    return program.edit({first: new}, told)
