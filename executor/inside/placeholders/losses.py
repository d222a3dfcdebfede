"""Placeholders for losses: cross-entropy or MSE, by what they compare."""

from __future__ import annotations

import ast
import re

from executor.inside.placeholders.decider import Decider
from executor.inside.placeholders.plans import LossPlan, Plan
from executor.inside.placeholders.program import ScopedName, last_name

_LOSS = re.compile(r"(?i)^(criterion|loss_?fn|loss_?func(tion)?|criterion_\w+|loss_criterion)$")
TARGET = re.compile(r"(?i)(label|target|^y$|_y$|^y_|truth)")


class LossPlaceholders(Decider):
    """Plans `criterion` and the like."""

    def _loss(self, name: str) -> Plan | None:
        if not _LOSS.match(name):
            return None
        kinds: set[str] = set()
        for use in self.program.with_aliases(ScopedName(None, name)):
            above = self.program.parents.get(use)
            if isinstance(above, ast.Call) and above.func is use:
                if len(above.args) != 2 or above.keywords:
                    return None
                kinds.add(self._loss_by_target(above))
            elif isinstance(above, ast.Attribute) and above.attr in {"to", "cuda"}:
                continue
            elif not isinstance(above, ast.Call):
                return None
        return LossPlan(kinds.pop()) if len(kinds) == 1 else None

    def _kind_of_loss(self, call: ast.Call) -> str:
        name = last_name(call.func)
        plan = self.plans.get(name)
        if isinstance(plan, LossPlan):
            return plan.name
        if kind := self.shapes.loss_of(call):
            return kind
        if name in self.undefined and _LOSS.match(name):
            return self._loss_by_target(call)
        return ""

    def _loss_by_target(self, call: ast.Call) -> str:
        """The loss that fits the second argument: class labels, or values like the first one."""
        output = self.shapes.result(call.args[0])
        if output is not None and output.shape[1:] in ((), (1,)):
            return "MSELoss"
        text = ast.dump(call.args[1])
        if "'float'" in text or "'unsqueeze'" in text or "'view_as'" in text:
            return "MSELoss"
        name = last_name(self.program.within(call.args[1]))
        if name and name == self._input_of(call.args[0]):
            return "MSELoss"  # the target is the input: an autoencoder
        if TARGET.search(name):
            return "CrossEntropyLoss" if self._is_classified() else "MSELoss"
        return "MSELoss"

    def _input_of(self, output: ast.expr) -> str:
        node = self.program.within(output)
        if isinstance(node, ast.Name):
            values = self.program.values(self.program.variable(node))
            node = self.program.within(values[0]) if len(values) == 1 else node
        if isinstance(node, ast.Call) and len(node.args) == 1:
            return last_name(self.program.within(node.args[0]))
        return ""

    def _is_classified(self) -> bool:
        """Whether the program works with class labels anywhere."""
        for node in ast.walk(self.program.tree):
            if isinstance(node, (ast.Name, ast.Attribute)) and re.search(
                r"(?i)argmax|accuracy|correct|num_classes|label|softmax|n_classes", last_name(node)
            ):
                return True
        return False
