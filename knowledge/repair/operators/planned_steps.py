"""Plan a learning rate's course for as many steps as the training's loops make.

`OneCycleLR(…, steps_per_epoch=1000)` is stepped once for each batch of the loader in the loop
around `scheduler.step()`: that is `steps_per_epoch=len(loader)`. Loops that call each other are
followed from the failing step outwards.
"""

from collections.abc import Iterator
from typing import NamedTuple

import libcst as cst

from knowledge.repair.codemod import Rewrites
from knowledge.repair.operator import Failure
from knowledge.repair.toolkit.edits import Edits, Program
from knowledge.repair.toolkit.flow import reads
from knowledge.repair.toolkit.sites import argument, assignment, scope_of
from knowledge.repair.toolkit.statements import last_name

ERRORS = ("scheduler_steps",)

_WRAPS = {"enumerate", "tqdm", "trange", "track"}  # what walks through its first argument


class _Rounds(NamedTuple):
    """How often a loop goes round, as an expression."""

    text: str
    is_range: bool


def edits(failure: Failure) -> Rewrites:
    """The number of steps that the scheduler is made with, taken from the loops."""
    if not isinstance(failure.node, cst.Call) or not isinstance(failure.node.func, cst.Attribute):
        return
    rounds = list(_rounds(failure))
    scheduler = last_name(failure, failure.node.func.value)
    for made in failure.all(cst.Assign):
        target = last_name(failure, made.targets[0].target)
        if rounds and target == scheduler and isinstance(made.value, cst.Call):
            yield from _planned(failure, scheduler, made.value, rounds)


def _planned(failure: Failure, scheduler: str, made: cst.Call, rounds: list[_Rounds]) -> Rewrites:
    inner = rounds[0]
    each = argument(made, 4, "steps_per_epoch")
    whole = argument(made, 2, "total_steps")
    if each is not None and not inner.is_range:
        new, given = inner.text, each.value
        changes: Edits = {_origin(failure, given): cst.parse_expression(new)}
    elif whole is not None:
        new = " * ".join(r.text for r in reversed(rounds))
        changes = {_origin(failure, whole.value): cst.parse_expression(new)}
    else:
        return
    steps = f"`{new}` steps" + (" an epoch" if each else "")
    what = f"`{scheduler}` is to go through its whole course in this training"
    yield failure.edit(changes, f"planned for {steps}, which the loops make", what, at=made)


def _origin(failure: Failure, given: cst.BaseExpression) -> cst.BaseExpression:
    """Where a number comes from: the value of a name that nothing else reads, else itself."""
    if isinstance(given, cst.Name):
        made = assignment(failure, given.value, given)
        if made is not None and len(reads(failure, given.value, scope_of(failure, given))) == 1:
            return made.value
    return given


# -- the loops around the step ----------------------------------------------------------------


def _rounds(failure: Failure) -> Iterator[_Rounds]:
    """The loops around the failing step, the innermost first; none behind one that is unclear."""
    for place in failure.places:
        outer = next((p for p in failure.places if p.frame == place.frame - 1), None)
        function = scope_of(failure, place.node)
        named = {}  # parameters of this function, as its caller calls them
        if isinstance(function, cst.FunctionDef) and outer is not None:
            named = _named_by(failure, function, outer.node)
        node: cst.CSTNode | None = place.node
        while node is not None and node is not function:
            if isinstance(node, (cst.If, cst.While)):
                return  # not in every round, or in no number of them
            if isinstance(node, cst.For):
                found = _of_loop(failure, node.iter, place.frame, named)
                if found is None:
                    return
                yield found
            node = failure.parent(node)


def _named_by(failure: Failure, function: cst.FunctionDef, call: cst.CSTNode) -> dict[str, str]:
    """What a call gives each parameter of a function, as source."""
    if not isinstance(call, cst.Call):
        return {}
    names = [p.name.value for p in function.params.params]
    if isinstance(call.func, cst.Attribute) and names[:1] == ["self"]:
        names = names[1:]
    plain = [a.value for a in call.args if a.keyword is None and not a.star]
    given = dict(zip(names, plain, strict=False))
    given |= {a.keyword.value: a.value for a in call.args if a.keyword is not None}
    return {name: failure.text(value) for name, value in given.items()}


def _of_loop(
    failure: Failure, walked: cst.BaseExpression, frame: int, named: dict[str, str]
) -> _Rounds | None:
    name = last_name(failure, walked.func) if isinstance(walked, cst.Call) else ""
    if isinstance(walked, cst.Call) and name in _WRAPS and walked.args:
        return _of_loop(failure, walked.args[0].value, frame, named)
    if isinstance(walked, cst.Call) and name == "range":
        return _of_range(failure, walked, named)
    try:
        len(failure.value(walked, frame))
    except Exception:  # a stream has no length, and a stranger's `__len__` may raise anything
        return None
    text = failure.text(walked)
    return _Rounds(f"len({named.get(text, text)})", False)


def _of_range(program: Program, walked: cst.Call, named: dict[str, str]) -> _Rounds | None:
    bounds = [program.text(a.value) for a in walked.args]
    if len(bounds) == 1:
        return _Rounds(named.get(bounds[0], bounds[0]), True)
    if len(bounds) == 2 and bounds[0] == "1" and bounds[1].endswith(" + 1"):
        return _Rounds(bounds[1].removesuffix(" + 1"), True)
    return None
