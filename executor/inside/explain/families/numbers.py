"""Distributions, linear algebra and other calls whose values are outside of what they may be."""

from __future__ import annotations

import torch

from executor.errors import SeenError
from executor.inside.explain.family import Told, explains
from executor.inside.explain.look import is_tensor
from executor.inside.explain.scene import Scene
from executor.inside.explain.thing import Thing
from executor.inside.explain.words import dtype, listed

_MOST = 1_000_000  # numbers of matrices that are looked at


@explains("distribution", "distribution_parameter", "distribution_value")
def distribution(scene: Scene, m: SeenError) -> Told:
    """The range of the parameter."""
    word = m["parameter"] or "value"
    t = scene.argument(99, word) if m["parameter"] else None
    value = t.value if t is not None and t.is_tensor else scene.local(word)
    if not is_tensor(value) or not value.numel() or not value.is_floating_point():
        return None
    thing = scene.as_written(value) or Thing(word, value)
    if bool(torch.isnan(value).any()):
        return f"{thing} as `{word}` holds NaN."
    constraint = m["constraint"]
    if constraint == "PositiveDefinite":
        return _not_definite(thing, word, value.detach())
    if "Cholesky" in constraint:
        if value.ndim != 2 or value.shape[0] != value.shape[1]:
            return None
        lowest = float(torch.diagonal(value).min())
        above = "has values" if bool(torch.triu(value, 1).any()) else "is zero"
        return (
            f"{thing} as `{word}` {above} above its diagonal, and the smallest number on the "
            f"diagonal is {lowest:.3g}."
        )
    low, high = float(value.min()), float(value.max())
    text = f"{thing} as `{word}` has values from {low:.3g} to {high:.3g}"
    if "Boolean" in constraint and 0 <= low <= high <= 1:
        return f"{text}, and those between 0 and 1 are none that it takes."
    return f"{text}."


def _not_definite(thing: Thing, word: str, value: torch.Tensor) -> Told:
    """Which matrices of a batch are not positive definite, and what the first one lacks."""
    if value.ndim < 2 or value.shape[-1] != value.shape[-2] or value.numel() > _MOST:
        return None
    n = value.shape[-1]
    each = value.reshape(-1, n, n)
    sound = torch.linalg.cholesky_ex(each).info == 0
    even = torch.isclose(each, each.mT, atol=1e-6).flatten(1).all(1)
    bad = [i for i, ok in enumerate((sound & even).tolist()) if not ok]
    if not bad:
        return None
    what = (
        f"has {float(torch.linalg.eigvalsh(each[bad[0]])[0]):.3g} for its smallest eigenvalue"
        if even[bad[0]]
        else "is not symmetric"
    )
    if value.ndim == 2:
        return f"{thing} as `{word}` {what}."
    at = [int(i) for i in torch.unravel_index(torch.tensor(bad[0]), value.shape[:-2])]
    return (
        f"{thing} as `{word}` holds {len(each)} matrices, of which {len(bad)} are not positive "
        f"definite: that at {at} {what}."
    )


@explains("linalg", "singular_matrix", "matrix_kind", "linear_algebra")
def linalg(scene: Scene, m: SeenError) -> Told:
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
    if m.id != "singular_matrix":
        parts.append("is symmetric" if sym else "is not symmetric")
    return f"{t} {listed(parts)}."


@explains("reduction", "nothing_to_reduce")
def no_elements(scene: Scene, m: SeenError) -> Told:
    """The empty tensor."""
    things = [*scene.tensors, *(t for t in scene.below if t.is_tensor)]
    t = next((t for t in things if t.value.numel() == 0), None)
    return f"{t} is empty: there is no largest, smallest or mean value of nothing." if t else None
