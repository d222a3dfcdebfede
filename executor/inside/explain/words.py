"""Format values for a sentence: shapes, dtypes, types, lists."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import torch
from torch import nn

from executor.inside import torch_private as private

_NAME = 60  # columns of an expression that is used as a name
_REPR = 160  # of a layer's constructor call


def dims(shape: Iterable[int]) -> str:
    """[4, 400]; a scalar is []."""
    return str(list(shape))


def dtype(tensor: torch.Tensor) -> str:
    """float32."""
    return str(tensor.dtype).removeprefix("torch.")


def a_type(value: Any) -> str:
    """is a list of 3; the type, with the size where it is a plain container."""
    kind = type(value)
    if value is None:
        return "None"
    if kind in (list, tuple, dict, set):
        return f"({kind.__name__} of {len(value)})"
    if kind in (int, float, bool):
        return f"= {value!r}"
    if kind is str:
        return f"= {short(value, 40)!r}"
    if is_array(value):
        return f"(numpy {value.dtype} {dims(value.shape)})"
    return f"({kind.__name__})"


def an(word: str) -> str:
    """a tuple, an int."""
    return f"{'an' if word[:1].lower() in 'aeiou' else 'a'} {word}"


def listed(words: Iterable[str], last: str = "and") -> str:
    """a, b and c."""
    all_words = list(words)
    if len(all_words) < 2:
        return "".join(all_words)
    return f"{', '.join(all_words[:-1])} {last} {all_words[-1]}"


def short(text: str, width: int = _NAME) -> str:
    """One line, cut."""
    text = " ".join(text.split())
    return text if len(text) <= width else text[: width - 1] + "…"


def layer_text(layer: nn.Module) -> str:
    """A layer of torch's as its constructor call."""
    if private.modules_of(layer):
        return f"{type(layer).__name__}(…)"
    try:
        text = repr(layer)
    except AttributeError:  # its __init__ has not come that far
        text = ""
    return text if text and len(text) <= _REPR else f"{type(layer).__name__}(…)"


def count(shape: Iterable[int]) -> int:
    """The number of elements."""
    n = 1
    for size in shape:
        n *= size
    return n


def is_array(value: Any) -> bool:
    kind = type(value)
    return kind.__module__ == "numpy" and kind.__name__ == "ndarray"
