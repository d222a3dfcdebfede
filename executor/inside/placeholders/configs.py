"""Placeholders for a configuration: an object of which the code reads numbers, `cfg["width"]`.

An entry becomes a number by its name, by the parameter that it is handed to and that parameter's
default, or as a size of a layer. One that nothing decides is not there: who reads it gets no
further. No value is worth more than another; an error has to come with two sets of them.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from executor.inside.placeholders.numbers import NumberPlaceholders
from executor.inside.placeholders.plans import ConfigPlan
from executor.inside.placeholders.program import ScopedName, argument_name, last_name, method

_CONFIG = re.compile(
    r"(?i)(^|_)(cfg|conf|configs?|configuration|args|opts?|options|hps?|hparams|params|flags|settings"
    r"|hyper_?param(eter)?s)$"
)
# Layers, with how many of their first arguments are sizes, and the names of these.
_SIZED = {
    "Linear": 2, "Embedding": 2, "LSTM": 2, "GRU": 2, "RNN": 2, "LSTMCell": 2, "GRUCell": 2,
    "Conv1d": 2, "Conv2d": 2, "Conv3d": 2, "ConvTranspose1d": 2, "ConvTranspose2d": 2,
    "LayerNorm": 1, "BatchNorm1d": 1, "BatchNorm2d": 1, "TransformerEncoderLayer": 1,
    "MultiheadAttention": 1,
}  # fmt: skip
_SIZES = frozenset(
    """in_features out_features in_channels out_channels num_embeddings embedding_dim input_size
    hidden_size normalized_shape num_features d_model embed_dim dim_feedforward""".split()  # noqa: SIM905
)
_FARTHEST = 6  # steps that a value is followed


class ConfigPlaceholders(NumberPlaceholders):
    """Plans `cfg`, `args` and the like."""

    def _decide_configs(self) -> None:
        for name in self.undefined:
            if name in self.plans or not _CONFIG.search(name):
                continue
            read = self._read(name)
            entries: dict[str, int | float] = {}
            for key, places in sorted((read or {}).items(), key=_first):
                value = self._entry(key, places, len(entries))
                if value is not None:
                    entries[key] = value
            if entries:
                self.plans[name] = ConfigPlan(tuple(entries.items()))

    def _read(self, name: str) -> dict[str, list[ast.expr]] | None:
        """Where each entry is read; None where more is done with it than reading entries."""
        read: dict[str, list[ast.expr]] = {}
        todo: list[ast.expr] = list(self.uses(name))
        followed: set[ast.expr] = set()
        while todo:
            node = todo.pop()
            if node in followed:
                continue
            followed.add(node)
            above = self.program.parents.get(node)
            match above:
                case ast.Subscript(slice=ast.Constant(value=str(key)), ctx=ast.Load()):
                    read.setdefault(key, []).append(above)
                case ast.Attribute(attr="get") if self._asked(above):
                    call = self.program.parents[above]
                    assert isinstance(call, ast.Call) and isinstance(call.args[0], ast.Constant)
                    read.setdefault(str(call.args[0].value), []).append(call)
                case ast.Attribute(attr=key, ctx=ast.Load()):
                    if self._is_called(above):
                        return None
                    read.setdefault(key, []).append(above)
                case _:
                    held = self._held(node)
                    if not held and not isinstance(above, (ast.Assign, ast.Expr)):
                        return None
                    todo += held
        return read

    def _asked(self, get: ast.Attribute) -> bool:
        call = self.program.parents.get(get)
        if not (isinstance(call, ast.Call) and call.func is get and call.args):
            return False
        return isinstance(call.args[0], ast.Constant) and isinstance(call.args[0].value, str)

    def _is_called(self, node: ast.expr) -> bool:
        above = self.program.parents.get(node)
        return isinstance(above, ast.Call) and above.func is node

    def _held(self, node: ast.expr) -> list[ast.expr]:
        """Where a value is read next: under the name it is assigned to, or as a parameter."""
        above = self.program.parents.get(node)
        if isinstance(above, ast.Assign) and above.value is node and len(above.targets) == 1:
            target = above.targets[0]
            if isinstance(target, ast.Name):
                return list(self.program.uses(self.program.variable(target)))
            cls = self.program.class_of(target)
            if isinstance(target, ast.Attribute) and cls is not None:
                text = ast.unparse(target)
                return [
                    n
                    for n in ast.walk(cls)
                    if isinstance(n, ast.Attribute)
                    and isinstance(n.ctx, ast.Load)
                    and ast.unparse(n) == text
                ]
            return []
        parameter = self._parameter(node)
        return list(self.program.uses(parameter)) if parameter is not None else []

    def _parameter(self, node: ast.expr) -> ScopedName | None:
        """The parameter of an own function or class that a value is given to."""
        above = self.program.parents.get(node)
        call = self.program.parents.get(above) if isinstance(above, ast.keyword) else above
        if not isinstance(call, ast.Call) or call.func is node:
            return None
        name = last_name(call.func)
        if isinstance(call.func, ast.Name) and (cls := self.program.classes.get(name)) is not None:
            init = method(cls, "__init__")
            names = [a.arg for a in init.args.args[1:]] if init is not None else []
            at = next((i for i, a in enumerate(call.args) if a is node), len(names))
            keyword = above.arg if isinstance(above, ast.keyword) else None
            given = keyword or (names[at] if at < len(names) else "")
            return ScopedName(init, given) if given in names else None
        function = self.program.functions.get(name)
        if function is None or self.program.class_of(function) is not None:
            return None
        given = argument_name(function, call, node)
        return ScopedName(function, given) if given else None

    def _entry(self, key: str, places: list[ast.expr], nth: int) -> int | float | None:
        value = self._number(key.lower())
        values = (self._used_as(place, nth) for place in places)
        return value if value is not None else next((v for v in values if v is not None), None)

    def _used_as(self, place: ast.expr, nth: int, depth: int = 0) -> int | float | None:
        """The number that one use of an entry, or of what is computed from it, calls for."""
        if depth > _FARTHEST:
            return None
        above = self.program.parents.get(place)
        if isinstance(place, ast.Call) and len(place.args) == 2 and depth == 0:  # .get("k", 3)
            return self._other(place.args[1])
        if isinstance(above, ast.BinOp) and not isinstance(above.op, (ast.Mod, ast.Pow)):
            return self._used_as(above, nth, depth + 1)
        if isinstance(above, ast.keyword):
            if above.arg in _SIZES:
                return self._size(nth)
            if above.arg and (value := self._number(above.arg)) is not None:
                return value
        if isinstance(above, ast.Call) and place in above.args:
            if last_name(above.func) == "range":
                return 2
            if above.args.index(place) < _SIZED.get(last_name(above.func), 0):
                return self._size(nth)
        parameter = self._parameter(place)
        if parameter is not None:
            value = self._default(parameter)
            value = self._number(parameter.name) if value is None else value
            if value is not None:
                return value
        found = (self._used_as(use, nth, depth + 1) for use in self._held(place))
        return next((v for v in found if v is not None), None)

    def _size(self, nth: int) -> int:
        return (nth + 5) * self.choices.step

    def _default(self, parameter: ScopedName) -> int | float | None:
        if not isinstance(parameter.scope, ast.FunctionDef):
            return None
        given = parameter.scope.args
        found: Iterator[tuple[ast.arg, ast.expr]] = zip(
            reversed(given.args), reversed(given.defaults), strict=False
        )
        return next((self._other(d) for a, d in found if a.arg == parameter.name), None)

    def _other(self, default: ast.expr) -> int | float | None:
        """A number of the code's own, and another one with the other choices."""
        if not isinstance(default, ast.Constant):
            return None
        value = default.value
        if isinstance(value, bool):
            return value ^ (self.choices.times > 1)
        if isinstance(value, int):
            return value * self.choices.times
        return value if isinstance(value, float) and 0 < value < 1 else None  # 4.0 may be an int


def _first(entry: tuple[str, list[ast.expr]]) -> tuple[int, int]:
    return min((place.lineno, place.col_offset) for place in entry[1])
