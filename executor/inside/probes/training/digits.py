"""Find numbers whose last digits float32 cannot hold, where the program goes on by those digits.

float32 holds each whole number up to 2**24 only, and about seven digits of any other. That alone is
no mistake. It is one where the program takes such numbers for whole ones again (ids of which two
become one), where it takes differences of them, and where `cdist` does so by a matrix product. What
the exact numbers give is compared, so that nothing is said of what does not matter.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import torch

from executor.inside.probes.training.findings import FindingCollector
from executor.inside.probes.training.names import SnippetNames
from executor.inside.probes.training.overwrites import value_of
from executor.inside.probes.training.quiet import quietly
from executor.inside.remarks.syntax import argument, dotted
from executor.inside.walking import walk

_WHOLE = 2**24  # float32 holds each whole number up to it
_LARGE = 2**17  # neighbours in float32 are a hundredth apart, and more beyond it
_MOST = 50_000  # numbers that are compared
_NAMES = 300  # variables that are looked at
_ROWS, _DIRECT = 64, 25  # rows that are compared; up to so many cdist takes the differences
_WRONG = 0.1  # of all that the exact numbers give
_ARRAYS = (torch.Tensor, np.ndarray)


def report_digits(
    collector: FindingCollector,
    tree: ast.Module,
    names: SnippetNames,
    namespace: Mapping[str, Any],
) -> None:
    """Add what the variables at the end of a run show."""
    with quietly():
        _report_distances(collector, tree, namespace)
        large = list(_large(namespace, _ARRAYS))
        if large:  # a list takes longer to look through
            large += _large(namespace, (list,))
        if len(large) > 1:
            _report_whole(collector, names, large)
            _report_differences(collector, tree, large)


_Large = list[tuple[str, Any, np.ndarray[Any, Any]]]


def _large(
    namespace: Mapping[str, Any], types: tuple[type, ...]
) -> Iterator[tuple[str, Any, np.ndarray[Any, Any]]]:
    """The variables of these types whose numbers are large, with the numbers."""
    for name, value in list(namespace.items())[:_NAMES]:
        if type(value) in types and not name.startswith("__"):
            numbers = _numbers(value)
            if numbers is not None and np.abs(numbers).max() >= _LARGE:
                yield name, value, numbers


def _numbers(value: Any) -> np.ndarray[Any, Any] | None:
    """The numbers of a list, an array or a tensor, as float64; None where there are others."""
    if type(value) is torch.Tensor:
        if not 1 < value.numel() <= _MOST or value.dtype in (torch.bool, torch.complex64):
            return None
        if value.layout is not torch.strided or value.device.type != "cpu":
            return None
        found = value.detach().double().numpy()
    elif type(value) is np.ndarray:
        if not 1 < value.size <= _MOST or value.dtype.kind not in "iuf":
            return None
        found = value.astype("float64")
    elif not (1 < len(value) <= _MOST) or not all(map(_is_row, value)):
        return None
    else:
        try:
            found = np.array(value, dtype="float64")
        except (ValueError, OverflowError):
            return None
    return found if 1 < found.size <= _MOST and np.isfinite(found).all() else None


def _is_row(value: Any) -> bool:
    plain = (int, float)
    return type(value) in plain or (
        type(value) in (list, tuple) and all(type(v) in plain for v in value)
    )


def _report_whole(collector: FindingCollector, names: SnippetNames, large: _Large) -> None:
    """Whole numbers that are whole numbers again after they were float32: two became one."""
    for name, value, numbers in large:
        if _is_decimal(value) or not (_rounded(numbers) == numbers).all():
            continue
        for source, given, exact in large:
            if source == name or (type(given) is torch.Tensor and _is_decimal(given)):
                continue  # of these float32 is what they are made of
            for column in _columns(exact, numbers.size):
                whole = (column == np.floor(column)).all() and np.abs(column).max() < 2**53
                if not whole or not (_rounded(column) == numbers.ravel()).all():
                    continue
                pair = _merged(column)
                if pair is None:
                    continue
                one, two, both = (f"{n:.0f}" for n in pair)
                collector.add(
                    "digits_lost",
                    names.line_of(name),
                    name,
                    f"`{name}` holds the whole numbers of `{source}` as float32 left them, which "
                    f"holds each one only up to 2**24 = {_WHOLE}: {one} and {two} are both {both}, "
                    f"and {len(np.unique(column))} different numbers are "
                    f"{len(np.unique(numbers))}; make them int64 from the start "
                    "(`torch.tensor(…, dtype=torch.int64)`), apart from what has to be decimal: "
                    "nothing brings them back afterwards",
                )
                return


def _is_decimal(value: Any) -> bool:
    if type(value) is torch.Tensor:
        return value.is_floating_point()
    if type(value) is np.ndarray:
        return bool(value.dtype.kind == "f")
    return not all(type(n) is int for n in value)


def _columns(exact: np.ndarray[Any, Any], size: int) -> Iterator[np.ndarray[Any, Any]]:
    """All of the numbers, or one column of a table: as many as there are afterwards."""
    if exact.size == size:
        yield exact.ravel()
    elif exact.ndim == 2 and len(exact) == size:
        yield from exact.T


def _rounded(numbers: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    found: np.ndarray[Any, Any] = numbers.astype("float32").astype("float64")
    return found


def _merged(column: np.ndarray[Any, Any]) -> tuple[float, float, float] | None:
    """Two different numbers, and what float32 makes of both; None where it makes two."""
    different = np.unique(column)
    afterwards = _rounded(different)
    (same,) = np.nonzero(afterwards[1:] == afterwards[:-1])
    if not len(same):
        return None
    at = same[0]
    return float(different[at]), float(different[at + 1]), float(afterwards[at])


def _report_differences(collector: FindingCollector, tree: ast.Module, large: _Large) -> None:
    """Differences that are others than those of the numbers which float32 was made of."""
    for name, value, numbers in large:
        if type(value) is not torch.Tensor or value.dtype is not torch.float32:
            continue
        exact = next(
            (e for s, _, e in large if s != name and e.shape == numbers.shape
             and (_rounded(e) == numbers).all() and (e != numbers).any()),
            None,
        )  # fmt: skip
        if exact is None:
            continue
        source = next(s for s, _, e in large if e is exact)
        for node in _subtracting(tree, name):
            code = compile(ast.Expression(node), "", "eval")
            meant, found = (
                eval(code, {"torch": torch, name: t})
                for t in (torch.from_numpy(exact), value.detach())
            )
            if (wrong := _wrong(found, meant, by_column=value.dim() > 1)) is None:
                continue
            written = ast.unparse(node)[:60]
            collector.add(
                "digits_lost",
                node.lineno,
                written,
                f"`{name}` is float32, where numbers near {np.abs(numbers).max():.0f} are "
                f"{float(np.spacing(np.float32(np.abs(numbers).max()))):g} apart, and `{written}` "
                f"takes differences of them: those of `{source}` itself are others "
                f"({wrong[0]:.6g} where it gives {wrong[1]:.6g}); subtract in float64, or "
                "whole numbers in int64, and make float32 of what is left",
            )
            return


def _subtracting(tree: ast.Module, name: str) -> Iterator[ast.expr]:
    """Each difference within one variable that nothing else plays a part in."""
    for node in walk(tree):
        match node:
            case ast.BinOp(op=ast.Sub()):
                pass
            case ast.Call(func=ast.Attribute(attr="diff")):
                pass
            case _:
                continue
        parts = list(walk(node))
        read = [n.id for n in parts if isinstance(n, ast.Name)]
        called = {dotted(n.func).rpartition(".")[2] for n in parts if isinstance(n, ast.Call)}
        if (
            name in read
            and set(read) <= {name, "torch"}
            and called <= {"diff", "min", "max", "mean"}
            and not any(isinstance(n, ast.NamedExpr | ast.Lambda) for n in parts)
        ):
            yield node


def _wrong(found: Any, meant: Any, *, by_column: bool = False) -> tuple[float, float] | None:
    """The exact value and what there is of the place that is furthest off, if it matters."""
    if type(found) is not torch.Tensor or type(meant) is not torch.Tensor or not found.numel():
        return None
    off = (found.double() - meant).abs()
    along = tuple(range(off.dim() - 1)) if by_column else tuple(range(off.dim()))
    if not bool((off.sum(along) > _WRONG * meant.abs().sum(along)).any()):
        return None
    at = int(off.argmax())
    return float(meant.flatten()[at]), float(found.flatten()[at])


def _report_distances(
    collector: FindingCollector, tree: ast.Module, namespace: Mapping[str, Any]
) -> None:
    """What the matrix product of `cdist` gives, where the differences give something else."""
    for node in walk(tree):
        if not isinstance(node, ast.Call) or dotted(node.func) != "torch.cdist":
            continue
        if len(node.args) != 2 or argument(node, 3, "compute_mode") or argument(node, 2, "p"):
            continue
        held = [value_of(one, dict(namespace)) for one in node.args]
        if not all(type(t) is torch.Tensor and t.dtype is torch.float32 for t in held):
            continue
        one, two = (t.detach().reshape(-1, t.shape[-1])[:_ROWS] for t in held)
        if max(len(one), len(two)) <= _DIRECT or one.shape[-1] != two.shape[-1]:
            continue
        if max(len(t) if t.dim() == 2 else t.shape[-2] for t in held) <= _DIRECT:
            continue
        found = torch.cdist(one, two)
        meant = torch.cdist(one, two, compute_mode="donot_use_mm_for_euclid_dist").double()
        if (wrong := _wrong(found, meant)) is None:
            continue
        collector.add(
            "digits_lost",
            node.lineno,
            ast.unparse(node)[:60],
            f"with more than {_DIRECT} rows `cdist` computes a² + b² - 2ab by a matrix product, "
            f"and of values up to {float(one.abs().max()):.0f} float32 keeps too few digits for "
            f"that: it gives {wrong[1]:.6g} where the distance is {wrong[0]:.6g}; take the mean of "
            "the points away first, in float64 before they become float32, or pass "
            '`compute_mode="donot_use_mm_for_euclid_dist"`',
        )
