"""Find optimizers that nothing steps, and layers whose units all stay the same."""

from __future__ import annotations

import ast
import gc
from collections.abc import Collection, Iterable

import torch
from torch import nn

from executor.inside import torch_private as private
from executor.inside.probes.training.findings import FindingCollector
from executor.inside.probes.training.quiet import quietly
from executor.inside.probes.training.steps import Steps
from executor.inside.walking import walk

_BACKWARDS = 2  # one backward alone may be there to show a gradient
_LATER = 5  # by then nearly everybody has stepped
_RESETS = 10  # of gradients, and no step
_ROUNDING = 0.01  # of how far they moved
_STEPS = 2  # after the first one only a layer of equal units still has equal rows
_DECAY, _LEFT = 0.05, 0.05  # the least weight decay, and the share of the weights that it leaves
_OFTEN, _UNCHANGED = 20, 0.6  # steps that found gradients, and the share that none has changed
_LAYERS = (nn.Linear, nn.Conv1d, nn.Conv2d, nn.Conv3d)
_OF_SCHEDULES = ("LR", "Scheduler")


class Waiting:
    """The optimizers that were alive at the second backward and that nothing steps in this run.

    The code steps them nowhere; or it does at a line that is never reached, while their gradients
    are reset again and again: who adds gradients up over several backwards resets them at a step.
    """

    def __init__(self, tree: ast.Module) -> None:
        self._tree = tree
        self._backwards = 0
        self._waiting: list[tuple[torch.optim.Optimizer, str]] = []
        self._resets: dict[int, int] = {}  # optimizer → backwards that found no gradient left

    def backward_begins(self, stepped: Collection[int]) -> None:
        """Look for them: who trains has made the optimizer by the second backward.

        One that the code steps is looked for later, and where nothing has stepped by then.

        Args:
            stepped: ids of the parameters that an optimizer has stepped.
        """
        self._backwards += 1
        for optimizer, _ in self._waiting:
            first = next(iter(optimizer.param_groups[0]["params"]), None)
            if first is not None and (first.grad is None or not first.grad.any()):
                self._resets[id(optimizer)] = self._resets.get(id(optimizer), 0) + 1
        if self._backwards == _BACKWARDS or (self._backwards == _LATER and not stepped):
            self._look(also_used=self._backwards == _LATER)

    def _look(self, *, also_used: bool) -> None:
        known = optimizer_classes()
        found = {cls: names for cls, names in made(self._tree).items() if cls in known}
        own = {
            cls: [n for n in names if not is_handed_on(self._tree, n)]
            for cls, names in found.items()
        }
        waiting = {
            cls: [n for n in names if bool(steps_of(self._tree, n)) is also_used]
            for cls, names in own.items()
        }
        # Of two there is no telling which of them an object is.
        idle = {cls: names[0] for cls, names in waiting.items() if len(names) == 1}
        if not idle:
            return
        for thing in gc.get_objects():  # gc.freeze() hides the server's
            if issubclass(type(thing), torch.optim.Optimizer) and type(thing).__name__ in idle:
                self._waiting.append((thing, idle[type(thing).__name__]))

    def report(self, collector: FindingCollector, steps: Steps) -> None:
        """Add those that nothing has stepped, although backward reached their parameters."""
        if any(isinstance(n, ast.Attribute) and n.attr == "grad" for n in walk(self._tree)):
            return  # who reads the gradients may have computed them for that
        stepped = {id(p) for record in steps.records.values() for p in record.params}
        for optimizer, name in self._waiting:
            params = [p for group in optimizer.param_groups for p in group["params"]]
            found = sum(p.grad is not None for p in params)
            if not found or any(id(p) in stepped for p in params):
                continue
            lines = steps_of(self._tree, name)
            if lines and self._resets.get(id(optimizer), 0) < _RESETS:
                continue
            resets = any(
                isinstance(n, ast.Attribute) and n.attr == "zero_grad" for n in walk(self._tree)
            )
            add = "" if resets else f", and `{name}.zero_grad()` before it"
            where = (
                f"its step() (line {lines[0]}) was never reached"
                if lines
                else ("its step() is called nowhere")
            )
            collector.add(
                "never_stepped",
                lines[0] if lines else line_of(self._tree, name),
                name,
                f"backward() gave gradients to {found} of the {len(params)} parameters of "
                f"`{name}`, {self._backwards} times, and {where}: the weights stay as they are; "
                f"call `{name}.step()` after {'each ' if lines else ''}backward(){add}",
            )


def optimizer_classes() -> set[str]:
    """The names of all classes of optimizers, PyTorch's and the snippet's."""
    found: set[str] = set()
    todo: list[type] = [torch.optim.Optimizer]
    while todo:
        more: list[type] = type.__subclasses__(todo.pop())
        found |= {cls.__name__ for cls in more}
        todo += more
    return found


def made(tree: ast.Module) -> dict[str, set[str]]:
    """Class of an optimizer → the names, attributes too, that such a one is given."""
    found: dict[str, set[str]] = {}
    for node in walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            for target in node.targets:
                if name := _tail(target):
                    found.setdefault(_tail(node.value.func), set()).add(name)
    return found


