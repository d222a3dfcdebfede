"""Tell which optimizers stepped in vain, and which parameters no optimizer holds."""

from __future__ import annotations

from torch import nn

from executor.inside.probes.training import fixed
from executor.inside.probes.training.findings import FindingCollector
from executor.inside.probes.training.gradient_findings import GradientFindings
from executor.inside.probes.training.mode_findings import ModeFindings
from executor.inside.probes.training.steps import Steps
from executor.inside.probes.training.watched import Record, Watched
from executor.inside.probes.training.words import every, no_path, times
from executor.inside.remarks.layers import made_once

_MANY = 8  # steps of which somebody may have reset the gradients of a few
_LOOKED, _AGAINST = 5, -0.5  # steps that were compared; how their gradients lie to the others
_TURNS = 3  # of two optimizers that step one after the other, again and again


class StepFindings:
    """What the steps of all optimizers show when the run has ended."""

    def __init__(self, steps: Steps) -> None:
        self._steps = steps

    def report(
        self,
        collector: FindingCollector,
        owners: dict[int, str],
        elsewhere: set[int],
        scored: set[int],
        *,
        ended: bool,
    ) -> None:
        """Add the findings, after the run.

        Args:
            collector: takes the findings.
            owners: id of a parameter → the variable whose module holds it.
            elsewhere: ids of tensors that another finding is about.
            scored: ids of parameters of the layers whose outputs are the loss.
            ended: an error ended the run, so that more might have been built later.
        """
        for record in self._steps.records.values():
            record.count()
        if self._steps.others:
            self._steps.note_held()
        orphans = [
            (key, w)
            for key, w in self._steps.others.items()
            if key not in self._steps.optimized
            and key not in self._steps.held
            and key not in elsewhere
            and _learns(w)
            and self._steps.fed(w)
            and not w.moved
        ]
        explained: set[int] = set()
        for record in self._steps.records.values():
            explained |= self._report_empty(collector, record, orphans, owners)
            self._report_stale(collector, record)
            self._report_opposed(collector, record)
        GradientFindings(self._steps).report(collector, explained)
        forgotten = fixed.Forgotten(self._steps, scored, ended=ended)
        noted: set[int] = set()
        for key, w in orphans:
            if key in explained:
                continue
            shape = list(w.tensor.shape)
            if (
                not isinstance(w.tensor, nn.Parameter)
                and w.name in self._steps.names.intent.by_hand
            ):
                continue  # the code itself uses its gradient
            if not isinstance(w.tensor, nn.Parameter) and not self._steps.names.is_weight(w.name):
                collector.add(
                    "input_requires_grad",
                    w.line,
                    w.name,
                    f"`{w.name}` {shape} has requires_grad and gets a gradient, and no optimizer "
                    "holds it: right for an input, wrong for a weight",
                )
                continue
            if not forgotten(w):
                if id(w.root) not in noted and forgotten.in_doubt(w):  # of a module it is said once
                    noted.add(id(w.root))
                    what = f"`{w.owner}`" if w.owner else f"`{w.name}` {shape}"
                    collector.add(
                        "left_fixed",
                        w.line,
                        w.owner or w.name,
                        f"{what} gets gradients, and no optimizer holds "
                        f"{'them all' if forgotten.partly(w) else 'it'}: right if that is meant to "
                        "stay fixed",
                    )
                continue
            collector.add(
                "not_in_optimizer",
                w.line,
                w.name,
                f"`{w.name}` {shape}{self._beside_its_twin(w)} gets a gradient, but no optimizer "
                + self._why_not_held(w),
                **({"module": owners[key]} if key in owners else {}),
                ways=list(made_once(self._steps.names.tree, w.line)),
            )
        self._report_twice(collector, [w for key, w in orphans if key not in explained])
        ModeFindings(self._steps).report(collector)

    def _why_not_held(self, w: Watched) -> str:
        names = self._steps.names
        if names.is_lazy(w.name):
            return (
                "holds it: it is of a lazy layer, which had no size when the optimizer was made, "
                "and was left out of it; call the model on one batch first, under "
                "`torch.no_grad()`, and make the optimizer then"
            )
        if names.is_made_by_forward(w.line):
            return (
                "holds it, and the next call of forward makes another one in its place, with new "
                "random values"
            )
        return "holds it, so that it never changes"

    def _report_twice(self, collector: FindingCollector, orphans: list[Watched]) -> None:
        """Two optimizers that take turns hold the same parameters, and another model has none."""
        turning = [r for r in self._steps.records.values() if r.turns >= _TURNS]
        left = [w for w in orphans if w.root is not None and w.training and w.owner]
        for i, one in enumerate(turning):
            for two in turning[i + 1 :]:
                if left and one.ids and set(one.ids) == set(two.ids):
                    owner = left[0].owner
                    collector.add(
                        "same_parameters_twice",
                        self._steps.names.line_of(one.name) or one.line,
                        one.name,
                        f"`{one.name}` and `{two.name}` hold the same {len(one.ids)} parameters "
                        f"and step in turns, while no optimizer holds `{owner}`, which gets "
                        f"gradients and never changes; one of them was meant for "
                        f"`{owner}.parameters()`",
                    )
                    return

    def _report_empty(
        self,
        collector: FindingCollector,
        record: Record,
        orphans: list[tuple[int, Watched]],
        owners: dict[int, str],
    ) -> set[int]:
        """Report an optimizer that never found a gradient, and which model's parameters it has."""
        if record.closure or not record.empty or not _trainable(record.watched):
            return set()
        ids = {id(p) for p in record.params}
        n, name = len(record.params), record.name
        which = f"any of its {n} parameters" if n > 1 else "its only parameter"
        foreign = [(key, w) for key, w in orphans if isinstance(w.tensor, nn.Parameter)]
        if record.empty < record.steps:  # now and then, another model of the same name is trained
            known = {(w.name, w.tensor.shape) for w in record.watched}
            foreign = [(key, w) for key, w in foreign if (w.name, w.tensor.shape) in known]
            if not foreign:
                return set()
            ids = set()
        of = (
            every(record.steps)
            if record.empty == record.steps
            else (f"{record.empty} of {record.steps} steps")
        )
        if foreign and self._is_foreign(record, [w for _, w in foreign]):
            to, module = self._whose(*foreign[0], owners)
            line = self._steps.names.line_of(name, record.line) or record.line
            none = f"none of the {n} parameters in `{name}` got a gradient"
            if n == 1:
                none = f"the only parameter in `{name}` got no gradient"
            collector.add(
                "foreign_optimizer",
                line,
                name,
                f"{none} at {of}; the gradients went to {to}, which no optimizer holds",
                **module,
            )
            return ids | {key for key, _ in foreign}
        if not record.heard and not self._steps.computed and not self._steps.names.calls_autograd:
            collector.add(
                "step_without_training",
                record.line,
                name,
                f"`{name}` made {times(record.steps, 'step')} without a forward or a backward: "
                f"{'its only parameter stays' if n == 1 else f'its {n} parameters stay'} unchanged",
            )
            return ids
        collector.add(
            "step_without_gradients",
            record.line,
            name,
            f"`{name}` found no gradient on {which} at {of}: "
            f"{self._why_empty(record, foreign, owners)}",
        )
        return ids | {key for key, _ in foreign}

    def _why_empty(
        self, record: Record, foreign: list[tuple[int, Watched]], owners: dict[int, str]
    ) -> str:
        if not record.heard and not self._steps.names.calls_autograd:
            before = " before it" if self._steps.backwards else ""
            return f"no backward() was called on a loss{before}"
        between = record.heard - record.heard_first
        if record.steps > 1 and not between and not self._steps.names.calls_autograd:
            return "no backward() was called between its steps"
        if record.wiped:
            return "they were reset between backward() and the step"
        if not record.heard or self._steps.reached is None:
            return f"{no_path('them')}, or they were reset before the step"
        others = dict.fromkeys(self._whose(key, w, owners)[0] for key, w in foreign)
        reached = f"; gradients reached only {' and '.join(others)}" if len(others) == 1 else ""
        return f"{no_path('them')}{reached}"

    def _is_foreign(self, record: Record, trained: list[Watched]) -> bool:
        """Whether the optimizer belongs to a model that is never called, or a copy of this one."""
        if not isinstance(record.params[0], nn.Parameter):
            return False
        held = {id(p) for p in record.params}
        called = any(id(p) in held for root in self._steps.calls.all() for p in root.parameters())
        return not called or {p.shape for p in record.params} <= {w.tensor.shape for w in trained}

    def _whose(self, key: int, w: Watched, owners: dict[int, str]) -> tuple[str, dict[str, str]]:
        """The name of a parameter's module, and as a fact its variable if it has one."""
        if key in owners:
            return f"`{owners[key]}`", {"module": owners[key]}
        if not w.owner:
            return f"`{w.name}` {list(w.tensor.shape)}{self._of_a_nameless(key)}", {}
        return f"{'another ' if self._steps.of_another(w) else ''}`{w.owner}`", {}

    def _beside_its_twin(self, w: Watched) -> str:
        """Which of two parameters of one name it is, where an optimizer holds the other one."""
        if self._steps.of_another(w):
            return f" of another `{w.owner}` than the one in the optimizer"
        twin = self._steps.twin(w)
        return ", which took the place of the one in the optimizer," if twin is not None else ""

    def _of_a_nameless(self, key: int) -> str:
        """The module of a parameter whose model is in no variable: the name alone is ambiguous."""
        root = next(
            (r for r in self._steps.calls.all() if key in set(map(id, r.parameters()))), None
        )
        if root is None or any(id(p) in self._steps.optimized for p in root.parameters()):
            return ""
        return f" of another module ({type(root).__name__})"

    def _report_opposed(self, collector: FindingCollector, record: Record) -> None:
        """Gradients of another optimizer's loss, in steps along the opposite direction."""
        looks = len(record.opposed)
        if looks < _LOOKED or sum(record.opposed) / max(looks, 1) > _AGAINST:
            return
        collector.add(
            "anothers_gradients",
            record.line,
            record.name,
            f"`{record.name}` steps on gradients in which those of another loss are left: its "
            "backward() went through these parameters too, another optimizer stepped, and nothing "
            "cleared them; they point against its own (cosine "
            f"{sum(record.opposed) / looks:.2f}), so that the steps go a part of the way back; "
            f"call `{record.name}.zero_grad()` right before its own backward(), or `.detach()` "
            "what the other loss gets from it",
        )

    def _report_stale(self, collector: FindingCollector, record: Record) -> None:
        always = record.stale >= record.steps - 1
        mostly = record.steps >= _MANY and record.stale > record.steps / 2
        if record.stale and (always or mostly) and not record.decayed:
            why = "nothing reset them in between"
            if not always:
                why = (
                    f"they were reset only {times(record.steps - record.stale)} in "
                    f"{record.steps} steps; call zero_grad() before each backward()"
                )
            collector.add(
                "gradients_accumulate",
                record.line,
                record.name,
                f"`{record.name}` stepped on gradients that still held those of the step before, "
                f"{times(record.stale)}: {why}",
                steps=record.stale,
            )


def _learns(w: Watched) -> bool:
    return w.steps - w.missing > 0 and w.zero < w.steps - w.missing


def _trainable(watched: list[Watched]) -> bool:
    return any(w.tensor.requires_grad for w in watched)
