"""Set an option: batch_first, shuffle, ignore_index, a target's gradient, a scale."""

import re

import libcst as cst

from executor.protocol import Finding
from knowledge.repair.codemod import Rewrites
from knowledge.repair.toolkit.edits import Edits, Program, method, operand
from knowledge.repair.toolkit.flow import held_as
from knowledge.repair.toolkit.sites import (
    argument,
    calls,
    own_modules,
    with_argument,
    without_argument,
)

_TIME_FIRST = r"(^|\.)(LSTM|GRU|RNN|MultiheadAttention|Transformer(En|De)coderLayer|Transformer)$"
_EQUAL = r"(^|\.)(constant_|ones_|zeros_)$"


def _batch_first(program: Program, finding: Finding) -> Rewrites:
    """`batch_first=True` of the layers that were not told."""
    found = [c for c in calls(program, _TIME_FIRST) if argument(c, 99, "batch_first") is None]
    true = cst.Name("True")
    for layers in [found, *([c] for c in found if len(found) > 1)]:
        if layers:
            new: Edits = {c: with_argument(c, 99, "batch_first", true) for c in layers}
            told = "the layer takes the samples first, as the rest of the code gives them"
            yield program.edit(new, told, at=layers[0])


def _shuffled(program: Program, finding: Finding) -> Rewrites:
    statement = program.statement_on(finding.line)
    for loader in program.inside(statement, cst.Call):
        if re.search(r"(^|\.)DataLoader$", program.text(loader.func)):
            new = with_argument(loader, 99, "shuffle", cst.Name("True"))
            yield program.edit({loader: new}, "the samples come in another order in each epoch")


def _detached(program: Program, finding: Finding) -> Rewrites:
    """A target `reward + factor * value` as numbers."""
    for assign in sorted(program.all(cst.Assign), key=program.line):
        value = assign.value
        if not isinstance(value, cst.BinaryOperation) or not isinstance(value.operator, cst.Add):
            continue
        if "*" not in program.text(value):
            continue
        told = "the target is a number to reach, and gets no gradient"
        yield program.edit({value: method(value, "detach")}, told)


def _scaled(program: Program, finding: Finding) -> Rewrites:
    """`model(x / 255)` wherever one variable's model is called, of pixels."""
    if "at_ends" in finding.facts:
        return
    kinds = "|".join(["Sequential", "Linear", r"Conv\dd", *own_modules(program)])
    models = {held_as(program, c) for c in calls(program, rf"(^|\.)({kinds})$")}
    for model in sorted(models):
        every = calls(program, f"^{re.escape(model)}$")
        given = [c.args[0].value for c in every if len(c.args) == 1 and not c.args[0].star]
        if given:
            divided: Edits = {
                v: cst.BinaryOperation(operand(v), cst.Divide(), cst.Integer("255")) for v in given
            }
            first = min(given, key=program.line)
            yield program.edit(divided, "the inputs are scaled to 0 … 1", at=first, as_one=True)


def _random(program: Program, finding: Finding) -> Rewrites:
    """Random weights for equal ones."""
    found = [
        c for c in calls(program, _EQUAL) if c.args and "bias" not in program.text(c.args[0].value)
    ]
    for layers in [*([c] for c in found), *([found] if len(found) > 1 else [])]:
        new: Edits = {}
        for c in layers:
            assert isinstance(c.func, (cst.Attribute, cst.Name))
            name = cst.Name("xavier_uniform_")
            function = c.func.with_changes(attr=name) if isinstance(c.func, cst.Attribute) else name
            kept = c.args[0].with_changes(comma=cst.MaybeSentinel.DEFAULT)
            new[c] = c.with_changes(func=function, args=[kept])
        told = "each unit starts from weights of its own"
        yield program.edit(new, told, "the units are to learn different things", at=layers[0])


def _frozen(program: Program, finding: Finding) -> Rewrites:
    """`module.requires_grad_(False)`, which reaches the parameters."""
    statement = program.statement_on(finding.line)
    for assign in program.inside(statement, cst.Assign):
        target = assign.targets[0].target
        if isinstance(target, cst.Attribute) and target.attr.value == "requires_grad":
            new = cst.Expr(method(target.value, "requires_grad_", cst.Arg(assign.value)))
            told = "the parameters are frozen, and not only an attribute is set"
            yield program.edit({assign: new}, told)


def _without_option(program: Program, finding: Finding) -> Rewrites:
    """The option left out that leaves a class, or the only batch, out."""
    option = {"class_ignored": "ignore_index", "loader_empty": "drop_last"}[finding.kind]
    for node in sorted(program.all(cst.Call), key=program.line):
        for given in node.args:
            if given.keyword is not None and given.keyword.value == option:
                told = f"without `{option}` nothing is left out"
                yield program.edit({node: without_argument(node, given)}, told)


def _without_padding(program: Program, finding: Finding) -> Rewrites:
    """`ignore_index` of the cross-entropy."""
    for node in calls(program, r"(^|\.)(CrossEntropyLoss|cross_entropy|NLLLoss|nll_loss)$"):
        mark = cst.parse_expression(str(finding.facts["padding"]))
        told = "padding is left out of the loss"
        yield program.edit({node: with_argument(node, 99, "ignore_index", mark)}, told)


def _inverse(program: Program, finding: Finding) -> Rewrites:
    """The inverse of the weights."""
    for c in calls(program, r"(^|\.)(CrossEntropyLoss|NLLLoss|cross_entropy|nll_loss)$"):
        for given in c.args:
            if given.keyword is not None and given.keyword.value == "weight":
                one = cst.BinaryOperation(cst.Integer("1"), cst.Divide(), operand(given.value))
                told = "the rarer a class, the larger its weight"
                yield program.edit({given.value: one}, told, "the classes are to be balanced", at=c)


def _as_numbers(program: Program, finding: Finding) -> Rewrites:
    """The advantage without its graph, where it is multiplied with log-probabilities."""
    for node in sorted(program.all(cst.BinaryOperation), key=program.line):
        if not isinstance(node.operator, cst.Multiply):
            continue
        for side, other in ((node.left, node.right), (node.right, node.left)):
            is_gain = re.search(r"(?i)adv|delta|td", program.text(side))
            if is_gain and re.search(r"(?i)log", program.text(other)):
                told = "the policy's loss leaves the values alone"
                yield program.edit({side: method(side, "detach")}, told, at=node)


EDITS = {
    "samples_mixed": _batch_first,
    "sorted_samples": _shuffled,
    "target_not_detached": _detached,
    "inputs_unscaled": _scaled,
    "units_identical": _random,
    "freezes_nothing": _frozen,
    "class_ignored": _without_option,
    "loader_empty": _without_option,
    "padding_counts": _without_padding,
    "weights_inverted": _inverse,
    "advantage_not_detached": _as_numbers,
}
