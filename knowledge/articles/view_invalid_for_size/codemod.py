"""Make a view or reshape ask for sizes that the tensor has: flatten, or -1 for the wrong one."""

import math
import re
from collections.abc import Iterator, Sequence

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Rewrites
from knowledge.repair.toolkit.edits import Edits, Program, method
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.keeps import computed, layers, numbers
from knowledge.repair.toolkit.shapes import Shape, shape_of
from knowledge.repair.toolkit.sites import integer, scope_of

ERRORS = ("view_size",)
_AS = tuple((r"\b(view|reshape)\(.*", name) for name in ("flatten", "view", "reshape"))
KEEPS = (computed(allowed=("view", "reshape"), may_go=("torch",), instead=_AS), layers, numbers)
_LEAST_KNOWN = 8  # smaller sizes stand in any code
_BATCH = re.compile(r"\.(size\(0\)|shape\[0\])$|^len\(")


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """Flatten all but the batch before a layer; elsewhere let -1 stand for the wrong size."""
    call, found = program.node, program.said
    if not isinstance(call, cst.Call) or result.layer is not None:
        return
    given = _given(program, call)
    if given is None:
        return
    receiver, arguments = given
    wanted, total = found.sizes("shape"), found.number("size")
    shape = shape_of(result, receiver)
    if len(arguments) != len(wanted) or total == 1:
        return  # one number where many are wanted: what is viewed was reduced too far
    if _flattens(program, call, arguments, wanted, shape):
        new = method(receiver, "flatten", cst.Arg(integer(1)))
        yield program.edit({call: new}, "flatten all but the batch, whatever the sizes are")
        return
    if -1 in wanted or not _is_plain(program, receiver, shape, wanted):
        return
    free = list(_free(program, arguments, wanted, total, shape))
    for index, size in free:
        changed = [*wanted[:index], size, *wanted[index + 1 :]]
        known = _is_known(program, call, arguments[index])
        told = f"{total} numbers make {changed}, not {list(wanted)}"
        meant = f"shape {changed}" if len(free) > 1 or known else ""
        edits: Edits = {arguments[index]: cst.parse_expression("-1")}
        yield program.edit(edits, told, meant, at=call, supposes=known)


def _is_known(program: Program, call: cst.Call, size: cst.BaseExpression) -> bool:
    """Whether the code has this number elsewhere too: then what is viewed may be what is wrong."""
    if not isinstance(size, cst.Integer) or int(size.value) < _LEAST_KNOWN:
        return False
    inside = {id(n) for n in program.inside(call, cst.Integer)}
    others = [n for n in program.all(cst.Integer) if id(n) not in inside]
    return any(n.value == size.value for n in others)


def _given(
    program: Program, call: cst.Call
) -> tuple[cst.BaseExpression, list[cst.BaseExpression]] | None:
    """What is viewed, and the sizes asked for: `x.view(2, 3)`, `torch.reshape(x, (2, 3))`."""
    if not isinstance(call.func, cst.Attribute) or call.func.attr.value not in ("view", "reshape"):
        return None
    if any(a.star or a.keyword for a in call.args):
        return None
    receiver: cst.BaseExpression = call.func.value
    arguments = [a.value for a in call.args]
    if program.text(receiver) == "torch":
        if len(arguments) != 2:
            return None
        receiver, arguments = arguments[0], arguments[1:]
    if len(arguments) == 1 and isinstance(arguments[0], (cst.Tuple, cst.List)):
        arguments = [e.value for e in arguments[0].elements if isinstance(e, cst.Element)]
    return receiver, arguments


def _flattens(
    program: Program,
    call: cst.Call,
    arguments: Sequence[cst.BaseExpression],
    wanted: Shape,
    shape: Shape | None,
) -> bool:
    """Whether it turns a batch of pictures into a batch of rows."""
    if len(arguments) != 2 or (shape is not None and len(shape) < 3) or wanted[1] == -1:
        return False
    first = program.text(arguments[0])
    of_batch = wanted[0] == -1 or bool(_BATCH.search(first))
    of_batch = of_batch or (shape is not None and wanted[0] == shape[0])
    scope = scope_of(program, call)
    in_model = isinstance(scope, cst.FunctionDef) and isinstance(
        scope_of(program, scope), cst.ClassDef
    )
    return of_batch and (in_model or (shape is not None and len(shape) == 4))


def _is_plain(
    program: Program, receiver: cst.BaseExpression, shape: Shape | None, wanted: Shape
) -> bool:
    """Whether its numbers have no order of dimensions yet, or one that the request keeps."""
    if shape is None:
        return program.text(receiver).startswith(("torch.arange(", "torch.linspace("))
    return len(shape) == 1 or shape[:1] == wanted[:1] or shape == wanted[1:]


def _free(
    program: Program,
    arguments: Sequence[cst.BaseExpression],
    wanted: Shape,
    total: int,
    shape: Shape | None,
) -> Iterator[tuple[int, int]]:
    """Where another size would make the numbers come out: (which one, its size)."""
    for index, argument in enumerate(arguments):
        rest = math.prod(wanted[:index] + wanted[index + 1 :])
        if rest < 1 or total % rest or total == 0:
            continue
        if _BATCH.search(program.text(argument)):
            continue
        if index == 0 and shape is not None and len(wanted) > 1 and shape[:1] == wanted[:1]:
            continue  # the batch is right already
        yield index, total // rest
