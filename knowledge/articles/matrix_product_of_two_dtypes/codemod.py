"""Give the data the dtype of the weights, where the data are made.

The weights say what is meant: nobody casts a model by accident, but NumPy's float64 and Python's
integers come along unasked. Two plain tensors have no such side, and neither have data whose dtype
the code names, or whose precision it is about; then both ways are shown, with what the one loses.
A layer in half precision is left alone: whether rounding is wanted is not for an edit to say.
"""

import re

import libcst as cst

from executor.errors import dtype_named, is_a, read
from executor.protocol import Caught, ErrorSeen, JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrites
from knowledge.repair.computed import same_tensors
from knowledge.repair.toolkit.dataflow import INTEGERS, Passed, cast_of, digits_lost, passed
from knowledge.repair.toolkit.edits import Edits, method
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.keeps import leaves
from knowledge.repair.toolkit.sites import calls, seen_error, setting
from knowledge.repair.toolkit.two_dtypes import cast_where_made, is_meant, says, two_tensors

# Error family → its values for the data's dtype and the weights', or for the two operands'.
_DTYPES = {
    "matmul_dtypes": ("left", "right"), "matvec_dtypes": ("left", "right"),
    "dot_dtypes": ("left", "right"), "compared_dtypes": ("left", "right"),
    "layer_dtypes": ("input", "weight"), "layer_devices": ("input", "weight"),
    "rnn_dtypes": ("input", "weight"), "backward_dtype": ("given", "expected"),
    "inplace_dtype": ("target", "result"), "scalar_type": ("given", "expected"),
}  # fmt: skip
ERRORS = tuple(_DTYPES)
KEEPS = (leaves,)
_KNOWN = INTEGERS | {"float16", "float32", "float64", "complex64"}


def applies(result: JobResult) -> bool:
    """Two tensors of different dtypes met where one is needed."""
    error = seen_error(result, *ERRORS)
    return error is not None and _dtypes(error) is not None


def _dtypes(error: ErrorSeen | Caught) -> tuple[str, str] | None:
    """(the data's, the weights'), or (first operand's, second's)."""
    seen = read(error, *ERRORS)
    if seen is None or seen["input_cuda"] or seen["weight_cuda"]:
        return None
    if seen.id == "layer_devices" and seen["which"] == "bias":
        return None
    names = (seen[name].strip() for name in _DTYPES[seen.id])
    one, other = (dtype_named(name) or name for name in names)
    return (one, other) if {one, other} <= _KNOWN else None


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """The data cast where they are made, else where they are passed."""
    dtypes = _dtypes(program.error)
    if dtypes is None:
        return
    data, weights = dtypes
    if (one_hot := _one_hot(program, program.node)) is not None:
        if data == "int64" and weights not in INTEGERS:
            told = f"one_hot gives integers; the loss wants {weights}"
            yield program.edit({one_hot: cast_of(program, one_hot, weights)}, told)
        return
    if result.layer is not None and "float16" in dtypes:
        return
    match program.node:
        case cst.Call(func=cst.Attribute(attr=cst.Name(value=name))) if name.endswith("_"):
            return  # it would write into a copy, or what is made as whole numbers is an index
    if result.layer is not None or is_a(program.error, "backward_dtype", "inplace_dtype"):
        given = passed(program, result, lambda facts: facts.dtype == data)
        if given is not None and given.facts.dtype is not None:
            if digits_lost(data, weights) and is_meant(program, given, data):
                yield from _either(program, given, data, weights)
            else:
                yield from cast_where_made(program, given, data, weights)
        elif result.layer is not None:
            yield from _packed(program, result, data, weights)
        return
    yield from two_tensors(program, data, weights)


def _one_hot(program: Failed, node: cst.BaseExpression | None) -> cst.BaseExpression | None:
    """A call of one_hot that is itself an argument of the failing call."""
    values = [a.value for a in node.args] if isinstance(node, cst.Call) else []
    made = (
        v for v in values if isinstance(v, cst.Call) and program.text(v.func).endswith("one_hot")
    )
    return next(made, None)


def _either(program: Failed, given: Passed, old: str, new: str) -> Rewrites:
    """The data in the model's precision, or the model in the data's, if its making is found."""
    whole = program.outermost or given.statement  # where it is another one the model is meant
    called = {
        program.text(call.func)
        for call in program.inside(whole, cst.Call)
        if whole is not given.statement or any(a.value is given.name for a in call.args)
    }
    makers = [
        a
        for a in program.all(cst.Assign)
        if isinstance(a.value, cst.Call) and {program.text(t.target) for t in a.targets} & called
    ]
    if len(makers) != 1:
        return
    name, cast = given.name.value, cast_of(program, given.name, new)
    told = f"`{name}` is passed as {new}, not {old}{digits_lost(old, new)}"
    meant = f"compute in {new}"
    yield program.edit({given.name: cast}, told, meant, subjects=(name,), said=says(new))
    (made,), meant = makers, f"compute in {old}"
    told = f"`{program.text(made.targets[0].target)}` computes in {old}, as precise as its input"
    edits: Edits = {made.value: cast_of(program, made.value, old)}
    yield program.edit(edits, told, meant, at=made, said=says(old))


def _packed(program: Failed, result: JobResult, old: str, new: str) -> Rewrites:
    """The padded sequences that were packed for the layer, cast before they are packed.

    A layer of one feature wants them with a last dimension of one.
    """
    calls_ = list(calls(program, r"(^|\.)pack_padded_sequence$"))
    if result.layer is None or len(calls_) != 1 or not calls_[0].args or new in INTEGERS:
        return
    value = calls_[0].args[0].value
    facts = program.seen.get(program.text(value))
    if facts is None or facts.dtype != old or facts.shape is None:
        return
    cast = cast_of(program, value, new)
    told = f"`{program.text(value)}` as {new}, not {old}"
    if len(facts.shape) == 2 and setting(result.layer, "input_size") == 1:
        cast = method(cast, "unsqueeze", cst.Arg(cst.parse_expression("-1")))
        told += ", each number as a vector of one feature"
    yield program.edit({value: cast}, told)


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The same numbers in the new dtype, but random ones, which are drawn anew."""
    drawn = [s for s in proposal.subjects if re.search(rf"\b{s}\s*=[^\n]*rand", proposal.code)]
    return [same_tensors(before, after, proposal.code, drawn)]
