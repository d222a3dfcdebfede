"""Let a loader fill up samples of unequal length to the longest of their batch.

A sample is a tensor, or a tuple of tensors and numbers: its live value says which parts differ in
their first dimension, and the names in the loop over the loader are the names of the parts. A part
of a kind that no batch is made of, such as a path, is given as text.
"""

from datetime import date
from decimal import Decimal
from fractions import Fraction
from pathlib import PurePath
from typing import Any
from uuid import UUID

import libcst as cst

from executor.errors import is_a
from executor.protocol import JobResult
from knowledge.repair.check import Check
from knowledge.repair.codemod import Proposal, Rewrite, Rewrites
from knowledge.repair.operator import COST, Failure
from knowledge.repair.operators.windows import slides
from knowledge.repair.toolkit.edits import Edits, Program, call
from knowledge.repair.toolkit.flow import free_name, held_as, walked
from knowledge.repair.toolkit.lazily import torch
from knowledge.repair.toolkit.sites import argument, calls, method_of, seen_error, with_argument

_FAMILIES = ("stack_sizes", "collate_unequal", "storage_not_resizable", _KIND := "collate_type")
_AS_TEXT, _AS_NUMBER = (PurePath, UUID, date), (Decimal, Fraction)
_SAMPLES = 8


def applies(result: JobResult) -> bool:
    """A loader's samples differ in length, or some of them are None."""
    error = seen_error(result, *_FAMILIES)
    none = result.error if result.error and "NoneType" in result.error.message else None
    return any(e is not None and "collate" in e.traceback for e in (error, none))


def edits(failure: Failure) -> Rewrites:
    """A collate_fn that pads."""
    loaders = list(calls(failure, r"(^|\.)DataLoader$"))
    yield from _as_another(failure, loaders)
    if is_a(failure.error, _KIND):
        yield from _as_text(failure)
        return
    if slides(failure):
        return  # what is short is the end of a series
    if len(loaders) != 1 or argument(loaders[0], 6, "collate_fn") is not None:
        return
    loader = loaders[0]
    statement = failure.up(loader, cst.SimpleStatementLine)
    if any(a.star for a in loader.args) or not loader.args:
        return
    samples = _samples(failure, loader)
    if "NoneType" in failure.error.message:
        yield from _without_none(failure, loader, samples)
        return
    pad = failure.name_of("torch.nn.utils.rnn", "pad_sequence")
    line = f"line {failure.line(loader)}"
    filled = "filled up with zeros to the longest of their batch"
    meaning = "zeros may stand for what a short sample lacks"
    rows = samples and all(map(_is_row, samples))
    if rows or (samples and all(map(_is_of_numbers, samples))):
        tensors = "samples" if rows else _as_tensors(failure, "samples")
        function = f"lambda samples: {pad}({tensors}, batch_first=True)"
        new = with_argument(loader, 99, "collate_fn", cst.parse_expression(function))
        yield failure.edit({loader: new}, f"short samples are {filled}", meaning)
        return
    if statement is None:
        return
    if not samples or not all(isinstance(s, tuple) and len(s) == len(samples[0]) for s in samples):
        return
    columns = list(zip(*samples, strict=True))
    names = _names(failure, len(columns))
    parts = [_joined(failure, n, c, pad) for n, c in zip(names, columns, strict=True)]
    filled_up = [c for p, c in zip(parts, columns, strict=True) if "pad_sequence" in (p or "")]
    if any(p is None for p in parts) or not filled_up:
        return
    if len(filled_up) > 1 and not all(_is_of_ids(v) for column in filled_up for v in column):
        return  # two series, which may have to be of one length
    function = free_name(failure, "pad_batch")
    code = f"def {function}(batch):\n    {', '.join(names)} = zip(*batch)\n"
    code += f"    return {', '.join(p for p in parts if p)}\n"
    new = with_argument(loader, 99, "collate_fn", cst.Name(function))
    defined = cst.ensure_type(cst.parse_statement(code), cst.FunctionDef)
    defined = defined.with_changes(leading_lines=statement.leading_lines)
    changed = statement.with_deep_changes(loader, args=new.args)
    changed = changed.with_changes(leading_lines=[cst.EmptyLine(indent=False)])
    padded = [n for n, p in zip(names, parts, strict=True) if "pad_sequence" in (p or "")]
    yield Rewrite(
        failure.replace({statement: cst.FlattenSentinel([defined, changed])}),
        f"{line}: the short {' and '.join(f'`{n}`' for n in padded)} are {filled}",
        meaning,
        new_name=function,
        supposes=True,
        cost=COST.SURE,
    )


