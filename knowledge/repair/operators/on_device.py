"""Make a tensor on the device of what it meets: `torch.zeros(n, device=x.device)`.

A tensor that the code makes itself, of zeros or of numbers, is on the CPU; what it meets came with
the model or the batch. A variable that holds the device is preferred.
"""

import re
from collections.abc import Iterator
from typing import Any

import libcst as cst

from knowledge.repair.applies import TWO_DEVICES
from knowledge.repair.codemod import Rewrite, Rewrites
from knowledge.repair.operator import COST, Failure, Place
from knowledge.repair.toolkit.edits import Edits, keyword
from knowledge.repair.toolkit.flow import parameters, root
from knowledge.repair.toolkit.live import called_module, operands
from knowledge.repair.toolkit.sites import assignment, calls, scope_of, with_appended

ERRORS = TWO_DEVICES
_FRAMES = 2
_MAKES = re.compile(
    r"torch\.(zeros|ones|full|empty|eye|arange|linspace|tensor|as_tensor|rand|randn|randint"
    r"|randperm)"
)


def edits(failure: Failure) -> Rewrites:
    """All tensors of the failing expression that were made in its function, on the CPU."""
    for place in failure.places[:_FRAMES]:
        device = _device(failure, place)
        if device is None:
            continue
        changes: Edits = {}
        for made in _made(failure, place, device):
            if (there := _there(failure, place, made, device)) is not None:
                changes[made] = with_appended(made, keyword("device", there))
        if not changes:
            continue
        changes |= _filled(failure, place, device)
        lines = sorted(set(map(failure.line, changes)))
        said = " and ".join(map(str, lines))
        at = f"line{'s' if len(lines) > 1 else ''} {said}"
        title = f"line {lines[0]}: what {at} make{'' if len(lines) > 1 else 's'} is made"
        title += " on the device of what it meets"
        meaning = f"what {at} make{'' if len(lines) > 1 else 's'} belongs on the device of the rest"
        yield Rewrite(failure.replace(changes), title, meaning, cost=COST.SURE, as_one=True)
        return


def _device(failure: Failure, place: Place) -> Any:
    """The one device of the expression that is not the CPU: of its tensors, or its layer."""
    import torch

    inner = failure.expressions(place.node)
    values = [failure.value(node, place.frame) for node in inner]
    layer = called_module(failure, place)
    values += list(layer.parameters()) if layer is not None else []
    devices = {v.device for v in values if isinstance(v, torch.Tensor)}
    others = [device for device in devices if device.type != "cpu"]
    return others[0] if len(others) == 1 else None


def _made(failure: Failure, place: Place, device: Any) -> Iterator[cst.Call]:
    """The calls that made what the expression works on, and that lies on the CPU."""
    import torch

    for one in operands(failure, place):
        if not isinstance(one.value, torch.Tensor) or one.value.device == device:
            continue
        node: cst.CSTNode = one.node
        if isinstance(node, cst.Name):
            assigned = assignment(failure, node.value, place.node)
            if assigned is None:
                continue
            node = assigned.value
        found = [c for c in _calls_in(failure, node) if not _names_device(c)]
        if len(found) == 1:
            yield found[0]


def _calls_in(failure: Failure, node: cst.CSTNode) -> list[cst.Call]:
    inner = set(failure.inside(node, cst.Call))
    return [c for c in calls(failure, f"^{_MAKES.pattern}$") if c in inner]


def _names_device(call: cst.Call) -> bool:
    return any(a.star or (a.keyword and a.keyword.value == "device") for a in call.args)


def _there(
    failure: Failure, place: Place, made: cst.Call, device: Any
) -> cst.BaseExpression | None:
    """How the device is written where the tensor is made: `device`, `self.device`, `x.device`."""
    import torch

    for known in ("device", "self.device"):
        if _is_device(failure.tried(known, place.frame), device):
            return cst.parse_expression(known)
    names = [*failure.inside(place.node, cst.Name)]
    scope = scope_of(failure, made)
    if isinstance(scope, cst.FunctionDef):
        names += [p.name for p in scope.params.params]
    for name in names:
        value = failure.value(name, place.frame)
        if not isinstance(value, torch.Tensor) or value.device != device:
            continue
        above = assignment(failure, name.value, made) is not None
        if above or name.value in parameters(failure, made):
            return cst.Attribute(cst.Name(name.value), cst.Name("device"))
    return None


def _is_device(value: Any, device: Any) -> bool:
    """Whether a variable says this device, by a text or an object."""
    import torch

    if not isinstance(value, (str, torch.device)):
        return False
    try:
        return bool(torch.device(value).type == device.type)
    except RuntimeError:
        return False


def _filled(failure: Failure, place: Place, device: Any) -> Edits:
    """What the caller fills with results of the function: `out[i] = f(x)`; it belongs there too."""
    import torch

    outer = next((p for p in failure.places if p.frame == place.frame - 1), None)
    small = failure.small_statement(outer.node) if outer is not None else None
    if outer is None or not isinstance(small, cst.Assign) or small.value is not outer.node:
        return {}
    into = small.targets[0].target
    name = root(into) if isinstance(into, cst.Subscript) else None
    made = assignment(failure, name.value, small) if isinstance(name, cst.Name) else None
    value = failure.value(name, outer.frame) if name is not None else None
    if made is None or not isinstance(value, torch.Tensor) or value.device == device:
        return {}
    found = [c for c in _calls_in(failure, made.value) if not _names_device(c)]
    there = _there(failure, outer, found[0], device) if len(found) == 1 else None
    return {found[0]: with_appended(found[0], keyword("device", there))} if there else {}
