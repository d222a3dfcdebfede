"""Make floats of integers before an operation that has no integer form: mean, softmax, a norm.

The cast stands at the operation, not where the tensor is made: it may be an index elsewhere.
"""

from __future__ import annotations

import re

import libcst as cst

from executor.errors import SeenError, is_a, read
from executor.protocol import Caught, ErrorSeen, JobResult
from knowledge.repair.codemod import Rewrite, Rewrites
from knowledge.repair.toolkit.dataflow import INTEGERS, of_dtype, passed
from knowledge.repair.toolkit.edits import Edits, method
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.flow import root
from knowledge.repair.toolkit.keeps import leaves, tensors
from knowledge.repair.toolkit.sites import argument, assignment, seen_error, with_argument

_WRITTEN = ("value_overflow", "integers_as_data")  # error families
_RANDOM = ("check_uniform_bounds", "normal_kernel_cpu")  # kernels
_FACTORY = re.compile(r"^(torch\.)?(tensor|as_tensor|arange|zeros|ones|full|randint)$")
_TWO = re.compile(r"(cosine_similarity|cdist|pairwise_distance|dist|mm|matmul|bmm)$")
_LIKE = re.compile(r"\b(rand_like|randn_like)$")
_PICKS = re.compile(r"\b(argmax|argsort|topk|max|round|long|int)\(|\bself\.|\bmodel\b|\bnet\b")
KEEPS = (tensors, leaves)


def applies(result: JobResult) -> bool:
    """An operation that needs floats was given integers."""
    error = seen_error(result)
    if error is None:
        return False
    if (lacks := read(error, "not_implemented_for_dtype")) is not None:
        kernel, dtype = lacks["kernel"], lacks["dtype"]
        if kernel in _RANDOM:
            return dtype in ("Long", "Int")
        whole = dtype in ("Long", "Int", "Short", "Byte", "Char")
        return whole and not kernel.startswith(("check_uniform", "normal_kernel", "random_"))
    needs = read(error, "needs_floating_point")
    return is_a(error, "output_dtype", *_WRITTEN) or (needs is not None and _is_told(needs))


def _is_told(needs: SeenError) -> bool:
    """Whether it is a wording of an operation for which `.float()` is the answer."""
    if needs["operation"] in ("argmax", "argmin"):
        return True
    return any(needs[wording] for wording in ("common", "tensor", "deviation", "either", "only"))


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """`.float()` at the operation; at the call for a layer's input."""
    node = program.node
    if is_a(program.error, *_WRITTEN):
        yield from _written(program)
        return
    lacks = read(program.error, "not_implemented_for_dtype")
    if lacks is not None and lacks["kernel"] in _RANDOM:
        yield from _random_like(program, node)
        return
    if result.layer is not None and result.layer.type.endswith("Loss"):
        yield from _prediction(program, node)
        return
    if result.layer is not None or len(result.frames) > 1:
        given = passed(program, result, lambda facts: facts.dtype in INTEGERS - {"bool"})
        if given is not None and result.layer is not None:
            new = method(given.name, "float")
            told = f"the layer computes with floats, and `{given.name.value}` holds integers"
            yield program.edit({given.name: new}, told)
            return
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return
    if node.func.attr.value.endswith("_"):
        return  # the result would be written into a copy and lost
    yield from _at(program, node, _of_truth_values(program.error))
    yield from _at_the_literal(program, node)


def _written(program: Failed) -> Rewrites:
    """`x[i] = inf`, `layer.weight.data = integers`: floats where the integers are made."""
    line = program.statement
    small = line.body[0] if line is not None and len(line.body) == 1 else None
    if not isinstance(small, cst.Assign) or len(small.targets) != 1:
        return
    target = small.targets[0].target
    name: cst.BaseExpression | None = root(target) if isinstance(target, cst.Subscript) else None
    value = small.value if name is None else None
    if isinstance(name or value, cst.Name):
        found = assignment(program, program.text(name or small.value), small)
        value = found.value if found is not None else None
    if isinstance(value, cst.Call) and _FACTORY.match(program.text(value.func)):
        subject = program.text(name or target).removesuffix(".data")
        yield _of_floats(program, value, "made as floats, which can hold what is written", subject)


