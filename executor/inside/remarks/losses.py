"""Find losses that do not fit what they are given."""

from __future__ import annotations

import ast

from executor.inside.remarks.edits import Told, put, way
from executor.inside.remarks.syntax import (
    Found,
    argument,
    assigned,
    callee,
    dotted,
    functions,
    inside,
    is_linear,
    is_optimizer,
    is_without,
    last_value,
    made_of,
    methods_named,
    module_classes,
    number,
    origins,
    owner,
    tail,
    trained,
    trained_losses,
    walk,
    words,
)

_FEW_CLASSES = 20  # outputs of a last layer that are most likely scores of classes


def _scores_cut(tree: ast.Module) -> Found:
    """A ReLU behind the last Linear layer of few outputs."""
    losses = {tail(_averaged(v)) for *_, v in trained_losses(tree)}
    for module in module_classes(tree):
        if any(tail(v) == module.name and name in losses for _, name, v in assigned(tree)):
            continue  # what it gives is the loss
        outputs: dict[str, object] = {}
        for node in walk(module):
            match node:
                case ast.Assign(
                    targets=[target],
                    value=ast.Call(args=[_, ast.Constant(value=n), *_]) as made,
                ) if callee(made) == "Linear":
                    outputs[dotted(target)] = n
        for forward in methods_named(module, "forward"):
            last = last_value(forward)
            match last:
                case ast.Call(args=[ast.Call(func=ast.Attribute() as layer)]) if (
                    callee(last) == "relu"
                    and isinstance(few := outputs.get(dotted(layer)), int)
                    and few <= _FEW_CLASSES
                ):
                    yield (
                        "scores_cut",
                        last,
                        f"the last layer's {few} outputs go through a ReLU, which makes all "
                        "negative ones 0 and stops their gradient: leave it out where they are "
                        "scores for a loss",
                    )


def _averaged(value: ast.expr) -> ast.expr:
    """What is averaged or summed up: `net(x)` of `net(x).mean()`."""
    match value:
        case ast.Call(func=ast.Attribute(value=ast.Call() as of, attr="mean" | "sum")):
            return of
    return value


_TAKES = {
    "CrossEntropyLoss": "scores",
    "cross_entropy": "scores",
    "BCEWithLogitsLoss": "logits",
    "binary_cross_entropy_with_logits": "logits",
    "NLLLoss": "logs",
    "nll_loss": "logs",
    "BCELoss": "probabilities",
    "binary_cross_entropy": "probabilities",
}
_ACTIVATIONS = {
    "softmax": "softmax",
    "softmax2d": "softmax",
    "sigmoid": "sigmoid",
    "log_softmax": "log_softmax",
    "logsoftmax": "log_softmax",
    "relu": "ReLU",
    "relu6": "ReLU",
}
_WRONG = {
    ("scores", "sigmoid"): (
        "sigmoid_first",
        "cross entropy takes the scores as they are and applies log_softmax itself: a sigmoid "
        "before it squeezes them between 0 and 1, so that it learns slowly or stands still; leave "
        "the sigmoid out",
    ),
    ("logits", "sigmoid"): (
        "sigmoid_twice",
        "BCEWithLogitsLoss applies the sigmoid itself, so it is applied twice here: no output gets "
        "below 0.5 and it learns slowly; give the loss the scores as they are",
    ),
    ("logits", "softmax"): (
        "sigmoid_twice",
        "BCEWithLogitsLoss applies a sigmoid itself: it takes the scores as they are, and no "
        "softmax belongs before it (for one class of several, use cross entropy)",
    ),
    ("logs", "softmax"): (
        "nll_without_log",
        "NLLLoss takes log-probabilities, and gets probabilities here: the loss is negative and "
        "learns badly; use log_softmax, or CrossEntropyLoss on the scores as they are",
    ),
    ("probabilities", "softmax"): (
        "bce_of_softmax",
        "binary cross entropy asks one yes or no per output; with a softmax before it one class of "
        "several is meant, and that is `F.cross_entropy(scores, labels)` on the scores without the "
        "softmax, with the class numbers as labels (of sequences both flattened: "
        "`scores.view(-1, n_classes)`, `labels.view(-1)`)",
    ),
    ("probabilities", "ReLU"): (
        "bce_of_relu",
        "binary cross entropy takes probabilities, and a ReLU gives values of 0 and over 1; leave "
        "it out and use BCEWithLogitsLoss on the scores",
    ),
    ("scores", "softmax"): (
        "softmax_twice",
        "cross entropy applies log_softmax itself: it takes the scores as they are; with a softmax "
        "before it, it learns slowly or stands still",
    ),
}


