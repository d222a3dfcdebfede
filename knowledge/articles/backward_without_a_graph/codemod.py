"""Find where the way from the loss back to the weights is cut, and join it again.

From backward's tensor the walk goes up the assignments. The first cut on the way is the one that
counts: `detach()`, `.data`, `.item()`, a tensor rebuilt from a tensor, a `no_grad()` block. Where
there is no cut, the tensor whose gradient is read never asked for one.
"""

from __future__ import annotations

import re

import libcst as cst

from executor.errors import is_a
from executor.protocol import JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrite, Rewrites
from knowledge.repair.computed import backwards, same_leaves
from knowledge.repair.fingerprints import same_values
from knowledge.repair.toolkit.dataflow import asking, is_factory
from knowledge.repair.toolkit.edits import Edits, call
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.flow import in_loop, without_with
from knowledge.repair.toolkit.keeps import backwards as all_reach
from knowledge.repair.toolkit.keeps import tensors
from knowledge.repair.toolkit.sites import (
    OPTIMIZERS,
    argument,
    assignment,
    calls,
    failing,
    given_to,
    scope_of,
    seen_error,
    with_argument,
)

_LOSS, _INPUT = "no_graph", "input_without_grad"  # error families
_SILENT = "loss_without_graph"
_CUTS = {"detach", "data", "item", "tolist"}
_CUTTING = re.compile(
    r"\.(detach|item|numpy|data|tolist|argmax)\b|no_grad|inference_mode|torch\.tensor\("
)
_STOPS = re.compile(r"(torch\.)?(no_grad\(\)|inference_mode\(.*\)|set_grad_enabled\(False\))")
_STEPS = 12  # assignments that are walked up
KEEPS = (all_reach, tensors)


def applies(result: JobResult) -> bool:
    """backward() or grad() started from, or was asked for, a tensor without a graph."""
    silent = any(f.kind == _SILENT for f in result.findings)
    return silent or seen_error(result, _LOSS, _INPUT) is not None


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """The first cut undone; where there is none, a gradient asked for."""
    error = seen_error(result, _LOSS, _INPUT)
    if error is None:
        yield from _made_anew(program, result)
        return
    node = failing(program, error)
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return
    start: cst.BaseExpression = node.func.value
    if node.func.attr.value == "grad":
        outputs = argument(node, 0, "outputs")
        if outputs is None or is_a(error, _INPUT):
            yield from _asked(program, node) if outputs is not None else ()
            return
        start = outputs.value
    elif node.func.attr.value != "backward" or program.text(start) in (
        "torch.autograd",
        "autograd",
    ):
        return
    cut = _cut(program, start, node)
    if cut is None:
        cut = list(_asked(program, node)) or list(_in_functions(program) or _weights(program))
    yield from cut


def _made_anew(program: Failed, result: JobResult) -> Rewrites:
    """`loss = torch.tensor(value, requires_grad=True)` without what makes it a leaf of its own."""
    finding = next(f for f in result.findings if f.kind == _SILENT)
    line = program.statement_on(finding.line) if finding.line is not None else None
    small = line.body[0] if line is not None and len(line.body) == 1 else None
    if not isinstance(small, cst.Assign):
        return
    value = small.value
    while (inner := _inside_leaf(program, value)) is not None:
        value = inner
    if value is not small.value and not isinstance(value, (cst.Float, cst.Integer)):
        told = "the loss as it was computed, not a new tensor with its value"
        yield program.edit({small.value: value}, told, at=small)


def _inside_leaf(program: Failed, value: cst.BaseExpression) -> cst.BaseExpression | None:
    """What a request for gradients, a copy or a cut was put around."""
    if isinstance(value, cst.Attribute) and value.attr.value == "data":
        return value.value
    if not isinstance(value, cst.Call):
        return None
    function, name = value.func, program.text(value.func).rpartition(".")[2]
    if isinstance(function, cst.Attribute) and name in _CUTS | {"requires_grad_"}:
        return function.value
    made_anew = name in {"tensor", "as_tensor", "Tensor", "Variable"} and value.args
    inner = value.args[0].value if made_anew else None
    return None if isinstance(inner, (cst.List, cst.Tuple)) else inner


def _in_functions(program: Failed) -> list[Rewrite]:
    """The only cut there is, in what a function returns."""
    found = [n for n in program.all(cst.Attribute) if n.attr.value in _CUTS | {"numpy"}]
    cut = found[0] if len(found) == 1 and found[0].attr.value == "detach" else None
    called = program.parent(cut) if cut is not None else None
    if cut is None or not isinstance(called, cst.Call) or program.up(cut, cst.Return) is None:
        return []
    told = "what the function returns is cut off from the weights"
    return [program.edit({called: cut.value}, told, at=cut)]


def _weights(program: Failed) -> list[Rewrite]:
    """What a module without a single parameter keeps, and whose `.grad` is read: its weights."""
    attributes = list(program.all(cst.Attribute))
    owners = (n.value for n in attributes if n.attr.value == "grad")
    read = {owner.attr.value for owner in owners if isinstance(owner, cst.Attribute)}
    wanted = {n for n in attributes if n.attr.value in read and program.text(n.value) == "self"}
    parameter = program.name_of("torch.nn", "Parameter")
    for cls in program.all(cst.ClassDef):
        text = program.text(cls)
        if re.search(r"\bParameter\(|\bnn\.(?!Module\b)[A-Z]", text) or "Module" not in text:
            continue
        made = [
            a
            for a in program.inside(cls, cst.Assign)
            if is_factory(program, a.value) and a.targets[0].target in wanted
        ]
        if made:
            edits: Edits = {a.value: call(parameter, cst.Arg(a.value)) for a in made}
            told = ", ".join(f"`{program.text(a.targets[0].target)}`" for a in made)
            return [program.edit(edits, f"{told} as a Parameter, which asks for a gradient")]
    return []


