"""Call the layers of a `ModuleList` one after another, where the list itself is called.

`x = self.blocks(x, mask)` becomes a loop over the blocks with the same arguments. So it does where
the blocks stand in an `nn.Sequential`, which takes one argument; in an expression, a class of
Sequential that takes as many stands for it. A list that is called in an expression, or with one,
has its loop above the line.
"""

import re
from collections.abc import Iterator
from itertools import takewhile
from typing import Any

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.check import Check
from knowledge.repair.codemod import Proposal, Rewrite, Rewrites
from knowledge.repair.operator import COST, Failure
from knowledge.repair.toolkit.edits import Beside, Edits
from knowledge.repair.toolkit.flow import free_name
from knowledge.repair.toolkit.lazily import torch
from knowledge.repair.toolkit.signatures import required
from knowledge.repair.toolkit.sites import assignment

# In these an expression is evaluated later, or more than once, or perhaps not.
_NOT_ALWAYS = (cst.Lambda, cst.IfExp, cst.BooleanOperation, cst.BaseComp)
ERRORS = ("forward_missing", "not_callable", "too_many_arguments")


def edits(failure: Failure) -> Rewrites:
    """A loop above the line, or in place of it."""
    call = failure.node
    if not isinstance(call, cst.Call) or not call.args or call.args[0].keyword is not None:
        return
    layers = failure.value(call.func)
    several = type(layers) is torch.nn.Sequential and len(call.args) > 1
    if not several and not isinstance(layers, (torch.nn.ModuleList, list)):
        return
    if not len(layers) or not all(isinstance(layer, torch.nn.Module) for layer in layers):
        return
    for at in _handed_on(failure, call, list(layers)) if several else (0,):
        looped = list(_looped(failure, call, at))
        yield from looped or (_own_class(failure, call, at) if several else ())
    if not several:
        yield from _above(failure, call)
    yield from _side_by_side(failure, call)


def _handed_on(failure: Failure, call: cst.Call, layers: list[Any]) -> Iterator[int]:
    """The arguments in whose place each layer can take what the one before it gave."""
    given = [failure.value(a.value) for a in call.args]
    if any(a.keyword is not None or a.star for a in call.args):
        return
    found = []
    for at in range(len(given)):
        now = list(given)
        try:
            for layer in layers:
                now[at] = layer(*now)
        except Exception:
            continue
        if isinstance(now[at], torch.Tensor):
            found.append(at)
    takes = {len(required(layer.forward) or ()) for layer in layers}
    if not found and failure.result.depends_on_stand_ins and takes == {len(given)}:
        found = [0]  # of made-up sizes, which say nothing
    yield from found


def _own_class(failure: Failure, call: cst.Call, at: int) -> Rewrites:
    """`class InTurn(nn.Sequential)` with a `forward` of as many arguments, where it is made."""
    owner = failure.text(call.func)
    targets = [t for t in failure.all(cst.AssignTarget) if failure.text(t.target) == owner]
    made = failure.up(targets[0], cst.Assign) if len(targets) == 1 else None
    if made is not None and isinstance(made.value, cst.Name):
        made = assignment(failure, made.value.value, made)
    if made is None or not isinstance(made.value, cst.Call):
        return
    base = failure.text(made.value.func)
    outer = [n for n in (made, *failure.above(made)) if n in failure.module.body]
    if base.rpartition(".")[2] != "Sequential" or not outer:
        return
    name = free_name(failure, "InTurn")
    given = [failure.text(a.value) for a in call.args]
    own = [text.isidentifier() and given.count(text) == 1 for text in given]
    names = [text if own[n] else f"x{n}" for n, text in enumerate(given)]
    code = (
        f"class {name}({base}):\n    def forward(self, {', '.join(names)}):\n"
        f"        for layer in self:\n            {names[at]} = layer({', '.join(names)})\n"
        f"        return {names[at]}\n"
    )
    new = cst.ensure_type(cst.parse_statement(code), cst.ClassDef)
    new = new.with_deep_changes(new.body, footer=[cst.EmptyLine(indent=False)] * 2)
    told = f"each layer takes what the one before it gave as `{names[at]}`, and the rest again"
    changed: Edits = {made.value.func: cst.Name(name)}
    yield failure.edit(changed, told, at=made, beside={outer[0]: Beside(new)}, as_one=True)


