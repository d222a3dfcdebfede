"""Find data that are brought to another scale than is meant."""

from __future__ import annotations

import ast
import re

from executor.inside.remarks.edits import Told, operand, put, way
from executor.inside.remarks.syntax import Found, dotted, method_calls, owner, says, tail, walk

_MEAN = re.compile(r"(?i)(^|_)(mean|mu|means|avg)(_|$)")
_DEVIATION = re.compile(r"(?i)(^|_)(std|sd|sigma|stds|stdev|deviation)(_|$)")
_PIXELS = re.compile(r"(?i)^(x|ima?ge?s?|data|pixels?|inputs?|frames?|pics?)")
HELD_OUT = re.compile(r"(?i)(^|_)(test|te|val|valid|validation|dev)(_|\d|$)")
TRAINING = re.compile(r"(?i)(^|_)(train|tr|fit)(_|\d|$)")


def precedence(tree: ast.Module) -> Found:
    """`x - mean / std`: the division comes first."""
    for node in walk(tree):
        match node:
            case ast.BinOp(
                left=data,
                op=ast.Sub(),
                right=ast.BinOp(left=mean, op=ast.Div(), right=by),
            ) if _MEAN.search(_name(mean)) and _DEVIATION.search(_name(by)):
                parts = (ast.unparse(data), ast.unparse(mean), ast.unparse(by))
                yield Told(
                    "precedence",
                    node,
                    f"the division comes before the subtraction: `{parts[0]}` keeps its scale; "
                    f"write `({parts[0]} - {parts[1]}) / {parts[2]}`",
                    (way("mean 0 and deviation 1", put(node, "(", data, " - ", mean, ") / ", by)),),
                )


def _name(node: ast.expr) -> str:
    """The name of a variable, or the last one of `x.mean(…)`."""
    return tail(node) if isinstance(node, ast.Call) else dotted(node).rpartition(".")[2]


def pixels_floored(tree: ast.Module) -> Found:
    """`images // 255`: everything below 255 becomes 0."""
    for node in walk(tree):
        match node:
            case ast.BinOp(
                left=data, op=ast.FloorDiv(), right=ast.Constant(value=255 | 256) as by
            ) if says(data, _PIXELS):
                number = ast.unparse(by)
                yield Told(
                    "pixels_floored",
                    node,
                    f"`// {number}` rounds down: every value below {number} becomes 0, so that "
                    f"pictures lose nearly all that is in them; write `/ {number}`",
                    (way("the values keep what lies between 0 and 1",
                         put(node, *operand(data), " / ", by)),),
                )  # fmt: skip


def fitted_on_test(tree: ast.Module) -> Found:
    """`scaler.fit_transform(test)`: the test data are scaled by their own statistics."""
    fitted = [
        c for m in ("fit_transform", "fit") for c in method_calls(tree, m) if c.args and owner(c)
    ]
    trained = {owner(c) for c in fitted if says(c.args[0], TRAINING)}
    for call in fitted:
        given = call.args[0]
        if tail(call) != "fit_transform" or owner(call) not in trained:
            continue
        if says(given, HELD_OUT) and not says(given, TRAINING):
            yield Told(
                "fitted_on_test",
                call,
                f"`{owner(call)}` is fitted anew, to the test data: they are brought to another "
                "scale than the data that were trained on; apply what was learned of those: "
                f"`{owner(call)}.transform(…)`",
                (way("the test data are scaled as the training data are",
                     put(call.func, f"{owner(call)}.transform")),),
            )  # fmt: skip


RULES = (pixels_floored, fitted_on_test, precedence)
