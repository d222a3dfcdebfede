"""Give a loss what it is made for: the last layer's values, its arguments in order, scaled data."""

import re
from collections.abc import Iterator

import libcst as cst

from executor.protocol import Finding, JobResult
from knowledge.repair.codemod import Check, Rewrite, Rewrites
from knowledge.repair.computed import backwards
from knowledge.repair.fingerprints import same_values
from knowledge.repair.toolkit.edits import Edits, Program, method, operand
from knowledge.repair.toolkit.flow import held_as, reads
from knowledge.repair.toolkit.sites import (
    assignment,
    calls,
    scope_of,
    with_argument,
    without_argument,
)
from knowledge.repair.toolkit.statements import last_name

OF_ARTICLES = frozenset({"softmax_before_cross_entropy", "sigmoid_before_bce_with_logits"})
_OF_ACTIVATION = {
    "ReLU": ("relu", "ReLU"),
    "Relu": ("relu", "ReLU"),
    "clamp": ("clamp", "clip", "clamp_min"),
    "ReLU6": ("relu6", "hardtanh", "ReLU6", "Hardtanh"),
    "threshold": ("threshold", "Threshold"),
    "Tanh": ("tanh", "Tanh"),
    "Sigmoid": ("sigmoid", "Sigmoid"),
    "Softmax": ("softmax", "Softmax"),
}
_FUNCTIONS = re.compile(r"^(torch(\.\w+)*|F|nn\.functional|self(\.\w+)*)$")
_THRESHOLD = re.compile(r"[<>]=?\s*0?\.5\b|\.round\(|\bround\(")


# -- an activation too many ------------------------------------------------------------------


def _once(program: Program, finding: Finding) -> Rewrites:
    """What the loss applies itself left out of the model."""
    activation = finding.kind.partition("_")[0]
    for node, edit in _last(program, (activation, activation.capitalize())):
        told, at = "the model hands on its scores", program.line(node)
        if node in edit and (given := _given_to_a_call(program, node)) is not None:
            told, at, edit = "it is given the scores", program.line(given), {given: edit[node]}
        applied = f"line {at}: the loss applies {activation} itself"
        yield Rewrite(program.replace(edit), f"{applied}, so {told}")


def _given_to_a_call(program: Program, call: cst.Call) -> cst.Name | None:
    """Where the one call takes a result that is returned too, as what the model says."""
    made = program.parent(call)
    target = made.targets[0].target if isinstance(made, cst.Assign) else None
    if not isinstance(target, cst.Name):
        return None
    used = reads(program, target.value, scope_of(program, call))
    returned = any(isinstance(program.parent(u), cst.Return) for u in used)
    given = [u for u in used if isinstance(program.parent(u), cst.Arg)]
    return given[0] if returned and len(given) == 1 else None


def checks(before: JobResult, after: JobResult) -> list[Check]:
    """What is applied once gives another loss than what was applied twice."""
    first, then = backwards(before)[:1], backwards(after)[:1]
    if not any(f.kind in OF_ARTICLES for f in before.findings) or not (first and then):
        return []
    a, b = first[0].loss, then[0].loss
    changed = a is not None and b is not None and a.shape == b.shape and not same_values(a, b)
    detail = "it is computed from the scores" if changed else "the loss is not computed anew"
    return [Check(name="loss", passed=changed, detail=detail)]


def _without_activation(program: Program, finding: Finding) -> Rewrites:
    """The activation left out, at each place where it is the last thing that is done."""
    activation = str(finding.facts["activation"])
    names = _OF_ACTIVATION.get(activation, ())
    also: Edits = {}
    if "binary" in str(finding.facts.get("loss", "")):
        if _THRESHOLD.search(program.module.code):
            return  # what reads a probability elsewhere would have to be changed too
        also = _with_logits(program)
    intent = ""
    if finding.kind == "targets_out_of_reach":
        intent = "the targets are to stay as they are"
    for node, edit in _last(program, names):
        told = f"without the {activation} the loss gets the values of the last layer as they are"
        yield program.edit({**edit, **also}, told, intent, at=node, as_one=bool(also))


