"""What a family of errors asks for beyond values: files, weights, devices."""

from __future__ import annotations

from executor.errors import resized_keys, shapes_named
from executor.inside.rebuild.candidate import Candidate
from executor.inside.rebuild.evidence import Posted
from executor.inside.rebuild.values import Text
from executor.protocol import RebuildOrder


def prepared(candidate: Candidate, order: RebuildOrder, posted: Posted) -> Candidate:
    """The candidate with what the posted family needs."""
    match posted.id:
        case "state_dict":
            return _weights(candidate, posted)
    return candidate


def _weights(candidate: Candidate, posted: Posted) -> Candidate:
    """A model and a state dict with the names and shapes that the message lists."""
    saved: dict[str, tuple[int, ...]] = {}
    current: dict[str, tuple[int, ...]] = {}
    for key in resized_keys(posted.error.message):
        one, other = shapes_named(key.saved), shapes_named(key.current)
        if one and other:
            saved[key.name], current[key.name] = one[0], other[0]
    if not saved:
        return candidate
    kind = posted.family["model"] if posted.family is not None else "Model"
    for name, given in candidate.values:
        if "_stubs.Model" in given.value.expression:
            made = Text(f'_stubs.weights({current!r}, "{kind}")', "a model with the posted weights")
            candidate = candidate.with_value(name, made, "message")
    return candidate
