"""Give the data the dtype of the weights, where the data are made.

The weights say what is meant: nobody casts a model by accident, but NumPy's float64 and Python's
integers come along unasked. Two plain tensors have no such side, and neither have data whose dtype
the code names, or whose precision it is about; then both ways are shown, with what the one loses.
A layer in half precision is left alone: whether rounding is wanted is not for an edit to say.
"""

from __future__ import annotations

import re

import libcst as cst

from executor.errors import dtype_named, is_a, read
from executor.protocol import Caught, ErrorSeen, JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrite, Rewrites
from knowledge.repair.computed import same_tensors
from knowledge.repair.toolkit.comments import commented
from knowledge.repair.toolkit.dataflow import Passed, cast_at_origin, cast_of, digits_lost, passed
from knowledge.repair.toolkit.edits import Edits, method
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.keeps import leaves
from knowledge.repair.toolkit.sites import calls, given_to, seen_error, setting

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
_INTEGERS = {"int64", "int32", "uint8", "bool", "int16"}
_SHORTLY = {"float64": r"\.double\b", "float32": r"\.float\b", "float16": r"\.half\b"}
_ABOUT_PRECISION = re.compile(
    r"(?i)\b(?:double|single|half|full|high(?:er)?|low(?:er)?|reduced|numerical)[- ]precision\b"
    r"|\bprecision\b(?!\s*[,@=:]|\s+(?:and|score|recall))|\bfloat(?:16|64)\b"
)
_KNOWN = _INTEGERS | {"float16", "float32", "float64", "complex64"}


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
    first, second = _DTYPES[seen.id]
    return _both(seen[first], seen[second])


def _both(a: str, b: str) -> tuple[str, str] | None:
    one, other = (dtype_named(name.strip()) or name.strip() for name in (a, b))
    return (one, other) if {one, other} <= _KNOWN else None


def rewrite(program: Failed, result: JobResult) -> Rewrites:
    """The data cast where they are made, else where they are passed."""
    dtypes = _dtypes(program.error)
    if dtypes is None:
        return
    data, weights = dtypes
    if (one_hot := _one_hot(program, program.node)) is not None:
        if data == "int64" and weights not in _INTEGERS:
            told = f"one_hot gives integers; the loss wants {weights}"
            yield program.edit({one_hot: cast_of(program, one_hot, weights)}, told)
        return
    if result.layer is not None and "float16" in dtypes:
        return
    if result.layer is not None or is_a(program.error, "backward_dtype", "inplace_dtype"):
        given = passed(program, result, lambda facts: facts.dtype == data)
        if given is not None and given.facts.dtype is not None:
            if digits_lost(data, weights) and _is_meant(program, given, data):
                yield from _either(program, result, given, data, weights)
            else:
                yield from _cast(program, given, data, weights)
        elif result.layer is not None:
            yield from _packed(program, result, data, weights)
        return
    yield from _two_tensors(program, result, data, weights)


def _one_hot(program: Failed, node: cst.BaseExpression | None) -> cst.BaseExpression | None:
    """A call of one_hot that is itself an argument of the failing call."""
    values = [a.value for a in node.args] if isinstance(node, cst.Call) else []
    made = (
        v for v in values if isinstance(v, cst.Call) and program.text(v.func).endswith("one_hot")
    )
    return next(made, None)


def _cast(
    program: Failed, given: Passed, old: str, new: str, intent: str = "", lost: str = ""
) -> Rewrites:
    if new in _INTEGERS and old not in _INTEGERS:
        return  # that would cut off what is behind the point
    edits, where = cast_at_origin(program, given, new)
    told, said = f"{where} as {new}, not {old}{lost}", _said(new) if intent else ""
    yield Rewrite(program.replace(edits), told, intent, (given.name.value,), said)


def _says(program: Failed, given: Passed | None, dtype: str) -> bool:
    """Whether the line that makes a variable names a dtype."""
    made = given_to(program, given.name) if given is not None else None
    short = rf"\b{dtype}\b|{_SHORTLY.get(dtype, dtype)}"
    return made is not None and re.search(short, program.text(made.value)) is not None


def _is_meant(program: Failed, given: Passed, dtype: str) -> bool:
    """Whether the author chose a tensor's dtype: the code names it there, or is about precision."""
    if _says(program, given, dtype):
        return True
    code = program.module.code
    told = [*commented(code).values(), *re.findall(r"print\([^\n]*", code)]
    return any(_ABOUT_PRECISION.search(text) for text in told)


