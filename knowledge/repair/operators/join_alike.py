"""Make both sides of a `+` the same kind, where one is a list and one a tuple, or one is text.

Generators, such as `parameters()` gives, become one list: `[*a.parameters(), *b.parameters()]`.
"""

import re
from collections.abc import Iterator

import libcst as cst

from executor.errors import HasMessage, is_a, read
from executor.protocol import JobResult
from knowledge.repair.check import Check
from knowledge.repair.codemod import Proposal, Rewrite, Rewrites
from knowledge.repair.operator import COST, Failure
from knowledge.repair.toolkit.edits import Edits, Program, call, separated

_GENERATOR = re.compile(r"['\"]generator['\"]")
_OF_PARAMETERS = re.compile(r"[\w.]*(?:parameters|generator)")


def applies(result: JobResult) -> bool:
    """Two things of different kinds were joined, or generators were."""
    if result.error is None:
        return False
    return is_a(result.error, "operands", "operand_types") or _is_of_generators(result.error)


def _is_of_generators(error: HasMessage) -> bool:
    """Whether generators were added up, or handed on with others as a list."""
    held = read(error, "optimizer_no_tensors")
    given = held is not None and _OF_PARAMETERS.fullmatch(held["given"]) is not None
    return given or _GENERATOR.search(error.message) is not None


def edits(failure: Failure) -> Rewrites:
    """The right side as the kind of the left one, here and wherever the same stands."""
    node = failure.node
    yield from _of_generators(failure)
    if not isinstance(node, cst.BinaryOperation) or not isinstance(node.operator, cst.Add):
        return
    left, right = failure.value(node.left), failure.value(node.right)
    if isinstance(left, str) and isinstance(right, (int, float)):
        new: cst.BaseExpression = call("str", cst.Arg(node.right))
    elif isinstance(right, str) and isinstance(left, (int, float)):
        return  # a number and a text: either may be wrong
    elif isinstance(left, list) and isinstance(right, tuple):
        new = _as_list(node.right)
    elif isinstance(left, tuple) and isinstance(right, list):
        new = _as_tuple(node.right)
    else:
        return
    text = failure.text(node)
    same = [n for n in failure.all(cst.BinaryOperation) if failure.text(n) == text]
    kind = "str" if isinstance(left, str) else type(left).__name__
    kind = "tuple" if isinstance(left, tuple) else kind
    told = f"`{failure.text(node.right)}` is joined as a {kind}"
    meaning = f"one {kind} of both is meant"
    for places in [[node], same] if len(same) > 1 else [[node]]:
        where = "" if len(places) == 1 else " (everywhere)"
        changes: Edits = {n: n.with_changes(right=new) for n in places}
        yield failure.edit(changes, told + where, meaning, at=node)


def _of_generators(failure: Failure) -> Rewrites:
    """The entries of each generator, in one list."""
    node = failure.node
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Add):
        parts = list(_added_up(node))
        if all(isinstance(failure.value(p), (Iterator, list)) for p in parts):
            bare = [_listed(failure, p) for p in parts]
            yield _one_list(failure, node, [cst.StarredElement(p) for p in bare])
    elif isinstance(node, cst.Call) and node.args and isinstance(node.args[0].value, cst.List):
        elements = node.args[0].value.elements
        new = [
            cst.StarredElement(e.value, comma=e.comma)
            if isinstance(failure.value(e.value), Iterator)
            else e
            for e in elements
        ]
        if any(isinstance(e, cst.StarredElement) for e in new):
            yield _one_list(failure, node.args[0].value, new)


def _listed(program: Program, node: cst.BaseExpression) -> cst.BaseExpression:
    """`x` of `list(x)`."""
    if isinstance(node, cst.Call) and program.text(node.func) == "list" and len(node.args) == 1:
        return node.args[0].value
    return node


def _added_up(node: cst.BaseExpression) -> Iterator[cst.BaseExpression]:
    if isinstance(node, cst.BinaryOperation) and isinstance(node.operator, cst.Add):
        yield from _added_up(node.left)
        yield from _added_up(node.right)
    else:
        yield node


def _one_list(
    program: Program, old: cst.BaseExpression, elements: list[cst.BaseElement]
) -> Rewrite:
    new = cst.List(elements)
    told = f"all entries stand in one list: `{program.module.code_for_node(new)}`"
    return program.edit({old: new}, told, told, cost=COST.SURE)


def _as_list(value: cst.BaseExpression) -> cst.BaseExpression:
    """`(1,)` as `[1]`, anything else through list()."""
    if not isinstance(value, cst.Tuple):
        return call("list", cst.Arg(value))
    return cst.List(separated(cst.Element(e.value) for e in value.elements))


def _as_tuple(value: cst.BaseExpression) -> cst.BaseExpression:
    """`[1]` as `(1,)`, anything else through tuple()."""
    if not isinstance(value, cst.List) or not value.elements:
        return call("tuple", cst.Arg(value))
    return cst.Tuple(value.elements)


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """Both sides are still joined."""
    code = before.error.code if before.error is not None else ""
    if before.error is not None and _is_of_generators(before.error):
        kept = "[*" in proposal.code
        return [Check(name="joined", passed=kept, detail="" if kept else "no list is made")]
    left = "".join(code.partition("+")[0].split())
    kept = bool(left) and f"{left}+" in "".join(proposal.code.split())
    return [Check.of("joined", kept, "both are still joined", "they are no longer joined")]
