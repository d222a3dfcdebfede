"""Listen to every optimizer's step: which gradients it finds, and what no optimizer holds.

Gradients are read when the step begins: by the end of the run `zero_grad()` has wiped them.
"""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from itertools import chain, islice
from typing import Any

import torch
from torch import nn
from torch.optim.optimizer import (
    register_optimizer_step_post_hook,
    register_optimizer_step_pre_hook,
)

from executor.inside import torch_private as private
from executor.inside.probes.training import graph
from executor.inside.probes.training.calls import Calls
from executor.inside.probes.training.fixed import frozen_norms
from executor.inside.probes.training.names import Named, SnippetNames
from executor.inside.probes.training.quiet import largest, parameters, quietly
from executor.inside.probes.training.watched import Record, Watched, copy_of, look

_ALL = 10  # the first steps, of which every gradient is read; then of every tenth step
_SELDOM = 50  # … and of every fiftieth, when a training has gone on for long
_LATE = 100  # backwards whose leaves are kept while an optimizer finds no gradient
_CARRIED = 2  # gradients compared to see whether they are still those of the step before


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
        self.backwards = 0
        self.reached: set[int] | None = set()  # by every backward so far, while it is kept
        self._by_the_last: set[int] = set()  # by the last one, where it was looked at
        self._roots = 0
        self._rates: dict[int, float] = {}  # the highest learning rate of each group so far
        self.lossless = False  # every loss was exactly 0
        self._latest: Record | None = None
        self.keeps_losses = False  # only of a training that may be cut: reading one is heard
        self.losses: list[float] = []  # the first and the last one
        self._seeds = any("seed(" in line for line in names.source.lines)
        self._drew_again = False  # a step began where an earlier one had, with others in between
        self._draws: list[int] = []  # the states of the generator at the first steps, as a number
        # Batch norm that was trained and then frozen → the optimizers that began afterwards: how
        # many batches it had seen by then, and how many steps each optimizer had made.
        self.frozen: dict[int, list[tuple[Record, int, dict[int, int]]]] = {}
        self.computed = False  # something with a graph was in sight at a step

    @property
    def draws_again(self) -> bool:
        """Whether random numbers that an earlier step had begun with came again; or all steps'."""
        return self._drew_again or len(self._draws) == 1

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
        self.backwards += 1
        if self.keeps_losses and (self.backwards < 3 or self.backwards % _ALL == 0):
            self._keep(loss)
        self._by_the_last = set()
        if self.backwards <= _LATE and self.reached is not None:
            late = any(r.empty == r.steps for r in self.records.values())
            if late or self.backwards <= _ALL:
                new = graph.leaves(loss)
                self.reached = None if new is None else self.reached | new
                self._by_the_last = new or set()
        for record in self.records.values():
            if record.used is not None:
                gradient, version = record.used
                record.changed_late |= private.version(gradient) != version
                record.used = None
            # Of two that take turns each wipes what the other's loss has left with it.
            if record is self._latest and record.backwards and self.backwards <= _LATE:
                record.lost |= all(p.grad is None for p in record.params)
            record.left = self._left_by_another(record) if record.passed else None
            record.backwards += 1
            if record.carrying:
                grads = [g for p in record.few if (g := p.grad) is not None]
                now = largest(grads) if grads else []
                record.carrying = any(now)
                first = record.backwards == 1  # since the step: it left what the next adds to
                record.decayed |= first and bool(record.kept) and any(now) and now != record.kept

    def _left_by_another(self, record: Record) -> torch.Tensor | None:
        """A gradient that the loss of another optimizer, which has stepped since, left there."""
        record.passed = False
        if not record.backwards or len(record.opposed) >= _ALL:
            return None
        there = [g for p in record.params if (g := p.grad) is not None]
        return copy_of(there[-1]) if there else None

    def _compare_with_left(self, record: Record) -> None:
        """How the gradient that its own loss added lies to the one that stood there before."""
        there = [g for p in record.params if (g := p.grad) is not None]
        if record.left is None or not there or there[-1].shape != record.left.shape:
            return
        with quietly():
            own, left = (there[-1] - record.left).flatten(), record.left.flatten()
            sizes = float(own.norm()) * float(left.norm())
            if sizes > 0:
                record.opposed.append(float(own @ left) / sizes)

    # -- a step ------------------------------------------------------------------------------

    def _step(self, optimizer: torch.optim.Optimizer, args: Any, kwargs: Any) -> None:
        record = self.records.get(id(optimizer))
        if record is None:
            name = self.names.of(optimizer)
            record = Record(optimizer, name or type(optimizer).__name__, None)
            record.heard_first = self.backwards
            self._note_frozen(record)
            self.records[id(optimizer)] = record
        record.steps += 1
        if self._seeds and record.steps <= _LATE:
            self._note_draws()
        if record is not self._latest:
            record.turns += 1
            for other in self.records.values():
                other.passed = other is not record
            self._latest = record
        if not self.backwards and not self.computed:
            self.computed = bool(self.calls.roots) or self._sees_a_graph()
        if args or kwargs:
            record.closure |= any(map(callable, (*args, kwargs.get("closure"))))
        often = _ALL if record.steps <= _LATE else _SELDOM
        every = record.steps <= _ALL or record.steps % often == 0 or self.look_at_all
        named: dict[int, Named] | None = None
        groups = optimizer.param_groups
        if (every or len(groups) != record.groups) and _ids(groups) != record.ids:
            named = self.names.tensors(self.calls.roots.values(), self.calls.inputs)
            record.count()
            record.groups, record.few = len(groups), []
            record.params = params = [p for group in groups for p in group["params"]]
            record.ids = list(map(id, params))
            record.watched = [self._watch(p, i, record, named) for i, p in enumerate(params)]
        if record.closure:  # LBFGS computes its gradients inside the step
            return
        record.line = self.names.source.line_now() if every else record.line
        if every or not record.healthy:
            record.count()
            self._note_rates(optimizer)
            empty = look(record.watched, every=every)
            record.healthy = all(w.top for w in record.watched)
        else:  # nothing more to learn from one step: only whether there was a gradient at all
            empty = record.params[0].grad is None
            record.unlooked += 1
        record.empty += empty
        if empty:
            record.heard = self.backwards
            record.wiped |= bool(self._by_the_last & set(record.ids))
        if record.carrying and record.backwards:
            record.stale += 1
        elif record.left is not None:
            self._compare_with_left(record)
        record.left = None
        if not empty and (record.stale or not record.few):
            record.few = _a_few(record.params)
            record.kept = largest([g for p in record.few if (g := p.grad) is not None])
        record.carrying, record.backwards = not empty, 0
        if record.steps <= 3 or record.steps % max(2 * _ALL, often) == 0 or self._new_roots():
            self._look_beside(named)
        if self.calls.evaluating:
            self._note_modes(record)

    def _note_frozen(self, record: Record) -> None:
        """Note the frozen batch norms of the model that it trains a part of, trained before."""
        if not 0 < len(self.records) <= _ALL:
            return
        own = set(_ids(record.optimizer.param_groups))
        steps = {key: other.steps for key, other in self.records.items()}
        for root in self.calls.roots.values():
            if not any(id(p) in own for p in root.parameters()):
                continue
            for norm in frozen_norms(root):
                if id(norm.weight) in self.optimized:
                    noted = record, int(norm.num_batches_tracked), steps
                    self.frozen.setdefault(id(norm), []).append(noted)

    def _note_draws(self) -> None:
        """Compare where the random numbers are with where they were at the steps before."""
        with quietly():  # neither NumPy nor `Tensor.view`: others listen to them
            words = torch.ops.aten.view.dtype(torch.get_rng_state(), torch.int64)
            # Weighted, for what is used of a block and what is left of it add up to the same.
            state = int((words * torch.arange(len(words))).sum())
        if not self._draws or state != self._draws[-1]:
            self._drew_again |= state in self._draws
            self._draws.append(state)

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
        if record is None:
            return
        record.ended = True
        if record.steps <= _ALL and not record.changed_late:
            with private.DisableTorchFunction():
                grads = (g for p in record.params if (g := p.grad) is not None)
                grad = next((g for g in grads if not g.is_inference()), None)
                record.used = (grad, private.version(grad)) if grad is not None else None
        if record.steps == 1:  # who puts it back later has moved it
            for w in record.watched:
                w.stepped = w.moved

    def ended(self, w: Watched) -> bool:
        """Whether a step over this tensor came to its end; one that raised moves nothing."""
        return any(r.ended and id(w.tensor) in r.ids for r in self.records.values())

    def fed(self, w: Watched) -> bool:
        """Whether backward gave this tensor its gradient: deepcopy() copies one along."""
        if w.fed:
            return True
        if self.reached is None or not self.backwards:  # a huge graph, or autograd.backward()
            return w.steps == 1
        return id(w.tensor) in self.reached

    def _watch(
        self, tensor: torch.Tensor, i: int, record: Record, named: dict[int, Named]
    ) -> Watched:
        watched = self.optimized.get(id(tensor))
        if watched is None:
            otherwise = Named(f"{type(record.optimizer).__name__}'s parameter {i}", tensor, None)
            n = named.get(id(tensor), otherwise)
            copy = copy_of(tensor)
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
        look(beside, every=True)

    def _beside(self, n: Named) -> Watched:
        parts = parameters(n.root) if n.root is not None else ()
        module = next((part for part, p in parts if p is n.tensor), None)
        copy = copy_of(n.tensor)
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

    def _note_modes(self, record: Record) -> None:
        """The roots in eval mode that this step trains: others are only compared with."""
        held = set(record.ids)
        for key, line in self.calls.evaluating.items():
            root = self.calls.roots[key]
            if any(id(p) in held for p in root.parameters()):
                _, name, _, n = self.evaluating.get(
                    key, (root, self.names.of_attribute(root), line, 0)
                )
                self.evaluating[key] = root, name, line, n + 1

    def twin(self, w: Watched) -> Watched | None:
        """Another parameter of the same name, which an optimizer holds."""
        return next((o for o in self.optimized.values() if o.name == w.name and o.owner), None)

    def of_another(self, w: Watched) -> bool:
        """Whether its twin is one of another module: a layer of this one may be replaced."""
        twin = self.twin(w)
        return twin is not None and (w.root is None or twin.root is not w.root)


def _ids(groups: Sequence[dict[str, Any]]) -> list[int]:
    return [id(p) for group in groups for p in group["params"]]


def _a_few(params: list[torch.Tensor]) -> list[torch.Tensor]:
    """The first parameters with a gradient and the last one, which is there behind dead units."""
    first = list(islice((p for p in params if p.grad is not None), _CARRIED))
    last = next((p for p in reversed(params) if p.grad is not None), None)
    return first if last is None or any(last is p for p in first) else [*first, last]
