"""Write into a tensor what has its numbers and more dimensions: `x.copy_(y.flatten())`.

A map that was pooled to one place, [1, n, 1, 1], has the numbers of a row of n. What has another
number of them, or in another order, is none of this. Where a loop, or `chunk`, gives several views
at once, which nobody may write into, each is taken by itself, or gets a new value.
"""

import re
from collections.abc import Iterator

import libcst as cst

from executor.errors import is_a
from executor.protocol import JobResult
from knowledge.repair.check import Check
from knowledge.repair.codemod import Proposal, Rewrites
from knowledge.repair.computed import reaches_leaves
from knowledge.repair.operator import Failure
from knowledge.repair.toolkit.edits import method, operand
from knowledge.repair.toolkit.flow import free_name, later, loops_around
from knowledge.repair.toolkit.lazily import torch
from knowledge.repair.toolkit.shapes import still_computed
from knowledge.repair.toolkit.sites import assignment
from knowledge.repair.toolkit.statements import last_name, line_of

_MANY = "view_of_many_in_place"
ERRORS = (
    "inplace_result_grows", "expand_fewer_dimensions", "expand_sizes", "broadcast_sizes", _MANY,
)  # fmt: skip
_GIVE_MANY = frozenset({"chunk", "split", "unbind", "tensor_split"})


def edits(failure: Failure) -> Rewrites:
    """The written value without the dimensions of size 1 that its place has not."""
    if is_a(failure.error, _MANY):
        yield from _one_by_one(failure)
        yield from _made_anew(failure)
        return
    for place, written in _written(failure):
        target, value = failure.value(place), failure.value(written)
        if not isinstance(target, torch.Tensor) or not isinstance(value, torch.Tensor):
            continue
        plain = [size for size in value.shape if size != 1]
        if value.dim() <= target.dim() or plain != [size for size in target.shape if size != 1]:
            continue
        if target.dim() == 1:
            new = method(written, "flatten")
        elif target.dim() == len(plain):
            new = method(written, "squeeze")
        else:
            continue
        told = f"`{failure.text(written)}` has the shape of `{failure.text(place)}`"
        yield failure.edit({written: new}, f"{told}, without dimensions of size 1", told)


def _small(failure: Failure) -> cst.BaseSmallStatement | None:
    """The statement that failed; `x += 1` is one that no expression of it raised."""
    line = failure.statement_on(failure.error.line)
    return line.body[0] if line is not None and len(line.body) == 1 else None


def _view(failure: Failure) -> cst.Name | None:
    """The variable that the failing line writes into."""
    node, small = failure.node, _small(failure)
    into: cst.BaseExpression | None = small.target if isinstance(small, cst.AugAssign) else node
    while isinstance(into, cst.Subscript):
        into = into.value
    while isinstance(into, cst.Call) and isinstance(into.func, cst.Attribute):
        into = into.func.value
    return into if isinstance(into, cst.Name) else None


def _one_by_one(failure: Failure) -> Rewrites:
    """`for row in (x[i] for i in range(len(x)))` for `for row in x`: one view after another."""
    view = _view(failure)
    for loop in loops_around(failure, view) if view is not None else ():
        if not isinstance(loop, cst.For) or view is None:
            continue
        targets: list[cst.BaseExpression] = [loop.target]
        given = [loop.iter]
        if isinstance(loop.target, cst.Tuple) and isinstance(loop.iter, cst.Call):
            targets = [e.value for e in loop.target.elements]
            given = [a.value for a in loop.iter.args]
            if failure.text(loop.iter.func) == "enumerate":
                targets = targets[1:]
        names = [failure.text(t) for t in targets]
        if view.value not in names or names.index(view.value) >= len(given):
            continue
        rows = given[names.index(view.value)]
        text, value = failure.text(rows), failure.value(rows)
        if isinstance(rows, (cst.Name, cst.Attribute)) and isinstance(value, torch.Tensor):
            i = free_name(failure, "i")
            new = cst.parse_expression(f"({text}[{i}] for {i} in range(len({text})))")
            told = f"each `{view.value}` is a view of its own, taken when it comes"
            yield failure.edit({rows: new}, told, f"`{text}` is written into", at=loop)
        return


def _made_anew(failure: Failure) -> Rewrites:
    """`a = a + b` for `a += b`, where nobody reads later what `a` is a part of."""
    view = _view(failure)
    given = assignment(failure, view.value, view) if view is not None else None
    made, small = given.value if given is not None else None, _small(failure)
    if view is None or not isinstance(made, cst.Call):
        return
    if last_name(failure, made.func) not in _GIVE_MANY:
        return
    owner = made.func.value if isinstance(made.func, cst.Attribute) else view
    whole = made.args[0].value if failure.text(owner) == "torch" and made.args else owner
    if isinstance(whole, cst.Name) and later(failure, whole.value, made):
        return
    text, name = "", view.value
    if isinstance(small, cst.AugAssign) and small.target is view:
        sign = failure.module.code_for_node(small.operator).strip().removesuffix("=")
        text = f"{name} = {name} {sign} {failure.text(operand(small.value))}"
    elif isinstance(small, cst.Expr) and failure.node is small.value:
        inner = re.sub(r"^(\w+\.\w+)_\(", r"\1(", failure.text(small.value))
        text = f"{name} = {inner}" if inner != failure.text(small.value) else ""
    if text:
        told = f"`{name}` gets a new value, and what it was a part of stays"
        yield failure.edit({small: line_of(text).body[0]} if small else {}, told, at=view)


def _written(failure: Failure) -> Iterator[tuple[cst.BaseExpression, cst.BaseExpression]]:
    """What is written into, and the value that is written: of `x.copy_(y)` and `x[i] = y`."""
    node = failure.node
    small = failure.small_statement(node) if node is not None else None
    if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute) and len(node.args) == 1:
        if node.func.attr.value == "copy_":
            yield node.func.value, node.args[0].value
        return
    into = small.targets[0].target if isinstance(small, cst.Assign) else None
    if isinstance(small, cst.Assign) and isinstance(node, cst.Subscript) and node is into:
        yield node, small.value


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The value is still written there."""
    if is_a(before.error, _MANY) if before.error is not None else False:
        return [reaches_leaves(after, wanted=False)]
    return [still_computed(before.error, proposal.code, allowed=("flatten", "squeeze"))]
