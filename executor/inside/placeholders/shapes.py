"""Infer which tensors a snippet's layers, models and losses take and return."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, replace

from executor.inside.placeholders.program import (
    ScopedName,
    Sizes,
    SnippetTree,
    argument,
    last_name,
    method,
)

ELEMENTWISE = frozenset(
    {"relu", "softmax", "log_softmax", "sigmoid", "tanh", "dropout", "leaky_relu", "gelu", "elu"}
)
_SHAPELESS = frozenset(
    {"ReLU", "Dropout", "Sigmoid", "Tanh", "Softmax", "LogSoftmax", "GELU", "LeakyReLU", "Identity",
     "Flatten", "ELU"}
)  # fmt: skip
CLASS_LOSSES = frozenset({"CrossEntropyLoss", "NLLLoss", "cross_entropy", "nll_loss"})
SAME_LOSSES = frozenset(
    {"MSELoss", "L1Loss", "SmoothL1Loss", "HuberLoss", "BCELoss", "BCEWithLogitsLoss", "mse_loss",
     "l1_loss", "smooth_l1_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits"}
)  # fmt: skip
# torchvision's models that classify pictures, or find segments in them; timm's by their names.
_BUILDS_A_CLASSIFIER = re.compile(
    r"(?:resnet|resnext|wide_resnet|vgg|densenet|mobilenet|efficientnet|googlenet|inception|alexnet"
    r"|squeezenet|shufflenet|mnasnet|regnet|convnext|vit|swin|maxvit|fcn|deeplabv3|lraspp)[a-z\d]*_?"
    r"[\w]*$|create_model$"
)
_PICTURE = 224  # their height and width
_DEPTH = 12


@dataclass(frozen=True)
class Choices:
    """Sizes for what the snippet leaves open. Small, and all different.

    There are two sets: an error that comes with both does not depend on the choice.
    """

    batch: int = 8
    features: int = 20
    classes: int = 10
    hidden: int = 32
    length: int = 12
    channels: int = 3  # of a picture for a model that takes any
    gray: int = 28  # height and width of a picture with one channel
    colour: int = 32
    step: int = 8  # between the sizes of a configuration
    times: int = 1  # the numbers that the code gives as defaults
    with_grad: bool = False  # whether float tensors require grad


OTHER = Choices(
    batch=6, features=14, classes=7, hidden=24, length=9, gray=32, colour=64, step=12, times=2,
    with_grad=True,
)  # fmt: skip


@dataclass(frozen=True)
class TensorSpec:
    """A random tensor to make: floats, or integers below `high`."""

    shape: tuple[int, ...]
    high: int | None = None  # None: float32
    probability: bool = False  # floats in [0, 1]

    @property
    def words(self) -> str:
        """`[8, 784] float32`."""
        return f"{list(self.shape)} {'float32' if self.high is None else 'int64'}"


@dataclass(frozen=True)
class Callee:
    """The target of a call in the snippet: a layer of torch.nn, a class of its own, or a loss."""

    call: ast.Call  # where it is constructed, or the functional call itself
    sizes: Sizes
    cls: ast.ClassDef | None = None

    @property
    def kind(self) -> str:
        return last_name(self.call.func)


class Shapes:
    """Infers tensors for one snippet and one set of choices."""

    def __init__(self, program: SnippetTree, choices: Choices, sizes: Sizes) -> None:
        self.program = program
        self.choices = choices
        self.sizes = sizes

    # -- what is called ----------------------------------------------------------------------

    def callee(self, func: ast.expr, sizes: Sizes | None = None) -> Callee | None:
        """What `func(…)` calls, where the snippet constructs it itself."""
        sizes = self.sizes if sizes is None else sizes
        if isinstance(func, ast.Name):
            variable = self.program.variable(func)
            for given in self.program.given(variable):  # train(model, …): the one it is called with
                if isinstance(given, ast.Name):
                    variable = self.program.variable(given)
            values = [self.program.within(v) for v in self.program.values(variable)]
            values = [v for v in values if not (isinstance(v, ast.Name) and v.id == variable.name)]
            if len(values) != 1:
                return None
            return self._constructed(values[0], sizes)
        if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name):
            cls = self.program.class_of(func)
            if func.value.id == "self" and cls is not None:
                value = self.program.attribute(cls, func.attr)
                return self._constructed(value, sizes) if value is not None else None
            return None
        return self._constructed(self.program.within(func), sizes)

    def _constructed(self, value: ast.expr, sizes: Sizes) -> Callee | None:
        if not isinstance(value, ast.Call):
            return None
        cls = self.program.classes.get(last_name(value.func))
        if cls is not None:
            return Callee(value, self.program.construction(cls, value, sizes), cls)
        return Callee(value, sizes)

    # -- inputs ------------------------------------------------------------------------------

    def wants(self, callee: Callee, depth: int = 0) -> TensorSpec | None:
        """The input that a layer or a model needs, by its first layer; None if that is open."""
        if depth > _DEPTH:
            return None
        if callee.cls is not None:
            forward = method(callee.cls, "forward")
            if forward is None or len(forward.args.args) < 2:
                return None
            x = ScopedName(forward, forward.args.args[1].arg)
            return self.of(x, callee.sizes, depth + 1)
        c, call = self.choices, callee.call

        def size(position: int, name: str) -> int | None:
            return self.program.integer(argument(call, position, name), callee.sizes)

        kind = callee.kind
        if _BUILDS_A_CLASSIFIER.match(kind) and not self.program.functions.get(kind):
            return TensorSpec((c.batch // 2, 3, _PICTURE, _PICTURE))
        if kind == "Sequential":
            return self._sequence_wants(callee, depth)
        if kind == "Linear" and (n := size(0, "in_features")):
            return TensorSpec((c.batch, n))
        if kind == "Conv2d" and (n := size(0, "in_channels")):
            side = c.gray if n == 1 else c.colour
            return TensorSpec((c.batch, n, side, side))
        if kind == "Conv1d" and (n := size(0, "in_channels")):
            return TensorSpec((c.batch, n, c.length * 4))
        if kind == "BatchNorm1d" and (n := size(0, "num_features")):
            return TensorSpec((c.batch, n))
        if kind == "Embedding" and (n := size(0, "num_embeddings")):
            return TensorSpec((c.batch, c.length), high=n)
        if kind in {"LSTM", "GRU", "RNN"} and (n := size(0, "input_size")):
            first = next((k.value for k in call.keywords if k.arg == "batch_first"), None)
            batch_first = isinstance(first, ast.Constant) and bool(first.value)
            lead = (c.batch, c.length) if batch_first else (c.length, c.batch)
            return TensorSpec((*lead, n))
        return None

    def _sequence_wants(self, callee: Callee, depth: int) -> TensorSpec | None:
        for layer in callee.call.args:
            inner = self._constructed(layer, callee.sizes)
            if inner is None:
                return None
            if inner.kind not in _SHAPELESS:
                return self.wants(inner, depth + 1)
        return None

    def of(
        self, variable: ScopedName, sizes: Sizes | None = None, depth: int = 0
    ) -> TensorSpec | None:
        """The tensor that a variable must be, by its first use; None if that is open."""
        if depth > _DEPTH:
            return None
        for use in self.program.with_aliases(variable):
            spec = self.at(use, sizes, depth + 1)
            if spec is not None:
                return spec
        return None

    def at(self, use: ast.expr, sizes: Sizes | None = None, depth: int = 0) -> TensorSpec | None:
        """The tensor that is needed at one place in the code; None if that is open."""
        if depth > _DEPTH:
            return None
        sizes = self.sizes if sizes is None else sizes
        node = self.program.through(use)
        above = self.program.parents.get(node)
        if isinstance(above, ast.Attribute) and above.attr in {"view", "reshape", "flatten"}:
            call = self.program.parents.get(above)
            return (
                self._flattened(call, call.args, sizes, depth)
                if isinstance(call, ast.Call)
                else None
            )
        if not isinstance(above, ast.Call) or node not in above.args:
            return None
        if last_name(above.func) == "flatten" and above.args[0] is node:
            return self._flattened(above, [], sizes, depth)
        callee = self.callee(above.func, sizes)
        if callee is not None and above.args[0] is node:
            return self.wants(callee, depth + 1)
        return None

    def _flattened(
        self, call: ast.Call, args: list[ast.expr], sizes: Sizes, depth: int
    ) -> TensorSpec | None:
        """What `x` must be for `x.view(-1, 784)`, or for the layer that gets the flat tensor."""
        c = self.choices
        numbers = [self.program.integer(a, sizes) for a in args]
        if len(numbers) == 2 and (n := numbers[1]) is not None and n > 0:
            pictures = {784: (1, 28, 28), 3072: (3, 32, 32)}
            return TensorSpec((c.batch, *pictures.get(n, (n,))))
        if len(numbers) > 2 or (len(numbers) == 2 and numbers[1] != -1):
            return None
        above = self.program.parents.get(call)
        spec = None
        if isinstance(above, ast.Call):
            spec = self.at(call, sizes, depth + 1)
        elif isinstance(above, ast.Assign) and isinstance(above.targets[0], ast.Name):
            target = self.program.variable(above.targets[0])
            after = [u for u in self.program.uses(target) if u.lineno > above.lineno]
            specs = (self.at(u, sizes, depth + 1) for u in after)
            spec = next((s for s in specs if s is not None), None)
        return spec if spec is not None and len(spec.shape) == 2 else None

    # -- outputs -----------------------------------------------------------------------------

    def gives(self, callee: Callee, depth: int = 0) -> TensorSpec | None:
        """The output of a layer or a model; None where that is open."""
        if depth > _DEPTH:
            return None
        c = self.choices
        if callee.cls is not None:
            forward = method(callee.cls, "forward")
            if forward is None:
                return None
            returns = [n.value for n in ast.walk(forward) if isinstance(n, ast.Return)]
            if len(returns) != 1 or returns[0] is None:
                return None
            return self.result(returns[0], callee.sizes, depth + 1)
        if callee.kind == "Sequential":
            layers = [self._constructed(a, callee.sizes) for a in callee.call.args]
            kinds = [layer.kind if layer else "" for layer in layers]
            while kinds and kinds[-1] in _SHAPELESS:
                kinds.pop()
            last = layers[len(kinds) - 1] if kinds else None
            return self.gives(last, depth + 1) if last is not None else None
        if callee.kind == "Linear":
            n = self.program.integer(argument(callee.call, 1, "out_features"), callee.sizes)
            return TensorSpec((c.batch, n)) if n else None
        return None

    def result(
        self, node: ast.expr, sizes: Sizes | None = None, depth: int = 0
    ) -> TensorSpec | None:
        """The tensor that an expression evaluates to, by its last layer; None if that is open."""
        if depth > _DEPTH:
            return None
        sizes = self.sizes if sizes is None else sizes
        node = self.program.within(node)
        if isinstance(node, ast.Name):
            return self._assigned(node, sizes, depth)
        if not isinstance(node, ast.Call):
            return None
        if isinstance(node.func, ast.Attribute) and node.func.attr == "squeeze":
            inner = self.result(node.func.value, sizes, depth + 1)
            if inner is not None and inner.shape[-1] == 1:
                return replace(inner, shape=inner.shape[:-1])
            return inner
        if last_name(node.func) in ELEMENTWISE and node.args:
            return self.result(node.args[0], sizes, depth + 1)
        callee = self.callee(node.func, sizes)
        if callee is None:
            return None
        if callee.kind == "Linear" and callee.cls is None and node.args:
            # A Linear keeps the leading dimensions: they are known only for a flat input.
            front = node.args[0]
            if isinstance(front, ast.Name) and self._is_sequence(front):
                return None
        return self.gives(callee, depth + 1)

    def _is_sequence(self, name: ast.Name) -> bool:
        """Whether a name holds a recurrent layer's output at all time steps."""
        for node in ast.walk(self.program.tree):
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Tuple):
                first = node.targets[0].elts[0]
                if isinstance(first, ast.Name) and first.id == name.id:
                    return True
        return False

    def _assigned(self, name: ast.Name, sizes: Sizes, depth: int) -> TensorSpec | None:
        values = self.program.values(self.program.variable(name))
        before = [v for v in values if (v.lineno, v.col_offset) < (name.lineno, name.col_offset)]
        if not before:
            return None
        return self.result(max(before, key=lambda v: v.lineno), sizes, depth + 1)

    # -- losses ------------------------------------------------------------------------------

    def loss_of(self, call: ast.Call) -> str:
        """The loss that a call computes ("CrossEntropyLoss", "mse_loss"); empty if it is none."""
        if last_name(call.func) in CLASS_LOSSES | SAME_LOSSES and len(call.args) == 2:
            return last_name(call.func)
        callee = self.callee(call.func)
        if callee is not None and callee.kind in CLASS_LOSSES | SAME_LOSSES:
            return callee.kind
        return ""

    def target(self, loss: str, output: TensorSpec) -> TensorSpec | None:
        """The target that a loss needs for such an output; None if that is open."""
        if loss in CLASS_LOSSES:
            if len(output.shape) != 2:
                return None
            return TensorSpec(output.shape[:1], high=output.shape[1])
        return replace(output, high=None, probability="BCE" in loss or "binary" in loss)
