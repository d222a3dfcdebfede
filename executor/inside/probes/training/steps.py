"""Check the gradients that every optimizer's step finds: missing, zero, stale or fine.

Gradients are read when the step begins: by the end of the run `zero_grad()` has wiped them.
"""

from __future__ import annotations

import gc
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import Any

import torch
from torch import nn
from torch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)

from executor.inside import torch_private as private
from executor.inside.probes.training import fixed, graph
from executor.inside.probes.training.calls import Calls
from executor.inside.probes.training.findings import FindingCollector
from executor.inside.probes.training.names import Named, SnippetNames
from executor.inside.probes.training.quiet import largest, parameters, quietly

_WATCHED_ELEMENTS = 1 << 20  # larger parameters are not copied to see whether they moved
_ALL = 10  # the first steps, of which every gradient is read; then of every tenth step
_ROUNDING = 1e-6  # gradients up to this are the rounding error of terms that cancel
_LATE = 100  # backwards whose leaves are kept while an optimizer finds no gradient
_MANY = 8  # steps of which somebody may have reset the gradients of a few
_TURNS = 3  # of two optimizers that step one after the other, again and again
_CARRIED = 3  # gradients compared to see whether they are still those of the step before


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

    @property
    def moved(self) -> bool:
        """Whether its value has changed since the first step."""
        with quietly():
            return self.before is None or not torch.equal(self.before, self.tensor.detach())

    def note(self, top: float) -> None:
        """Note a step's gradient, by its largest absolute value."""
        if top == 0:
            self.zero += 1
        elif top != top or top == float("inf"):
            self.not_finite += 1
        else:
            self.top = max(self.top, top)


@dataclass
class Record:
    """One optimizer and its steps."""

    optimizer: torch.optim.Optimizer
    name: str
    line: int | None  # of the last step
    watched: list[Watched] = field(default_factory=list)
    steps: int = 0
    empty: int = 0  # steps that found no gradient at all
    closure: bool = False
    healthy: bool = False  # every gradient has been there once, neither zero nor NaN
    carrying: bool = False  # nobody has reset the gradients since the last step, as far as seen
    backwards: int = 0  # since the last step
    stale: int = 0  # steps on gradients that still held those of the step before
    heard: int = 0  # backwards before the last step that found nothing
    wiped: bool = False  # one of them reached its parameters
    params: list[torch.Tensor] = field(default_factory=list)
    ids: list[int] = field(default_factory=list)  # of the parameters
    unlooked: int = 0  # healthy steps that `watched` has not counted yet
    kept: list[float] = field(default_factory=list)  # gradients at the last step, a few
    turns: int = 0  # how often it stepped after another optimizer had
    decayed: bool = False  # somebody changed them between a step and the next backward

    def count(self) -> None:
        """Add the steps that were only counted to every parameter."""
        if self.unlooked:
            for w in self.watched:
                w.steps += self.unlooked
            self.unlooked = 0