def _of_floats(program: Failed, value: cst.BaseExpression, told: str, *subjects: str) -> Rewrite:
    return program.edit({value: of_dtype(program, value, "float32")}, told, subjects=subjects)


def _random_like(program: Failed, node: cst.BaseExpression | None) -> Rewrites:
    """`rand_like(integers)` with a dtype that random numbers between 0 and 1 can have."""
    if isinstance(node, cst.Call) and _LIKE.search(program.text(node.func)):
        dtype = cst.parse_expression(program.name_of("torch", "float32"))
        told = "the shape of the integers, filled with floats"
        yield program.edit({node: with_argument(node, 99, "dtype", dtype)}, told)


def _prediction(program: Failed, node: cst.BaseExpression | None) -> Rewrites:
    """What a loss gets first, as floats, where it is made; the targets stay as they are.

    What a model gave is made of floats, and whole numbers come of argmax or of a copy of it: made
    floats again, they have no way back to the model, and nothing is trained.
    """
    given = argument(node, 0, "input") if isinstance(node, cst.Call) else None
    if given is None or node is None:
        return
    facts = program.seen.get(program.text(given.value))
    if facts is None or facts.dtype not in INTEGERS or not isinstance(given.value, cst.Name):
        return
    made = assignment(program, given.value.value, node)
    if made is None or _PICKS.search(program.text(made.value)):
        return
    name = given.value.value
    yield _of_floats(program, made.value, f"`{name}` are scores, and scores are floats", name)


def _at_the_literal(program: Failed, node: cst.Call) -> Rewrites:
    """The one tensor of integers that a value was selected from, made as floats instead.

    Where the result goes back into it, a cast at the operation alone would not do.
    """
    names = [n.value for a in node.args[:1] for n in program.inside(a.value, cst.Name)]
    for name in names:
        made = assignment(program, name, node)
        if made is None or not isinstance(made.value, cst.Subscript):
            continue
        if not isinstance(source := made.value.value, cst.Name):
            continue
        first = assignment(program, source.value, made)
        value = first.value if first is not None else None
        if isinstance(value, cst.Call) and _FACTORY.match(program.text(value.func)):
            told = f"`{source.value}` is made of floats"
            yield _of_floats(program, value, told, source.value, name)


def _at(program: Failed, node: cst.Call, is_bool: bool) -> Rewrites:
    assert isinstance(node.func, cst.Attribute)
    operation = node.func.attr.value
    owner = program.text(node.func.value)
    is_function = re.match(r"^(torch(\.\w+)*|F|nn\.functional)$", owner) is not None
    operands: list[cst.BaseExpression] = [node.func.value]
    if is_function:
        operands = [a.value for a in node.args if not a.star and _is_data(a)]
        operands = operands[: 2 if _TWO.search(operation) else 1]
    edits: Edits = {}
    for value in operands:
        facts = program.seen.get(program.text(value))
        if facts is not None and facts.dtype is not None and facts.dtype not in INTEGERS:
            continue
        edits[value] = _floats(program, value, is_bool)
    if edits:
        what = "integers" if is_bool else "floats"
        yield program.edit(edits, f"`{operation}` is computed in {what}", at=node)


def _is_data(argument: cst.Arg) -> bool:
    if argument.keyword is not None:
        return argument.keyword.value == "input"
    return not isinstance(argument.value, (cst.Integer, cst.Float, cst.SimpleString))


def _floats(program: Failed, value: cst.BaseExpression, is_bool: bool) -> cst.BaseExpression:
    if is_bool:
        return method(value, "int")
    if isinstance(value, cst.Call) and _FACTORY.match(program.text(value.func)):
        return of_dtype(program, value, "float32")
    return method(value, "float")


def _of_truth_values(error: ErrorSeen | Caught) -> bool:
    """Whether the operation refused truth values."""
    needs = read(error, "needs_floating_point")
    return needs is not None and (needs["kind"], needs["input"]) == ("bool", " input")
