"""Placeholders for sizes, rates, counts and the device, by their names and uses."""

from __future__ import annotations

import ast
import re

from executor.inside.placeholders.decider import Decider
from executor.inside.placeholders.plans import DevicePlan, NumberPlan, Plan

_COUNT = re.compile(
    r"(?i)^(num|n|max)_?(epochs?|iters?|iterations?|steps)$|^(epochs|iterations|num_batches)$"
)
_LEARNING_RATE = re.compile(r"(?i)^(lr|learning_rate|initial_lr|base_lr)$")


class NumberPlaceholders(Decider):
    """Plans numbers and the device."""

    def _decide_numbers(self) -> None:
        for name in self.undefined:
            uses = [self.program.parents.get(u) for u in self.uses(name)]
            if any(
                isinstance(above, (ast.Attribute, ast.Subscript, ast.For, ast.comprehension))
                for above in uses
            ):
                continue
            if any(
                isinstance(a, ast.Call) and a.func is u
                for a, u in zip(uses, self.uses(name), strict=True)
            ):
                continue
            value = self._number(name.lower())
            if value is not None:
                self.plans[name] = NumberPlan(value)

    def _number(self, name: str) -> int | float | None:
        c = self.choices
        if _COUNT.match(name):
            return 2
        if _LEARNING_RATE.match(name):
            return 0.01
        table: tuple[tuple[str, int | float], ...] = (
            (r"(train_|val_|test_)?batch_?size|bs", c.batch),
            (r"(num|n)_(classes|labels|categories)|output_(size|dim)|out_features", c.classes),
            (r"(input|in)_(size|dim|features)|(num|n)_(features|inputs)", c.features),
            (r"(hidden|hid)_(size|dim|units)|num_hidden", c.hidden),
            (r"(embedding|embed|emb)_(dim|size)|d_model", c.hidden),
            (r"(latent|noise|z)_(dim|size)", c.features),
            (r"(vocab|vocabulary)_size|num_embeddings", 10 * c.classes),
            (r"(max_)?(seq|sequence)_?(len|length)|max_len(gth)?", c.length),
            (r"(num|n)_layers", 2),
            (r"(num|n)_heads|nhead", 2),
            (r"(image|img)_(size|dim)", c.colour),
            (r"num_workers", 0),
            (r"dropout(_rate|_prob)?", 0.1),
            (r"momentum", 0.9),
            (r"weight_decay", 0.01),
            (r"(log|print|eval|save)_(interval|every|freq|steps)", 1),
            (r"(gradient_)?accumulation_steps", 2),
            (r"step_size", 1),
            (r"seed", 0),
        )
        return next((value for pattern, value in table if re.fullmatch(pattern, name)), None)

    def _device(self, name: str) -> Plan | None:
        if name.lower() not in {"device", "dev"}:
            return None
        for use in self.uses(name):
            above = self.program.parents.get(use)
            fits = isinstance(above, (ast.Call, ast.keyword, ast.Compare, ast.FormattedValue)) or (
                isinstance(above, ast.Attribute) and above.attr in {"type", "index"}
            )
            if not fits or (isinstance(above, ast.Call) and above.func is use):
                return None
        return DevicePlan()
