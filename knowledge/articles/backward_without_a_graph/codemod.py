"""Find where the way from the loss back to the weights is cut, and join it again.

From backward's tensor the walk goes up the assignments. The first cut on the way is the one that
counts: `detach()`, `.data`, `.item()`, a tensor rebuilt from a tensor, a `no_grad()` block. Where
there is no cut, the tensor whose gradient is read never asked for one.
"""

from __future__ import annotations

import re

import libcst as cst

from executor.errors import is_a
from executor.protocol import JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrite, Rewrites
from knowledge.repair.computed import backwards, reaches_leaves, same_leaves, same_tensors
from knowledge.repair.fingerprints import same_values
from knowledge.repair.toolkit.edits import Edits, call, method
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.flow import in_loop, without_with
from knowledge.repair.toolkit.sites import (
    argument,
    assignment,
    calls,
    failing,
    scope_of,
    seen_error,
    with_argument,
)

_LOSS, _INPUT = "no_graph", "input_without_grad"  # error families
_SILENT = "loss_without_graph"
_CUTS = {"detach", "data", "item", "tolist"}
_FACTORIES = re.compile(
    r"^torch\.(tensor|randn|rand|zeros|ones|full|linspace|arange|eye|randn_like|rand_like"
    r"|zeros_like|ones_like|full_like|empty|logspace)$"
)
_OPTIMIZER = re.compile(r"(^|\.)(SGD|Adam\w*|RMSprop|Adagrad|LBFGS|RAdam|NAdam|Rprop|ASGD)$")
_CUTTING = re.compile(
    r"\.(detach|item|numpy|data|tolist|argmax)\b|no_grad|inference_mode|torch\.tensor\("
)
_STEPS = 12  # assignments that are walked up


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
    if node.func.attr.value == "grad":
        outputs = argument(node, 0, "outputs")
        if outputs is None:
            return
        start: cst.BaseExpression = outputs.value
        if is_a(error, _INPUT):
            yield from _asked(program, node)
            return
    elif node.func.attr.value == "backward":
        start = node.func.value
        if program.text(start) in {"torch.autograd", "autograd"}:
            return
    else:
        return
    cut = _Walk(program).cut(start, node)
    if cut is not None:
        yield from cut
        return
    asked = list(_asked(program, node))
    yield from asked or list(_in_functions(program)) or _weights(program)


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
    function = value.func
    if isinstance(function, cst.Attribute) and function.attr.value in _CUTS | {"requires_grad_"}:
        return function.value
    name = program.text(function).rpartition(".")[2]
    if name in {"tensor", "as_tensor", "Tensor", "Variable"} and value.args:
        inner = value.args[0].value
        return None if isinstance(inner, (cst.List, cst.Tuple)) else inner
    return None


def _in_functions(program: Failed) -> Rewrites:
    """The only cut there is, in the body of a function that returns what it cut."""
    found = [n for n in program.all(cst.Attribute) if n.attr.value in _CUTS | {"numpy"}]
    calls_ = [n for n in found if isinstance(program.parent(n), cst.Call)]
    if len(found) != 1 or len(calls_) != 1 or calls_[0].attr.value != "detach":
        return
    cut = calls_[0]
    called = program.parent(cut)
    assert isinstance(called, cst.Call)
    if program.up(cut, cst.Return) is None:
        return
    told = "what the function returns is cut off from the weights"
    yield program.edit({called: cut.value}, told, at=cut)


def _weights(program: Failed) -> Rewrites:
    """What a module without a single parameter keeps, and whose `.grad` is read: its weights."""
    read = {
        n.value.attr.value
        for n in program.all(cst.Attribute)
        if n.attr.value == "grad" and isinstance(n.value, cst.Attribute)
    }
    parameter = program.name_of("torch.nn", "Parameter")
    for cls in program.all(cst.ClassDef):
        text = program.text(cls)
        if re.search(r"\bParameter\(|\bnn\.(?!Module\b)[A-Z]", text) or "Module" not in text:
            continue
        made = [
            a
            for a in program.inside(cls, cst.Assign)
            if isinstance(a.value, cst.Call)
            and _FACTORIES.match(program.text(a.value.func))
            and isinstance(a.targets[0].target, cst.Attribute)
            and program.text(a.targets[0].target.value) == "self"
            and a.targets[0].target.attr.value in read
        ]
        if made:
            told = ", ".join(f"`{program.text(a.targets[0].target)}`" for a in made)
            yield Rewrite(
                program.replace({a.value: call(parameter, cst.Arg(a.value)) for a in made}),
                f"line {program.line(made[0])}: {told} as a Parameter, which asks for a gradient",
            )
            return


