"""Read what a message lists: quoted names, and the weights whose shapes differ."""

from __future__ import annotations

import re
from dataclasses import dataclass

from executor.errors.family import MAX_CHARS

_QUOTED = re.compile(r"\"([\w.]+)\"")
_RESIZED = re.compile(
    r"size mismatch for (?P<name>[\w.]+):(?:\s{1,40}[^\n]{0,80}? shape "
    r"(?P<saved>[^\n]{1,80}?) from checkpoint,\s{1,40}the shape in current model is "
    r"(?P<current>[^\n]{1,80}?)\.?\s*(?:\n|$))?"
)
_FORM = re.compile(r"\* \(([^\n]{0,600}?)\)")
_NUMBER = re.compile(r"\d+")
_SHAPE = re.compile(r"[\[(]\s*\d+(?:\s*[,x]\s*\d+)*\s*,?\s*[\])]")
_MISSING_NAME = re.compile(r"object has no attribute ['\"`](\w+)")


@dataclass(frozen=True)
class ResizedKey:
    """A weight whose shape in a file is not the model's."""

    name: str
    saved: str  # its shape in the file; empty where the message does not say it
    current: str  # its shape in the model


def quoted_names(value: str) -> list[str]:
    """The names in quotation marks, such as those of a state_dict's missing keys."""
    return _QUOTED.findall(value)


def resized_keys(message: str) -> list[ResizedKey]:
    """The weights that a message about loading a state_dict calls of another size."""
    found = _RESIZED.finditer(message[:MAX_CHARS])
    return [ResizedKey(m["name"], m["saved"] or "", m["current"] or "") for m in found]


def missing_names(prose: str) -> set[str]:
    """The attributes that a text calls missing, in messages that it quotes in whatever way."""
    return set(_MISSING_NAME.findall(prose))


def offered_forms(message: str) -> list[str]:
    """The arguments of each form that a message about overloads offers, as it writes them."""
    return _FORM.findall(message[:MAX_CHARS])


def shapes_named(text: str) -> list[tuple[int, ...]]:
    """The shapes that a text writes as lists, in order: "[4, 3]", "(4, 3)", "[4 x 3]"."""
    found = []
    for match in _SHAPE.finditer(text[:MAX_CHARS]):
        shape = tuple(int(n[:9]) for n in _NUMBER.findall(match[0]))
        if shape not in found and len(shape) <= 6:
            found.append(shape)
    return found
