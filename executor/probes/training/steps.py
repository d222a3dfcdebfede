"""What every optimizer finds when it steps: gradients or none, fresh ones or those of before.

Gradients are looked at when the step begins: `zero_grad()` has wiped them by the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import nn
from torch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)

from executor.probes.training import graph
from executor.probes.training.calls import Calls
from executor.probes.training.names import Named, Names
from executor.probes.training.quiet import largest, quietly
from executor.probes.training.told import Told

_WATCHED_ELEMENTS = 1 << 20  # larger parameters are not copied to see whether they moved
_ALL = 10  # steps of which every gradient is looked at; then of every tenth
_ROUNDING = 1e-6  # gradients up to this are what is left of terms that cancel
_CARRIED = 3  # gradients looked at to see whether they are still those of the step before


@dataclass
class Watched:
    """One tensor that could learn: what its gradient was at the steps."""

    name: str
    tensor: torch.Tensor
    line: int | None
    before: torch.Tensor | None  # its value at the first step
    steps: int = 0
    missing: int = 0  # steps that found no gradient
    zero: int = 0
    not_finite: int = 0
    stepped: bool = False  # the first step itself changed it
    top: float = 0.0  # the largest value of a gradient that was neither zero nor NaN

    @property
    def moved(self) -> bool:
        """Whether its value is another one than at the first step."""
        with quietly():
            return self.before is None or not torch.equal(self.before, self.tensor.detach())

    def note(self, top: float) -> None:
        """A step's gradient, by its largest absolute value."""
        if top == 0:
            self.zero += 1
        elif top != top or top == float("inf"):
            self.not_finite += 1
        else:
            self.top = max(self.top, top)


@dataclass
class Record:
    """One optimizer and its steps."""

    optimizer: torch.optim.Optimizer
    name: str
    line: int | None  # of the last step
    watched: list[Watched] = field(default_factory=list)
    steps: int = 0
    empty: int = 0  # steps that found no gradient at all
    closure: bool = False
    healthy: bool = False  # every gradient has been there once, neither zero nor NaN
    carrying: bool = False  # nobody has reset the gradients since the last step, as far as seen
    backwards: int = 0  # since the last step
    stale: int = 0  # steps on gradients that still held those of the step before
    wiped: bool | None = None  # whether backward reached them and the step still found nothing
    params: list[torch.Tensor] = field(default_factory=list)


