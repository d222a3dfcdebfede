"""Give the data the dtype of the weights, where the data are made.

The weights say what is meant: nobody casts a model by accident, but NumPy's float64 and Python's
integers come along unasked. Two plain tensors have no such side, and neither have data whose dtype
the code names, or whose precision it is about; then both ways are shown, with what the one loses.
A layer in half precision is left alone: whether rounding is wanted is not for an edit to say.
"""

from __future__ import annotations

import re
from dataclasses import replace

import libcst as cst

from executor.errors import dtype_named, is_a, read
from executor.protocol import Caught, ErrorSeen, JobResult
from knowledge.repair.codemod import Check, Proposal, Rewrite, Rewrites
from knowledge.repair.computed import reaches_leaves, same_tensors
from knowledge.repair.toolkit.comments import commented
from knowledge.repair.toolkit.dataflow import Passed, cast_at_origin, cast_of, digits_lost, passed
from knowledge.repair.toolkit.edits import method
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.sites import assignment, calls, seen_error, setting

# Error family → its values for the data's dtype and the weights', or for the two operands'.
_DTYPES = {
    "matmul_dtypes": ("left", "right"), "matvec_dtypes": ("left", "right"),
    "dot_dtypes": ("left", "right"), "compared_dtypes": ("left", "right"),
    "layer_dtypes": ("input", "weight"), "layer_devices": ("input", "weight"),
    "rnn_dtypes": ("input", "weight"), "backward_dtype": ("given", "expected"),
    "inplace_dtype": ("target", "result"), "scalar_type": ("given", "expected"),
}  # fmt: skip
ERRORS = tuple(_DTYPES)
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
    arguments = node.args if isinstance(node, cst.Call) else ()
    return next(
        (
            a.value
            for a in arguments
            if isinstance(a.value, cst.Call) and program.text(a.value.func).endswith("one_hot")
        ),
        None,
    )


def _cast(
    program: Failed, given: Passed, old: str, new: str, intent: str = "", said: str = ""
) -> Rewrites:
    if new in _INTEGERS and old not in _INTEGERS:
        return  # that would cut off what is behind the point
    for edits, where in cast_at_origin(program, given, new):
        yield Rewrite(
            program.replace(edits),
            f"{where} as {new}, not {old}",
            intent,
            (given.name.value,),
            said,
        )


def _is_meant(program: Failed, given: Passed, dtype: str) -> bool:
    """Whether the author chose a tensor's dtype: the code names it there, or is about precision."""
    made = assignment(program, given.name.value, given.name)
    short = rf"\b{dtype}\b|{_SHORTLY[dtype]}"
    if made is not None and re.search(short, program.text(made.value)):
        return True
    code = program.module.code
    told = [*commented(code).values(), *re.findall(r"print\([^\n]*", code)]
    return any(_ABOUT_PRECISION.search(text) for text in told)


def _either(program: Failed, result: JobResult, given: Passed, old: str, new: str) -> Rewrites:
    """The data in the model's precision, or the model in the data's, if its making is found."""
    called = {
        program.text(call.func)
        for call in program.inside(given.statement, cst.Call)
        if any(a.value is given.name for a in call.args)
    }
    makers = _makers(program, called)
    outermost = program.statement_on(result.frames[0].line) if result.frames else None
    if outermost is not None and outermost is not given.statement:  # the whole model is meant
        called = {program.text(call.func) for call in program.inside(outermost, cst.Call)}
        makers = _makers(program, called)
    if len(makers) != 1:
        return
    model = program.text(makers[0].targets[0].target)
    cast = cast_of(program, given.name, new)
    told = f"`{given.name.value}` is passed as {new}, not {old}{digits_lost(old, new)}"
    yield program.edit(
        {given.name: cast}, told, f"compute in {new}", subjects=(given.name.value,), said=_said(new)
    )
    yield Rewrite(
        program.replace({makers[0].value: cast_of(program, makers[0].value, old)}),
        f"line {program.line(makers[0])}: `{model}` computes in {old}, as precise as its input",
        f"compute in {old}",
        said=_said(old),
    )


def _makers(program: Failed, called: set[str]) -> list[cst.Assign]:
    """The assignments of what is called, each a call itself."""
    return [
        a
        for a in program.all(cst.Assign)
        if any(program.text(t.target) in called for t in a.targets)
        and isinstance(a.value, cst.Call)
    ]


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
    told = f"line {program.line(value)}: `{program.text(value)}` as {new}, not {old}"
    if len(facts.shape) == 2 and setting(layer, "input_size") == 1:
        cast = method(cast, "unsqueeze", cst.Arg(cst.parse_expression("-1")))
        told += ", each number as a vector of one feature"
    yield Rewrite(program.replace({value: cast}), told)


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
        elif _INTEGERS & {bad, good}:
            continue
        elif "float16" in (bad, good) or _names_both(program, by_dtype):
            # Whoever writes a dtype means it: cast where the two meet, not where they are made.
            yield from _where_they_meet(program, given, bad, good)
        else:
            told = digits_lost(bad, good)
            for rewrite in _cast(program, given, bad, good, f"compute in {good}", _said(good)):
                yield replace(rewrite, title=f"{rewrite.title}{told}")


def _where_they_meet(program: Failed, given: Passed, old: str, new: str) -> Rewrites:
    told = f"`{given.name.value}` as {new}{digits_lost(old, new)}"
    yield program.edit(
        {given.name: cast_of(program, given.name, new)}, told, f"compute in {new}", said=_said(new)
    )


def _names_both(program: Failed, by_dtype: dict[str, Passed | None]) -> bool:
    """Whether each operand's dtype is named where it is made: then both are what they shall be."""
    return all(
        given is not None
        and (made := assignment(program, given.name.value, given.name)) is not None
        and re.search(rf"\b{dtype}\b|{_SHORTLY.get(dtype, dtype)}", program.text(made.value))
        for dtype, given in by_dtype.items()
    )


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
        yield Rewrite(
            program.replace({given.name: cst.Attribute(given.name, cst.Name("real"))}),
            f"line {program.line(given.name)}: the real part of `{given.name.value}`",
            "compute with the real part",
            said=r"\breal part\b",
        )
        yield Rewrite(
            program.replace({other.name: cast_of(program, other.name, "complex64")}),
            f"line {program.line(other.name)}: `{other.name.value}` as complex64",
            "compute with complex numbers",
            said=r"\bcomplex (result|values|numbers)\b",
        )


def _named(program: Failed, statement: cst.SimpleStatementLine, dtype: str) -> Passed | None:
    names = {
        n.value: n
        for n in program.inside(statement, cst.Name)
        if (facts := program.seen.get(n.value)) is not None and facts.dtype == dtype
    }
    if len(names) != 1:
        return None
    name = next(iter(names.values()))
    return Passed(name, program.seen[name.value], statement)


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """The same numbers in the new dtype, and every backward still reaches its leaves."""
    return [
        same_tensors(before, after, proposal.code, _random(proposal)),
        reaches_leaves(after, wanted=False),
    ]


def _random(proposal: Proposal) -> list[str]:
    """Subjects that are random numbers: in another dtype they are drawn anew."""
    return [s for s in proposal.subjects if re.search(rf"\b{s}\s*=[^\n]*rand", proposal.code)]
