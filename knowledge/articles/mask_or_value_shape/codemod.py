"""Bring index tensors into a grid, and a tensor to the shape of its mask."""

import libcst as cst

from executor.errors import is_a, read
from executor.protocol import JobResult
from knowledge.repair.codemod import Rewrites
from knowledge.repair.toolkit.alignment import fits, placements, spread, told
from knowledge.repair.toolkit.edits import Edits, method
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.keeps import computed, numbers
from knowledge.repair.toolkit.shapes import Shape, live_shape

# Error families.
_INDICES, _MASK, _VALUES = "index_shapes", "mask_shape", "assigned_shape"
ERRORS = (_INDICES, _MASK, _VALUES)
KEEPS = (computed(), numbers)


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """An index for each row gets a dimension; what has one column for a mask of several, too."""
    if is_a(program.error, _VALUES):
        yield from _as_many_values(program)
        return
    node = program.node
    if not isinstance(node, cst.Subscript):
        return
    chosen = [
        e.slice.value for e in node.slice if isinstance(e.slice, cst.Index) and e.slice.star is None
    ]
    if len(chosen) != len(node.slice):
        return
    if is_a(program.error, _MASK):
        yield from _as_the_mask(program, node, chosen)
    else:
        yield from _in_a_grid(program, chosen)


def _as_many_values(program: Failed) -> Rewrites:
    """`torch.ones(3, 4)` for the places that a mask chose: as many rows as it chose."""
    assign = program.alone
    found = read(program.error, _VALUES)
    values, chosen = (found.sizes("value"), found.sizes("chosen")) if found else ((), ())
    if not isinstance(assign, cst.Assign) or not values or not chosen or values[1:] != chosen[1:]:
        return
    target, value = assign.targets[0].target, assign.value
    if not isinstance(target, cst.Subscript) or len(target.slice) != 1:
        return
    index = target.slice[0].slice
    mask = index.value if isinstance(index, cst.Index) else None
    facts = program.seen.get(mask.value) if isinstance(mask, cst.Name) else None
    if not isinstance(mask, cst.Name) or facts is None or facts.dtype != "bool":
        return
    if not isinstance(value, cst.Call) or program.text(value.func) not in _FILLED:
        return
    first = value.args[0].value if value.args else None
    if not isinstance(first, cst.Integer):
        return
    new = cst.parse_expression(f"int({mask.value}.sum())")
    told = f"`{mask.value}` chooses {chosen[0]} places, so there are as many values"
    yield program.edit({first: new}, told, at=assign)


_FILLED = ("torch.ones", "torch.zeros", "torch.rand", "torch.randn")


def _in_a_grid(program: Failed, chosen: list[cst.BaseExpression]) -> Rewrites:
    shapes = [live_shape(program, program.result, c) for c in chosen]
    known = [s for s in shapes if s is not None]
    if len(known) != len(chosen):
        return
    largest: Shape = max(known, key=len)
    changes: Edits = {}
    words = []
    for value, shape in zip(chosen, known, strict=True):
        if fits(shape, largest):
            continue
        laid = placements(shape, largest) if len(shape) < len(largest) else []
        if len(laid) != 1:
            return
        changes[value] = spread(value, shape, laid[0])
        words.append(f"`{program.text(value)}` {told(shape, laid[0], largest)}")
    if changes:
        yield program.edit(changes, ", and ".join(words), at=chosen[0])


def _as_the_mask(
    program: Failed, node: cst.Subscript, chosen: list[cst.BaseExpression]
) -> Rewrites:
    if len(chosen) != 1 or not isinstance(chosen[0], cst.Name):
        return
    shape = live_shape(program, program.result, node.value)
    mask = live_shape(program, program.result, chosen[0])
    if shape is None or mask is None or len(shape) != len(mask) or not fits(shape, mask):
        return
    new = method(node.value, "expand_as", cst.Arg(chosen[0]))
    told = (
        f"{list(shape)} is repeated into {list(mask)}, the shape of the mask that chooses from it"
    )
    yield program.edit({node.value: new}, told, at=node)