def _looped(failure: Failure, call: cst.Call, at: int) -> Rewrites:
    """A loop in which each layer takes what the one before it gave in place of one argument."""
    first = call.args[at].value
    small, statement = failure.small_statement(call), failure.up(call, cst.SimpleStatementLine)
    if statement is None or len(statement.body) != 1 or not isinstance(first, cst.Name):
        return
    name, owner = first.value, failure.text(call.func)
    item = free_name(failure, owner.rpartition(".")[2].removesuffix("s") or "layer")
    inner = failure.module.code_for_node(call.with_changes(func=cst.Name(item)))
    loop = cst.parse_statement(f"for {item} in {owner}:\n    {name} = {inner}\n")
    loop = loop.with_changes(leading_lines=statement.leading_lines)
    if not isinstance(small, (cst.Return, cst.Assign)) or small.value is not call:
        return
    new: cst.FlattenSentinel[cst.BaseStatement] | cst.BaseStatement = loop
    if isinstance(small, cst.Return) or failure.text(small.targets[0].target) != name:
        rest = statement.with_deep_changes(small, value=cst.Name(name))
        new = cst.FlattenSentinel([loop, rest.with_changes(leading_lines=())])
    title = f"line {failure.line(call)}: the layers of `{owner}` work one after another"
    meaning = f"each layer of `{owner}` takes what the one before it gives"
    yield Rewrite(failure.replace({statement: new}), title, meaning, cost=COST.SURE, as_one=True)


def _above(failure: Failure, call: cst.Call) -> Rewrites:
    """The loop above a line that goes on with its result: `y = F.relu(self.blocks(x))`."""
    first, small = call.args[0].value, failure.small_statement(call)
    statement = failure.up(call, cst.SimpleStatementLine)
    if not isinstance(small, (cst.Return, cst.Assign)):
        return
    is_looped = small.value is call and isinstance(first, cst.Name)
    if is_looped or statement is None or len(statement.body) != 1:
        return
    over = takewhile(lambda node: node is not small, failure.above(call))
    if len(call.args) > 1 or any(isinstance(node, _NOT_ALWAYS) for node in over):
        return
    owner, result = failure.text(call.func), free_name(failure, "h")
    item = free_name(failure, owner.rpartition(".")[2].removesuffix("s") or "layer")
    lines = [
        f"{result} = {failure.text(first)}\n",
        f"for {item} in {owner}:\n    {result} = {item}({result})\n",
    ]
    start, loop = map(cst.parse_statement, lines)
    start = start.with_changes(leading_lines=statement.leading_lines)
    rest = statement.with_changes(leading_lines=()).deep_replace(call, cst.Name(result))
    new = cst.FlattenSentinel([start, loop, cst.ensure_type(rest, cst.SimpleStatementLine)])
    title = f"line {failure.line(call)}: the layers of `{owner}` work one after another"
    meaning = f"each layer of `{owner}` takes what the one before it gives"
    yield Rewrite(failure.replace({statement: new}), title, meaning, cost=COST.SURE, as_one=True)


def _side_by_side(failure: Failure, call: cst.Call) -> Rewrites:
    """`torch.cat([head(x) for head in heads], dim=1)`, where each gives one column of its own."""
    owner = failure.text(call.func)
    item = free_name(failure, owner.rpartition(".")[2].removesuffix("s") or "layer")
    inner = failure.module.code_for_node(call.with_changes(func=cst.Name(item)))
    columns = f"[{inner} for {item} in {owner}]"
    given = failure.tried(columns)
    parts = given if isinstance(given, list) else ()
    if len(parts) > 1 and all(getattr(p, "shape", ())[1:] == (1,) for p in parts):
        new = cst.parse_expression(f"{failure.name_of('torch', 'cat')}({columns}, dim=1)")
        meaning = f"the layers of `{owner}` stand side by side"
        yield failure.edit({call: new}, f"each of `{owner}` gives one column", meaning)


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """Every layer of the list is called, or a class that calls them all."""
    owner = before.error.code.partition("(")[0] if before.error is not None else ""
    kept = re.search(rf" in {re.escape(owner)}[:\]]", proposal.code) is not None
    own = re.search(r"\bclass (\w+)\([\w.]*Sequential\):.*?\bin\s+self:", proposal.code, re.DOTALL)
    is_made = own is not None and proposal.code.count(f"{own[1]}(") > 1
    kept = kept or (is_made and f"{owner}(" in proposal.code)
    return [Check.of("layers", kept, "every layer is called", "not every layer is called")]
