"""Leave out a step that brought a tensor into a form that the failing line does not take.

`x.unsqueeze(1)` becomes `x`, in the failing statement or where one of its names was made. A step
that takes a value out of its graph (detach, item, numpy) is left alone: why it stands there is not
to be seen from the error.
"""

import re
from collections.abc import Iterator

import libcst as cst

from executor.errors import is_a
from executor.protocol import JobResult
from knowledge.repair.codemod import Rewrite, Rewrites
from knowledge.repair.operator import COST, Failure, Place
from knowledge.repair.toolkit.edits import Program
from knowledge.repair.toolkit.lazily import torch
from knowledge.repair.toolkit.sites import assignment, with_appended
from knowledge.repair.toolkit.statements import last_name

_STEPS = frozenset(
    {"unsqueeze", "squeeze", "t", "transpose", "permute", "swapaxes", "flatten", "long", "int",
     "float", "double", "half", "bool", "argmax", "expand", "repeat", "contiguous"}
)  # fmt: skip
_PROPERTIES = frozenset({"T", "mT", "H"})
_SPEAKS_OF_FORM = re.compile(
    r"(?i)shape|size|dimension|dtype|\btype\b|\b\dD\b|-D\b|scalar|must match|long|float|double"
    r"|columns|rows|channels|not numpy\.ndarray"
)
_BY_PLACE = re.compile(r"(?:scatter|gather|index_|take)\w*$")  # what fits there is not yet meant
_DEPTH = 2  # assignments that are followed back
_FRAMES = 2


def applies(result: JobResult) -> bool:
    """The error speaks of shapes or dtypes, and not of how a step is written."""
    if result.error is None or is_a(result.error, "permute_dimensions"):
        return False
    return bool(_SPEAKS_OF_FORM.search(result.error.message))


def edits(failure: Failure) -> Rewrites:
    """Each step of the failing line, and of the lines that made what it works on, left out."""
    seen: set[cst.CSTNode] = set()
    for place in failure.places[:_FRAMES]:
        for node, far in _made_of(failure, place):
            yield from _joined(failure, place, node, far)
            yield from _of_any_batch(failure, place, node, far)
            for step in failure.expressions(node):
                yield from _one_dimension(failure, place, step, far)
                of = _taken_of(step) or (None if far else _array_of(failure, step))
                if of is not None and step not in seen:
                    seen.add(step)
                    yield from _without(failure, place, step, of, far)


def _made_of(program: Program, place: Place) -> Iterator[tuple[cst.CSTNode, int]]:
    """The failing expression, and how many assignments back each value was made that is in it."""
    queue: list[tuple[cst.CSTNode, int]] = [(place.node, 0)]
    seen: set[cst.CSTNode] = set()
    while queue:
        node, far = queue.pop(0)
        yield node, far
        if far >= _DEPTH:
            continue
        for name in program.inside(node, cst.Name):
            made = assignment(program, name.value, name)
            if made is not None and made not in seen:
                seen.add(made)
                queue.append((made.value, far + 1))
                if isinstance(made.value, cst.List):
                    added = (c for c in program.all(cst.Call)
                             if program.text(c.func) == f"{name.value}.append")  # fmt: skip
                    queue += [(call, far) for call in added]


def _taken_of(node: cst.BaseExpression) -> cst.BaseExpression | None:
    """What a step is taken of: `x` of `x.unsqueeze(1)` and of `torch.unsqueeze(x, 1)`."""
    if isinstance(node, cst.Attribute) and node.attr.value in _PROPERTIES:
        return node.value
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return None
    if node.func.attr.value not in _STEPS:
        return None
    if isinstance(node.func.value, cst.Name) and node.func.value.value in ("torch", "F", "np"):
        return node.args[0].value if node.args and node.args[0].keyword is None else None
    return node.func.value


def _array_of(failure: Failure, node: cst.BaseExpression) -> cst.BaseExpression | None:
    """`x` of `x.numpy()`, where no array is taken."""
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return None
    is_one = node.func.attr.value == "numpy" and "not numpy.ndarray" in failure.error.message
    return node.func.value if is_one else None


def _without(
    failure: Failure, place: Place, step: cst.BaseExpression, of: cst.BaseExpression, far: int
) -> Rewrites:
    parent = failure.parent(step)
    if isinstance(parent, cst.Expr) or _is_a_module(failure, place, of):
        return
    around = failure.up(parent, cst.Call) if isinstance(parent, cst.Arg) else None
    if around is not None and _BY_PLACE.search(failure.text(around.func)):
        return
    line, name = failure.line(step), failure.text(of)
    done = (failure.text(step).removeprefix(name).strip() or failure.text(step)).lstrip(".")
    told = f"line {line}: `{name}` stays as it is, without `{done}`"
    meaning = f"`{name}` needs no `{done}`"
    cost = COST.LIKELY + COST.FAR * far
    new = failure.replace({step: of})
    if isinstance(parent, cst.Assign) and failure.text(parent.targets[0].target) == name:
        gone = _without_line(failure, line)
        if gone is None:
            return
        new = gone
    yield Rewrite(new, told, meaning, cost=cost, supposes=True)  # it may have been meant


