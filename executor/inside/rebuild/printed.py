"""Read the tensors that a message shows printed, each by the name that stands in front of it.

`losses` above `tensor(0.087, grad_fn=…)`, `inputs.shape: torch.Size([4, 32, 32, 3])`, and rows of
numbers above `[torch.LongTensor of size 3x2]`, as tensors were printed once.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import NamedTuple

from executor.inside.rebuild.values import Tensor, shape_of

_NAME = re.compile(r"[A-Za-z_]\w*")
_OPENS = re.compile(r"\btensor\(")
_SIZE = re.compile(r"torch\.Size\(\[([\d, ]{0,60})\]\)")
_ASKED = re.compile(r"([A-Za-z_]\w{0,40})\s{0,2}\.\s{0,2}(?:shape|size\(\))")
_OLD = re.compile(
    r"^\s{0,20}\[torch\.(?:cuda\.)?(\w{2,8})Tensor of size (\d{1,6}(?:x\d{1,6}){0,5})\b"
)
_NUMBERS = re.compile(r"\s{0,20}[\d.+-][\s\d.e+-]{0,400}")
_DTYPE = re.compile(r"dtype=torch\.(\w{3,10})")
_OLD_DTYPES = {"Long": "int64", "Float": "float32", "Double": "float64", "Byte": "uint8",
               "Int": "int32"}  # fmt: skip
_LABEL = 60  # characters of a line that says what is printed below it
_ROWS = 60  # lines that one printed tensor may have
_MOST = 256  # entries that are taken as they are


class Printed(NamedTuple):
    """What was printed of a tensor; empty is what was not."""

    shape: tuple[int, ...]
    dtype: str = ""
    grad: bool = False
    entries: str = ""

    def of(self, tensor: Tensor) -> Tensor:
        """A tensor, made like it."""
        dtype = self.dtype or tensor.dtype
        grad = (self.grad or tensor.grad) and dtype.startswith("float")
        return replace(tensor, shape=self.shape, dtype=dtype, grad=grad, entries=self.entries)


def printed_tensors(text: str, names: Collection[str]) -> dict[str, Printed]:
    """What the message shows of some of the names, the first of each.

    Args:
        text: the message without its code.
        names: the names that count, those that the code reads.
    """
    found: dict[str, Printed] = {}
    lines = text.splitlines()
    for n, line in enumerate(lines):
        for name, tensor in (*_now(lines, n, names), *_once(lines, n, names), *_sizes(line, names)):
            found.setdefault(name, tensor)
    return found


def _now(lines: list[str], n: int, names: Collection[str]) -> Iterator[tuple[str, Printed]]:
    opened = _OPENS.search(lines[n])
    if opened is None:
        return
    name = _label([*lines[:n], lines[n][: opened.start()]], names)
    inside = _inside("\n".join([lines[n][opened.end() :], *lines[n + 1 : n + _ROWS]]))
    tensor = _of(inside)
    if name and tensor is not None:
        yield name, tensor


def _inside(text: str) -> str:
    """What stands between the bracket that is open and the one that closes it, if any does."""
    depth = 1
    for at, sign in enumerate(text):
        depth += (sign in "([") - (sign in ")]")
        if not depth:
            return text[:at]
    return text


def _of(inside: str) -> Printed | None:
    """The tensor of `[[0, 1], [1, 0]], device='cuda:0'`."""
    entries, _, settings = inside.rpartition("]")
    if entries:
        entries += "]"
    else:
        entries, _, settings = inside.partition(",")
    try:
        shape = shape_of(ast.literal_eval(entries.strip()))
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return None  # `...` in it, or no number
    if shape is None:
        return None
    whole = re.search(r"[.en]", entries) is None
    said = _DTYPE.search(settings)
    dtype = said[1] if said is not None else "int64" if whole else "float32"
    grad = "grad_fn" in settings or "requires_grad=True" in settings
    return Printed(shape, dtype, grad, _kept(entries))


def _once(lines: list[str], n: int, names: Collection[str]) -> Iterator[tuple[str, Printed]]:
    said = _OLD.match(lines[n])
    if said is None:
        return
    first = n
    while first > 0 and n - first < _ROWS and _NUMBERS.fullmatch(lines[first - 1]):
        first -= 1
    name = _label([*lines[:first], ""], names)
    shape = tuple(map(int, said[2].split("x")))
    rows = [line.split() for line in lines[first:n] if line.strip()]
    entries = ""
    if len(shape) == 2 and [len(row) for row in rows] == [shape[1]] * shape[0]:
        entries = str([[float(entry) for entry in row] for row in rows])
    elif len(shape) == 1 and [len(row) for row in rows] == [1] * shape[0]:
        entries = str([float(row[0]) for row in rows])
    if name and (dtype := _OLD_DTYPES.get(said[1])):
        yield name, Printed(shape, dtype, entries=_kept(entries))


def _sizes(line: str, names: Collection[str]) -> Iterator[tuple[str, Printed]]:
    """`inputs.shape`, and behind it on its line the size."""
    size = _SIZE.search(line)
    asked = [m[1] for m in _ASKED.finditer(line[: size.start()])] if size is not None else []
    if size is not None and size[1].strip() and asked and asked[-1] in names:
        yield asked[-1], Printed(tuple(int(n) for n in size[1].split(",") if n.strip()))


def _label(above: list[str], names: Collection[str]) -> str:
    """The one name that stands in the last line that says something, if that is a short one."""
    line = next((line for line in reversed(above[-3:]) if line.strip()), "")
    named = {word for word in _NAME.findall(line[:_LABEL]) if word in names}
    return named.pop() if len(named) == 1 and len(line) <= _LABEL else ""


def _kept(entries: str) -> str:
    return entries if entries.count(",") < _MOST else ""
