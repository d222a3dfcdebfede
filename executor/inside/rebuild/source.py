"""One program that a post may mean, read for the search."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from executor.inside.placeholders import imports, own_files
from executor.inside.placeholders.program import last_name
from executor.inside.rebuild.evidence import Posted, quoted_lines
from executor.inside.rebuild.glue import is_method, with_header
from executor.inside.rebuild.repair import without_what_is_no_python
from executor.protocol import SNIPPET, RebuildOrder, Rebuilt


@dataclass(frozen=True)
class Source:
    """A program of the order, and the posted error read against it."""

    number: int  # as in the order: 0 is the post as it is
    code: str
    tree: ast.Module
    header: str  # the class of methods that stand outside of any; empty if there are none
    completed: ast.Module  # with that class
    supplied: Mapping[str, Any]  # well-known imports
    posted: Posted
    left_out: tuple[int, ...] = ()  # lines that are no Python


def sources(order: RebuildOrder) -> list[Source]:
    """The programs of an order that are Python but for a few lines, the post as it is first.

    Of the others only those are kept that hold the line which the traceback quotes, where any
    program does: the error came from there.
    """
    found: list[Source] = []
    for number, whole in enumerate((order.code, *order.others)):
        left_out = without_what_is_no_python(whole) if whole.strip() else None
        if left_out is None or quoted_lines(whole, order.error.frames) & {*left_out}:
            continue
        code = Rebuilt(left_out=left_out).of(whole)
        tree, _ = own_files.without(ast.parse(code))
        header = header_of(tree)
        supplied, _ = imports.supply(code, SNIPPET)
        posted = Posted(order.model_copy(update={"code": code}), tree)
        made = with_header(tree, header)
        found.append(Source(number, code, tree, header, made, supplied, posted, left_out))
    quoting = [source for source in found if source.posted.lines]
    return quoting or found


def header_of(tree: ast.Module) -> str:
    """The class of methods that stand outside of any; empty if there are none.

    A name alone is that of a posted class; else it is one to be made, "Net(nn.Module)".
    """
    methods = [node for node in tree.body if is_method(node)]
    if not methods:
        return ""
    names = {node.name for node in methods if isinstance(node, ast.FunctionDef)}
    if (posted := _class_that_lacks(tree, names)) is not None:
        return posted
    own = ""
    for node in (n for m in methods for n in ast.walk(m)):
        if isinstance(node, ast.Call) and last_name(node.func) == "super" and node.args:
            own = last_name(node.args[0])
    lazy = "" if "__init__" in names else "_stubs.Lazy, "
    if "__getitem__" in names:
        return f"{own or 'PostedDataset'}({lazy}__import__('torch').utils.data.Dataset)"
    return f"{own or 'Posted'}({lazy}__import__('torch').nn.Module)"


def _class_that_lacks(tree: ast.Module, names: set[str]) -> str | None:
    """The one class that was posted, where methods that stand outside may be its own."""
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    if len(classes) != 1 or not classes[0].bases:
        return None
    own = {node.name for node in classes[0].body if isinstance(node, ast.FunctionDef)}
    return classes[0].name if own and not own & names else None
