"""Distributions, linear algebra and other calls whose values are outside of what they may be."""

from __future__ import annotations

import re

import torch

from executor.inside.explain.family import Told, family
from executor.inside.explain.look import is_tensor
from executor.inside.explain.scene import Scene
from executor.inside.explain.thing import Thing
from executor.inside.explain.words import dtype, listed


@family("distribution", r"Expected parameter (\w+) \(Tensor of shape .*?of distribution (\w+).*?to "
        r"satisfy the constraint (\w+)", r"Expected value argument .*?to be within the "
                                         r"support")  # fmt: skip
def distribution(scene: Scene, m: re.Match[str]) -> Told:
    """The range of the parameter."""
    word = m[1] if m.re.groups else "value"
    t = scene.argument(99, word) if m.re.groups else None
    value = t.value if t is not None and t.is_tensor else scene.local(word)
    if not is_tensor(value) or not value.numel() or not value.is_floating_point():
        return None
    thing = scene.as_written(value) or Thing(word, value)
    if bool(torch.isnan(value).any()):
        return f"{thing} as `{word}` holds NaN."
    constraint = m[3] if m.re.groups else ""
    if "Cholesky" in constraint or "Definite" in constraint:
        if value.ndim != 2 or value.shape[0] != value.shape[1]:
            return None
        lowest = float(torch.diagonal(value).min())
        above = "has values" if bool(torch.triu(value, 1).any()) else "is zero"
        return (f"{thing} as `{word}` {above} above its diagonal, and the smallest number on the "
                f"diagonal is {lowest:.3g}.")  # fmt: skip
    low, high = float(value.min()), float(value.max())
    return f"{thing} as `{word}` has values from {low:.3g} to {high:.3g}."


@family("linalg", r"LinAlgError|singular|positive-definite|linalg\.\w+: (?:A|input|The)")
def linalg(scene: Scene, m: re.Match[str]) -> Told:
    """The matrix: shape, rank, symmetric or not."""
    t = next(iter(scene.tensors), None)
    if t is None:
        return None
    v = t.value.detach()
    if len(t.shape) != 2 or not v.is_floating_point() or v.numel() > 1_000_000:
        return f"{t} is {dtype(v)}."
    n = min(v.shape)
    if v.shape[0] != v.shape[1]:
        return f"{t} is not square."
    rank = int(torch.linalg.matrix_rank(v))
    sym = torch.equal(v, v.mT)
    parts = [f"has rank {rank} of {n}"]
    if "singular" not in m.string:
        parts.append("is symmetric" if sym else "is not symmetric")
    return f"{t} {listed(parts)}."


@family("reduction", r"Expected reduction dim to be specified for input\.numel\(\) == 0|"
        r"cannot perform reduction function \w+ on a tensor with no elements|zero "
        r"elements")  # fmt: skip
def no_elements(scene: Scene, m: re.Match[str]) -> Told:
    """The empty tensor."""
    things = [*scene.tensors, *(t for t in scene.below if t.is_tensor)]
    t = next((t for t in things if t.value.numel() == 0), None)
    return f"{t} is empty: there is no largest, smallest or mean value of nothing." if t else None
