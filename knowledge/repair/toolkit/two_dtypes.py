"""Two dtypes that met where one is needed: which of them is meant, and where to cast to it."""

import re

import libcst as cst

from executor.errors import is_a
from knowledge.repair.codemod import Rewrite, Rewrites
from knowledge.repair.toolkit.comments import ABOUT_PRECISION, commented
from knowledge.repair.toolkit.dataflow import INTEGERS, Passed, cast_at_origin, cast_of, digits_lost
from knowledge.repair.toolkit.edits import Program
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.sites import given_to

_SHORTLY = {"float64": r"\.double\b", "float32": r"\.float\b", "float16": r"\.half\b"}


def says(dtype: str) -> str:
    """The pattern of words that mean this dtype."""
    return rf"\b{dtype}\b|\b{dtype.replace('float64', 'double')}\b"


def is_meant(program: Program, given: Passed, dtype: str) -> bool:
    """Whether the author chose a tensor's dtype: the code names it there, or is about precision."""
    code = program.module.code
    told = [*commented(code).values(), *re.findall(r"print\([^\n]*", code)]
    return _is_named(program, given, dtype) or any(ABOUT_PRECISION.search(text) for text in told)


def _is_named(program: Program, given: Passed | None, dtype: str) -> bool:
    """Whether the line that makes a variable names a dtype."""
    made = given_to(program, given.name) if given is not None else None
    short = rf"\b{dtype}\b|{_SHORTLY.get(dtype, dtype)}"
    return made is not None and re.search(short, program.text(made.value)) is not None


def cast_where_made(
    program: Program, given: Passed, old: str, new: str, intent: str = "", lost: str = ""
) -> Rewrites:
    """A variable in another dtype from where it is made; not where that would cut off fractions."""
    if new in INTEGERS and old not in INTEGERS:
        return
    edits, where = cast_at_origin(program, given, new)
    told, said = f"{where} as {new}, not {old}{lost}", says(new) if intent else ""
    yield Rewrite(program.replace(edits), told, intent, (given.name.value,), said)


def two_tensors(program: Failed, first: str, second: str) -> Rewrites:
    """`a @ b`: integers become floats; of two kinds of float either may be meant."""
    by_dtype = {dtype: _operand(program, dtype) for dtype in (first, second)}
    compared = is_a(program.error, "compared_dtypes")
    if "complex64" in (first, second) and not compared:
        yield from _complex(program, by_dtype, first, second)
        return
    for bad, good in ((first, second), (second, first)):
        given = by_dtype[bad]
        if given is None:
            continue
        name, cast = given.name.value, cast_of(program, given.name, good)
        if bad in INTEGERS and good not in INTEGERS:
            if compared:  # they stay integers everywhere else
                yield program.edit({given.name: cast}, f"`{name}` is compared as {good}")
            else:
                yield from cast_where_made(program, given, bad, good)
        if compared or INTEGERS & {bad, good}:
            continue
        meant, lost = f"compute in {good}", digits_lost(bad, good)
        named = all(_is_named(program, given, dtype) for dtype, given in by_dtype.items())
        if "float16" in (bad, good) or named:
            # Whoever writes a dtype means it: cast where the two meet, not where they are made.
            told = f"`{name}` as {good}{lost}"
            yield program.edit({given.name: cast}, told, meant, said=says(good))
        else:
            yield from cast_where_made(program, given, bad, good, meant, lost)


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


def _operand(program: Failed, dtype: str) -> Passed | None:
    """The one variable of the failing statement that has a dtype."""
    statement = program.statement
    known = {name for name, facts in program.seen.items() if facts.dtype == dtype}
    found = {n.value: n for n in program.inside(statement, cst.Name) if n.value in known}
    if statement is None or len(found) != 1:
        return None
    ((name, node),) = found.items()
    return Passed(node, program.seen[name], statement)
