"""Note what a run shows of the very things that findings by text are about.

A witness says nothing by itself, for each of these things may be meant: it decides whether the
edit of a finding has changed what the run does (knowledge/repair/judge.py). So it is looked for
whatever the text says.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from functools import partial

import torch

from executor.inside.probes.again import Caller, KeptCall, close, mapped
from executor.inside.probes.training.steps import Steps
from executor.inside.remarks.mixups import is_misspelled
from executor.inside.remarks.syntax import dotted, tail, walk

_FUNCTIONAL = ("F.dropout", "functional.dropout", "torch.dropout")


def of_the_steps(steps: Steps) -> list[str]:
    """What the steps, the calls and the parameters of the run show."""
    records = steps.records.values()
    parameters = [p for root in steps.calls.roots.values() for p in root.parameters()]
    shown = {
        "step_outside": any(r.lost for r in records),
        "clipped_late": any(r.changed_late for r in records),
        "validated_in_training": steps.calls.asked_in_training,
        "misspelled": any(is_misspelled(name) for p in parameters for name in vars(p)),
    }
    return [kind for kind, there in shown.items() if there]


class Tried:
    """What shows when the models are called again, where the text has what it takes."""

    def __init__(self, tree: ast.Module) -> None:
        """Args: tree: the snippet."""
        calls = [n.func for n in walk(tree) if isinstance(n, ast.Call)]
        bases = {tail(b) for n in walk(tree) if isinstance(n, ast.ClassDef) for b in n.bases}
        self._drops = any(
            dotted(f).endswith(_FUNCTIONAL) or (isinstance(f, ast.Call) and "Dropout" in tail(f))
            for f in calls
        )
        self._derives = "Function" in bases

    @property
    def has_cause(self) -> bool:
        """Whether a call is worth trying again."""
        return self._drops or self._derives

    def look(self, calls: Iterable[KeptCall]) -> list[str]:
        """Try them: it calls the snippet's modules, so that it comes last of all."""
        found: set[str] = set()
        for kept in calls:
            if self._drops and Caller.with_time(kept, partial(_draws, kept=kept)):
                found.add("always_drops")
            if self._derives and Caller.with_time(kept, partial(_is_bent, kept=kept)):
                found.add("gradient_ignored")
        return sorted(found)


def _draws(call: Caller, kept: KeptCall) -> list[bool]:
    """In eval mode, the same input gives other outputs under another seed."""
    inputs = kept.args, kept.kwargs
    pairs = zip(call.run(inputs), call.run(inputs, seed=8), strict=False)
    return [True for one, two in pairs if not close(one, two)][:1]


def _is_bent(call: Caller, kept: KeptCall) -> list[bool]:
    """Twice the gradient that comes in gives not twice the gradients: that is no derivative."""
    args, kwargs = mapped((kept.args, kept.kwargs), lambda _, t: t.clone())
    weights = [p for p in kept.module.parameters() if p.requires_grad]
    with torch.enable_grad():
        torch.manual_seed(7)
        out = kept.module(*args, **kwargs)
        given = torch.ones_like(out)
        once, twice = (
            torch.autograd.grad(out, weights, n * given, retain_graph=True, allow_unused=True)
            for n in (1, 2)
        )
    return [
        True
        for a, b in zip(once, twice, strict=True)
        if a is not None and b is not None and not close(2 * a, b)
    ][:1]
