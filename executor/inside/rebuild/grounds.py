"""Tell whether a rebuilt error rests on something that was made up.

One property of one value is changed at a time. Where the error goes away with it, that property
is a fact about the person's data: it may be taken for one only if their message names it. A fix
for a property that was made up would mend the placeholder, not their code.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace

from executor.errors import family_of
from executor.inside.rebuild.candidate import Candidate, Leaf
from executor.inside.rebuild.dictated import NAMES_A_TYPE, OF_TYPE
from executor.inside.rebuild.evidence import Posted
from executor.inside.rebuild.mutate import DEVICE_FAMILIES
from executor.inside.rebuild.steps import GRAD
from executor.inside.rebuild.trial import Outcome
from executor.inside.rebuild.values import Tensor, Text

_NUMBER = re.compile(r"\d+")
_MOST = 4  # values that are varied
_OF_SEVERAL = frozenset({"tensor_truth", "several_elements", "grad_of_many"})  # so they say
_STUBS = (
    "_stubs.Stub",
    "_stubs.stub_class",
    "_stubs.loss",
    "_stubs.Rows",
    "_stubs.same",
    "_stubs.all_again",
    "_stubs.several",
    "_stubs.Table",
)


def made_up(
    posted: Posted, candidate: Candidate, seen: Outcome, attempt: Callable[[Candidate], Outcome]
) -> bool:
    """Whether a property decides that the message does not name.

    Args:
        posted: the error.
        candidate: what raises it.
        seen: how it did.
        attempt: runs another candidate.
    """
    named = posted.names or posted.names_at(frozenset(seen.lines[-1:]))
    for name, given in candidate.values:
        made = given.value.expression
        of_a_type = posted.id in NAMES_A_TYPE and made in OF_TYPE.values()
        of_a_stub = made.startswith(_STUBS) or of_a_type
        if of_a_stub and name in seen.read and name in named:
            return True
    family = family_of(seen.type, seen.message)
    shapes = {leaf.tensor.shape for leaf in candidate.leaves(seen.read)}
    if posted.id == "output_too_small" and family is not None and family.id == "conv_channels":
        return shapes.isdisjoint(posted.printed)  # its message says nothing of the channels
    numbers = set(_NUMBER.findall(posted.error.message))
    for name, given in candidate.values:
        made = given.value.expression
        if name in seen.read and made.isdigit() and made not in numbers:
            for number in ("8", "4"):
                if made != number and attempt(candidate.with_value(name, Text(number), "use")).ok:
                    return True
    for leaf in list(candidate.leaves(seen.read))[:_MOST]:
        if leaf.tensor.is_as_printed:
            continue
        for changed in _other_ranks(leaf, posted):
            if attempt(candidate.with_leaf(leaf, changed)).ok:
                return True
        for changed in _other_values(leaf, posted):
            if attempt(candidate.with_leaf(leaf, changed)).ok:
                return True
    return False


def _other_ranks(leaf: Leaf, posted: Posted) -> Iterator[Tensor]:
    """The value with a dimension less or more, where the message names no size of it."""
    shape = leaf.tensor.shape
    numbers = {int(n[:9]) for n in _NUMBER.findall(posted.error.message)}
    told = shape in (*posted.shapes, *posted.printed, *posted.literals)
    if posted.id in DEVICE_FAMILIES:
        return  # a single number may lie on any device: that says nothing of theirs
    if told or numbers & set(shape):
        return
    if len(shape) > 1 or (shape and posted.id not in _OF_SEVERAL):
        yield replace(leaf.tensor, shape=shape[:-1])
    if len(shape) > 1:
        yield replace(leaf.tensor, shape=shape[1:])


def _other_values(leaf: Leaf, posted: Posted) -> Iterator[Tensor]:
    """The value with another dtype or range, where the message speaks of none."""
    tensor = leaf.tensor
    if tensor.filled is not None or posted.dtypes:
        return
    if tensor.grad and posted.id in GRAD:
        return  # it is of floats, or it could not require grad as the message says
    for dtype in ("float32", "int64"):
        if dtype != tensor.dtype:
            yield replace(tensor, dtype=dtype, grad=False, high=2)
    if not tensor.dtype.startswith("float") and tensor.high > 2:
        yield replace(tensor, high=2)
