"""Move a statement: out of a loop that repeats it, or to where what it makes is needed.

- `x = x.unsqueeze(0)` in a loop adds a dimension in every round: it stands above the loop.
- `self.size = …` below a line of `__init__` that reads it, or `loss.backward()` below one that
  reads a gradient, stands above that line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Rewrite, Rewrites
from knowledge.repair.operator import COST, Failure
from knowledge.repair.toolkit.flow import loops_around
from knowledge.repair.toolkit.sites import names_in, scope_of
from knowledge.repair.toolkit.statements import block, moved

_STEPS = frozenset(
    {"unsqueeze", "squeeze", "view", "reshape", "flatten", "permute", "transpose", "t", "repeat",
     "expand", "T"}
)  # fmt: skip
_SHAPES = re.compile(r"(?i)shape|size|dimension|\b\dD\b|-D\b|channels|elements")
_NO_VALUE = re.compile(r"'NoneType'")
_FRAMES = 3


def applies(result: JobResult) -> bool:
    """A shape did not fit, or something was not there yet."""
    error = result.error
    if error is None:
        return False
    not_there = error.type in ("AttributeError", "TypeError", "UnboundLocalError")
    return not_there or bool(_SHAPES.search(error.message))


def edits(failure: Failure) -> Rewrites:
    """A repeated step above its loop; what is made too late above the line that failed."""
    yield from _out_of_the_loop(failure)
    yield from _made_before(failure)


# -- a step that a loop repeats ---------------------------------------------------------------


def _out_of_the_loop(failure: Failure) -> Rewrites:
    program = failure.program
    if not _SHAPES.search(failure.error.message):
        return
    seen: set[cst.CSTNode] = set()
    for place in failure.places[:_FRAMES]:
        for loop in loops_around(program, place.node):
            for step in _repeated(failure, loop):
                new = moved(program, step, loop) if step not in seen else None
                seen.add(step)
                if new is not None:
                    line, text = program.line(step), program.text(step)
                    title = f"line {line}: `{text}` is done once, above the loop"
                    meaning = f"`{text}` is meant once, not in every round"
                    yield Rewrite(new, title, meaning, as_one=True, cost=COST.SURE)


def _repeated(failure: Failure, loop: cst.For | cst.While) -> Iterator[cst.Assign]:
    """Statements right in a loop that reshape a variable which nothing else in it sets."""
    program = failure.program
    bound = [
        name for node in program.inside(loop, cst.AssignTarget) for name in names_in(node.target)
    ]
    if isinstance(loop, cst.For):
        bound += names_in(loop.target)
    for node in program.inside(loop, cst.Assign):
        target = node.targets[0].target
        if loops_around(program, node)[:1] != [loop] or not isinstance(target, cst.Name):
            continue
        once = len(node.targets) == 1 and bound.count(target.value) == 1
        if once and _reshaped(program.text(node.value), target.value):
            yield node


def _reshaped(value: str, name: str) -> bool:
    """Whether a value is a variable taken through nothing but steps that change its shape."""
    rest = re.sub(r"\([^()]*\)", "", value)
    first, *steps = rest.split(".")
    if first == "torch" and len(steps) == 1:
        inside = re.match(r"torch\.\w+\((\w+)", value)
        return steps[0] in _STEPS and inside is not None and inside[1] == name
    return first == name and bool(steps) and all(s in _STEPS for s in steps)


# -- what is made too late --------------------------------------------------------------------


def _made_before(failure: Failure) -> Rewrites:
    program = failure.program
    if not failure.places or failure.places[0].frame != -1:
        return
    for place in failure.places[:_FRAMES]:
        here = _in_its_block(failure, place.node)
        if here is None:
            continue
        for late in block(program, here):
            if program.line(late) <= program.line(here) or not isinstance(late, _SMALL):
                continue
            if not _is_awaited(failure, late):
                continue
            new = moved(program, late, here)
            if new is not None:
                text = program.text(late)
                title = (
                    f"line {program.line(late)}: `{text}` comes before line {program.line(here)}"
                )
                meaning = f"`{text}` is meant to come first"
                yield Rewrite(new, title, meaning, as_one=True, cost=COST.SURE)
                return


_SMALL = (cst.Assign, cst.Expr)


def _in_its_block(
    failure: Failure, node: cst.CSTNode
) -> cst.BaseSmallStatement | cst.BaseCompoundStatement | None:
    """The statement of a function or of the module itself that holds a node, loops included."""
    scope, around = scope_of(failure.program, node), failure.program.above(node)
    inside = [node, *takewhile(lambda n: n is not scope, around)]
    kinds = (cst.BaseSmallStatement, cst.BaseCompoundStatement)
    return next((n for n in reversed(inside) if isinstance(n, kinds)), None)


def _is_awaited(failure: Failure, late: cst.CSTNode) -> bool:
    """Whether a later statement makes what the failing line lacked."""
    program, error = failure.program, failure.live.error
    if isinstance(error, UnboundLocalError):
        name = re.search(r"variable '(\w+)'", str(error))
        return (
            isinstance(late, cst.Assign)
            and name is not None
            and any(name[1] in names_in(t.target) for t in late.targets)
        )
    if isinstance(error, AttributeError) and isinstance(late, cst.Assign):
        attribute = getattr(error, "name", None)
        return any(program.text(t.target) == f"self.{attribute}" for t in late.targets)
    if _NO_VALUE.search(str(error)) and isinstance(late, cst.Expr):
        reads = failure.statement is not None and ".grad" in program.text(failure.statement)
        return reads and re.search(r"\.backward\([^()]*\)$", program.text(late)) is not None
    return False
