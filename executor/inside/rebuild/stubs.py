"""Classes and modules that are not there, as far as a posted error needs them.

A stub takes every call and gives every attribute. It never raises the posted error by itself:
only torch, numpy, Python and the snippet do.
"""

from __future__ import annotations

import itertools
import re
import types
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import nn
from torch.utils.data import Dataset

_MODULE = re.compile(r"(Module|Model|Layer|Net|Block|Encoder|Decoder|Embedding)$")
_WIDE = 10_000  # values of one output that get weights of their own
_DATASET = re.compile(r"Dataset$")


def _nobody(name: str) -> Any:
    raise KeyError(name)


resolve: Callable[[str], Any] = _nobody  # set by the glue that is installed
bound: dict[str, Any] = {}  # the snippet's own globals


def given(path: str) -> Any:
    """What a parameter is given: the snippet's own value of that name, if there is one by now."""
    own = path.rpartition(".")[2]
    return bound[own] if own in bound else resolve(path)


class Namespace:
    """`args`, `cfg`, `self`: an object whose attributes are made when they are read."""

    def __init__(self, path: str) -> None:
        self.__dict__["_path"] = path

    def __getattr__(self, name: str) -> Any:
        """Make the attribute."""
        return _attribute(self, self.__dict__["_path"], name)

    def __getitem__(self, name: str) -> Any:
        """`cfg["lr"]`, like `cfg.lr`."""
        return getattr(self, name)


class Lazy:
    """A base of a class whose `__init__` was not posted: its attributes are made when read."""

    def __getattr__(self, name: str) -> Any:
        """What nn.Module knows, else make it."""
        above: Any = super()
        try:
            return above.__getattr__(name)
        except AttributeError:
            return _attribute(self, "self", name)