def _given_to_loss(tree: ast.Module) -> Found:
    """An activation that is given to a loss right where that is called."""
    takes = losses_of(tree)
    for scope in walk(tree):
        if not isinstance(scope, (ast.Module, ast.FunctionDef)):
            continue
        if isinstance(scope, ast.FunctionDef) and any(map(is_without, scope.decorator_list)):
            continue
        given = _own_assigned(scope)
        off = {
            n for w in inside(scope) if isinstance(w, ast.With)
            and any(is_without(i.context_expr) for i in w.items) for n in walk(w)
        }  # fmt: skip
        for call in (n for n in inside(scope) if isinstance(n, ast.Call)):
            first = argument(call, 0, "input")
            if first is None or not (wanted := takes_of(call, takes)) or _is_own(call, tree):
                continue
            if call in off:
                continue  # a figure: nothing learns from it
            value = _unwrapped(first)
            if isinstance(value, ast.Name):
                before = [v for n, name, v in given if name == value.id and n.lineno <= call.lineno]
                if before and _is_for_some(before[-1], call, scope):
                    continue  # `if isinstance(loss_fn, nn.BCELoss): out = torch.sigmoid(out)`
                value = _unwrapped(before[-1]) if before else value
                first = before[-1] if before else first
            end, activation = _applied(value, tree)
            if end is not value and ends(tree):
                continue  # told of the model itself
            if activation == "softmax" and isinstance(first, ast.Subscript):
                continue  # the probability of one class of two is one of a yes or no
            if wrong := _WRONG.get((wanted, activation)):
                yield wrong[0], call, wrong[1]


def _is_own(call: ast.Call, tree: ast.Module) -> bool:
    """Whether it calls a function or method that the code has under a name of PyTorch's."""
    unknown = owner(call) == "self" and dotted(call.func) not in origins(tree)
    return callee(call) in _TAKES and (callee(call) in functions(tree) or unknown)


def _is_for_some(value: ast.expr, call: ast.Call, scope: ast.AST) -> bool:
    """Whether a branch computes it in which the loss is not."""
    return any(
        any(value in walk(s) for s in run) and not any(call in walk(s) for s in run)
        for branch in inside(scope)
        if isinstance(branch, ast.If)
        for run in (branch.body, branch.orelse)
    )


def _own_assigned(scope: ast.AST) -> list[tuple[ast.Assign, str, ast.expr]]:
    own = [n for n in inside(scope) if isinstance(n, ast.Assign)]
    return sorted((a for n in own for a in assigned(n)), key=lambda a: a[0].lineno)


def losses_of(tree: ast.Module) -> dict[str, str]:
    """Variable → what the loss that it holds takes; nothing of one that holds several."""
    found: dict[str, set[str]] = {}
    for name, values in origins(tree).items():
        held = [v for value in values for v in made_of(value, tree)]
        known = [v for v in held if not isinstance(v, ast.Constant | ast.Name)]
        found[name] = {_TAKES.get(tail(v), "") for v in known}
    return {name: next(iter(kinds)) for name, kinds in found.items() if len(kinds) == 1}


def takes_of(call: ast.Call, losses: dict[str, str]) -> str:
    if isinstance(call.func, ast.Call):  # nn.CrossEntropyLoss()(output, target)
        return _TAKES.get(callee(call.func), "")
    if callee(call)[:1].islower() and callee(call) in _TAKES:
        return _TAKES[callee(call)]
    return losses.get(dotted(call.func), "")


def _unwrapped(value: ast.expr) -> ast.expr:
    """Without `.squeeze()`, `.view(…)`, `[:, 0]` and the like around it."""
    shapes = ("squeeze", "view", "reshape", "flatten", "transpose", "permute", "float", "to")
    while True:
        match value:
            case ast.Subscript(value=inner) if not isinstance(inner, ast.Name):
                value = inner
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="torch"), attr=attr), args=[inner, *_]
            ):
                if attr not in shapes:
                    return value
                value = inner
            case ast.Call(func=ast.Attribute(value=inner, attr=attr)) if attr in shapes:
                value = inner
            case ast.Subscript(value=inner):
                return inner
            case _:
                return value


def _applied(value: ast.expr, tree: ast.AST) -> tuple[ast.AST, str]:
    """The activation that an expression ends in, by a layer or by a part of a model too."""
    if isinstance(value, ast.Call) and dotted(value.func) in origins(tree):
        held = made_of(value.func, tree)
        found = {_last_of(layer, tree) for layer in held}
        if len(found) == 1:
            end, activation = found.pop()
            return (end if tail(held[0]) == "Sequential" else value), activation
    return value, is_activated(value)


