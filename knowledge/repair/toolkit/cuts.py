"""Where a value is cut off on the way from the loss to the weights, and what joins it again."""

import re

import libcst as cst

from knowledge.repair.codemod import Rewrite, Rewrites
from knowledge.repair.toolkit.edits import call
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.flow import without_with
from knowledge.repair.toolkit.sites import assignment, calls, scope_of

CUTS = frozenset({"detach", "data", "item", "tolist"})
_CUTTING = re.compile(
    r"\.(detach|item|numpy|data|tolist|argmax)\b|no_grad|inference_mode|torch\.tensor\("
)
_STOPS = re.compile(r"(torch\.)?(no_grad\(\)|inference_mode\(.*\)|set_grad_enabled\(False\))")
_STEPS = 12  # assignments that are walked up


def first_cut(
    program: Failed, value: cst.BaseExpression, place: cst.CSTNode, steps: int = _STEPS
) -> list[Rewrite] | None:
    """The rewrites for the first place that cuts a value off; None if the way up has no such place.

    There are none for a place that has to stay: a block that evaluates, or changes weights.

    Args:
        program: the one that failed.
        value: what a gradient is to go back through.
        place: where it is used: the walk goes up the assignments above it.
        steps: assignments that are walked up.
    """
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
        found = first_cut(program, made.value, made, steps - 1) if made is not None else None
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
        is_called = isinstance(called, cst.Call)
        if node.attr.value not in CUTS or not (is_called or node.attr.value == "data"):
            continue
        whole = called if isinstance(called, cst.Call) else node
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
