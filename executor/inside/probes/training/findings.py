"""Collect the findings of one run: the likeliest cause first, without their consequences."""

from __future__ import annotations

from typing import Any

from executor.protocol import Finding

_PER_KIND = 8

# What explains the others comes first: without a graph nothing has a gradient, for one.
_ORDER = (
    "loss_without_graph", "foreign_optimizer", "step_without_gradients",
    "step_without_training", "unregistered_module",
    "unregistered_parameter", "not_in_optimizer", "loss_broadcasts", "one_class",
    "softmax_before_cross_entropy", "sigmoid_before_cross_entropy",
    "sigmoid_before_bce_with_logits", "raw_scores_to_nll", "gradients_accumulate",
    "loss_not_finite", "gradient_not_finite", "no_gradient", "zero_gradient", "never_moved",
    "unregistered_tensor", "left_fixed", "unused_parameters", "plain_constant",
    "eval_mode_training", "graph_kept", "log_softmax_before_cross_entropy",
    "input_requires_grad",
)  # fmt: skip
# A finding that follows from another one says nothing new.
_FOLLOWS = {
    "step_without_gradients": {"loss_without_graph", "foreign_optimizer"},
    "no_gradient": {"loss_without_graph"},
    "unused_parameters": {"loss_without_graph", "unregistered_module"},
    "zero_gradient": {"one_class", "loss_not_finite"},
    "gradient_not_finite": {"loss_not_finite"},
}


class FindingCollector:
    """Collects findings; `findings` is what is left of them."""

    def __init__(self) -> None:
        self._all: list[Finding] = []

    def add(self, kind: str, line: int | None, name: str, message: str, **facts: Any) -> None:
        """Add one finding; more than eight of a kind are dropped."""
        if sum(f.kind == kind for f in self._all) < _PER_KIND:
            finding = Finding(kind=kind, line=line, name=name, message=message, facts=facts)
            if finding not in self._all:
                self._all.append(finding)

    @property
    def findings(self) -> list[Finding]:
        """The findings, the likeliest cause first, without those that follow from another one."""
        kinds = {f.kind for f in self._all}
        left = [f for f in self._all if not kinds & _FOLLOWS.get(f.kind, set())]
        return sorted(left, key=lambda f: _ORDER.index(f.kind))