def _last_of(layer: ast.AST, tree: ast.AST, depth: int = 0) -> tuple[ast.AST, str]:
    """What a layer ends in: a Sequential in its last one, a list of layers in that."""
    if depth > _DEEP:  # `model = nn.Sequential(first, model)`
        return layer, ""
    match layer:
        case ast.Call(args=[*_, ast.Starred(value=last) | last]) if callee(layer) == "Sequential":
            held = made_of(last, tree)
            return (
                _last_of(held[0], tree, depth + 1)
                if len(held) == 1 and not _grows(last, tree)
                else (layer, "")
            )
        case ast.Call(args=[ast.List() as layers]) if callee(layer) == "OrderedDict":
            return _last_of(layers, tree, depth)
        case ast.List(elts=[*_, ast.Tuple(elts=[_, last]) | last]):
            return _last_of(last, tree, depth)
        case ast.Call():
            return layer, _ACTIVATIONS.get(callee(layer).lower(), "")
    return layer, ""


_DEEP = 4  # Sequentials within one another


def _grows(layers: ast.expr, tree: ast.AST) -> bool:
    """Whether anything is put into a list behind what it was made of."""
    name = dotted(layers)
    return name != "" and any(
        (isinstance(n, ast.AugAssign) and dotted(n.target) == name)
        or (
            isinstance(n, ast.Call)
            and owner(n) == name
            and tail(n) in ("append", "extend", "insert")
        )
        for n in walk(tree)
    )


def is_activated(value: ast.expr | None) -> str:
    """The activation that a call applies; empty for any other value."""
    if not isinstance(value, ast.Call):
        return ""
    if isinstance(value.func, ast.Call):  # nn.Softmax(dim=1)(x)
        return _ACTIVATIONS.get(tail(value.func).lower(), "")
    if tail(value)[:1].isupper():
        return ""
    return _ACTIVATIONS.get(tail(value), "")


def _model_ends(tree: ast.Module) -> Found:
    """A model whose last activation does not belong before the loss of the code."""
    losses = losses_of(tree)
    called = {takes_of(n, losses) for n in walk(tree) if isinstance(n, ast.Call)} - {""}
    takes = called or {_TAKES[w] for w in words(tree) if w in _TAKES}
    for end, activation in ends(tree):
        for kind in sorted(takes):
            wrong = _WRONG.get((kind, activation))
            if wrong and (len(takes) == 1 or kind == "scores") and not _is_changed(kind, tree):
                yield wrong[0], end, wrong[1]


def _is_changed(kind: str, tree: ast.Module) -> bool:
    """Whether such a loss gets something else than what the model gives: `torch.log(probs)`."""
    return any(tail(v) in _OTHERWISE for v in _given_to(kind, tree))


_OTHERWISE = frozenset(["log", "log1p", "logit", "exp", "log_softmax", "logsigmoid"])


def ends(tree: ast.Module) -> list[tuple[ast.AST, str]]:
    """What the only model of the code ends in: where it stands, and which activation it is."""
    classes = [c for c in module_classes(tree) if any(True for _ in methods_named(c, "forward"))]
    inner = {id(n) for c in classes for n in walk(c)}
    whole = [
        call
        for _, _, call in assigned(tree)
        if isinstance(call, ast.Call) and callee(call) == "Sequential" and id(call) not in inner
    ]
    models = {frozenset(trained(n, tree)) for n in walk(tree)
              if isinstance(n, ast.Call) and is_optimizer(n)}  # fmt: skip
    if len(classes) + len(whole) != 1 or len(models) > 1:
        return []  # of several models nobody knows which one the loss gets
    if whole:
        return [_last_of(whole[0], tree)]
    last = next((v for f in methods_named(classes[0], "forward") if (v := last_value(f))), None)
    if last is None or isinstance(last, ast.Subscript):
        return []
    return [_applied(_unwrapped(last), tree)]


def threshold(tree: ast.Module) -> Found:
    """Scores of a loss with logits that are compared with 0.5 as if they were probabilities."""
    said = words(tree)
    if not said & {"BCEWithLogitsLoss", "binary_cross_entropy_with_logits"}:
        return
    if said & {"BCELoss", "binary_cross_entropy"} or _squashes(tree):
        return
    models = {dotted(v.func) for v in _given_to("logits", tree) if isinstance(v, ast.Call)} - {""}
    for node in walk(tree):
        match node:
            case (
                ast.Compare(left=out, ops=[ast.Gt() | ast.GtE()], comparators=[limit])
                | ast.Call(
                    func=ast.Attribute(value=ast.Name(id="torch"), attr="gt" | "ge"),
                    args=[out, limit],
                )
                | ast.Call(func=ast.Attribute(value=out, attr="gt" | "ge"), args=[limit])
            ) if number(limit, tree) == 0.5:
                new = way("a score of 0 is a probability of one half", put(limit, "0"))
            case (
                ast.Call(func=ast.Attribute(value=ast.Name(id="torch"), attr="round"), args=[out])
                | ast.Call(func=ast.Attribute(attr="round", value=out), args=[])
            ):
                given = put(out, "torch.sigmoid(", out, ")")
                new = way("the scores become probabilities first", given)
            case _:
                continue
        if _is_output(out) or _is_of_a_model(out, models, tree):
            yield Told("threshold", node, _THRESHOLD, (new,))


