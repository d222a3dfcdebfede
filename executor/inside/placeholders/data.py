"""Placeholders for data loaders and datasets."""

from __future__ import annotations

import ast
import re

from executor.inside.placeholders.plans import BatchesPlan, Plan
from executor.inside.placeholders.program import ScopedName, argument, last_name
from executor.inside.placeholders.shapes import TensorSpec
from executor.inside.placeholders.tensors import TensorPlaceholders

_LOADER = re.compile(
    r"(?i)(loader|batches|iterator)$|^(train|val|test|valid)_?(dl|iter)$|^dataset$"
)
_DATASET = re.compile(r"(?i)(data|dataset|_ds|trainset|testset)$")
_MOST_PARTS = 5
_KEYS = {"input_ids", "attention_mask", "labels", "label", "image", "images", "x", "y", "input",
         "inputs", "target", "targets", "features", "data"}  # fmt: skip


class BatchPlaceholders(TensorPlaceholders):
    """Plans `train_loader`, `dataset` and the like."""

    def _loader(self, name: str) -> Plan | None:
        is_named_so = bool(_LOADER.search(name) or _DATASET.search(name))
        targets: list[ast.expr] = []
        for use in self.program.with_aliases(ScopedName(None, name)):
            node: ast.expr = self.program.through(use)
            above = self.program.parents.get(node)
            counted = isinstance(above, ast.Call) and last_name(above.func) == "enumerate"
            if counted and isinstance(above, ast.Call):
                node = self.program.through(above)
                above = self.program.parents.get(node)
            if isinstance(above, (ast.For, ast.comprehension)) and above.iter is node:
                target = above.target
                if counted:
                    if not (isinstance(target, ast.Tuple) and len(target.elts) == 2):
                        return None
                    target = target.elts[1]
                targets.append(target)
            elif isinstance(above, ast.Call) and last_name(above.func) == "iter":
                if not (drawn := self._drawn(above)):
                    return None
                targets += drawn
            elif (
                isinstance(above, ast.Call)
                and (last_name(above.func) == "len" or self._is_own(above))
            ) or (isinstance(above, ast.Attribute) and above.attr in {"dataset", "batch_size"}):
                continue
            else:
                return None
        items = [self._item(t) for t in targets]
        if not items or any(i is None for i in items):
            return None
        if not is_named_so and not all(map(self._is_decided, targets)):
            return None
        first = items[0]
        assert first is not None
        same = all(
            i is not None and i.form == first.form and len(i.parts) == len(first.parts)
            for i in items
        )
        return first if same else None

    def _is_decided(self, target: ast.expr) -> bool:
        """Whether each part that it is unpacked into goes into a known layer, or into its loss."""
        parts = target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
        variables = [self.program.variable(part) for part in parts if isinstance(part, ast.Name)]
        return len(variables) == len(parts) and all(
            self.shapes.of(v) or self._target_at(self.program.with_aliases(v)) for v in variables
        )

    def _is_own(self, call: ast.Call) -> bool:
        """Whether the snippet defines the called function: its parameter is then an alias."""
        return isinstance(call.func, ast.Name) and call.func.id in self.program.functions

    def _drawn(self, made: ast.Call) -> list[ast.expr]:
        """The targets of `x, y = next(iter(loader))`, also where the iterator has a name."""
        parents = self.program.parents
        above = parents.get(made)
        draws = [above] if above is not None else []
        if isinstance(above, ast.Assign) and isinstance(above.targets[0], ast.Name):
            uses = self.program.uses(self.program.variable(above.targets[0]))
            draws = [parents[use] for use in uses]
        draws = [parents[d] if _is_next(d) else d for d in draws]
        drawn = [parents.get(d) for d in draws if _draws(d)]
        return [a.targets[0] for a in drawn if isinstance(a, ast.Assign) and len(a.targets) == 1]

    def _item(self, target: ast.expr) -> BatchesPlan | None:
        """Plan batches that fit the target they are unpacked into."""
        if isinstance(target, (ast.Tuple, ast.List)):
            names = [e for e in target.elts if isinstance(e, ast.Name)]
            if len(names) != len(target.elts) or not 2 <= len(names) <= _MOST_PARTS:
                return None
            return self._parts(names)
        if not isinstance(target, ast.Name):
            return None
        variable = self.program.variable(target)
        keys: dict[str | int, list[ast.expr]] = {}
        for use in self.program.uses(variable):
            above = self.program.parents.get(use)
            if isinstance(above, ast.Assign) and isinstance(
                above.targets[0], (ast.Tuple, ast.List)
            ):
                return self._item(above.targets[0])
            if isinstance(above, ast.Subscript) and isinstance(above.slice, ast.Constant):
                key = above.slice.value
                if not isinstance(key, (str, int)):
                    return None
                keys.setdefault(key, []).append(above)
        if keys:
            return self._keyed(keys)
        spec = self.shapes.of(variable) or self._fed(self.program.with_aliases(variable), target.id)
        return BatchesPlan(((target.id, spec),), "tensor") if spec is not None else None

    def _parts(self, names: list[ast.Name]) -> BatchesPlan | None:
        """Plan a batch of as many parts as it is unpacked into."""
        variables = [self.program.variable(name) for name in names]
        uses = [use for v in variables for use in self.program.with_aliases(v)]
        if len(names) > 2 and all(map(self._is_indifferent, uses)):
            return None
        specs = [(v.name, self._tensor_for(v, v.name)) for v in variables]
        parts = [(name, spec) for name, spec in specs if spec is not None]
        return BatchesPlan(tuple(parts), "tuple") if len(parts) == len(specs) else None

    def _keyed(self, keys: dict[str | int, list[ast.expr]]) -> BatchesPlan | None:
        parts: list[tuple[str, TensorSpec]] = []
        for key, places in sorted(keys.items(), key=str):
            spec = None
            for place in places:
                named = [p for p in self._places(place) if isinstance(p, ast.Name)]
                variable = self.program.variable(named[0]) if named else None
                spec = spec or self.shapes.at(place) or self._target_at([place, *named])
                spec = spec or (self.shapes.of(variable) if variable else None)
                spec = spec or self._fed([place, *named], str(key))
            if spec is None:
                return None
            parts.append((str(key), spec))
        if all(isinstance(k, str) for k in keys):
            return BatchesPlan(tuple(parts), "dict") if keys.keys() <= _KEYS else None
        return BatchesPlan(tuple(parts), "tuple") if sorted(map(str, keys)) == ["0", "1"] else None

    def _dataset(self, name: str) -> Plan | None:
        """Plan the samples of `DataLoader(dataset, …)` so that its batches fit their use."""
        if not _DATASET.search(name):
            return None
        found: BatchesPlan | None = None
        for use in self.program.with_aliases(ScopedName(None, name)):
            above = self.program.parents.get(use)
            if isinstance(above, ast.keyword):
                above = self.program.parents.get(above)
            if not isinstance(above, ast.Call):
                return None
            if last_name(above.func) == "len" or self._is_own(above):
                continue
            if last_name(above.func) != "DataLoader" or argument(above, 0, "dataset") is not use:
                return None
            if argument(above, 99, "collate_fn") is not None:
                return None
            assigned = self.program.parents.get(above)
            if not (isinstance(assigned, ast.Assign) and isinstance(assigned.targets[0], ast.Name)):
                return None
            batch = self._batches_of(self.program.variable(assigned.targets[0]))
            if batch is None:
                return None
            found = found or batch
        return BatchesPlan(found.parts, found.form, samples=True) if found else None

    def _batches_of(self, loader: ScopedName) -> BatchesPlan | None:
        for use in self.program.with_aliases(loader):
            node: ast.expr = self.program.through(use)
            above = self.program.parents.get(node)
            counted = isinstance(above, ast.Call) and last_name(above.func) == "enumerate"
            if counted and isinstance(above, ast.Call):
                above = self.program.parents.get(self.program.through(above))
            if isinstance(above, (ast.For, ast.comprehension)):
                target = above.target
                if counted and isinstance(target, ast.Tuple) and len(target.elts) == 2:
                    target = target.elts[1]
                return self._item(target)
            if isinstance(above, ast.Call) and last_name(above.func) == "iter":
                drawn = self._drawn(above)
                return self._item(drawn[0]) if drawn else None
        return None


def _is_next(node: ast.AST) -> bool:
    """Whether it is `it.next`, as Python 2 had it."""
    return isinstance(node, ast.Attribute) and node.attr == "next"


def _draws(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and last_name(node.func) == "next"
