"""The kinds of placeholders, each as a plan: what it will be, before any tensor is made.

`kind` is the plan's name in the protocol (`Placeholder.kind`), `words` its sentence in an answer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from executor.inside.placeholders.shapes import TensorSpec


@dataclass(frozen=True)
class NumberPlan:
    """A size, a rate, a count."""

    kind: ClassVar[str] = "number"
    value: int | float

    @property
    def words(self) -> str:
        return f"{self.value}, chosen to fit"


@dataclass(frozen=True)
class ConfigPlan:
    """An object of which numbers are read, by key or as attributes."""

    kind: ClassVar[str] = "config"
    entries: tuple[tuple[str, int | float], ...]

    @property
    def words(self) -> str:
        told = ", ".join(f"{name} {value}" for name, value in self.entries)
        return f"a configuration with {told}, chosen to fit"


@dataclass(frozen=True)
class DevicePlan:
    """`torch.device("cpu")`."""

    kind: ClassVar[str] = "device"

    @property
    def words(self) -> str:
        return 'torch.device("cpu")'


@dataclass(frozen=True)
class TensorPlan:
    """One tensor."""

    kind: ClassVar[str] = "tensor"
    spec: TensorSpec
    with_grad: bool = False

    @property
    def words(self) -> str:
        below = "" if self.spec.high is None else f" below {self.spec.high}"
        return f"a random tensor {self.spec.words}{below}"


@dataclass(frozen=True)
class PicturePlan:
    """An image of Pillow's, as a file of one is opened."""

    kind: ClassVar[str] = "image"
    width: int
    height: int

    @property
    def words(self) -> str:
        return f"an RGB image of {self.width}x{self.height} pixels"


@dataclass(frozen=True)
class ModelPlan:
    """A small module that takes any tensor with a batch dimension."""

    kind: ClassVar[str] = "model"
    output: TensorSpec  # without the batch
    probability: bool = False  # its output lies in [0, 1]
    is_class: bool = False  # the name is the class, not the model

    @property
    def words(self) -> str:
        kind = "a class of small modules" if self.is_class else "a small module"
        return f"{kind} with output [batch, {', '.join(map(str, self.output.shape[1:]))}]".replace(
            "[batch, ]", "[batch]"
        )


@dataclass(frozen=True)
class BatchesPlan:
    """The batches of a data loader, or the samples of a dataset."""

    kind: ClassVar[str] = "batches"
    parts: tuple[tuple[str, TensorSpec], ...]  # (name or key, tensor)
    form: str  # "tuple" | "tensor" | "dict"
    samples: bool = False  # a dataset: one sample at a time
    with_grad: bool = False

    @property
    def words(self) -> str:
        def one(spec: TensorSpec) -> str:
            kind = "float32" if spec.high is None else "int64"
            return f"{list(spec.shape[1:] if self.samples else spec.shape)} {kind}"

        inside = ", ".join(f"{name} {one(spec)}".strip() for name, spec in self.parts)
        inside = inside if self.form == "tensor" else f"({inside})"
        return (
            f"{SAMPLES} samples of {inside}" if self.samples else f"{BATCHES} batches of {inside}"
        )


@dataclass(frozen=True)
class LossPlan:
    """`nn.CrossEntropyLoss()` or `nn.MSELoss()`."""

    kind: ClassVar[str] = "loss"
    name: str

    @property
    def words(self) -> str:
        return f"nn.{self.name}()"


@dataclass(frozen=True)
class OptimizerPlan:
    """SGD over the parameters of a model, posted or not."""

    kind: ClassVar[str] = "optimizer"
    model: str

    @property
    def words(self) -> str:
        return f"SGD over the parameters of `{self.model}`"


@dataclass(frozen=True)
class FunctionPlan:
    """A function that gives back placeholders, one for each name that waits for a result."""

    kind: ClassVar[str] = "function"
    results: tuple[tuple[str, Plan | None], ...]  # (name, None where nobody reads it)
    one: bool = False  # it gives its only result, and no tuple

    @property
    def words(self) -> str:
        read = [f"{plan.words} as `{name}`" for name, plan in self.results if plan is not None]
        return f"a function that gives {', '.join(read)}"


@dataclass(frozen=True)
class NothingPlan:
    """A function that does nothing where the real one changes nothing that is computed."""

    kind: ClassVar[str] = "nothing"

    @property
    def words(self) -> str:
        return "a function that does nothing"


Plan = (
    NumberPlan
    | ConfigPlan
    | DevicePlan
    | TensorPlan
    | PicturePlan
    | ModelPlan
    | BatchesPlan
    | LossPlan
    | OptimizerPlan
    | FunctionPlan
    | NothingPlan
)
BATCHES = 3
SAMPLES = 24
