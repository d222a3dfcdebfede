"""Edit the very line that a finding names, where its text shows what was meant."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

import libcst as cst

from executor.protocol import Finding
from knowledge.repair.codemod import Rewrite
from knowledge.repair.toolkit.edits import New, Program, call, method, operand
from knowledge.repair.toolkit.sites import calls, with_argument, without_argument
from knowledge.repair.toolkit.statements import (
    block,
    calls_of,
    inserted,
    last_name,
    moved,
)

_INFINITY = 'float("-inf")'


def edits(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """The edit that the kind of the finding calls for.

    Where only the names in the code say what is meant, no run decides it: an alternative.
    """
    for rewrite in _MAKERS[finding.kind](program, finding):
        if finding.kind in _BY_NAMES:
            meant = rewrite.intent or "the names in the line say what is meant"
            rewrite = replace(rewrite, intent=meant, supposes=True)
        yield rewrite


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
                    module,
                    f"line {finding.line}: clipped once the gradients are there, and used",
                    as_one=True,
                )


def _in_each_round(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """The step behind the only backward, in its loop."""
    steps = [s for s, c in calls_of(program, "step") if program.line(c) == finding.line]
    backwards = list(calls_of(program, "backward"))
    for step in steps if len(backwards) == 1 else ():
        if (module := moved(program, step, backwards[0][0], after=True)) is not None:
            yield Rewrite(module, f"line {finding.line}: a step after each backward()", as_one=True)


def _before_the_loop(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """What starts anew in each epoch, once, before the loop."""
    for node in program.all(cst.SimpleStatementLine):
        loop = program.up(node, cst.For)
        if program.line(node) != finding.line or loop is None or len(node.body) != 1:
            continue
        if (module := moved(program, node.body[0], loop)) is not None:
            yield Rewrite(
                module, f"line {finding.line}: once, before the loop over the epochs", as_one=True
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
        ones = f"(1 - {program.text(mask)}) * -1e9"
        total = cst.BinaryOperation(scores, cst.Add(), cst.parse_expression(ones))
        yield Rewrite(
            program.replace({product: total}),
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
        is_one = last_name(program, node.func) == "ctc_loss" or program.text(node.func) in names
        if is_one and node.args:
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


def _negated(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """`(1 - done)` for `done`."""
    for node in _named(program, finding):
        ones = cst.BinaryOperation(
            cst.Integer("1"),
            cst.Subtract(),
            operand(node),
            lpar=[cst.LeftParen()],
            rpar=[cst.RightParen()],
        )
        yield Rewrite(
            program.replace({node: ones}),
            f"line {finding.line}: the value counts as long as the episode goes on",
        )


def _named(program: Program, finding: Finding) -> list[cst.BaseExpression]:
    """The expressions on the finding's line that read as it says."""
    return [
        n
        for n in _on_line(program, finding, cst.BaseExpression)  # type: ignore[type-abstract]
        if isinstance(n, cst.BaseExpression) and _bare(program.text(n)) == _bare(finding.name)
    ]


def _bare(text: str) -> str:
    return re.sub(r"[\s()]", "", text)


def _turned_round(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """The two sides of a difference, exchanged."""
    for node in _named(program, finding):
        if isinstance(node, cst.BinaryOperation):
            new: dict[cst.CSTNode, New] = {node.left: node.right, node.right: node.left}
            yield Rewrite(
                program.replace(new),
                f"line {finding.line}: the difference the other way round",
                as_one=True,
            )


def _halved(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """`exp(0.5 * logvar)` for `exp(logvar)`."""
    for node in _named(program, finding):
        if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
            continue
        value = node.args[0].value if node.args else node.func.value
        half = cst.BinaryOperation(cst.Float("0.5"), cst.Multiply(), operand(value))
        if not node.args:
            half = half.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])
        yield Rewrite(
            program.replace({value: half}),
            f"line {finding.line}: the deviation is the root of the variance",
        )