def _last(program: Program, names: tuple[str, ...]) -> Iterator[tuple[cst.Call, Edits]]:
    """Where one of these is applied last, with the edit that leaves it out, from below."""
    kept = {
        target.attr.value
        for c in program.all(cst.Call)
        if last_name(program, c.func) in names
        and isinstance(assign := program.parent(c), cst.Assign)
        and isinstance(target := assign.targets[0].target, cst.Attribute)
    }
    for call in sorted(program.all(cst.Call), key=program.line, reverse=True):
        name = last_name(program, call.func)
        if (name not in names and name not in kept) or _is_made_again(program, call):
            continue
        argument = program.parent(call)
        around = program.parent(argument) if isinstance(argument, cst.Arg) else None
        if isinstance(around, cst.Call) and last_name(program, around.func) == "Sequential":
            if around.args[-1] is argument and len(around.args) > 1:
                yield call, {around: without_argument(around, argument)}
        elif name[:1].islower() and isinstance(argument, (cst.Return, cst.Assign, cst.Arg)):
            value = _of(program, call)
            if value is not None:
                yield call, {call: value}


def _is_made_again(program: Program, call: cst.Call) -> bool:
    """Whether it is of a block that the program makes several times, in its midst too."""
    kinds: tuple[type[cst.FunctionDef | cst.ClassDef], ...] = (cst.FunctionDef, cst.ClassDef)
    for block in (program.up(call, kind) for kind in kinds):
        made = list(calls(program, rf"^{block.name.value}$")) if block is not None else []
        rounds: tuple[type[cst.CSTNode], ...] = (cst.For, cst.ListComp, cst.GeneratorExp)
        if len(made) > 1 or any(program.up(m, kind) for m in made for kind in rounds):
            return True
    return False


def _of(program: Program, call: cst.Call) -> cst.BaseExpression | None:
    """What it is applied to: `x` of `F.relu(x)`, `self.relu(x)` and `x.relu()`."""
    assert isinstance(call.func, (cst.Attribute, cst.Name))
    owner = program.text(call.func.value) if isinstance(call.func, cst.Attribute) else ""
    if not owner or _FUNCTIONS.match(owner):
        plain = [a for a in call.args if a.keyword is None or a.keyword.value == "input"]
        return plain[0].value if plain else None
    assert isinstance(call.func, cst.Attribute)
    return call.func.value


def _with_logits(program: Program) -> Edits:
    """The binary cross-entropies that expect probabilities, as those that take scores."""
    functions = _renamed(program, binary_cross_entropy="binary_cross_entropy_with_logits")
    return functions | _renamed(program, BCELoss="BCEWithLogitsLoss")


def _renamed(program: Program, **names: str) -> Edits:
    """The functions of a module that have a name, by their new names."""
    return {
        call.func: call.func.with_changes(attr=cst.Name(new))
        for old, new in names.items()
        for call in calls(program, rf"(^|\.){old}$")
        if isinstance(call.func, cst.Attribute)
    }


def _of_scores(program: Program, finding: Finding) -> Rewrites:
    """The loss that takes scores, where nothing else reads them as probabilities."""
    edit = _with_logits(program)
    if edit and not _THRESHOLD.search(program.module.code):
        told = "the loss takes the scores, and applies the sigmoid itself"
        yield program.edit(edit, told, at=min(edit, key=program.line), as_one=True)


# -- another loss ----------------------------------------------------------------------------


def _one_loss_a_label(program: Program, finding: Finding) -> Rewrites:
    """A binary cross-entropy for each label, and a sigmoid wherever a softmax shares out one."""
    binary = {"cross_entropy": "binary_cross_entropy_with_logits"}
    found = _renamed(program, **binary, CrossEntropyLoss="BCEWithLogitsLoss")
    takes = [c for c in program.all(cst.Call) if c.func in found]
    if [len(c.args) for c in takes] not in ([2], [0]) or [*calls(program, r"\bSoftmax$")]:
        return
    also: Edits = {}
    for call in calls(program, r"(^|\.)softmax$"):
        around, given = program.up(call, cst.FunctionDef), _of(program, call)
        if given is not None and (around is None or around.name.value != "forward"):
            also[call] = method(given, "sigmoid")
    edit: Edits = {**found, **also}
    told, intent = "each label has a probability of its own", "several labels may be right at once"
    yield program.edit(edit, told, intent, at=takes[0], as_one=bool(also))