class Steps:
    """Listens to every optimizer's step."""

    def __init__(self, names: Names, calls: Calls) -> None:
        self.names = names
        self.calls = calls
        self.records: dict[int, Record] = {}
        self.optimized: dict[int, Watched] = {}
        self.others: dict[int, Watched] = {}
        self.evaluating: dict[int, tuple[nn.Module, str, int | None, int]] = {}
        self.look_at_all = False
        self.problem = ""
        self._backwards = 0

    @property
    def trained(self) -> bool:
        """Whether an optimizer stepped."""
        return bool(self.records)

    def start(self, after: Callable[[], None]) -> None:
        """Listen, and call `after` when a step was looked at."""

        def step(optimizer: torch.optim.Optimizer, args: Any, kwargs: Any) -> None:
            try:
                self._step(optimizer, args, kwargs)
                after()
            except Exception as e:  # ours, and no reason to stop the snippet's training
                self.problem = self.problem or f"{type(e).__name__}: {e}"[:200]

        self._handles = [
            register_optimizer_step_pre_hook(step),
            register_optimizer_step_post_hook(self._stepped),
        ]

    def stop(self) -> None:
        """Stop listening."""
        for handle in self._handles:
            handle.remove()

    def backward_begins(self, loss: torch.Tensor) -> None:
        """Called before every backward: are there gradients of the last step left?"""
        self._backwards += 1
        for record in self.records.values():
            record.backwards += 1
            if record.carrying:
                grads = [p.grad for p in record.params if p.grad is not None][:_CARRIED]
                record.carrying = bool(grads) and any(largest(grads))
            if record.empty == record.steps and record.wiped is None:
                record.wiped = graph.reaches(loss, {id(p) for p in record.params})

    # -- a step ------------------------------------------------------------------------------

    def _step(self, optimizer: torch.optim.Optimizer, args: Any, kwargs: Any) -> None:
        record = self.records.get(id(optimizer))
        if record is None:
            name = self.names.of(optimizer)
            record = Record(optimizer, name or type(optimizer).__name__, None)
            self.records[id(optimizer)] = record
        record.steps += 1
        record.closure |= any(map(callable, (*args, kwargs.get("closure"))))
        params = [p for group in optimizer.param_groups for p in group["params"]]
        every = record.steps <= _ALL or record.steps % _ALL == 0 or self.look_at_all
        named: dict[int, Named] | None = None
        if len(params) != len(record.params) or any(
            a is not b for a, b in zip(params, record.params, strict=True)
        ):
            named = self.names.tensors(self.calls.roots.values(), self.calls.inputs)
            record.params = params
            record.watched = [self._watch(p, i, record, named) for i, p in enumerate(params)]
        if record.closure:  # LBFGS computes its gradients inside the step
            return
        record.line = self.names.source.line_now() if every else record.line
        if every or not record.healthy:
            empty = _look(record.watched, every=every)
            record.healthy = all(w.top for w in record.watched)
        else:  # nothing more to learn from one step: only whether there was a gradient at all
            empty = params[0].grad is None
            for w in record.watched:
                w.steps += 1
        record.empty += empty
        if record.carrying and record.backwards:
            record.stale += 1
        record.carrying, record.backwards = not empty, 0
        if record.steps <= 3 or record.steps % (2 * _ALL) == 0:
            self._look_beside(named)
        self._note_modes()

    def _stepped(self, optimizer: torch.optim.Optimizer, args: Any, kwargs: Any) -> None:
        record = self.records.get(id(optimizer))
        if record is not None and record.steps == 1:  # who puts it back later has moved it
            for w in record.watched:
                w.stepped = w.moved

    def _watch(
        self, tensor: torch.Tensor, i: int, record: Record, named: dict[int, Named]
    ) -> Watched:
        watched = self.optimized.get(id(tensor))
        if watched is None:
            otherwise = Named(f"{type(record.optimizer).__name__}'s parameter {i}", tensor, None)
            n = named.get(id(tensor), otherwise)
            watched = Watched(n.name, tensor, n.line, _copy(tensor))
            self.optimized[id(tensor)] = watched
        return watched

    def _look_beside(self, named: dict[int, Named] | None) -> None:
        """Whatever could learn and is in no optimizer that has stepped so far."""
        named = named or self.names.tensors(self.calls.roots.values(), self.calls.inputs)
        beside = []
        for key, n in named.items():
            if key not in self.optimized and n.tensor.requires_grad and n.tensor.is_leaf:
                if key not in self.others:
                    self.others[key] = Watched(n.name, n.tensor, n.line, _copy(n.tensor))
                beside.append(self.others[key])
        _look(beside, every=True)

    def _note_modes(self) -> None:
        for key, line in self.calls.evaluating.items():
            root = self.calls.roots[key]
            if any(id(p) in self.optimized for p in root.parameters()):
                _, name, _, n = self.evaluating.get(key, (root, self.names.of(root), line, 0))
                self.evaluating[key] = root, name, line, n + 1

    # -- telling -----------------------------------------------------------------------------

    def tell(self, told: Told, owners: dict[int, str], elsewhere: set[int]) -> None:
        """Word it, after the run.

        Args:
            told: where it goes.
            owners: id of a parameter → the variable whose module holds it.
            elsewhere: ids of tensors that another finding is about.
        """
        orphans = [
            (key, w) for key, w in self.others.items()
            if key not in self.optimized and key not in elsewhere and _learns(w) and not w.moved
        ]  # fmt: skip
        explained: set[int] = set()
        for record in self.records.values():
            explained |= self._tell_empty(told, record, orphans, owners)
            self._tell_stale(told, record)
        self._tell_optimized(told, explained)
        # Who trains only an input (an adversarial example, an image) leaves the model as it is.
        only_inputs = not any(isinstance(w.tensor, nn.Parameter) for w in self.optimized.values())
        for key, w in orphans:
            if key in explained or (only_inputs and isinstance(w.tensor, nn.Parameter)):
                continue
            told.add(
                "not_in_optimizer", w.line, w.name,
                f"`{w.name}` {list(w.tensor.shape)} gets a gradient, but no optimizer holds it",
                **({"module": owners[key]} if key in owners else {}),
            )  # fmt: skip
        self._tell_modes(told)

    def _tell_empty(
        self,
        told: Told,
        record: Record,
        orphans: list[tuple[int, Watched]],
        owners: dict[int, str],
    ) -> set[int]:
        """An optimizer that never found a gradient: whose parameters does it hold?"""
        if record.closure or record.empty < record.steps or not _trainable(record.watched):
            return set()
        ids = {id(p) for p in record.params}
        n, name = len(record.params), record.name
        foreign = [(key, w) for key, w in orphans if isinstance(w.tensor, nn.Parameter)]
        if foreign and isinstance(record.params[0], nn.Parameter):
            to = owners.get(foreign[0][0]) or foreign[0][1].name
            line = self.names.line_of(name, record.line) or record.line
            told.add(
                "foreign_optimizer", line, name,
                f"none of the {n} parameters in `{name}` got a gradient at {_every(record.steps)}; "
                f"the gradients went to `{to}`, which no optimizer holds",
                module=to,
            )  # fmt: skip
            return ids | {key for key, _ in foreign}
        why = "the loss does not depend on them, or they were reset before the step"
        if not self._backwards:
            why = "no backward() was called on a loss"
        elif record.wiped is not None:
            why = (
                "they were reset between backward() and the step" if record.wiped
                else "the loss does not depend on them"
            )  # fmt: skip
        told.add(
            "step_without_gradients", record.line, name,
            f"`{name}` found no gradient on any of its {n} parameters at {_every(record.steps)}: "
            f"{why}",
        )  # fmt: skip
        return ids

    def _tell_stale(self, told: Told, record: Record) -> None:
        if record.stale and record.stale >= record.steps - 1:
            told.add(
                "gradients_accumulate", record.line, record.name,
                f"`{record.name}` stepped on gradients that still held those of the step before, "
                f"{_times(record.stale)}: nothing reset them in between",
                steps=record.stale,
            )  # fmt: skip

    def _tell_optimized(self, told: Told, explained: set[int]) -> None:
        watched = [w for k, w in self.optimized.items() if k not in explained and w.steps]
        all_zero = all(w.zero + w.missing == w.steps for w in watched if w.tensor.requires_grad)
        missing: list[Watched] = []
        for w in watched:
            if not w.tensor.requires_grad:
                continue
            shape = list(w.tensor.shape)
            if w.missing == w.steps:
                missing.append(w)
            elif w.not_finite:
                told.add(
                    "gradient_not_finite", w.line, w.name,
                    f"the gradient of `{w.name}` {shape} held NaN or infinity",
                )  # fmt: skip
            elif w.zero + w.missing == w.steps:
                # A mask or a fresh zero can hide one for one step; a bias can cancel by design.
                if all_zero or (w.steps > 1 and not self._only_the_bias(w, watched)):
                    told.add(
                        "zero_gradient", w.line, w.name,
                        f"the gradient of `{w.name}` {shape} was exactly 0 at {_every(w.steps)}",
                    )  # fmt: skip
            elif w.top > _ROUNDING and not w.stepped and not w.moved:
                self._tell_stuck(told, w)

        self._tell_missing(told, missing, watched)

    @staticmethod
    def _tell_missing(told: Told, missing: list[Watched], watched: list[Watched]) -> None:
        """A layer that is not used at all is one fact, not one for each of its parameters."""
        together: dict[str, list[Watched]] = {}
        for w in missing:
            together.setdefault(".".join(w.name.split(".")[:2]), []).append(w)
        for prefix, parts in together.items():
            whole = sum(w.name.startswith(f"{prefix}.") for w in watched) == len(parts) > 1
            for w in parts[:1] if whole else parts:
                what = f"`{w.name}` {list(w.tensor.shape)} is"
                if whole:
                    what = f"`{prefix}` has {len(parts)} parameters"
                told.add(
                    "no_gradient", w.line, prefix if whole else w.name,
                    f"{what} in the optimizer, but {'their' if whole else 'its'} gradient was "
                    f"None at {_every(w.steps)}: the loss does not depend on "
                    f"{'them' if whole else 'it'}",
                )  # fmt: skip

    @staticmethod
    def _only_the_bias(bias: Watched, watched: list[Watched]) -> bool:
        if not bias.name.endswith(".bias"):
            return False
        weight = bias.name.removesuffix("bias") + "weight"
        return any(w.name == weight and w.top for w in watched)

    def _tell_stuck(self, told: Told, w: Watched) -> None:
        rates = {
            id(p): group.get("lr")
            for record in self.records.values()
            for group in record.optimizer.param_groups
            for p in group["params"]
        }
        rate = rates.get(id(w.tensor))
        if rate == 0 and any(rates.values()):
            return  # a group that is meant to stand still
        why = f" at a learning rate of {rate:g}" if isinstance(rate, (int, float)) else ""
        told.add(
            "never_moved", w.line, w.name,
            f"`{w.name}` {list(w.tensor.shape)} has not moved after {_every(w.steps)}{why}",
        )  # fmt: skip

    def _tell_modes(self, told: Told) -> None:
        for root, name, line, n in self.evaluating.values():
            idle = sorted({type(m).__name__ for m in root.modules() if _acts_in_training(m)})
            if idle and name:
                told.add(
                    "eval_mode_training", line, name,
                    f"`{name}` was in eval mode when line {line} called it before "
                    f"{_times(n, 'step')}: its {' and '.join(idle)} layers work as in prediction",
                )  # fmt: skip