def _joined(failure: Failure, place: Place, node: cst.CSTNode, far: int) -> Rewrites:
    """`torch.cat(parts)` for `torch.stack(parts)`, where each part is a batch of one already."""
    for call in failure.inside(node, cst.Call):
        if failure.text(call.func) not in ("torch.stack", "stack") or len(call.args) != 1:
            continue
        parts = failure.value(call.args[0].value, place.frame)
        if not isinstance(parts, (list, tuple)) or len(parts) < 2:
            continue
        if all(isinstance(p, torch.Tensor) and p.dim() > 1 and len(p) == 1 for p in parts):
            function = cst.parse_expression(failure.name_of("torch", "cat"))
            meaning = "each of the tensors is a batch of one already"
            told, cost = f"{meaning}, and they are joined along it", COST.SURE + COST.FAR * far
            new = call.with_changes(func=function)
            yield failure.edit({call: new}, told, meaning, cost=cost, supposes=True)


def _of_any_batch(failure: Failure, place: Place, node: cst.CSTNode, far: int) -> Rewrites:
    """`x.view(x.size(0), -1)` for `x.view(BATCH, -1)`: the last batch may be smaller."""
    for call in failure.inside(node, cst.Call):
        if not isinstance(call.func, cst.Attribute) or len(call.args) < 2:
            continue
        first, last = call.args[0].value, failure.text(call.args[-1].value)
        is_fixed = isinstance(first, (cst.Name, cst.Integer)) and failure.text(first) != "-1"
        if call.func.attr.value not in ("view", "reshape") or not is_fixed or last != "-1":
            continue
        owner = failure.text(call.func.value)
        value = failure.value(call.func.value, place.frame)
        if not isinstance(value, torch.Tensor) or value.dim() < 2:
            continue  # numbers in a row, which are no samples
        new = cst.parse_expression(f"{owner}.size(0)")
        told = f"each sample of `{owner}` keeps a row, however many there are"
        meaning = f"the first dimension of `{owner}` is the batch"
        cost = COST.SURE + COST.FAR * far
        yield failure.edit({first: new}, told, meaning, at=call, cost=cost)


def _one_dimension(failure: Failure, place: Place, step: cst.BaseExpression, far: int) -> Rewrites:
    """`x.squeeze(1)` for `x.squeeze()`, which drops the batch too where it is one of one sample."""
    of = _taken_of(step)
    if not isinstance(step, cst.Call) or of is None or any(a.value is not of for a in step.args):
        return
    if last_name(failure, step.func) != "squeeze":
        return
    value, name = failure.value(of, place.frame), failure.text(of)
    sizes = list(value.shape) if isinstance(value, torch.Tensor) else []
    if sizes[:1] != [1]:
        return
    at = [n for n, size in enumerate(sizes) if n and size == 1]
    state = {(0,)} if at == [1] and len(sizes) == 3 else set()  # of a layer: its batch is second
    for dims in ({tuple(at), *((n,) for n in at)} | state) - {()}:
        told = f"a batch of one sample keeps its dimension in `{name}`"
        meant = f"dimension {' and '.join(map(str, dims))} of `{name}` is the one to go"
        dim = str(dims[0] if len(dims) == 1 else dims)
        new = with_appended(step, cst.Arg(cst.parse_expression(dim)))
        cost = (COST.SURE if dims[0] else COST.LIKELY) + COST.FAR * far
        yield failure.edit({step: new}, told, meant, cost=cost)


def _without_line(program: Program, line: int) -> cst.Module | None:
    """The program without a statement of one line, comments above it kept; None if it needs it."""
    statement = program.statement_on(line)
    if statement is None or len(statement.body) != 1 or program.end_line(statement) != line:
        return None
    lines = program.module.code.splitlines(keepends=True)
    try:
        return cst.parse_module("".join(lines[: line - 1] + lines[line:]))
    except cst.ParserSyntaxError:  # nothing else stands in its block
        return None


def _is_a_module(failure: Failure, place: Place, node: cst.BaseExpression) -> bool:
    """Whether a step casts a model and not a tensor: `model.float()`."""
    return isinstance(failure.value(node, place.frame), torch.nn.Module)
