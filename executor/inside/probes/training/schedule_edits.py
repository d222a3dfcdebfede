"""The edits by which a schedule moves the rate that is used, and once in each epoch."""

from __future__ import annotations

import ast
import re
from typing import Any

from executor.inside.remarks.edits import moved, put, way
from executor.inside.remarks.syntax import (
    argument,
    assigned,
    blocks,
    callee,
    dotted,
    functions,
    inside,
    is_read,
    loops,
    tail,
    walk,
)

Ways = list[dict[str, Any]]
_SCHEDULE = re.compile(r"(?i)sched")


def once_an_epoch(tree: ast.Module, names: set[str]) -> Ways:
    """The only step of the schedules of these names, behind the loop over the batches."""
    steps: list[tuple[ast.For | ast.While, ast.Expr, ast.Call]] = []
    for loop in loops(tree):
        for statement in inside(loop):
            match statement:
                case ast.Expr(value=ast.Call(func=ast.Attribute(attr="step", value=of)) as call):
                    if tail(of) in names or _SCHEDULE.search(tail(of)):
                        steps.append((loop, statement, call))
    if len({s for _, s, _ in steps}) != 1:
        return []
    inner, step, call = steps[-1]  # an outer loop comes first
    if step not in inner.body or inner.orelse or call.args or call.keywords:
        return []
    if any(isinstance(n, ast.Return | ast.Yield) for n in inside(inner)):
        return []
    if len(steps) == 1:  # in a function, perhaps, that each epoch calls
        around = [f.name for f in functions(tree).values() if inner in set(inside(f))]
        calls = [n for loop in loops(tree) for n in inside(loop) if isinstance(n, ast.Call)]
        if not around or around[0] not in map(tail, calls):
            return []
    elif len(steps) > 2:
        return []
    return [moved("the schedule counts epochs, and moves once in each", step, by=inner, after=True)]


def of_what_steps(tree: ast.Module, cls: str, name: str) -> Ways:
    """The only schedule of a class, made with the optimizer of this name, which is the one used."""
    made = [(s, v) for s, _, v in assigned(tree) if isinstance(v, ast.Call) and callee(v) == cls]
    if len(made) != 1:
        return []
    statement, call = made[0]
    given = argument(call, 0, "optimizer")
    block = next((b for b in blocks(tree) if statement in b), [])
    spelt = {of for s, of, _ in assigned(tree) if s in block and of.rpartition(".")[2] == name}
    if given is None or len(spelt) > 1:
        return []
    optimizer = spelt.pop() if spelt else dotted(given)  # of an object's no variable has the name
    makers = [s for s, of, _ in assigned(tree) if of == optimizer]
    if not makers:
        return []
    last = makers[-1]
    if dotted(given) != optimizer:
        if len(makers) != 1 or last not in block or last.lineno > statement.lineno:
            return []
        return [way(f"it moves the rate of `{optimizer}`, which steps", put(given, optimizer))]
    between = block[block.index(statement) + 1 :]
    if last not in between:
        return []
    between = between[: between.index(last)]
    held = tail(statement.targets[0])
    if any(is_read(held, s) or any(tail(n) == held for n in walk(s)) for s in between):
        return []
    told = f"it is made with the `{optimizer}` that steps"
    return [moved(told, statement, by=last, after=True)]