class _Walk:
    """From backward's tensor up the assignments, to the first place that cuts."""

    def __init__(self, program: Failed) -> None:
        self.program = program
        self.left = _STEPS

    def cut(self, value: cst.BaseExpression, place: cst.CSTNode) -> list[Rewrite] | None:
        """The rewrites for the first cut; None if the way up ends without one."""
        program = self.program
        block = self._no_grad(place)
        if block is not None:
            return block
        here = list(self._in(value))
        if here:
            return here
        if any(self._cuts_inside(c) for c in program.inside(value, cst.Call)):
            return None
        for name in dict.fromkeys(n.value for n in program.inside(value, cst.Name)):
            facts = self.program.seen.get(name)
            if facts is None or facts.dtype is None or self.left <= 0:
                continue
            if facts.requires_grad:
                # The graph reaches this far; whatever cuts must be between it and the loss.
                continue
            self.left -= 1
            made = assignment(program, name, place)
            if made is None:
                continue
            found = self.cut(made.value, made)
            if found is not None:
                return found
        return None

    def _cuts_inside(self, node: cst.Call) -> bool:
        """Whether a call leads into the snippet's own code, and that may cut."""
        name = self.program.text(node.func)
        bodies = [f for f in self.program.all(cst.FunctionDef) if f.name.value == name]
        return any(_CUTTING.search(self.program.text(f)) for f in bodies)

    def _in(self, value: cst.BaseExpression) -> Rewrites:
        """Cuts inside one expression."""
        program = self.program
        for node in program.inside(value, cst.Attribute):
            if node.attr.value not in _CUTS:
                continue
            called = program.parent(node)
            whole: cst.BaseExpression = node
            if isinstance(called, cst.Call) and called.func is node:
                whole = called
            elif node.attr.value != "data":
                continue
            if self._another_is_cut(value, whole):
                continue  # a target is meant to be cut off; what it is compared with is not
            told = f"without `.{node.attr.value}` the way back to the weights stays open"
            yield program.edit({whole: node.value}, told, at=node)
            return
        for made in program.inside(value, cst.Call):
            name = program.text(made.func)
            if name not in {"torch.tensor", "torch.as_tensor", "torch.Tensor", "torch.FloatTensor"}:
                continue
            if made.args and (new := self._rebuilt(made.args[0].value)) is not None:
                yield Rewrite(
                    program.replace({made: new}),
                    f"line {program.line(made)}: `{name}(…)` copies the number and forgets how it "
                    "was computed; use the tensor itself",
                )
                return

    def _another_is_cut(self, value: cst.BaseExpression, cut: cst.CSTNode) -> bool:
        """Whether an expression has an operand beside a cut one that was made under no_grad()."""
        inside = set(self.program.inside(cut, cst.Name))
        names = {n.value for n in self.program.inside(value, cst.Name) if n not in inside}
        made = (assignment(self.program, name, value) for name in sorted(names))
        return any(m is not None and self._no_grad(m) is not None for m in made)

    def _rebuilt(self, inner: cst.BaseExpression) -> cst.BaseExpression | None:
        """What `torch.tensor(t)` and `torch.tensor([a, b])` wrap, if it comes with a graph."""
        program = self.program
        if isinstance(inner, (cst.List, cst.Tuple)):
            elements = [e.value for e in inner.elements]
            if len(elements) > 1 and all(self._with_graph(e) for e in elements):
                stack = program.name_of("torch", "stack")
                return call(stack, cst.Arg(inner))
            return None
        return inner if self._with_graph(inner) else None

    def _with_graph(self, value: cst.BaseExpression) -> bool:
        if isinstance(value, cst.Name):
            facts = self.program.seen.get(value.value)
            return facts is not None and bool(facts.requires_grad)
        if isinstance(value, (cst.BinaryOperation, cst.UnaryOperation)):
            inner = self.program.inside(value, cst.Name)
            return any(self._with_graph(n) for n in inner)
        return False

    def _no_grad(self, place: cst.CSTNode) -> list[Rewrite] | None:
        """`with torch.no_grad():` around the place, taken away."""
        program = self.program
        block = program.up(place, cst.With)
        if block is None or scope_of(program, block) is not scope_of(program, place):
            return None
        texts = [program.text(item.item) for item in block.items]
        stops = r"^(torch\.)?(no_grad\(\)|inference_mode\(.*\)|set_grad_enabled\(False\))$"
        if len(texts) != 1 or not re.match(stops, texts[0]):
            return None
        edits = without_with(program, block)
        if edits is None:
            return []
        inside = program.text(block)
        if re.search(r"\beval\(\)|\.grad\b|val_|valid|test_", inside):
            return []  # part of it is evaluation or an update: not all of it may be recorded
        return [
            Rewrite(
                program.replace(edits),
                f"line {program.line(block)}: `{texts[0]}` records nothing, so there is nothing "
                "to go back through",
            )
        ]


