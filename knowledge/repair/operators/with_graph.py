"""Give `backward()` a graph to start from: where it was not recorded, was cut, or never began.

The loss has no graph at the failing line. What may have kept it from having one is undone, one
place at a time: recording switched off for a function or the program, a number or an array taken
out of a tensor on the way, weights that were frozen. A loss that was made up beside a model is
computed from what the model gives; made-up scores are asked for a gradient of their own.
"""

import re
from collections.abc import Iterator
from typing import Any

import libcst as cst

from executor.errors import is_a, read
from executor.protocol import JobResult
from knowledge.repair.codemod import Rewrites
from knowledge.repair.operator import COST, Failure
from knowledge.repair.toolkit.dataflow import asking
from knowledge.repair.toolkit.edits import Edits
from knowledge.repair.toolkit.flow import without_with
from knowledge.repair.toolkit.keeps import backwards
from knowledge.repair.toolkit.lazily import np, torch
from knowledge.repair.toolkit.live import started_from
from knowledge.repair.toolkit.sites import argument, assignment, given_to, names_in, scope_of
from knowledge.repair.toolkit.statements import block, moved

_SWITCHES = re.compile(r"(?:^|\.)(?:no_grad|inference_mode)(?:\(.*\))?$")
_CUTS = frozenset({"item", "detach", "tolist", "numpy"})
_MADE_UP = re.compile(r"^(?:torch\.)?(?:randn?|tensor|zeros|ones|empty|full|FloatTensor)$")
_A_TARGET = re.compile(r"(?i)target|label|truth|^y$|_true|real|expected")
_NUMBERS = {"float", "int"}
_DEPTH = 3  # assignments that are followed back
KEEPS = (backwards,)


def applies(result: JobResult) -> bool:
    """What backward() starts from has no graph, or is a plain number."""
    if result.error is None:
        return False
    plain = read(result.error, "plain_attribute")
    of_number = plain is not None and plain["type"] in _NUMBERS and plain["name"] == "backward"
    return is_a(result.error, "no_graph") or of_number


def edits(failure: Failure) -> Rewrites:
    """Each place that may have kept the loss from having a graph, put right."""
    loss = started_from(failure)
    if loss is None:
        return
    yield from _recorded(failure)
    yield from _uncut(failure, loss)
    yield from _stacked(failure, loss)
    yield from _in_torch(failure, loss)
    yield from _trained(failure)
    yield from _of_the_model(failure, loss)
    yield from _asked(failure, loss)


# -- recording switched off -------------------------------------------------------------------


def _recorded(failure: Failure) -> Rewrites:
    for decorator in failure.all(cst.Decorator):
        if _SWITCHES.search(failure.text(decorator.decorator)):
            function = failure.parent(decorator)
            name = function.name.value if isinstance(function, cst.FunctionDef) else ""
            switch = failure.text(decorator.decorator)
            what = f"without `@{switch}` what `{name}` computes is recorded"
            yield failure.edit({decorator: cst.RemoveFromParent()}, what)
    for around in failure.all(cst.With):
        switch = failure.text(around.items[0].item)
        undone = without_with(failure, around) if len(around.items) == 1 else None
        if undone is not None and _SWITCHES.search(switch):
            what = f"without `with {switch}:` what stands there is recorded"
            yield failure.edit(undone, what, at=around, cost=COST.LIKELY)
    for call in failure.all(cst.Call):
        if not failure.text(call.func).endswith("set_grad_enabled") or not call.args:
            continue
        if failure.text(call.args[0].value) == "False":
            on: Edits = {call.args[0].value: cst.Name("True")}
            yield failure.edit(on, "what is computed is recorded", at=call)


# -- cut on the way ---------------------------------------------------------------------------


def _uncut(failure: Failure, loss: cst.BaseExpression) -> Rewrites:
    """`total += loss.item()` without `.item()`; in what made the loss, and what made that."""
    for value in _made_of(failure, loss):
        for node in failure.inside(value, cst.Call):
            if not isinstance(node.func, cst.Attribute) or node.func.attr.value not in _CUTS:
                continue
            what = f"without `.{node.func.attr.value}()` the way back to the weights stays open"
            yield failure.edit({node: node.func.value}, what, cost=COST.LIKELY)


