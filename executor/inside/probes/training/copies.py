"""Find writes into a copy that an index made, and that nothing holds.

`x[mask].fill_(0)` and `x[rows][:, 0] = 1` leave `x` as it was: an index of tensors, lists or masks
takes a copy, where numbers and slices take a view. A descriptor hears that a tensor is indexed;
whether a copy comes of it shows in its memory.
"""

from __future__ import annotations

import ast
import re
from typing import Any

import torch
from torch import nn

from executor.inside.probes.training.findings import FindingCollector
from executor.inside.probes.training.heard import HeardAtLines
from executor.inside.probes.training.names import SnippetNames
from executor.inside.probes.training.overwrites import value_of
from executor.inside.remarks.edits import put, way
from executor.inside.walking import walk

_ASSIGNED = {"fill_": "=", "copy_": "=", "zero_": "=", "add_": "+=", "sub_": "-=", "mul_": "*=",
             "div_": "/="}  # fmt: skip
_NO_WRITE = frozenset(["requires_grad_", "share_memory_", "detach_", "retain_grad_"])
# An index that may be computed once more: nothing is called, and nothing drawn.
_PLAIN = (ast.Name, ast.Attribute, ast.Subscript, ast.Slice, ast.Tuple, ast.List, ast.Constant,
          ast.Compare, ast.UnaryOp, ast.BinOp, ast.operator, ast.unaryop, ast.cmpop,
          ast.expr_context)  # fmt: skip
_SHOWN = re.compile(r"\bcop(?:y|ies)\b|no effect|unchanged|not change|n't change|as it was", re.I)


class Copies:
    """The lines that write into a copy of what an index takes."""

    def __init__(self, names: SnippetNames, tree: ast.Module) -> None:
        """Args: names, tree: of the snippet."""
        self.names = names
        self._lines = {of.lineno: (n, of) for n in walk(tree) if (of := written(n)) is not None}
        self._found: set[int] = set()
        self._heard = HeardAtLines(names, self._lines, self._look)

    def start(self) -> None:
        """Listen, if the text writes into what an index takes at all."""
        self._heard.start("__getitem__")

    def stop(self) -> None:
        """Stop listening."""
        self._heard.stop()

    def _look(self, tensor: torch.Tensor, line: int, names: dict[str, Any]) -> bool:
        taken = self._lines[line][1]
        held = _held(taken.value, names)
        if not isinstance(held, torch.Tensor) or held.data_ptr() != tensor.data_ptr():
            return False
        index = eval(compile(ast.Expression(taken.slice), "index", "eval"), names)
        made = tensor[index]
        own, theirs = (t.untyped_storage().data_ptr() for t in (made, tensor))
        if made.numel() > 0 and own != theirs:
            self._found.add(line)
        return True

    def report(self, collector: FindingCollector) -> None:
        """Add the findings, after the run."""
        for line in sorted(self._found):
            node, taken = self._lines[line]
            if _SHOWN.search("\n".join(self.names.source.lines[max(line - 3, 0) : line + 1])):
                continue  # it is told there, as by who shows it
            table, place = ast.unparse(taken.value), ast.unparse(taken)
            edit = _edit(node, taken)
            collector.add(
                "copy_written",
                line,
                place,
                f"`{place}` is a new tensor, for an index of tensors, lists or masks takes a copy: "
                f"it is written into and thrown away, and `{table}` stays as it was; write in one "
                f"step, `{place} = …`",
                ways=[way(f"`{table}` itself is written into", edit)] if edit else [],
            )


def written(node: ast.AST) -> ast.Subscript | None:
    """What a statement writes into and nothing holds: `x[i]` of `x[i].fill_(0)`, `x[i][j] = 1`."""
    match node:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=taken, attr=name), args=given)):
            if not name.endswith("_") or name.endswith("__") or name in _NO_WRITE:
                return None
            if not isinstance(taken, ast.Subscript) and given:  # `nn.init.zeros_(x[i])`
                taken = given[0] if "init" in ast.unparse(taken) else taken
        case ast.Assign(targets=[ast.Subscript(value=taken)]):
            pass
        case ast.AugAssign(target=ast.Subscript(value=taken)):
            pass
        case _:
            return None
    match taken:
        case ast.Subscript(value=ast.Name() | ast.Attribute(), slice=index):
            return taken if all(isinstance(n, _PLAIN) for n in ast.walk(index)) else None
    return None


def _held(node: ast.expr, names: dict[str, Any]) -> Any:
    """What a name holds, or an attribute of a module; of `x.data` it is `x`, of the same memory."""
    if not isinstance(node, ast.Attribute):
        return value_of(node, names)
    of = _held(node.value, names)
    if isinstance(of, torch.Tensor):
        return of if node.attr == "data" else None
    if not isinstance(of, nn.Module):
        return value_of(node, names)
    own = [*of.named_parameters(recurse=False), *of.named_buffers(recurse=False)]
    return dict([*own, *of.named_children()]).get(node.attr, value_of(node, names))


def _edit(node: ast.AST, taken: ast.Subscript) -> list[list[Any]]:
    """The statement with one index; empty where it is none that can be written so."""
    match node:
        case ast.Expr(
            value=ast.Call(func=ast.Attribute(value=of, attr=name), args=given, keywords=more)
        ):
            if of is not taken or more or len(given) > 1:
                return []
            if name in _ASSIGNED and (given or name == "zero_"):
                value = given[0] if given else "0"
                return put(node, taken, f" {_ASSIGNED[name]} ", value)
            if not given and hasattr(torch.Tensor, name[:-1]):
                return put(node, taken, " = ", taken, f".{name[:-1]}()")
    return []
