"""A live value with its name in the snippet, and the line that made it."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from executor.inside.explain.look import is_tensor
from executor.inside.explain.words import a_type, dims, dtype, is_array, layer_text


class PassedAt(int):
    """The line of the call that passed an argument in, not the line that made the value."""


@dataclass(frozen=True, eq=False)
class Thing:
    """A live value with its name in the snippet, and the line that made it."""

    name: str
    value: Any
    line: int | None = None
    node: ast.AST | None = None
    computed: bool = False  # only shape and dtype are known: the value is on the meta device

    @property
    def is_tensor(self) -> bool:
        """Whether it is a tensor."""
        return is_tensor(self.value)

    @property
    def shape(self) -> tuple[int, ...]:
        """A tensor's (or an array's) shape; empty for anything else."""
        if is_tensor(self.value) or is_array(self.value):
            return tuple(self.value.shape)
        return ()

    def __str__(self) -> str:
        """`x` [4, 400] (line 15)."""
        return f"{self.ticked} {self.what}{self.place}"

    @property
    def ticked(self) -> str:
        """`x`."""
        return self.name if self.name.startswith("the output of") else f"`{self.name}`"

    @property
    def what(self) -> str:
        """[4, 400] for a tensor, else its type."""
        if is_tensor(self.value):
            return dims(self.value.shape) if self.value.ndim else "(one value)"
        return a_type(self.value)

    @property
    def typed(self) -> str:
        """`x` float32 [4, 400] (line 15)."""
        if not is_tensor(self.value):
            return str(self)
        return f"{self.ticked} {dtype(self.value)} {dims(self.value.shape)}{self.place}"

    @property
    def place(self) -> str:
        """The line that made it, in brackets; empty where it is not known."""
        if isinstance(self.line, PassedAt):
            return f" (passed in at line {self.line})"
        return f" (line {self.line})" if self.line else ""

    @property
    def from_line(self) -> str:
        """`, from line 15`: the line for the end of a clause."""
        if isinstance(self.line, PassedAt):
            return f", passed in at line {self.line}"
        return f", from line {self.line}" if self.line else ""


@dataclass(frozen=True, eq=False)
class LayerThing(Thing):
    """A layer of torch.nn that the error came out of."""

    @property
    def told(self) -> str:
        """`self.fc` is Linear(in_features=512, …), made at line 8."""
        name = f"`{self.name}` is" if self.name else "the layer is"
        made = f", made at line {self.line}" if self.line else ""
        return f"{name} {layer_text(self.value)}{made}"
