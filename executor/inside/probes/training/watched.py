"""What is noted of every tensor that could be trained, and of every optimizer's steps."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import torch
from torch import nn

from executor.inside.probes.training.quiet import equal, largest, quietly

_WATCHED_ELEMENTS = 1 << 20  # larger parameters are not copied to see whether they moved


@dataclass
class Watched:
    """A tensor that could be trained, and what its gradients were at the steps."""

    name: str
    tensor: torch.Tensor
    line: int | None
    before: torch.Tensor | None  # its value at the first step
    steps: int = 0
    missing: int = 0  # steps that found no gradient
    zero: int = 0
    not_finite: int = 0
    stepped: bool = False  # the first step itself changed it
    owner: str = ""  # the variable whose module holds it
    root: nn.Module | None = None  # that module, or the outermost one that was called
    module: nn.Module | None = None  # the part of it that holds the tensor itself
    training: bool = False  # it was in training mode at the first step, or at a later one
    rate: float = 0.0  # the highest learning rate of a step
    top: float = 0.0  # the largest value of a gradient that was neither zero nor NaN
    tops: set[float] = field(default_factory=set)  # the first two different ones

    @property
    def moved(self) -> bool:
        """Whether its value has changed since the first step."""
        return self.before is None or not equal(self.before, self.tensor)

    def note(self, top: float) -> None:
        """Note a step's gradient, by its largest absolute value."""
        if top == 0:
            self.zero += 1
        elif top != top or top == float("inf"):
            self.not_finite += 1
        else:
            self.top = max(self.top, top)
            if len(self.tops) < 2:
                self.tops.add(top)

    @property
    def fed(self) -> bool:
        """Whether steps saw its gradient come or change; what a copy brought along stays."""
        return bool(self.missing or len(self.tops) > 1)


@dataclass
class Record:
    """One optimizer and its steps."""

    optimizer: torch.optim.Optimizer
    name: str
    line: int | None  # of the last step
    watched: list[Watched] = field(default_factory=list)
    steps: int = 0
    empty: int = 0  # steps that found no gradient at all
    ended: bool = False  # a step came to its end
    closure: bool = False
    healthy: bool = False  # every gradient has been there once, neither zero nor NaN
    carrying: bool = False  # nobody has reset the gradients since the last step, as far as seen
    backwards: int = 0  # since the last step
    stale: int = 0  # steps on gradients that still held those of the step before
    heard: int = 0  # backwards before the last step that found nothing
    heard_first: int = 0  # before its first step
    wiped: bool = False  # one of them reached its parameters
    params: list[torch.Tensor] = field(default_factory=list)
    ids: list[int] = field(default_factory=list)  # of the parameters
    unlooked: int = 0  # healthy steps that `watched` has not counted yet
    groups: int = 0  # of its parameters
    few: list[torch.Tensor] = field(default_factory=list)  # parameters that had a gradient once
    kept: list[float] = field(default_factory=list)  # their gradients at that step
    turns: int = 0  # how often it stepped after another optimizer had
    lost: bool = False  # gradients of a backward were gone at the next one, without a step
    changed_late: bool = False  # somebody changed a gradient after the step that used it
    used: tuple[torch.Tensor, int] | None = None  # a gradient of the last step, and its version
    passed: bool = False  # another optimizer has stepped since the last backward
    left: torch.Tensor | None = None  # a gradient that stood there when another had stepped
    opposed: list[float] = field(default_factory=list)  # how its own gradient lay to that one
    decayed: bool = False  # somebody changed them between a step and the next backward

    def count(self) -> None:
        """Add the steps that were only counted to every parameter."""
        if self.unlooked:
            for w in self.watched:
                w.steps += self.unlooked
            self.unlooked = 0


def look(watched: Iterable[Watched], *, every: bool) -> bool:
    """Read the gradients; return whether all of them are missing."""
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


def copy_of(tensor: torch.Tensor) -> torch.Tensor | None:
    """Its value now; None where it is too large to be copied."""
    if tensor.numel() > _WATCHED_ELEMENTS or tensor.layout is not torch.strided:
        return None
    with quietly():
        return tensor.detach().clone()
