"""Find inputs of a model that change nothing of its output, by calling it again with others.

In training mode and in evaluation, under two seeds: what is used in one of them, or only now and
then (as a target that is fed back), is used.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable

import torch

from executor.inside.probes.again import Caller, KeptCall, flat, mapped, tensors
from executor.inside.probes.kinds import finding
from executor.inside.probes.training.unread import changed
from executor.protocol import Finding

_SEEDS = (7, 8)


def look(caller: Caller, call: KeptCall) -> list[Finding]:
    """Change all inputs, and then one by one: what moves nothing, not by a digit, is ignored."""
    names = [name for name, t in tensors((call.args, call.kwargs)) if _varies(t)]
    if not names:
        return []
    kind = type(call.module).__name__
    if _moves_nothing(caller, call, names):
        told = f"what `{kind}` gives is the same whatever it is given, in training mode and in "
        if _leads_to(call, names):
            told += "evaluation: its units are dead or saturated, or a zero stands in its way"
            return [finding("output_constant", call.line, kind, told)]
        told += (
            "evaluation: its `forward` computes with something else than its arguments, such as "
            "a variable outside of it"
        )
        return [finding("input_ignored", call.line, kind, told)]
    if len(names) < 2:
        return []
    return [
        finding(
            "argument_ignored",
            call.line,
            kind,
            f"`{_called(call, name)}` changes nothing of what `{kind}` gives, whatever it holds, "
            "in training mode and in evaluation: right if it is not meant to be used",
        )
        for name in names
        if _moves_nothing(caller, call, [name])
    ]


def _varies(t: torch.Tensor) -> bool:
    """Whether it has other values to give: of one kind alone there are none."""
    return t.dtype is not torch.bool and (t.is_floating_point() or len(torch.unique(t)) > 1)


def _moves_nothing(caller: Caller, call: KeptCall, names: Iterable[str]) -> bool:
    inputs = call.args, call.kwargs
    others = mapped(inputs, _only(names))
    for training in (False, True):
        call.module.train(training)
        for seed in _SEEDS:
            before, after = caller.run(inputs, seed), caller.run(others, seed)
            if not before or not any(t.is_floating_point() for t in before):
                return False
            if len(before) != len(after) or not all(map(torch.equal, before, after)):
                return False
    return True


def _leads_to(call: KeptCall, names: Iterable[str]) -> bool:
    """Whether the graph of the output goes back to an input; of whole numbers that is not seen."""
    leaves: list[torch.Tensor] = []

    def asking(name: str, t: torch.Tensor) -> torch.Tensor:
        if name not in names or not t.is_floating_point():
            return t
        leaves.append(t.detach().clone().requires_grad_())
        return leaves[-1]

    args, kwargs = mapped((call.args, call.kwargs), asking)
    if not leaves:
        return True
    call.module.eval()
    with torch.enable_grad():
        out = flat(call.module(*args, **kwargs))
        total = sum(t.sum() for t in out if t.is_floating_point() and t.requires_grad)
        if not isinstance(total, torch.Tensor):
            return False
        found = torch.autograd.grad(total, leaves, allow_unused=True)
    return any(g is not None for g in found)


def _only(names: Iterable[str]) -> Callable[[str, torch.Tensor], torch.Tensor]:
    return lambda name, t: changed(t) if name in names else t


def _called(call: KeptCall, name: str) -> str:
    """What the module's forward calls an argument that was given by place."""
    if not name.isdigit():
        return name
    known = list(inspect.signature(call.module.forward).parameters)
    return known[int(name)] if int(name) < len(known) else f"input {name}"
