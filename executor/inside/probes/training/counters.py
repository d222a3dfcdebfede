"""Find counters in half precision that stand still: adding one more changes them no longer.

bfloat16 holds each whole number up to 256 only, float16 up to 2048. The values decide: one that
has grown by whole numbers most of the time, and now stands where the next number that its type
holds is further away than any of them reaches.
"""

from __future__ import annotations

import ast
import math
from dataclasses import dataclass

import torch

from executor.inside import torch_private as private
from executor.inside.probes.training.findings import FindingCollector
from executor.inside.probes.training.heard import HeardOnTensors
from executor.inside.probes.training.names import SnippetNames
from executor.inside.probes.training.quiet import quietly
from executor.inside.remarks.syntax import dotted, grown, words
from executor.inside.walking import walk

_HALVES = (torch.bfloat16, torch.float16)
_SAID = {"bfloat16", "float16", "half", "HalfTensor", "BFloat16Tensor"}
_GREW, _STOOD = 20, 30  # additions that changed it, and those since that have not
_HEARD = 50_000  # calls after which nobody listens any more


@dataclass
class _Course:
    """How a counter went at one line."""

    last: float = math.nan
    grew: int = 0
    idle: int = 0  # additions before the last growth that changed nothing
    stood: int = 0  # additions since then
    largest: float = 0.0


class Counters:
    """The values that lines add to, where they are of half precision."""

    def __init__(self, names: SnippetNames, tree: ast.Module) -> None:
        """Args: names, tree: of the snippet."""
        self.names = names
        self._lines: dict[int, str] = {}
        methods: dict[str, ast.AST] = {}
        for node in walk(tree) if words(tree) & _SAID else ():
            match node:
                case ast.AugAssign(op=ast.Add(), target=target):
                    self._lines[node.lineno] = ast.unparse(target)
                    methods["__iadd__"] = node
                case ast.Assign() if any(grown([node])):
                    self._lines[node.lineno] = dotted(node.targets[0])
                    methods["__add__"] = node
                case ast.Call(func=ast.Attribute(value=of, attr="add_")):
                    self._lines[node.lineno] = ast.unparse(of)
                    methods["add_"] = node
        self._methods = methods.keys()
        self._calls = 0
        self._courses: dict[int, _Course] = {}
        self._found: dict[int, tuple[float, int, torch.dtype]] = {}
        self._heard = HeardOnTensors(self._hear)

    def start(self) -> None:
        """Listen, if the text speaks of half precision and adds up at all."""
        self._heard.start(self._methods)

    def stop(self) -> None:
        """Stop listening."""
        self._heard.stop()

    def _hear(self, tensor: torch.Tensor) -> None:
        self._calls += 1
        if self._calls > _HEARD:
            self.stop()
            return
        if type(tensor) is not torch.Tensor:
            return
        with private.DisableTorchFunction():
            if tensor.dtype not in _HALVES or tensor.numel() != 1 or tensor.requires_grad:
                return
        line = self.names.source.line_above(2)
        if line not in self._lines:
            return
        with private.DisableTorchFunction(), quietly():
            now = float(tensor)
        course = self._courses.setdefault(line, _Course())
        grew = now - course.last
        if not grew >= 0:  # the first time, and where it begins anew
            self._courses[line] = _Course(now)
            return
        course.last = now
        if grew > 0:
            course.grew, course.idle = course.grew + 1, course.idle + course.stood
            course.stood, course.largest = 0, max(course.largest, grew)
            if not grew.is_integer():
                del self._lines[line]
            return
        course.stood += 1
        if course.stood >= _STOOD and _is_full(course, tensor.dtype):
            self._found[line] = now, course.stood, tensor.dtype

    def report(self, collector: FindingCollector) -> None:
        """Add the findings, after the run."""
        for line, (value, stood, dtype) in self._found.items():
            if line not in self._lines:
                continue
            name, said = self._lines[line], str(dtype).removeprefix("torch.")
            collector.add(
                "counter_stands_still",
                line,
                name,
                f"`{name}` is a counter in {said}, which holds each whole number only up to "
                f"{int(2 / torch.finfo(dtype).eps)}: it came to {value:.0f} and stood there for "
                f"{stood} more additions, because the sum is rounded back; count in int64 or in "
                "float32",
            )
            return


def _is_full(course: _Course, dtype: torch.dtype) -> bool:
    """Whether what it was given all the time cannot change it where it is."""
    if course.grew < _GREW or course.idle > course.grew or not course.last.is_integer():
        return False
    apart = torch.finfo(dtype).eps * 2.0 ** math.floor(math.log2(course.last))
    return 2 * course.largest <= apart
