"""Find lists that hold one object many times, where each entry was to be another state."""

from __future__ import annotations

import ast
import sys
import weakref
from collections import deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import torch

from executor.inside import torch_private as private
from executor.inside.probes.training.findings import FindingCollector
from executor.inside.probes.training.heard import HeardOnTensors
from executor.inside.probes.training.names import SnippetNames
from executor.inside.probes.training.steps import Steps
from executor.inside.walking import walk

_LEAST = 8  # entries of a memory
_KEPT = 3  # copies of a weight
_LOOKED = 50  # entries that are compared, the newest
_MANY = 50  # attributes of an object
_HEARD, _WRITES = 50_000, 2000  # calls, and those of the snippet, after which nobody listens


class Stored:
    """Hears what is written into, and how much is held of it from one time to the next."""

    def __init__(self, names: SnippetNames, tree: ast.Module) -> None:
        """Args: names, tree: of the snippet."""
        self._names = names
        self._tree = tree
        self._methods = set(_in_place(tree)) if names.appends else set[str]()
        self._calls = self._writes = 0
        self._written: dict[int, _Written] = {}
        self._lists: dict[str, Any] = {}  # of functions that may have returned by the end
        self._heard = HeardOnTensors(self._hear)

    def start(self) -> None:
        """Listen, if the text appends to a list and writes in place."""
        self._heard.start(self._methods)

    def stop(self) -> None:
        """Stop listening."""
        self._heard.stop()

    def look(self, variables: Iterable[tuple[str, object]]) -> None:
        """Note the lists that hold one thing from end to end, while there is a step."""
        if self._methods:
            for name, held in _lists(dict(reversed([*variables]))):  # the innermost one counts
                if len(held) >= _LEAST and _is_alike(held[0], held[-1]):
                    self._lists.setdefault(name, held)

    def _hear(self, tensor: torch.Tensor) -> None:
        self._calls += 1
        if self._calls > _HEARD or self._writes > _WRITES:
            self.stop()
            return
        frame = sys._getframe(2)
        of_snippet = frame.f_code.co_filename == self._names.source.filename
        if type(tensor) is not torch.Tensor or not of_snippet:
            return
        self._writes += 1
        with private.DisableTorchFunction():
            base = private.base(tensor)
            tensor = tensor if base is None else base
        seen = self._written.get(id(tensor))
        if seen is None or seen.tensor() is not tensor:
            seen = self._written[id(tensor)] = _Written(weakref.ref(tensor))
        held = sys.getrefcount(tensor)
        seen.rises += held > seen.most > 0
        seen.most = max(seen.most, held)

    def report(
        self, collector: FindingCollector, namespace: Mapping[str, Any], steps: Steps
    ) -> None:
        """Add the memories and histories of one object, after a run that trained."""
        written = _written(self._tree, namespace)
        written |= {
            key
            for key, seen in self._written.items()
            if seen.rises >= _LEAST - 1 and seen.tensor() is not None
        }
        lists = {**self._lists, **dict(_lists(namespace))}
        _report(collector, self._names, lists, written, steps)


@dataclass
class _Written:
    """A tensor that was written into, and how many things held it at most when it was."""

    tensor: weakref.ref[torch.Tensor]
    most: int = 0
    rises: int = 0  # how often they were more than ever before


def _in_place(tree: ast.Module) -> Iterator[str]:
    """The methods by which the text writes into tensors."""
    for node in walk(tree):
        match node:
            case ast.AugAssign(target=ast.Subscript()):
                yield "__setitem__"
            case ast.AugAssign(op=op) if type(op) in _OPERATORS:
                yield _OPERATORS[type(op)]
            case ast.Assign(targets=targets) if any(
                isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store)
                for t in targets for n in walk(t)
            ):  # fmt: skip
                yield "__setitem__"
            case ast.Call(func=ast.Attribute(attr=method)) if (
                method.endswith("_") and method[:1] != "_" and method in _WRITE
            ):
                yield method


_OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "__iadd__",
    ast.Sub: "__isub__",
    ast.Mult: "__imul__",
    ast.Div: "__itruediv__",
}
_WRITE = {
    *("copy_", "add_", "sub_", "mul_", "div_", "fill_", "zero_", "clamp_", "lerp_", "addcmul_"),
    *("normal_", "uniform_", "random_", "bernoulli_", "masked_fill_", "scatter_", "index_fill_"),
    *("index_add_", "index_copy_", "tanh_", "sigmoid_", "relu_", "neg_", "remainder_", "addmm_"),
}