class Steps:
    """Listens to every optimizer's step."""

    def __init__(self, names: SnippetNames, calls: Calls) -> None:
        self.names = names
        self.calls = calls
        self.records: dict[int, Record] = {}
        self.optimized: dict[int, Watched] = {}
        self.others: dict[int, Watched] = {}
        self.held: dict[int, torch.Tensor] = {}  # by an optimizer that is alive, stepped or not
        self.evaluating: dict[int, tuple[nn.Module, str, int | None, int]] = {}
        self.look_at_all = False
        self.problem = ""
        self._backwards = 0
        self._reached: set[int] | None = set()  # by every backward so far, while it is kept
        self._roots = 0
        self._rates: dict[int, float] = {}  # the highest learning rate of each group so far
        self.lossless = False  # every loss was exactly 0
        self._latest: Record | None = None
        self.keeps_losses = False  # only of a training that may be cut: reading one is heard
        self.losses: list[float] = []  # the first and the last one
        self._computed = False  # something with a graph was in sight at a step

    @property
    def trained(self) -> bool:
        """Whether an optimizer stepped."""
        return bool(self.records)

    def start(self, after: Callable[[], None]) -> None:
        """Listen, and call `after` when a step's gradients were read."""

        def step(optimizer: torch.optim.Optimizer, args: Any, kwargs: Any) -> None:
            try:
                if private.function_modes():  # nothing for them to hear
                    with private.DisableTorchFunction():
                        self._step(optimizer, args, kwargs)
                        after()
                else:
                    self._step(optimizer, args, kwargs)
                    after()
            except Exception as e:  # ours, and no reason to stop the snippet's training
                self.problem = self.problem or f"{type(e).__name__}: {e}"[:200]

        self._handles = [
            register_optimizer_step_pre_hook(step),
            register_optimizer_step_post_hook(self._stepped),
        ]

    def stop(self) -> None:
        """Stop listening."""
        for handle in self._handles:
            handle.remove()

    def _keep(self, loss: torch.Tensor) -> None:
        with quietly():
            if loss.numel() == 1 and not loss.is_complex():
                self.losses[1:] = [float(loss)]

    def backward_begins(self, loss: torch.Tensor) -> None:
        """Called before every backward: check for gradients left from the last step."""
        self._backwards += 1
        if self.keeps_losses and (self._backwards < 3 or self._backwards % _ALL == 0):
            self._keep(loss)
        if self._backwards <= _LATE and self._reached is not None:
            late = any(r.empty == r.steps for r in self.records.values())
            if late or self._backwards <= _ALL:
                new = graph.leaves(loss)
                self._reached = None if new is None else self._reached | new
        for record in self.records.values():
            record.backwards += 1
            if record.carrying:
                there = (g for p in record.params if (g := p.grad) is not None)
                grads = list(islice(there, _CARRIED))
                now = largest(grads) if grads else []
                record.carrying = any(now)
                first = record.backwards == 1  # since the step: it left what the next adds to
                record.decayed |= first and bool(record.kept) and any(now) and now != record.kept

    # -- a step ------------------------------------------------------------------------------

    def _step(self, optimizer: torch.optim.Optimizer, args: Any, kwargs: Any) -> None:
        record = self.records.get(id(optimizer))
        if record is None:
            name = self.names.of(optimizer)
            record = Record(optimizer, name or type(optimizer).__name__, None)
            self.records[id(optimizer)] = record
        record.steps += 1
        if record is not self._latest:
            record.turns += 1
            self._latest = record
        if not self._backwards and not self._computed:
            self._computed = bool(self.calls.roots) or self._sees_a_graph()
        if args or kwargs:
            record.closure |= any(map(callable, (*args, kwargs.get("closure"))))
        every = record.steps <= _ALL or record.steps % _ALL == 0 or self.look_at_all
        named: dict[int, Named] | None = None
        groups = [group["params"] for group in optimizer.param_groups]
        if list(map(id, chain.from_iterable(groups))) != record.ids:
            named = self.names.tensors(self.calls.roots.values(), self.calls.inputs)
            record.count()
            record.params = params = list(chain.from_iterable(groups))
            record.ids = list(map(id, params))
            record.watched = [self._watch(p, i, record, named) for i, p in enumerate(params)]
        if record.closure:  # LBFGS computes its gradients inside the step
            return
        record.line = self.names.source.line_now() if every else record.line
        if every or not record.healthy:
            record.count()
            self._note_rates(optimizer)
            empty = _look(record.watched, every=every)
            record.healthy = all(w.top for w in record.watched)
        else:  # nothing more to learn from one step: only whether there was a gradient at all
            empty = record.params[0].grad is None
            record.unlooked += 1
        record.empty += empty
        if empty:
            record.heard = self._backwards
            record.wiped |= bool(self._reached and self._reached & set(record.ids))
        if record.carrying and record.backwards:
            record.stale += 1
        if record.steps == 1 or record.stale:
            there = (g for p in record.params if (g := p.grad) is not None)
            record.kept = largest(list(islice(there, _CARRIED))) if not empty else []
        record.carrying, record.backwards = not empty, 0
        if record.steps <= 3 or record.steps % (2 * _ALL) == 0 or self._new_roots():
            self._look_beside(named)
        self._note_modes()

    def _note_rates(self, optimizer: torch.optim.Optimizer) -> None:
        for group in optimizer.param_groups:
            rate = group.get("lr")
            if isinstance(rate, (int, float)) and rate > self._rates.get(id(group), 0):
                self._rates[id(group)] = rate
                for w in (self.optimized.get(id(p)) for p in group["params"]):
                    if w is not None:
                        w.rate = max(w.rate, rate)

    def _sees_a_graph(self) -> bool:
        variables = [v for _, v in self.names.variables() if issubclass(type(v), torch.Tensor)]
        return any(isinstance(v, torch.Tensor) and v.grad_fn is not None for v in variables)

    def _stepped(self, optimizer: torch.optim.Optimizer, args: Any, kwargs: Any) -> None:
        record = self.records.get(id(optimizer))
        if record is not None and record.steps == 1:  # who puts it back later has moved it
            for w in record.watched:
                w.stepped = w.moved

    def _watch(
        self, tensor: torch.Tensor, i: int, record: Record, named: dict[int, Named]
    ) -> Watched:
        watched = self.optimized.get(id(tensor))
        if watched is None:
            otherwise = Named(f"{type(record.optimizer).__name__}'s parameter {i}", tensor, None)
            n = named.get(id(tensor), otherwise)
            copy = _copy(tensor)
            watched = Watched(n.name, tensor, n.line, copy, owner=n.owner, root=n.root)
            watched.training = n.root is None or n.root.training
            self.optimized[id(tensor)] = watched
        return watched

    def _look_beside(self, named: dict[int, Named] | None) -> None:
        """Watch trainable tensors that are in no optimizer that has stepped so far."""
        if named is None and not self._something_beside():
            return
        named = named or self.names.tensors(self.calls.roots.values(), self.calls.inputs)
        called = {id(p) for root in self.calls.roots.values() for p in root.parameters()}
        beside = []
        for key, n in named.items():
            if n.owner and key not in called:  # an earlier model, say, that a penalty looks at
                continue
            if key not in self.optimized and n.tensor.requires_grad and n.tensor.is_leaf:
                if key not in self.others:
                    self.others[key] = self._beside(n)
                beside.append(self.others[key])
        if any(id(w.tensor) not in self.held and w.steps == 0 for w in beside):
            self.note_held()
        for w in beside:
            w.training |= w.module is None or w.module.training
        _look(beside, every=True)

    def _beside(self, n: Named) -> Watched:
        parts = parameters(n.root) if n.root is not None else ()
        module = next((part for part, p in parts if p is n.tensor), None)
        copy = _copy(n.tensor)
        return Watched(n.name, n.tensor, n.line, copy, owner=n.owner, root=n.root, module=module)

    def note_held(self) -> None:
        """Note what the optimizers that are alive now hold: some have not stepped so far."""
        for thing in gc.get_objects():  # gc.freeze() hides the server's
            if issubclass(type(thing), torch.optim.Optimizer):
                for group in getattr(thing, "param_groups", ()):
                    self.held.update((id(p), p) for p in group.get("params", ()))

    def _something_beside(self) -> bool:
        """Whether there is such a tensor at all: a quick check before names are looked up."""
        called = (p for root in self.calls.roots.values() for p in root.parameters())
        held = (v for _, v in self.names.variables() if issubclass(type(v), torch.Tensor))
        return any(
            id(t) not in self.optimized and t.requires_grad and t.is_leaf
            for t in chain(called, held)
            if isinstance(t, torch.Tensor)
        )

    def _new_roots(self) -> bool:
        """Whether modules with parameters have been called that no step has seen so far."""
        roots = self.calls.roots
        if len(roots) == self._roots:
            return False
        new = islice(reversed(roots.values()), len(roots) - self._roots)
        self._roots = len(roots)
        return any(next(root.parameters(), None) is not None for root in new)

    def _note_modes(self) -> None:
        for key, line in self.calls.evaluating.items():
            root = self.calls.roots[key]
            if any(id(p) in self.optimized for p in root.parameters()):
                _, name, _, n = self.evaluating.get(key, (root, self.names.of(root), line, 0))
                self.evaluating[key] = root, name, line, n + 1

    # -- reporting ---------------------------------------------------------------------------

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
        for record in self.records.values():
            record.count()
        if self.others:
            self.note_held()
        orphans = [
            (key, w)
            for key, w in self.others.items()
            if key not in self.optimized
            and key not in self.held
            and key not in elsewhere
            and _learns(w)
            and not w.moved
        ]
        explained: set[int] = set()
        for record in self.records.values():
            explained |= self._report_empty(collector, record, orphans, owners)
            self._report_stale(collector, record)
        self._report_optimized(collector, explained)
        forgotten = fixed.Forgotten(self, scored, ended=ended)
        noted: set[int] = set()
        for key, w in orphans:
            if key in explained:
                continue
            shape = list(w.tensor.shape)
            if not isinstance(w.tensor, nn.Parameter) and w.name in self.names.intent.by_hand:
                continue  # the code itself uses its gradient
            if not isinstance(w.tensor, nn.Parameter) and not self.names.is_weight(w.name):
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
                f"`{w.name}` {shape}{self.of_another(w)} gets a gradient, but no optimizer "
                "holds it",
                **({"module": owners[key]} if key in owners else {}),
            )
        self._report_twice(collector, [w for key, w in orphans if key not in explained])
        self._report_modes(collector)

    def _report_twice(self, collector: FindingCollector, orphans: list[Watched]) -> None:
        """Two optimizers that take turns hold the same parameters, and another model has none."""
        turning = [r for r in self.records.values() if r.turns >= _TURNS]
        left = [w for w in orphans if w.root is not None and w.training and w.owner]
        for i, one in enumerate(turning):
            for two in turning[i + 1 :]:
                if left and one.ids and set(one.ids) == set(two.ids):
                    owner = left[0].owner
                    collector.add(
                        "same_parameters_twice",
                        self.names.line_of(one.name) or one.line,
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
            _every(record.steps)
            if record.empty == record.steps
            else (f"{record.empty} of {record.steps} steps")
        )
        if foreign and self._is_foreign(record, [w for _, w in foreign]):
            to, module = self._whose(*foreign[0], owners)
            line = self.names.line_of(name, record.line) or record.line
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
        if not record.heard and not self._computed and not self.names.calls_autograd:
            collector.add(
                "step_without_training",
                record.line,
                name,
                f"`{name}` made {_times(record.steps, 'step')} without a forward or a backward: "
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
        if not record.heard and not self.names.calls_autograd:
            before = " before it" if self._backwards else ""
            return f"no backward() was called on a loss{before}"
        if record.wiped:
            return "they were reset between backward() and the step"
        if not record.heard or self._reached is None:
            return f"{_no_path('them')}, or they were reset before the step"
        others = dict.fromkeys(self._whose(key, w, owners)[0] for key, w in foreign)
        reached = f"; gradients reached only {' and '.join(others)}" if len(others) == 1 else ""
        return f"{_no_path('them')}{reached}"

    def _is_foreign(self, record: Record, trained: list[Watched]) -> bool:
        """Whether the optimizer belongs to a model that is never called, or a copy of this one."""
        if not isinstance(record.params[0], nn.Parameter):
            return False
        held = {id(p) for p in record.params}
        called = any(id(p) in held for root in self.calls.all() for p in root.parameters())
        return not called or {p.shape for p in record.params} <= {w.tensor.shape for w in trained}

    def _whose(self, key: int, w: Watched, owners: dict[int, str]) -> tuple[str, dict[str, str]]:
        """The name of a parameter's module, and as a fact its variable if it has one."""
        if key in owners:
            return f"`{owners[key]}`", {"module": owners[key]}
        if not w.owner:
            return f"`{w.name}` {list(w.tensor.shape)}{self._of_a_nameless(key)}", {}
        return f"{'another ' if self.of_another(w) else ''}`{w.owner}`", {}

    def _of_a_nameless(self, key: int) -> str:
        """The module of a parameter whose model is in no variable: the name alone is ambiguous."""
        root = next((r for r in self.calls.all() if key in set(map(id, r.parameters()))), None)
        if root is None or any(id(p) in self.optimized for p in root.parameters()):
            return ""
        return f" of another module ({type(root).__name__})"

    def of_another(self, w: Watched) -> str:
        """Note that the optimizer holds another parameter of the same name."""
        same = any(o.name == w.name and o.owner for o in self.optimized.values())
        return f" of another `{w.owner}` than the one in the optimizer" if same else ""

    def _report_stale(self, collector: FindingCollector, record: Record) -> None:
        always = record.stale >= record.steps - 1
        mostly = record.steps >= _MANY and record.stale > record.steps / 2
        if record.stale and (always or mostly) and not record.decayed:
            why = "nothing reset them in between"
            if not always:
                why = (
                    f"they were reset only {_times(record.steps - record.stale)} in "
                    f"{record.steps} steps; call zero_grad() before each backward()"
                )
            collector.add(
                "gradients_accumulate",
                record.line,
                record.name,
                f"`{record.name}` stepped on gradients that still held those of the step before, "
                f"{_times(record.stale)}: {why}",
                steps=record.stale,
            )

    def _report_optimized(self, collector: FindingCollector, explained: set[int]) -> None:
        watched = [w for k, w in self.optimized.items() if k not in explained and w.steps]
        all_zero = all(w.zero + w.missing == w.steps for w in watched if w.tensor.requires_grad)
        missing: list[Watched] = []
        for w in watched:
            if not w.tensor.requires_grad:
                continue
            shape = list(w.tensor.shape)
            if w.missing == w.steps:
                missing.append(w)
            elif w.not_finite:
                collector.add(
                    "gradient_not_finite",
                    w.line,
                    w.name,
                    f"the gradient of `{w.name}` {shape} held NaN or infinity",
                )
            elif w.zero + w.missing == w.steps:
                if self.lossless and not isinstance(w.tensor, nn.Parameter):
                    continue  # an attack that has succeeded before it began
                # A mask or a zero weight can zero one step's gradient; a bias can cancel by design.
                if all_zero or (w.steps > 1 and not self._is_zero_on_purpose(w, watched)):
                    collector.add(
                        "zero_gradient",
                        w.line,
                        w.name,
                        f"the gradient of `{w.name}` {shape} was exactly 0 at {_every(w.steps)}"
                        + _never_a_state(w, watched),
                    )
            elif w.top > _ROUNDING and not w.stepped and not w.moved:
                self._report_stuck(collector, w, watched)

        copied = _copied_layers(self.calls.roots.values())
        missing = [w for w in missing if id(w.tensor) not in copied]
        self._report_missing(collector, missing, watched)

    def _is_zero_on_purpose(self, w: Watched, watched: list[Watched]) -> bool:
        """Whether a bias cancels, a loss is multiplied by 0, or an expert was not routed to."""
        if self._only_the_bias(w, watched) or self.names.intent.multiplies_by_zero:
            return True
        return any(o.top for o in _beside_in_a_list(w, watched))

    def _report_missing(
        self, collector: FindingCollector, missing: list[Watched], watched: list[Watched]
    ) -> None:
        """Report missing gradients; a layer that is not used at all is one finding.

        It is a mistake where the text shows what cuts the layer off. A layer that is never called,
        a head that this phase does not need, a part that is frozen by a switch are notes.
        """
        together: dict[tuple[str, bool], list[Watched]] = {}
        for w in (w for w in missing if not w.moved):  # others are moved by hand, as averages
            reached = bool(self._reached and id(w.tensor) in self._reached)
            together.setdefault((".".join(w.name.split(".")[:2]), reached), []).append(w)
        for (prefix, reached), parts in together.items():
            whole = sum(w.name.startswith(f"{prefix}.") for w in watched) == len(parts) > 1
            for w in parts[:1] if whole else parts:
                what = f"`{w.name}` {list(w.tensor.shape)} is"
                if whole:
                    what = f"`{prefix}` has {len(parts)} parameters"
                cut = reached or self._is_cut(w, watched)
                collector.add(
                    "no_gradient" if cut else "unused_parameters",
                    w.line,
                    prefix if whole else w.name,
                    f"{what} in the optimizer, but {'their' if whole else 'its'} gradient was "
                    f"None at {_every(w.steps)}: "
                    + (
                        "backward() reached it, but it was reset before the step"
                        if reached
                        else _no_path("them" if whole else "it")
                    ),
                )

    def _is_cut(self, w: Watched, watched: list[Watched]) -> bool:
        """Whether the code cuts off what the parameter's part computes, or never mentions it."""
        if not w.training or (w.root is not None and fixed.is_from_a_library(w.root)):
            return False
        parts = w.name.split(".")
        alike = [o.name.split(".") for o in watched if o.steps > o.missing]
        # The longest prefix shared with something that learns is not what is cut.
        learns = max((_shared(parts, other) for other in alike), default=0)
        intent, own = self.names.intent, parts[learns:-1] or parts[learns:]
        if any(map(intent.never_reads, own)):
            return True  # it is made, and stands nowhere else
        return not intent.loads and intent.cuts(set(own))

    @staticmethod
    def _only_the_bias(bias: Watched, watched: list[Watched]) -> bool:
        if not bias.name.endswith(".bias"):
            return False
        weight = bias.name.removesuffix("bias") + "weight"
        return any(w.name == weight and w.top for w in watched)

    def _report_stuck(
        self, collector: FindingCollector, w: Watched, watched: list[Watched]
    ) -> None:
        # What a scheduler begins at 0 has made one step without a learning rate.
        first = "initial_lr" if w.steps == 1 else "lr"
        last = [
            (id(p) == id(w.tensor), group.get("lr") or group.get(first))
            for record in self.records.values()
            for group in record.optimizer.param_groups
            for p in group["params"]
        ]
        if w.rate == 0 and (any(rate for _, rate in last) or any(o.rate for o in watched)):
            return  # a group that is frozen on purpose, or a warm-up that begins at 0
        known = any(its and isinstance(rate, (int, float)) for its, rate in last)
        why = f" at a learning rate of {w.rate:g}" if known or w.rate else ""
        collector.add(
            "never_moved",
            w.line,
            w.name,
            f"`{w.name}` {list(w.tensor.shape)} has not moved after {_every(w.steps)}{why}",
        )

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
            f"trained it so before {_times(n, 'step')}, without dropout and without new statistics "
            f"of batch norm; call `{name}.train()` before each round of training",
        )

    def _report_modes(self, collector: FindingCollector) -> None:
        for root, name, line, n in self.evaluating.values():
            idle = sorted({type(m).__name__ for m in root.modules() if _acts_in_training(m)})
            if idle and name:
                stays = id(root) in self.calls.in_training or self.names.intent.evaluates_and_stays
                if stays and id(root) in self.calls.unrecorded:
                    self._report_stays_in_eval(collector, root, name, line, n)
                    continue
                collector.add(
                    "eval_mode_training",
                    line,
                    name,
                    f"`{name}` was in eval mode when line {line} called it before "
                    f"{_times(n, 'step')}: its {' and '.join(idle)} layers work as in prediction",
                )


