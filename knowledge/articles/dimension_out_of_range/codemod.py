"""Add the dimension that an operation needs, or name the one that is there."""

import libcst as cst

from executor.errors import is_a, read
from executor.protocol import Caught, ErrorSeen, JobResult
from knowledge.repair.codemod import Rewrites
from knowledge.repair.toolkit.edits import method
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.keeps import computed, numbers
from knowledge.repair.toolkit.shapes import live_shape
from knowledge.repair.toolkit.sites import argument, integer

_RANGE, _DIAG = "dimension_out_of_range", "diag_dimensions"  # error families
ERRORS, LAYERS = (_RANGE, _DIAG), ""
KEEPS = (computed(instead=((r"\bdiag\b", "diagonal"),)), numbers)
_OF_FUNCTIONS = ("torch", "F", "nn.functional", "torch.nn.functional")
_REORDERS = ("reshape", "view")


def _asks_for_a_second(error: ErrorSeen | Caught) -> bool:
    """Whether dimension 1 is asked of a tensor that has only one."""
    seen = read(error, _RANGE)
    return seen is not None and (seen["low"], seen["high"], seen["dimension"]) == ("-1", "0", "1")


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """A batch and channels for unfold, diagonals of a batch, a row or the only dimension."""
    call = program.node
    if not isinstance(call, cst.Call) or not isinstance(call.func, cst.Attribute):
        return
    is_function = program.text(call.func.value) in _OF_FUNCTIONS
    value = call.func.value if not is_function else call.args[0].value if call.args else None
    if value is None:
        return
    shape, name = live_shape(program, result, value), call.func.attr.value
    if shape is None:
        return
    if is_a(program.error, _DIAG) and name == "diag" and is_function and len(call.args) == 1:
        yield from _diagonals(program, call, list(shape))
    elif name == "unfold" and is_function and len(shape) == 2:
        yield from _unfolded(program, call, value)
    elif len(shape) == 1 and _asks_for_a_second(program.error):
        yield from _row_or_only(program, call, value, shape[0])


def _diagonals(program: Failed, call: cst.Call, shape: list[int]) -> Rewrites:
    new = cst.parse_expression("torch.diagonal(x, dim1=-2, dim2=-1)")
    assert isinstance(new, cst.Call) and isinstance(call.func, cst.Attribute)
    given = call.args[0].with_changes(comma=new.args[0].comma)
    function = call.func.with_changes(attr=cst.Name("diagonal"))
    told = f"{shape} is a batch of matrices, and each has its diagonal"
    yield program.edit({call: call.with_changes(func=function, args=[given, *new.args[1:]])}, told)


def _unfolded(program: Failed, call: cst.Call, value: cst.BaseExpression) -> Rewrites:
    assign = program.up(call, cst.Assign)
    if assign is None or assign.value is not call:
        return
    name = program.text(assign.targets[0].target)
    for other in program.all(cst.Call):
        # unfold gives [batch, kernel, windows]: reshaped as windows first, they would be mixed up.
        if program.text(other.func) in [f"{name}.{reorders}" for reorders in _REORDERS]:
            return
    new = method(method(value, "unsqueeze", cst.Arg(integer(0))), "unsqueeze", cst.Arg(integer(0)))
    told = f"unfold takes [batch, channels, height, width]; `{program.text(value)}` gets the first"
    yield program.edit({value: new}, f"{told} two", at=call)


def _row_or_only(program: Failed, call: cst.Call, value: cst.BaseExpression, size: int) -> Rewrites:
    dim = argument(call, 99, "dim")
    if dim is None or program.text(dim.value) != "1":
        return
    row = method(value, "unsqueeze", cst.Arg(integer(0)))
    told = f"`{program.text(value)}` becomes a row, [1, {size}], along dimension 1"
    yield program.edit({value: row}, told, f"`{program.text(value)}` is one row", at=call)
    told = f"the only dimension of `{program.text(value)}` is 0"
    meant = f"`{program.text(value)}` has one dimension"
    yield program.edit({dim.value: integer(0)}, told, meant, at=call)
