"""Join tensors along the one dimension in which they may differ."""

from dataclasses import replace

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrites
from knowledge.repair.toolkit.alignment import unsqueezed, whole_number
from knowledge.repair.toolkit.edits import Edits, method
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.keeps import computed
from knowledge.repair.toolkit.shapes import Shape, live_shape, same_numbers
from knowledge.repair.toolkit.sites import (
    argument,
    assignment,
    integer,
    scope_of,
    seen_error,
    with_argument,
)

# Error families.
_SIZES, _DIMENSIONS, _NUMBERS = "cat_sizes", "cat_dimensions", "cat_of_numbers"
ERRORS = (_SIZES, _DIMENSIONS, _NUMBERS)
KEEPS = (computed(allowed=("expand",), may_go=("unsqueeze", "T")),)
_JOINS = ("cat", "concat", "concatenate")


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """What keeps one part from fitting is taken back or added; else another dim, if one fits."""
    call = program.node
    if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute):
        return
    if call.func.attr.value not in _JOINS or not call.args:
        return
    given = call.args[0].value
    if not isinstance(given, (cst.List, cst.Tuple)):
        return
    parts = [e.value for e in given.elements if isinstance(e, cst.Element)]
    shapes = [s for part in parts if (s := live_shape(program, result, part)) is not None]
    if len(shapes) != len(given.elements) or len(shapes) < 2:
        return
    dim = argument(call, 1, "dim")
    at = 0 if dim is None else whole_number(program.text(dim.value))
    ranks = {len(s) for s in shapes}
    if ranks == {0, 1}:
        numbers: Edits = {
            part: method(part, "unsqueeze", cst.Arg(integer(0)))
            for part, shape in zip(parts, shapes, strict=True)
            if not shape
        }
        told = "a single number gets a dimension, so that it can be joined"
        yield program.edit(numbers, told, at=call)
        return
    mended = list(_one_part(program, parts, shapes, at)) if at is not None else []
    # Maps or graphs of several sizes in a model are to be made equal, not joined at their edges.
    in_model = isinstance(scope_of(program, call), cst.FunctionDef) and max(ranks) > 2
    fitting = [d for d in range(len(shapes[0])) if _fits(shapes, d)]
    other = None
    if len(fitting) == 1 and not in_model:
        both = " and ".join(str(list(s)) for s in dict.fromkeys(shapes))
        told = f"{both} differ in dimension {fitting[0]} only, so they are joined there"
        other = program.edit({call: with_argument(call, 1, "dim", integer(fitting[0]))}, told)
    if mended and other is not None and "is repeated" in mended[0].title:
        yield replace(mended[0], intent=f"joined along dimension {at}, as it says")
        yield replace(other, intent=f"joined along dimension {fitting[0]}, where they differ")
        return
    if mended or len(ranks) == 1:
        yield from mended[:1] or filter(None, [other])
        return
    most = max(ranks)
    large = [s for s in shapes if len(s) == most]
    short = [(p, s) for p, s in zip(parts, shapes, strict=True) if len(s) == most - 1]
    if at is None or len(short) != 1 or len(ranks) != 2 or most < 2 or in_model:
        return
    part, small = short[0]
    wider = [(*small[:d], 1, *small[d:]) for d in range(most)]
    places = [d for d, shape in enumerate(wider) if _fits([*large, shape], at % most)]
    if len(places) == 1:
        new_part = method(part, "unsqueeze", cst.Arg(integer(places[0])))
        told = f"{list(small)} gets the dimension that the others have"
        yield program.edit({part: new_part}, told, at=call)


def _one_part(
    program: Failed, parts: list[cst.BaseExpression], shapes: list[Shape], at: int
) -> Rewrites:
    """One part that its own last step, or a missing one, keeps from fitting along `at`."""
    for i, (part, shape) in enumerate(zip(parts, shapes, strict=True)):
        others = shapes[:i] + shapes[i + 1 :]
        like = others[0]
        dim = at % len(like)
        if not _fits(others, dim):
            continue
        call = unsqueezed(program, part)
        place = whole_number(program.text(call.args[0].value)) if call is not None else None
        if call is not None and place is not None and len(shape) == len(like) + 1:
            place %= len(shape)
            bare = shape[:place] + shape[place + 1 :]
            if shape[place] == 1 and _fits([*others, bare], dim):
                assert isinstance(call.func, cst.Attribute)
                told = f"{list(bare)} fits as it is, without unsqueeze"
                yield program.edit({call: call.func.value}, told, at=part)
        if len(shape) != len(like):
            continue
        back = _turned_before(program, part)
        if len(shape) == 2 and back is not None and _fits([*others, shape[::-1]], dim):
            told = f"{list(shape[::-1])} fits as it is, without `.T`"
            yield program.edit({back: back.value}, told)
        last = (shape[0], shape[-1], *shape[1:-1])
        if len(shape) == 4 and dim == 1 and _fits([*others, last], 1) and shape[3] != like[3]:
            numbers = [cst.Arg(integer(n)) for n in (0, 3, 1, 2)]
            told = f"the channels come last in {list(shape)}; they have to be second"
            yield program.edit({part: method(part, "permute", *numbers)}, told)
        wrong = [d for d in range(len(shape)) if d != dim and shape[d] != like[d]]
        if len(shape) > 2 and wrong and all(shape[d] == 1 for d in wrong):
            j = 1 if i == 0 else 0
            size = f"{program.text(parts[j])}.size({{}})" if isinstance(parts[j], cst.Name) else ""
            sizes = ["-1"] * len(shape)
            for d in wrong:
                sizes[d] = size.format(d) or str(like[d])
            new = [cst.Arg(cst.parse_expression(text)) for text in sizes]
            told = f"{list(shape)} is repeated where it has 1 and the others have more"
            yield program.edit({part: method(part, "expand", *new)}, told)


def _turned_before(program: Failed, part: cst.BaseExpression) -> cst.Attribute | None:
    """The `.T` that a part ends in, here or where its variable was assigned."""
    if isinstance(part, cst.Name):
        found = assignment(program, part.value, part)
        part = found.value if found is not None else part
    return part if isinstance(part, cst.Attribute) and part.attr.value == "T" else None


def _fits(shapes: list[Shape], dim: int) -> bool:
    return len({len(s) for s in shapes}) == 1 and len({s[:dim] + s[dim + 1 :] for s in shapes}) == 1


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The tensors are joined whole."""
    if seen_error(before, _NUMBERS) is not None:
        return []  # `x = torch.cat([x, x[-1] + 1])` makes x longer
    return [same_numbers(before, after, proposal.code)]
