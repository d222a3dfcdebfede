"""What torch has in place of a function of NumPy's, where its arguments are as told."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import libcst as cst

from knowledge.repair.toolkit.edits import Edits, operand
from knowledge.repair.toolkit.failed import Failed
from knowledge.repair.toolkit.flow import free_name, held_as


@dataclass(frozen=True)
class _Instead:
    """What torch has in place of a function; `{0}` is its first argument."""

    name: str
    code: str
    told: str
    given: int  # plain arguments
    dims: Mapping[int, int] = field(default_factory=dict)  # of which arguments, how many
    worth: Mapping[int, tuple[str, ...]] = field(default_factory=dict)


_BY_ROWS: tuple[Any, ...] = (3, {2: 2}, {1: ("1", "-1")})
_BY_COLUMNS: tuple[Any, ...] = (3, {2: 2}, {1: ("0",)})
_INSTEAD = (
    _Instead("apply_along_axis", "{vmap}({0})({2})",
             "`vmap` applies `{0}` to every row", *_BY_ROWS),
    _Instead("apply_along_axis", "{stack}([{0}({row}) for {row} in {2}])",
             "`{0}` of every row, one after another", *_BY_ROWS),
    _Instead("apply_along_axis", "{vmap}({0}, in_dims=1, out_dims=-1)({2})",
             "`vmap` applies `{0}` to every column", *_BY_COLUMNS),
    _Instead("apply_along_axis", "{stack}([{0}({column}) for {column} in {2}.unbind(1)], dim=-1)",
             "`{0}` of every column, one after another", *_BY_COLUMNS),
    _Instead("nanmax", "{nanquantile}({0}, 1.0{rest})",
             "the quantile 1.0 that leaves NaN out is the largest number", 1),
    _Instead("nanmin", "{nanquantile}({0}, 0.0{rest})",
             "the quantile 0.0 that leaves NaN out is the smallest number", 1),
    _Instead("intersect1d", "{0}[{isin}({0}, {1})].unique()",
             "the elements of `{0}` that `{1}` has too, each once", 2),
    _Instead("fill_diagonal_", "{0}.diagonal().copy_({1})",
             "fill_diagonal_ writes one number; `copy_` into the diagonal writes them all", 2,
             {1: 1}),
)  # fmt: skip


def of_numpy(program: Failed, called: cst.Call, name: str) -> Iterator[tuple[Edits, str]]:
    """The edits that put it in the place of a call, each with what it does in words."""
    if name == "vectorize":
        yield from _vectorized(program, called)
    plain = [a.value for a in called.args if a.keyword is None]
    facts = [program.seen.get(program.text(value)) for value in plain]
    texts = [program.module.code_for_node(operand(value)) for value in plain]
    names = {n: free_name(program, n) for n in ("row", "column")}
    names |= {n: program.name_of("torch", n) for n in ("vmap", "stack", "nanquantile", "isin")}
    for way in (w for w in _INSTEAD if w.name == name):
        rest = "".join(f", {program.text(a)}" for a in called.args[way.given :])
        if len(plain) < way.given or ("{rest}" not in way.code and rest):
            continue
        shapes = [(f.shape if (f := facts[i]) else None, n) for i, n in way.dims.items()]
        values = [(f.repr if (f := facts[i]) else program.text(plain[i]), w)
                  for i, w in way.worth.items()]  # fmt: skip
        if all(s is not None and len(s) == n for s, n in shapes) and all(v in w for v, w in values):
            names["rest"] = re.sub(r"\baxis\b(?=\s*=)", "dim", rest)
            new = cst.parse_expression(way.code.format(*texts, **names))
            yield {called: new}, way.told.format(*texts)


def _vectorized(program: Failed, called: cst.Call) -> Iterator[tuple[Edits, str]]:
    """NumPy's vectorize of a function that is then applied to vectors only."""
    name = held_as(program, called)
    uses = [c for c in program.all(cst.Call) if program.text(c.func) == name]
    given = [program.seen.get(program.text(a.value)) for c in uses for a in c.args]
    shapes = [f.shape for f in given if f is not None and f.shape is not None]
    if len(called.args) == 1 and len(shapes) == len(uses) and {*map(len, shapes)} == {1}:
        new = called.with_changes(func=cst.parse_expression(program.name_of("torch", "vmap")))
        yield {called: new}, "`vmap` makes a function of vectors from one of numbers"
