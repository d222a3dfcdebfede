"""Find data sets whose samples change by being read: one is read again when the run is over.

Asked only of data sets of the snippet's own, in a text that writes into something in place. What is
read is compared with what is stored, so that a cache that fills itself, or a counter, is no drift.
"""

from __future__ import annotations

import ast
import contextlib
import gc
import io
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import torch
from torch.utils.data import DataLoader, Subset

from executor.inside.probes.again import alarm
from executor.inside.probes.training.findings import FindingCollector
from executor.inside.probes.training.quiet import quietly
from executor.inside.remarks.carelessness import augmented_in_place
from executor.inside.remarks.edits import put, way
from executor.inside.remarks.syntax import dotted, inside
from executor.inside.walking import walk

_LOADERS = 4
_ARRAYS = 8
_READS = 3


def report_drift(collector: FindingCollector, tree: ast.Module) -> None:
    """Add the data set that changes what it stores each time that a sample is read."""
    defined = {n.name for n in walk(tree) if isinstance(n, ast.FunctionDef)}
    if "__getitem__" not in defined or not any(map(_writes, walk(tree))):
        return
    if any(True for _ in augmented_in_place(tree)):
        return  # told by the text
    for dataset in list(_own_sets())[:_LOADERS]:
        try:
            with alarm(), contextlib.redirect_stdout(io.StringIO()):
                name = _drifts(dataset)
        except BaseException:  # the snippet's own __getitem__ may even exit
            continue
        if not name:
            continue
        of, places = type(dataset).__name__, _read_at(tree, type(dataset).__name__, name)
        copy = ".clone()" if torch.is_tensor(getattr(dataset, name)) else ".copy()"
        ways = [way("what is stored stays as it is", put(p, p, copy)) for p in places[:1]]
        collector.add(
            "samples_drift",
            places[0].lineno if places else None,
            f"{of}.{name}",
            f"reading a sample of `{of}` changes what `{name}` stores: read {_READS} times, sample "
            "0 is another one each time, so that each epoch goes on from what the one before has "
            f"left; work on a copy (`{copy}`)",
            ways=ways if len(places) == 1 else [],
        )
        return


def _writes(node: ast.AST) -> bool:
    """Whether something is changed in place there."""
    match node:
        case ast.AugAssign():
            return True
        case ast.Subscript(ctx=ast.Store()) | ast.keyword(arg="out"):
            return True
        case ast.Call(func=ast.Attribute(attr=name)):
            return name.endswith("_") and not name.endswith("__")
    return False


def _own_sets() -> Iterator[Any]:
    """The data sets of the snippet's own classes that a loader reads in this process."""
    seen: set[int] = set()
    for loader in [o for o in gc.get_objects() if type(o) is DataLoader]:
        dataset = loader.dataset
        while type(dataset) is Subset:
            dataset = dataset.dataset
        if type(dataset).__module__ == "__main__" and id(dataset) not in seen:
            seen.add(id(dataset))
            yield dataset


def _drifts(dataset: Any) -> str:
    """The attribute whose first row becomes another one with each reading, and is what is read."""
    held = dict([*_arrays(vars(dataset))][:_ARRAYS])
    before = {name: _row(value) for name, value in held.items()}
    changed = set(held)
    for _ in range(_READS):
        with quietly():
            read = [_flat(part) for part in _parts(dataset[0])]
            now = {name: _row(value) for name, value in held.items()}
        changed &= {
            name for name in held
            if not np.array_equal(now[name], before[name], equal_nan=True)
            and any(np.array_equal(now[name], part, equal_nan=True) for part in read)
        }  # fmt: skip
        before = now
    return min(changed, default="")


def _arrays(attributes: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in attributes.items():
        is_tensor = issubclass(type(value), torch.Tensor) and value.is_floating_point()
        is_array = type(value) is np.ndarray and value.dtype.kind == "f"
        if (is_tensor or is_array) and value.ndim > 0 and len(value) > 0:
            yield name, value


def _row(value: Any) -> np.ndarray:
    return _flat(value[0]).copy()


def _flat(value: Any) -> np.ndarray:
    """A tensor, an array or a number as one row of numbers; float64."""
    if issubclass(type(value), torch.Tensor):
        value = value.detach().cpu().double().numpy()
    return np.asarray(value, dtype=np.float64).reshape(-1)


def _parts(sample: Any) -> list[Any]:
    """The tensors and arrays of a sample."""
    if isinstance(sample, (tuple, list)):
        return [part for item in sample for part in _parts(item)]
    if isinstance(sample, dict):
        return _parts(list(sample.values()))
    return [sample] if issubclass(type(sample), torch.Tensor | np.ndarray) else []


def _read_at(tree: ast.Module, of: str, name: str) -> list[ast.Subscript]:
    """Where `__getitem__` of a class takes an entry of an attribute."""
    return [
        node
        for made in walk(tree)
        if isinstance(made, ast.ClassDef) and made.name == of
        for method in made.body
        if isinstance(method, ast.FunctionDef) and method.name == "__getitem__"
        for node in inside(method)
        if isinstance(node, ast.Subscript)
        and isinstance(node.ctx, ast.Load)
        and dotted(node.value) == f"self.{name}"
    ]
