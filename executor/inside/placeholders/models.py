"""Placeholders for models, their classes and their optimizers."""

from __future__ import annotations

import ast
import re

from executor.inside.placeholders.losses import LossPlaceholders
from executor.inside.placeholders.plans import ModelPlan, OptimizerPlan, Plan
from executor.inside.placeholders.program import ScopedName, last_name
from executor.inside.placeholders.shapes import CLASS_LOSSES, TensorSpec

_OPTIMIZER = re.compile(r"(?i)^(optimi[sz]er|optim|opt)$")
_MODEL = re.compile(r"(?i)(model|net|network|encoder|classifier|cnn|mlp)\d?$")
_MODEL_CLASS = re.compile(r"^(?=[A-Z])\w*(Model|Net|Network|CNN|MLP|Classifier|LSTM|RNN)\d?$")
# What every torch.nn.Module, optimizer and tensor has, as far as fragments use it.
_OF_MODULE = frozenset(
    """parameters named_parameters children modules named_modules named_children train eval to cuda
    cpu float double half zero_grad state_dict load_state_dict apply training requires_grad_ buffers
    share_memory register_forward_hook""".split()  # noqa: SIM905
)
_OF_OPTIMIZER = frozenset({"zero_grad", "step", "param_groups", "state_dict", "load_state_dict"})


class ModelPlaceholders(LossPlaceholders):
    """Plans `model`, `MyModel` and `optimizer`."""

    def _model(self, name: str) -> Plan | None:
        if _MODEL_CLASS.match(name):
            return self._model_class(name)
        if not _MODEL.search(name) or name[0].isupper():
            return None
        return self._module(self.program.with_aliases(ScopedName(None, name)))

    def _model_class(self, name: str) -> Plan | None:
        """Plan the class of `MyModel(…)`, if its instances are used only as any model is."""
        instances: list[ast.Name] = []
        for use in self.uses(name):
            above = self.program.parents.get(use)
            if not (isinstance(above, ast.Call) and above.func is use):
                return None
            assigned = self.program.parents.get(self.program.through(above))
            if not (isinstance(assigned, ast.Assign) and isinstance(assigned.targets[0], ast.Name)):
                return None
            instances += self.program.with_aliases(self.program.variable(assigned.targets[0]))
        plan = self._module(instances)
        return ModelPlan(plan.output, plan.probability, is_class=True) if plan else None

    def _module(self, uses: list[ast.Name]) -> ModelPlan | None:
        """Plan a module that fits all these uses; None if a use needs more than any module has.

        Its output shape follows from the loss that is computed from it.
        """
        results: list[ast.expr] = []
        for use in uses:
            above = self.program.parents.get(use)
            if isinstance(above, ast.Attribute):
                if above.attr not in _OF_MODULE:
                    return None
            elif isinstance(above, ast.Call) and above.func is use:
                if len(above.args) != 1 or above.keywords or isinstance(above.args[0], ast.Starred):
                    return None
                results.append(above)
            elif isinstance(above, (ast.Subscript, ast.For, ast.comprehension, ast.Compare)):
                return None
        losses: list[str] = []
        for result in results:
            kind = self._loss_over(result)
            if kind is None:
                return None
            losses += [kind] if kind else []
        if len(set(losses)) > 1:
            return None
        kind = losses[0] if losses else "CrossEntropyLoss"
        c = self.choices
        if kind in CLASS_LOSSES:
            return ModelPlan(TensorSpec((c.batch, c.classes)))
        bounded = kind in {"BCELoss", "binary_cross_entropy"}
        return ModelPlan(TensorSpec((c.batch, 1)), probability=bounded)

    def _loss_over(self, result: ast.expr) -> str | None:
        """The loss computed from a model's result: "" if none is, None if it is no tensor."""
        for place in self._places(result):
            above = self.program.parents.get(place)
            if isinstance(above, ast.Attribute) and above.attr in {
                "logits",
                "loss",
                "last_hidden_state",
                "pooler_output",
                "backward",
                "hidden_states",
            }:
                return None
            if isinstance(above, ast.Subscript) and isinstance(above.slice, ast.Constant):
                return None
            if isinstance(above, (ast.For, ast.comprehension, ast.Starred)):
                return None
            if isinstance(above, ast.Assign) and isinstance(
                above.targets[0], (ast.Tuple, ast.List)
            ):
                return None
            call = self._call_around(place)
            if call is not None and (kind := self._kind_of_loss(call)):
                return kind
        return ""

    def _is_placeholder(self, func: ast.expr) -> bool:
        if not isinstance(func, ast.Name):
            return False
        names = [func.id]
        names += [
            last_name(v.func)
            for v in map(self.program.within, self.program.values(self.program.variable(func)))
            if isinstance(v, ast.Call)
        ]
        if any(isinstance(self.plans.get(n), ModelPlan) for n in names):
            return True
        models = [n for n, p in self.plans.items() if isinstance(p, ModelPlan) and not p.is_class]
        return any(func in self.program.with_aliases(ScopedName(None, m)) for m in models)

    def _optimizer(self, name: str) -> Plan | None:
        if not _OPTIMIZER.match(name):
            return None
        for use in self.program.with_aliases(ScopedName(None, name)):
            above = self.program.parents.get(use)
            if isinstance(above, ast.Attribute) and above.attr in _OF_OPTIMIZER:
                continue
            if not isinstance(above, (ast.Call, ast.keyword)) or (
                isinstance(above, ast.Call) and above.func is use
            ):
                return None
        model = self._only_model()
        return OptimizerPlan(model) if model else None

    def _only_model(self) -> str:
        """The only module called at the top level; empty if there are more."""
        called: set[str] = set()
        for node in ast.walk(self.program.tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                name = node.func.id
                if self.program.variable(node.func).scope is None and self._makes_module(node.func):
                    called.add(name)
        for plan_name, plan in self.plans.items():
            if isinstance(plan, ModelPlan) and not plan.is_class:
                called.add(plan_name)
        return called.pop() if len(called) == 1 else ""

    def _makes_module(self, func: ast.Name) -> bool:
        """Whether a name is bound to a module that the snippet constructs."""
        callee = self.shapes.callee(func)
        if callee is None:
            return False
        known = callee.cls is not None and any("Module" in ast.dump(b) for b in callee.cls.bases)
        layer = callee.kind in {"Linear", "Sequential", "Conv2d"}
        return known or layer or isinstance(self.plans.get(callee.kind), ModelPlan)