def _as_text(failure: Failure) -> Rewrites:
    """`"file": str(path)` for `"file": path`, in what `__getitem__` returns."""
    loaders = list(calls(failure, r"(^|\.)DataLoader$"))
    given = [a.value for c in loaders if (a := argument(c, 0, "dataset")) is not None]
    found = [failure.value(g, frame) for g in given for frame in (0, -1)]
    if (loader := _failed(failure)) is not None:
        found = [loader.dataset]
    for data in {type(v): v for v in found if v is not failure.missing}.values():
        try:
            sample = data[0]
        except Exception:
            continue
        parts = sample.items() if isinstance(sample, dict) else enumerate(
            sample if isinstance(sample, tuple) else ())  # fmt: skip
        kinds = {key: "str" if isinstance(part, _AS_TEXT) else "float" for key, part in parts
                 if isinstance(part, _AS_TEXT + _AS_NUMBER)}  # fmt: skip
        changes: Edits = {}
        if (item := method_of(failure, type(data).__name__, "__getitem__")) is not None:
            for made in failure.inside(item, cst.Dict):
                keyed = (e for e in made.elements if isinstance(e, cst.DictElement))
                named = {failure.text(e.key).strip("'\""): e.value for e in keyed}
                changes |= {
                    named[k]: call(kinds[k], cst.Arg(named[k])) for k in kinds if k in named
                }
            for out in failure.inside(item, cst.Return):
                row = out.value.elements if isinstance(out.value, cst.Tuple) else ()
                changes |= {e.value: call(kinds[n], cst.Arg(e.value))
                            for n, e in enumerate(row) if n in kinds}  # fmt: skip
        if changes:
            names = " and ".join(f"`{failure.text(n)}`" for n in changes)
            told = f"{names} becomes {' and '.join(sorted({*kinds.values()}))}, which a batch holds"
            yield failure.edit(changes, told, as_one=True)
        loaders = [c for c in loaders if argument(c, 6, "collate_fn") is None]
        if changes and isinstance(sample, dict) and len(loaders) == 1:
            join = failure.name_of("torch.utils.data", "default_collate")
            new = ", ".join(f'"{key}": {kind}(one["{key}"])' for key, kind in kinds.items())
            function = f"lambda batch: {join}([{{**one, {new}}} for one in batch])"
            joined = with_argument(loaders[0], 99, "collate_fn", cst.parse_expression(function))
            yield failure.edit({loaders[0]: joined}, told, cost=COST.POSSIBLE)


def _without_none(failure: Failure, loader: cst.Call, samples: list[Any]) -> Rewrites:
    """What a data set could not read, and gave as None, is left out of its batch."""
    given = [failure.text(r) for f in failure.all(cst.FunctionDef) if f.name.value == "__getitem__"
             for r in failure.inside(f, cst.Return)]  # fmt: skip
    if not {"return None", "return"} & {*given} or {s is None for s in samples} != {True, False}:
        return  # what returns nothing may lack a `return`
    join = failure.name_of("torch.utils.data", "default_collate")
    function = f"lambda batch: {join}([one for one in batch if one is not None])"
    new = with_argument(loader, 99, "collate_fn", cst.parse_expression(function))
    told = "samples that are None are left out of their batch"
    yield failure.edit({loader: new}, told, supposes=True)


