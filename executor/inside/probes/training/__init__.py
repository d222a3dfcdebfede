"""Find training mistakes that raise no error; they are reported as findings after the run.

The probe is always on, so it must be cheap and invisible: hooks around an optimizer's step, a
descriptor in the place of `Tensor.backward`, and a `Module.__call__` that notes the call.

    findings.py      the findings, the likeliest cause first
    intent.py        what the text says is meant to stay as it is
    fixed.py         modules that are meant to stay fixed
    names.py         the names of the snippet's tensors, and the lines that make them
    calls.py         the modules that it calls; disguised.py keeps the listener out of tracebacks
    losses.py        the tensors that backward() is called on; graph.py: how they were
                     computed, heard.py: who calls; course.py: whether they run away
    activations.py   last activations and targets that do not fit a loss; nodes.py: a graph's nodes
    reach.py         targets that the last activation cannot give; class_counts.py: the classes
                     of all targets together
    comparisons.py   predictions compared with labels as a table of all pairs
    idle.py          optimizers that nothing steps, layers whose units all stay the same
    steps.py         the gradients that an optimizer's step finds
    unregistered.py  tensors and modules that a module uses without having registered them
    kept.py          losses and outputs kept with their graphs; never_back.py: for nothing
    dimensions.py    softmax and norms along the wrong dimension, unscaled inputs
    leaks.py         samples that leak into each other, futures that leak into the past
    ignored.py       inputs of a model that change nothing of its output
    mixing.py        the line at which the samples of a batch first mix
    lost_batch.py    samples that are taken together, so that a row is left for each step
    derivatives.py   a backward of its own that is not the derivative of its forward
    padded.py        answers that change with the padding behind a sequence
    unread.py        sequences of which a recurrent model reads one step only
    unlike.py        inputs of another scale in an evaluation than in training
    masks.py         masks that hide nothing; signs.py: targets of 0 where -1 is meant
    by_text.py       what the text shows and the run bears out; witnesses.py: what the run
                     shows of the same things
    scalers.py       gradients that a scaler made larger, and nothing divides again
    rates.py         learning rates, schedulers, optimizers made anew
    reduced.py       sums along another dimension than their weights add up to 1 along
    named_axes.py    … and than the comments name
    layouts.py       views that were meant to turn a tensor
    same_memory.py   averages of weights with themselves
    samples.py       sorted training data, samples never drawn; sorted_slices.py: slices of such
    overlaps.py      test data that was trained on; drawn_twice.py: by the indices of both
    overwrites.py    additions at places that come several times
    cuts.py          shares that become whole numbers, all of them 0
    copies.py        writes into a copy that an index made, and that nothing holds
    wraps.py         bytes that go beyond 255 or below 0
    merges.py        whole numbers of which many become one as decimal ones; digits.py: digits that
                     float32 has not, where they decide
    counters.py      counters in half precision that stand still
    left_frozen.py   what is frozen by accident; by_its_class.py: by the class that makes it
    loading.py       loaded weights that change nothing
    workers.py       worker processes of a loader that all deliver the same
    drift.py         data sets whose samples change by being read
    followers.py     averages and target networks that never follow
    hooks.py         hooks that are registered again and again
    lost.py          what copies of a model leave behind
    stored.py        lists that hold one object many times
    twins.py         one module where several were meant, freezing without an effect
    told.py          PyTorch's own warnings
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import torch
from torch import nn

from executor.errors import families_of, is_a
from executor.inside.probes.source import SnippetSource
from executor.inside.probes.training import idle, witnesses
from executor.inside.probes.training.by_text import report_by_text
from executor.inside.probes.training.calls import Calls
from executor.inside.probes.training.comparisons import Comparisons
from executor.inside.probes.training.copies import Copies
from executor.inside.probes.training.counters import Counters
from executor.inside.probes.training.cuts import Cuts
from executor.inside.probes.training.digits import report_digits
from executor.inside.probes.training.drift import report_drift
from executor.inside.probes.training.findings import FindingCollector
from executor.inside.probes.training.followers import Followers
from executor.inside.probes.training.heard import PROBLEMS
from executor.inside.probes.training.hooks import report_hooks
from executor.inside.probes.training.kept import Kept
from executor.inside.probes.training.layouts import Layouts
from executor.inside.probes.training.leaks import Leaks, views_states
from executor.inside.probes.training.left_frozen import report_left_frozen
from executor.inside.probes.training.loading import Loads
from executor.inside.probes.training.losses import LossProbe
from executor.inside.probes.training.lost import report_lost
from executor.inside.probes.training.lost_batch import samples_first
from executor.inside.probes.training.mask_edits import causal
from executor.inside.probes.training.merges import Merges
from executor.inside.probes.training.named_axes import report_named_axes
from executor.inside.probes.training.names import SnippetNames
from executor.inside.probes.training.never_back import report_never_back
from executor.inside.probes.training.overlaps import Overlaps
from executor.inside.probes.training.overwrites import Overwrites
from executor.inside.probes.training.quiet import quietly
from executor.inside.probes.training.rates import Rates
from executor.inside.probes.training.same_memory import SameMemory
from executor.inside.probes.training.samples import Samplers, report_empty, report_samples
from executor.inside.probes.training.scalers import report_scalers
from executor.inside.probes.training.sorted_slices import SortedSlices
from executor.inside.probes.training.step_findings import StepFindings
from executor.inside.probes.training.steps import Steps
from executor.inside.probes.training.stored import Stored
from executor.inside.probes.training.told import report_warnings
from executor.inside.probes.training.twins import report_twins
from executor.inside.probes.training.unregistered import (
    Unregistered,
    live_modules,
    plain_attributes,
    with_children,
)
from executor.inside.probes.training.workers import Workers
from executor.inside.probes.training.wraps import Wraps
from executor.protocol import ErrorSeen, Finding, ModuleCall, WarningSeen

_NAMES = 500
_PARAMETER_LIST_ERRORS = ("no_parameters", "non_leaf_parameter", "optimizer_no_tensors")


class TrainingProbe:
    """Listens to modules, losses and optimizers; `findings` is there after `stop`."""

    def __init__(self, source: SnippetSource, tree: ast.Module) -> None:
        self.source = source
        self._tree = tree
        self.findings: list[Finding] = []
        self.moved: list[str] = []
        self.names = SnippetNames(source, tree)
        self.called = Calls(source)
        self.steps = Steps(self.names, self.called)
        self.losses = LossProbe(self.names, self.called, self._backward_begins)
        self.kept = Kept(self.names, self.losses.is_one)
        self.comparisons = Comparisons(self.names)
        self.waiting = idle.Waiting(tree)
        self.loads = Loads(source, tree, lambda: sum(r.steps for r in self.steps.records.values()))
        self.layouts = Layouts(self.names, tree)
        self.leaks = Leaks(
            source,
            self.called.unpaired,
            takes_columns=self.names.takes_columns,
            views_states=views_states(tree),
            pads=self.names.pads,
            samples_first=samples_first(tree, source.lines),
            ways_to_mask=lambda: causal(tree),
        )
        self.called.first = self.leaks.called
        self.called.unrecorded_first = self.leaks.called_unrecorded
        self.rates = Rates(tree, self.steps, self.loads)
        self.followers = Followers(source, tree, self.loads.is_loaded)
        self.workers = Workers(source, tree)
        self.samplers = Samplers(source, tree)
        self.overwrites = Overwrites(self.names, tree)
        self.wraps = Wraps(self.names, tree)
        self.merges = Merges(self.names, tree)
        self.counters = Counters(self.names, tree)
        self.stored = Stored(self.names, tree)
        self.overlaps = Overlaps(tree)
        self.slices = SortedSlices(tree)
        self.copies = Copies(self.names, tree)
        self.cuts = Cuts(self.names, tree)
        self.same = SameMemory(self.names, tree)
        self.tried = witnesses.Tried(tree)
        self.witnessed: list[str] = []
        self._collector = FindingCollector()
        self._problem = ""

    @property
    def trained(self) -> bool:
        """Whether an optimizer stepped."""
        return self.steps.trained

    @property
    def calls(self) -> list[ModuleCall]:
        """The snippet's own calls of modules, as their shapes."""
        return self.called.seen

    def start(self) -> None:
        """Listen."""
        self.called.start()
        self.steps.start(self._step_begins)
        self.losses.start()
        self.comparisons.start()
        self.loads.start()
        self.layouts.start()
        self.rates.start()
        self.followers.start()
        self.workers.start()
        self.samplers.start()
        self.overwrites.start()
        self.wraps.start()
        self.merges.start()
        self.counters.start()
        self.stored.start()
        self.copies.start()
        self.cuts.start()
        self.same.start()

    def stop(
        self,
        namespace: dict[str, Any],
        error: ErrorSeen | None,
        warnings: tuple[WarningSeen, ...] = (),
    ) -> None:
        """Stop listening and make the findings."""
        parts = (
            self.layouts,
            self.rates,
            self.loads,
            self.comparisons,
            self.followers,
            self.workers,
            self.samplers,
            self.overwrites,
            self.wraps,
            self.merges,
            self.counters,
            self.stored,
            self.copies,
            self.cuts,
            self.same,
        )
        for part in (*parts, self.losses, self.steps, self.called):
            part.stop()
        optimized = set(self.steps.optimized)
        unregistered = Unregistered(self.names, self.steps, self._collector)
        if self.trained:
            roots = list(self.called.roots.values())
            unregistered.report(roots, used=True)
            plain = {id(v) for m in with_children(roots) for _, _, v in plain_attributes(m)}
            elsewhere = plain | self.losses.leaves
            owners, scored = _owners(namespace), self.losses.scored
            ended = error is not None
            self.steps.lossless = self.losses.count > 0 and self.losses.largest == 0
            told = StepFindings(self.steps)
            told.report(self._collector, owners, elsewhere, scored, ended=ended)
            self.kept.look(namespace.items())
            self.kept.report(self._collector)
            self._try(lambda c: report_never_back(c, self._tree, self.names, namespace))
            idle.report_identical_units(self._collector, self.steps, roots)
            self._try(lambda c: idle.report_decayed(c, self.steps))
            self._try(lambda c: idle.report_rounded(c, self.steps))
            self._try(self.layouts.report)
            self._try(self.same.report)
            self._try(lambda c: self.followers.report(c, self.steps, namespace))
            self._try(self.workers.report)
            self._try(self.samplers.report)
            self._try(self.overwrites.report)
            self._try(self.wraps.report)
            self._try(lambda c: self.merges.report(c, namespace))
            self._try(self.counters.report)
            self._try(self.cuts.report)
            self._try(self.called.signs.report)
            if not self.names.is_of_rewards:
                self._try(lambda c: self.called.unlike.report(c, optimized))
            self._try(lambda c: report_samples(c, self._tree, namespace))
            self._try(self.slices.report)
            self._try(lambda c: self.overlaps.report(c, namespace, self.names.line_of))
            self._try(lambda c: report_drift(c, self._tree))
            self._try(lambda c: report_named_axes(c, self._tree, self.source.lines))
            self._try(lambda c: report_hooks(c, self._tree, roots))
            self._try(lambda c: report_lost(c, self._tree, self.called.all(), self.steps))
            self._try(lambda c: self.stored.report(c, namespace, self.steps))
            self._try(lambda c: report_scalers(c, self._tree, self.steps))
            text = "\n".join(self.source.lines)
            self._try(lambda c: report_twins(c, self._tree, namespace, roots, self.steps, text))
            self._try(
                lambda c: report_left_frozen(
                    c, self._tree, namespace, roots, self.steps, self.loads
                )
            )
            self._try(lambda _: self._witness(namespace))
            self.moved = [w.name for w in self.steps.optimized.values() if w.moved][:_NAMES]
        elif error is not None and is_a(error, *_PARAMETER_LIST_ERRORS):
            unregistered.report(live_modules(), used=False)
        if error is None:
            self.waiting.report(self._collector, self.steps)
            self._try(lambda c: report_digits(c, self._tree, self.names, namespace))
            if self.trained or self.losses.count > 1:
                text = "\n".join(self.source.lines)
                self._try(lambda c: report_by_text(c, self._tree, text, self.called.all()))
            self._try(lambda c: self.rates.report(c, warnings, worse=self.losses.worse))
            self._try(lambda c: report_empty(c, self._tree))
            self._try(
                lambda c: report_warnings(c, warnings, "\n".join(self.source.lines), self._tree)
            )
        self._try(self.loads.report)
        self._try(self.copies.report)
        self.comparisons.report(self._collector)
        self._try(lambda c: self.comparisons.report_padding(c, self.leaks.left_out))
        known = (seen for w in warnings for seen in families_of("UserWarning", w.message))
        implicit = any(seen.id == "softmax_without_dimension" for seen in known)
        self.losses.report(self._collector, optimized, trained=self.trained, implicit=implicit)
        self.findings = self._collector.findings
        problems = [self.called.problem, *PROBLEMS, self.losses.problem, self.steps.problem]
        PROBLEMS.clear()
        if problem := next(filter(None, problems), self._problem):
            raise RuntimeError(f"a look at the training failed: {problem}")

    def _witness(self, namespace: dict[str, Any]) -> None:
        with quietly():
            self.witnessed = witnesses.of_the_run(
                self.steps, self.losses.seen, self.leaks.targets, namespace
            )

    def _try(self, report: Callable[[FindingCollector], None]) -> None:
        """Add findings; what fails takes none of the others with it."""
        try:
            report(self._collector)
        except Exception as e:
            self._problem = self._problem or f"{type(e).__name__}: {e}"[:200]

    def _step_begins(self) -> None:
        if self.kept.step():
            there = list(self.names.variables())
            self.stored.look(there)
            self.overlaps.look(there)
            self.followers.look(there)
            self.slices.look(there)

    def _backward_begins(self, loss: torch.Tensor) -> None:
        self.steps.backward_begins(loss)
        self.waiting.backward_begins(self.steps.optimized)
        if self.called.unpaired:
            self.leaks.backward_begins(loss)
        if self.names.retains:
            self.kept.backward_begins(loss)
        self.steps.look_at_all = self.losses.broken


def _owners(namespace: dict[str, Any]) -> dict[int, str]:
    """id of a parameter → the global variable whose module holds it."""
    return {
        id(p): name
        for name, value in namespace.items()
        if issubclass(type(value), nn.Module)
        for p in value.parameters()
    }
