"""Walk through the layers of a model by the sizes that are written, and find where two clash.

Only what is written as a number is known, and only statements that run one after the other are
followed: where a branch, a loop or a call of something else comes in between, nothing is known.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from executor.inside.remarks.syntax import (
    Found,
    callee,
    dotted,
    methods_named,
    module_classes,
    walk,
)

_CONVOLUTIONS = frozenset({"Conv2d", "ConvTranspose2d"})
# Layers and functions that leave the number of channels or features as it is.
_MOVES = {"to", "cuda", "cpu", "train", "eval", "float", "double", "half", "apply", "forward"}
_KEEPS = frozenset(
    {"ReLU", "LeakyReLU", "ELU", "GELU", "SiLU", "Sigmoid", "Tanh", "Dropout", "Dropout2d"}
    | {"MaxPool2d", "AvgPool2d", "AdaptiveAvgPool2d", "AdaptiveMaxPool2d", "Identity", "PReLU"}
    | {"relu", "leaky_relu", "elu", "gelu", "sigmoid", "tanh", "dropout", "max_pool2d"}
    | {"avg_pool2d", "adaptive_avg_pool2d", "Upsample", "ZeroPad2d", "BatchNorm1d", "LayerNorm"}
)
_KNOWN = _CONVOLUTIONS | _KEEPS | {"Linear", "BatchNorm2d", "Sequential", "Flatten"}
_RESHAPES = frozenset({"view", "reshape"})


@dataclass(frozen=True)
class _Maps:
    """[batch, channels, height, width]."""

    channels: int | None


@dataclass(frozen=True)
class _Rows:
    """[batch, features]."""

    features: int


_Value = _Maps | _Rows | None  # None: not known


class _Walk:
    """The way through one model."""

    def __init__(self, layers: dict[str, ast.expr]) -> None:
        self._layers = layers
        self._values: dict[str, _Value] = {}
        self.found: list[tuple[str, ast.AST, str]] = []

    def forward(self, method: ast.FunctionDef) -> None:
        for statement in method.body:
            match statement:
                case ast.Assign(targets=[ast.Name(id=name)], value=value):
                    self._values[name] = self._of(value)
                case ast.Return(value=ast.expr() as value):
                    self._of(value)
                case ast.Expr(value=ast.Call()):
                    pass
                case _:
                    self._values.clear()

    def _of(self, node: ast.expr) -> _Value:
        match node:
            case ast.Name(id=name):
                return self._values.get(name)
            case ast.Call(func=ast.Attribute(value=of, attr=attr), args=args) if (
                attr in _RESHAPES and dotted(of) != "torch"
            ):
                self._of(of)
                last = _number(args[-1]) if len(args) == 2 else None
                return _Rows(last) if last is not None and last > 0 else None
            case ast.Call(args=[first, *_]) if layer := self._layers.get(dotted(node.func)):
                return self.through(layer, self._of(first), node, dotted(node.func))
            case ast.Call(args=[first, *_]) if callee(node) in _KEEPS:
                return self._of(first)
            case ast.Call():
                for argument in node.args:
                    self._of(argument)
        return None

    def through(self, layer: ast.expr, given: _Value, at: ast.AST, name: str) -> _Value:
        """What a layer makes of a value; a clash is noted."""
        if isinstance(layer, ast.Attribute):  # `models.alexnet().features`
            return _Maps(None)
        assert isinstance(layer, ast.Call)
        kind, takes, gives = callee(layer), _argument(layer, 0), _argument(layer, 1)
        if kind == "Sequential":
            for inner in layer.args:
                if not isinstance(inner, ast.Call):
                    return None
                given = self.through(inner, given, inner, f"this {callee(inner)}")
            return given
        if kind == "Linear":
            if isinstance(given, _Maps):
                self._unflattened(at, name)
            elif isinstance(given, _Rows) and takes is not None and given.features != takes:
                self._clash(at, name, f"{given.features} features", takes)
            return _Rows(gives) if gives is not None else None
        if kind in _CONVOLUTIONS or kind == "BatchNorm2d":
            channels = given.channels if isinstance(given, _Maps) else None
            if channels is not None and takes is not None and channels != takes:
                self._clash(at, name, f"{channels} channels", takes)
            return _Maps(gives if kind in _CONVOLUTIONS else takes)
        return given if kind in _KEEPS else None

    def _unflattened(self, at: ast.AST, name: str) -> None:
        told = (
            f"`{name}` gets the maps of a convolution as they are, [batch, channels, height, "
            "width], and a Linear layer works on the last dimension alone; flatten them before it, "
            "`x = x.flatten(1)`: then it takes channels * height * width features"
        )
        self.found.append(("unflattened", at, told.replace("`this Linear`", "this Linear")))

    def _clash(self, at: ast.AST, name: str, given: str, takes: int) -> None:
        told = f"`{name}` is made for {takes}, and gets {given} from what comes before it"
        self.found.append(("sizes_clash", at, told.replace(f"`{name}`", name, name[:5] == "this ")))


def _sizes(tree: ast.Module) -> Found:
    for module in module_classes(tree):
        way = _Walk(dict(_layers(module)))
        for forward in methods_named(module, "forward"):
            way.forward(forward)
        yield from way.found
    # `nn.Sequential(…).parameters()` is asked for something, and never run.
    asked = {
        id(n.value) for n in walk(tree) if isinstance(n, ast.Attribute) and n.attr not in _MOVES
    }
    for node in walk(tree):
        if isinstance(node, ast.Call) and callee(node) == "Sequential" and id(node) not in asked:
            way = _Walk({})
            way.through(node, None, node, "")
            yield from way.found


def _layers(module: ast.ClassDef) -> Iterator[tuple[str, ast.expr]]:
    """The layers that are made once, by the name of their attribute."""
    made: dict[str, list[ast.expr]] = {}
    for node in walk(module):
        if isinstance(node, ast.Assign):
            for target in node.targets:
                if isinstance(target, ast.Attribute):
                    made.setdefault(dotted(target), []).append(node.value)
    for name, values in made.items():
        value = values[0]
        known = isinstance(value, ast.Call) and callee(value) in _KNOWN
        known |= isinstance(value, ast.Attribute) and value.attr == "features"
        if len(values) == 1 and name.startswith("self.") and known:
            yield name, value


def _argument(layer: ast.Call, position: int) -> int | None:
    return _number(layer.args[position]) if position < len(layer.args) else None


def _number(node: ast.expr) -> int | None:
    match node:
        case ast.Constant(value=int() as n) if not isinstance(n, bool):
            return n
        case ast.BinOp(left=left, op=ast.Mult(), right=right):
            a, b = _number(left), _number(right)
            return a * b if a is not None and b is not None and abs(a * b) < 10**9 else None
    return None


RULES = (_sizes,)
