"""Give an optimizer its own entry of a checkpoint: instead of the whole, or where none was given.

Which entry it is, its form says: it holds groups of as many tensors as the optimizer's. A scheduler
that goes on in the middle of its course needs the optimizer's entry loaded before it is made.
"""

from collections.abc import Iterator
from typing import Any

import libcst as cst

from executor.errors import is_a
from executor.protocol import JobResult
from knowledge.repair.codemod import Rewrites
from knowledge.repair.operator import Failure, Place
from knowledge.repair.toolkit.keeps import computed
from knowledge.repair.toolkit.sites import argument
from knowledge.repair.toolkit.statements import inserted

_WHOLE, _FIRST_RATE = "param_groups", "initial_lr"  # keys of an optimizer's state
KEEPS = (computed(allowed=("[",)),)


def applies(result: JobResult) -> bool:
    """An optimizer's state, or what it leaves in the groups, was looked for and not found."""
    if result.error is None or result.error.type != "KeyError":
        return False
    return result.error.message.strip("'") == _WHOLE or is_a(result.error, "scheduler_resumed")


def edits(failure: Failure) -> Rewrites:
    """The one entry that fits the optimizer of the failing call."""
    place = next(iter(failure.places), None)
    if place is None or not isinstance(place.node, cst.Call):
        return
    if is_a(failure.error, "scheduler_resumed"):
        yield from _resumed(failure, place, place.node)
    elif failure.text(place.node.func).endswith(".load_state_dict"):
        owner = cst.ensure_type(place.node.func, cst.Attribute).value
        given = argument(place.node, 0, "state_dict")
        optimizer = failure.value(owner, place.frame)
        held = failure.value(given.value, place.frame) if given is not None else None
        keys = [key for key, part in _entries(held) if _fits(part, optimizer)]
        if given is not None and len(keys) == 1:
            entry = f"{failure.text(given.value)}[{keys[0]!r}]".replace("'", '"')
            told = f"the state of `{failure.text(owner)}` is in `{entry}`"
            yield failure.edit({given.value: cst.parse_expression(entry)}, told)


def _resumed(failure: Failure, place: Place, made: cst.Call) -> Rewrites:
    """`optimizer.load_state_dict(state["opt"])`, behind the line that loads the model's part."""
    given = argument(made, 0, "optimizer")
    optimizer = failure.value(given.value, place.frame) if given is not None else None
    names = failure.live.names[place.frame]
    loads = [s for s in failure.all(cst.Expr) if ".load_state_dict(" in failure.text(s)]
    found = [
        (s, f'{name}["{key}"]')
        for name, held in names.items()
        for s in loads
        if f"({name}[" in failure.text(s)
        for key, part in _entries(held)
        if _fits(part, optimizer) and all(_FIRST_RATE in g for g in part[_WHOLE])
    ]
    if given is not None and len(found) == 1:
        [(beside, entry)] = found
        code = f"{failure.text(given.value)}.load_state_dict({entry})"
        told = f"the state of `{failure.text(given.value)}` goes on too, from `{entry}`"
        new = inserted(failure, beside, code, after=True)
        yield failure.edit({}, told, at=beside, beside=new)


def _entries(held: Any) -> Iterator[tuple[str, Any]]:
    if isinstance(held, dict):
        yield from ((k, v) for k, v in held.items() if isinstance(k, str))


def _fits(state: Any, optimizer: Any) -> bool:
    """Whether it is the state of an optimizer with groups of this size."""
    if not isinstance(state, dict) or not {"state", _WHOLE} <= state.keys():
        return False
    mine = [len(g["params"]) for g in getattr(optimizer, _WHOLE, ())]
    return bool(mine) and [len(g["params"]) for g in state[_WHOLE]] == mine
