"""Find averages of weights with themselves: copies that were kept without being made.

`ema = {k: v for k, v in model.state_dict().items()}` holds the weights, no copies of them. Where
the text brings one tensor closer to another, in place, the run tells whether the two are one.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

import torch

from executor.inside.probes.training.findings import FindingCollector
from executor.inside.probes.training.heard import HeardAtLines
from executor.inside.probes.training.names import SnippetNames
from executor.inside.probes.training.overwrites import value_of
from executor.inside.remarks.edits import put, way
from executor.inside.remarks.syntax import assigned, dotted
from executor.inside.walking import kept_by_node, walk

_LEAST = 2  # pairs that were one
_METHODS = ("add_", "lerp_", "copy_", "__iadd__")
_OF_A_WEIGHT = {"data", "detach", "clone", "float", "to"}


class SameMemory:
    """The lines at which a tensor is brought closer to what may be itself."""

    def __init__(self, names: SnippetNames, tree: ast.Module) -> None:
        """Args: names, tree: of the snippet."""
        self._tree = tree
        self._writes = {w.lineno: (w, to, of) for w, to, of in averages(tree)}
        self._same: dict[int, int] = {}
        self._other: set[int] = set()  # lines at which two were two
        self._heard = HeardAtLines(names, self._writes, self._look)

    def start(self) -> None:
        """Listen, if the text has such a line at all."""
        said = "\n".join(ast.unparse(w) for w, _, _ in self._writes.values())
        adds = any(isinstance(w, ast.AugAssign) for w, _, _ in self._writes.values())
        for method in _METHODS:
            if method in said or (adds and method == "__iadd__"):
                self._heard.start(method)

    def stop(self) -> None:
        """Stop listening."""
        self._heard.stop()

    def _look(self, tensor: torch.Tensor, line: int, names: dict[str, Any]) -> bool:
        _, _, given = self._writes[line]
        others = [t for node in given if (t := _tensor(node, names)) is not None]
        others = [t for t in others if t.shape == tensor.shape and t.numel()]
        if not others:
            return False
        if all(t.data_ptr() == tensor.data_ptr() for t in others):
            self._same[line] = self._same.get(line, 0) + 1
            return False  # of parts that two models share the others are asked, too
        self._other.add(line)
        return True

    def report(self, collector: FindingCollector) -> None:
        """Add the findings, after the run."""
        for line, pairs in self._same.items():
            if line in self._other or pairs < _LEAST:
                continue
            write, to, given = self._writes[line]
            name, made = _origin(self._tree, to)
            copied = _copy(made) if made is not None else None
            collector.add(
                "shared_weights",
                made.lineno if made is not None else line,
                name,
                f"`{ast.unparse(to)}` and `{ast.unparse(given[0])}` are one and the same memory at "
                f"each round of line {write.lineno}, so that this brings the weights closer to "
                f"themselves: what `{name}` was made of are the weights, and no copies; keep "
                "`….detach().clone()` of each",
                ways=[way(f"`{name}` has weights of its own", copied)] if copied else [],
            )
            return


def _tensor(node: ast.expr, names: dict[str, Any]) -> torch.Tensor | None:
    held = _value(node, names)
    return held if issubclass(type(held), torch.Tensor) else None


def _value(node: ast.expr, names: dict[str, Any]) -> Any:
    match node:
        case ast.Subscript(value=of, slice=ast.Name() | ast.Constant() as at):
            held = _value(of, names)
            key = at.value if isinstance(at, ast.Constant) else names.get(at.id)
            plain = issubclass(type(held), dict) and type(key) in (str, int)
            return held.get(key) if plain else value_of(node, names)
    return value_of(node, names)


@kept_by_node
def averages(tree: ast.AST) -> list[tuple[ast.expr | ast.stmt, ast.expr, list[ast.expr]]]:
    """Each write, what is written into, and what else is read for it: plain names and entries."""
    found: list[tuple[ast.expr | ast.stmt, ast.expr, list[ast.expr]]] = []
    for node in walk(tree):
        match node:
            case ast.Call(
                func=ast.Attribute(attr="add_" | "lerp_" | "copy_" as method, value=to),
                args=[value, *_],
            ):
                decays = method != "add_" or (
                    isinstance(to, ast.Call) and "mul_" in ast.unparse(to.func)
                )
            case ast.AugAssign(target=to, op=ast.Add(), value=value):
                decays = _is_decayed(tree, to)
            case _:
                continue
        to = _bare(to)
        given = [p for p in _plain(value) if ast.unparse(p) != ast.unparse(to)]
        if decays and given and isinstance(to, ast.Name | ast.Subscript | ast.Attribute):
            found.append((node, to, given))
    return found


def _is_decayed(tree: ast.AST, to: ast.expr) -> bool:
    """Whether another statement multiplies it, as `ema[k] *= decay` does."""
    return any(
        isinstance(n, ast.AugAssign)
        and isinstance(n.op, ast.Mult)
        and ast.unparse(n.target) == ast.unparse(to)
        for n in walk(tree)
    )


def _bare(node: ast.expr) -> ast.expr:
    """`ema[k]` of `ema[k].data.mul_(0.9)`."""
    while True:
        match node:
            case ast.Call(func=ast.Attribute(value=of, attr=method)) if (
                method in _OF_A_WEIGHT or method == "mul_"
            ):
                node = of
            case ast.Attribute(value=of, attr="data"):
                node = of
            case _:
                return node


def _plain(value: ast.expr) -> Iterator[ast.expr]:
    """The names and entries that a value is computed from; not what they are entries of."""
    match value:
        case ast.BinOp(left=left, right=right):
            yield from _plain(left)
            yield from _plain(right)
        case _:
            bare = _bare(value)
            if isinstance(bare, ast.Name | ast.Attribute | ast.Subscript):
                yield bare


def _origin(tree: ast.Module, to: ast.expr) -> tuple[str, ast.expr | None]:
    """What holds the tensors that are written into, and what it is made of if that is plain."""
    name = dotted(to.value) if isinstance(to, ast.Subscript) else dotted(to)
    for loop in walk(tree):
        name = _gone_through(loop, to) or name
    made = [v for _, n, v in assigned(tree) if n == name]
    return name, made[0] if len(made) == 1 else None


def _gone_through(loop: ast.AST, one: ast.expr) -> str:
    """`shadow` of `for s, p in zip(shadow, model.parameters())`; empty where it is no name."""
    match loop:
        case ast.For(target=ast.Tuple(elts=targets), iter=ast.Call(func=ast.Name(id="zip")) as of):
            for target, given in zip(targets, of.args, strict=False):
                if dotted(target) == dotted(one) != "":
                    match given:
                        case ast.Call(func=ast.Attribute(attr="values", value=held)):
                            return dotted(held)
                    return dotted(given)
    return ""


def _copy(made: ast.expr) -> list[list[Any]] | None:
    """The edit by which each entry is a copy."""
    match made:
        case ast.DictComp(value=value) | ast.ListComp(elt=value):
            return put(value, value, ".clone()" if _is_cut(value) else ".detach().clone()")
    return None


def _is_cut(value: ast.expr) -> bool:
    return ast.unparse(value).endswith((".data", ".detach()"))
