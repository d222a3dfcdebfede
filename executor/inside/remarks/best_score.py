"""Find choices of the best that go by the wrong direction of a score."""

from __future__ import annotations

import ast
import re

from executor.inside.remarks.edits import Told, put, way, with_argument
from executor.inside.remarks.syntax import (
    Found,
    argument,
    assigned,
    callee,
    dotted,
    has_minus,
    inside,
    made_of,
    owner,
    says,
    tail,
    values,
    walk,
    words,
)

_LOW = re.compile(r"(?i)loss|err(or)?$|rmse|mae|mse|perplexity|ppl")
_HIGH = re.compile(r"(?i)acc|f1|auc|iou|dice|r2|bleu|precision|recall")
# Who looks for the largest loss.
_ADVERSARY = re.compile(r"(?i)attack|adversar|perturb|delta|^sign_?$|hard")


def _told(value: ast.expr) -> str:
    """What a value is called: its variable, or the one name in it that says which way is better."""
    said = {*words(value), *(str(n.value) for n in walk(value) if isinstance(n, ast.Constant))}
    known = sorted(w for w in said if _LOW.search(w) or _HIGH.search(w))
    picked = value.value if isinstance(value, ast.Subscript) else value  # `losses[-1]`
    same = len({_better(w) for w in known}) == 1 and not has_minus(picked)
    return known[0] if same else ""


def _better(name: str) -> str:
    """Whether a score of that name is better where it is smaller, or larger; empty if unknown."""
    low, high = _LOW.search(name), _HIGH.search(name)
    if bool(low) == bool(high):
        return ""
    return "smaller" if low else "larger"


def plateau_mode(tree: ast.Module) -> Found:
    """`ReduceLROnPlateau(mode="max")` that is told a loss, or one for losses told an accuracy."""
    made = values(tree)
    for step in walk(tree):
        if not isinstance(step, ast.Call) or tail(step) != "step":
            continue
        given = argument(step, 0, "metrics")
        scheduler = made.get(owner(step))
        if not isinstance(scheduler, ast.Call) or callee(scheduler) != "ReduceLROnPlateau":
            continue
        modes = [*scheduler.args[1:2], *(k.value for k in scheduler.keywords if k.arg == "mode")]
        if modes and not isinstance(modes[0], ast.Constant):
            continue  # an option decides it
        mode = str(modes[0].value) if modes and isinstance(modes[0], ast.Constant) else "min"
        waits = "larger" if mode == "max" else "smaller"
        told = _told(given) if given is not None else ""
        if _better(told) not in ("", waits):
            other = '"min"' if mode == "max" else '"max"'
            new = put(modes[0], other) if modes else with_argument(scheduler, "mode", other)
            yield Told(
                "plateau_mode",
                scheduler,
                f'this scheduler waits for a value that is to get {waits} (mode="{mode}"), and is '
                f"told `{told}`: as long as that gets better it lowers the learning rate; write "
                f"`mode={other}`",
                (way("the rate falls when it gets no better any more", new),),
            )
            return


def best_is_worst(tree: ast.Module) -> Found:
    """`if loss > best_loss: best_loss = loss`; an attack looks for the largest one."""
    if says(tree, _ADVERSARY):
        return
    for branch in walk(tree):
        if not isinstance(branch, ast.If):
            continue
        tests = [t for v in made_of(branch.test, tree)
                 for t in (v.values if isinstance(v, ast.BoolOp) else [v])]  # fmt: skip
        kept = [a for s in branch.body for n in (s, *inside(s)) if isinstance(n, ast.Assign)
                for a in assigned(n)]  # fmt: skip
        for test in tests:
            match test:
                case ast.Compare(left=left, ops=[op], comparators=[right]):
                    pass
                case _:
                    continue
            taken = _TAKES.get(type(op), "")
            for now, best, so in ((left, right, taken), (right, left, _TURNED.get(taken, ""))):
                if _keeps(now, best, kept):
                    yield from _wrong_way(test, now, best, so)
    for node, name, value in assigned(tree):
        match value:
            case ast.Call(func=ast.Name(id="max" | "min" as which), args=[_, _] as sides):
                for now, best in (sides, sides[::-1]):
                    if dotted(best) == name and _keeps(now, best, [(node, name, now)]):
                        taken = "larger" if which == "max" else "smaller"
                        yield from _wrong_way(value, now, best, taken)


_TAKES = {ast.Lt: "smaller", ast.LtE: "smaller", ast.Gt: "larger", ast.GtE: "larger"}
_TURNED = {"smaller": "larger", "larger": "smaller"}
_LEAST = re.compile(r"(?i)(^|_)(min|lowest)(_|$)")
_MOST = re.compile(r"(?i)(^|_)(max|highest)(_|$)")


def _keeps(now: ast.expr, best: ast.expr, kept: Kept) -> bool:
    """Whether a score is kept in a variable for the best one, by the names of both."""
    name, better = dotted(best), _better(_told(now))
    called = "best" in name.lower() or (
        better != "" and (_LEAST if better == "smaller" else _MOST).search(name.rpartition(".")[2])
    )
    return bool(called) and "best" not in ast.unparse(now).lower() and any(
        held == name and any(ast.unparse(n) == ast.unparse(now) for n in walk(value))
        for _, held, value in kept
    )  # fmt: skip


Kept = list[tuple[ast.Assign, str, ast.expr]]


def _wrong_way(test: ast.expr, now: ast.expr, best: ast.expr, taken: str) -> Found:
    better = _better(_told(now))
    if not taken or not better or taken == better:
        return
    sign = "<" if better == "smaller" else ">"
    right = put(test, now, f" {sign} ", best)
    if isinstance(test, ast.Call):
        right = put(test.func, "min" if better == "smaller" else "max")
    yield Told(
        "best_is_worst",
        test,
        f"this keeps the {'largest' if taken == 'larger' else 'smallest'} `{ast.unparse(now)}` as "
        f"the best one, and what goes with it; keep it where `{ast.unparse(now)} {sign} "
        f"{ast.unparse(best)}`",
        (way("the best is kept", right),),
    )


RULES = (plateau_mode, best_is_worst)