def _is_alike(one: Any, other: Any) -> bool:
    """Whether a part of both entries is the same object."""
    return any(
        a is b and _is_array(a) for a, b in zip(_held_by(one), _held_by(other), strict=False)
    )


def _report(
    collector: FindingCollector,
    names: SnippetNames,
    lists: Mapping[str, Any],
    written: set[int],
    steps: Steps,
) -> None:
    weights = {w.tensor.data_ptr(): w.name for w in steps.optimized.values() if w.tensor.numel()}
    for name, held in lists.items():
        newest = list(held)[-_LOOKED:]
        line = names.line_of_append(name) or names.line_of_append(f"self.{name.rpartition('.')[2]}")
        if len(newest) >= _LEAST and _is_one_state(newest, written):
            collector.add(
                "one_state_stored",
                line,
                name,
                f"all of the last {len(newest)} entries of `{name}` hold one and the same array: "
                "what made it goes on writing into it, so that all entries show what it holds now; "
                "store copies: `state.copy()` (`.clone()` of a tensor)",
                entries=len(newest),
            )
            return
        if len(newest) >= _KEPT and line is not None:
            kept = {t.data_ptr() for t in newest if issubclass(type(t), torch.Tensor)}
            of = weights.get(min(kept, default=0), "") if len(kept) == 1 else ""
            if of and all(issubclass(type(t), torch.Tensor) for t in newest):
                collector.add(
                    "one_weight_stored",
                    line,
                    name,
                    f"the {len(newest)} entries of `{name}` are one and the same memory, that of "
                    f"`{of}`: each step changes them all, and none shows what it was; append "
                    "`….detach().clone()`",
                    entries=len(newest),
                )
                return


def _is_one_state(entries: list[Any], written: set[int]) -> bool:
    """Whether all entries hold one array that is written into, or one as two of their parts."""
    rows = list(map(_held_by, entries))
    first = rows[0]
    arrays = [(i, v) for i, v in enumerate(first) if _is_array(v)]
    same = [v for i, v in arrays if all(len(r) > i and r[i] is v for r in rows)]
    twice = len(first) > 2 and len({id(v) for v in same}) < len(same)
    return twice or any(id(v) in written for v in same)


def _held_by(entry: Any) -> tuple[Any, ...]:
    """What an entry consists of: a tuple, a dictionary, an object of the snippet's, or itself."""
    if isinstance(entry, (tuple, list)):
        return tuple(entry)
    if type(entry) is dict:
        return tuple(entry.values())
    if type(entry).__module__ == "__main__":
        return tuple(getattr(entry, "__dict__", {}).values())
    return (entry,)


def _written(tree: ast.Module, namespace: Mapping[str, Any]) -> set[int]:
    """The arrays of NumPy in variables and objects that the text changes in place."""
    changed: set[str] = set()
    for node in walk(tree):
        match node:
            case ast.AugAssign(target=ast.Name(id=name) | ast.Attribute(attr=name)):
                changed.add(name)
            case ast.Subscript(value=ast.Name(id=name) | ast.Attribute(attr=name), ctx=ast.Store()):
                changed.add(name)
    found = [(name, value) for name, value in namespace.items() if not name.startswith("__")]
    found += [
        (key, held)
        for _, value in list(found)
        if type(value).__module__ == "__main__" and not issubclass(type(value), type)
        for key, held in list(getattr(value, "__dict__", {}).items())[:_MANY]
    ]
    return {
        id(value)
        for name, value in found
        if name in changed and _is_array(value) and not issubclass(type(value), torch.Tensor)
    }  # those are heard


def _is_array(value: Any) -> bool:
    plain = issubclass(type(value), torch.Tensor) or type(value).__module__ == "numpy"
    return plain and getattr(value, "ndim", 0) > 0


def _lists(namespace: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """The lists of the snippet's variables, and those of its objects."""
    for name, value in list(namespace.items()):
        if name.startswith("__"):
            continue
        if type(value) in (list, deque):
            yield name, value
        elif type(value).__module__ == "__main__" and not issubclass(type(value), type):
            for key, held in list(getattr(value, "__dict__", {}).items())[:_MANY]:
                if type(held) in (list, deque):
                    yield f"{name}.{key}", held
