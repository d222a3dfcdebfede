"""Find a quantity in the place of its square, its inverse, its logarithm or its negative."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from executor.inside.remarks.edits import Told, put, swapped, way
from executor.inside.remarks.syntax import (
    Found,
    argument,
    assigned,
    dotted,
    functions,
    inside,
    owner,
    tail,
    walk,
    words,
)

_DEVIATION = re.compile(r"(?i)^(sd|stds?|std_?devs?|sigmas?)$")
_VARIANCE = re.compile(r"(?i)^(vars?|variances?)$")
_LOGARITHM = re.compile(r"(?i)^log_?(vars?|variances?|stds?|sd|sigmas?)$")
_SQUARES = {"var", "square", "pow", "variance"}
_ROOTS = {"sqrt", "std", "exp", "softplus", "rsqrt"}
_TEMPERATURE = re.compile(r"(?i)^(temperature|temp|tau)$")
_DRAWS = {"multinomial", "Categorical", "OneHotCategorical"}
_PREDICTED = re.compile(r"(?i)pred|hat$|^out|output|forecast|estimate")
_TARGET = re.compile(r"(?i)^y$|^ys$|target|true|label|actual|observed")


def deviation_for_variance(tree: ast.Module) -> Found:
    """`gaussian_nll_loss(mean, y, sigma)`, which takes the variance; a spread given to Normal."""
    losses = {name for _, name, value in assigned(tree) if tail(value) == "GaussianNLLLoss"}
    for call in (n for n in walk(tree) if isinstance(n, ast.Call)):
        if tail(call) == "gaussian_nll_loss" or dotted(call.func) in losses:
            given = argument(call, 2, "var")
            if given is None:
                continue
            if _is(given, _DEVIATION) and not _made_by(tree, given, _SQUARES):
                name = ast.unparse(given)
                yield Told(
                    "deviation_for_variance",
                    call,
                    f"the third argument is the variance, and `{name}` is called a standard "
                    "deviation: a model that learns by this gives its square for its own "
                    f"uncertainty; write `{name} ** 2`",
                    (way("the loss gets the variance", put(given, given, " ** 2")),),
                )
        elif tail(call) == "Normal":
            given = argument(call, 1, "scale")
            if given is None:
                continue
            if _is(given, _VARIANCE) and not _made_by(tree, given, _ROOTS):
                yield _spread(call, given, "a variance", "", ".sqrt()")
            elif _is(given, _LOGARITHM) and not _made_by(tree, given, _ROOTS):
                half = "0.5 * " if "var" in dotted(given).lower() else ""
                yield _spread(call, given, "a logarithm", half, ".exp()")


def _spread(call: ast.Call, given: ast.expr, what: str, factor: str, last: str) -> Told:
    name = ast.unparse(given)
    written = f"({factor}{name}){last}" if factor else f"{name}{last}"
    return Told(
        "deviation_for_variance",
        call,
        f"Normal takes the standard deviation, and `{name}` is called {what}; write `{written}`",
        (
            way(
                "the distribution gets the standard deviation",
                put(given, f"({factor}" if factor else "", given, ")" if factor else "", last),
            ),
        ),
    )


def _is(node: ast.expr, called: re.Pattern[str]) -> bool:
    return called.match(dotted(node).rpartition(".")[2]) is not None


def _made_by(tree: ast.Module, node: ast.expr, functions_: set[str]) -> bool:
    """Whether anything that is assigned to a name is computed in one of these ways."""
    made = [value for _, name, value in assigned(tree) if name == dotted(node)]
    powers = [n for v in made for n in walk(v) if isinstance(n, ast.BinOp)]
    squared = functions_ is _SQUARES and any(isinstance(n.op, ast.Pow) for n in powers)
    return squared or any(words(value) & functions_ for value in made)


def temperature_multiplied(tree: ast.Module) -> Found:
    """`softmax(logits * temperature)` before a draw: a temperature divides."""
    for function in (n for n in walk(tree) if isinstance(n, ast.FunctionDef)):
        if not words(function) & _DRAWS:
            continue
        for node in inside(function):
            if not isinstance(node, ast.BinOp) or not isinstance(node.op, ast.Mult):
                continue
            hot = next((s for s in (node.left, node.right) if _is(s, _TEMPERATURE)), None)
            other = node.right if hot is node.left else node.left
            if hot is None or not any("logit" in w or "score" in w for w in words(other)):
                continue
            if any(isinstance(v, ast.BinOp) for _, n, v in assigned(tree) if n == dotted(hot)):
                continue  # its inverse, perhaps
            yield Told(
                "temperature_multiplied",
                node,
                "a temperature divides the scores before softmax: multiplied, a low one makes the "
                "draw more random, and a high one makes it always the same",
                (way("the scores are divided", put(node, other, " / ", hot)),),
            )


def quantile_turned(tree: ast.Module) -> Found:
    """`max(q * e, (q - 1) * e)` of `e = prediction - target`: it learns the quantile 1 - q."""
    for call in (n for n in walk(tree) if isinstance(n, ast.Call)):
        errors = list(_tilted(call))
        if len(errors) != 1:
            continue
        error = errors[0]
        made = [v for _, name, v in assigned(tree) if name and name == dotted(error)]
        difference = made[0] if len(made) == 1 else error
        match difference:
            case ast.BinOp(op=ast.Sub(), left=left, right=right):
                pass
            case _:
                continue
        first, second = (_called(side) for side in (left, right))
        if _PREDICTED.search(first) and _TARGET.search(second) and not _TARGET.search(first):
            yield Told(
                "quantile_turned",
                difference,
                f"this loss of a quantile wants the target less the prediction: with "
                f"`{ast.unparse(difference)}` it learns the quantile of 1 - q, so that for 0.9 "
                "nine in ten targets lie above",
                (way("the error is the target less the prediction", swapped(left, right)),),
            )


def _tilted(call: ast.Call) -> Iterator[ast.expr]:
    """`e`, where a call is the larger one of `q * e` and `(q - 1) * e`."""
    if tail(call) not in ("max", "maximum") or len(call.args) != 2:
        return
    factors = []
    for given in call.args:
        match given:
            case ast.BinOp(op=ast.Mult(), left=left, right=right):
                factors.append((left, right))
    if len(factors) != 2:
        return
    for (a, e), (b, f) in (factors, factors[::-1]):
        match b:
            case ast.BinOp(op=ast.Sub(), left=q, right=ast.Constant(value=1 | 1.0)) if ast.unparse(
                q
            ) == ast.unparse(a) and ast.unparse(e) == ast.unparse(f):
                yield e


def _called(node: ast.expr) -> str:
    while isinstance(node, ast.Subscript):
        node = node.value
    return owner(node) if isinstance(node, ast.Call) else dotted(node).rpartition(".")[2]


def closure_never_cleared(tree: ast.Module) -> Found:
    """`optimizer.step(closure)` where neither the closure nor anything else clears gradients."""
    if words(tree) & {"zero_grad", "set_to_none", "grad", "autograd"}:
        return
    defined = functions(tree)
    for call in (n for n in walk(tree) if isinstance(n, ast.Call)):
        given = dotted(call.args[0]) if tail(call) == "step" and len(call.args) == 1 else ""
        closure = defined.get(given)
        if closure is not None and "backward" in words(closure):
            clears = f"{owner(call)}.zero_grad()"
            yield (
                "closure_never_cleared",
                closure,
                "each call of this function adds its gradients to those of all calls before, and "
                f"step() calls it many times; it has to begin with `{clears}`",
            )


def heads_cut_from_steps(tree: ast.Module) -> Found:
    """`q.view(B, heads, T, d)` of rows [B, T, C]: steps and features are mixed."""
    for function in (n for n in walk(tree) if isinstance(n, ast.FunctionDef)):
        sizes = _steps_and_features(function)
        for call in (n for n in inside(function) if isinstance(n, ast.Call)):
            if tail(call) not in ("view", "reshape") or len(call.args) != 4:
                continue
            if not isinstance(call.func, ast.Attribute):
                continue
            batch, heads, steps, width = call.args
            of, layout = call.func.value, (dotted(batch), dotted(steps))
            if layout not in sizes or dotted(heads) in layout or _is_turned(function, of):
                continue
            told = [ast.unparse(a) for a in (batch, steps, heads, width)]
            written = f".{tail(call)}({', '.join(told)}).transpose(1, 2)"
            yield Told(
                "heads_cut_from_steps",
                call,
                f"the values lie in memory step by step, so this deals them out to the heads "
                f"across steps, and each of its rows holds parts of several; write `{written}`",
                (way("each head has its part of each step", put(call, of, written)),),
            )


def _steps_and_features(function: ast.AST) -> set[tuple[str, str]]:
    """(`B`, `T`) of each `B, T, C = x.shape`."""
    found = set()
    for node in inside(function):
        match node:
            case ast.Assign(targets=[ast.Tuple(elts=[b, t, _])], value=value) if tail(
                value
            ) == "size" or dotted(value).endswith(".shape"):
                found.add((dotted(b), dotted(t)))
    return found - {("", "")}


def _is_turned(function: ast.AST, of: ast.expr) -> bool:
    made = [v for _, name, v in assigned(function) if name and name == dotted(of)]
    said = {w for v in (of, *made) for w in words(v)}
    return bool(said & {"transpose", "permute", "swapaxes", "movedim", "mT", "rearrange", "T"})


def root_left_out(tree: ast.Module) -> Found:
    """`sqrt_one_minus = 1 - alpha_bar`: a difference or a product under the name of its root."""
    for node, name, value in assigned(tree):
        if not _ROOT.match(name.rpartition(".")[2]) or not isinstance(value, ast.BinOp):
            continue
        if any(isinstance(n, ast.Pow) for n in walk(value)) or any(map(_OF_ROOTS, words(value))):
            continue
        yield Told(
            "root_left_out",
            node,
            f"no root is taken of what `{name}` holds, `{ast.unparse(value)}`; write "
            f"`({ast.unparse(value)}) ** 0.5`",
            (way("it holds the root", put(value, "(", value, ") ** 0.5")),),
        )


_ROOT = re.compile(r"(?i)_?sqrt_")
_OF_ROOTS = re.compile(r"(?i)sqrt|root|^pow$|^exp|std|sigma|norm").search


RULES = (
    root_left_out,
    deviation_for_variance,
    temperature_multiplied,
    quantile_turned,
    closure_never_cleared,
    heads_cut_from_steps,
)
