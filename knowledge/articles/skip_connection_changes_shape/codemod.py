"""Give a skip connection the projection that its number of channels needs."""

import libcst as cst

from executor.protocol import JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrites
from knowledge.repair.toolkit.edits import Edits, Program, call
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.keeps import computed
from knowledge.repair.toolkit.shapes import live_shape, uses_loaded_weights
from knowledge.repair.toolkit.sites import argument, assignment, calls, method_of, scope_of, seen_as

ERRORS = ("broadcast_sizes",)
KEEPS = (computed(),)
_DIMENSIONS = 4  # of a batch of maps


def applies(result: JobResult) -> bool:
    """Maps with different numbers of channels are added."""
    seen = seen_as(result, *ERRORS)
    shapes = [o.value.shape for o in result.operands if o.value.shape is not None]
    if seen is None or any(len(shape) != _DIMENSIONS for shape in shapes):
        return False
    return result.layer is None and seen["dimension"] == "1"


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """A convolution of one pixel for the side that is what forward was given."""
    node = program.node
    if not isinstance(node, cst.BinaryOperation) or not isinstance(node.operator, cst.Add):
        return
    forward = scope_of(program, node)
    around = scope_of(program, forward) if isinstance(forward, cst.FunctionDef) else None
    if not isinstance(forward, cst.FunctionDef) or not isinstance(around, cst.ClassDef):
        return
    known = [(v, live_shape(program, result, v)) for v in (node.left, node.right)]
    shapes = [s for _, s in known if s is not None]
    if len(shapes) != 2 or {len(s) for s in shapes} != {4} or uses_loaded_weights(program):
        return
    sizes = _by_name(program, around)
    if shapes[0][:1] + shapes[0][2:] != shapes[1][:1] + shapes[1][2:]:
        return  # a stride or a missing padding as well: that is more than a projection
    skips = [(v, s) for v, s in known if s is not None and _is_the_input(program, forward, v)]
    if len(skips) != 1:
        return
    value, shape = skips[0]
    other = next(s for s in shapes if s != shape)
    init = method_of(program, around.name.value, "__init__")
    body = init.body.body if init is not None and isinstance(init.body, cst.IndentedBlock) else ()
    if not body or "project" in program.text(around) or not program.imported() & {"nn", "torch"}:
        return
    layer = program.name_of("torch.nn", "Conv2d")
    sizes = sizes or f"{shape[1]}, {other[1]}, kernel_size=1"
    made = cst.parse_statement(f"self.project = {layer}({sizes})\n")
    projected = call("self.project", cst.Arg(value))
    told = f"a convolution of one pixel brings the {shape[1]} channels of `{program.text(value)}`"
    edits: Edits = {value: projected, body[-1]: cst.FlattenSentinel([body[-1], made])}
    yield program.edit(edits, f"{told} to {other[1]}", at=node, new_name="project")


def _by_name(program: Program, cls: cst.ClassDef) -> str:
    """The sizes of the block, and its stride, by the parameters that its convolutions have."""
    convolutions = [c for c in calls(program, r"\bConv2d$") if program.up(c, cst.ClassDef) is cls]
    if not convolutions:
        return ""
    first, last = convolutions[0], convolutions[-1]
    ends = argument(first, 0, "in_channels"), argument(last, 1, "out_channels")
    names = [a.value.value for a in ends if a is not None and isinstance(a.value, cst.Name)]
    if len(names) != len(ends) or names[0] == names[1]:
        return ""
    stride = argument(first, 3, "stride")
    step = f", stride={program.text(stride.value)}" if stride is not None else ""
    return f"{names[0]}, {names[1]}, kernel_size=1{step}"


def _is_the_input(program: Program, forward: cst.FunctionDef, value: cst.BaseExpression) -> bool:
    """Whether a name is a parameter of forward, or was set to one before it changed."""
    if not isinstance(value, cst.Name):
        return False
    given = {p.name.value for p in forward.params.params} - {"self"}
    found = assignment(program, value.value, value)
    if found is None:
        return value.value in given
    return isinstance(found.value, cst.Name) and found.value.value in given


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The same two are added, and no layer is gone."""
    old = before.values.tensors if before.values is not None else {}
    new = after.values.tensors if after.values is not None else {}
    gone = [n for n in old if "." in n and (n not in new or new[n].shape != old[n].shape)]
    detail = f"`{gone[0]}` is another one" if gone else "every layer is as it was"
    return [Check(name="same layers", passed=not gone, detail=detail)]