# -- a cut on the way up from the loss --------------------------------------------------------


def _cut(
    program: Failed, value: cst.BaseExpression, place: cst.CSTNode, steps: int = _STEPS
) -> list[Rewrite] | None:
    """The rewrites for the first place that cuts a value off; None if the way up has none."""
    block = _no_grad(program, place)
    if block is not None:
        return block
    if here := list(_in(program, value)):
        return here
    if not steps or any(_cuts_inside(program, c) for c in program.inside(value, cst.Call)):
        return None
    for name in dict.fromkeys(n.value for n in program.inside(value, cst.Name)):
        facts = program.seen.get(name)
        # Where the graph reaches, whatever cuts must be between it and the loss.
        if facts is None or facts.dtype is None or facts.requires_grad:
            continue
        made = assignment(program, name, place)
        found = _cut(program, made.value, made, steps - 1) if made is not None else None
        if found is not None:
            return found
    return None


def _cuts_inside(program: Failed, node: cst.Call) -> bool:
    """Whether a call leads into the snippet's own code, and that may cut."""
    name = program.text(node.func)
    bodies = (f for f in program.all(cst.FunctionDef) if f.name.value == name)
    return any(_CUTTING.search(program.text(f)) for f in bodies)


def _in(program: Failed, value: cst.BaseExpression) -> Rewrites:
    """The first cut inside one expression."""
    for node in program.inside(value, cst.Attribute):
        called = program.parent(node)
        is_called = isinstance(called, cst.Call) and called.func is node
        if node.attr.value not in _CUTS or not (is_called or node.attr.value == "data"):
            continue
        whole = called if isinstance(called, cst.Call) and is_called else node
        if _another_is_cut(program, value, whole):
            continue  # a target is meant to be cut off; what it is compared with is not
        told = f"without `.{node.attr.value}` the way back to the weights stays open"
        yield program.edit({whole: node.value}, told, at=node)
        return
    for made in calls(program, r"^torch\.(tensor|as_tensor|Tensor|FloatTensor)$", value):
        if made.args and (new := _rebuilt(program, made.args[0].value)) is not None:
            told = f"`{program.text(made.func)}(…)` copies the number and forgets how it was"
            yield program.edit({made: new}, f"{told} computed; use the tensor itself")
            return


def _another_is_cut(program: Failed, value: cst.BaseExpression, cut: cst.CSTNode) -> bool:
    """Whether an expression has an operand beside a cut one that was made under no_grad()."""
    inside = set(program.inside(cut, cst.Name))
    names = {n.value for n in program.inside(value, cst.Name) if n not in inside}
    made = (assignment(program, name, value) for name in sorted(names))
    return any(m is not None and _no_grad(program, m) is not None for m in made)


def _rebuilt(program: Failed, inner: cst.BaseExpression) -> cst.BaseExpression | None:
    """What `torch.tensor(t)` and `torch.tensor([a, b])` wrap, if it comes with a graph."""
    if isinstance(inner, (cst.List, cst.Tuple)):
        whole = [_with_graph(program, e.value) for e in inner.elements]
        stacked = len(whole) > 1 and all(whole)
        return call(program.name_of("torch", "stack"), cst.Arg(inner)) if stacked else None
    return inner if _with_graph(program, inner) else None


def _with_graph(program: Failed, value: cst.BaseExpression) -> bool:
    if isinstance(value, (cst.BinaryOperation, cst.UnaryOperation)):
        return any(_with_graph(program, n) for n in program.inside(value, cst.Name))
    facts = program.seen.get(value.value) if isinstance(value, cst.Name) else None
    return facts is not None and bool(facts.requires_grad)


def _no_grad(program: Failed, place: cst.CSTNode) -> list[Rewrite] | None:
    """`with torch.no_grad():` around the place, taken away."""
    block = program.up(place, cst.With)
    if block is None or scope_of(program, block) is not scope_of(program, place):
        return None
    stop = program.text(block.items[0].item)
    if len(block.items) != 1 or not _STOPS.fullmatch(stop):
        return None
    edits = without_with(program, block)
    if edits is None or re.search(r"\beval\(\)|\.grad\b|val_|valid|test_", program.text(block)):
        return []  # part of it is evaluation or an update: not all of it may be recorded
    told = f"`{stop}` records nothing, so there is nothing to go back through"
    return [program.edit(edits, told)]


# -- no cut: nobody asked for a gradient -----------------------------------------------------


def _asked(program: Failed, place: cst.Call) -> Rewrites:
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


# -- checks ----------------------------------------------------------------------------------


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The same values as before, from the same leaves."""
    found = [same_leaves(before, after, proposal.subjects)]
    error = seen_error(before, _LOSS)
    name = re.match(r"(\w+)\.backward", error.code) if error is not None else None
    ran, done = backwards(after), len(backwards(before))
    if name is not None and before.values is not None and len(ran) > done:
        old, new = before.values.tensors.get(name[1]), ran[done].loss
        if old is not None and new is not None and old.shape == new.shape and not before.trained:
            told = "the loss is the same number", "the loss is another number"
            found.append(Check.of("loss", same_values(old, new), *told))
    return found
