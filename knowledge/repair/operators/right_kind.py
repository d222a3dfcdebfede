"""Give a call the object of the kind that it takes: the optimizer for the model, its parameters.

What was given is a module, an optimizer, a loader; exactly one other object that is alive there,
or one method of what was given, is something with which the failing expression can be evaluated.
So is a tensor of the name that a layer has (`logvar` for `self.logvar`), what a file holds for its
path, and two arguments in the other order.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.check import Check
from knowledge.repair.codemod import Proposal, Rewrite, Rewrites
from knowledge.repair.operator import Failure, Place
from knowledge.repair.toolkit.edits import method
from knowledge.repair.toolkit.lazily import torch
from knowledge.repair.toolkit.live import evaluates, operands, works

TYPES = frozenset({"TypeError", "AttributeError", "ValueError", "RuntimeError"})
_FRAMES = 2
_OF_WEIGHTS = (".pt", ".pth", ".ckpt", ".tar", ".bin")  # files that need not be here
_ITSELF = "is itself what is optimized"
_METHODS = ("parameters", "state_dict")
_TAKE_MANY = frozenset(["len", "iter", "next", "list", "enumerate", "zip"])  # they choose no kind


def edits(failure: Failure) -> Rewrites:
    """The one object that the failing call can be evaluated with, for each of its arguments."""
    for place in failure.places[:_FRAMES]:
        node = place.node
        yield from _local(failure, place)
        yield from _itself(failure, place)
        if not isinstance(node, cst.Call):
            continue
        yield from _turned(failure, place, node)
        yield from _loaded(failure, place, node)
        if failure.writes(node) or failure.text(node.func) in _TAKE_MANY:
            continue
        for given in node.args:
            if given.star or not isinstance(given.value, (cst.Name, cst.Attribute)):
                continue
            kind = _kind(failure.value(given.value, place.frame))
            if not kind:
                continue
            found = [
                new
                for new in _instead(failure, place, given.value, kind)
                if works(failure, place, given.value, new)
            ]
            if len(found) == 1:
                yield _rewrite(failure, given.value, found[0])


def _local(failure: Failure, place: Place) -> Rewrites:
    """`0.5 * logvar` for `0.5 * self.logvar`, where that is a layer and the name a tensor."""
    for one in operands(failure, place):
        if isinstance(one.node, cst.Attribute) and isinstance(one.value, torch.nn.Module):
            held = failure.live.names[place.frame].get(one.node.attr.value)
            new = cst.Name(one.node.attr.value)
            if isinstance(held, torch.Tensor) and works(failure, place, one.node, new):
                yield _rewrite(failure, one.node, new)


def _itself(failure: Failure, place: Place) -> Rewrites:
    """`Adam([image])` for `Adam(image.parameters())`, where that is a tensor and no model."""
    node, asked = place.node, failure.parent(place.node)
    is_asked = isinstance(node, cst.Attribute) and node.attr.value == "parameters"
    if isinstance(node, cst.Attribute) and is_asked and isinstance(asked, cst.Call):
        value = failure.value(node.value, place.frame)
        if isinstance(value, torch.Tensor) and value.is_floating_point():
            text = failure.text(node.value)
            new = cst.parse_expression(f"[{text}]")
            yield failure.edit({asked: new}, f"`{text}` {_ITSELF}", at=node)


def _turned(failure: Failure, place: Place, node: cst.Call) -> Rewrites:
    """`torch.save(state, path)` for `torch.save(path, state)`."""
    plain = [a for a in node.args if a.keyword is None and not a.star]
    if len(plain) != 2 or node.args[:2] != (plain[0], plain[1]):
        return
    first, second = (failure.value(a.value, place.frame) for a in plain)
    if type(first) is type(second) or failure.missing in (first, second):
        return
    args = [
        plain[0].with_changes(value=plain[1].value),
        plain[1].with_changes(value=plain[0].value),
    ]
    new = node.with_changes(args=[*args, *node.args[2:]])
    if not failure.writes(node) and not evaluates(failure, place, new):
        return
    names = " and ".join(f"`{failure.text(a.value)}`" for a in plain)
    meaning = f"`{failure.text(plain[1].value)}` comes first"
    yield failure.edit({node: new}, f"{names} change places", meaning, as_one=True)


def _loaded(failure: Failure, place: Place, node: cst.Call) -> Rewrites:
    """`load_state_dict(torch.load(path))` for `load_state_dict(path)`."""
    if not failure.text(node.func).endswith("load_state_dict") or not node.args:
        return
    given = node.args[0].value
    path = failure.value(given, place.frame)
    if not isinstance(path, (str, Path)):
        return
    if Path(path).is_file() or Path(path).suffix in _OF_WEIGHTS:
        load = failure.name_of("torch", "load")
        yield _rewrite(failure, given, cst.parse_expression(f"{load}({failure.text(given)})"))


def _kind(value: Any) -> str:
    """What sort of object it is; empty for what is no part of a training."""
    from torch.utils import data

    kinds = {
        "module": torch.nn.Module,
        "optimizer": torch.optim.Optimizer,
        "loader": data.DataLoader,
        "dataset": data.Dataset,
    }
    return next((name for name, kind in kinds.items() if isinstance(value, kind)), "")


def _instead(
    failure: Failure, place: Place, given: cst.BaseExpression, kind: str
) -> Iterator[cst.BaseExpression]:
    """Variables of another kind, each object once, and what a module's own methods give."""
    if kind == "module":
        yield from (method(given, name) for name in _METHODS)
    seen: list[Any] = []
    for name, value in failure.live.names[place.frame].items():
        is_new = not any(value is other for other in seen)
        if name.isidentifier() and _kind(value) not in ("", kind) and is_new:
            seen.append(value)
            yield cst.Name(name)


def _rewrite(failure: Failure, old: cst.BaseExpression, new: cst.BaseExpression) -> Rewrite:
    was, now = failure.text(old), failure.module.code_for_node(new)
    return failure.edit({old: new}, f"`{now}` is given, not `{was}`", f"it is for `{now}`")


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The expression that failed is still there, with or without `self.`, or its call is."""
    code = "".join(before.error.code.split()) if before.error is not None else ""
    if proposal.title.endswith(_ITSELF):
        return []
    new, function = "".join(proposal.code.split()), code.partition("(")[0]
    is_call = code.endswith(")") and function.replace(".", "").isidentifier()
    kept = f"{function}(" in new if is_call else code.replace("self.", "") in new
    detail = "what failed is still computed" if kept else "what failed is gone"
    return [Check(name="still computed", passed=kept or code in new, detail=detail)]
