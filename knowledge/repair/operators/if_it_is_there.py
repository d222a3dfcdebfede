"""Ask whether a part is there, and is a matrix, before it is set: `bias=False` makes no bias.

And whether an entry of a state dict holds floats, before an average is written into it: the
counters of batch norm are whole numbers.
"""

import re
from collections.abc import Iterator
from typing import Any

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.check import Check
from knowledge.repair.codemod import Proposal, Rewrites
from knowledge.repair.operator import COST, Failure
from knowledge.repair.toolkit.edits import Edits
from knowledge.repair.toolkit.flow import parameters
from knowledge.repair.toolkit.lazily import torch
from knowledge.repair.toolkit.sites import names_in

ERRORS = ("none_attribute", "dimensions", "inplace_dtype")
REPEATS = True  # another layer may lack it too


def edits(failure: Failure) -> Rewrites:
    """`if layer.bias is not None:` around the statement that fills it."""
    line = failure.statement_on(failure.error.line or 0)
    if line is not None and len(line.body) == 1 and (counter := _counter(failure, line.body[0])):
        told = f"`{counter}` is changed where it holds floats; a counter of batches stays"
        new = _guarded(line, f"{counter}.is_floating_point()")
        yield failure.edit({line: new}, told, at=line)
        return
    yield from _where_a_gradient_is(failure)
    for place in failure.places:
        line = failure.up(place.node, cst.SimpleStatementLine)
        if line is None or len(line.body) != 1 or not isinstance(line.body[0], cst.Expr):
            continue
        for part in _absent(failure, line, place.frame):
            text = failure.text(part)
            told = f"`{text}` is set where there is one; this layer was made without"
            meant = f"a layer without a {part.attr.value} stays without one"
            new = _guarded(line, f"{text} is not None")
            yield failure.edit({line: new}, told, meant, at=part, cost=COST.SURE)
            return
        row = _row(failure, line.body[0].value, place.frame)
        if row is not None:
            told = f"`{row}` is set so where it is a matrix; a bias has no such sizes"
            new = _guarded(line, f"{row}.dim() > 1")
            yield failure.edit({line: new}, told, "a bias keeps its first values", at=line)
            return


def _where_a_gradient_is(failure: Failure) -> Rewrites:
    """`if p.grad is not None:` in a loop over parameters of which some took part in the loss."""
    for node in failure.expressions(failure.node) if failure.node is not None else ():
        loop, line = failure.up(node, cst.For), failure.up(node, cst.SimpleStatementLine)
        if not isinstance(node, cst.Attribute) or node.attr.value != "grad" or loop is None:
            continue
        owner = failure.value(node.value)
        each: Any = failure.value(loop.iter)
        rows = [r if isinstance(r, tuple) else (r,) for r in getattr(each, "__iter__", list)()]
        held = [p for row in rows for p in row if isinstance(p, torch.nn.Parameter)]
        others = any(p.grad is not None for p in held) and any(p is owner for p in held)
        body = list(getattr(loop.body, "body", ()))
        if line is None or line not in body or owner.grad is not None or not others:
            continue
        rest = body[body.index(line) :] if isinstance(line.body[0], cst.Assign) else [line]
        text = failure.text(node)
        told = f"`{text}` is worked on where there is one; this parameter took no part in the loss"
        new = _guarded(line, f"{text} is not None")
        inner = [*cst.ensure_type(new.body, cst.IndentedBlock).body, *rest[1:]]
        whole = new.with_changes(body=cst.IndentedBlock(inner))
        gone: Edits = {one: cst.RemoveFromParent() for one in rest[1:]}
        yield failure.edit({line: whole, **gone}, told, at=line)
        return


def _guarded(line: cst.SimpleStatementLine, test: str) -> cst.If:
    guard = cst.ensure_type(cst.parse_statement(f"if {test}:\n    pass"), cst.If)
    body = cst.IndentedBlock([line.with_changes(leading_lines=())])
    return guard.with_changes(body=body, leading_lines=line.leading_lines)


def _row(failure: Failure, call: cst.BaseExpression, frame: int) -> str | None:
    """The parameter of one dimension that `nn.init.xavier_uniform_` and its like were given."""
    said = failure.error.message.lower()
    if not isinstance(call, cst.Call) or not call.args or "fan" not in said:
        return None
    given = call.args[0].value
    value, name = failure.value(given, frame), failure.text(given).removesuffix(".data")
    loops = (n.target for n in failure.above(call) if isinstance(n, cst.For))
    each = parameters(failure, call) - {"self"} | {n for t in loops for n in names_in(t)}
    is_row = isinstance(value, torch.Tensor) and value.dim() == 1
    return name if is_row and name.partition(".")[0] in each else None  # of several alike


def _counter(failure: Failure, small: cst.BaseSmallStatement) -> str:
    """What a loop over a state dict changes in place, where that is `num_batches_tracked`."""
    node: cst.CSTNode = small.value if isinstance(small, cst.Expr) else small
    node = node.target if isinstance(node, cst.AugAssign) else node
    while isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
        node = node.func.value  # the first of `ema.mul_(m).add_(new)`
    value = failure.value(node)
    loops = [n for n in failure.above(small) if isinstance(n, cst.For)]
    each = [failure.value(n) for f in loops for n in failure.inside(f.target, cst.Name)]
    named = any(isinstance(k, str) and k.endswith("num_batches_tracked") for k in each)
    walked = any(re.search(r"(state_dict|buffers)\(\)", failure.text(f.iter)) for f in loops)
    whole = isinstance(value, torch.Tensor) and value.dtype == torch.int64 and not value.dim()
    return failure.text(node) if whole and (named or walked) else ""


def _absent(failure: Failure, line: cst.SimpleStatementLine, frame: int) -> Iterator[cst.Attribute]:
    """`layer.bias` of a module that keeps a place for it, and has none."""
    for node in failure.inside(line, cst.Attribute):
        owner = failure.value(node.value, frame)
        name = node.attr.value
        is_part = name in ("weight", "bias") and getattr(owner, name, owner) is None
        if isinstance(owner, torch.nn.Module) and is_part:
            yield node


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The layer is left without, and those that have one are set."""
    error = before.error
    code = error.code if error is not None and "(" in error.code else ""
    kept = error is not None and (code or error.code.rpartition(".")[0]) in proposal.code
    return [Check.of("guarded", kept, "what is there is still set", "it is set nowhere")]
