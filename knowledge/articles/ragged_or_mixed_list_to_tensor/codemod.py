"""Make tensors of rows that have no common shape: one tensor each, or filled up to one table.

Which one is meant shows in what is done with the result: rows that are taken one by one need no
common length. Where a whole tensor is asked for, both are run and shown.
"""

from __future__ import annotations

import re
from ast import literal_eval
from collections import Counter

import libcst as cst

from executor.errors import is_a, read
from executor.protocol import Caught, ErrorSeen, JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrite, Rewrites
from knowledge.repair.toolkit.edits import Edits, call, method, padded
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.flow import free_name, later
from knowledge.repair.toolkit.sites import assignment, seen_error

# Error families.
_RAGGED, _TENSORS, _TEXT = "ragged_rows", "one_element_tensors", "tensor_of_objects"
ERRORS = (_RAGGED, _TENSORS, _TEXT)
_MAKES = re.compile(r"^torch\.(tensor|as_tensor|LongTensor|FloatTensor|Tensor|IntTensor)$")
_INDEX_OF = re.compile(r"\b(gather|index_select|scatter\w*|take\w*|index_\w+)$")
_WORD = re.compile(r"[A-Za-z_]\w*")
_MAY_GO = ("dtype", "tensor", "LongTensor", "FloatTensor", "IntTensor", "as_tensor", "Tensor")
_INVENTED = frozenset(
    [
        "detach",
        "item",
        "data",
        "numpy",
        "zeros",
        "ones",
        "rand",
        "randn",
        "randint",
        "empty",
        "full",
    ]
)
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d*)?(?:e-?\d+)?")


def applies(result: JobResult) -> bool:
    """torch.tensor got rows of several lengths, a list of tensors, or numbers as text."""
    error = seen_error(result, *ERRORS)
    return error is not None and (
        is_a(error, _TENSORS)
        or _is(error, _RAGGED, "dimension", "1")
        or _is(error, _TEXT, "kind", "str_")
    )


def _is(error: ErrorSeen | Caught, family: str, name: str, value: str) -> bool:
    """Whether the error is of this family and names this value."""
    seen = read(error, family)
    return seen is not None and seen[name] == value


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """One tensor a row, a filled table, a stack, or numbers instead of their text."""
    node = program.node
    if not isinstance(node, cst.Call) or not node.args or node.args[0].star:
        return
    if is_a(program.error, _TEXT):
        yield from _numbers(program, node)
    elif _MAKES.match(program.text(node.func)):
        if is_a(program.error, _TENSORS):
            yield from _stacked(program, node)
        else:
            yield from _rows(program, node)


def _stacked(program: Failed, node: cst.Call) -> Rewrites:
    """`torch.tensor(list)` → `torch.stack(list)`, with its dtype."""
    given, *others = node.args
    new: cst.BaseExpression = call(
        "torch.stack", given.with_changes(comma=cst.MaybeSentinel.DEFAULT)
    )
    names = [a.keyword.value if a.keyword is not None else "" for a in others]
    if names == ["dtype"]:
        new = method(new, "to", cst.Arg(others[0].value))
    elif names:
        return
    yield program.edit({node: new}, "tensors of one shape are stacked under a new first dimension")


def _holds_numbers(program: Failed, value: cst.BaseExpression) -> bool:
    """Whether it was made of a written list whose every entry is a number or the text of one."""
    for _ in range(3):
        if isinstance(value, cst.Name):
            found = assignment(program, value.value, value)
            if found is None:
                return False
            value = found.value
        elif isinstance(value, cst.Call) and re.search(r"\.(as)?array$", program.text(value.func)):
            value = value.args[0].value
    if not isinstance(value, cst.List):
        return False
    try:
        flat = [literal_eval(program.text(value))]
    except (ValueError, SyntaxError):
        return False
    while any(isinstance(entry, (list, tuple)) for entry in flat):
        flat = [e for row in flat for e in (row if isinstance(row, (list, tuple)) else [row])]
    try:
        return bool([float(entry) for entry in flat])
    except (ValueError, TypeError):
        return False


def _numbers(program: Failed, node: cst.Call) -> Rewrites:
    """An array of text that holds nothing but numbers, read as numbers."""
    given = node.args[0].value
    if program.text(node.func) == "torch.from_numpy" and _holds_numbers(program, given):
        read = method(given, "astype", cst.Arg(cst.Name("float")))
        yield program.edit({given: read}, "every entry is a number that was kept as text", at=node)


# -- rows of several lengths -----------------------------------------------------------------


