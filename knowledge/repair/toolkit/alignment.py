"""Where a tensor's dimensions belong beside those of a larger one, and how to bring them there."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.toolkit.edits import Edits, Program, method
from knowledge.repair.toolkit.shapes import Shape, live_shape
from knowledge.repair.toolkit.sites import assignment, integer


@dataclass(frozen=True)
class Alignment:
    """One way to bring a tensor beside a larger one.

    `edits` change the snippet; `shape` is what the tensor has then; `told` says what was done.
    """

    edits: Edits
    shape: Shape
    told: str


def fits(shape: Shape, target: Shape) -> bool:
    """Whether it broadcasts to the target and leaves its shape alone."""
    if len(shape) > len(target):
        return False
    beside = target[len(target) - len(shape) :]
    return all(a in (1, b) for a, b in zip(shape, beside, strict=True))


def placements(shape: Shape, target: Shape) -> list[Shape]:
    """The shapes that it can have, with 1s between its dimensions, so that it fits the target.

    [16] beside [2, 16, 8, 8] can only be [16, 1, 1]; beside [4, 4, 8], [4] can be two things.
    """
    found: list[Shape] = []
    for places in combinations(range(len(target)), len(shape)):
        laid = [1] * len(target)
        for place, size in zip(places, shape, strict=True):
            laid[place] = size
        whole = tuple(laid)
        while whole[:1] == (1,) and len(whole) > max(1, len(shape)):
            whole = whole[1:]
        if fits(whole, target) and whole not in found:
            found.append(whole)
    return found


def alignments(
    program: Program, result: JobResult, value: cst.BaseExpression, target: Shape
) -> Iterator[Alignment]:
    """The ways to make a tensor fit: its unsqueeze mended, else 1s put in, else turned.

    Only the first kind that fits at all; several of one kind are several meanings.

    Args:
        value: the expression whose shape does not fit.
        target: the shape that it has to fit.
    """
    shape = live_shape(program, result, value)
    if shape is None or fits(shape, target) or not shape:
        return
    mended = list(_mended(program, value, shape, target))
    if mended:
        yield from mended
        return
    if len(shape) < len(target):
        laid = placements(shape, target)
        for new in laid:
            yield Alignment({value: spread(value, shape, new)}, new, told(shape, new, target))
    turns = len(shape) == 2 and shape[0] != shape[1] and fits(shape[::-1], target)
    if turns and not (len(target) > 2 and placements(shape, target)):
        told_so = f"is turned into {list(shape[::-1])}"
        yield Alignment({value: turned(value)}, shape[::-1], told_so)


def told(shape: Shape, new: Shape, target: Shape) -> str:
    """What putting 1s in means, in words."""
    at = [len(target) - len(new) + i for i, n in enumerate(new) if n != 1]
    words = " and ".join(map(str, at)) if at else "0"
    many = "dimensions" if len(at) > 1 else "dimension"
    return f"belongs to {many} {words} of {list(target)}, so it becomes {list(new)}"


def turned(value: cst.BaseExpression) -> cst.BaseExpression:
    """`value.T`, or what it was before `.T`."""
    if isinstance(value, cst.Attribute) and value.attr.value == "T":
        return value.value
    return method(value, "T").func


def spread(value: cst.BaseExpression, old: Shape, new: Shape) -> cst.BaseExpression:
    """The value with 1s put in: `bias.view(-1, 1, 1)`, `mask.unsqueeze(1).unsqueeze(2)`."""
    if len(old) == 1 and len(new) > 2:
        sizes = ["-1", *["1"] * (len(new) - 1)]
        if new[0] == old[0]:
            return method(value, "view", *(cst.Arg(cst.parse_expression(size)) for size in sizes))
    missing = _inserted(old, new)
    for place in missing:
        value = method(value, "unsqueeze", cst.Arg(integer(place)))
    return value


def _inserted(old: Shape, new: Shape) -> list[int]:
    """Where 1s have to be put in, from the left, to make the one shape the other."""
    every = range(len(new))
    for kept in combinations(every, len(old)):
        rest = [i for i in every if i not in kept]
        if tuple(new[i] for i in kept) == old and all(new[i] == 1 for i in rest):
            return rest
    return []


# -- an unsqueeze that is one too many, or in the wrong place ----------------------------------


def _mended(
    program: Program, value: cst.BaseExpression, shape: Shape, target: Shape
) -> Iterator[Alignment]:
    """The value without its last unsqueeze, or with it in the one other place that fits."""
    call = unsqueezed(program, value)
    if call is None:
        return
    at = whole_number(program.text(call.args[0].value))
    if at is None or not -len(shape) <= at < len(shape) or shape[at] != 1:
        return
    at %= len(shape)
    bare = shape[:at] + shape[at + 1 :]
    assert isinstance(call.func, cst.Attribute)
    if fits(bare, target):
        yield Alignment({call: call.func.value}, bare, f"fits as {list(bare)}, without unsqueeze")
        return
    others = [(*bare[:i], 1, *bare[i:]) for i in range(len(bare) + 1)]
    fitting = [(i, o) for i, o in enumerate(others) if fits(o, target)]
    if len({o for _, o in fitting}) == 1:
        place, new_shape = fitting[-1]
        argument = call.args[0].with_changes(value=integer(place))
        yield Alignment(
            {call: call.with_changes(args=[argument])},
            new_shape,
            f"gets its new dimension at {place} instead of {at}, which makes it {list(new_shape)}",
        )


def unsqueezed(program: Program, value: cst.BaseExpression) -> cst.Call | None:
    """The call of unsqueeze that a value ends in, here or where its variable was assigned."""
    if isinstance(value, cst.Name):
        found = assignment(program, value.value, value)
        value = found.value if found is not None else value
    if (
        isinstance(value, cst.Call)
        and isinstance(value.func, cst.Attribute)
        and value.func.attr.value == "unsqueeze"
        and len(value.args) == 1
        and program.text(value.func.value) not in ("torch", "F")
    ):
        return value
    return None


def whole_number(text: str) -> int | None:
    return int(text) if text.lstrip("-").isdigit() else None