def _stacked(failure: Failure, loss: cst.BaseExpression) -> Rewrites:
    """`torch.tensor(losses)` stacked, and `losses.append(loss.item())` with the losses themselves.

    A list of tensors is copied out of their graphs; one of numbers was so where they were put in.
    """
    stack = cst.parse_expression(failure.name_of("torch", "stack"))
    for made in _made_of(failure, loss):
        for call in failure.inside(made, cst.Call):
            given = call.args[0].value if len(call.args) == 1 else None
            if not re.search(r"\b(?:as_)?tensor$", failure.text(call.func)):
                continue
            if not isinstance(given, (cst.Name, cst.List)):
                continue
            if _can_be_stacked(failure, given):
                what = f"backward() is to go through the values of `{failure.text(given)}`"
                yield failure.edit({call.func: stack}, what, at=call, as_one=True)
                continue
            if not isinstance(given, cst.Name):
                continue
            taken = [
                (appended, appended.args[0].value)
                for appended in failure.all(cst.Call)
                if failure.text(appended.func) == f"{given.value}.append" and appended.args
            ]
            edits: Edits = {
                value: value.func.value
                for _, value in taken
                if isinstance(value, cst.Call)
                and isinstance(value.func, cst.Attribute)
                and value.func.attr.value == "item"
            }
            if not edits or len(edits) < len(taken):
                continue
            edits[call.func] = stack
            what = f"`{given.value}` keeps the losses themselves, with their graphs"
            yield failure.edit(edits, what, at=call, cost=COST.LIKELY, as_one=True)


def _can_be_stacked(failure: Failure, given: cst.BaseExpression) -> bool:
    """Whether it is worth a list of tensors of one shape, of which some are in a graph."""
    values = failure.value(given, failure.places[0].frame) if failure.places else None
    return (
        isinstance(values, (list, tuple))
        and bool(values)
        and all(isinstance(value, torch.Tensor) for value in values)
        and len({value.shape for value in values}) == 1
        and any(value.requires_grad for value in values)
    )


def _made_of(failure: Failure, start: cst.BaseExpression) -> list[cst.BaseExpression]:
    """The expressions that a value was made of, sums over rounds included, the nearest first."""
    scope = scope_of(failure, start)
    assigned: list[cst.Assign | cst.AugAssign] = [
        *failure.all(cst.Assign),
        *failure.all(cst.AugAssign),
    ]
    here = [
        node
        for node in assigned
        if scope_of(failure, node) is scope and failure.line(node) <= failure.line(start)
    ]
    found: list[cst.BaseExpression] = [start]
    names = {n.value for n in failure.inside(start, cst.Name)}
    for _ in range(_DEPTH):
        made = [node.value for node in here if names & _targets(node) and node.value not in found]
        found += sorted(made, key=failure.line, reverse=True)
        names = {n.value for m in made for n in failure.inside(m, cst.Name)}
    return found


def _targets(node: cst.Assign | cst.AugAssign) -> set[str]:
    if isinstance(node, cst.AugAssign):
        return names_in(node.target)
    return {name for t in node.targets for name in names_in(t.target)}


def _in_torch(failure: Failure, loss: cst.BaseExpression) -> Rewrites:
    """`torch.tensor(np.mean((p.detach().numpy() - y) ** 2))` computed in torch, on the tensors."""
    for value in _made_of(failure, loss):
        inner = _rebuilt(failure.text(value), value)
        words = failure.inside(value, cst.Attribute)
        if not any(a.attr.value in ("numpy", "detach") for a in words):
            continue
        code = re.sub(r"(?<![\w.])(?:np|numpy)\.", "torch.", failure.text(inner))
        code = re.sub(r"\.(?:detach|numpy|cpu)\(\)", "", code)
        if _gives_a_graph(failure, f"({code})"):
            what = "computed with torch, on the tensors themselves, it keeps its graph"
            yield failure.edit({value: cst.parse_expression(code)}, what)


def _rebuilt(text: str, value: cst.BaseExpression) -> cst.BaseExpression:
    """What `torch.tensor(…)` was made from; the value itself where it was not."""
    if isinstance(value, cst.Call) and re.match(r"torch\.(?:tensor|as_tensor|from_numpy)\(", text):
        return value.args[0].value if value.args else value
    return value


# -- frozen -----------------------------------------------------------------------------------


def _trained(failure: Failure) -> Rewrites:
    """One of the places that freeze weights, where all are frozen: that part is trained."""
    models = [v for v in failure.live.names[0].values() if isinstance(v, torch.nn.Module)]
    parameters = [p for m in models for p in m.parameters()]
    if not parameters or any(p.requires_grad for p in parameters):
        return
    places: list[tuple[cst.BaseExpression, cst.BaseExpression]] = []  # False, and of what
    for node in failure.all(cst.Assign):
        target = node.targets[0].target
        if isinstance(target, cst.Attribute) and target.attr.value == "requires_grad":
            places.append((node.value, target.value))
    for call in failure.all(cst.Call):
        if isinstance(call.func, cst.Attribute) and call.func.attr.value == "requires_grad_":
            places += [(given.value, call.func.value) for given in call.args[:1]]
    frozen = [p for p in places if failure.text(p[0]) == "False"]
    for value, owner in frozen:
        yield from _after_freezing(failure, value, owner)
    for value, owner in sorted(frozen, key=lambda p: failure.line(p[0]), reverse=True):
        loop = failure.up(value, cst.For)
        part = failure.text(owner if loop is None else loop.iter).removesuffix(".parameters()")
        what = f"`{part}` is trained, so that there is what to learn"
        yield failure.edit({value: cst.Name("True")}, what, cost=COST.LIKELY)


