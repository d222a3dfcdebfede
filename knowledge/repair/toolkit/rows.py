"""What becomes of the uses of a tensor where each of its rows is a tensor of its own."""

import re

import libcst as cst

from knowledge.repair.toolkit.edits import Edits, Program, call, separated

_INDEX_OF = re.compile(r"\b(gather|index_select|scatter\w*|take\w*|index_\w+)$")
_TAKES_ROWS = ("enumerate", "zip", "len", "list", "print", "reversed", "iter")


def by_row(program: Program, name: cst.Name) -> Edits | None:
    """What a use of the tensor becomes for a list; None if a list cannot do that."""
    parent = program.parent(name)
    outer = program.parent(parent) if parent is not None else None
    gone_through = isinstance(parent, (cst.For, cst.CompFor)) and parent.iter is name
    if gone_through or isinstance(parent, cst.FormattedStringExpression):
        return {}
    if isinstance(parent, cst.Arg) and isinstance(outer, cst.Call):
        return {} if program.text(outer.func) in _TAKES_ROWS else None
    if isinstance(parent, cst.Attribute) and outer is not None:
        counts = program.text(outer) in (f"{name.value}.size(0)", f"{name.value}.shape[0]")
        return {outer: call("len", cst.Arg(name))} if counts else None
    if not isinstance(parent, cst.Subscript):
        return None
    first, *rest = parent.slice
    index = first.slice.value if isinstance(first.slice, cst.Index) else None
    whole = all(program.text(e).rstrip(", ") == ":" for e in rest)
    if not isinstance(index, (cst.Name, cst.Integer)) or not whole:
        return None
    return {parent: parent.with_changes(slice=separated([first]))} if rest else {}


def is_shown(program: Program, name: cst.Name) -> bool:
    """Whether it is only printed."""
    shown = isinstance(program.parent(name), cst.FormattedStringExpression)
    return shown or _taker(program, name) == "print"


def is_index(program: Program, name: cst.Name) -> bool:
    """Whether its numbers pick elements of something else."""
    picks = isinstance(program.parent(name), cst.Index)
    return picks or bool(_INDEX_OF.search(_taker(program, name)))


def _taker(program: Program, name: cst.Name) -> str:
    """The function that takes it as an argument; empty where none does."""
    parent = program.parent(name)
    outer = program.parent(parent) if isinstance(parent, cst.Arg) else None
    return program.text(outer.func) if isinstance(outer, cst.Call) else ""