def _look(watched: Iterable[Watched], *, every: bool) -> bool:
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


def _copy(tensor: torch.Tensor) -> torch.Tensor | None:
    if tensor.numel() > _WATCHED_ELEMENTS or tensor.layout is not torch.strided:
        return None
    with quietly():
        return tensor.detach().clone()


def _copied_layers(roots: Iterable[nn.Module]) -> set[int]:
    """Parameters of the layers that nn.TransformerEncoder and Decoder copied: the copies train."""
    stacks = (nn.TransformerEncoder, nn.TransformerDecoder)
    found: set[int] = set()
    for parent in (m for root in roots for m in root.modules()):
        children = list(parent.children())
        made = {type(s.layers[0]) for s in children if isinstance(s, stacks) and len(s.layers)}
        for child in children:
            if type(child) in made:
                found |= {id(p) for p in child.parameters()}
    return found


def _beside_in_a_list(w: Watched, watched: list[Watched]) -> list[Watched]:
    """The same parameter of the other modules in a list: `experts.0.weight`, `experts.1.weight`."""
    parts = w.name.removeprefix(f"{w.owner}.").split(".")
    part: Any = w.root
    for i, name in enumerate(parts[:-1]):
        if isinstance(part, (nn.ModuleList, nn.ModuleDict)):
            alike = re.compile(re.escape(w.name.removesuffix(".".join(parts[i:]))) + r"\w+")
            rest = "." + ".".join(parts[i + 1 :])
            others = [o for o in watched if o is not w and o.tensor.shape == w.tensor.shape]
            return [o for o in others if alike.fullmatch(o.name.removesuffix(rest))]
        part = private.modules_of(part).get(name) if part is not None else None
    return []


