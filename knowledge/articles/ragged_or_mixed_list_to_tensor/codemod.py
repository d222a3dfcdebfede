"""Make tensors of rows that have no common shape: one tensor each, or filled up to one table.

Which one is meant shows in what is done with the result: rows that are taken one by one need no
common length. Where a whole tensor is asked for, both are run and shown.
"""

import re
from ast import literal_eval

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrites
from knowledge.repair.toolkit.edits import Edits, call, method, padded, separated
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.flow import free_name, held_as, later
from knowledge.repair.toolkit.keeps import computed
from knowledge.repair.toolkit.rows import by_row, is_index, is_shown
from knowledge.repair.toolkit.sites import given_to, seen_as, seen_error

# Error families.
_RAGGED, _TENSORS, _TEXT = "ragged_rows", "one_element_tensors", "tensor_of_objects"
ERRORS = (_RAGGED, _TENSORS, _TEXT)
_MAKES = re.compile(r"^torch\.(tensor|as_tensor|LongTensor|FloatTensor|Tensor|IntTensor)$")
_MAY_GO = ("dtype", "tensor", "LongTensor", "FloatTensor", "IntTensor", "as_tensor", "Tensor")
_NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d*)?(?:e-?\d+)?")
# A comprehension keeps its loop, and its bracket comes before the maker then.
_TYPE = r", *dtype=[\w.]+"  # it comes before the rows then
KEEPS = (computed(allowed=("[",), may_go=_MAY_GO, instead=((r"\[", ""), (_TYPE, ""))),)


def applies(result: JobResult) -> bool:
    """torch.tensor got rows of several lengths, a list of tensors, or numbers as text."""
    seen = seen_as(result, *ERRORS)
    if seen is None:
        return False
    return seen.id == _TENSORS or seen["dimension"] == "1" or seen["kind"] == "str_"


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """One tensor a row, a filled table, a stack, or numbers instead of their text."""
    node, what = program.node, program.said.id
    if not isinstance(node, cst.Call) or not node.args or node.args[0].star:
        return
    if what == _TEXT:
        yield from _numbers(program, node)
    elif _MAKES.match(program.text(node.func)):
        yield from (_stacked if what == _TENSORS else _rows)(program, node)


def _stacked(program: Failed, node: cst.Call) -> Rewrites:
    """`torch.tensor(list)` → `torch.stack(list)`, with its dtype."""
    given, *others = node.args
    new = call("torch.stack", *separated([given]))
    names = [a.keyword.value if a.keyword is not None else "" for a in others]
    if names == ["dtype"]:
        new = method(new, "to", cst.Arg(others[0].value))
    elif names:
        return
    yield program.edit({node: new}, "tensors of one shape are stacked under a new first dimension")


def _holds_numbers(program: Failed, value: cst.BaseExpression) -> bool:
    """Whether it was made of a written list whose every entry is a number or the text of one."""
    for _ in range(3):
        if (found := given_to(program, value)) is not None:
            value = found.value
        elif isinstance(value, cst.Call) and re.search(r"\.(as)?array$", program.text(value.func)):
            value = value.args[0].value
    try:
        flat = [literal_eval(program.text(value))] if isinstance(value, cst.List) else []
        while any(isinstance(entry, (list, tuple)) for entry in flat):
            flat = [e for row in flat for e in (row if isinstance(row, (list, tuple)) else [row])]
        return bool([float(entry) for entry in flat])
    except (ValueError, TypeError, SyntaxError):
        return False


def _numbers(program: Failed, node: cst.Call) -> Rewrites:
    """An array of text that holds nothing but numbers, read as numbers."""
    given = node.args[0].value
    if program.text(node.func) == "torch.from_numpy" and _holds_numbers(program, given):
        read = method(given, "astype", cst.Arg(cst.Name("float")))
        yield program.edit({given: read}, "every entry is a number that was kept as text", at=node)


# -- rows of several lengths -----------------------------------------------------------------


def _rows(program: Failed, node: cst.Call) -> Rewrites:
    listed, assign = _one_by_one(program, node), program.parent(node)
    name = held_as(program, node)
    uses = later(program, name, assign) if assign is not None and name.isidentifier() else []
    edits = [by_row(program, use) for use in uses]
    if None not in edits and not all(is_shown(program, use) for use in uses):
        changes: Edits = {node: listed}
        for edit in edits:
            changes |= edit or {}
        told = "its rows are taken one by one, so each is a tensor of its own length"
        yield program.edit(changes, told)
        return
    if any(is_index(program, use) for use in uses):
        return  # a zero that was filled in would pick an element
    told = "short rows are filled up with zeros to the longest"
    meant = "one tensor, short rows filled up with zeros"
    full = padded(program, listed)
    yield program.edit({node: full}, told, meant, said=r"\bpad(ding|ded)?\b")
    told, meant = "each row is a tensor of its own length", "a list with one tensor for each row"
    yield program.edit({node: listed}, told, meant, said=r"\blist of tensors\b")


def _one_by_one(program: Failed, node: cst.Call) -> cst.ListComp:
    """`[torch.tensor(row) for row in rows]`; a comprehension keeps its own loop."""
    given, *others = node.args
    source, row = given.value, cst.Name(free_name(program, "row"))
    taken = source.elt if isinstance(source, cst.ListComp) else row
    made = node.with_changes(args=[given.with_changes(value=taken), *others])
    if isinstance(source, cst.ListComp):
        return source.with_changes(elt=made)
    return cst.ListComp(elt=made, for_in=cst.CompFor(target=row, iter=source))


def _bare(code: str) -> str:
    """The code without its comments."""
    return "\n".join(line.partition("#")[0] for line in code.splitlines())


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The same rows with the same numbers, none left out and none cut."""
    error = seen_error(before, *ERRORS)
    written = error.code if error is not None else ""
    old, new = (" ".join(_NUMBER.findall(_bare(text))) for text in (written, proposal.code))
    same = not old or f" {old} " in f" {new} "
    cut = re.search(r"\brow\w*\[", proposal.code) is not None and "row" not in written
    return [
        Check.of("numbers", same, "every number is as it was", "other numbers"),
        Check.of("rows", not cut, "rows are whole", "rows are cut"),
    ]
