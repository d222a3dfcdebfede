"""Find choices that go the wrong way: the best that is the worst, classes that are shifted."""

from __future__ import annotations

import ast
import re

from executor.inside.remarks.syntax import (
    Found,
    assigned,
    callee,
    dotted,
    inside,
    is_optimizer,
    loops,
    method_calls,
    owner,
    tail,
    walk,
    words,
)

_LOW = re.compile(r"(?i)loss|err(or)?$|rmse|mae|mse|perplexity|ppl")
_HIGH = re.compile(r"(?i)acc|f1|auc|iou|dice|r2|bleu|precision|recall")
_MEAN = re.compile(r"(?i)(^|_)(mean|mu|means|avg)(_|$)")
_DEVIATION = re.compile(r"(?i)(^|_)(std|sd|sigma|stds|stdev|deviation)(_|$)")
_OUTPUT = re.compile(r"(?i)pred|out|y_?hat|forecast|quantiles?$|^q$|^p$")
_TARGET = re.compile(r"(?i)^(y|ys|target|targets|label|labels|truth|actual)(_?(b|batch|true|tr))?$")


def plateau_mode(tree: ast.Module) -> Found:
    """`ReduceLROnPlateau(mode="max")` that is told a loss, or one for losses told an accuracy."""
    made = {
        name: value
        for _, name, value in assigned(tree)
        if isinstance(value, ast.Call) and callee(value) == "ReduceLROnPlateau"
    }
    for step in method_calls(tree, "step") + _steps(tree):
        scheduler = made.get(owner(step))
        if scheduler is None or not step.args:
            continue
        given = dotted(step.args[0]).rpartition(".")[2]
        modes = [*scheduler.args[1:2], *(k.value for k in scheduler.keywords if k.arg == "mode")]
        mode = str(modes[0].value) if modes and isinstance(modes[0], ast.Constant) else "min"
        wrong = (mode == "max" and _LOW.search(given)) or (mode == "min" and _HIGH.search(given))
        if wrong and not (_LOW.search(given) and _HIGH.search(given)):
            other = "min" if mode == "max" else "max"
            yield (
                "plateau_mode",
                scheduler,
                f'this scheduler waits for a value that is to get {_larger(mode)} (mode="{mode}"), '
                f"and is told `{given}`: as long as that gets better it lowers the learning rate; "
                f'write `mode="{other}"`',
            )
            return


def _larger(mode: object) -> str:
    return "larger" if mode == "max" else "smaller"


def _steps(tree: ast.Module) -> list[ast.Call]:
    """The steps of schedulers, which `method_calls` leaves out by their names."""
    return [
        n
        for n in walk(tree)
        if isinstance(n, ast.Call)
        and isinstance(n.func, ast.Attribute)
        and n.func.attr == "step"
        and "sched" in dotted(n.func.value).lower()
    ]


def best_is_worst(tree: ast.Module) -> Found:
    """`if loss > best_loss: best_loss = loss`; an attack looks for the largest one."""
    if any(re.search(r"(?i)attack|adversar|perturb|delta|^sign_?$|hard", w) for w in words(tree)):
        return
    for node in walk(tree):
        match node:
            case ast.If(test=ast.Compare(left=left, ops=[op], comparators=[right]) as test):
                pass
            case _:
                continue
        now, best = dotted(left), dotted(right)
        if "best" not in best.lower() or "best" in now.lower() or not now:
            continue
        kept = any(
            isinstance(s, ast.Assign) and best in _bound(s) and now in map(dotted, walk(s.value))
            for s in node.body
        )
        name = now.rpartition(".")[2]
        low = bool(_LOW.search(name)) and not _HIGH.search(name)
        high = bool(_HIGH.search(name)) and not _LOW.search(name)
        falls, rises = isinstance(op, ast.Lt | ast.LtE), isinstance(op, ast.Gt | ast.GtE)
        if kept and ((low and rises) or (high and falls)):
            yield (
                "best_is_worst",
                test,
                f"this keeps the {'largest' if rises else 'smallest'} `{now}` as the best one, and "
                f"what goes with it; write `{now} {'<' if rises else '>'} {best}`",
            )


def _bound(statement: ast.Assign) -> set[str]:
    return {dotted(n) for t in statement.targets for n in walk(t)} - {""}


def precedence(tree: ast.Module) -> Found:
    """`x - mean / std`: the division comes first."""
    for node in walk(tree):
        match node:
            case ast.BinOp(
                left=left,
                op=ast.Sub(),
                right=ast.BinOp(left=mean, op=ast.Div(), right=deviation),
            ) if _is_statistic(mean, _MEAN) and _is_statistic(deviation, _DEVIATION):
                data, by = ast.unparse(left), ast.unparse(deviation)
                yield (
                    "precedence",
                    node,
                    f"the division comes before the subtraction: `{data}` keeps its scale; write "
                    f"`({data} - {ast.unparse(mean)}) / {by}`",
                )


def _is_statistic(node: ast.expr, called: re.Pattern[str]) -> bool:
    """Whether it is a variable of such a name, or `x.mean(…)`."""
    if isinstance(node, ast.Call):
        return bool(called.search(tail(node)))
    return bool(called.search(dotted(node).rpartition(".")[2]))