def _attribute(owner: Any, path: str, name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    try:
        value = resolve(f"{path}.{name}")
    except KeyError:
        raise AttributeError(f"{type(owner).__name__!r} object has no attribute {name!r}") from None
    setattr(owner, name, value)
    return value


class Stub:
    """An object of a library that is not installed."""

    def __init__(self, *args: Any, **named: Any) -> None:
        pass

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Give back what it is given first, unless that is only a number or a text."""
        return args[0] if args and not isinstance(args[0], (int, float, str)) else Stub()

    def __getattr__(self, name: str) -> Any:
        """Another stub."""
        if name.startswith("__"):
            raise AttributeError(name)
        return Stub()

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def __iter__(self) -> Iterator[Any]:
        """Nothing."""
        return iter(())

    def __len__(self) -> int:
        return 0


class StubModule(types.ModuleType):
    """A module that is not installed."""

    __path__: list[str] = []

    def __getattr__(self, name: str) -> Any:
        """A class for a name with a capital letter, else a function that passes things on."""
        if name.startswith("__"):
            raise AttributeError(name)
        value = stub_class(name) if name[:1].isupper() else Stub()
        setattr(self, name, value)
        return value


def stub_class(name: str, base: str = "") -> type:
    """A class of this name: a module or a dataset where the name says so."""
    if base == "Dataset" or (not base and _DATASET.search(name)):
        return type(name, (_StubDataset,), {"__module__": "__main__"})
    if base == "Module" or (not base and _MODULE.search(name)):
        return type(name, (_StubLayer,), {"__module__": "__main__"})
    return type(name, (Stub,), {"__module__": "__main__"})


class _StubLayer(nn.Module):
    """A module that gives back its input."""

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__()

    def forward(self, x: Any, *args: Any, **named: Any) -> Any:
        return x

    def log(self, *args: Any, **named: Any) -> None:
        """As a LightningModule does."""


class _StubDataset(Dataset[Any]):
    def __init__(self, *args: Any, **named: Any) -> None:
        pass

    def __getitem__(self, index: int) -> torch.Tensor:
        return torch.rand(3)

    def __len__(self) -> int:
        return 4


def dataset_of(samples: list[Any]) -> type:
    """A class of data sets, each of which has these samples."""

    class Samples(_StubDataset):
        def __getitem__(self, index: int) -> Any:
            return samples[index]

        def __len__(self) -> int:
            return len(samples)

    return Samples


def same(*args: Any, **named: Any) -> Any:
    """What it is given first, and never None: an unknown function from a tensor to a tensor."""
    return args[0] if args and args[0] is not None else Stub()


def all_again(*args: Any, **named: Any) -> tuple[Any, ...]:
    """All that it is given: an unknown function that shuffles, or moves, several things at once."""
    return args


def several(*measured: bool) -> Callable[..., tuple[Any, ...]]:
    """A function of several results: numbers where something is measured, else its arguments."""

    def give(*args: Any, **named: Any) -> tuple[Any, ...]:
        tensors = [a for a in args if isinstance(a, torch.Tensor)] or [torch.rand(8, 20)]
        following = itertools.cycle(tensors)
        return tuple(0.5 if one else next(following) for one in measured)

    return give


def in_turn(*shapes: tuple[int, ...]) -> Callable[..., torch.Tensor]:
    """A function that gives tensors of these shapes, one after the other."""
    following = itertools.cycle(shapes)
    return lambda *_, **__: torch.rand(next(following))


def loss(*given: Any, **named: Any) -> torch.Tensor:
    """A scalar of every tensor that it is given."""
    tensors = [a for a in (*given, *named.values()) if isinstance(a, torch.Tensor)]
    return sum((t.float().square().mean() for t in tensors), torch.zeros(()))


class Model(nn.Module):
    """A module with weights that takes any tensor with a batch and gives `outputs` per sample.

    A last layer that it is given under one of the usual names comes behind its own.

    Args:
        outputs: the sizes of one sample's output.
        bounded: whether it lies in [0, 1], as a loss of probabilities wants it.
        gives: whether each of several results is a loss, where it gives more than its output.
    """

    def __init__(self, *outputs: int, bounded: bool = False, gives: tuple[bool, ...] = ()) -> None:
        super().__init__()
        self.outputs, self.gives = outputs, gives
        self.bounded = bounded
        wide = _product(outputs) > _WIDE  # one score for each pixel: the same for all of them
        self.layer = nn.Linear(16, max(1, outputs[0] if wide else _product(outputs)))

    def __getattr__(self, name: str) -> Any:
        """Its own layer, under the usual names of a last one."""
        own = name in _HEADS and name not in self._modules
        return super().__getattr__("layer" if own else name)

    def forward(self, *args: Any, **named: Any) -> Any:
        out = self._scores(next(v for v in (*args, *named.values()) if hasattr(v, "reshape")))
        if not self.gives:
            return out
        return tuple(out.square().mean() if is_loss else out for is_loss in self.gives)

    def _scores(self, x: Any) -> torch.Tensor:
        x = x if x.dim() else x.reshape(1)
        flat = x.reshape(x.shape[0], -1).to(self.layer.weight.dtype)
        out: torch.Tensor = self.layer(_of_width(flat, 16))
        out = out.sigmoid() if self.bounded else out
        for name, head in self.named_children():
            first = next((m for m in head.modules() if isinstance(m, nn.Linear)), None)
            if name in _HEADS and first is not None:
                scores: torch.Tensor = head(_of_width(out.flatten(1), first.in_features))
                return scores
        if out.shape[1] < _product(self.outputs):
            sides = [1] * (len(self.outputs) - 1)
            return out.reshape(x.shape[0], -1, *sides).expand(x.shape[0], *self.outputs)
        return out.reshape(x.shape[0], *self.outputs)


class Backbone(Model):
    """A module that gives ten features of each sample, and says so under the usual names."""

    WIDTHS = ("out_features", "num_features", "feature_dim", "out_dim", "output_dim", "embed_dim",
              "hidden_size", "hidden_dim", "out_channels", "width", "dim")  # fmt: skip

    def __init__(self, *_: Any, **__: Any) -> None:
        super().__init__(10)
        for name in self.WIDTHS:
            setattr(self, name, 10)


class Recurrent(Model):
    """A module that gives its output and its next state, which follows from the one it is given."""

    def init_hidden(self, *_: Any, **__: Any) -> torch.Tensor:
        """The first state."""
        return torch.zeros(8)

    def forward(self, x: Any, state: Any = None, *_: Any, **__: Any) -> Any:
        before = state[0] if isinstance(state, tuple) else state
        kept = torch.zeros(8) if before is None else before
        kept = torch.tanh(kept + self.layer.weight.mean())
        after = (kept, *state[1:]) if isinstance(state, tuple) else kept
        return self._scores(x) + kept.mean(), after


_HEADS = ("fc", "head", "heads", "classifier")


def _of_width(rows: torch.Tensor, width: int) -> torch.Tensor:
    return nn.functional.adaptive_avg_pool1d(rows.unsqueeze(1), width).squeeze(1)


def _product(sizes: tuple[int, ...]) -> int:
    n = 1
    for size in sizes:
        n *= size
    return n


def weights(shapes: dict[str, tuple[int, ...]], name: str = "Model") -> nn.Module:
    """A module whose state dict has these names and shapes."""
    root = type(name, (nn.Module,), {})()
    for path, shape in shapes.items():
        *above, last = path.split(".")
        at = root
        for part in above:
            below = dict(at.named_children())
            if part not in below:
                at.add_module(part, nn.Module())
            at = below.get(part) or dict(at.named_children())[part]
        at.register_parameter(last, nn.Parameter(torch.rand(*shape)))
    module: nn.Module = root
    return module


class Rows:
    """A table with a file name and a label in each row, as annotations are kept."""

    columns = ("file", "label")

    def __init__(self) -> None:
        self.iloc = self.loc = _Cells([_Row((f"file_{n}.png", n % 2)) for n in range(4)])

    def __len__(self) -> int:
        return len(self.iloc.rows)

    def __getitem__(self, column: Any) -> Any:
        """A column."""
        return [row[_column(column)] for row in self.iloc.rows]

    def iterrows(self) -> Iterator[Any]:
        """Each row, with its number."""
        return iter(enumerate(self.iloc.rows))


class _Row(list[Any]):
    def __getitem__(self, at: Any) -> Any:
        """A cell, by its number or its column's name."""
        return super().__getitem__(_column(at) if isinstance(at, str) else at)


class _Cells:
    def __init__(self, rows: list[_Row]) -> None:
        self.rows = rows

    def __getitem__(self, at: Any) -> Any:
        if not isinstance(at, tuple):
            return self.rows[int(at)]
        row = self.rows[int(at[0])]
        return row[at[1]] if isinstance(at[1], slice) else row[_column(at[1])]


def _column(named: Any) -> int:
    """0 for the file name, 1 for the label, by its number or by what it is called."""
    if isinstance(named, str):
        return int(re.search(r"(?i)label|class|target|^y", named) is not None)
    return min(int(named), 1)


class Table:
    """Data with `.values`, as a table of a library that is not installed has."""

    def __init__(self, values: Any) -> None:
        self.values = values

    def __getattr__(self, name: str) -> Any:
        """What the array has."""
        return getattr(self.__dict__["values"], name)

    def __getitem__(self, key: Any) -> Any:
        return self.values[key]

    def __len__(self) -> int:
        return len(self.values)


def save_tagged(path: str, device: int) -> None:
    """Write weights as a machine with more GPUs saved them: tagged with that device."""
    from torch import serialization

    tag: Any = serialization.location_tag
    vars(serialization)["location_tag"] = lambda storage: f"cuda:{device}"
    try:
        torch.save({"weight": torch.rand(2, 2)}, path)
    finally:
        vars(serialization)["location_tag"] = tag
