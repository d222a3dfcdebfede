"""Find choices of the best that go by the wrong direction of a score."""

from __future__ import annotations

import ast
import math
import re

from executor.inside.remarks.edits import Told, put, way, with_argument
from executor.inside.remarks.passes import held_by
from executor.inside.remarks.scores import Choice, better, choices, is_infinity, score, stored
from executor.inside.remarks.syntax import (
    Found,
    argument,
    assigned,
    callee,
    calls_in,
    constant,
    dotted,
    origins,
    says,
    walk,
)

# Who looks for the largest loss.
_ADVERSARY = re.compile(r"(?i)attack|adversar|perturb|delta|^sign_?$|hard")


def plateau_mode(tree: ast.Module) -> Found:
    """`ReduceLROnPlateau(mode="max")` that is told a loss, or one for losses told an accuracy."""
    for step in calls_in(list(walk(tree)), "step"):
        given = argument(step, 0, "metrics")
        if given is None or not isinstance(step.func, ast.Attribute):
            continue
        made = held_by(step.func.value, tree)
        scheduler = made[0] if len(made) == 1 else None
        if not isinstance(scheduler, ast.Call) or callee(scheduler) != "ReduceLROnPlateau":
            continue
        mode = argument(scheduler, 1, "mode")
        told = constant(mode, tree) if mode is not None else ast.Constant("min")
        if not isinstance(told, ast.Constant) or any(k.arg is None for k in scheduler.keywords):
            continue  # an option decides it
        waits_by = str(told.value)
        waits = "larger" if waits_by == "max" else "smaller"
        if better(given, tree) not in ("", waits):
            other = '"min"' if waits == "larger" else '"max"'
            if mode is None:
                new = with_argument(scheduler, "mode", other)
            else:
                new = put(mode if isinstance(mode, ast.Constant) else told, other)
            yield Told(
                "plateau_mode",
                scheduler,
                f'this scheduler waits for a value that is to get {waits} (mode="{waits_by}"), '
                f"and is told `{ast.unparse(given)}`: as long as that gets better it lowers the "
                f"learning rate; write `mode={other}`",
                (way("the rate falls when it gets no better any more", new),),
            )
            return


def best_is_worst(tree: ast.Module) -> Found:
    """`if loss > best_loss: best_loss = loss`; an attack looks for the largest one."""
    if says(tree, _ADVERSARY):
        return
    for choice in choices(tree):
        if _is_called_best(choice.now, choice.best, tree):
            yield from _wrong_way(choice.test, choice, tree)
    for _, name, value in assigned(tree):
        match value:
            case ast.Call(func=ast.Name(id="max" | "min" as which), args=[_, _] as sides):
                for now, best in (sides, sides[::-1]):
                    if dotted(best) == name and _is_called_best(now, best, tree):
                        taken = "larger" if which == "max" else "smaller"
                        yield from _wrong_way(value, Choice(value, now, best, taken, [], []), tree)
        if "best" in name.lower():
            yield from _picked(value, tree)


def best_unreachable(tree: ast.Module) -> Found:
    """`best = 0.0` for a loss that is to fall: nothing ever comes below it."""
    for choice in choices(tree):
        known, taken = score(choice.now, tree), choice.taken
        name = ast.unparse(choice.best)
        given = [*(v for _, n, v in stored(tree) if n == name), *origins(tree).get(name, ())]
        kept = {n for s in choice.arm for n in walk(s)}
        bounds = [v for v in dict.fromkeys(given) if v not in kept]
        begins = [_value(v) for v in bounds]
        if taken != known.better or not begins or None in begins or choice.or_else:
            continue
        if taken == "smaller":
            never = all(b is not None and b <= known.least for b in begins)
        else:
            never = all(b is not None and b >= known.most for b in begins)
        if never:
            first = ast.unparse(bounds[0])
            right = 'float("inf")' if taken == "smaller" else '-float("inf")'
            yield Told(
                "best_unreachable",
                choice.test,
                f"`{name}` begins at {first}, and `{ast.unparse(choice.now)}` is never {taken} "
                f"than that: no best one is ever kept; begin at `{right}`",
                (way("the first score is the best so far", put(bounds[0], right)),)
                if len(bounds) == 1 else (),
            )  # fmt: skip
            return