def _either(program: Failed, result: JobResult, given: Passed, old: str, new: str) -> Rewrites:
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
    yield program.edit({given.name: cast}, told, meant, subjects=(name,), said=_said(new))
    (made,), meant = makers, f"compute in {old}"
    told = f"`{program.text(made.targets[0].target)}` computes in {old}, as precise as its input"
    edits: Edits = {made.value: cast_of(program, made.value, old)}
    yield program.edit(edits, told, meant, at=made, said=_said(old))


def _said(dtype: str) -> str:
    return rf"\b{dtype}\b|\b{dtype.replace('float64', 'double')}\b"


def _packed(program: Failed, result: JobResult, old: str, new: str) -> Rewrites:
    """The padded sequences that were packed for the layer, cast before they are packed.

    A layer of one feature wants them with a last dimension of one.
    """
    layer = result.layer
    calls_ = list(calls(program, r"(^|\.)pack_padded_sequence$"))
    if layer is None or len(calls_) != 1 or not calls_[0].args or new in _INTEGERS:
        return
    value = calls_[0].args[0].value
    facts = program.seen.get(program.text(value))
    if facts is None or facts.dtype != old or facts.shape is None:
        return
    cast = cast_of(program, value, new)
    told = f"`{program.text(value)}` as {new}, not {old}"
    if len(facts.shape) == 2 and setting(layer, "input_size") == 1:
        cast = method(cast, "unsqueeze", cst.Arg(cst.parse_expression("-1")))
        told += ", each number as a vector of one feature"
    yield program.edit({value: cast}, told)


def _two_tensors(program: Failed, result: JobResult, first: str, second: str) -> Rewrites:
    """`a @ b`: integers become floats; of two kinds of float either may be meant."""
    statement = program.statement
    if statement is None:
        return
    by_dtype = {d: _named(program, statement, d) for d in (first, second)}
    if is_a(program.error, "compared_dtypes"):
        yield from _compared(program, by_dtype, first, second)
        return
    if "complex64" in (first, second):
        yield from _complex(program, by_dtype, first, second)
        return
    for bad, good in ((first, second), (second, first)):
        given = by_dtype[bad]
        if given is None:
            continue
        if bad in _INTEGERS and good not in _INTEGERS:
            yield from _cast(program, given, bad, good)
        if _INTEGERS & {bad, good}:
            continue
        meant, lost = f"compute in {good}", digits_lost(bad, good)
        named = all(_says(program, given, dtype) for dtype, given in by_dtype.items())
        if "float16" in (bad, good) or named:
            # Whoever writes a dtype means it: cast where the two meet, not where they are made.
            told, cast = f"`{given.name.value}` as {good}{lost}", cast_of(program, given.name, good)
            yield program.edit({given.name: cast}, told, meant, said=_said(good))
        else:
            yield from _cast(program, given, bad, good, meant, lost)


def _compared(
    program: Failed, by_dtype: dict[str, Passed | None], first: str, second: str
) -> Rewrites:
    """Integers as floats where they are compared; they stay integers everywhere else."""
    for bad, good in ((first, second), (second, first)):
        given = by_dtype[bad]
        if given is not None and bad in _INTEGERS and good not in _INTEGERS:
            told = f"`{given.name.value}` is compared as {good}"
            yield program.edit({given.name: cast_of(program, given.name, good)}, told)


def _complex(
    program: Failed, by_dtype: dict[str, Passed | None], first: str, second: str
) -> Rewrites:
    """Only the real part, or both operands complex: which is meant nobody can see."""
    other = by_dtype[second if first == "complex64" else first]
    given = by_dtype["complex64"]
    if given is not None and other is not None and other.facts.dtype == "float32":
        told, meant = f"the real part of `{given.name.value}`", "compute with the real part"
        real = cst.Attribute(given.name, cst.Name("real"))
        yield program.edit({given.name: real}, told, meant, said=r"\breal part\b")
        told, meant = f"`{other.name.value}` as complex64", "compute with complex numbers"
        both = cast_of(program, other.name, "complex64")
        said = r"\bcomplex (result|values|numbers)\b"
        yield program.edit({other.name: both}, told, meant, said=said)


def _named(program: Failed, statement: cst.SimpleStatementLine, dtype: str) -> Passed | None:
    known = {name for name, facts in program.seen.items() if facts.dtype == dtype}
    found = {n.value: n for n in program.inside(statement, cst.Name) if n.value in known}
    name = next(iter(found.values())) if len(found) == 1 else None
    return Passed(name, program.seen[name.value], statement) if name is not None else None


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The same numbers in the new dtype, but random ones, which are drawn anew."""
    code = proposal.code
    drawn = [s for s in proposal.subjects if re.search(rf"\b{s}\s*=[^\n]*rand", code)]
    return [same_tensors(before, after, code, drawn)]