def _with_logarithm(program: Program, finding: Finding) -> Rewrites:
    """log_softmax for the softmax; or cross_entropy, which applies it, where there is none."""
    if finding.facts.get("softmax"):
        edit = _renamed(program, softmax="log_softmax", Softmax="LogSoftmax")
        told = "nll_loss gets the logarithms that it expects"
        intent = "the model gives probabilities"
    else:
        edit = _renamed(program, nll_loss="cross_entropy", NLLLoss="CrossEntropyLoss")
        told, intent = "cross_entropy applies log_softmax itself", "the model gives raw scores"
    if len(edit) == 1:
        yield program.edit(edit, told, intent)


def _as_logarithms(program: Program, finding: Finding) -> Rewrites:
    """Log-probabilities for the first argument of kl_div, or `log_target=True` for the second."""
    made = list(calls(program, r"(^|\.)KLDivLoss$"))
    held = {held_as(program, c).rpartition(".")[2] for c in made}
    statement = program.statement_on(finding.line)
    inside = list(program.inside(statement, cst.Call)) if statement is not None else []
    losses = [c for c in inside if last_name(program, c.func) in {"kl_div"} | held - {""}]
    if len(losses) != 1 or not losses[0].args:
        return
    loss, told = losses[0], "kl_div gets the log-probabilities that it expects"
    if finding.facts["given"] == "log_target":
        is_function = last_name(program, loss.func) == "kl_div"
        call = loss if is_function or not made else made[0]
        place = 5 if is_function else 3
        edit: Edits = {call: with_argument(call, place, "log_target", cst.Name("True"))}
        if len(made) < 2:
            yield program.edit(edit, "the target holds logarithms", at=loss)
        return
    given = loss.args[0].value
    if finding.facts["given"] == "scores":
        dim = cst.Arg(cst.parse_expression(str(finding.facts["dim"])))
        yield program.edit({given: method(given, "log_softmax", dim)}, told, at=loss)
        return
    if isinstance(given, cst.Name):
        assign = assignment(program, given.value, loss)
        given = assign.value if assign is not None else given
    if isinstance(given, cst.Call) and last_name(program, given.func) == "softmax":
        assert isinstance(given.func, cst.Attribute | cst.Name)
        name = cst.Name("log_softmax")
        if isinstance(given.func, cst.Attribute):
            renamed: Edits = {given.func: given.func.with_changes(attr=name)}
            yield program.edit(renamed, told, "the two distributions are to be compared")


def _in_order(program: Program, finding: Finding) -> Rewrites:
    """The two arguments of a loss, exchanged."""
    statement = program.statement_on(finding.line)
    for call in program.inside(statement, cst.Call):
        plain = [a for a in call.args if a.keyword is None and not a.star]
        if len(call.args) != 2 or len(plain) != 2:
            continue
        first, second = plain
        turned: Edits = {first.value: second.value, second.value: first.value}
        yield program.edit(turned, "the prediction first, then the target", at=call, as_one=True)


def _ctc_with_logarithm(program: Program, finding: Finding) -> Rewrites:
    """log_softmax of what ctc_loss is given."""
    names = {held_as(program, c) for c in calls(program, r"(^|\.)CTCLoss$")}
    for node in program.all(cst.Call):
        is_one = last_name(program, node.func) == "ctc_loss" or program.text(node.func) in names
        if is_one and node.args:
            given = node.args[0].value
            new = method(given, "log_softmax", cst.Arg(cst.parse_expression("-1")))
            yield program.edit({given: new}, "the loss gets the logarithms it expects", at=node)


def _signed(program: Program, finding: Finding) -> Rewrites:
    """`2 * target - 1` for a target of zeros and ones."""
    made = {held_as(program, c) for c in calls(program, rf"(^|\.){re.escape(finding.name)}$")}
    for node in program.all(cst.Call):
        if program.line(node) == finding.line and program.text(node.func) in made and node.args:
            target = node.args[-1].value
            new = cst.parse_expression(f"2 * {program.text(operand(target))} - 1")
            yield program.edit({target: new}, "0 becomes -1, 1 stays 1", at=node)


EDITS = {
    "softmax_before_cross_entropy": _once,
    "sigmoid_before_bce_with_logits": _once,
    "relu_before_loss": _without_activation,
    "targets_out_of_reach": _without_activation,
    "several_classes": _one_loss_a_label,
    "raw_scores_to_nll": _with_logarithm,
    "raw_scores_to_bce": _of_scores,
    "loss_arguments_swapped": _in_order,
    "kl_div_arguments": _as_logarithms,
    "raw_scores_to_ctc": _ctc_with_logarithm,
    "targets_without_sign": _signed,
}
