"""Plan a placeholder for each undefined name, from how the name is used and from nothing else.

A name whose use leaves its kind open gets none: the answer then says what to post.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from dataclasses import replace

from executor.inside.placeholders.data import BatchPlaceholders
from executor.inside.placeholders.numbers import NumberPlaceholders
from executor.inside.placeholders.plans import BatchesPlan, NumberPlan, Plan
from executor.inside.placeholders.shapes import Choices, Shapes


class PlaceholderPlans(BatchPlaceholders, NumberPlaceholders):
    """The plans for one snippet's undefined names."""

    def __init__(self, tree: ast.Module, undefined: Iterable[str], choices: Choices) -> None:
        super().__init__(tree, undefined, choices)
        self._decide_numbers()
        sizes = {
            n: p.value
            for n, p in self.plans.items()
            if isinstance(p, NumberPlan) and isinstance(p.value, int)
        }
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

    def _with_grad(self, plan: Plan) -> Plan:
        """Let made-up data require grad where the choices say so: the snippet leaves that open."""
        if isinstance(plan, BatchesPlan) and self.choices.with_grad:
            return replace(plan, with_grad=True)
        return plan
