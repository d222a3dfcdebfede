"""Read what a run printed: each value with its label, in order."""

from __future__ import annotations

import re
from dataclasses import dataclass

_NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*(?:e[-+]?\d+)?|\.\d+|inf|nan)(?![\w])", re.I)
_LABELLED = re.compile(
    r"^([^:\[\](){}]{1,80}(?:\([^()]{0,40}\))?):\s*(.*)$|^([^:=\[\](){}]{1,80}?)\s*=\s*(.*)$", re.S
)
_MOST = 2_000  # prints that are looked at


@dataclass(frozen=True)
class Printed:
    """One printed value."""

    label: str  # in small letters, numbers as `#`
    text: str
    numbers: tuple[float, ...]
    rows: tuple[tuple[float, ...], ...]  # of its innermost brackets


def printed(stdout: str) -> list[Printed]:
    """What was printed, a labelled value at a time; a tensor of several lines is one value."""
    found: list[Printed] = []
    label = ""
    for text in values(stdout)[:_MOST]:
        fields = _fields(text)
        for field in fields:
            match = _LABELLED.match(field)
            told, value = (
                (match[1] or match[3], match[2] or match[4] or "") if match else ("", field)
            )
            if match and not value.strip():
                label = _label(told)  # the value is on the next line
                continue
            name = _label(told) or label
            found.append(Printed(name, value.strip(), _numbers(value), _rows(value)))
            label = ""
    return found


def values(stdout: str) -> list[str]:
    """What was printed, line by line; what stands in one bracket, as a tensor's rows, is one."""
    found: list[str] = []
    depth = 0
    for line in stdout.splitlines():
        if depth > 0:
            found[-1] += f"\n{line}"
        elif line.strip():
            found.append(line)
        depth = max(0, depth + sum(map(line.count, "[({")) - sum(map(line.count, "])}")))
    return found


_NEXT_FIELD = re.compile(r"(?:, |; | \| |\t)(?=[A-Za-z_][^:,]{0,60}[:=])")


def _fields(text: str) -> list[str]:
    """`Epoch: 1, Loss: 0.5` is two fields; a comma within brackets parts nothing."""
    parts, depth, start = [], 0, 0
    for n, letter in enumerate(text):
        depth += (letter in "[({") - (letter in "])}")
        if depth == 0 and _NEXT_FIELD.match(text, n):
            parts.append(text[start:n])
            start = n + 1
    return [part.strip(" ,;|\t") for part in (*parts, text[start:])]


def _label(text: str) -> str:
    return re.sub(r"\d+(?:\.\d+)?", "#", " ".join(text.split())).casefold().strip("-*= ")


def _numbers(text: str) -> tuple[float, ...]:
    bare = re.sub(r"(?:grad_fn|device|dtype)=[^,)]*", "", text)
    return tuple(float(n) for n in _NUMBER.findall(bare))


def _rows(text: str) -> tuple[tuple[float, ...], ...]:
    return tuple(row for part in re.findall(r"\[([^\[\]]*)\]", text) if (row := _numbers(part)))
