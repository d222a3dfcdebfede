"""Put the dimension of size 1 where expand repeats it, or repeat what has no such dimension."""

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Rewrites
from knowledge.repair.toolkit.alignment import alignments
from knowledge.repair.toolkit.edits import keyword, method
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.keeps import computed, numbers
from knowledge.repair.toolkit.shapes import Shape
from knowledge.repair.toolkit.sites import integer

ERRORS = ("expand_sizes", "expand_fewer_dimensions")
CODE, LAYERS = "expand", ""
_COPIES = tuple((r"\.expand(_as)?\(.*", f".{name}") for name in ("repeat", "repeat_interleave"))
_WORDS = ("expand", "view", "repeat")
KEEPS = (computed(allowed=_WORDS, may_go=("unsqueeze", "T"), instead=_COPIES), numbers)


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """1s in another place, or one less; else two ways to have several copies."""
    call, seen = program.node, program.said
    if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute):
        return
    if call.func.attr.value not in ("expand", "expand_as") or "target_shape" not in seen.values:
        return
    value = call.func.value
    shape, target = seen.sizes("tensor_shape"), seen.sizes("target_shape")
    if -1 in target:
        n = len(target) - len(shape)
        target = tuple(shape[i - n] if t == -1 and i >= n else t for i, t in enumerate(target))
    ways = list(alignments(program, result, value, target)) if -1 not in target else []
    for way in ways:
        meant = f"it is {list(way.shape)} before it is expanded" if len(ways) > 1 else ""
        yield program.edit(way.edits, f"`{program.text(value)}` {way.told}", meant, at=call)
    if not ways:
        yield from _copies(program, call, value, shape, target)


def _copies(
    program: Failed, call: cst.Call, value: cst.BaseExpression, shape: Shape, target: Shape
) -> Rewrites:
    """`repeat` and `repeat_interleave`, where one dimension goes into what is wanted."""
    if len(shape) != len(target):
        return
    more = [d for d, (n, t) in enumerate(zip(shape, target, strict=True)) if n != t]
    if len(more) != 1 or shape[more[0]] < 2 or target[more[0]] % shape[more[0]]:
        return
    dim = more[0]
    times = target[dim] // shape[dim]
    counts = [cst.Arg(integer(times if d == dim else 1)) for d in range(len(shape))]
    told = f"the {shape[dim]} entries come {times} times, one copy after the other"
    whole = "a, b, a, b: the whole is repeated"
    yield program.edit({call: method(value, "repeat", *counts)}, told, whole)
    where = keyword("dim", integer(dim))
    each = method(value, "repeat_interleave", cst.Arg(integer(times)), where)
    what = f"each of the {shape[dim]} entries comes {times} times in a row"
    yield program.edit({call: each}, what, "a, a, b, b: each entry is repeated")