def _rows(program: Failed, node: cst.Call) -> Rewrites:
    listed = _one_by_one(program, node)
    assign = program.parent(node)
    target = assign.targets[0].target if isinstance(assign, cst.Assign) else None
    uses: list[cst.Name] = []
    if isinstance(assign, cst.Assign) and isinstance(target, cst.Name):
        uses = later(program, target.value, assign)
    edits = [_by_row(program, name) for name in uses]
    if any(not _shown(program, name) for name in uses) and None not in edits:
        changes: Edits = {node: listed}
        for edit in edits:
            changes |= edit or {}
        told = "its rows are taken one by one, so each is a tensor of its own length"
        yield program.edit(changes, told)
        return
    if any(_is_index(program, name) for name in uses):
        return  # a zero that was filled in would pick an element
    yield Rewrite(
        program.replace({node: padded(program, listed)}),
        f"line {program.line(node)}: short rows are filled up with zeros to the longest",
        "one tensor, short rows filled up with zeros",
        said=r"\bpad(ding|ded)?\b",
    )
    told = "each row is a tensor of its own length"
    yield program.edit(
        {node: listed}, told, "a list with one tensor for each row", said=r"\blist of tensors\b"
    )


def _one_by_one(program: Failed, node: cst.Call) -> cst.ListComp:
    """`[torch.tensor(row) for row in rows]`; a comprehension keeps its own loop."""
    given, *others = node.args
    source = given.value
    if isinstance(source, cst.ListComp):
        first = given.with_changes(value=source.elt)
        return source.with_changes(elt=node.with_changes(args=[first, *others]))
    row = cst.Name(free_name(program, "row"))
    first = given.with_changes(value=row)
    made = node.with_changes(args=[first, *others])
    return cst.ListComp(elt=made, for_in=cst.CompFor(target=row, iter=source))


def _by_row(program: Failed, name: cst.Name) -> Edits | None:
    """What a use of the tensor becomes for a list; None if a list cannot do that."""
    parent = program.parent(name)
    if isinstance(parent, (cst.For, cst.CompFor)) and parent.iter is name:
        return {}
    if isinstance(parent, cst.FormattedStringExpression):
        return {}
    if isinstance(parent, cst.Arg):
        outer = program.parent(parent)
        taken = isinstance(outer, cst.Call) and program.text(outer.func) in (
            "enumerate",
            "zip",
            "len",
            "list",
            "print",
            "reversed",
            "iter",
        )
        return {} if taken else None
    if isinstance(parent, cst.Attribute) and parent.value is name:
        outer = program.parent(parent)
        if outer is not None and program.text(outer).split() in (
            [f"{name.value}.size(0)"],
            [f"{name.value}.shape[0]"],
        ):
            return {outer: call("len", cst.Arg(name))}
        return None
    if isinstance(parent, cst.Subscript) and parent.value is name:
        first, *rest = parent.slice
        plain = isinstance(first.slice, cst.Index) and isinstance(
            first.slice.value, (cst.Name, cst.Integer)
        )
        whole = all(program.text(e).rstrip(", ") == ":" for e in rest)
        if not plain or not whole:
            return None
        kept = first.with_changes(comma=cst.MaybeSentinel.DEFAULT)
        return {parent: parent.with_changes(slice=[kept])} if rest else {}
    return None


def _shown(program: Failed, name: cst.Name) -> bool:
    """Whether it is only printed."""
    parent = program.parent(name)
    outer = program.parent(parent) if isinstance(parent, cst.Arg) else None
    is_print = isinstance(outer, cst.Call) and program.text(outer.func) == "print"
    return is_print or isinstance(parent, cst.FormattedStringExpression)


def _is_index(program: Failed, name: cst.Name) -> bool:
    """Whether its numbers pick elements of something else."""
    parent = program.parent(name)
    if isinstance(parent, cst.Index):
        return True
    outer = program.parent(parent) if isinstance(parent, cst.Arg) else None
    return isinstance(outer, cst.Call) and bool(_INDEX_OF.search(program.text(outer.func)))


def _bare(code: str) -> str:
    """The code without its comments."""
    return "\n".join(line.partition("#")[0] for line in code.splitlines())


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The same rows with the same numbers, none left out and none cut."""
    error = seen_error(before, *ERRORS)
    if error is None:
        return []
    written = _bare(error.code)
    wanted = Counter(_WORD.findall(written)) - Counter(_MAY_GO)
    start, length = (error.line or 1) - 1, len(error.code.splitlines())
    lines = _bare(proposal.code).splitlines()[start:]
    there = Counter(_WORD.findall("\n".join(lines[: length + 2])))
    here = set(_WORD.findall("\n".join(lines[:length])))
    added = sorted((_INVENTED & here) - set(wanted))
    kept = wanted <= there and not added
    detail = "what failed is still computed"
    if not kept:
        detail = f"it now goes through {added[0]}()" if added else "what failed is gone"
    old, new = (" ".join(_NUMBER.findall(text)) for text in (written, _bare(proposal.code)))
    same = not old or f" {old} " in f" {new} "
    cut = re.search(r"\brow\w*\[", proposal.code) is not None and "row" not in error.code
    return [
        Check(name="still computed", passed=kept, detail=detail),
        Check.of("numbers", same, "every number is as it was", "other numbers"),
        Check(name="rows", passed=not cut, detail="rows are cut" if cut else "rows are whole"),
    ]
