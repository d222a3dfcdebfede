"""Make floats of integers before an operation that has no integer form: mean, softmax, a norm.

The cast stands at the operation, not where the tensor is made: it may be an index elsewhere.
"""

import re

import libcst as cst

from executor.errors import is_a
from executor.protocol import JobResult
from knowledge.repair.codemod import Rewrite, Rewrites
from knowledge.repair.toolkit.dataflow import INTEGERS, is_factory, of_dtype, passed
from knowledge.repair.toolkit.edits import Edits, method
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.flow import root
from knowledge.repair.toolkit.keeps import leaves, tensors
from knowledge.repair.toolkit.sites import argument, given_to, seen_as, with_argument

_KERNEL, _NEEDS = "not_implemented_for_dtype", "needs_floating_point"  # error families
_WRITTEN = ("value_overflow", "integers_as_data")
ERRORS = (_KERNEL, "output_dtype", *_WRITTEN, _NEEDS)
_RANDOM = ("check_uniform_bounds", "normal_kernel_cpu")  # kernels
_TWO = re.compile(r"(cosine_similarity|cdist|pairwise_distance|dist|mm|matmul|bmm)$")
_LIKE = re.compile(r"\b(rand_like|randn_like)$")
_PICKS = re.compile(r"\b(argmax|argsort|topk|max|round|long|int)\(|\bself\.|\bmodel\b|\bnet\b")
KEEPS = (tensors, leaves)


def applies(result: JobResult) -> bool:
    """An operation that needs floats was given integers."""
    seen = seen_as(result, *ERRORS)
    if seen is None:
        return False
    if seen.id == _KERNEL:
        if seen["kernel"].startswith(("check_uniform", "normal_kernel", "random_")):
            return seen["kernel"] in _RANDOM and seen["dtype"] in ("Long", "Int")
        return seen["dtype"] in ("Long", "Int", "Short", "Byte", "Char")
    # Of the wordings those of an operation for which `.float()` is the answer.
    told = any(seen[word] for word in ("common", "tensor", "deviation", "either", "only"))
    return seen.id != _NEEDS or told or seen["operation"] in ("argmax", "argmin")


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """`.float()` at the operation; at the call for a layer's input."""
    node, said = program.node, program.said
    if is_a(program.error, *_WRITTEN):
        yield from _written(program)
        return
    if said["kernel"] in _RANDOM or (result.layer and result.layer.type.endswith("Loss")):
        yield from (_random_like if said["kernel"] in _RANDOM else _prediction)(program, node)
        return
    if result.layer is not None:
        given = passed(program, result, lambda facts: facts.dtype in INTEGERS - {"bool"})
        if given is not None:
            told = f"the layer computes with floats, and `{given.name.value}` holds integers"
            yield program.edit({given.name: method(given.name, "float")}, told)
            return
    if not isinstance(node, cst.Call) or not isinstance(node.func, cst.Attribute):
        return
    if node.func.attr.value.endswith("_"):
        return  # the result would be written into a copy and lost
    yield from _at(program, node, (said["kind"], said["input"]) == ("bool", " input"))
    yield from _at_the_literal(program, node)


def _written(program: Failed) -> Rewrites:
    """`x[i] = inf`, `layer.weight.data = integers`: floats where the integers are made."""
    small = program.alone
    if not isinstance(small, cst.Assign) or len(small.targets) != 1:
        return
    target = small.targets[0].target
    written = root(target) if isinstance(target, cst.Subscript) else None
    made = given_to(program, written or small.value)
    value = made.value if made is not None else written or small.value
    if is_factory(program, value):
        subject = program.text(written or target).removesuffix(".data")
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
    made = given_to(program, given.value) if given is not None else None
    if given is None or made is None or _PICKS.search(program.text(made.value)):
        return
    name = program.text(given.value)
    facts = program.seen.get(name)
    if facts is not None and facts.dtype in INTEGERS:
        yield _of_floats(program, made.value, f"`{name}` are scores, and scores are floats", name)


def _at_the_literal(program: Failed, node: cst.Call) -> Rewrites:
    """The one tensor of integers that a value was selected from, made as floats instead.

    Where the result goes back into it, a cast at the operation alone would not do.
    """
    for name in (n for a in node.args[:1] for n in program.inside(a.value, cst.Name)):
        made = given_to(program, name)
        if made is None or not isinstance(made.value, cst.Subscript):
            continue
        first = given_to(program, made.value.value)
        if first is not None and is_factory(program, first.value):
            source = program.text(made.value.value)
            told = f"`{source}` is made of floats"
            yield _of_floats(program, first.value, told, source, name.value)


def _at(program: Failed, node: cst.Call, is_bool: bool) -> Rewrites:
    assert isinstance(node.func, cst.Attribute)
    owner = program.text(node.func.value)
    is_function = re.match(r"^(torch(\.\w+)*|F|nn\.functional)$", owner) is not None
    operands: list[cst.BaseExpression] = [node.func.value]
    if is_function:
        plain = (cst.Integer, cst.Float, cst.SimpleString)
        given = [
            a for a in node.args if not a.star and (a.keyword or not isinstance(a.value, plain))
        ]
        operands = [a.value for a in given if not a.keyword or a.keyword.value == "input"]
        operands = operands[: 2 if _TWO.search(node.func.attr.value) else 1]
    edits: Edits = {}
    for value in operands:
        facts = program.seen.get(program.text(value))
        if facts is not None and facts.dtype is not None and facts.dtype not in INTEGERS:
            continue
        edits[value] = method(value, "int" if is_bool else "float")
        if is_factory(program, value) and not is_bool:
            edits[value] = of_dtype(program, value, "float32")
    if edits:
        what = "integers" if is_bool else "floats"
        yield program.edit(edits, f"`{node.func.attr.value}` is computed in {what}", at=node)