def _after_freezing(
    failure: Failure, value: cst.BaseExpression, owner: cst.BaseExpression
) -> Rewrites:
    """The new last layer of a model, put in before all of the model is frozen: put in behind."""
    loop = failure.up(value, cst.For)
    whole = failure.text(owner if loop is None else loop.iter).removesuffix(".parameters()")
    freezes = loop or failure.up(value, cst.BaseSmallStatement)  # type: ignore[type-abstract]
    if freezes is None:
        return
    around = block(failure, freezes)
    for made in around[: around.index(freezes)]:
        if not isinstance(made, cst.Assign) or not isinstance(made.value, cst.Call):
            continue
        slot = made.targets[0].target
        part, layer = failure.text(slot), isinstance(failure.value(slot, 0), torch.nn.Module)
        new = moved(failure, made, freezes, after=True)
        if layer and part.startswith((f"{whole}.", f"{whole}[")) and new is not None:
            what = f"`{part}` is put in after the rest is frozen, so that it is trained"
            yield failure.edit(new, what, at=made, as_one=True)


# -- made up ----------------------------------------------------------------------------------


def _of_the_model(failure: Failure, loss: cst.BaseExpression) -> Rewrites:
    """`loss = torch.rand(1)` beside a model: what the model gives is averaged to the loss."""
    made = given_to(failure, loss)
    if made is None or not _is_made_up(failure, made.value):
        return
    alive = {n: v for n, v in failure.live.names[-1].items() if not n.startswith("_")}
    results = [n for n, v in alive.items() if isinstance(v, torch.Tensor) and v.grad_fn is not None]
    models = [n for n, v in alive.items() if isinstance(v, torch.nn.Module) and _learns(v)]
    if results:
        codes = [f"{results[-1]}.mean()"]
    elif len(models) == 1:
        codes = [f"{models[0]}({given}).mean()" for given in _inputs(failure, alive, models[0])]
    else:
        return
    for code in codes[:1]:
        what = f"the loss is computed from what the model gives: `{code}`"
        computed: Edits = {made.value: cst.parse_expression(code)}
        yield failure.edit(computed, what, at=made, cost=COST.LIKELY, supposes=True)


def _is_made_up(failure: Failure, value: cst.BaseExpression) -> bool:
    """Whether it is a tensor of numbers that stand in the code, or are drawn."""
    if not isinstance(value, cst.Call) or not _MADE_UP.match(failure.text(value.func)):
        return False
    return not any(n.value not in ("torch", "True", "False") for a in value.args
                   for n in failure.inside(a.value, cst.Name))  # fmt: skip


def _learns(module: Any) -> bool:
    return any(p.requires_grad for p in module.parameters())


def _inputs(failure: Failure, alive: dict[str, Any], model: str) -> Iterator[str]:
    """What the model can be called with: a tensor that is there, else a made-up row."""
    for name, value in alive.items():
        if not isinstance(value, torch.Tensor) or value.requires_grad or value.dim() < 2:
            continue
        if not _A_TARGET.search(name) and _gives_a_graph(failure, f"{model}({name})"):
            yield name
    sizes = (getattr(m, "in_features", None) for m in alive[model].modules())
    size = next((s for s in sizes if s is not None), None)
    made = f"torch.randn(1, {size})"
    if size is not None and _gives_a_graph(failure, f"{model}({made})"):
        yield made


def _gives_a_graph(failure: Failure, code: str) -> bool:
    given = failure.tried(code)
    return isinstance(given, torch.Tensor) and given.requires_grad


def _asked(failure: Failure, loss: cst.BaseExpression) -> Rewrites:
    """Made-up scores that go into a loss, where no model is there: a leaf asks for a gradient."""
    alive = failure.live.names[-1]
    if any(isinstance(v, torch.nn.Module) and _learns(v) for v in alive.values()):
        return
    for value in _made_of(failure, loss)[1:]:
        for name in failure.inside(value, cst.Name):
            held = alive.get(name.value)
            if not isinstance(held, torch.Tensor) or not held.is_floating_point():
                continue
            made = assignment(failure, name.value, name)
            if made is None or _A_TARGET.search(name.value) or not held.is_leaf:
                continue
            if not isinstance(made.value, cst.Call):
                continue
            if argument(made.value, 99, "requires_grad") is not None or any(
                isinstance(alive.get(n.value), torch.Tensor | np.ndarray)
                for n in failure.inside(made.value, cst.Name)
            ):  # what it was made of would get none
                continue
            what = f"`{name.value}` is what gets a gradient"
            edits: Edits = {made.value: asking(failure, made.value)}
            yield failure.edit(edits, what, at=made, cost=COST.POSSIBLE)
