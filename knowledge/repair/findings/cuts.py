"""Leave out what cuts a trained part off from the loss: detach, no_grad, a tensor made anew."""

import re

import libcst as cst

from executor.protocol import Finding
from knowledge.repair.codemod import Rewrites
from knowledge.repair.toolkit.edits import Edits, Program, call, method
from knowledge.repair.toolkit.flow import without_with
from knowledge.repair.toolkit.sites import calls
from knowledge.repair.toolkit.statements import last_name

_WITHOUT = re.compile(r"^(torch\.)?(no_grad|inference_mode)(\(\))?$")
_MAKES_ANEW = r"(^|\.)(tensor|as_tensor|Tensor|FloatTensor|from_numpy)$"
_TAKES_OUT = {"item", "tolist", "numpy", "detach", "cpu"}
_EVALUATES = re.compile(
    r"(?i)\.eval\(|\bval|valid|test|\bacc|accura|predict|sample|generate|argmax|\.item\("
)


def _joined(program: Program, finding: Finding) -> Rewrites:
    """Each place that cuts, left out; the run decides which one it is."""
    yield from _detached(program)
    yield from _decorated(program)
    yield from _blocks(program)
    yield from _made_anew(program)


def _detached(program: Program) -> Rewrites:
    nodes = [n for n in program.all(cst.Attribute) if n.attr.value in ("detach", "data")]
    for node in sorted(nodes, key=program.line):
        whole: cst.CSTNode = node
        parent = program.parent(node)
        if program.up(node, cst.ImportFrom) is not None or program.up(node, cst.Import) is not None:
            continue
        if isinstance(parent, cst.Call) and parent.func is node:
            whole = parent
        elif node.attr.value != "data" or isinstance(parent, (cst.AssignTarget, cst.Attribute)):
            continue
        if isinstance(program.parent(whole), cst.Expr):
            continue
        written = program.text(whole).removeprefix(program.text(node.value))
        told = f"without `{written}` the gradient goes on to what made it"
        yield program.edit({whole: node.value}, told, at=node)


def _decorated(program: Program) -> Rewrites:
    for function in program.all(cst.FunctionDef):
        for decorator in function.decorators:
            if not _WITHOUT.match(program.text(decorator.decorator)):
                continue
            if _EVALUATES.search(program.text(function)):
                continue
            told = f"`{function.name.value}` records its graph: it is trained, so it cannot run"
            yield program.edit({decorator: cst.RemoveFromParent()}, f"{told} without one")


def _blocks(program: Program) -> Rewrites:
    for block in program.all(cst.With):
        if len(block.items) != 1 or not _WITHOUT.match(program.text(block.items[0].item)):
            continue
        if _EVALUATES.search(program.text(block)) or re.search(r"[-+*/]=|_\(", program.text(block)):
            continue  # an evaluation, or an update by hand
        found = without_with(program, block)
        if found is not None:
            yield program.edit(
                found, "what is computed here is trained, so it needs its graph", at=block
            )


def _made_anew(program: Program) -> Rewrites:
    """`torch.tensor(…)` of what has a graph, as the tensors themselves."""
    for made in calls(program, _MAKES_ANEW):
        if len(made.args) != 1:
            continue
        new = _itself(program, made.args[0].value)
        if new is not None:
            told = "the tensors as they were computed, and not new ones with their numbers"
            yield program.edit({made: new}, told)


def collected(program: Program, finding: Finding) -> Rewrites:
    """`torch.stack(parts)` for `torch.tensor(parts)`, and no `.item()` where they are collected."""
    for made in calls(program, _MAKES_ANEW):
        if not made.args or not isinstance(made.args[0].value, cst.Name):
            continue
        name = made.args[0].value.value
        new: Edits = {}
        for c in calls(program, rf"^{re.escape(name)}\.append$"):
            inner = c.args[0].value if len(c.args) == 1 else None
            if isinstance(inner, cst.Call) and last_name(program, inner.func) in _TAKES_OUT:
                assert isinstance(inner.func, cst.Attribute)
                new[inner] = inner.func.value
        if new:
            new[made] = call(program.name_of("torch", "stack"), cst.Arg(made.args[0].value))
            told = "the losses themselves, and not new tensors with their numbers"
            yield program.edit(new, told, at=made, as_one=True)


def _itself(program: Program, value: cst.BaseExpression) -> cst.BaseExpression | None:
    """The tensor whose numbers are copied; None if that cannot be said."""
    if isinstance(value, cst.ListComp):
        part = value.for_in
        if part.ifs or part.inner_for_in is not None or not isinstance(part.target, cst.Name):
            return None
        inner = _elements(program, value.elt)
        if isinstance(inner, cst.Name) and inner.value == part.target.value:
            return call(program.name_of("torch", "stack"), cst.Arg(part.iter))
        return None
    if isinstance(value, cst.Call) and last_name(program, value.func) in _TAKES_OUT:
        assert isinstance(value.func, cst.Attribute)
        return _itself(program, value.func.value) or value.func.value
    return None


def _elements(program: Program, value: cst.BaseExpression) -> cst.BaseExpression:
    """What a list of numbers was taken from: `row` of `[v.item() for v in row]`."""
    if isinstance(value, cst.ListComp) and isinstance(value.for_in.target, cst.Name):
        inner = _elements(program, value.elt)
        if isinstance(inner, cst.Name) and inner.value == value.for_in.target.value:
            return value.for_in.iter
    if isinstance(value, cst.Call) and last_name(program, value.func) in _TAKES_OUT:
        assert isinstance(value.func, cst.Attribute)
        return _elements(program, value.func.value)
    return value


def _drawn(program: Program, finding: Finding) -> Rewrites:
    """`.rsample()` for `.sample()`: the same draw, as a function of the distribution's numbers."""
    for drawn in calls(program, r"\.sample$"):
        assert isinstance(drawn.func, cst.Attribute)
        new = method(drawn.func.value, "rsample", *drawn.args)
        told = "`rsample()` draws the same numbers, and gradients go through the draw"
        yield program.edit({drawn: new}, told)


EDITS = {"no_gradient": _joined, "zero_gradient": _drawn, "loss_without_graph": collected}
