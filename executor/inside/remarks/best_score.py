"""Find choices of the best that go by the wrong direction of a score."""

from __future__ import annotations

import ast
import re

from executor.inside.remarks.edits import Told, put, way, with_argument
from executor.inside.remarks.syntax import Found, callee, dotted, owner, says, tail, values, walk

_LOW = re.compile(r"(?i)loss|err(or)?$|rmse|mae|mse|perplexity|ppl")
_HIGH = re.compile(r"(?i)acc|f1|auc|iou|dice|r2|bleu|precision|recall")
# Who looks for the largest loss.
_ADVERSARY = re.compile(r"(?i)attack|adversar|perturb|delta|^sign_?$|hard")


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
        if not isinstance(step, ast.Call) or tail(step) != "step" or not step.args:
            continue
        scheduler = made.get(owner(step))
        if not isinstance(scheduler, ast.Call) or callee(scheduler) != "ReduceLROnPlateau":
            continue
        modes = [*scheduler.args[1:2], *(k.value for k in scheduler.keywords if k.arg == "mode")]
        mode = str(modes[0].value) if modes and isinstance(modes[0], ast.Constant) else "min"
        waits = "larger" if mode == "max" else "smaller"
        told = dotted(step.args[0]).rpartition(".")[2]
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
    for node in walk(tree):
        match node:
            case ast.If(test=ast.Compare(left=left, ops=[op], comparators=[right]) as test):
                now, best = dotted(left), dotted(right)
            case _:
                continue
        if "best" not in best.lower() or "best" in now.lower() or not now:
            continue
        kept = any(
            isinstance(s, ast.Assign)
            and any(dotted(n) == best for t in s.targets for n in walk(t))
            and now in map(dotted, walk(s.value))
            for s in node.body
        )
        takes = {ast.Lt: "smaller", ast.LtE: "smaller", ast.Gt: "larger", ast.GtE: "larger"}
        taken = takes.get(type(op), "")
        better = _better(now.rpartition(".")[2])
        if kept and taken and better and taken != better:
            sign = "<" if better == "smaller" else ">"
            yield Told(
                "best_is_worst",
                test,
                f"this keeps the {'largest' if taken == 'larger' else 'smallest'} `{now}` as the "
                f"best one, and what goes with it; write `{now} {sign} {best}`",
                (way("the best is kept", put(test, left, f" {sign} ", right)),),
            )


RULES = (plateau_mode, best_is_worst)