def quantile_sign(tree: ast.Module) -> Found:
    """A quantile loss of prediction minus target: it learns the other quantile."""
    values = {name: value for _, name, value in assigned(tree)}
    for node in walk(tree):
        match node:
            case ast.Call(
                args=[
                    ast.BinOp(op=ast.Mult()) as one,
                    ast.BinOp(op=ast.Mult()) as two,
                ]
            ) if tail(node) in ("max", "maximum"):
                pass
            case _:
                continue
        lowered = [s for s in (one, two) if _is_lowered(s)]
        if len(lowered) != 1:
            continue
        for factor in (one.left, one.right):
            name = dotted(factor)
            error = values.get(name) if name in words(two) else None
            match error:
                case ast.BinOp(left=left, op=ast.Sub(), right=right) if (
                    any(map(_OUTPUT.search, words(left)))
                    and any(map(_TARGET.match, words(right)))
                    and not any(map(_TARGET.match, words(left)))
                ):
                    yield (
                        "quantile_sign",
                        error,
                        f"`{name}` is prediction minus target, and this quantile loss wants target "
                        "minus prediction: of 0.9 it learns the quantile 0.1; write "
                        f"`{ast.unparse(right)} - {ast.unparse(left)}`",
                    )
                    return


def _is_lowered(product: ast.BinOp) -> bool:
    """Whether a factor is `q - 1`."""
    return any(
        isinstance(s, ast.BinOp)
        and isinstance(s.op, ast.Sub)
        and isinstance(s.right, ast.Constant)
        and s.right.value == 1
        for s in (product.left, product.right)
    )


def classes_shifted(tree: ast.Module) -> Found:
    """`argmax(…) + 1` compared with labels that cross-entropy got as they are."""
    said = words(tree)
    if not said & {"cross_entropy", "CrossEntropyLoss", "nll_loss", "NLLLoss"}:
        return
    values = {name: value for _, name, value in assigned(tree)}
    lowered = any(
        isinstance(n, ast.BinOp | ast.AugAssign)
        and isinstance(n.op, ast.Sub)
        and isinstance(_right(n), ast.Constant)
        and _right(n).value == 1  # type: ignore[attr-defined]
        for n in walk(tree)
    )
    for node in walk(tree):
        match node:
            case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
                pass
            case _:
                continue
        for side in (left, right):
            value = values.get(dotted(side), side)
            match value:
                case ast.BinOp(
                    left=ast.Call() as picked, op=ast.Add(), right=ast.Constant(value=1)
                ) if tail(picked) == "argmax" and not lowered:
                    yield (
                        "classes_shifted",
                        value,
                        "argmax gives class numbers as cross-entropy was given them, and nothing "
                        "takes 1 off the labels: with `+ 1` each answer is the next class; leave "
                        "it out",
                    )
                    return


def _right(node: ast.BinOp | ast.AugAssign) -> ast.expr:
    return node.right if isinstance(node, ast.BinOp) else node.value


def classes_regressed(tree: ast.Module) -> Found:
    """Rounded numbers compared with labels, learned by a mean squared error."""
    said = words(tree)
    if not said & {"MSELoss", "mse_loss"} or said & {"cross_entropy", "CrossEntropyLoss"}:
        return
    values = {name: value for _, name, value in assigned(tree)}
    for node in walk(tree):
        match node:
            case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
                pass
            case _:
                continue
        for side in (left, right):
            value = values.get(dotted(side), side)
            if any(isinstance(n, ast.Call) and tail(n) == "round" for n in walk(value)):
                yield (
                    "classes_regressed",
                    node,
                    "a mean squared error takes class numbers for amounts: 0 is nearer to 1 than "
                    "to 2, and between two classes it learns the one in the middle; where the "
                    "classes have no order, give the model an output for each and use "
                    "cross-entropy",
                )
                return


def _averages(made: ast.Call) -> bool:
    """Whether it keeps something from step to step."""
    return callee(made) != "SGD" or any(k.arg in ("momentum", None) for k in made.keywords)


def optimizer_each_epoch(tree: ast.Module) -> Found:
    """An optimizer that is made anew in each epoch, of a model that is not."""
    for loop in loops(tree):
        if not isinstance(loop, ast.For) or "epoch" not in dotted(loop.target).lower():
            continue
        bound = {name for _, name, _ in assigned(loop)} | {dotted(loop.target)}
        for statement in loop.body:
            match statement:
                case ast.Assign(targets=[target], value=ast.Call() as value) if (
                    is_optimizer(value) and not words(value) & bound and _averages(value)
                ):
                    inner = [n for n in inside(loop) if isinstance(n, ast.For | ast.While)]
                    if any(tail(c) == "step" for n in inner for c in inside(n)
                           if isinstance(c, ast.Call)):  # fmt: skip
                        yield (
                            "optimizer_each_epoch",
                            statement,
                            f"`{dotted(target)}` is made anew in each epoch: what it averages over "
                            "the steps starts from nothing each time; make it once, before the "
                            "loop",
                        )


RULES = (
    plateau_mode,
    best_is_worst,
    precedence,
    quantile_sign,
    classes_shifted,
    optimizer_each_epoch,
)
ASIDES = (classes_regressed,)
