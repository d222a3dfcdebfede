"""Collect the findings of one run: the likeliest cause first, without their consequences."""

from __future__ import annotations

from functools import partial
from typing import Any

from executor.inside.probes.kinds import finding, rank
from executor.protocol import Finding

_PER_KIND = 8

# A finding that follows from another one says nothing new.
_FOLLOWS = {
    "step_without_gradients": {"loss_without_graph", "foreign_optimizer"},
    "no_gradient": {"loss_without_graph"},
    "unused_parameters": {"loss_without_graph", "unregistered_module"},
    "zero_gradient": {"one_class", "softmax_one_column", "loss_not_finite", "targets_out_of_reach"},
    "loss_repeats": {"loss_broadcasts"},
    "rate_died": {"schedule_by_batches"},
    "softmax_over_batch": {"softmax_wrong_dim", "attention_wrong_dim"},
    "output_constant": {
        "softmax_one_column",
        "zero_gradient",
        "one_class",
        "targets_out_of_reach",
    },
    "gradient_not_finite": {"loss_not_finite", "loss_ran_away", "infinite_slope"},
    "loss_not_finite": {"scaler_left_out", "infinite_slope"},
    "loss_ran_away": {"scaler_left_out"},
}
_OF_MASKS = {"sees_the_future", "padding_read"}
_BOTH_SEE = {"mask_of_queries"}  # the same place, the run at the softmax, the text at the mask


class FindingCollector:
    """Collects findings; `findings` is what is left of them."""

    def __init__(self) -> None:
        self._all: list[Finding] = []

    def add(self, kind: str, line: int | None, name: str, message: str, **facts: Any) -> None:
        """Add one finding; more than eight of a kind are dropped."""
        self._add(finding(kind, line, name, message, **facts))

    def add_by_text(
        self, kind: str, line: int | None, name: str, message: str, ways: tuple[Any, ...]
    ) -> None:
        """Add what only the text shows, with the edits that may mend it."""
        seen = finding(kind, line, name, message, ways=list(ways))
        self._add(seen.model_copy(update={"by_text": True}))

    def _add(self, seen: Finding) -> None:
        if sum(f.kind == seen.kind for f in self._all) < _PER_KIND and seen not in self._all:
            self._all.append(seen)

    @property
    def findings(self) -> list[Finding]:
        """The findings, the likeliest cause first, without those that follow from another one."""
        return ordered(_with_edits(self._all))


def ordered(found: list[Finding]) -> list[Finding]:
    """Findings without those that follow from another one, the likeliest cause first."""
    kinds = {f.kind for f in found}
    left = [f for f in found if not kinds & _FOLLOWS.get(f.kind, set())]
    return sorted(map(partial(_with_cause, beside=left), left), key=rank)


def _with_cause(seen: Finding, beside: list[Finding]) -> Finding:
    """What reads the future, or the padding, has its cause in a mask that is inverted there."""
    mask = next((f for f in beside if f.kind == "mask_inverted"), None)
    if mask is None or seen.kind not in _OF_MASKS:
        return seen
    told, _, _ = seen.message.rpartition("; ")
    cause = f"its mask is there, and hides the wrong half (line {mask.line}): turn it round"
    return seen.model_copy(update={"message": f"{told}; {cause}"})


def _with_edits(found: list[Finding]) -> list[Finding]:
    """What the run and the text show alike is told once: as the run's, with the text's edits.

    A copy of a tensor that PyTorch warns of is the cut by which a parameter gets no gradient.
    """
    cuts = [f.facts["uncut"] for f in found if f.facts.get("uncut")]
    found = [
        f.model_copy(update={"facts": {**f.facts, "ways": cuts[0]}})
        if len(cuts) == 1 and f.kind == "no_gradient"
        else f
        for f in found
    ]
    probed = {f.kind for f in found if not f.by_text} & _BOTH_SEE
    ways = {f.kind: f.facts["ways"] for f in reversed(found) if f.by_text and f.kind in probed}
    left = [f for f in found if not f.by_text or f.kind not in probed]
    return [
        f.model_copy(update={"facts": {**f.facts, "ways": ways[f.kind]}}) if f.kind in ways else f
        for f in left
    ]
