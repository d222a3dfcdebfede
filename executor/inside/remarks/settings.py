"""Find settings of layers and optimizers that are taken for another one."""

from __future__ import annotations

import ast
import re
from typing import Any

from executor.inside.remarks.edits import Told, operand, put, swapped, way
from executor.inside.remarks.syntax import (
    Found,
    argument,
    callee,
    constant,
    dotted,
    made_of,
    number,
    tail,
    walk,
)

_KEEP = re.compile(r"(?i)(^|_)(keep|retain)(_|$)|(keep|retain)_?(prob|rate)")
_NORMS = {"BatchNorm1d", "BatchNorm2d", "BatchNorm3d", "SyncBatchNorm", "LazyBatchNorm2d"}
_LARGE_EPSILON, _MOSTLY_NEW = 0.05, 0.9
_SLOW = 0.99


def kept_share_dropped(tree: ast.Module) -> Found:
    """`nn.Dropout(keep_prob)`: the share that is to be kept is thrown away."""
    for call in (n for n in walk(tree) if isinstance(n, ast.Call)):
        if not re.fullmatch(r"(Alpha)?Dropout[123]?d?|dropout", callee(call)):
            continue
        at = 1 if callee(call) == "dropout" else 0
        given = argument(call, at, "p")
        if given is None or not _KEEP.search(_called(given)):
            continue
        name = ast.unparse(given)
        yield Told(
            "kept_share_dropped",
            given,
            f"Dropout takes the share that is dropped, and `{name}` is called the share that is "
            f"kept: write `1 - {name}`",
            (way("the share that is not kept is dropped", put(given, "1 - ", *operand(given))),),
        )


def _called(given: ast.expr) -> str:
    """The last part of a name, or the key that is read of a table of settings."""
    match given:
        case ast.Subscript(slice=ast.Constant(value=str() as key)):
            return key
    return dotted(given).rpartition(".")[2]


def norm_settings(tree: ast.Module) -> Found:
    """`nn.BatchNorm2d(64, 0.8)`, whose second argument is eps; `momentum=0.99` of the newest."""
    for call in (n for n in walk(tree) if isinstance(n, ast.Call)):
        if callee(call) not in _NORMS:
            continue
        second = call.args[1] if len(call.args) > 1 else None
        match second:
            case ast.Constant(value=float() as eps) if eps >= _LARGE_EPSILON:
                yield Told(
                    "norm_settings",
                    second,
                    f"the second argument of `{callee(call)}` is eps, and {eps} added to each "
                    "variance flattens what the layer is to bring to one size; the momentum is "
                    f"the third: `momentum={eps}`",
                    (way("eps is that of PyTorch", put(second, f"momentum={eps}")),)
                    if len(call.args) == 2
                    else (),
                )
        given = argument(call, 2, "momentum")
        match constant(given, tree) if given is not None else None:
            case ast.Constant(value=float() as part) as momentum if _MOSTLY_NEW <= part < 1:
                other = f"{1 - part:.3g}"
                yield Told(
                    "norm_settings",
                    momentum,
                    f"`momentum={part}` is the part of the newest batch in PyTorch: the "
                    "statistics of evaluation are nearly those of the last batch alone; what is "
                    f"called {part} elsewhere is {other} here",
                    (way("the statistics are an average over many batches", put(momentum, other)),),
                )


def slope_of_one(tree: ast.Module) -> Found:
    """`nn.LeakyReLU(True)`: the first argument is the slope, and True is 1."""
    for call in (n for n in walk(tree) if isinstance(n, ast.Call)):
        at = {"LeakyReLU": 0, "leaky_relu": 1}.get(callee(call))
        match argument(call, at, "negative_slope") if at is not None else None:
            case ast.Constant(value=True) as given if given.value is True:
                edits: tuple[dict[str, Any], ...] = ()
                if not any(k.arg for k in call.keywords) and len(call.args) == 1 + (at or 0):
                    edits = (
                        way("what is below 0 gets a slope of 0.01", put(given, "inplace=True")),
                    )
                yield Told(
                    "slope_of_one",
                    given,
                    f"the first setting of `{callee(call)}` is the slope below 0, and True is a "
                    "slope of 1: it gives back what it gets, and the layers around it are one "
                    "linear map; what is meant is `inplace=True`",
                    edits,
                )


def betas_exchanged(tree: ast.Module) -> Found:
    """`Adam(…, betas=(0.999, 0.9))`: the average of the gradients is the slow one."""
    for call in (n for n in walk(tree) if isinstance(n, ast.Call)):
        if not re.fullmatch(r"N?R?Adam(W|ax)?|Lamb", tail(call)):
            continue
        match _betas(call, tree):
            case ast.Tuple(elts=[a, b]) | ast.List(elts=[a, b]):
                one, two = number(a, tree), number(b, tree)
            case _:
                continue
        if one is not None and two is not None and 1 > one >= _SLOW > two:
            yield Told(
                "betas_exchanged",
                a,
                f"the first of the two is that of the gradients: with {one} each step goes "
                f"along the average of about {round(1 / (1 - one))} steps, and the second, "
                f"{two}, makes their sizes follow the newest ones; write `({ast.unparse(b)}, "
                f"{ast.unparse(a)})`",
                (way("the gradients' average is the fast one", swapped(a, b)),),
            )


def _betas(call: ast.Call, tree: ast.Module) -> ast.expr | None:
    """What an optimizer is given as its betas, by a table of settings too."""
    given = argument(call, 2, "betas")
    for keyword in call.keywords:
        for made in made_of(keyword.value, tree) if keyword.arg is None and given is None else ():
            match made:
                case ast.Dict(keys=keys, values=values):
                    pairs = zip(keys, values, strict=True)
                    told = [v for k, v in pairs if k and ast.unparse(k) == "'betas'"]
                case ast.Call(func=ast.Name(id="dict"), args=[]):
                    told = [k.value for k in made.keywords if k.arg == "betas"]
                case _:
                    continue
            given = told[0] if told else None
    held = made_of(given, tree) if given is not None else []
    return held[0] if len(held) == 1 else None


RULES = (kept_share_dropped, norm_settings, slope_of_one, betas_exchanged)