def _unmasked(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """The mask turned round: True for what may not be looked at."""
    for node in _named(program, finding):
        told = f"line {finding.line}: True is what the layer leaves out"
        if isinstance(node, cst.Comparison):
            old = node.comparisons[0].operator
            if isinstance(old, cst.NotEqual):
                yield Rewrite(program.replace({old: cst.Equal()}), told)
            elif isinstance(old, cst.LessThan):
                yield Rewrite(program.replace({old: cst.GreaterThanEqual()}), told)
        elif "bool" in program.text(node):
            yield Rewrite(
                program.replace({node: cst.UnaryOperation(cst.BitInvert(), operand(node))}), told
            )
        else:
            zero = cst.ComparisonTarget(cst.Equal(), cst.Integer("0"))
            yield Rewrite(program.replace({node: cst.Comparison(operand(node), [zero])}), told)


def _last_two(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """The second and the third argument, exchanged."""
    for node in program.all(cst.Call):
        if len(node.args) < 3 or program.line(node) != finding.line:
            continue
        second, third = node.args[1].value, node.args[2].value
        if "".join(program.text(second).split()) == "".join(finding.name.split()):
            yield Rewrite(
                program.replace({second: third, third: second}),
                f"line {finding.line}: anchor, positive, negative",
                as_one=True,
            )


def _divided(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """Divided by the temperature."""
    for node in _named(program, finding):
        if isinstance(node, cst.BinaryOperation) and "temp" in program.text(node.right).lower():
            yield Rewrite(
                program.replace({node.operator: cst.Divide()}),
                f"line {finding.line}: the scores become sharper, and no flatter",
            )


def _transformed(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """`transform`, with what was learned of the training data."""
    for node in _named(program, finding):
        if isinstance(node, cst.Call) and isinstance(node.func, cst.Attribute):
            yield Rewrite(
                program.replace({node.func.attr: cst.Name("transform")}),
                f"line {finding.line}: the test data are scaled as the training data are",
            )


def _places(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """The places of the largest scores."""
    told = f"line {finding.line}: the places of the largest scores are the classes"
    for node in program.all(cst.Subscript):
        index = node.slice[0].slice
        if program.line(node) != finding.line or not isinstance(index, cst.Index):
            continue
        if program.text(index.value) == "0" and re.search(r"max\(", program.text(node.value)):
            yield Rewrite(program.replace({index.value: cst.Integer("1")}), told)
    for value in _on_line(program, finding, cst.Attribute):
        assert isinstance(value, cst.Attribute)
        if value.attr.value == "values":
            yield Rewrite(program.replace({value.attr: cst.Name("indices")}), told)
    for assign in _on_line(program, finding, cst.Assign):
        assert isinstance(assign, cst.Assign)
        target = assign.targets[0].target
        if isinstance(target, cst.Tuple) and len(target.elements) == 2:
            first, second = (e.value for e in target.elements)
            yield Rewrite(program.replace({first: second, second: first}), told, as_one=True)


def _other_sign(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """A term added that was taken off, or the other way round."""
    signs = {cst.Add: cst.Subtract, cst.Subtract: cst.Add}
    for node in _named(program, finding):
        total = program.parent(node)
        if isinstance(total, cst.BinaryOperation) and total.right is node:
            other = signs.get(type(total.operator))
            if other is not None:
                yield Rewrite(
                    program.replace({total.operator: other()}),
                    f"line {finding.line}: the term goes the way that it is called",
                )


def _other_mode(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """The other mode of a plateau scheduler."""
    other = finding.facts["quoted"][-1].partition("=")[2]
    for node in _named(program, finding):
        if isinstance(node, cst.Call):
            new = with_argument(node, 1, "mode", cst.SimpleString(other))
            yield Rewrite(
                program.replace({node: new}),
                f"line {finding.line}: the rate falls when it gets no better any more",
            )


def _other_direction(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """`<` for `>`, or the other way round."""
    for node in _named(program, finding):
        if isinstance(node, cst.Comparison):
            old = node.comparisons[0].operator
            larger = isinstance(old, cst.LessThan | cst.LessThanEqual)
            new = cst.GreaterThan() if larger else cst.LessThan()
            yield Rewrite(program.replace({old: new}), f"line {finding.line}: the best is kept")


def _difference_first(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """`(x - mean) / std`."""
    for node in _named(program, finding):
        if isinstance(node, cst.BinaryOperation) and isinstance(node.right, cst.BinaryOperation):
            over = node.right
            first = cst.BinaryOperation(node.left, cst.Subtract(), over.left)
            whole = cst.BinaryOperation(
                first.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()]),
                over.operator,
                over.right,
                lpar=node.lpar,
                rpar=node.rpar,
            )
            yield Rewrite(
                program.replace({node: whole}), f"line {finding.line}: mean 0 and deviation 1"
            )


def _not_shifted(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """`argmax(…)` without `+ 1`."""
    for node in _named(program, finding):
        if isinstance(node, cst.BinaryOperation):
            yield Rewrite(
                program.replace({node: node.left}),
                f"line {finding.line}: the class numbers that were trained on",
            )


def _one_draw(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """The targets of the very samples that the inputs are."""
    for node in _named(program, finding):
        if not isinstance(node, cst.Call) or len(node.args) < 2:
            continue
        target = node.args[1].value
        given = [
            s
            for s in program.inside(node.args[0].value, cst.Subscript)
            if isinstance(s.slice[0].slice, cst.Index)
            and isinstance(s.slice[0].slice.value, cst.Name)
        ]
        if isinstance(target, cst.Subscript) and given:
            yield Rewrite(
                program.replace({target.slice[0]: given[0].slice[0]}),
                f"line {finding.line}: each input with its own target",
            )


def _downhill(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """Against the gradient."""
    for node in _on_line(program, finding, cst.AugAssign):
        assert isinstance(node, cst.AugAssign)
        if isinstance(node.operator, cst.AddAssign):
            yield Rewrite(
                program.replace({node.operator: cst.SubtractAssign()}),
                f"line {finding.line}: the loss becomes smaller",
            )


def _one_less(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """`1 - score`."""
    for assign in _on_line(program, finding, cst.Assign):
        assert isinstance(assign, cst.Assign)
        new = cst.BinaryOperation(cst.Integer("1"), cst.Subtract(), operand(assign.value))
        yield Rewrite(
            program.replace({assign.value: new}),
            f"line {finding.line}: the better, the smaller the loss",
        )


def _without_padding(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """`ignore_index` of the cross-entropy."""
    for node in calls(program, r"(^|\.)(CrossEntropyLoss|cross_entropy|NLLLoss|nll_loss)$"):
        mark = cst.parse_expression(str(finding.facts["padding"]))
        yield Rewrite(
            program.replace({node: with_argument(node, 99, "ignore_index", mark)}),
            f"line {program.line(node)}: padding has no part in the loss",
        )


def _part_for_the_test(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """The part that was put aside, where the test goes over another one."""
    _, used, unread = finding.facts["quoted"][:3]
    statement = program.statement_on(finding.line) if finding.line else None
    for assign in program.inside(statement, cst.Assign) if statement is not None else ():
        for node in program.inside(assign.value, cst.Name):
            if node.value == used:
                yield Rewrite(
                    program.replace({node: cst.Name(unread)}),
                    f"line {finding.line}: tested on what was put aside for it",
                )


def _without_option(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """The option left out that leaves a class, or the only batch, out."""
    option = {"class_ignored": "ignore_index", "loader_empty": "drop_last"}[finding.kind]
    for node in sorted(program.all(cst.Call), key=program.line):
        for given in node.args:
            if given.keyword is not None and given.keyword.value == option:
                yield Rewrite(
                    program.replace({node: without_argument(node, given)}),
                    f"line {program.line(node)}: without `{option}` nothing is left out",
                )


def _minus(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """The loss with a minus."""
    for assign in _on_line(program, finding, cst.Assign):
        assert isinstance(assign, cst.Assign)
        new = cst.UnaryOperation(cst.Minus(), operand(assign.value))
        yield Rewrite(
            program.replace({assign.value: new}),
            f"line {finding.line}: what pays becomes likelier",
        )


def _other_term(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """The term that is in no sum, in the second place of the one that is there twice."""
    twice, left = finding.facts["quoted"][:2]
    for assign in _on_line(program, finding, cst.Assign):
        assert isinstance(assign, cst.Assign)
        found = [n for n in program.inside(assign.value, cst.Name) if n.value == twice]
        for node in found[1:] + found[:1]:
            yield Rewrite(
                program.replace({node: cst.Name(left)}),
                f"line {finding.line}: each term once",
            )


def _until_the_end(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """The value of the next state times `(1 - done)`."""
    done = finding.facts["quoted"][0]
    for node in _named(program, finding):
        if isinstance(node, cst.BinaryOperation):
            for ends in (f"(1 - {done})", f"(1 - {done}.float())", f"(not {done})"):
                product = cst.BinaryOperation(
                    node.right, cst.Multiply(), cst.parse_expression(ends)
                )
                yield Rewrite(
                    program.replace({node.right: product}),
                    f"line {finding.line}: nothing follows where the episode has ended",
                )


def _not_floored(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """`/` for `//`."""
    for node in _named(program, finding):
        if isinstance(node, cst.BinaryOperation):
            yield Rewrite(
                program.replace({node.operator: cst.Divide()}),
                f"line {finding.line}: the values keep what lies between 0 and 1",
            )


def _under_mask(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """The loss of what the mask for training picks."""
    mask = finding.facts["quoted"][0]
    index = [cst.SubscriptElement(cst.Index(cst.Name(mask)))]
    for node in _named(program, finding):
        if isinstance(node, cst.Call) and len(node.args) == 2:
            new: dict[cst.CSTNode, New] = {
                a.value: cst.Subscript(a.value, index) for a in node.args
            }
            yield Rewrite(
                program.replace(new),
                f"line {finding.line}: trained on what is there for training",
                as_one=True,
            )


def _with_graph(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """`create_graph=True`."""
    for node in _named(program, finding):
        if isinstance(node, cst.Call):
            kept = node
            for given in node.args:
                if given.keyword and given.keyword.value == "retain_graph":
                    kept = without_argument(kept, given)
            yield Rewrite(
                program.replace({node: with_argument(kept, 99, "create_graph", cst.Name("True"))}),
                f"line {finding.line}: the gradient goes through the derivative too",
            )


def _one_order(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """One random order for both."""
    others, labels = finding.facts["quoted"][:2]
    for assign in _on_line(program, finding, cst.Assign):
        assert isinstance(assign, cst.Assign)
        target, value = assign.targets[0].target, assign.value
        if isinstance(target, cst.Tuple) and isinstance(value, cst.Tuple):
            names = [program.text(e.value) for e in target.elements]
            if names == [others, labels]:
                order = f"torch.randperm(len({labels}))"
                new: dict[cst.CSTNode, New] = {
                    e.value: cst.parse_expression(f"{name}[order]")
                    for e, name in zip(value.elements, names, strict=True)
                }
                yield Rewrite(
                    program.replace(new, beside=inserted(program, assign, f"order = {order}")),
                    f"line {finding.line}: each label stays with its sample",
                    as_one=True,
                    new_name="order",
                )


def _over_samples(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """Divided by the number of samples."""
    for node in _named(program, finding):
        if isinstance(node, cst.BinaryOperation) and isinstance(node.right, cst.Call):
            loader = node.right.args[0].value
            samples = cst.Attribute(operand(loader), cst.Name("dataset"))
            yield Rewrite(
                program.replace({loader: samples}),
                f"line {finding.line}: a share of the samples",
            )


def _clean(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """The data without noise as the target."""
    for node in _named(program, finding):
        if isinstance(node, cst.Call) and len(node.args) == 2:
            clean = finding.facts["quoted"][-1]
            yield Rewrite(
                program.replace({node.args[1].value: cst.Name(clean)}),
                f"line {finding.line}: the noise is to be taken away",
            )


def _backwards(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """From the last reward to the first; the list turned round again where it is not already."""
    for node in _named(program, finding):
        loop = program.up(node, cst.For)
        if loop is None or loop.iter is not node:
            continue
        told = f"line {finding.line}: what comes after each step is added up"
        new: dict[cst.CSTNode, New] = {node: call("reversed", cst.Arg(node))}
        appended = [
            program.text(c.func.value)
            for c in program.inside(loop.body, cst.Call)
            if last_name(program, c.func) == "append" and isinstance(c.func, cst.Attribute)
        ]
        beside = inserted(program, loop, f"{appended[0]}.reverse()", after=True) if appended else {}
        yield Rewrite(program.replace(new, beside=beside), told, as_one=True)


def _along_steps(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """Positions along dimension 1."""
    for node in _named(program, finding):
        text = program.text(node)
        along = re.sub(r"\.size\(0\)|\.shape\[0\]", ".size(1)", text)
        for code in (f"{along}.transpose(0, 1)", along, re.sub(r"\[\s*:", "[:, :", along)):
            yield Rewrite(
                program.replace({node: cst.parse_expression(code)}),
                f"line {finding.line}: each step has a position",
            )


def _real_label(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """The label that the same judge is given of real samples."""
    judge, label = finding.facts["quoted"][:2]
    found = []
    for loss in program.all(cst.Call):
        judged = loss.args[0].value if len(loss.args) == 2 else None
        if isinstance(judged, cst.Call) and program.text(judged.func) == judge:
            found.append(loss.args[1].value)
    others = {program.text(v): v for v in found if program.text(v) != label}
    for node in _named(program, finding):
        if isinstance(node, cst.Call) and len(others) == 1:
            yield Rewrite(
                program.replace({node.args[1].value: next(iter(others.values()))}),
                f"line {finding.line}: the generator tries to be taken for real",
            )


def _dropped_share(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """The share that is dropped, where the one that is kept was written."""
    for node in _named(program, finding):
        if isinstance(node, cst.Call) and node.args:
            value = node.args[0].value
            if isinstance(value, cst.Float) and 0 < (left := 1 - float(value.value)) < 1:
                yield Rewrite(
                    program.replace({value: cst.Float(f"{left:.2g}")}),
                    f"line {finding.line}: most of the values are kept",
                    "the number was to be the share that is kept",
                )


def _negative(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """`-0.5` for `0.5`."""
    for node in _named(program, finding):
        if isinstance(node, cst.BinaryOperation) and isinstance(node.left, cst.Float):
            yield Rewrite(
                program.replace({node.left: cst.UnaryOperation(cst.Minus(), node.left)}),
                f"line {finding.line}: the divergence is positive, and becomes smaller",
            )


def _in_order(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """The prediction first, then the target."""
    for node in _named(program, finding):
        if isinstance(node, cst.Call) and len(node.args) >= 2:
            first, second = node.args[0].value, node.args[1].value
            yield Rewrite(
                program.replace({first: second, second: first}),
                f"line {finding.line}: the prediction first, then the target",
                as_one=True,
            )


def _inverse(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """The inverse of the weights."""
    for c in calls(program, r"(^|\.)(CrossEntropyLoss|NLLLoss|cross_entropy|nll_loss)$"):
        for given in c.args:
            if given.keyword is not None and given.keyword.value == "weight":
                one = cst.BinaryOperation(cst.Integer("1"), cst.Divide(), operand(given.value))
                yield Rewrite(
                    program.replace({given.value: one}),
                    f"line {program.line(c)}: the rarer a class, the larger its weight",
                    "the classes are to be balanced",
                )


def _as_numbers(program: Program, finding: Finding) -> Iterator[Rewrite]:
    """The advantage without its graph, where it is multiplied with log-probabilities."""
    for node in sorted(program.all(cst.BinaryOperation), key=program.line):
        if not isinstance(node.operator, cst.Multiply):
            continue
        for side, other in ((node.left, node.right), (node.right, node.left)):
            is_gain = re.search(r"(?i)adv|delta|td", program.text(side))
            if is_gain and re.search(r"(?i)log", program.text(other)):
                yield Rewrite(
                    program.replace({side: method(side, "detach")}),
                    f"line {program.line(node)}: the policy's loss leaves the values alone",
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
    "step_outside": _in_each_round,
    "made_each_epoch": _before_the_loop,
    "seeded_each_epoch": _before_the_loop,
    "validated_in_training": _evaluated,
    "threshold": _of_scores,
    "terminal_kept": _negated,
    "ratio_inverted": _turned_round,
    "split_unused": _part_for_the_test,
    "class_ignored": _without_option,
    "loader_empty": _without_option,
    "padding_counts": _without_padding,
    "drawn_apart": _one_draw,
    "step_uphill": _downhill,
    "score_as_loss": _one_less,
    "quantile_sign": _turned_round,
    "plateau_mode": _other_mode,
    "best_is_worst": _other_direction,
    "precedence": _difference_first,
    "classes_shifted": _not_shifted,
    "optimizer_each_epoch": _before_the_loop,
    "deviation_of_log": _halved,
    "mask_inverted": _unmasked,
    "triplet_order": _last_two,
    "temperature_multiplied": _divided,
    "fitted_on_test": _transformed,
    "values_as_classes": _places,
    "gain_as_loss": _minus,
    "penalty_rewarded": _other_sign,
    "over_batches": _over_samples,
    "target_noisy": _clean,
    "returns_forwards": _backwards,
    "positions_of_samples": _along_steps,
    "same_answer": _real_label,
    "drops_most": _dropped_share,
    "sign_of_kl": _negative,
    "exchanged": _in_order,
    "weights_inverted": _inverse,
    "advantage_not_detached": _as_numbers,
    "term_twice": _other_term,
    "end_left_out": _until_the_end,
    "pixels_floored": _not_floored,
    "mask_left_out": _under_mask,
    "graph_left_out": _with_graph,
    "shuffled_apart": _one_order,
    "mask_without_effect": _hidden,
    "raw_scores_to_ctc": _with_logarithm,
    "targets_without_sign": _signed,
    "target_in_inputs": _next_value,
}
KINDS = frozenset(_MAKERS)
_BY_NAMES = frozenset(
    {"terminal_kept", "end_left_out", "ratio_inverted", "gain_as_loss", "penalty_rewarded",
     "returns_forwards", "same_answer", "score_as_loss", "step_uphill", "triplet_order",
     "temperature_multiplied", "quantile_sign", "best_is_worst", "plateau_mode", "target_noisy",
     "threshold", "exchanged", "drops_most", "mask_left_out", "term_twice", "classes_shifted",
     "precedence", "positions_of_samples", "deviation_of_log", "sign_of_kl",
     "seeded_each_epoch", "made_each_epoch", "optimizer_each_epoch"}
)  # fmt: skip