def _given_to(kind: str, tree: ast.Module) -> list[ast.expr]:
    """What losses of a kind get as their first argument, without the form that it is brought to."""
    losses = losses_of(tree)
    given = (
        argument(n, 0, "input") for n in walk(tree)
        if isinstance(n, ast.Call) and takes_of(n, losses) == kind
    )  # fmt: skip
    return [
        _unwrapped(v) for first in given if first is not None
        for v in made_of(_unwrapped(first), tree)
    ]  # fmt: skip


def _is_of_a_model(value: ast.expr, models: set[str], tree: ast.Module) -> bool:
    """Whether it is what one of these gives, in whatever form, and nothing else."""
    made = [_unwrapped(v) for v in made_of(_unwrapped(value), tree)]
    return bool(made) and all(isinstance(v, ast.Call) and dotted(v.func) in models for v in made)


def _squashes(tree: ast.Module) -> bool:
    """Whether a sigmoid may be applied to what a model gives: in the model, or to its output."""
    inner = {id(n) for c in module_classes(tree) for n in walk(c)}
    given = {
        name
        for _, name, value in assigned(tree)
        if any(isinstance(n, ast.Call) and _is_output(n.func) for n in walk(value))
    }
    for node in walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr="sigmoid" | "expit") as squash):
                of = node.args or [squash.value]
                if id(node) in inner or any(_is_output(a) or words(a) & given for a in of):
                    return True
            case ast.Name(id="sigmoid" | "expit") | ast.Call() if tail(node) in (
                "Sigmoid",
                "sigmoid",
                "expit",
            ):
                return True
    return False


_THRESHOLD = (
    "the model gives scores here (BCEWithLogitsLoss applies the sigmoid itself), and 0.5 is the "
    "limit of probabilities: compare the scores with 0, or apply `torch.sigmoid` first"
)


def _is_output(node: ast.expr) -> bool:
    """Whether it is called like what a model gives, or is a call of one."""
    named = ("out", "pred", "logit", "score", "y_hat", "yhat", "y_pred", "model", "net")
    return any(w.lower().startswith(named) for w in words(node)) and not any(
        isinstance(n, ast.Call) and tail(n) in ("rand", "rand_like", "random") for n in walk(node)
    )


def _one_column(tree: ast.Module) -> Found:
    """argmax over the classes of a model with one output."""
    said = words(tree)
    if not said & {
        "BCEWithLogitsLoss",
        "BCELoss",
        "binary_cross_entropy",
        "binary_cross_entropy_with_logits",
    } or said & {"CrossEntropyLoss", "cross_entropy", "NLLLoss"}:
        return
    ones = {
        name
        for _, name, value in assigned(tree)
        if isinstance(value, ast.Constant) and type(value.value) is int and value.value == 1
    }
    widths = [
        n.args[1]
        for n in walk(tree)
        if isinstance(n, ast.Call) and is_linear(n) and len(n.args) > 1
    ]
    if not any((isinstance(w, ast.Constant) and w.value == 1) or dotted(w) in ones for w in widths):
        return
    for node in walk(tree):
        value, dims = None, []
        match node:
            case ast.Subscript(value=ast.Call() as call, slice=ast.Constant(value=1)) if (
                tail(call) == "max"
            ):
                value, dims = call, [*call.args, *(k.value for k in call.keywords)]
            case ast.Assign(targets=[ast.Tuple(elts=[_, _])], value=ast.Call() as call) if (
                tail(call) == "max"
            ):
                value, dims = call, [*call.args, *(k.value for k in call.keywords)]
            case ast.Call() if tail(node) == "argmax":
                value, dims = node, [*node.args, *(k.value for k in node.keywords)]
        if value is not None and any(ast.unparse(d) in ("1", "-1") for d in dims):
            yield (
                "one_column",
                value,
                "the model gives one number per sample, and the largest of one column is always "
                "number 0: every sample counts as class 0; for a yes or no write "
                "`(output > 0).float()` for scores, `> 0.5` for probabilities",
            )


RULES = (
    _given_to_loss,
    _model_ends,
    _one_column,
    threshold,
    _scores_cut,
)
