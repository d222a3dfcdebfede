"""Find lists that hold one object many times, where each entry was to be another state."""

from __future__ import annotations

import ast
from collections import deque
from collections.abc import Iterator, Mapping
from typing import Any

import torch

from executor.inside.probes.training.findings import FindingCollector
from executor.inside.probes.training.names import SnippetNames
from executor.inside.probes.training.steps import Steps
from executor.inside.walking import walk

_LEAST = 8  # entries of a memory
_KEPT = 3  # copies of a weight
_LOOKED = 50  # entries that are compared, the newest
_MANY = 50  # attributes of an object


def report_stored(
    collector: FindingCollector,
    names: SnippetNames,
    tree: ast.Module,
    namespace: Mapping[str, Any],
    steps: Steps,
) -> None:
    """Add the memories and histories of one object, after a run that trained."""
    written = _written(tree, namespace)
    weights = {w.tensor.data_ptr(): w.name for w in steps.optimized.values() if w.tensor.numel()}
    for name, held in _lists(namespace):
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
    """The arrays of variables and objects that the text changes in place."""
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
    return {id(value) for name, value in found if name in changed and _is_array(value)}


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