# -- no cut: nobody asked for a gradient -----------------------------------------------------


def _asked(program: Failed, place: cst.Call) -> Rewrites:
    """requires_grad=True where the tensors are made whose gradients the snippet reads."""
    again = _second_derivative(program, place)
    if again is not None:
        yield again
        return
    names = _differentiated(program, place)
    edits: Edits = {}
    for name in names:
        facts = program.seen.get(name)
        if facts is None or facts.requires_grad is not False or not facts.is_leaf:
            continue
        if facts.dtype is None or not facts.dtype.startswith(("float", "bfloat", "complex")):
            return
        made = assignment(program, name, place)
        if made is None or in_loop(program, made):
            return
        edits[made.value] = _asking(program, made.value)
    if edits:
        told = ", ".join(f"`{n}`" for n in names)
        lines = " and ".join(str(program.line(n)) for n in edits)
        yield Rewrite(
            program.replace(edits),
            f"line {lines}: {told} is differentiated, so it must ask for a gradient",
            subjects=tuple(names),
        )


def _differentiated(program: Failed, place: cst.Call) -> list[str]:
    """Variables whose `.grad` is read, that grad() is asked for, or that an optimizer gets."""
    found: list[str] = []
    if program.text(place.func).rpartition(".")[2] == "grad":
        inputs = argument(place, 1, "inputs")
        if inputs is not None:
            found += [n.value for n in program.inside(inputs, cst.Name)][-1:]
        return found
    for node in program.all(cst.Attribute):
        if node.attr.value == "grad" and isinstance(node.value, cst.Name):
            found.append(node.value.value)
    for made in calls(program, _OPTIMIZER.pattern):
        if made.args and isinstance(made.args[0].value, cst.List):
            found += [
                e.value.value for e in made.args[0].value.elements if isinstance(e.value, cst.Name)
            ]
    return sorted(set(found))


def _asking(program: Failed, value: cst.BaseExpression) -> cst.BaseExpression:
    """The same tensor, asking for a gradient."""
    if isinstance(value, cst.Call) and _FACTORIES.match(program.text(value.func)):
        return with_argument(value, 99, "requires_grad", cst.Name("True"))
    return method(value, "requires_grad_")


def _second_derivative(program: Failed, place: cst.Call) -> Rewrite | None:
    """grad() of a grad(): the first must be recorded."""
    if program.text(place.func).rpartition(".")[2] != "grad":
        return None
    outputs = argument(place, 0, "outputs")
    if outputs is None or not isinstance(outputs.value, cst.Name):
        return None
    made = assignment(program, outputs.value.value, place)
    if made is None:
        return None
    for first in program.inside(made.value, cst.Call):
        if not re.search(r"(^|\.)grad$", program.text(first.func)):
            continue
        new = with_argument(first, 99, "create_graph", cst.Name("True"))
        told = (
            "create_graph=True records the first derivative, so that it can be differentiated again"
        )
        return program.edit({first: new}, told)
    return None


# -- checks ----------------------------------------------------------------------------------


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The same values as before, and a backward that now reaches leaves."""
    found = [
        reaches_leaves(after),
        same_leaves(before, after, proposal.subjects),
        same_tensors(before, after, proposal.code),
    ]
    error = seen_error(before, _LOSS)
    name = re.match(r"(\w+)\.backward", error.code) if error is not None else None
    ran, done = backwards(after), len(backwards(before))
    if name is not None and before.values is not None and len(ran) > done:
        old, new = before.values.tensors.get(name[1]), ran[done].loss
        if old is not None and new is not None and old.shape == new.shape and not before.trained:
            equal = same_values(old, new)
            detail = "the loss is the same number" if equal else "the loss is another number"
            found.append(Check(name="loss", passed=equal, detail=detail))
    return found