def is_used(tree: ast.Module, name: str) -> bool:
    """Whether the code steps it, or gives it to something that may."""
    return bool(steps_of(tree, name)) or is_handed_on(tree, name)


def steps_of(tree: ast.Module, name: str) -> list[int]:
    """The lines that step it."""
    functions = (n.func for n in walk(tree) if isinstance(n, ast.Call))
    return [
        f.lineno
        for f in functions
        if isinstance(f, ast.Attribute) and f.attr == "step" and _tail(f.value) == name
    ]


def is_handed_on(tree: ast.Module, name: str) -> bool:
    """Whether the code gives it to something that may step it."""
    for node in walk(tree):
        if isinstance(node, ast.Call) and not _tail(node.func).endswith(_OF_SCHEDULES):
            given = {_tail(a) for a in (*node.args, *(k.value for k in node.keywords))}
            if name in given:
                return True
    return False


def line_of(tree: ast.Module, name: str) -> int | None:
    lines = [
        n.lineno
        for n in walk(tree)
        if isinstance(n, ast.Assign) and any(_tail(t) == name for t in n.targets)
    ]
    return lines[0] if lines else None


def _tail(node: ast.AST) -> str:
    if isinstance(node, ast.Attribute):
        return node.attr
    return node.id if isinstance(node, ast.Name) else ""


def report_identical_units(
    collector: FindingCollector, steps: Steps, roots: Iterable[nn.Module]
) -> None:
    """Report trained layers whose units have all the same weights: they are one unit."""
    seen: set[int] = set()
    for layer in (m for root in roots for m in root.modules() if type(m) in _LAYERS):
        weight = private.parameters_of(layer).get("weight")
        watched = steps.optimized.get(id(weight))
        if (
            weight is None
            or watched is None
            or id(weight) in seen
            or watched.steps < _STEPS
            or weight.shape[0] < 2
        ):
            continue
        seen.add(id(weight))
        if watched.moved and _is_one_unit(weight, watched.before):
            collector.add(
                "units_identical",
                watched.line,
                watched.name,
                f"the {weight.shape[0]} units of `{watched.name}` {list(weight.shape)} have the "
                f"same weights after {watched.steps} steps: started alike, they get the same "
                "gradient and stay one unit; start from random weights (PyTorch's own, or "
                "`nn.init.kaiming_normal_`)",
            )
            return


def report_decayed(collector: FindingCollector, steps: Steps) -> None:
    """Report weights that a large weight decay has brought to nearly nothing."""
    for record in steps.records.values():
        decay = max((g.get("weight_decay") or 0) for g in record.optimizer.param_groups)
        matrices = [
            w for w in record.watched if w.tensor.dim() > 1 and w.before is not None and w.top
        ]
        if not isinstance(decay, float | int) or decay < _DECAY or len(matrices) < 1:
            continue
        with quietly():
            left = max(
                float(w.tensor.detach().norm()) / max(float(w.before.norm()), 1e-12)
                for w in matrices
                if w.before is not None
            )
        if left < _LEFT:
            collector.add(
                "weights_decayed_away",
                line_of_name(steps, record.name) or record.line,
                record.name,
                f"`weight_decay={decay:g}` has brought every weight of `{record.name}` to under "
                f"{max(left, 0.001):.1%} of its first size in {record.steps} steps: what is left "
                "says the same of every input; 1e-5 to 1e-2 are usual",
            )


def report_rounded(collector: FindingCollector, steps: Steps) -> None:
    """Report weights in half precision most of which no step could change."""
    for record in steps.records.values():
        for w in record.watched:
            kind = str(w.tensor.dtype).removeprefix("torch.")
            halves = kind in ("bfloat16", "float16") and w.steps >= _OFTEN and w.top > 0
            if not halves or w.before is None or isinstance(w.module, nn.Embedding):
                continue
            with quietly():
                same = float((w.tensor.detach() == w.before).float().mean())
            if same >= _UNCHANGED:
                collector.add(
                    "rounded_away",
                    w.line,
                    w.name,
                    f"{same:.0%} of the values of `{w.name}` ({kind}) are what they were, after "
                    f"{w.steps} steps with gradients: a step smaller than about "
                    f"{torch.finfo(w.tensor.dtype).eps / 2:.2%} of a weight is rounded away; keep "
                    "the weights in float32 and compute in half precision under `torch.autocast`",
                )
                return


def line_of_name(steps: Steps, name: str) -> int | None:
    return steps.names.line_of(name) if name else None


def _is_one_unit(weight: torch.Tensor, before: torch.Tensor | None) -> bool:
    """Whether all rows began equal, and are still equal but for rounding."""
    if before is None:
        return False
    with quietly():
        now = weight.detach()
        if not bool((before == before[:1]).all()):
            return False
        moved = float((now - before).abs().max())
        return float((now - now[:1]).abs().max()) <= _ROUNDING * moved
