"""Call the layers of a `ModuleList` one after another, where the list itself is called.

`x = self.blocks(x, mask)` becomes a loop over the blocks with the same arguments.
"""

from __future__ import annotations

import re
from typing import Any

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.check import Check
from knowledge.repair.codemod import Proposal, Rewrite, Rewrites
from knowledge.repair.operator import COST, Failure
from knowledge.repair.toolkit.flow import free_name
from knowledge.repair.toolkit.lazily import torch

ERRORS = ("forward_missing", "not_callable")


def edits(failure: Failure) -> Rewrites:
    """A loop above the line, or in place of it."""
    program, call = failure.program, failure.node
    if not isinstance(call, cst.Call) or not call.args or call.args[0].keyword is not None:
        return
    layers = failure.value(call.func)
    if not isinstance(layers, (torch.nn.ModuleList, list)) or not len(layers):
        return
    if not all(isinstance(layer, torch.nn.Module) for layer in layers):
        return
    small, statement = program.small_statement(call), program.up(call, cst.SimpleStatementLine)
    first = call.args[0].value
    yield from _side_by_side(failure, call, list(layers))
    if statement is None or len(statement.body) != 1 or not isinstance(first, cst.Name):
        return
    name, owner = first.value, program.text(call.func)
    item = free_name(program, owner.rpartition(".")[2].removesuffix("s") or "layer")
    inner = program.module.code_for_node(call.with_changes(func=cst.Name(item)))
    loop = cst.parse_statement(f"for {item} in {owner}:\n    {name} = {inner}\n")
    loop = loop.with_changes(leading_lines=statement.leading_lines)
    if not isinstance(small, (cst.Return, cst.Assign)) or small.value is not call:
        return
    new: cst.FlattenSentinel[cst.BaseStatement] | cst.BaseStatement = loop
    if isinstance(small, cst.Return) or program.text(small.targets[0].target) != name:
        rest = statement.with_deep_changes(small, value=cst.Name(name))
        new = cst.FlattenSentinel([loop, rest.with_changes(leading_lines=())])
    title = f"line {program.line(call)}: the layers of `{owner}` work one after another"
    meaning = f"each layer of `{owner}` takes what the one before it gives"
    yield Rewrite(program.replace({statement: new}), title, meaning, cost=COST.SURE, as_one=True)


def _side_by_side(failure: Failure, call: cst.Call, layers: list[Any]) -> Rewrites:
    """`torch.cat([head(x) for head in heads], dim=1)`, where each gives one column of its own."""
    program, owner = failure.program, failure.program.text(call.func)
    item = free_name(program, owner.rpartition(".")[2].removesuffix("s") or "layer")
    inner = program.module.code_for_node(call.with_changes(func=cst.Name(item)))
    columns = f"[{inner} for {item} in {owner}]"
    try:
        shapes = [c.shape[1:] for c in failure.live.value(columns)]
    except Exception:
        return
    if len(layers) > 1 and all(shape == (1,) for shape in shapes):
        new = cst.parse_expression(f"{program.name_of('torch', 'cat')}({columns}, dim=1)")
        meaning = f"the layers of `{owner}` stand side by side"
        yield failure.edit({call: new}, f"each of `{owner}` gives one column", meaning)


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """Every layer of the list is called."""
    owner = before.error.code.partition("(")[0] if before.error is not None else ""
    kept = re.search(rf" in {re.escape(owner)}[:\]]", proposal.code) is not None
    return [Check.of("layers", kept, "every layer is called", "not every layer is called")]
