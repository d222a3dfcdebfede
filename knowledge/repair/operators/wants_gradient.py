"""Ask the tensors that a gradient is wanted of for one, where they are made.

`torch.autograd.grad(u, x)`, `x.register_hook(…)` and `y.retain_grad()` need a tensor that was part
of a graph. Which object is meant is seen in the dead frames, whatever name a function has for it.
`torch.randn(3, 2, requires_grad=True) * 0.1` is a result, whose `.grad` stays None: what is trained
is asked last, `(torch.randn(3, 2) * 0.1).requires_grad_()`.
"""

from collections.abc import Iterator
from typing import Any

import libcst as cst

from executor.errors import is_a
from knowledge.repair.codemod import Rewrites
from knowledge.repair.operator import Failure
from knowledge.repair.toolkit.dataflow import Unasked, asking
from knowledge.repair.toolkit.edits import Edits, method, same
from knowledge.repair.toolkit.flow import under
from knowledge.repair.toolkit.keeps import leaves
from knowledge.repair.toolkit.lazily import torch
from knowledge.repair.toolkit.sites import argument, assignment

_MOST = 4  # tensors that are asked together
KEEPS = (leaves,)
_OF_A_GRAPH = ("input_without_grad", "hook_without_grad", "grad_kept_without_graph")
ERRORS, SPEAKS = (*_OF_A_GRAPH, "none_attribute"), "None"


def edits(failure: Failure) -> Rewrites:
    """All tensors that gradients are asked of, each where it is made; they belong together."""
    if not is_a(failure.error, *_OF_A_GRAPH):
        yield from _in_place(failure)
        yield from _own_leaves(failure)
        return
    changes: Edits = {}
    names: dict[str, None] = {}
    for value in _asked(failure):
        made = _made(failure, value)
        if made is None:
            return
        name, at = made
        changes[at.value] = asking(failure, at.value)
        names[name] = None
    if changes and len(changes) <= _MOST:
        what = f"gradients are wanted of {' and '.join(f'`{n}`' for n in names)}"
        yield failure.edit(changes, what, at=sorted(changes, key=failure.line), as_one=True)


def _in_place(failure: Failure) -> Rewrites:
    """`with torch.no_grad(): w -= 0.1 * w.grad` for every `w = w - 0.1 * w.grad` of the block."""
    no_grad = f"{failure.name_of('torch', 'no_grad')}()"
    asked = failure.node.func if isinstance(failure.node, cst.Call) else failure.node
    owner = asked.value if isinstance(asked, cst.Attribute) else None
    if not isinstance(owner, cst.Attribute) or owner.attr.value != "grad":
        return
    lines: dict[cst.SimpleStatementLine, cst.SimpleStatementLine] = {}
    stepped: list[cst.BaseExpression] = []
    for made in failure.all(cst.Assign):
        line, value, target = failure.parent(made), made.value, made.targets[0].target
        if not isinstance(line, cst.SimpleStatementLine) or len(line.body) > 1:
            continue
        if not isinstance(value, cst.BinaryOperation) or not same(value.left, target):
            continue
        is_step = f"{failure.text(target)}.grad" in failure.text(value.right)
        if isinstance(value.operator, cst.Subtract) and is_step:
            step = cst.AugAssign(target, cst.SubtractAssign(), value.right)
            lines[line] = line.with_changes(body=[step])
            stepped.append(target)
    ordered = sorted(lines, key=failure.line)
    if not any(same(target, owner.value) for target in stepped):
        return
    apart = {failure.parent(line) for line in ordered}
    if len(apart) > 1 or failure.line(ordered[-1]) - failure.line(
        ordered[0]) != len(ordered) - 1:  # fmt: skip
        return  # something stands between them
    changes = under({line: lines[line] for line in ordered}, no_grad)
    name = failure.text(owner.value)
    told = f"`{name}` is changed in place, and stays the one that has a gradient"
    yield failure.edit(changes, told, at=ordered[0], as_one=True)


def _own_leaves(failure: Failure) -> Rewrites:
    """Every assignment of a result whose own beginning was asked; they belong together."""
    changes: Edits = {}
    names = []
    for made in failure.all(cst.Assign):
        name, asks = made.targets[0].target, Unasked()
        value = failure.value(name, 0) if isinstance(name, cst.Name) else None
        if not isinstance(value, torch.Tensor) or value.grad_fn is None:
            continue
        bare = asks.of(made.value)
        parts = (failure.value(n, 0) for n in failure.inside(made.value, cst.Name))
        if asks.found and not any(isinstance(part, torch.Tensor) for part in parts):
            changes[made.value] = method(bare, "requires_grad_")
            names.append(f"`{failure.text(name)}`")
    if changes:
        told = f"{' and '.join(names)} is asked for a gradient when it is computed, as a leaf"
        yield failure.edit(changes, told, as_one=True)


def _asked(failure: Failure) -> Iterator[Any]:
    """The tensors, alive: a hook's own, or the inputs of all calls of grad() that are near."""
    node = failure.node
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return
    if node.func.attr.value in ("register_hook", "retain_grad"):
        yield from _without(failure, node.func.value)
        return
    seen: list[Any] = []
    for call in failure.all(cst.Call):
        given = argument(call, 1, "inputs")
        if failure.text(call.func) != failure.text(node.func) or given is None:
            continue
        for value in _without(failure, given.value):
            if not any(value is other for other in seen):
                seen.append(value)
                yield value


def _without(failure: Failure, node: cst.BaseExpression, frame: int = -1) -> Iterator[Any]:
    """The tensors of an expression that ask for no gradient and could."""
    parts = [e.value for e in node.elements] if isinstance(node, (cst.List, cst.Tuple)) else [node]
    for part in parts:
        value = failure.value(part, frame)
        is_one = isinstance(value, torch.Tensor) and value.is_floating_point()
        if is_one and not value.requires_grad:
            yield value


def _made(failure: Failure, value: Any) -> tuple[str, cst.Assign] | None:
    """The one variable that holds an object, and where it is made; of a result what it is from."""
    for frame, place in enumerate(reversed(failure.places)):  # the outermost first
        for name, held in failure.live.names[frame].items():
            at = assignment(failure, name, place.node) if held is value else None
            if at is None:
                continue
            made_of = list(_floats(failure, at.value, frame))
            if isinstance(at.value, cst.Call) or not made_of:
                return name, at
            return _made(failure, made_of[0]) if len(made_of) == 1 else None
    return None


def _floats(failure: Failure, node: cst.CSTNode, frame: int) -> Iterator[Any]:
    """The tensors that an expression names and that could ask for a gradient."""
    for name in failure.inside(node, cst.Name):
        yield from _without(failure, name, frame)
