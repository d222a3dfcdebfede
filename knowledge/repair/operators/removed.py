"""Write a function that torch took out the way it is written today, as its notice says it.

`torch.linalg.solve(A, B)` for `torch.solve(B, A)`: what came last comes first, and where a pair
was unpacked the name that was read gets the result alone.
"""

import re
from typing import NamedTuple

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.check import Check
from knowledge.repair.codemod import Proposal, Rewrites
from knowledge.repair.operator import COST, Failure
from knowledge.repair.toolkit.edits import Edits, Program
from knowledge.repair.toolkit.flow import reads
from knowledge.repair.toolkit.lazily import torch
from knowledge.repair.toolkit.sites import argument, scope_of

ERRORS = ("function_removed",)


class _Today(NamedTuple):
    one: str  # the first of its results alone, of {0} and {1}, the arguments in their old order
    both: str = ""  # both of them
    option: str = ""  # that asked for the second one


_TODAY = {
    "solve": _Today("solve({1}, {0})"),
    "lstsq": _Today("lstsq({1}, {0}).solution"),
    "symeig": _Today("eigvalsh({0})", "eigh({0})", "eigenvectors"),
    "eig": _Today("eigvals({0})", "eig({0})", "eigenvectors"),
    "matrix_rank": _Today("matrix_rank({0})"),
}
_FIRST = re.compile(r"\[0\]$|\.(?:solution|eigenvalues)$")
_KNOWN = frozenset({"upper", "eigenvectors", "input", "A"})


def edits(failure: Failure) -> Rewrites:
    """The call of today, and what was unpacked of the old one."""
    node = failure.node
    name = failure.text(node.func).rpartition(".")[2] if isinstance(node, cst.Call) else ""
    today = _TODAY.get(name)
    if today is None or not isinstance(node, cst.Call) or any(a.star for a in node.args):
        return
    if any(a.keyword is not None and a.keyword.value not in _KNOWN for a in node.args):
        return
    given = [a.value for a in node.args if a.keyword is None]
    if name not in ("solve", "lstsq") and (first := argument(node, 0, "input")) is not None:
        given = [first.value]
    if name == "lstsq" and _reads_residuals(failure, node):
        return
    whole: cst.CSTNode = node
    parent = failure.parent(node)
    option = argument(node, 1, today.option) if today.option else None
    is_both = option is not None and failure.text(option.value) == "True"
    changes: Edits = {}
    if isinstance(parent, cst.Subscript | cst.Attribute) and not is_both:
        if not _FIRST.search(failure.text(parent)):
            return
        whole = parent
    elif isinstance(parent, cst.Assign) and not is_both and name != "matrix_rank":
        kept = _only_read(failure, parent)
        if kept is None:
            return
        changes[parent.targets[0].target] = kept
    text = [failure.text(v) for v in given]
    if len(text) < 2 and "{1}" in today.one:
        return
    new = (today.both if is_both else today.one).format(*text)
    asked = failure.name_of("torch.linalg", new.partition("(")[0])
    called = f"{asked}({new.partition('(')[2]}"
    upper = argument(node, 2, "upper")
    if name == "symeig" and (upper is None or failure.text(upper.value) == "True"):
        matrix = failure.value(given[0])
        if not isinstance(matrix, torch.Tensor) or not torch.allclose(matrix, matrix.mT):
            called = f"{called[:-1]}, UPLO='U')"  # it read the upper triangle
    changes[whole] = cst.parse_expression(called)
    told = f"`{failure.text(node.func)}` is `{called}` today"
    yield failure.edit(changes, told, at=node, cost=COST.SAID)


def _reads_residuals(program: Program, node: cst.Call) -> bool:
    """Whether `x[n:]` is read: the rows of the residuals, which are not there any more."""
    made = program.up(node, cst.Assign)
    target = made.targets[0].target if made is not None else None
    named = set(map(program.text, program.inside(target, cst.Name)))
    slices = (s for s in program.all(cst.Slice) if s.lower is not None)
    of = (program.up(s, cst.Subscript) for s in slices)
    return any(o is not None and program.text(o.value) in named for o in of)


def _only_read(program: Program, made: cst.Assign) -> cst.BaseExpression | None:
    """The first name of `x, lu = …`, where nothing reads the second one."""
    target = made.targets[0].target
    if not isinstance(target, cst.Tuple) or len(target.elements) != 2:
        return None
    first, second = (e.value for e in target.elements)
    if not isinstance(second, cst.Name):
        return None
    read = [n for n in reads(program, second.value, scope_of(program, made)) if n is not second]
    return None if read else first


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The function of today is called, with the arguments in the order that it takes."""
    error = before.error
    called = re.match(r"[\w.]*?(\w+)\((.*)\)$", error.code if error is not None else "", re.DOTALL)
    today = _TODAY.get(called[1]) if called is not None else None
    if called is None or today is None:
        return []
    names = [form.partition("(")[0] for form in (today.one, today.both) if form]
    first = called[2].partition(",")[0].strip()
    turned = today.one.startswith(f"{names[0]}({{1}}")
    pattern = rf"\b(?:{'|'.join(names)})\({re.escape(first)}(?=[,)])"
    kept = any(f"linalg.{name}(" in proposal.code for name in names)
    kept = kept and (re.search(pattern, proposal.code) is None) == turned
    return [Check.of("today", kept, "it is called as it is today", "it is not called so")]
