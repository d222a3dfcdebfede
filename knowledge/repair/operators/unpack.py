"""Write the names that something is unpacked into as it is built.

What is unpacked is alive: `out, (h, c) = lstm(x)` for three names, `for i, (x, y) in enumerate(…)`,
one name in place of a pair that is one tensor, `_` for a part that nothing is said of. A name that
is read further down never goes.
"""

import re
from collections.abc import Iterator
from itertools import combinations
from typing import Any

import libcst as cst

from executor.errors import is_a
from executor.protocol import JobResult
from knowledge.repair.check import Check
from knowledge.repair.codemod import Proposal, Rewrites
from knowledge.repair.operator import Failure
from knowledge.repair.toolkit.edits import Program
from knowledge.repair.toolkit.shapes import quoted_line
from knowledge.repair.toolkit.sites import calls

_MOST = 6  # values
_PARTS = (tuple, list)
# Something was unpacked into another number of names; or what `enumerate` counts was used.
ERRORS, TYPES = ("unpack_count", "unpack_one"), frozenset({"TypeError", "AttributeError"})
SPEAKS = r"(?i)\bbatch_size\b|\bsizes?\b|\bshapes?\b|\bsamples\b|\bdtype\b"
_PART = re.compile(r"(?i)_?(?:train(?:ing)?|trn|tr|tests?|te|tst|valid(?:ation)?|val|dev)_?")


def edits(failure: Failure) -> Rewrites:
    """The names as the live value has parts."""
    if not is_a(failure.error, "unpack_count", "unpack_one"):
        yield from _split_in_order(failure)
        yield from _counted(failure)
        return
    found = _unpacked(failure)
    if found is None:
        return
    target, value = found
    if not isinstance(value, _PARTS) or not 2 <= len(value) <= _MOST:
        return
    if all(isinstance(v, int) for v in value):
        return  # sizes: of a tensor that has another number of dimensions
    if any(isinstance(e, cst.StarredElement) for e in target.elements):
        return
    for text, told in _patterns(failure, target, value):
        new = cst.ensure_type(cst.parse_expression(text), cst.Tuple)
        new = new.with_changes(lpar=target.lpar, rpar=target.rpar)
        yield failure.edit({target: new}, told)


def _unpacked(failure: Failure) -> tuple[cst.Tuple, Any] | None:
    """The names on the failing line, and what was to be given to them."""
    statement = failure.statement_on(failure.error.line)
    small = statement.body[0] if statement is not None and len(statement.body) == 1 else None
    if isinstance(small, cst.Assign) and len(small.targets) == 1:
        target, value = small.targets[0].target, _worth(failure, small.value)
        if not isinstance(target, cst.Tuple) or not isinstance(value, _PARTS):
            return None
        for element, part in zip(target.elements, value, strict=False):  # a pair in a pair
            is_pair = isinstance(element.value, cst.Tuple) and isinstance(part, _PARTS)
            if is_pair and len(cst.ensure_type(element.value, cst.Tuple).elements) != len(part):
                return cst.ensure_type(element.value, cst.Tuple), part
        return target, value
    loops = [f for f in failure.all(cst.For) if failure.line(f) == failure.error.line]
    if len(loops) != 1 or not isinstance(loops[0].target, cst.Tuple):
        return None
    iterated = failure.value(loops[0].iter)
    if iterated is failure.missing:
        return None
    try:
        return loops[0].target, next(iter(iterated))
    except Exception:
        return None


def _split_in_order(failure: Failure) -> Rewrites:
    """`x_train, x_test, y_train, y_test = train_test_split(x, y)` for both of a part at a time."""
    for call in calls(failure, r"(^|\.)train_test_split$"):
        made = failure.parent(call)
        target = made.targets[0].target if isinstance(made, cst.Assign) else None
        count = sum(a.keyword is None for a in call.args)
        if not isinstance(target, cst.Tuple) or len(target.elements) != 2 * count or count < 2:
            continue
        names = [failure.text(e.value) for e in target.elements]
        whose = [_PART.sub("", n).lower() for n in names]
        if whose[:count] != whose[count:] or len(set(whose)) != count:
            continue  # as they are given: two of each kind, side by side
        new = [n for pair in zip(names[:count], names[count:], strict=True) for n in pair]
        told = f"the parts come array by array: {', '.join(new)}"
        values = [e.with_changes(value=cst.parse_expression(n))
                  for e, n in zip(target.elements, new, strict=True)]  # fmt: skip
        yield failure.edit({target: target.with_changes(elements=values)}, told)


def _worth(failure: Failure, node: cst.BaseExpression) -> Any:
    """What an expression gives, the first batch of a loader too."""
    first = re.fullmatch(r"next\(iter\(([\w.]+)\)\)", failure.text(node))
    if first is None:
        return failure.value(node)
    try:
        return next(iter(failure.live.value(first[1])))
    except Exception:
        return failure.missing


def _patterns(program: Program, target: cst.Tuple, value: Any) -> Iterator[tuple[str, str]]:
    """The names in the form of the value, with what was done."""
    names = [program.text(e.value) for e in target.elements]
    plain = all(isinstance(e.value, cst.Name) for e in target.elements)
    if plain and (text := _nested(names, value)) is not None:
        yield text, f"the names stand as the values do: {text}"
        return
    if len(names) == len(value):
        yield from _one_for_a_pair(program, target, names, value)
        return
    if not plain:
        return
    if len(names) > len(value):
        read = [n for n in names if n == "_" or _is_read(program, target, n)]
        kept = [n for n in names if n in read]
        if len(kept) <= len(value) and kept == names[: len(kept)]:
            text = ", ".join(names[: len(value)])
            gone = " and ".join(f"`{n}`" for n in names[len(value) :])
            yield text, f"there is no value for {gone}, which nothing reads"
        return
    text = _by_their_names(program, names, value)
    if text is not None:
        yield text, f"the names stand for the values that are called so: {text}"


