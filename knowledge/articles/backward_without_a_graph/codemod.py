"""Find where the way from the loss back to the weights is cut, and join it again.

From backward's tensor the walk goes up the assignments. The first cut on the way is the one that
counts: `detach()`, `.data`, `.item()`, a tensor rebuilt from a tensor, a `no_grad()` block. Where
there is no cut, the tensor whose gradient is read never asked for one.
"""

import re

import libcst as cst

from executor.errors import is_a
from executor.protocol import JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrite, Rewrites
from knowledge.repair.computed import backwards, same_leaves
from knowledge.repair.fingerprints import same_values
from knowledge.repair.toolkit.asked import asked
from knowledge.repair.toolkit.cuts import CUTS, first_cut
from knowledge.repair.toolkit.dataflow import is_factory
from knowledge.repair.toolkit.edits import Edits, call
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.keeps import backwards as all_reach
from knowledge.repair.toolkit.keeps import tensors
from knowledge.repair.toolkit.sites import argument, failing, seen_error

_LOSS, _INPUT = "no_graph", "input_without_grad"  # error families
_SILENT = "loss_without_graph"
KEEPS = (all_reach, tensors)


def applies(result: JobResult) -> bool:
    """backward() or grad() started from, or was asked for, a tensor without a graph."""
    silent = any(f.kind == _SILENT for f in result.findings)
    return silent or seen_error(result, _LOSS, _INPUT) is not None


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """The first cut undone; where there is none, a gradient asked for."""
    error = seen_error(result, _LOSS, _INPUT)
    if error is None:
        yield from _made_anew(program, result)
        return
    node = failing(program, error)
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return
    start: cst.BaseExpression = node.func.value
    if node.func.attr.value == "grad":
        outputs = argument(node, 0, "outputs")
        if outputs is None or is_a(error, _INPUT):
            yield from asked(program, node) if outputs is not None else ()
            return
        start = outputs.value
    elif node.func.attr.value != "backward" or program.text(start) in (
        "torch.autograd",
        "autograd",
    ):
        return
    cut = first_cut(program, start, node)
    if cut is None:
        cut = list(asked(program, node)) or list(_in_functions(program) or _weights(program))
    yield from cut


def _made_anew(program: Failed, result: JobResult) -> Rewrites:
    """`loss = torch.tensor(value, requires_grad=True)` without what makes it a leaf of its own."""
    finding = next(f for f in result.findings if f.kind == _SILENT)
    line = program.statement_on(finding.line) if finding.line is not None else None
    small = line.body[0] if line is not None and len(line.body) == 1 else None
    if not isinstance(small, cst.Assign):
        return
    value = small.value
    while (inner := _inside_leaf(program, value)) is not None:
        value = inner
    if value is not small.value and not isinstance(value, (cst.Float, cst.Integer)):
        told = "the loss as it was computed, not a new tensor with its value"
        yield program.edit({small.value: value}, told, at=small)


def _inside_leaf(program: Failed, value: cst.BaseExpression) -> cst.BaseExpression | None:
    """What a request for gradients, a copy or a cut was put around."""
    if isinstance(value, cst.Attribute) and value.attr.value == "data":
        return value.value
    if not isinstance(value, cst.Call):
        return None
    function, name = value.func, program.text(value.func).rpartition(".")[2]
    if isinstance(function, cst.Attribute) and name in CUTS | {"requires_grad_"}:
        return function.value
    made_anew = name in {"tensor", "as_tensor", "Tensor", "Variable"} and value.args
    inner = value.args[0].value if made_anew else None
    return None if isinstance(inner, (cst.List, cst.Tuple)) else inner


def _in_functions(program: Failed) -> list[Rewrite]:
    """The only cut there is, in what a function returns."""
    found = [n for n in program.all(cst.Attribute) if n.attr.value in CUTS | {"numpy"}]
    cut = found[0] if len(found) == 1 and found[0].attr.value == "detach" else None
    called = program.parent(cut) if cut is not None else None
    if cut is None or not isinstance(called, cst.Call) or program.up(cut, cst.Return) is None:
        return []
    told = "what the function returns is cut off from the weights"
    return [program.edit({called: cut.value}, told, at=cut)]


def _weights(program: Failed) -> list[Rewrite]:
    """What a module without a single parameter keeps, and whose `.grad` is read: its weights."""
    attributes = list(program.all(cst.Attribute))
    owners = (n.value for n in attributes if n.attr.value == "grad")
    read = {owner.attr.value for owner in owners if isinstance(owner, cst.Attribute)}
    wanted = {n for n in attributes if n.attr.value in read and program.text(n.value) == "self"}
    parameter = program.name_of("torch.nn", "Parameter")
    for cls in program.all(cst.ClassDef):
        text = program.text(cls)
        if re.search(r"\bParameter\(|\bnn\.(?!Module\b)[A-Z]", text) or "Module" not in text:
            continue
        made = [
            a
            for a in program.inside(cls, cst.Assign)
            if is_factory(program, a.value) and a.targets[0].target in wanted
        ]
        if made:
            edits: Edits = {a.value: call(parameter, cst.Arg(a.value)) for a in made}
            told = ", ".join(f"`{program.text(a.targets[0].target)}`" for a in made)
            return [program.edit(edits, f"{told} as a Parameter, which asks for a gradient")]
    return []


# -- checks ----------------------------------------------------------------------------------


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The same values as before, from the same leaves."""
    found = [same_leaves(before, after, proposal.subjects)]
    error = seen_error(before, _LOSS)
    name = re.match(r"(\w+)\.backward", error.code) if error is not None else None
    ran, done = backwards(after), len(backwards(before))
    if name is not None and before.values is not None and len(ran) > done:
        old, new = before.values.tensors.get(name[1]), ran[done].loss
        if old is not None and new is not None and old.shape == new.shape and not before.trained:
            told = "the loss is the same number", "the loss is another number"
            found.append(Check.of("loss", same_values(old, new), *told))
    return found