def _value(node: ast.expr) -> float | None:
    """The number that a best one begins at."""
    match node:
        case ast.UnaryOp(op=ast.USub(), operand=of):
            value = _value(of)
            return None if value is None else -value
        case ast.Constant(value=int() | float() as value) if not isinstance(value, bool):
            return float(value)
        case ast.Call(func=ast.Name(id="float"), args=[ast.Constant(value=str() as text)]):
            return float(text) if text.strip("+-") in ("inf", "infinity", "Infinity") else None
    return math.inf if is_infinity(node) else None


_LEAST = re.compile(r"(?i)(^|_)(min|lowest)(_|$)")
_MOST = re.compile(r"(?i)(^|_)(max|highest)(_|$)")


def _is_called_best(now: ast.expr, best: ast.expr, tree: ast.AST) -> bool:
    """Whether a score is kept in a variable for the best one, by the names of both."""
    name, way_ = ast.unparse(best), better(now, tree)
    called = "best" in name.lower() or (
        way_ != "" and (_LEAST if way_ == "smaller" else _MOST).search(name.rpartition(".")[2])
    )
    return bool(called) and "best" not in ast.unparse(now).lower()


def _wrong_way(test: ast.expr, choice: Choice, tree: ast.Module) -> Found:
    _, now, best, taken, *_ = choice
    right = better(now, tree)
    if not taken or not right or taken == right:
        return
    sign = "<" if right == "smaller" else ">"
    asks = {"<": ">", ">": "<"}[sign] if choice.is_otherwise else sign
    edit = put(test, now, f" {asks} ", best)
    if isinstance(test, ast.Call):
        edit = put(test.func, "min" if right == "smaller" else "max")
    yield Told(
        "best_is_worst",
        test,
        f"this keeps the {'largest' if taken == 'larger' else 'smallest'} `{ast.unparse(now)}` as "
        f"the best one, and what goes with it; keep it where `{ast.unparse(now)} {sign} "
        f"{ast.unparse(best)}`",
        (way("the best is kept", edit),) if {now, best} <= {*ast.iter_child_nodes(test)} else (),
    )


def _picked(value: ast.expr, tree: ast.Module) -> Found:
    """`best = np.argmax(losses)`, `losses.index(max(losses))`, `max(found, key=found.get)`."""
    for call in walk(value):
        match call:
            case ast.Call(func=ast.Attribute(value=of, attr="argmax" | "argmin" as which), args=[]):
                place: ast.AST = call.func
            case ast.Call(
                func=ast.Attribute(attr="argmax" | "argmin" as which) as place, args=[of]
            ):
                pass
            case ast.Call(
                func=ast.Attribute(value=of, attr="index"),
                args=[ast.Call(func=ast.Name(id="max" | "min" as which) as place, args=[again])],
            ) if ast.unparse(of) == ast.unparse(again):
                pass
            case ast.Call(
                func=ast.Name(id="max" | "min" as which) as place,
                args=[ast.Name()],
                keywords=[ast.keyword(arg="key", value=ast.Attribute(value=of, attr="get"))],
            ):
                pass
            case _:
                continue
        taken = "larger" if which.endswith("max") else "smaller"
        right = better(of, tree)
        if not isinstance(of, ast.Name) or right in ("", taken):
            continue
        other = which.replace("max", "min") if taken == "larger" else which.replace("min", "max")
        named = [other] if isinstance(place, ast.Name) else [place.value, f".{other}"]  # type: ignore[attr-defined]
        yield Told(
            "best_is_worst",
            call,
            f"this is the place of the {'largest' if taken == 'larger' else 'smallest'} of "
            f"`{of.id}`, the worst of all; write `{other}`",
            (way("the best is picked", put(place, *named)),),
        )
        return


RULES = (plateau_mode, best_is_worst, best_unreachable)
