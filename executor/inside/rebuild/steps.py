"""A step of the search: a candidate with one property of one value changed."""

from __future__ import annotations

from dataclasses import dataclass

from executor.inside.rebuild.candidate import Candidate, Leaf
from executor.inside.rebuild.evidence import Posted
from executor.inside.rebuild.trial import Outcome
from executor.inside.rebuild.values import Tensor

_MOST_ELEMENTS = 64_000_000
# Families that depend on whether a tensor requires grad.
GRAD = frozenset(
    {"leaf_in_place", "no_graph", "numpy_of_graph", "resized_with_grad", "grad_of_result",
     "modified_in_place", "grad_of_many", "freed_graph", "target_requires_grad",
     "deepcopy_of_result", "non_leaf_parameter", "view_of_many_in_place", "no_grad_view_in_place",
     "requires_grad_of_result", "none_attribute"}
)  # fmt: skip


@dataclass(frozen=True)
class Step:
    """A candidate, and how far it is from the one before: the unlikelier, the more."""

    weight: float
    candidate: Candidate


def distance(leaf: Leaf, seen: Outcome, posted: Posted) -> int:
    """0 for a value that the posted line names; 1 for one that the failing frame holds."""
    named = posted.names or posted.names_at(frozenset(seen.lines[-1:]))
    if leaf.name in named:
        return 0
    return 1 if leaf.name in seen.shapes else 2


def step(candidate: Candidate, leaf: Leaf, tensor: Tensor, weight: float) -> Step:
    """The step to a candidate with one tensor changed."""
    return Step(weight, candidate.with_leaf(leaf, tensor))


def fits(shape: tuple[int, ...]) -> bool:
    """Whether a tensor of that shape is small enough to be tried."""
    n = 1
    for size in shape:
        n *= size
    return n <= _MOST_ELEMENTS