def _look(watched: Iterable[Watched], *, every: bool) -> bool:
    """Take down the gradients; whether none of them was there."""
    asked = []
    empty = True
    for w in watched:
        w.steps += 1
        grad = w.tensor.grad
        if grad is None:
            w.missing += 1
        else:
            empty = False
            if every or not w.top:
                asked.append((w, grad))
    if asked:
        for (w, _), top in zip(asked, largest([g for _, g in asked]), strict=True):
            w.note(top)
    return empty


def _copy(tensor: torch.Tensor) -> torch.Tensor | None:
    if tensor.numel() > _WATCHED_ELEMENTS or tensor.layout is not torch.strided:
        return None
    with quietly():
        return tensor.detach().clone()


def _learns(w: Watched) -> bool:
    return w.steps - w.missing > 0 and w.zero < w.steps - w.missing


def _trainable(watched: list[Watched]) -> bool:
    return any(w.tensor.requires_grad for w in watched)


def _acts_in_training(module: nn.Module) -> bool:
    if isinstance(module, nn.modules.dropout._DropoutNd):
        return module.p > 0 and not module.training
    return isinstance(module, nn.modules.batchnorm._BatchNorm) and not module.training


def _every(steps: int) -> str:
    return "the only step" if steps == 1 else f"all {steps} steps"


def _times(n: int, what: str = "time") -> str:
    return f"{n} {what}{'s' if n > 1 else ''}" if what != "time" or n > 1 else "once"