def _nested(names: list[str], value: Any) -> str | None:
    """`out, (h, c)`: as many names as the value has parts, a pair in it counted as its parts."""
    leaves = [len(v) if isinstance(v, _PARTS) else 0 for v in value]
    if len([c for c in leaves if c]) != 1 or len(value) + sum(leaves) - 1 != len(names):
        return None
    rest, parts = iter(names), []
    for count in leaves:
        inner = [next(rest) for _ in range(count or 1)]
        parts.append(f"({', '.join(inner)})" if count else inner[0])
    return ", ".join(parts)


def _one_for_a_pair(
    program: Program, target: cst.Tuple, names: list[str], value: Any
) -> Iterator[tuple[str, str]]:
    """`out, h = gru(x)` for `out, (h, c)`: the one of the pair that is read."""
    for at, part in enumerate(value):
        element = target.elements[at].value
        if not isinstance(element, cst.Tuple) or isinstance(part, _PARTS):
            continue
        inner = [program.text(e.value) for e in element.elements]
        read = [n for n in inner if n != "_" and _is_read(program, target, n)]
        if len(read) > 1:
            return
        kept = read[0] if read else inner[0]
        text = ", ".join((*names[:at], kept, *names[at + 1 :]))
        yield text, f"there is one value in place of a pair, which is `{kept}`"
        return


def _is_read(program: Program, target: cst.CSTNode, name: str) -> bool:
    """Whether a name is read anywhere below, or in the loop that gives it."""
    line = program.line(target)
    of_target = set(program.inside(target, cst.Name))
    return any(
        n.value == name and program.line(n) >= line
        for n in program.all(cst.Name)
        if n not in of_target and not isinstance(program.parent(n), cst.AssignTarget)
    )


def _by_their_names(program: Program, names: list[str], value: Any) -> str | None:
    """The names at the places of the values that are called so, and `_` at the others."""
    count, found = len(value), set()
    for called in _called(program, value):
        for places in combinations(range(count), len(names)):
            pairs = [(name, called[p]) for name, p in zip(names, places, strict=True)]
            fits = [_alike(name, other) for name, other in pairs]
            open_ones = [(n, o) for (n, o), fit in zip(pairs, fits, strict=True) if not fit]
            # What has no name of its own may be called anything that no other value is called.
            if any(fits) and not any(
                o.isidentifier() or any(_alike(n, c) for c in called) for n, o in open_ones
            ):
                at = dict(zip(places, names, strict=True))
                found.add(", ".join(at.get(p, "_") for p in range(count)))
    return found.pop() if len(found) == 1 else None


def _called(program: Program, value: Any) -> Iterator[list[str]]:
    """What the values may be called: by their type's fields, a `return`, or a data set's parts."""
    if fields := getattr(type(value), "_fields", ()):
        yield list(fields)
        return
    for given in program.all(cst.Return):
        if isinstance(given.value, cst.Tuple) and len(given.value.elements) == len(value):
            yield [program.text(e.value) for e in given.value.elements]
    others: list[cst.For | cst.AssignTarget] = [*program.all(cst.For)]
    others += program.all(cst.AssignTarget)
    for other in others:  # of another such loader
        if isinstance(other.target, cst.Tuple) and len(other.target.elements) == len(value):
            yield [program.text(e.value) for e in other.target.elements]
    for made in calls(program, r"(^|\.)TensorDataset$"):
        if len(made.args) == len(value):
            yield [program.text(a.value) for a in made.args]


def _alike(name: str, other: str) -> bool:
    """Whether two names are one, a plural or a part of the training aside: `labels`, `label`."""
    plain = (n.strip("_").lower().removesuffix("s") for n in (name, other.rpartition(".")[2]))
    first, second = plain
    return first == second or second in (f"train_{first}", f"{first}_train")


def _counted(failure: Failure) -> Rewrites:
    """`for i, (x, y) in enumerate(loader)`: the count was taken for a part of the data."""
    for loop in failure.all(cst.For):
        target, over = loop.target, loop.iter
        if not isinstance(target, cst.Tuple) or len(target.elements) != 2:
            continue
        if not isinstance(over, cst.Call) or failure.text(over.func) != "enumerate":
            continue
        names = [failure.text(e.value) for e in target.elements]
        count, data = (failure.live.names[0].get(n) for n in names)
        if type(count) is not int or not isinstance(data, _PARTS) or len(data) != 2:
            continue
        if failure.line(loop) >= (failure.error.line or 0):
            continue
        place = failure.places[-1].node if failure.places else None
        used = {n.value for n in failure.inside(place, cst.Name)} if place is not None else set()
        if not used & set(names):
            continue
        counter = "i" if "i" not in names and "i" not in failure.live.names[0] else "step"
        new = cst.parse_expression(f"{counter}, ({', '.join(names)})")
        told = (
            f"`enumerate` counts: `{counter}` is the count, and {names[0]} and {names[1]} the data"
        )
        yield failure.edit({target: new}, told, at=loop)


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """What is unpacked is the same thing still."""
    if before.error is None or not is_a(before.error, "unpack_count", "unpack_one"):
        return []
    right = re.split(r" = | in ", quoted_line(before.error.traceback), maxsplit=1)[-1]
    kept = "".join(right.split()).rstrip(":") in "".join(proposal.code.split())
    return [Check.of("unpacked", kept, "the same is unpacked", "something else is unpacked")]