def _as_another(failure: Failure, loaders: list[cst.Call]) -> Rewrites:
    """The `collate_fn` that another loader of the program has, of samples of the same kind."""
    failed = _failed(failure)
    given = [a for loader in loaders if (a := argument(loader, 6, "collate_fn")) is not None]
    if failed is None or len({failure.text(a.value) for a in given}) != 1:
        return
    text = failure.text(given[0].value)
    without = [c for c in loaders if argument(c, 6, "collate_fn") is None]
    outer = -len(failure.live.names)
    names = walked(failure, failure.error.line or 0)
    mine = [c for c in without if held_as(failure, c) in names] or [
        c for c in without if failure.value(c.args[0].value, outer) is failed.dataset
    ]
    join = failure.value(given[0].value, outer)
    try:
        join([failed.dataset[i] for i in range(min(len(failed.dataset), 2))])
    except Exception:
        return
    for loader in mine if len(mine) == 1 else ():
        new = with_argument(loader, 99, "collate_fn", given[0].value)
        told = f"this loader joins samples with `{text}` too, as the other one does"
        yield failure.edit({loader: new}, told, cost=COST.SAID)


def _failed(failure: Failure) -> Any:
    """The loader that the failing line goes through."""
    from torch.utils.data import DataLoader

    for name in walked(failure, failure.error.line or 0):
        value = failure.live.names[-1].get(name)
        if isinstance(value, DataLoader):
            return value
    return None


def _samples(failure: Failure, loader: cst.Call) -> list[Any]:
    """The first samples of the one loader that is alive where it failed, or of what it is given."""
    from torch.utils.data import DataLoader

    alive = {id(v): v for names in failure.live.names for v in names.values()
             if isinstance(v, DataLoader)}  # fmt: skip
    given = argument(loader, 0, "dataset")
    if len(alive) > 1 or given is None:
        return []
    held = next(iter(alive.values()), None)
    outer = -len(failure.live.names)
    dataset = held.dataset if held is not None else failure.value(given.value, outer)
    try:
        return [dataset[i] for i in range(min(len(dataset), _SAMPLES))]  # type: ignore[arg-type]
    except Exception:
        return []


def _is_row(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.dim() > 0


def _is_of_ids(value: Any) -> bool:
    """Whether it is a row of whole numbers: a sentence, and a sentence that it becomes."""
    if isinstance(value, list):
        return all(type(v) is int for v in value)
    return value.dim() == 1 and not value.is_floating_point()


def _is_of_numbers(value: Any) -> bool:
    """Whether it is a list of numbers, such as the words of a sentence."""
    return isinstance(value, list) and bool(value) and all(type(v) in (int, float) for v in value)


def _names(program: Program, count: int) -> list[str]:
    """What the loop over the loader calls the parts; `first`, `second` where it does not."""
    for loop in program.all(cst.For):
        if isinstance(loop.target, cst.Tuple) and len(loop.target.elements) == count:
            names = [e.value for e in loop.target.elements]
            if "oader" in program.text(loop.iter) and all(isinstance(n, cst.Name) for n in names):
                return [n.value for n in names if isinstance(n, cst.Name)]
    return ["first", "second", "third", "fourth"][:count]


def _as_tensors(program: Program, name: str) -> str:
    return f"[{program.name_of('torch', 'tensor')}(one) for one in {name}]"


def _joined(program: Program, name: str, column: tuple[Any, ...], pad: str) -> str | None:
    """How a part of all samples becomes one tensor; None where that is not clear."""
    if all(type(v) in (int, float, bool) for v in column):
        return f"{program.name_of('torch', 'tensor')}({name})"
    if all(_is_of_numbers(v) for v in column):
        return f"{pad}({_as_tensors(program, name)}, batch_first=True)"
    if not all(isinstance(v, torch.Tensor) for v in column):
        return None
    shapes = {v.shape for v in column}
    if len(shapes) == 1:
        return f"{program.name_of('torch', 'stack')}({name})"
    if len({s[1:] for s in shapes}) > 1 or () in shapes:
        return None  # pictures
    return f"{pad}({name}, batch_first=True)"


def checks(before: JobResult, after: JobResult, proposal: Proposal) -> list[Check]:
    """Every sample is padded, none is cut or left out."""
    pads = "pad_sequence(" in proposal.code or proposal.code.count("collate_fn=") > 1
    pads = pads or ("is not None]" in proposal.code and "default_collate(" in proposal.code)
    if seen_error(before, _KIND) is not None:
        return []
    return [Check.of("padded", pads, "samples are padded", "samples are cut or left out")]
