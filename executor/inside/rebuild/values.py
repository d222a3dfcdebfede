"""The kinds of values that a name can stand for, as data that becomes a Python expression."""

from __future__ import annotations

import ast
import math
from dataclasses import dataclass, replace

_LARGE = 4_000_000  # elements
_INTEGERS = frozenset({"int64", "int32", "int16", "uint8", "int8"})
DTYPES = (*sorted(_INTEGERS), "float32", "float64", "float16", "bfloat16", "bool", "complex64")


@dataclass(frozen=True)
class Tensor:
    """A random tensor or array."""

    shape: tuple[int, ...]
    dtype: str = "float32"
    grad: bool = False
    device: str = ""  # "cuda", where a GPU is simulated
    form: str = "torch"  # "numpy", "table" (something with .values), "parameter", "list"
    high: int = 10  # integers lie below it
    filled: int | None = None  # every integer is this one
    low: int = 0  # and none below this one
    whole: bool = False  # its floats are whole numbers, as labels are
    entries: str = ""  # as they were printed in the message; they count for their shape alone

    def with_rows(self, rows: int) -> Tensor:
        """It with another first size, where it has one."""
        return replace(self, shape=(rows, *self.shape[1:])) if self.shape else self

    @property
    def is_large(self) -> bool:
        """Whether it is of zeros: they take no memory and no time until they are read."""
        return math.prod(self.shape) > _LARGE

    @property
    def expression(self) -> str:
        """What makes it."""
        if self.form in {"numpy", "table"}:
            made = self._array()
            return made if self.form == "numpy" else f"_stubs.Table({made})"
        made = self._tensor()
        if self.form == "parameter":
            return f"nn.Parameter({made})"
        if self.form == "list":
            return f"list({made})"
        return f"{made}.requires_grad_()" if self.grad else made

    def _array(self) -> str:
        if self.dtype in _INTEGERS:
            return (
                f"np.random.randint({self.low}, {self.high}, {self.shape}).astype(np.{self.dtype})"
            )
        if self.dtype == "bool":
            return f"np.random.rand(*{self.shape}) > 0.5"
        made = f"np.random.rand(*{self.shape})"
        return made if self.dtype == "float64" else f"{made}.astype(np.{self.dtype})"

    @property
    def is_as_printed(self) -> bool:
        """Whether it has the very entries that were printed."""
        return bool(self.entries) and shape_of(ast.literal_eval(self.entries)) == self.shape

    def _tensor(self) -> str:
        more = f', device="{self.device}"' if self.device else ""
        if self.is_as_printed:
            return f"torch.tensor({self.entries}, dtype=torch.{self.dtype}{more})"
        if self.filled is not None:
            return f"torch.full({self.shape}, {self.filled}{more})"
        if self.is_large:
            return f"torch.zeros({self.shape}, dtype=torch.{self.dtype}{more})"
        if self.dtype in _INTEGERS or self.whole:
            kind = f", dtype=torch.{self.dtype}" if self.dtype != "int64" else ""
            return f"torch.randint({self.low}, {self.high}, {self.shape}{kind}{more})"
        if self.dtype == "bool":
            return f"(torch.rand({self.shape}{more}) > 0.5)"
        kind = f", dtype=torch.{self.dtype}" if self.dtype != "float32" else ""
        return f"torch.rand({self.shape}{kind}{more})"

    @property
    def words(self) -> str:
        """`a random float32 tensor [8, 3]`."""
        kind = {
            "numpy": "array",
            "table": "table",
            "parameter": "parameter",
            "list": "list of tensors",
        }.get(self.form, "tensor")
        grad = " with requires_grad" if self.grad else ""
        where = f" on {self.device}" if self.device else ""
        if self.is_as_printed:
            return f"the printed {self.dtype} {kind} {list(self.shape)}{grad}{where}"
        if self.filled is not None:
            return f"a {self.dtype} {kind} {list(self.shape)} of {self.filled}s{where}"
        if self.is_large and self.form not in {"numpy", "table"}:
            return f"an all-zero {self.dtype} {kind} {list(self.shape)}{grad}{where}"
        of = " of whole numbers" if self.whole and self.dtype not in _INTEGERS else ""
        return f"a random {self.dtype} {kind} {list(self.shape)}{of}{grad}{where}"


@dataclass(frozen=True)
class Text:
    """Any other value, by its expression."""

    expression: str
    said: str = ""

    @property
    def words(self) -> str:
        """What it is."""
        return self.said or f"`{self.expression}`"


@dataclass(frozen=True)
class Batches:
    """The batches of a loader, or the samples of a data set, or the class of one."""

    parts: tuple[tuple[str, Tensor], ...]
    form: str = "tuple"  # "tensor", "dict", "dataset" (a class; its samples are tuples)
    n: int = 2  # 0: one batch by itself, and no list
    key: str = ""  # they stand in a dict, under this key

    @property
    def expression(self) -> str:
        """What makes them: a list, or one batch."""
        if self.form == "dataset":
            return f"_stubs.dataset_of({self._items})"
        return f"{{{self.key!r}: {self._items}}}" if self.key else self._items

    @property
    def _items(self) -> str:
        made = [part.expression for _, part in self.parts]
        if self.form == "tensor":
            one = made[0]
        elif self.form == "dict":
            one = "{" + ", ".join(f"{k!r}: {m}" for (k, _), m in zip(self.parts, made, strict=True))
            one += "}"
        else:
            one = f"({', '.join(made)},)"
        if not self.n:
            return one
        return f"[{one} for _ in range({self.n})]"

    @property
    def words(self) -> str:
        """`2 batches of (x: a random float32 tensor [8, 3])`."""
        inside = ", ".join(
            f"{name}: {part.words}" if name else part.words for name, part in self.parts
        )
        if self.form == "dataset":
            return f"a class of data sets with {self.n} samples of ({inside})"
        if not self.n:
            return f"a {'dict' if self.form == 'dict' else 'batch'} of ({inside})"
        under = f"a dict with, under {self.key!r}, " if self.key else ""
        return f"{under}{self.n} {'samples' if self.key else 'batches'} of ({inside})"


Value = Tensor | Text | Batches


def shape_of(entries: object) -> tuple[int, ...] | None:
    """The shape of nested lists of numbers; None where they have none."""
    if isinstance(entries, (int, float)):
        return ()
    if not isinstance(entries, list):
        return None
    inner = {shape_of(entry) for entry in entries}
    rest = inner.pop() if len(inner) == 1 else None
    return (len(entries), *rest) if rest is not None else None
