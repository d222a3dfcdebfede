"""Make the planned placeholders, and remember every object that they return."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import torch
from torch import nn

from executor.inside.placeholders.plans import (
    BATCHES,
    SAMPLES,
    BatchesPlan,
    ConfigPlan,
    DevicePlan,
    FunctionPlan,
    LossPlan,
    ModelPlan,
    NothingPlan,
    NumberPlan,
    OptimizerPlan,
    PicturePlan,
    Plan,
    TensorPlan,
)
from executor.inside.placeholders.shapes import TensorSpec

_WIDTH = 16
_REMEMBERED = 2000


class PlaceholderError(Exception):
    """The snippet used a placeholder in a way that its plan did not foresee."""


class PlaceholderFactory:
    """Makes the placeholders of one run, and knows them and what they return by identity."""

    def __init__(self, plans: Mapping[str, Plan]) -> None:
        self._kept: dict[int, tuple[object, str]] = {}
        self.values: dict[str, Any] = {}
        with torch.random.fork_rng(devices=[]):  # the snippet's own random numbers stay its own
            torch.manual_seed(0)
            for name, plan in plans.items():
                self.values[name] = self._make(name, plan)

    def source_of(self, value: object) -> str:
        """The name of the placeholder that is this object or returned it; empty if none."""
        kept = self._kept.get(id(value))
        return kept[1] if kept is not None and kept[0] is value else ""

    def keep(self, value: Any, name: str) -> Any:
        """Remember that an object belongs to a placeholder; return the object."""
        if len(self._kept) < _REMEMBERED:
            self._kept[id(value)] = (value, name)
        return value

    def _make(self, name: str, plan: Plan) -> Any:
        match plan:
            case NumberPlan():
                return plan.value
            case ConfigPlan():
                return self.keep(_Config(plan.entries), name)
            case DevicePlan():
                return torch.device("cpu")
            case TensorPlan():
                return self.keep(_tensor(plan.spec).requires_grad_(plan.with_grad), name)
            case PicturePlan():
                return self.keep(_picture(plan), name)
            case ModelPlan(is_class=True):
                return self.keep(_model_class(self, name, plan), name)
            case ModelPlan():
                return self.keep(_PlaceholderModel(self, name, plan), name)
            case LossPlan():
                return self.keep(getattr(nn, plan.name)(), name)
            case BatchesPlan():
                return self.keep(_data(self, name, plan), name)
            case OptimizerPlan():
                return self.keep(_LateSGD(self, plan.model), name)
            case FunctionPlan():
                return self.keep(self._function(name, plan), name)
            case NothingPlan():
                return _do_nothing

    def _function(self, name: str, plan: FunctionPlan) -> Callable[..., Any]:
        made = [result and self._make(name, result) for _, result in plan.results]

        def called(*args: object, **kwargs: object) -> Any:
            return made[0] if plan.one else self.keep(tuple(made), name)

        return called


class _Config(dict[str, Any]):
    """Entries that are read by key and as attributes; of others nothing is known."""

    def __missing__(self, key: str) -> Any:
        raise PlaceholderError(f"nothing says what {key} is")

    def __getattr__(self, key: str) -> Any:
        if key.startswith("__"):
            raise AttributeError(key)
        return self[key]


def _do_nothing(*args: object, **kwargs: object) -> None:
    """Stand for what sets a seed, shows something or writes it down."""


def _tensor(spec: TensorSpec) -> torch.Tensor:
    if spec.high is not None:
        return torch.randint(0, spec.high, spec.shape)
    return torch.rand(spec.shape) if spec.probability else torch.randn(spec.shape)


def _picture(plan: PicturePlan) -> Any:
    from PIL import Image

    from executor.inside.resources.pictures import pictures

    return Image.fromarray(pictures([1], (plan.height, plan.width), 3)[0])


class _PlaceholderModel(nn.Module):
    """A model that takes any tensor with a batch dimension and returns the planned shape."""

    def __init__(self, factory: PlaceholderFactory, name: str, plan: ModelPlan) -> None:
        super().__init__()
        self._ours = (factory, name, plan)
        self.layer = nn.Linear(_WIDTH, plan.output.shape[-1])

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        factory, name, plan = self._ours
        if not isinstance(x, torch.Tensor) or x.dim() < 2:
            raise PlaceholderError(f"the placeholder for {name} takes a batch of tensors")
        flat = x.flatten(1).to(self.layer.weight.dtype)
        flat = nn.functional.adaptive_avg_pool1d(flat.unsqueeze(1), _WIDTH).squeeze(1)
        out: torch.Tensor = self.layer(flat)
        out = out.sigmoid() if plan.probability else out
        factory.keep(out, name)
        return out


def _model_class(factory: PlaceholderFactory, name: str, plan: ModelPlan) -> type[nn.Module]:
    class PlaceholderClass(_PlaceholderModel):
        def __init__(self, *args: object, **kwargs: object) -> None:
            super().__init__(factory, name, plan)
            factory.keep(self, name)

    PlaceholderClass.__name__ = PlaceholderClass.__qualname__ = name
    PlaceholderClass.__module__ = "__main__"
    return PlaceholderClass


class _Batches:
    """A data loader of a few batches, the same in every epoch."""

    def __init__(self, items: list[Any], batch: int) -> None:
        self.items = items
        self.batch_size = batch
        self.dataset = range(len(items) * batch)

    def __iter__(self) -> Iterator[Any]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)


class _Samples(torch.utils.data.Dataset[Any]):
    """A dataset of a few samples."""

    def __init__(self, items: list[Any]) -> None:
        self.items = items

    def __getitem__(self, index: int) -> Any:
        return self.items[index]

    def __len__(self) -> int:
        return len(self.items)


def _data(factory: PlaceholderFactory, name: str, plan: BatchesPlan) -> Any:
    def one(spec: TensorSpec) -> torch.Tensor:
        whole = _tensor(spec)
        part = whole[0] if plan.samples else whole
        part.requires_grad_(plan.with_grad and spec.high is None and not plan.samples)
        factory.keep(part, name)
        return part

    def item() -> Any:
        parts = [(key, one(spec)) for key, spec in plan.parts]
        if plan.form == "tensor":
            return parts[0][1]
        if plan.form == "dict":
            return factory.keep(dict(parts), name)
        return factory.keep(tuple(t for _, t in parts), name)

    items = [item() for _ in range(SAMPLES if plan.samples else BATCHES)]
    if plan.samples:
        return _Samples(items)
    batches = _Batches(items, plan.parts[0][1].shape[0])
    factory.keep(batches.dataset, name)
    return batches


class _LateSGD(torch.optim.SGD):
    """SGD over a model that the snippet has yet to make: it looks for it at the first use."""

    def __init__(self, factory: PlaceholderFactory, model: str) -> None:
        super().__init__([nn.Parameter(torch.zeros(1))], lr=0.01)
        self._model = model
        self._taken = False

    def _take_in(self) -> None:
        import sys

        if self._taken:
            return
        model = getattr(sys.modules["__main__"], self._model, None)
        if not isinstance(model, nn.Module):
            raise PlaceholderError(f"the placeholder optimizer found no module named {self._model}")
        self._taken = True
        parameters = list(model.parameters())
        if parameters:
            self.param_groups[0]["params"] = parameters

    def zero_grad(self, set_to_none: bool = True) -> None:
        self._take_in()
        super().zero_grad(set_to_none)

    def step(self, closure: Any = None) -> Any:
        self._take_in()
        return super().step(closure)
