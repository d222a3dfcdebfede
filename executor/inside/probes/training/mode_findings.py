"""Tell which modules were in eval mode when they were trained."""

from __future__ import annotations

from typing import Any

from torch import nn

from executor.inside import torch_private as private
from executor.inside.probes.training.findings import FindingCollector
from executor.inside.probes.training.fixed import frozen_norms
from executor.inside.probes.training.steps import Steps
from executor.inside.probes.training.words import times

_MOVED = 3  # batches


class ModeFindings:
    """The modes of the modules that steps have trained."""

    def __init__(self, steps: Steps) -> None:
        self._steps = steps

    def report(self, collector: FindingCollector) -> None:
        for root, name, line, n in self._steps.evaluating.values():
            idle = sorted({type(m).__name__ for m in root.modules() if _acts_in_training(m)})
            if idle and name:
                calls = self._steps.calls
                evaluates = self._steps.names.intent.evaluates_and_stays
                if (id(root) in calls.in_training or evaluates) and id(root) in calls.unrecorded:
                    self._report_stays_in_eval(collector, root, name, line, n)
                    continue
                collector.add(
                    "eval_mode_training",
                    line,
                    name,
                    f"`{name}` was in eval mode when line {line} called it before "
                    f"{times(n, 'step')}: its {' and '.join(idle)} layers work as in prediction",
                )

        self._report_statistics(collector)

    def _report_statistics(self, collector: FindingCollector) -> None:
        """Batch norms whose weights are frozen, and whose statistics have gone on all the same.

        Where weights are loaded their statistics come from elsewhere: then the last mode decides.
        """
        steps = self._steps
        if steps.names.has_copies:
            return  # a copy that follows may take its own statistics
        loads = steps.names.intent.loads
        for root in steps.calls.roots.values():
            if not any(id(p) in steps.optimized for p in root.parameters()):
                continue
            norms = [
                m
                for m in frozen_norms(root)
                if (
                    self._went_on(m)
                    if id(m.weight) in steps.optimized
                    else int(m.num_batches_tracked) > 0 and (m.training or not loads)
                )
            ]
            name = steps.names.of_attribute(root) or type(root).__name__
            if norms:
                collector.add(
                    "statistics_move",
                    steps.names.line_of(name),
                    name,
                    f"the weights of {len(norms)} batch norm layers in `{name}` are frozen, and "
                    "their statistics went on with each batch: in training mode a layer takes "
                    "those of its batches, frozen or not, so that the frozen part does not stay "
                    "as it was; put it into eval mode after each `train()`",
                )
                return

    def _went_on(self, norm: Any) -> bool:
        """Whether one that was trained first moved on when only another part was trained."""
        for record, tracked, others in self._steps.frozen.get(id(norm), ()):
            held = [r for r in self._steps.records.values() if id(norm.weight) in r.ids]
            still = all(r is record or r.steps == others.get(id(r.optimizer)) for r in held)
            if still and int(norm.num_batches_tracked) - tracked >= _MOVED <= record.steps:
                return not norm.training  # and is used as it is now
        return False

    def _report_stays_in_eval(
        self, collector: FindingCollector, root: nn.Module, name: str, line: int | None, n: int
    ) -> None:
        """It was trained in training mode first, then evaluated, and has stayed as it was there."""
        if not all(p.requires_grad for p in root.parameters()):
            return  # a later phase in which a part is frozen
        collector.add(
            "stays_in_eval",
            line,
            name,
            f"`{name}` was put into eval mode for an evaluation and never back: line {line} "
            f"trained it so before {times(n, 'step')}, without dropout and without new statistics "
            f"of batch norm; call `{name}.train()` before each round of training",
        )


def _acts_in_training(module: nn.Module) -> bool:
    if isinstance(module, private.Dropout):
        return module.p > 0 and not module.training
    return isinstance(module, private.BatchNorm) and not module.training
