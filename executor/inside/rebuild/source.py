"""One program that a post may mean, read for the search."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from executor.inside.placeholders import imports, own_files
from executor.inside.placeholders.program import last_name
from executor.inside.rebuild.evidence import Posted, quoted_lines
from executor.inside.rebuild.excerpt import left_out
from executor.inside.rebuild.glue import is_method, with_header
from executor.inside.rebuild.repair import without_what_is_no_python
from executor.protocol import SNIPPET, RebuildOrder, Rebuilt


@dataclass(frozen=True)
class Source:
    """A program of the order, and the posted error read against it."""

    number: int  # of all programs that are tried
    program: int  # of the order's: 0 is the post as it is
    code: str
    bare: str  # the code without the imports of what is not installed
    tree: ast.Module  # of that
    header: str  # the class of methods that stand outside of any; empty if there are none
    completed: ast.Module  # with that class
    supplied: Mapping[str, Any]  # well-known imports
    posted: Posted
    left_out: tuple[int, ...] = ()  # lines that are no Python, or of an excerpt's rest
    excerpt: bool = False  # what needs what was not posted is left out above the failing line


def sources(order: RebuildOrder) -> list[Source]:
    """The programs of an order that are Python but for a few lines, the post as it is first.

    Of the others only those are kept that hold the line which the traceback quotes, where any
    program does: the error came from there.
    """
    found: list[Source] = []
    for program, whole in enumerate((order.code, *order.others)):
        out = without_what_is_no_python(whole) if whole.strip() else None
        if out is not None and not quoted_lines(whole, order.error.frames) & {*out}:
            found.append(_source(len(found), program, whole, out, order))
    if found and found[0].program == 0 and (excerpt := _excerpt(found[0], len(found), order)):
        found.append(excerpt)
    quoting = [source for source in found if source.posted.lines]
    return quoting or found


def _source(
    number: int, program: int, whole: str, out: tuple[int, ...], order: RebuildOrder
) -> Source:
    code = Rebuilt(left_out=out).of(whole)
    tree, _ = own_files.without(ast.parse(code))
    tree, absent = own_files.without_absent(tree)
    bare = Rebuilt(left_out=(*out, *absent)).of(whole)
    header = header_of(tree)
    supplied, _ = imports.supply(bare, SNIPPET)
    posted = Posted(order.model_copy(update={"code": code}), tree)
    supplied = {name: made for name, made in supplied.items() if name != posted.undefined}
    made = with_header(tree, header)
    return Source(number, program, code, bare, tree, header, made, supplied, posted, out)


def _excerpt(whole: Source, number: int, order: RebuildOrder) -> Source | None:
    """The post without what lies above the failing line and needs what was not posted.

    Its values come from the message alone, so that has to name some.
    """
    if not whole.posted.lines or not whole.posted.names_values or whole.header:
        return None
    places = [quoted_lines(whole.code, [frame]) for frame in order.error.frames if frame.own]
    out = left_out(whole.tree, places, whole.supplied)
    if not out:
        return None
    try:
        made = _source(number, 0, order.code, tuple(sorted({*out, *whole.left_out})), order)
    except SyntaxError:  # a block of which too little is left
        return None
    return replace(made, excerpt=True) if made.posted.lines else None


def header_of(tree: ast.Module) -> str:
    """The class of methods that stand outside of any; empty if there are none.

    A name alone is that of a posted class; else it is one to be made, "Net(nn.Module)".
    """
    methods = [n for n in tree.body if is_method(n) and isinstance(n, ast.FunctionDef)]
    if not methods:
        return ""
    names = {node.name for node in methods}
    if (posted := _class_of(tree, methods)) is not None:
        return posted
    own = ""
    for node in (n for m in methods for n in ast.walk(m)):
        if isinstance(node, ast.Call) and last_name(node.func) == "super" and node.args:
            own = last_name(node.args[0])
    lazy = "" if "__init__" in names else "_stubs.Lazy, "
    if "__getitem__" in names:
        return f"{own or 'PostedDataset'}({lazy}__import__('torch').utils.data.Dataset)"
    return f"{own or 'Posted'}({lazy}__import__('torch').nn.Module)"


def _class_of(tree: ast.Module, methods: list[ast.FunctionDef]) -> str | None:
    """The one class that was posted, where methods that stand outside may be its own.

    One that it has already was posted once more, changed, if it asks `self` for the same things.
    """
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    if len(classes) != 1 or not classes[0].bases:
        return None
    own = {node.name for node in classes[0].body if isinstance(node, ast.FunctionDef)}
    again = [method for method in methods if method.name in own]
    if not own or any(not _asked(m, ast.Load) <= _asked(classes[0], ast.Store) for m in again):
        return None
    return classes[0].name


def _asked(node: ast.AST, how: type[ast.expr_context]) -> set[str]:
    """The attributes of `self` that are read in some code, or stored."""
    return {
        n.attr
        for n in ast.walk(node)
        if isinstance(n, ast.Attribute)
        and isinstance(n.ctx, how)
        and isinstance(n.value, ast.Name)
        and n.value.id == "self"
    }
