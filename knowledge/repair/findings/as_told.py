"""Edit the very line that a finding names, where its text shows what was meant."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator

import libcst as cst

from executor.protocol import Finding
from knowledge.repair.codemod import Rewrite
from knowledge.repair.toolkit.edits import New, Program, call, method, operand
from knowledge.repair.toolkit.sites import calls, with_argument
from knowledge.repair.toolkit.statements import (
    block,
    calls_of,
    inserted,
    last_name,
    moved,
    receiver,
)

_INFINITY = 'float("-inf")'


def edits(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """The edit that the kind of the finding calls for."""
    yield from _MAKERS[finding.kind](program, finding)


def _on_line(program: Program, finding: Finding, kind: type[cst.CSTNode]) -> list[cst.CSTNode]:
    """The nodes of a kind that begin on the finding's line."""
    return [n for n in program.all(kind) if program.line(n) == finding.line]


def _misspelled(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """`requires_grad` for the name that is nearly so."""
    for node in _on_line(program, finding, cst.Assign):
        assert isinstance(node, cst.Assign)
        target = node.targets[0].target
        if isinstance(target, cst.Attribute):
            yield Rewrite(
                program.replace({target: target.with_changes(attr=cst.Name("requires_grad"))}),
                f"line {finding.line}: PyTorch's own attribute is set",
            )


def _drops_in_training(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """`training=self.training` for a functional dropout."""
    for node in calls(program, r"^(F|nn\.functional)\.dropout$"):
        if program.line(node) == finding.line and len(node.args) < 3:
            new = with_argument(node, 2, "training", cst.parse_expression("self.training"))
            yield Rewrite(
                program.replace({node: new}),
                f"line {finding.line}: values are dropped in training only",
            )


def _times_the_gradient(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """What a backward returns, times the gradient that it is given."""
    for node in program.all(cst.Return):
        function = program.up(node, cst.FunctionDef)
        if function is None or function.name.value != "backward" or node.value is None:
            continue
        if program.line(node) != finding.line or len(function.params.params) != 2:
            continue
        given = function.params.params[1].name
        if isinstance(node.value, cst.Tuple):
            parts = [e.value for e in node.value.elements if program.text(e.value) != "None"]
        else:
            parts = [node.value]
        new: dict[cst.CSTNode, New] = {
            p: cst.BinaryOperation(cst.Name(given.value), cst.Multiply(), operand(p)) for p in parts
        }
        yield Rewrite(
            program.replace(new),
            f"line {finding.line}: the chain rule multiplies by the gradient that comes in",
            as_one=True,
        )


def _listed(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """`list(model.parameters())` for the generator."""
    given = re.search(r"\(\s*([\w.]+)", finding.name)
    name = given[1] if given else ""
    for node in sorted(program.all(cst.Assign), key=program.line):
        if program.text(node.targets[0].target) == name and isinstance(node.value, cst.Call):
            yield Rewrite(
                program.replace({node.value: call("list", cst.Arg(node.value))}),
                f"line {program.line(node)}: a list can be gone through again and again",
            )


def _given_on(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """`h = x` before the loop, and `h = layer(h)` in it."""
    for node in _on_line(program, finding, cst.Assign):
        assert isinstance(node, cst.Assign)
        loop = program.up(node, cst.For)
        if loop is None:
            continue
        layer, target = program.text(loop.target), node.targets[0].target
        for c in program.inside(node, cst.Call):
            if program.text(c.func) == layer and len(c.args) == 1:
                given = c.args[0].value
                start = f"{program.text(target)} = {program.text(given)}"
                yield Rewrite(
                    program.replace({given: target}, beside=inserted(program, loop, start)),
                    f"line {finding.line}: each layer gets what the one before it gave",
                    as_one=True,
                )


def _class_of_each(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """The largest score along the classes."""
    for node in calls(program, r"(^|\.)(argmax|max)$"):
        if program.line(node) != finding.line:
            continue
        for given in node.args:
            if program.text(given.value) == "0":
                yield Rewrite(
                    program.replace({given.value: cst.Integer("1")}),
                    f"line {finding.line}: the largest score of each sample is its class",
                )


def _decay_of_the_old(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """The two shares of a moving average, exchanged."""
    statement = program.statement_on(finding.line) if finding.line else None
    if statement is None:
        return
    told = f"line {finding.line}: the average keeps most of what it was"
    for node in program.inside(statement, cst.Call):
        name = last_name(program, node.func)
        if name == "lerp_" and len(node.args) == 2:
            share = node.args[1].value
            new = cst.BinaryOperation(cst.Integer("1"), cst.Subtract(), operand(share))
            yield Rewrite(program.replace({share: new}), told)
        elif name == "add_":
            alpha = [a.value for a in node.args if a.keyword and a.keyword.value == "alpha"]
            old = [
                c.args[0].value
                for c in program.inside(node.func, cst.Call)
                if last_name(program, c.func) == "mul_" and len(c.args) == 1
            ]
            if len(alpha) == len(old) == 1:
                swapped: dict[cst.CSTNode, New] = {alpha[0]: old[0], old[0]: alpha[0]}
                yield Rewrite(program.replace(swapped), told, as_one=True)
    for total in program.inside(statement, cst.BinaryOperation):
        left, right = total.left, total.right
        if (
            isinstance(total.operator, cst.Add)
            and isinstance(left, cst.BinaryOperation)
            and isinstance(right, cst.BinaryOperation)
            and isinstance(left.operator, cst.Multiply)
            and isinstance(right.operator, cst.Multiply)
        ):
            swapped = {left.left: right.left, right.left: left.left}
            yield Rewrite(program.replace(swapped), told, as_one=True)


def _clipped_in_time(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """The clipping between backward and step."""
    clips = [
        s
        for s in program.all(cst.Expr)
        if isinstance(s.value, cst.Call)
        and last_name(program, s.value.func).startswith("clip_grad_")
        and program.line(s) == finding.line
    ]
    for clip in clips:
        here = block(program, clip)
        for statement, _ in calls_of(program, "backward"):
            if statement in here and (module := moved(program, clip, statement, after=True)):
                yield Rewrite(
                    module, f"line {finding.line}: clipped once the gradients are there, and used"
                )


def _evaluated(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """`model.eval()` before what is judged without gradients, and `model.train()` behind it."""
    model = finding.name.partition("(")[0]
    for node in program.all(cst.Call):
        if program.line(node) != finding.line or program.text(node.func) != model:
            continue
        around = program.up(node, cst.With)
        function = program.up(node, cst.FunctionDef)
        first: cst.CSTNode | None = around
        if around is None and function is not None:
            first = block(program, function.body.body[0])[0]
        if not isinstance(first, (cst.BaseSmallStatement, cst.BaseCompoundStatement)):
            continue
        beside = inserted(program, first, f"{model}.eval()")
        told = f"line {finding.line}: judged as it is used, without dropout"
        if around is not None:
            now = Program(program.replace({}, beside=beside).code)
            for again in now.all(cst.With):
                if now.line(again) == program.line(around) + 1:
                    back = inserted(now, again, f"{model}.train()", after=True)
                    yield Rewrite(now.replace({}, beside=back), told, as_one=True)
        yield Rewrite(program.replace({}, beside=beside), told)


def _of_scores(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """`> 0` for scores, where `> 0.5` is the limit of probabilities."""
    for node in _on_line(program, finding, cst.Comparison):
        assert isinstance(node, cst.Comparison)
        limit = node.comparisons[0].comparator
        if program.text(limit) in ("0.5", ".5"):
            yield Rewrite(
                program.replace({limit: cst.Integer("0")}),
                f"line {finding.line}: a score of 0 is a probability of one half",
            )
    for node in calls(program, r"\.round$"):
        if program.line(node) == finding.line and isinstance(node.func, cst.Attribute):
            value = node.func.value
            if not node.args:
                yield Rewrite(
                    program.replace({value: method(value, "sigmoid")}),
                    f"line {finding.line}: the scores become probabilities first",
                )


def _hidden(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """Minus infinity where a mask is to hide a score."""
    for node in calls(program, r"(^|\.)masked_fill_?$"):
        value = node.args[-1].value if len(node.args) > 1 else None
        if value is None or re.search(r"inf|1e\d|min", program.text(value)):
            continue
        for low in (_INFINITY, "-1e9"):
            yield Rewrite(
                program.replace({value: cst.parse_expression(low)}),
                f"line {program.line(node)}: a masked place gets no weight",
            )
    for product in program.all(cst.BinaryOperation):
        if not isinstance(product.operator, cst.Multiply):
            continue
        mask = product.right if "mask" in program.text(product.right).lower() else product.left
        if "mask" not in program.text(mask).lower():
            continue
        scores = product.left if mask is product.right else product.right
        for low in (_INFINITY, "-1e9"):
            hidden = cst.Comparison(
                operand(mask), [cst.ComparisonTarget(cst.Equal(), cst.Integer("0"))]
            )
            new = method(scores, "masked_fill", cst.Arg(hidden), cst.Arg(cst.parse_expression(low)))
            yield Rewrite(
                program.replace({product: new}),
                f"line {program.line(product)}: a masked place gets no weight",
            )


def _with_logarithm(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """log_softmax of what ctc_loss is given."""
    names = {
        program.text(a.targets[0].target)
        for a in program.all(cst.Assign)
        if isinstance(a.value, cst.Call) and last_name(program, a.value.func) == "CTCLoss"
    }
    for node in program.all(cst.Call):
        if last_name(program, node.func) == "ctc_loss" or program.text(node.func) in names:
            if node.args:
                given = node.args[0].value
                new = method(given, "log_softmax", cst.Arg(cst.parse_expression("-1")))
                yield Rewrite(
                    program.replace({given: new}),
                    f"line {program.line(node)}: the loss gets the log-probabilities it expects",
                )


def _signed(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """`2 * target - 1` for a target of zeros and ones."""
    made = {
        program.text(a.targets[0].target)
        for a in program.all(cst.Assign)
        if isinstance(a.value, cst.Call) and last_name(program, a.value.func) == finding.name
    }
    for node in program.all(cst.Call):
        if program.line(node) != finding.line or program.text(node.func) not in made:
            continue
        if node.args:
            target = node.args[-1].value
            twice = cst.BinaryOperation(cst.Integer("2"), cst.Multiply(), operand(target))
            new = cst.BinaryOperation(twice, cst.Subtract(), cst.Integer("1"))
            yield Rewrite(
                program.replace({target: new}), f"line {finding.line}: 0 becomes -1, 1 stays 1"
            )


def _next_value(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """`series[i + w]`, where `series[i + w - 1]` is the last one of the window."""
    for node in sorted(program.all(cst.Subscript), key=program.line):
        index = node.slice[0].slice
        if len(node.slice) != 1 or not isinstance(index, cst.Index):
            continue
        value = index.value
        if (
            isinstance(value, cst.BinaryOperation)
            and isinstance(value.operator, cst.Subtract)
            and program.text(value.right) == "1"
            and isinstance(value.left, cst.BinaryOperation)
        ):
            yield Rewrite(
                program.replace({value: value.left}),
                f"line {program.line(node)}: the value behind the window",
                "the value that follows the window is to be predicted",
            )


_MAKERS: dict[str, Callable[[Program, Finding], Iterator[Rewrite]]] = {
    "misspelled": _misspelled,
    "always_drops": _drops_in_training,
    "gradient_ignored": _times_the_gradient,
    "used_up": _listed,
    "same_input": _given_on,
    "picks_samples": _class_of_each,
    "average_inverted": _decay_of_the_old,
    "clipped_late": _clipped_in_time,
    "validated_in_training": _evaluated,
    "threshold": _of_scores,
    "mask_without_effect": _hidden,
    "raw_scores_to_ctc": _with_logarithm,
    "targets_without_sign": _signed,
    "target_in_inputs": _next_value,
}
KINDS = frozenset(_MAKERS)
