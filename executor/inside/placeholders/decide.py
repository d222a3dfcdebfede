"""Plan a placeholder for each undefined name, from how the name is used and from nothing else.

A name whose use leaves its kind open gets none: the answer then says what to post.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import replace

from executor.inside.placeholders import functions
from executor.inside.placeholders.configs import ConfigPlaceholders
from executor.inside.placeholders.data import BatchPlaceholders
from executor.inside.placeholders.noted import Noted, settled
from executor.inside.placeholders.plans import (
    BatchesPlan,
    ConfigPlan,
    FunctionPlan,
    LossPlan,
    NothingPlan,
    NumberPlan,
    OptimizerPlan,
    Plan,
    TensorPlan,
)
from executor.inside.placeholders.shapes import Choices, Shapes

# What a loss or an optimizer of somebody's own computes, its name does not say.
_NOT_GIVEN = {LossPlan, OptimizerPlan}


class PlaceholderPlans(BatchPlaceholders, ConfigPlaceholders):
    """The plans for one snippet's undefined names."""

    def __init__(
        self,
        tree: ast.Module,
        undefined: Iterable[str],
        choices: Choices,
        *,
        functions_too: bool = True,
        told: Noted | None = None,
    ) -> None:
        """Plan them all.

        Args:
            tree: the snippet's syntax tree.
            undefined: names that it reads and nowhere binds.
            choices: sizes that nothing in it settles.
            functions_too: also plan functions by their results; those of such a plan are none, so
                that a chain of calls is no chain of plans.
            told: sizes that comments give: they settle what the code leaves open.
        """
        if told:
            first = PlaceholderPlans(tree, undefined, choices, functions_too=functions_too)
            choices = settled(choices, first.plans, told)
        super().__init__(tree, undefined, choices)
        self._decide_numbers()
        self._decide_configs()
        numbers = {n: p.value for n, p in self.plans.items() if isinstance(p, NumberPlan)}
        for name, config in self.plans.items():
            if isinstance(config, ConfigPlan):
                numbers |= {f"{name}.{key}": value for key, value in config.entries}
        sizes = {name: value for name, value in numbers.items() if isinstance(value, int)}
        self.shapes = Shapes(self.program, choices, sizes)
        for decide in (
            self._device,
            self._model,
            self._loss,
            self._loader,
            self._dataset,
            self._optimizer,
            self._picture,
            self._tensor,
        ):
            for name in self.undefined:
                if name not in self.plans and (plan := decide(name)) is not None:
                    self.plans[name] = self._with_grad(plan)
        self.results: set[str] = set()  # names that a placeholder's results get
        if functions_too:
            self._functions(tree)

    def _functions(self, tree: ast.Module) -> None:
        """Plan functions by what is done with their results, as with names that nothing binds."""
        left = [name for name in self.undefined if name not in self.plans]
        calls = functions.unpacked(self.program, left)
        if calls:
            targets = {target for call in calls for target in call.targets}
            rest = functions.without(tree, calls)
            inner = PlaceholderPlans(
                rest, {*self.undefined, *targets}, self.choices, functions_too=False
            )
            for name in {call.name: None for call in calls}:
                self._plan_function(name, [c for c in calls if c.name == name], inner)
        for name in left:
            if name not in self.plans and functions.changes_nothing(self.program, name):
                self.plans[name] = NothingPlan()

    def _plan_function(
        self, name: str, calls: list[functions.Unpacked], inner: PlaceholderPlans
    ) -> None:
        results = [[(t, inner.plans.get(t)) for t in call.targets] for call in calls]
        each = [result for call in results for result in call]
        open_ = [t for t, plan in each if plan is None and inner.uses(t)]
        if any(isinstance(plan, TensorPlan) for _, plan in each) and not all(c.once for c in calls):
            return  # what a model gives has a graph, and nothing says what it is of
        kinds = [{type(plan) for _, plan in same if plan} for same in zip(*results, strict=True)]
        if _NOT_GIVEN & {kind for same in kinds for kind in same}:
            return
        if open_ or any(len(kind) > 1 for kind in kinds) or not any(kinds):
            return
        first = [next((r for r in same if r[1]), same[0]) for same in zip(*results, strict=True)]
        self.plans[name] = FunctionPlan(tuple(first), one=calls[0].one)
        self.results |= {t for t, _ in each}

    def _with_grad(self, plan: Plan) -> Plan:
        """Let made-up data require grad where the choices say so: the snippet leaves that open."""
        if isinstance(plan, BatchesPlan) and self.choices.with_grad:
            return replace(plan, with_grad=True)
        return plan