def _shared(a: list[str], b: list[str]) -> int:
    """How many parts two paths have in common at their beginning."""
    return next(
        (i for i, (x, y) in enumerate(zip(a, b, strict=False)) if x != y), min(len(a), len(b))
    )


def _learns(w: Watched) -> bool:
    return w.steps - w.missing > 0 and w.zero < w.steps - w.missing


def _trainable(watched: list[Watched]) -> bool:
    return any(w.tensor.requires_grad for w in watched)


def _acts_in_training(module: nn.Module) -> bool:
    if isinstance(module, private.Dropout):
        return module.p > 0 and not module.training
    return isinstance(module, private.BatchNorm) and not module.training


def _every(steps: int) -> str:
    return "the only step" if steps == 1 else f"all {steps} steps"


def _never_a_state(w: Watched, watched: list[Watched]) -> str:
    """Why a recurrent layer's hidden-to-hidden weight learns nothing while its others do.

    Its gradient is a sum of products with the state of the step before.
    """
    inputs = w.name.replace("weight_hh_l", "weight_ih_l")
    if inputs == w.name or not any(o.name == inputs and o.top for o in watched):
        return ""
    return (
        ": it multiplies the state of the step before, which was always 0, as in a sequence of "
        "one step"
    )


def _no_path(what: str) -> str:
    """Why there is no gradient; the loss may still depend on the value, through detach()."""
    return f"no path of the graph leads from the loss to {what} (unused, or cut off as by detach())"


def _times(n: int, what: str = "time") -> str:
    return f"{n} {what}{'s' if n > 1 else ''}" if what != "time" or n > 1 else "once"
